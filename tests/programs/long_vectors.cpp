// SPDX-License-Identifier: Apache-2.0
#include "long_vectors.hpp"

#include <bit>

namespace coopvk::programs {
namespace {

using enum Component;

constexpr double kLongInput = 4;  // largest number in memory
constexpr uint32_t kCounts[] = {1,  2,  3,  4,  5,  7,  8,  8,  9,   12,  15,  16,  17,  17,
                                18, 24, 31, 32, 33, 48, 64, 65, 100, 127, 255, 256, 513, 1024};
constexpr uint32_t kBesideCounts[] = {4, 8, 12, 16, 20, 24, 32, 64};
constexpr Component kAll[] = {kF16, kF32, kF32, kF64, kS8,  kS16, kS32,
                              kS64, kU8,  kU16, kU32, kU32, kU64};
// Cooperative vectors have no others.
constexpr Component kBeside[] = {kF16, kF32, kS32, kU32, kS8, kU8};
// Components of all invocations of a vector, in most programs.
constexpr uint32_t kMuch = 8192, kMuchIfSmall = 512;

}  // namespace

LongWriter::LongWriter(uint64_t seed, uint32_t lanes_, Features features, Size size_)
    : Writer(seed, lanes_, features, size_) {
    text.need("LongVectorEXT", "SPV_EXT_long_vector");
    subgroups = std::min(1u + pick(2), 128 / lanes_);
    isBeside_ = chance(4);
    usesLiteralCounts_ = !isBeside_ && chance(3);
    if (isSmall && chance(2)) subgroups = 1;
    const bool isMuch = chance(16) && !isSmall;
    const uint32_t much = isSmall ? kMuchIfSmall : kMuch;
    for (uint32_t& count : counts) {
        do count = isBeside_ ? any(kBesideCounts) : any(kCounts);
        while (!isMuch && count * lanes * subgroups > much);
    }
    for (Component& component : components) component = isBeside_ ? any(kBeside) : any(kAll);
    if (isBeside_) text.need("CooperativeVectorNV", "SPV_NV_cooperative_vector");
}

std::string LongWriter::type(const LongType& of) {
    const std::string component = text.type(of.component);
    if (of.count == 0) return component;
    const bool isLiteral = usesLiteralCounts_ && of.count > 1 && !text.isSpecialised(of.count);
    if (isLiteral) return text.global(std::format("OpTypeVector {} {}", component, of.count));
    return text.global(std::format("OpTypeVectorIdEXT {} {}", component, text.size(of.count)));
}

bool LongWriter::isCooperative(const LongType& of) const {
    return isBeside_ && of == LongType{components[0], counts[0]};
}

std::string LongWriter::op(std::string_view opcode, const std::string& resultType,
                           std::initializer_list<std::string> operands) {
    std::string line = std::format("{} {}", opcode, resultType);
    for (const std::string& operand : operands) line += " " + operand;
    return text.value(line);
}

bool LongWriter::add(std::string id, LongType of, double bound) {
    if (bound > info(of.component).limit && of.component != kBool) bound = HUGE_VAL;
    live.push_back({std::move(id), of, bound});
    return true;
}

LongValue LongWriter::take(const LongType& of) {
    std::vector<LongValue> suitable;
    for (const LongValue& value : live)
        if (value.type == of) suitable.push_back(value);
    if (!suitable.empty() && !chance(4)) return suitable[pick(suitable.size())];
    live.push_back(load(of));
    return live.back();
}

// struct { uint; V; V[2]; }, or the vector alone.
LongWriter::Vectors& LongWriter::vectors(const LongType& of, bool isOutput, bool isInStructure) {
    const std::string vector = type(of);
    Vectors& made = vectors_[std::format("{} {} {}", vector, isOutput, isInStructure)];
    if (!made.variable.empty()) return made;
    const uint32_t scalar = info(of.component).bytes, size = scalar * of.count;
    std::string element = vector;
    uint32_t stride = size + scalar * pick(3);
    if (isInStructure) {
        const uint32_t first = std::max(4u, scalar), grain = std::max(4u, scalar);
        const std::string array =
            text.global(std::format("OpTypeArray {} {} ", vector, text.u32(2)));
        text.decorate(std::format("OpDecorate {} ArrayStride {}", array, stride));
        element =
            text.global(std::format("OpTypeStruct {} {} {} ", text.type(kU32), vector, array));
        const uint32_t offsets[] = {0, first, first + stride};
        for (uint32_t m = 0; m < 3; ++m)
            text.decorate(std::format("OpMemberDecorate {} {} Offset {}", element, m, offsets[m]));
        stride = (first + 3 * stride + grain - 1) / grain * grain;
        made.structure = element;
    }
    made.capacity = bufferSize / stride;
    // Runtime arrays of input and output are different types, since their strides may differ.
    made.variable = buffer(element + (isOutput ? " " : ""), stride, kOtherKeys + vectors_.size());
    return made;
}

std::pair<std::string, std::string> LongWriter::inputStructure(const LongType& of) {
    Vectors& in = vectors(of, false, true);
    const std::string at = remainder(add(invocation(), number(pick(7))), in.capacity);
    return {part(in.variable, "StorageBuffer", in.structure, text.u32(0) + " " + at), in.structure};
}

// A pointer to a vector of the input.
std::string LongWriter::inputPlace(const LongType& of) {
    const bool isInStructure = chance(3);
    Vectors& in = vectors(of, false, isInStructure);
    const std::string at = chance(4) ? number(pick(std::min(in.capacity, kNumbers)))
                                     : remainder(add(invocation(), number(pick(7))), in.capacity);
    const std::string element = text.u32(0) + " " + at;
    if (usesUntyped && !isInStructure && chance(2)) {
        const std::string block =
            text.global("OpTypeStruct " + text.global("OpTypeRuntimeArray " + type(of)));
        return op("OpUntypedAccessChainKHR", text.global("OpTypeUntypedPointerKHR StorageBuffer"),
                  {block, in.variable, element});
    }
    if (!isInStructure) return part(in.variable, "StorageBuffer", type(of), element);
    const std::string member = chance(2) ? text.u32(1) : text.u32(2) + " " + index(2);
    if (chance(2)) return part(in.variable, "StorageBuffer", type(of), element + " " + member);
    return part(part(in.variable, "StorageBuffer", in.structure, element), "StorageBuffer",
                type(of), member);
}

LongValue LongWriter::load(const LongType& of) {
    if (of.component == kBool) {
        if (of.count == 0) return {condition(), of, 1};
        const LongType compared{any(components), of.count};
        const LongValue x = load(compared);
        return {op(info(compared.component).isFloat ? "OpFOrdNotEqual" : "OpINotEqual", type(of),
                   {x.id, splat(compared, static_cast<int>(pick(3)))}),
                of, 1};
    }
    if (of.count == 0) {
        if (chance(2)) return {text.constant(of.component, static_cast<int>(pick(4))), of, 3};
        const LongType whole{of.component, anyCount()};
        return {op("OpVectorExtractDynamic", type(of), {load(whole).id, index(whole.count)}), of,
                kLongInput};
    }
    if (isCooperative(of) && chance(2)) {
        const std::string bytes = op(
            "OpIMul", text.type(kU32),
            {remainder(invocation(), 5), text.u32(of.count * info(of.component).bytes / 4 * 16)});
        return {op("OpCooperativeVectorLoadNV", type(of), {inputArray(of.component), bytes}), of,
                kLongInput};
    }
    const uint32_t aligned = info(of.component).bytes << pick(1);
    const std::string operands = chance(4) ? std::format("Aligned {}", aligned) : "";
    return {op("OpLoad", type(of), {inputPlace(of), operands}), of, kLongInput};
}

std::string LongWriter::splat(const LongType& of, int value) {
    const std::string scalar = text.constant(of.component, value);
    if (of.count == 0) return scalar;
    if (value == 0 && chance(2)) return text.global("OpConstantNull " + type(of));
    if (text.isSpecialised(of.count) || of.count > 64 || chance(3)) {
        text.need("ReplicatedCompositesEXT", "SPV_EXT_replicated_composites");
        if (chance(2)) return op("OpCompositeConstructReplicateEXT", type(of), {scalar});
        return text.global(std::format("OpConstantCompositeReplicateEXT {} {}", type(of), scalar));
    }
    std::string parts;
    for (uint32_t c = 0; c < of.count; ++c) parts += " " + scalar;
    if (chance(2)) return text.global("OpConstantComposite " + type(of) + parts);
    return op("OpCompositeConstruct", type(of), {parts});
}

std::string LongWriter::remainder(const std::string& of, uint32_t divisor) {
    return op("OpUMod", text.type(kU32), {of, text.u32(divisor)});
}

std::string LongWriter::index(uint32_t end) {
    if (chance(3)) return text.u32(pick(end));
    if (chance(3)) return number(pick(std::min(end, kNumbers)));
    return remainder(invocation(), end);
}

std::string LongWriter::condition() {
    const std::string left = chance(2) ? invocation() : number(pick(kNumbers));
    return op("OpULessThan", boolean(), {left, number(1 + pick(kNumbers - 1))});
}

std::string LongWriter::part(const std::string& variable, const char* storage,
                             const std::string& of, const std::string& indices) {
    const std::string pointer = text.global(std::format("OpTypePointer {} {}", storage, of));
    return op(chance(2) ? "OpAccessChain" : "OpInBoundsAccessChain", pointer, {variable, indices});
}

// Each invocation has a place for its vector, or one of them writes.
void LongWriter::store(const LongValue& value) {
    const LongType& of = value.type;
    if (of.component == kBool || of.count == 0) {
        const LongType stored{of.component == kBool ? kU32 : of.component, std::max(of.count, 1u)};
        LongValue made{value.id, stored, value.bound};
        if (of.component == kBool)
            made.id = op("OpSelect", type({kU32, of.count}),
                         {value.id, splat({kU32, of.count}, 1), splat({kU32, of.count}, 0)});
        if (of.count == 0) made.id = op("OpCompositeConstruct", type(stored), {made.id});
        return storeAll(made);
    }
    storeAll(value);
}

void LongWriter::storeAll(const LongValue& value) {
    Vectors& out = vectors(value.type, true, false);
    const uint32_t all = lanes * subgroups;
    const bool isForAll = out.used + all <= out.capacity;
    if (out.used + (isForAll ? all : 1) > out.capacity) return;
    const std::string merge = text.fresh();
    if (!isForAll) {
        const std::string yes = text.fresh();
        const std::string isIt = op("OpIEqual", boolean(), {invocation(), text.u32(pick(all))});
        text.line(std::format("OpSelectionMerge {} None", merge));
        text.line(std::format("OpBranchConditional {} {} {}", isIt, yes, merge));
        text.label(yes);
    }
    const std::string at = isForAll ? add(invocation(), text.u32(out.used)) : text.u32(out.used);
    const std::string place =
        part(out.variable, "StorageBuffer", type(value.type), text.u32(0) + " " + at);
    if (chance(6)) {
        const std::string variable = local(type(value.type));
        text.line(std::format("OpStore {} {}", variable, value.id));
        text.line(std::format("OpCopyMemory {} {}", place, variable));
    } else {
        text.line(std::format("OpStore {} {}", place, value.id));
    }
    out.used += isForAll ? all : 1;
    if (isForAll) return;
    text.line("OpBranch " + merge);
    text.label(merge);
}

void LongWriter::statements(uint32_t most) {
    const std::span<const LongStatement> kinds[] = {
        longArithmetic(), longFunctions(), longChoices(),   longConversions(),
        longParts(),      longParts(),     longMemory(),    longControl(),
        longControl(),    longGroups(),    longStructures()};
    for (uint32_t made = 0, tries = 0; made < most && tries < 4 * most; ++tries)
        made += any(any(kinds))(*this) ? 1 : 0;
}

Program LongWriter::program() {
    statements(statementCount(10));
    // The newest values follow from most of the others.
    for (size_t i = live.size(), stored = 0; i-- > 0 && stored < mostStored(); ++stored)
        store(live[i]);
    return finish(lanes * subgroups);
}

Program longProgram(uint64_t seed, uint32_t lanes, Features features, Size size) {
    return LongWriter(seed, lanes, features, size).program();
}

}  // namespace coopvk::programs
