// SPDX-License-Identifier: Apache-2.0
#include "assumptions.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "coopvk_reference/stages.hpp"
#include "coopvk_reference/symbols.hpp"

namespace coopvk::check {
namespace {

using spv::Op;

struct AssumptionRow {
    uint32_t assumption;
    std::string_view text;
};
constexpr AssumptionRow kAssumptions[] = {
    {reference::kOpenSums, "sums that only products read are open"},
    {reference::kZeroSigns, "zero sums have either sign"},
    {reference::kNanBits, "a NaN is each NaN"},
    {reference::kNanSigns, "a NaN has the sign of the NaN from which it comes"},
    {reference::kContractions, "products and sums are contracted"},
    {reference::kInRange, "floats are in the range of the integers that they become"},
    {reference::kSameFunctions, "an instruction gives equal results of equal operands"},
    {kLanesInOrder, "invocations are lanes in their order"},
    {kElementLayout, "matrices have this layout of elements"},
    {kBindingsApart, "descriptors share no memory, although they may"},
    {kMadeUpValues, "uniform buffers and push constants have made-up values"},
    {kLanesMeet, "lanes that part meet at merge blocks"},
    {kOptimalLayouts, "optimal layouts are those of the reference device"},
    {kVolatileMemory, "Volatile memory changes by accesses alone"},
    {kDeviceNeeds, "the device has all that the module needs"},
    {kRestrictPointers, "Restrict and Aliased pointers are those of the original"},
    {kKnownAddresses, "addresses in memory are as they are"},
    {kSharedOutputs,
     "outputs that invocations share have no races, and are set up before they are written"},
    {kThisDispatch, "sizes, workgroups and specialization constants are those of this dispatch"},
    {kAlignedDescriptors,
     "descriptors and variables start where matrices, vectors and aligned accesses may"},
    {kOneEntryPoint, "of the entry points, only this one is proved"},
    {kInArrays, "pointers that are moved stay in their arrays"},
    {kFlushedDenorms, "denormals are flushed where the reference device flushes them"},
    {kPackedHalves, "packHalf2x16() rounds to the nearest"},
    {kPlainBarriers, "control barriers acquire what memory barriers before them released"},
    {kRestsOfWords, "the rest of a word that is stored in part changes by this dispatch alone"},
};

constexpr Op kMatrices[] = {Op::OpTypeCooperativeMatrixKHR, Op::OpTypeCooperativeMatrixNV};
constexpr Op kChains[] = {Op::OpAccessChain, Op::OpInBoundsAccessChain, Op::OpPtrAccessChain,
                          Op::OpInBoundsPtrAccessChain};

// First and last of instructions that give the same for each invocation that executes them, and
// change nothing. OpLoad and OpStore are apart.
struct OpcodeRange {
    Op first, last;
};
constexpr OpcodeRange kPure[] = {
    {Op::OpNop, Op::OpMemberName},
    {Op::OpString, Op::OpLine},
    {Op::OpNoLine, Op::OpNoLine},
    {Op::OpExtInst, Op::OpExtInst},
    {Op::OpFunction, Op::OpVariable},
    {Op::OpAccessChain, Op::OpInBoundsPtrAccessChain},
    {Op::OpVectorExtractDynamic, Op::OpTranspose},
    {Op::OpConvertFToU, Op::OpBitcast},
    {Op::OpSNegate, Op::OpSMulExtended},
    {Op::OpAny, Op::OpBitCount},
    {Op::OpPhi, Op::OpBranchConditional},
    {Op::OpSwitch, Op::OpSwitch},
    {Op::OpReturn, Op::OpReturnValue},
    {Op::OpCopyLogical, Op::OpPtrDiff},
    {Op::OpSDot, Op::OpSUDotAccSat},
};
// Instructions that call functions for elements.
constexpr Op kCallers[] = {Op::OpCooperativeMatrixPerElementOpNV, Op::OpCooperativeMatrixReduceNV,
                           Op::OpCooperativeMatrixLoadTensorNV};

bool isOneOf(Op opcode, std::span<const Op> of) {
    return std::ranges::find(of, opcode) != of.end();
}

bool isOfInvocations(spv::BuiltIn builtIn) {
    return builtIn == spv::BuiltIn::LocalInvocationId ||
           builtIn == spv::BuiltIn::LocalInvocationIndex ||
           builtIn == spv::BuiltIn::GlobalInvocationId;
}

bool isOfLanes(spv::Capability capability) {
    using enum spv::Capability;
    constexpr spv::Capability kOfLanes[] = {
        GroupNonUniform,           GroupNonUniformVote,
        GroupNonUniformArithmetic, GroupNonUniformBallot,
        GroupNonUniformShuffle,    GroupNonUniformShuffleRelative,
        GroupNonUniformClustered,  GroupNonUniformQuad,
        GroupNonUniformRotateKHR,  GroupNonUniformPartitionedNV,
        SubgroupBallotKHR,         SubgroupVoteKHR,
        CooperativeMatrixKHR,      CooperativeMatrixNV};
    return std::ranges::find(kOfLanes, capability) != std::end(kOfLanes);
}

// Whether an index of the instruction selects an element of a matrix.
bool namesElement(const Module& module, const Instruction& i) {
    size_t base = 3;
    if (i.opcode == Op::OpCompositeInsert) base = 4;
    const bool isChain = isOneOf(i.opcode, kChains);
    if (!isChain && base == 3 && i.opcode != Op::OpCompositeExtract) return false;
    uint32_t type = module.typeOf(i[base]);
    if (isChain) type = module.definition(type)[3];
    const bool hasElement =
        i.opcode == Op::OpPtrAccessChain || i.opcode == Op::OpInBoundsPtrAccessChain;
    for (size_t n = base + 1 + hasElement; n < i.words.size(); ++n) {
        const Instruction& of = module.definition(type);
        if (isOneOf(of.opcode, kMatrices)) return true;
        const uint32_t member = isChain ? uint32_t(module.constant(i[n]).value_or(0)) : i[n];
        type = of.opcode == Op::OpTypeStruct ? of[2 + member] : of[2];
    }
    return false;
}

// Buffers: each descriptor is a variable or a part of one.
bool isBuffer(const Instruction& i) {
    if (i.opcode != Op::OpVariable && i.opcode != Op::OpUntypedVariableKHR) return false;
    const auto storage = static_cast<spv::StorageClass>(i[3]);
    return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
           storage == spv::StorageClass::UniformConstant;
}

// Whether invocations know both their numbers in the workgroup and their lanes. Vulkan does not say
// which invocation is which lane.
bool knowsLanes(const Module& module) {
    bool knowsInvocations = false, hasLanes = false;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpDecorate &&
            static_cast<spv::Decoration>(i[2]) == spv::Decoration::BuiltIn)
            knowsInvocations |= isOfInvocations(static_cast<spv::BuiltIn>(i[3]));
        if (i.opcode == Op::OpCapability) hasLanes |= isOfLanes(static_cast<spv::Capability>(i[1]));
    }
    return knowsInvocations && hasLanes;
}

bool isAtomic(Op opcode) {
    return (opcode >= Op::OpAtomicLoad && opcode <= Op::OpAtomicXor) ||
           opcode == Op::OpAtomicFAddEXT || opcode == Op::OpAtomicFMinEXT ||
           opcode == Op::OpAtomicFMaxEXT;
}

// Whether it has another result if another invocation executes it, or if it is executed again.
bool dependsOnCaller(const Module& module, const Instruction& i) {
    const auto storageOf = [&](uint32_t pointer) {
        return static_cast<spv::StorageClass>(module.definition(module.typeOf(pointer))[2]);
    };
    const auto isOfCaller = [&](uint32_t pointer) {
        const auto storage = storageOf(pointer);
        return storage == spv::StorageClass::Input || storage == spv::StorageClass::Private ||
               storage == spv::StorageClass::Workgroup;
    };
    const bool copies = i.opcode == Op::OpCopyMemory || i.opcode == Op::OpCopyMemorySized;
    if (copies && isOfCaller(i[2])) return true;
    if (copies || i.opcode == Op::OpStore) return storageOf(i[1]) != spv::StorageClass::Function;
    if (i.opcode == Op::OpLoad) return isOfCaller(i[3]);
    return std::ranges::none_of(kPure, [&](const OpcodeRange& range) {
        return i.opcode >= range.first && i.opcode <= range.last;
    });
}

bool isConstant(const Module& module, uint32_t id) {
    const Op opcode = module.definition(id).opcode;
    return opcode >= Op::OpConstantTrue && opcode <= Op::OpSpecConstantOp;
}

// Whether a function that an instruction on matrices calls for elements tells by whom, or how often
// it is called: lanes and orders of calls are the device's.
bool hasElementFunction(const Module& module) {
    std::map<uint32_t, std::vector<uint32_t>> calls;
    std::set<uint32_t> depends;
    std::vector<uint32_t> open;
    uint32_t function = 0;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpFunction) function = i[2];
        if (function != 0 && dependsOnCaller(module, i)) depends.insert(function);
        if (i.opcode == Op::OpFunctionCall) calls[function].push_back(i[3]);
        if (!isOneOf(i.opcode, kCallers)) continue;
        for (size_t n = 3; n < i.words.size(); ++n)
            if (module.definition(i[n]).opcode == Op::OpFunction) open.push_back(i[n]);
        if (i.opcode != Op::OpCooperativeMatrixPerElementOpNV) continue;
        // What it passes on is the calling lane's.
        for (size_t n = 5; n < i.words.size(); ++n)
            if (!isConstant(module, i[n])) return true;
    }
    std::set<uint32_t> seen;
    while (!open.empty()) {
        const uint32_t one = open.back();
        open.pop_back();
        if (depends.contains(one)) return true;
        if (seen.insert(one).second) open.insert(open.end(), calls[one].begin(), calls[one].end());
    }
    return false;
}

// Whether a module names elements of matrices by their numbers in a lane, or asks how many a lane
// holds. SPV_KHR_cooperative_matrix leaves both to the device.
bool knowsLayout(const Module& module) {
    const auto isOfLayout = [&](const Instruction& i) {
        const Op opcode = i.opcode == Op::OpSpecConstantOp ? static_cast<Op>(i[3]) : i.opcode;
        return opcode == Op::OpCooperativeMatrixLengthKHR ||
               opcode == Op::OpCooperativeMatrixLengthNV ||
               opcode == Op::OpCooperativeMatrixGetCoordinateEXT || namesElement(module, i);
    };
    return std::ranges::any_of(module.instructions(), isOfLayout) || hasElementFunction(module);
}

// Whether two descriptors may be the same memory: two bindings that are Aliased, or two elements of
// an array, of which SPIR-V, "Aliasing", says nothing.
bool mayShareMemory(const Module& module) {
    size_t aliased = 0;
    for (const Instruction& i : module.instructions()) {
        if (!isBuffer(i)) continue;
        const Op type = module.definition(module.definition(i[1])[3]).opcode;
        if (type == Op::OpTypeArray || type == Op::OpTypeRuntimeArray) return true;
        aliased += module.decoration(i[2], spv::Decoration::Aliased).has_value();
    }
    return aliased > 1;
}

// Whether variables or pointers are declared to be the only ones to their memory, or not to be; or
// parameters are pointers, which are the only ones where nothing says otherwise.
bool hasPointersApart(const Module& module) {
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        if (i.opcode == Op::OpFunctionParameter &&
            module.definition(i[1]).opcode == Op::OpTypePointer)
            return true;
        const auto decoration = static_cast<spv::Decoration>(i.words.size() > 2 ? i[2] : 0);
        constexpr spv::Decoration kApart[] = {
            spv::Decoration::Restrict, spv::Decoration::RestrictPointer, spv::Decoration::Aliased,
            spv::Decoration::AliasedPointer};
        return i.opcode == Op::OpDecorate &&
               std::ranges::find(kApart, decoration) != std::end(kApart);
    });
}

// SPIR-V, OpPtrAccessChain: "behavior is undefined when B + E is not an element in the same array",
// and OpPtrDiff.
bool movesPointers(const Module& module) {
    constexpr Op kMoves[] = {Op::OpPtrAccessChain, Op::OpInBoundsPtrAccessChain, Op::OpPtrDiff};
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        if (!isOneOf(i.opcode, kMoves)) return false;
        const auto storage =
            static_cast<spv::StorageClass>(module.definition(module.typeOf(i[3]))[2]);
        return storage != spv::StorageClass::PhysicalStorageBuffer;
    });
}

bool flushesDenorms(const Module& module) {
    return std::ranges::any_of(module.instructions(), [](const Instruction& i) {
        return i.opcode == Op::OpExecutionMode &&
               static_cast<spv::ExecutionMode>(i[2]) == spv::ExecutionMode::DenormFlushToZero;
    });
}

bool packsHalves(const Module& module) {
    return std::ranges::any_of(module.instructions(), [](const Instruction& i) {
        return i.opcode == Op::OpExtInst && i[4] == GLSLstd450PackHalf2x16;
    });
}

// GLSL's barrier() acquires nothing of what memoryBarrierBuffer() released.
bool hasPlainBarriers(const Module& module) {
    bool hasFence = false, hasControl = false, isVulkan = false;
    for (const Instruction& i : module.instructions()) {
        hasFence |= i.opcode == Op::OpMemoryBarrier;
        hasControl |= i.opcode == Op::OpControlBarrier;
        isVulkan |= i.opcode == Op::OpMemoryModel &&
                    static_cast<spv::MemoryModel>(i[2]) == spv::MemoryModel::Vulkan;
    }
    return hasFence && hasControl && !isVulkan;
}

// Whether it asks for what another dispatch may have otherwise.
bool knowsDispatch(const Module& module) {
    constexpr Op kAsks[] = {Op::OpArrayLength, Op::OpUntypedArrayLengthKHR, Op::OpSpecConstantTrue,
                            Op::OpSpecConstantFalse, Op::OpSpecConstant};
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        const bool isBuiltIn = i.opcode == Op::OpDecorate &&
                               static_cast<spv::Decoration>(i[2]) == spv::Decoration::BuiltIn &&
                               static_cast<spv::BuiltIn>(i[3]) == spv::BuiltIn::NumWorkgroups;
        return isBuiltIn || isOneOf(i.opcode, kAsks);
    });
}

// Where Memory Operands are. Those of copies for the source are behind those for the target.
struct OperandsRow {
    Op opcode;
    size_t operands;  // the word of Memory Operands, if it is there
};
constexpr OperandsRow kMemoryOperands[] = {{Op::OpLoad, 4},
                                           {Op::OpStore, 3},
                                           {Op::OpCopyMemory, 3},
                                           {Op::OpCopyMemorySized, 4},
                                           {Op::OpCooperativeMatrixLoadKHR, 6},
                                           {Op::OpCooperativeMatrixStoreKHR, 5},
                                           {Op::OpCooperativeMatrixLoadNV, 6},
                                           {Op::OpCooperativeMatrixStoreNV, 5},
                                           {Op::OpCooperativeMatrixLoadTensorNV, 6},
                                           {Op::OpCooperativeMatrixStoreTensorNV, 4},
                                           {Op::OpCooperativeVectorLoadNV, 5},
                                           {Op::OpCooperativeVectorStoreNV, 4}};

// Calls f(word) with the place of each of an instruction's Memory Operands.
template <typename F>
void forMemoryOperands(const Instruction& i, F&& f) {
    using Mask = spv::MemoryAccessMask;
    constexpr auto kWithOperand = static_cast<uint32_t>(Mask::Aligned) |
                                  static_cast<uint32_t>(Mask::MakePointerAvailable) |
                                  static_cast<uint32_t>(Mask::MakePointerVisible) |
                                  static_cast<uint32_t>(Mask::AliasScopeINTELMask) |
                                  static_cast<uint32_t>(Mask::NoAliasINTELMask);
    const auto* row = std::ranges::find(kMemoryOperands, i.opcode, &OperandsRow::opcode);
    if (row == std::end(kMemoryOperands)) return;
    const bool isCopy = i.opcode == Op::OpCopyMemory || i.opcode == Op::OpCopyMemorySized;
    for (size_t at = row->operands; at < i.words.size() && (isCopy || at == row->operands);
         at += 1 + size_t(std::popcount(i[at] & kWithOperand)))
        f(at);
}

// Whether an access says that memory is Volatile: by its decoration, memory operands or semantics.
bool hasVolatileAccess(const Module& module) {
    constexpr auto kVolatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);
    constexpr auto kSemantics = static_cast<uint32_t>(spv::MemorySemanticsMask::Volatile);
    constexpr auto kDecoration = static_cast<uint32_t>(spv::Decoration::Volatile);
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        if (i.opcode == Op::OpDecorate && i[2] == kDecoration) return true;
        if (i.opcode == Op::OpMemberDecorate && i[3] == kDecoration) return true;
        const uint32_t semantics = i.opcode == Op::OpAtomicStore ? i[3] : i[5];
        if (isAtomic(i.opcode) && (module.constant(semantics).value_or(0) & kSemantics) != 0)
            return true;
        bool is = false;
        forMemoryOperands(i, [&](size_t at) { is |= (i[at] & kVolatile) != 0; });
        return is;
    });
}

}  // namespace

uint32_t largestAlignment(const Module& module) {
    constexpr auto kAligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
    uint32_t largest = 0;
    for (const Instruction& i : module.instructions())
        forMemoryOperands(i, [&](size_t at) {
            if ((i[at] & kAligned) != 0) largest = std::max(largest, i[at + 1]);
        });
    return largest;
}

bool hasMatrices(const Module& module) {
    constexpr Op kTypes[] = {Op::OpTypeCooperativeMatrixKHR, Op::OpTypeCooperativeMatrixNV,
                             Op::OpTypeCooperativeVectorNV};
    return std::ranges::any_of(module.instructions(),
                               [&](const Instruction& i) { return isOneOf(i.opcode, kTypes); });
}

uint32_t assumedOf(const Module& module, spv::ExecutionModel stage) {
    const reference::Stage* row = reference::findStage(stage);
    const bool isShared = (row != nullptr && row->sharesOutputs) ||
                          stage == spv::ExecutionModel::TaskEXT;  // what it emits
    return (knowsLanes(module) ? kLanesInOrder : 0) | (knowsLayout(module) ? kElementLayout : 0) |
           (mayShareMemory(module) ? kBindingsApart : 0) |
           (hasPointersApart(module) ? kRestrictPointers : 0) |
           (hasVolatileAccess(module) ? kVolatileMemory : 0) |
           (knowsDispatch(module) ? kThisDispatch : 0) | (movesPointers(module) ? kInArrays : 0) |
           (flushesDenorms(module) ? kFlushedDenorms : 0) |
           (packsHalves(module) ? kPackedHalves : 0) |
           (hasPlainBarriers(module) ? kPlainBarriers : 0) |
           (module.entryPoints().size() > 1 ? kOneEntryPoint : 0) | (isShared ? kSharedOutputs : 0);
}

bool usesLanes(const Module& module) {
    const auto isSubgroup = [&](uint32_t scope) {
        return module.constant(scope) == static_cast<uint32_t>(spv::Scope::Subgroup);
    };
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        if (i.opcode == Op::OpControlBarrier) return isSubgroup(i[1]) || isSubgroup(i[2]);
        if (i.opcode == Op::OpMemoryBarrier) return isSubgroup(i[1]);
        if (isAtomic(i.opcode)) return isSubgroup(i[i.opcode == Op::OpAtomicStore ? 2 : 4]);
        return i.opcode == Op::OpCapability && isOfLanes(static_cast<spv::Capability>(i[1]));
    });
}

std::vector<std::string_view> assumptionsOf(uint32_t assumptions) {
    std::vector<std::string_view> texts;
    for (const AssumptionRow& row : kAssumptions)
        if ((assumptions & row.assumption) != 0) texts.push_back(row.text);
    return texts;
}

}  // namespace coopvk::check
