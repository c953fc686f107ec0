// SPDX-License-Identifier: Apache-2.0
#include "interfaces.hpp"

#include <algorithm>
#include <format>
#include <iterator>

namespace coopvk::check {
namespace {

using spv::Op;

// Layouts are executed, liberties are in terms, and of the others executions make reports.
constexpr spv::Decoration kModelled[] = {spv::Decoration::RelaxedPrecision,
                                         spv::Decoration::SpecId,
                                         spv::Decoration::Block,
                                         spv::Decoration::BufferBlock,
                                         spv::Decoration::RowMajor,
                                         spv::Decoration::ColMajor,
                                         spv::Decoration::ArrayStride,
                                         spv::Decoration::MatrixStride,
                                         spv::Decoration::Offset,
                                         spv::Decoration::NoContraction,
                                         spv::Decoration::NonUniformEXT,
                                         spv::Decoration::CacheControlLoadINTEL,  // hints
                                         spv::Decoration::CacheControlStoreINTEL,
                                         spv::Decoration::UserSemantic,
                                         spv::Decoration::UserTypeGOOGLE,
                                         spv::Decoration::FPRoundingMode,
                                         spv::Decoration::FPFastMathMode,
                                         spv::Decoration::NoSignedWrap,
                                         spv::Decoration::NoUnsignedWrap,
                                         spv::Decoration::ArrayStrideIdEXT,
                                         spv::Decoration::OffsetIdEXT};
// They say where a variable is.
constexpr spv::Decoration kPlaces[] = {spv::Decoration::Location, spv::Decoration::Component,
                                       spv::Decoration::BuiltIn, spv::Decoration::Binding,
                                       spv::Decoration::DescriptorSet};
// Accesses through the variable have to keep to it, so each one of the rewritten module has it
// where one of the original has.
constexpr std::string_view kKept[] = {"Coherent", "Volatile", "Aliased"};
// Built-ins that each device gives and executions know.
constexpr spv::BuiltIn kKnown[] = {spv::BuiltIn::NumWorkgroups,
                                   spv::BuiltIn::WorkgroupId,
                                   spv::BuiltIn::LocalInvocationId,
                                   spv::BuiltIn::GlobalInvocationId,
                                   spv::BuiltIn::LocalInvocationIndex,
                                   spv::BuiltIn::SubgroupSize,
                                   spv::BuiltIn::NumSubgroups,
                                   spv::BuiltIn::SubgroupId,
                                   spv::BuiltIn::SubgroupLocalInvocationId};

bool isListed(std::span<const spv::Decoration> list, spv::Decoration one) {
    return std::ranges::find(list, one) != list.end();
}

class Reader {
 public:
    Reader(const Module& module, std::span<const Decoration> decorations) : module_(module) {
        for (const Decoration& one : decorations) byTarget_[one.target].push_back(&one);
    }

    Interfaces read() {
        Interfaces all;
        for (const Instruction& i : module_.instructions())
            if (isOfInterface(i)) all[placeOf(i)].push_back({kindOf(i), namesOf(i)});
        return all;
    }

 private:
    uint32_t pointeeOf(const Instruction& i) const {
        return i.opcode == Op::OpVariable ? module_.definition(i[1])[3] : i[4];
    }
    // Without arrays of it: descriptors, or vertices.
    uint32_t blockOf(const Instruction& i) const {
        uint32_t type = pointeeOf(i);
        while (module_.definition(type).opcode == Op::OpTypeArray ||
               module_.definition(type).opcode == Op::OpTypeRuntimeArray)
            type = module_.definition(type)[2];
        return type;
    }
    uint32_t literal(uint32_t id, spv::Decoration decoration) const {
        return module_.decoration(id, decoration).value_or(0);
    }

    std::string placeOf(const Instruction& i) const {
        switch (static_cast<spv::StorageClass>(i[3])) {
            case spv::StorageClass::PushConstant:
                return "push constants";
            case spv::StorageClass::Input:
                return "input " + locationOf(i);
            case spv::StorageClass::Output:
                return "output " + locationOf(i);
            case spv::StorageClass::StorageBuffer:
            case spv::StorageClass::Uniform:
            case spv::StorageClass::UniformConstant:
                return std::format("set {}, binding {}",
                                   literal(i[2], spv::Decoration::DescriptorSet),
                                   literal(i[2], spv::Decoration::Binding));
            default:
                return std::format("a variable of storage class {}", i[3]);
        }
    }
    // Blocks are where their members are.
    std::string locationOf(const Instruction& i) const {
        if (const auto builtIn = module_.decoration(i[2], spv::Decoration::BuiltIn))
            return std::format("of built-in {}", *builtIn);
        std::string text = std::format("{}, component {}", literal(i[2], spv::Decoration::Location),
                                       literal(i[2], spv::Decoration::Component));
        const uint32_t block = blockOf(i);
        for (uint32_t n = 0; n + 2 < module_.definition(block).words.size(); ++n)
            if (module_.definition(block).opcode == Op::OpTypeStruct)
                for (const spv::Decoration part : kPlaces)
                    if (const auto is = module_.memberDecoration(block, n, part))
                        text += std::format(", member {}: {} {}", n, spv::DecorationToString(part),
                                            *is);
        return text;
    }

    std::string kindOf(const Instruction& i) const {
        const uint32_t type = pointeeOf(i), block = blockOf(i);
        switch (static_cast<spv::StorageClass>(i[3])) {
            case spv::StorageClass::PushConstant:
                return {};  // see otherDeclaration()
            case spv::StorageClass::StorageBuffer:
                return "storage buffer" + countsOf(type);
            case spv::StorageClass::Uniform:
                return (module_.decoration(block, spv::Decoration::BufferBlock)
                            ? "storage buffer"
                            : "uniform buffer") +
                       countsOf(type);
            default:
                return signatureOf(type);
        }
    }
    std::string countsOf(uint32_t type) const {
        const Instruction& i = module_.definition(type);
        if (i.opcode == Op::OpTypeRuntimeArray) return "[]" + countsOf(i[2]);
        if (i.opcode != Op::OpTypeArray) return {};
        return std::format("[{}]", module_.constant(i[3]).value_or(0)) + countsOf(i[2]);
    }
    // What pipelines compare of types.
    std::string signatureOf(uint32_t type, int depth = 0) const {
        constexpr int kMostDepth = 16;
        const Instruction& i = module_.definition(type);
        std::string text = std::format("{}", static_cast<uint32_t>(i.opcode));
        if (depth == kMostDepth) return text + " of too many types";
        const auto add = [&](uint32_t of) { text += "(" + signatureOf(of, depth + 1) + ")"; };
        size_t literals = 2;
        if (i.opcode == Op::OpTypeStruct) {
            for (size_t n = 2; n < i.words.size(); ++n) {
                add(i[n]);
                for (const std::string& name : namesOf(type, static_cast<uint32_t>(n - 2), false))
                    text += " " + name;
            }
            return text;
        }
        if (i.opcode == Op::OpTypePointer) {
            text += std::format(" {}", i[2]);
            add(i[3]);
            return text;
        }
        if (i.opcode == Op::OpTypeArray)
            return text + countsOf(type).substr(0, countsOf(type).find(']')) + "](" +
                   signatureOf(i[2], depth + 1) + ")";
        if (i.opcode == Op::OpTypeVector || i.opcode == Op::OpTypeMatrix ||
            i.opcode == Op::OpTypeRuntimeArray || i.opcode == Op::OpTypeImage ||
            i.opcode == Op::OpTypeSampledImage)
            add(i[literals++]);
        for (size_t n = literals; n < i.words.size(); ++n) text += std::format(" {}", i[n]);
        return text;
    }

    // Of outputs, offsets are those of transform feedback.
    std::set<std::string> namesOf(uint32_t id, uint32_t member, bool isOutput) const {
        std::set<std::string> names;
        const auto found = byTarget_.find(id);
        if (found == byTarget_.end()) return names;
        for (const Decoration* one : found->second) {
            const bool counts = !isModelled(one->decoration) ||
                                (isOutput && one->decoration == spv::Decoration::Offset);
            if (one->member == member && counts && !isListed(kPlaces, one->decoration))
                names.insert(one->text());
        }
        return names;
    }
    // Of the variable; what all members of its block say is said of it.
    std::set<std::string> namesOf(const Instruction& i) const {
        const bool isOutput = static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Output;
        std::set<std::string> names = namesOf(i[2], Decoration::kWhole, isOutput);
        const uint32_t block = blockOf(i);
        const Instruction& type = module_.definition(block);
        if (type.opcode != Op::OpTypeStruct) return names;
        names.merge(namesOf(block, Decoration::kWhole, isOutput));
        std::map<std::string, uint32_t> counts;
        const auto members = static_cast<uint32_t>(type.words.size() - 2);
        for (uint32_t n = 0; n < members; ++n)
            for (const std::string& name : namesOf(block, n, isOutput)) ++counts[name];
        for (uint32_t n = 0; n < members; ++n)
            for (const std::string& name : namesOf(block, n, isOutput))
                names.insert(counts[name] == members ? name
                                                     : std::format("{} of member {}", name, n));
        return names;
    }

    const Module& module_;
    std::map<uint32_t, std::vector<const Decoration*>> byTarget_;
};

bool has(const Declared& one, const std::string& name) { return one.decorations.contains(name); }

// Whether the variables of a buffer may go without a decoration that those of the original have.
// With NonReadable, "this module does not read from the memory holding the variable": without, it
// promises less, and Vulkan asks for it of images alone. Where one has it, no other one reads.
bool mayLack(const std::string& name, const std::vector<Declared>& after) {
    return name.starts_with("NonReadable") && std::ranges::none_of(after, [&](const Declared& one) {
               return has(one, name) || !one.kind.starts_with("storage buffer");
           });
}

// Of variables in one place.
std::string otherIn(const std::string& place, const std::vector<Declared>& before,
                    const std::vector<Declared>& after) {
    std::set<std::string> names;
    for (const auto* list : {&before, &after})
        for (const Declared& one : *list)
            names.insert(one.decorations.begin(), one.decorations.end());
    for (const Declared& one : after)
        if (std::ranges::find(before, one.kind, &Declared::kind) == before.end())
            return std::format("rewritten: {} is of another kind than in the original", place);
    for (const std::string& name : names) {
        const auto is = [&](const Declared& one) { return has(one, name); };
        const bool isKept =
            std::ranges::find(kKept, name.substr(0, name.find(' '))) != std::end(kKept);
        const bool isOfAny = isKept || name.starts_with("NonReadable");
        const bool isNeeded = !mayLack(name, after) && (isOfAny ? std::ranges::any_of(before, is)
                                                                : std::ranges::all_of(before, is));
        const bool mayBe =
            isKept || (name.starts_with("Restrict") ? std::ranges::all_of(before, is)
                                                    : std::ranges::any_of(before, is));
        if (isNeeded && !std::ranges::all_of(after, is))
            return std::format("rewritten: {} is not {}, as it is in the original", place, name);
        if (!mayBe && std::ranges::any_of(after, is))
            return std::format("rewritten: {} is {}, which it is not in the original", place, name);
    }
    return {};
}

// Without decorations, as the original may have it, too.
bool isAdded(const std::string& place, const std::vector<Declared>& variables) {
    const auto is = [&](spv::BuiltIn builtIn) {
        return place == std::format("input of built-in {}", static_cast<uint32_t>(builtIn));
    };
    return std::ranges::any_of(kKnown, is) &&
           std::ranges::all_of(variables,
                               [](const Declared& one) { return one.decorations.empty(); });
}

}  // namespace

std::string Decoration::text() const {
    std::string text = spv::DecorationToString(decoration);
    for (const uint32_t literal : literals) text += std::format(" {}", literal);
    return text;
}

std::vector<Decoration> decorationsOf(const Module& module) {
    std::vector<Decoration> all;
    // Groups are decorated before they decorate.
    const auto copy = [&](uint32_t group, uint32_t target, uint32_t member) {
        for (size_t n = 0, count = all.size(); n < count; ++n) {
            if (all[n].target != group) continue;
            Decoration one = all[n];
            one.target = target;
            one.member = member;
            all.push_back(one);
        }
    };
    for (const Instruction& i : module.instructions()) {
        for (size_t n = 2; i.opcode == Op::OpGroupDecorate && n < i.words.size(); ++n)
            copy(i[1], i[n], Decoration::kWhole);
        for (size_t n = 2; i.opcode == Op::OpGroupMemberDecorate && n < i.words.size(); n += 2)
            copy(i[1], i[n], i[n + 1]);
        const bool isMember =
            i.opcode == Op::OpMemberDecorate || i.opcode == Op::OpMemberDecorateString;
        if (!isMember && i.opcode != Op::OpDecorate && i.opcode != Op::OpDecorateId &&
            i.opcode != Op::OpDecorateString)
            continue;
        const size_t at = isMember ? 3 : 2;
        all.push_back({.target = i[1],
                       .member = isMember ? i[2] : Decoration::kWhole,
                       .decoration = static_cast<spv::Decoration>(i[at])});
        if (i.words.size() > at + 1) all.back().literals = i.words.subspan(at + 1);
    }
    return all;
}

bool isModelled(spv::Decoration decoration) { return isListed(kModelled, decoration); }

bool isOfInterface(const Instruction& i) {
    if (i.opcode != Op::OpVariable && i.opcode != Op::OpUntypedVariableKHR) return false;
    const auto storage = static_cast<spv::StorageClass>(i[3]);
    return storage != spv::StorageClass::Function && storage != spv::StorageClass::Private &&
           storage != spv::StorageClass::Workgroup;
}

Interfaces interfacesOf(const Module& module, std::span<const Decoration> decorations) {
    return Reader(module, decorations).read();
}

std::string otherInterface(const Interfaces& original, const Interfaces& rewritten) {
    // Vulkan, "Sample Shading": with these inputs "sample shading is enabled".
    for (const spv::BuiltIn of : {spv::BuiltIn::SampleId, spv::BuiltIn::SamplePosition}) {
        const std::string place = std::format("input of built-in {}", static_cast<uint32_t>(of));
        if (original.contains(place) && !rewritten.contains(place))
            return std::format("rewritten: it lacks the {}", place);
    }
    for (const auto& [place, after] : rewritten) {
        const auto found = original.find(place);
        if (found == original.end() && isAdded(place, after)) continue;
        if (found == original.end())
            return std::format("rewritten: it has {}, which the original has not", place);
        const std::string other = otherIn(place, found->second, after);
        if (!other.empty()) return other;
    }
    return {};
}

}  // namespace coopvk::check
