// SPDX-License-Identifier: Apache-2.0
#include "declarations.hpp"

#include <algorithm>
#include <format>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "assumptions.hpp"
#include "interfaces.hpp"

namespace coopvk::check {
namespace {

using spv::Op;

// Executions and the numbers that they give are compared: these decide of nothing else.
constexpr spv::ExecutionMode kExecuted[] = {
    spv::ExecutionMode::LocalSize,         spv::ExecutionMode::LocalSizeId,
    spv::ExecutionMode::LocalSizeHint,     spv::ExecutionMode::RoundingModeRTE,
    spv::ExecutionMode::RoundingModeRTZ,   spv::ExecutionMode::DenormPreserve,
    spv::ExecutionMode::DenormFlushToZero, spv::ExecutionMode::SignedZeroInfNanPreserve,
    spv::ExecutionMode::FPFastMathDefault,
};
// Of these the rewritten module has each that the original has.
constexpr spv::ExecutionMode kOfFloats[] = {
    spv::ExecutionMode::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTZ,
    spv::ExecutionMode::DenormPreserve, spv::ExecutionMode::DenormFlushToZero};
constexpr spv::ExecutionMode kReconvergence[] = {
    spv::ExecutionMode::MaximallyReconvergesKHR,
    spv::ExecutionMode::SubgroupUniformControlFlowKHR,
};

// They let a module have types and instructions that are executed, and say nothing of others.
constexpr spv::Capability kPlain[] = {
    spv::Capability::Shader,
    spv::Capability::Matrix,
    spv::Capability::Float16,
    spv::Capability::Float64,
    spv::Capability::Int8,
    spv::Capability::Int16,
    spv::Capability::Int64,
    spv::Capability::GroupNonUniform,
    spv::Capability::GroupNonUniformVote,
    spv::Capability::GroupNonUniformArithmetic,
    spv::Capability::GroupNonUniformBallot,
    spv::Capability::GroupNonUniformShuffle,
    spv::Capability::GroupNonUniformShuffleRelative,
    spv::Capability::GroupNonUniformClustered,
    spv::Capability::GroupNonUniformQuad,
    spv::Capability::StorageBuffer16BitAccess,
    spv::Capability::StorageBuffer8BitAccess,
    spv::Capability::UniformAndStorageBuffer16BitAccess,
    spv::Capability::UniformAndStorageBuffer8BitAccess,
    spv::Capability::StoragePushConstant16,
    spv::Capability::StoragePushConstant8,
    spv::Capability::DotProduct,
    spv::Capability::DotProductInputAll,
    spv::Capability::DotProductInput4x8Bit,
    spv::Capability::DotProductInput4x8BitPacked,
    spv::Capability::VariablePointers,
    spv::Capability::VariablePointersStorageBuffer,
    spv::Capability::WorkgroupMemoryExplicitLayoutKHR,
    spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
    spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
    spv::Capability::DenormPreserve,
    spv::Capability::DenormFlushToZero,
    spv::Capability::SignedZeroInfNanPreserve,
    spv::Capability::RoundingModeRTE,
    spv::Capability::RoundingModeRTZ,
    spv::Capability::FloatControls2,
    spv::Capability::CooperativeMatrixKHR,
    spv::Capability::ReplicatedCompositesEXT,
    spv::Capability::BFloat16TypeKHR,
    spv::Capability::BFloat16CooperativeMatrixKHR,
    spv::Capability::UntypedPointersKHR,
};

template <typename T, size_t kCount>
bool isAmong(const T (&list)[kCount], T one) {
    return std::ranges::find(list, one) != std::end(list);
}

// Modes with their literals, by entry point: its stage and its name.
using Modes = std::set<std::vector<uint32_t>>;
std::map<std::string, Modes> modesOf(const Module& module) {
    std::map<std::string, Modes> all;
    std::map<uint32_t, Modes*> byId;
    const std::vector<Module::EntryPoint> points = module.entryPoints();
    size_t next = 0;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpEntryPoint)
            byId[i[2]] = &all[std::format("{} {}", i[1], points[next++].name)];
        if (i.opcode != Op::OpExecutionMode && i.opcode != Op::OpExecutionModeId) continue;
        const auto found = byId.find(i[1]);
        const auto mode = static_cast<spv::ExecutionMode>(i[2]);
        if (found == byId.end() || (isAmong(kExecuted, mode) && !isAmong(kOfFloats, mode)))
            continue;
        found->second->insert({i.words.begin() + 2, i.words.end()});
    }
    return all;
}

// The rewritten module may ask lanes to reconverge.
std::string otherMode(const Module& original, const Module& rewritten) {
    const auto nameOf = [](const std::vector<uint32_t>& mode) {
        return spv::ExecutionModeToString(static_cast<spv::ExecutionMode>(mode[0]));
    };
    const auto after = modesOf(rewritten);
    for (const auto& [point, before] : modesOf(original)) {
        const auto found = after.find(point);
        if (found == after.end()) continue;
        for (const auto& mode : before)
            if (!found->second.contains(mode))
                return std::format("rewritten: it has no {} as the original has", nameOf(mode));
        for (const auto& mode : found->second)
            if (const auto one = static_cast<spv::ExecutionMode>(mode[0]);
                !before.contains(mode) && !isAmong(kReconvergence, one) && !isAmong(kOfFloats, one))
                return std::format("rewritten: it has {}, which the original has not",
                                   nameOf(mode));
    }
    return {};
}

std::set<uint32_t> capabilitiesOf(const Module& module) {
    std::set<uint32_t> all;
    for (const Instruction& i : module.instructions())
        if (i.opcode == Op::OpCapability) all.insert(i[1]);
    return all;
}
std::string newCapability(const Module& original, const Module& rewritten) {
    const std::set<uint32_t> before = capabilitiesOf(original);
    for (const uint32_t one : capabilitiesOf(rewritten)) {
        const auto capability = static_cast<spv::Capability>(one);
        if (!before.contains(one) && !isAmong(kPlain, capability))
            return std::format("rewritten: it has the capability {}, which the original has not",
                               spv::CapabilityToString(capability));
    }
    return {};
}

std::vector<uint32_t> memoryModelOf(const Module& module) {
    for (const Instruction& i : module.instructions())
        if (i.opcode == Op::OpMemoryModel) return {i.words.begin(), i.words.end()};
    return {};
}

// Executed, in values that have no name in the pipeline. Of shared memory, blocks that are the same
// bytes are Aliased.
bool isExecuted(const Module& module, const Decoration& of) {
    const Instruction& i = module.definition(of.target);
    const bool isShared = i.opcode == Op::OpVariable &&
                          static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Workgroup;
    switch (of.decoration) {
        case spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT:
        case spv::Decoration::CooperativeMatrixTransposeEXT:
        case spv::Decoration::SaturatedConversion:
            return true;
        case spv::Decoration::Uniform:  // a promise: see promisesOf()
        case spv::Decoration::UniformId:
            return true;
        case spv::Decoration::Aliased:
            return isShared;
        case spv::Decoration::BuiltIn:
            return i.opcode != Op::OpVariable && i.opcode != Op::OpTypeStruct;
        default:
            return false;
    }
}

// Decorations of what is no part of the interface, but for those that are accounted for.
std::set<std::string> innerDecorationsOf(const Module& module,
                                         std::span<const Decoration> decorations) {
    std::set<uint32_t> blocks;
    for (const Instruction& i : module.instructions()) {
        if (!isOfInterface(i)) continue;
        uint32_t type = i.opcode == Op::OpVariable ? module.definition(i[1])[3] : i[4];
        for (; module.definition(type).opcode == Op::OpTypeArray ||
               module.definition(type).opcode == Op::OpTypeRuntimeArray;
             type = module.definition(type)[2])
            blocks.insert(type);
        blocks.insert({i[2], type});
    }
    std::set<std::string> names;
    for (const Decoration& one : decorations)
        if (!isModelled(one.decoration) && !isExecuted(module, one) && !blocks.contains(one.target))
            names.insert(one.text());
    return names;
}

// Which pointers are Restrict or Aliased is not compared: see kRestrictPointers.
std::string otherPointer(const std::set<std::string>& before, const std::set<std::string>& after) {
    for (const char* name : {"Coherent", "Volatile"})
        if (before.contains(name) || after.contains(name))
            return std::format("a pointer is {}, which no rule knows", name);
    for (const char* name : {"Restrict", "RestrictPointer"})
        if (after.contains(name) && !before.contains(name))
            return std::format("rewritten: a pointer is {}, and none of the original", name);
    return {};
}

std::string otherDecoration(const Module& original, const Module& rewritten) {
    const auto before = decorationsOf(original), after = decorationsOf(rewritten);
    const std::string other =
        otherInterface(interfacesOf(original, before), interfacesOf(rewritten, after));
    if (!other.empty()) return other;
    const auto innerBefore = innerDecorationsOf(original, before),
               innerAfter = innerDecorationsOf(rewritten, after);
    const auto isPointers = [](const std::string& name) {
        constexpr std::string_view kOfPointers[] = {
            "Aliased", "AliasedPointer", "Restrict", "RestrictPointer", "Coherent", "Volatile"};
        return std::ranges::find(kOfPointers, name) != std::end(kOfPointers);
    };
    for (const std::string& name : innerBefore)
        if (!isPointers(name) && !innerAfter.contains(name))
            return std::format("rewritten: nothing is {}, as it is in the original", name);
    for (const std::string& name : innerAfter)
        if (!isPointers(name) && !innerBefore.contains(name))
            return std::format("rewritten: something is {}, and nothing in the original", name);
    return otherPointer(innerBefore, innerAfter);
}

// Bytes of the pipeline's push constants: first, and behind the last.
std::pair<uint64_t, uint64_t> pushConstantsOf(const Module& module) {
    std::pair<uint64_t, uint64_t> range = {~uint64_t{0}, 0};
    for (const Instruction& i : module.instructions()) {
        if (!isOfInterface(i) ||
            static_cast<spv::StorageClass>(i[3]) != spv::StorageClass::PushConstant)
            continue;
        const uint32_t type = i.opcode == Op::OpVariable ? module.definition(i[1])[3] : i[4];
        const uint64_t size = module.sizeOf(type);
        range.second = std::max(range.second, size);
        module.visit(type, 0, size, [&](const Module::Run& run) {
            range.first = std::min(range.first, run.offset);
        });
    }
    return range;
}

// Of a number, or of each component; nothing: it is not known.
std::vector<std::optional<uint64_t>> componentsOf(const Module& module, uint32_t id) {
    const Instruction& of = module.definition(id);
    if (of.opcode == Op::OpConstantNull) return {0};
    if (of.opcode != Op::OpConstantComposite && of.opcode != Op::OpSpecConstantComposite)
        return {module.constant(id)};
    std::vector<std::optional<uint64_t>> all;
    for (size_t n = 3; n < of.words.size(); ++n)
        for (const auto& one : componentsOf(module, of[n])) all.push_back(one);
    return all;
}

// Operations whose results are certain, whatever their operands are.
constexpr Op kCertain[] = {Op::OpSConvert,
                           Op::OpUConvert,
                           Op::OpSNegate,
                           Op::OpNot,
                           Op::OpIAdd,
                           Op::OpISub,
                           Op::OpIMul,
                           Op::OpBitwiseOr,
                           Op::OpBitwiseXor,
                           Op::OpBitwiseAnd,
                           Op::OpVectorShuffle,
                           Op::OpCompositeExtract,
                           Op::OpCompositeInsert,
                           Op::OpLogicalOr,
                           Op::OpLogicalAnd,
                           Op::OpLogicalNot,
                           Op::OpLogicalEqual,
                           Op::OpLogicalNotEqual,
                           Op::OpSelect,
                           Op::OpIEqual,
                           Op::OpINotEqual,
                           Op::OpULessThan,
                           Op::OpSLessThan,
                           Op::OpUGreaterThan,
                           Op::OpSGreaterThan,
                           Op::OpULessThanEqual,
                           Op::OpSLessThanEqual,
                           Op::OpUGreaterThanEqual,
                           Op::OpSGreaterThanEqual};

// SPIR-V, OpUDiv: "Behavior is undefined if Operand 2 is 0", also where nothing reads the constant,
// and where -1 divides; OpShiftLeftLogical: "Result is undefined if Shift is greater than or equal
// to the bit width"; OpQuantizeToF16: "the result may be either +0 or -0".
bool isOpenConstant(Op opcode, uint64_t width, std::optional<uint64_t> second) {
    const uint64_t ones = width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0};
    switch (opcode) {
        case Op::OpUDiv:
        case Op::OpUMod:
            return !second || (*second & ones) == 0;
        case Op::OpSDiv:
        case Op::OpSRem:
        case Op::OpSMod:
            return !second || (*second & ones) == 0 || (*second & ones) == ones;
        case Op::OpShiftLeftLogical:
        case Op::OpShiftRightLogical:
        case Op::OpShiftRightArithmetic:
            return !second || *second >= width;
        default:
            return !isAmong(kCertain, opcode);
    }
}

uint64_t scalarWidth(const Module& module, uint32_t type) {
    const Instruction* of = &module.definition(type);
    if (of->opcode == Op::OpTypeVector) of = &module.definition((*of)[2]);
    const bool isNumber = of->opcode == Op::OpTypeInt || of->opcode == Op::OpTypeFloat;
    return isNumber ? (*of)[2] : 32;
}

// By opcode and operands.
std::set<std::vector<uint64_t>> openConstants(const Module& module) {
    std::set<std::vector<uint64_t>> all;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != Op::OpSpecConstantOp) continue;
        const uint64_t width = scalarWidth(module, i[1]);
        const auto isOpen = [&](std::optional<uint64_t> second) {
            return isOpenConstant(static_cast<Op>(i[3]), width, second);
        };
        const auto second = componentsOf(module, i[5]);
        if (!std::ranges::any_of(second, isOpen)) continue;
        std::vector<uint64_t> one = {i[3], width};
        for (size_t n = 4; n < i.words.size(); ++n)
            for (const auto& of : componentsOf(module, i[n]))
                one.insert(one.end(), {of.has_value(), of.value_or(0)});
        all.insert(std::move(one));
    }
    return all;
}

}  // namespace

std::string otherDeclaration(const Module& original, const Module& rewritten) {
    std::string other = otherMode(original, rewritten);
    if (other.empty() && memoryModelOf(original) != memoryModelOf(rewritten))
        other = "rewritten: it has another memory model than the original";
    if (other.empty()) other = newCapability(original, rewritten);
    if (other.empty()) other = otherDecoration(original, rewritten);
    if (other.empty() && !std::ranges::includes(openConstants(original), openConstants(rewritten)))
        other = "rewritten: an OpSpecConstantOp has no value, or no certain one";
    if (other.empty() && largestAlignment(rewritten) > std::max(largestAlignment(original), 16u))
        other = std::format("rewritten: an access is Aligned {}, and none of the original",
                            largestAlignment(rewritten));
    const auto [first, end] = pushConstantsOf(rewritten);
    const auto before = pushConstantsOf(original);
    if (other.empty() && (first < before.first || end > before.second) && end != 0)
        other = "rewritten: it has push constants that the original has not";
    return other;
}

}  // namespace coopvk::check
