// SPDX-License-Identifier: Apache-2.0
#include "subgroups/uniformity.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/effects.hpp"
#include "ir/entry_point.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "subgroups/lower.hpp"

namespace coopvk::rewrite {

namespace {

bool isSameInWorkgroup(spv::BuiltIn builtIn) {
    using enum spv::BuiltIn;
    return isOneOf(builtIn, {NumWorkgroups, WorkgroupSize, WorkgroupId, SubgroupSize, NumSubgroups,
                             DeviceIndex});
}

// Those of a ballot's value alone, which no other invocation takes part in.
bool countsBallot(const Instruction& i) {
    return isOneOf(i.opcode, {OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB,
                              OpGroupNonUniformBallotBitExtract}) ||
           (i.opcode == OpGroupNonUniformBallotBitCount &&
            i.word(1) == static_cast<uint32_t>(spv::GroupOperation::Reduce));
}

bool isMatrixType(spv::Op opcode) {
    return isOneOf(
        opcode, {OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV, OpTypeCooperativeVectorNV});
}

// Whether an instruction orders memory of other workgroups, so that invocations may see what these
// wrote at different times without a race.
bool ordersMemory(const Module& module, const Instruction& i) {
    constexpr auto kOrders = static_cast<uint64_t>(
        spv::MemorySemanticsMask::Acquire | spv::MemorySemanticsMask::Release |
        spv::MemorySemanticsMask::AcquireRelease |
        spv::MemorySemanticsMask::SequentiallyConsistent);
    if (!isAtomic(i.opcode) && i.opcode != OpMemoryBarrier) return false;
    const size_t at = isAtomic(i.opcode) ? 1 : 0;
    const auto scope = static_cast<spv::Scope>(module.constantValue(i.word(at)).value_or(0));
    const bool isInside =
        isOneOf(scope, {spv::Scope::Workgroup, spv::Scope::Subgroup, spv::Scope::Invocation});
    return !isInside && (module.constantValue(i.word(at + 1)).value_or(kOrders) & kOrders) != 0;
}

}  // namespace

Uniformity::Known::Known(const Function& function)
    : graph(function),
      meets(meetingPlaces(function, graph)),
      runs(function.blocks.size(), false),
      apart(function.blocks.size(), false),
      isDivided(function.blocks.size(), false) {}

Uniformity::Uniformity(const Module& module, uint32_t lanes)
    : module_(module),
      lanes_(lanes),
      isOneSubgroup_(subgroupsOf(module, lanes) == 1),
      functions_(module) {
    module.visitBlocks([&](const Instruction& i) { isMemorySteady_ &= !ordersMemory(module, i); });
    for (const auto& function : module.functions()) {
        auto known = std::make_unique<Known>(*function);
        findBlocksThatRun(*function, *known);
        known_.emplace(function->id(), std::move(known));
    }
    module.visitBlocks([&](const Instruction& i) { callElsewhere(i); });
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpVariable && storageOf(*i) == spv::StorageClass::Input &&
            inputVaries(i->result)) {
            vary(i->result);
        }
    }
    do {
        changed_ = false;
        for (const auto& function : module.functions()) visit(*function);
    } while (changed_);
}

// Functions that an instruction calls for each element of a matrix: lanes may have different
// numbers of them. Debug information only names functions.
void Uniformity::callElsewhere(const Instruction& i) {
    if (i.opcode == OpFunctionCall || i.opcode == OpExtInst) return;
    for (const Operand& o : i.operands) {
        const Function* callee = o.isId ? functions_.find(o.word) : nullptr;
        if (callee != nullptr) known_.at(callee->id())->isCalledApart = true;
    }
}

bool Uniformity::isTogether(const Function& function, size_t block) const {
    const Known& known = *known_.at(function.id());
    return !known.runs[block] || (!known.isCalledApart && !known.apart[block]);
}

// Of the sizes of subgroups, and what comes of them: programs choose code by these.
std::optional<Scalar> Uniformity::knownValue(Id id, uint32_t depth) const {
    constexpr uint32_t kDeepest = 8;
    const Instruction& i = module_.def(id);
    const Instruction& type = module_.def(i.type);
    const uint32_t width = type.opcode == OpTypeBool ? 1 : type.word(0);
    if (depth > kDeepest || !isOneOf(type.opcode, {OpTypeBool, OpTypeInt})) return std::nullopt;
    if (i.opcode == OpConstantTrue || i.opcode == OpConstantFalse)
        return Scalar{i.opcode == OpConstantTrue, width};
    if (const auto value = module_.constantValue(id)) return Scalar{*value, width};
    if (i.opcode == OpLoad) {
        const auto builtIn = module_.decoration(i.word(0), spv::Decoration::BuiltIn);
        if (builtIn == static_cast<uint32_t>(spv::BuiltIn::SubgroupSize))
            return Scalar{lanes_, width};
        if (builtIn == static_cast<uint32_t>(spv::BuiltIn::NumSubgroups))
            return Scalar{subgroupsOf(module_, lanes_), width};
        return std::nullopt;
    }
    if (i.operands.size() != 2 || !i.operands[0].isId || !i.operands[1].isId) return std::nullopt;
    const auto a = knownValue(i.word(0), depth + 1), b = knownValue(i.word(1), depth + 1);
    const auto value = a && b ? evaluate(i.opcode, *a, *b) : std::nullopt;
    return value ? std::optional(Scalar{*value, width}) : std::nullopt;
}

// Not those behind a condition that is known to be otherwise.
void Uniformity::findBlocksThatRun(const Function& function, Known& known) const {
    std::vector<size_t> pending = {0};
    while (!pending.empty() && !function.blocks.empty()) {
        const size_t block = pending.back();
        pending.pop_back();
        if (known.runs[block]) continue;
        known.runs[block] = true;
        const InstructionList& body = function.blocks[block]->body;
        const bool isFork = !body.empty() && body.back()->opcode == OpBranchConditional;
        const auto condition = isFork ? knownValue(body.back()->word(0)) : std::nullopt;
        if (condition) {
            const bool isTrue = (condition->bits & 1) != 0;
            if (const auto next = known.graph.number(body.back()->word(isTrue ? 1 : 2)))
                pending.push_back(*next);
            continue;
        }
        for (const size_t next : known.graph.successors(block)) pending.push_back(next);
    }
}

bool Uniformity::inputVaries(Id variable) const {
    const auto builtIn = module_.decoration(variable, spv::Decoration::BuiltIn);
    if (!builtIn) return true;
    const auto which = static_cast<spv::BuiltIn>(*builtIn);
    return !isSameInWorkgroup(which) && !(isOneSubgroup_ && which == spv::BuiltIn::SubgroupId);
}

// Invocations part at the end of a block, and meet where all ways from it lead. Also behind blocks
// where others are apart already: they may have met before.
void Uniformity::divide(Known& known, size_t block) {
    if (known.isDivided[block]) return;
    known.isDivided[block] = true;
    for (const size_t next : blocksBetween(known.graph, block, known.meets[block])) {
        changed_ |= !known.apart[next];
        known.apart[next] = true;
    }
}

void Uniformity::visit(const Function& function) {
    Known& known = *known_.at(function.id());
    for (size_t block = 0; block < function.blocks.size(); ++block) {
        if (known.runs[block])
            visitBlock(function, block, known.isCalledApart || known.apart[block]);
    }
}

void Uniformity::visitBlock(const Function& function, size_t block, bool isApart) {
    Known& known = *known_.at(function.id());
    for (const InstructionPtr& i : function.blocks[block]->body) {
        visitInstruction(known, *i, isApart);
    }
    if (function.blocks[block]->body.empty()) return;
    const Instruction& end = *function.blocks[block]->body.back();
    const bool isBranch =
        isOneOf(end.opcode, {OpBranchConditional, OpSwitch}) && !knownValue(end.word(0));
    // Where they are apart already, they may come at different times to what is equal in each.
    if (isBranch && (isApart || varies(end.word(0)))) divide(known, block);
}

void Uniformity::visitInstruction(Known& known, const Instruction& i, bool isApart) {
    if (i.opcode == OpFunctionCall) return visitCall(i, isApart);
    if (i.opcode == OpReturnValue && (isApart || varies(i.word(0)))) {
        changed_ |= !std::exchange(known.resultVaries, true);
    }
    visitWrites(i, isApart);
    // What a variable holds is what is written to it.
    if (i.result == 0 || i.opcode == OpVariable) return;
    if (isApart || resultVaries(known, i)) vary(i.result);
}

void Uniformity::visitCall(const Instruction& call, bool isApart) {
    const Function* callee = functions_.find(call.word(0));
    if (callee == nullptr) return vary(call.result);
    Known& known = *known_.at(callee->id());
    if (isApart) changed_ |= !std::exchange(known.isCalledApart, true);
    for (size_t p = 0; p < callee->parameters.size(); ++p) {
        const Id argument = call.word(p + 1), parameter = callee->parameters[p]->result;
        const bool isPointer = isPointerType(module_.def(callee->parameters[p]->type).opcode);
        const bool isVariable = isPointer && isPrivate(module_.storage(argument));
        const Id root = isVariable ? rootOf(module_, argument) : argument;
        if (varies(argument) || varies(root)) vary(parameter);
        // The callee may have written what varies.
        if (isVariable && varies(parameter)) vary(root);
    }
    if (isApart || known.resultVaries) vary(call.result);
}

// Variables of the invocation: stores to them, and all else that takes pointers to them.
void Uniformity::visitWrites(const Instruction& i, bool isApart) {
    if (i.opcode == OpLoad || i.opcode == OpCopyObject || isAccessChain(i.opcode)) return;
    if (isNonSemantic(module_, i)) return;  // debug information
    for (const Operand& o : i.operands) {
        if (!o.isId || !isPointerType(module_.def(module_.def(o.word).type).opcode) ||
            !isPrivate(module_.storage(o.word))) {
            continue;
        }
        const bool isStore = i.opcode == OpStore && o.word == i.word(0);
        if (isStore && !isApart && !varies(i.word(1)) && !varies(i.word(0))) continue;
        vary(rootOf(module_, o.word));
    }
}

bool Uniformity::anyVaries(const Instruction& i) const {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && varies(o.word); });
}

bool Uniformity::phiVaries(const Known& known, const Instruction& phi) const {
    for (size_t at = 0; at + 1 < phi.operands.size(); at += 2) {
        const auto from = known.graph.number(phi.word(at + 1));
        if (from && !known.runs[*from]) continue;
        if (varies(phi.word(at)) || !from || known.apart[*from]) return true;
    }
    return false;
}

bool Uniformity::loadVaries(Id pointer, const Instruction& load) const {
    using enum spv::StorageClass;
    if (varies(pointer) || varies(rootOf(module_, pointer))) return true;
    if (load.opcode == OpLoad && isVolatile(operandsBehind(load, 1))) return true;
    const spv::StorageClass storage = module_.storage(pointer);
    if (isPrivate(storage) || isOneOf(storage, {Input, PushConstant, UniformConstant}))
        return false;
    return !isMemorySteady_ ||
           !isOneOf(storage, {Uniform, StorageBuffer, PhysicalStorageBuffer, Workgroup});
}

bool Uniformity::resultVaries(const Known& known, const Instruction& i) const {
    if (isMatrixType(module_.def(i.type).opcode)) return true;
    if (i.opcode == OpPhi) return phiVaries(known, i);
    if (i.opcode == OpLoad) return loadVaries(i.word(0), i);
    if (givesAllLanesOneValue(i)) return !isOneSubgroup_;
    if (countsBallot(i)) return anyVaries(i);
    constexpr uint32_t kDiffers = kReads | kChanges | kConvergent | kOfLane | kVaries;
    const bool isImageLoad = isOneOf(i.opcode, {OpImageFetch, OpImageSampleExplicitLod});
    const uint32_t effects = ownEffects(module_, i) & (isImageLoad ? ~uint32_t{kReads} : ~0u);
    return (effects & kDiffers) != 0 || anyVaries(i);
}

// Whether the invocations of a workgroup reach each operation on its subgroups together.

namespace {

bool hasSubgroupMatrices(const Module& module) {
    constexpr auto kWorkgroup = static_cast<uint64_t>(spv::Scope::Workgroup);
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        const bool isMatrix =
            isOneOf(i->opcode, {OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV});
        return isMatrix && module.constantValue(i->word(1)) != kWorkgroup;
    });
}

class FlowCheck {
 public:
    FlowCheck(const Module& module, uint32_t lanes)
        : module_(module),
          lanes_(lanes),
          isOneSubgroup_(invocationsOf(module) <= lanes),
          hasMatrices_(hasSubgroupMatrices(module)),
          hasOtherQuads_(module.hasCapability(spv::Capability::ComputeDerivativeGroupQuadsKHR)) {}

    std::optional<Error> run() const {
        bool needs = false;
        module_.visitBlocks([&](const Instruction& i) { needs |= needsAll(i); });
        if (!needs) return std::nullopt;
        const Uniformity uniformity(module_, lanes_);
        for (const auto& function : module_.functions()) {
            for (size_t block = 0; block < function->blocks.size(); ++block) {
                const bool isTogether = uniformity.isTogether(*function, block);
                for (const InstructionPtr& i : function->blocks[block]->body) {
                    if (auto error = check(*i, isTogether)) return error;
                }
            }
        }
        return std::nullopt;
    }

 private:
    bool needsAll(const Instruction& i) const {
        if (isSubgroupOperation(i.opcode)) return true;
        if (isOneSubgroup_) return false;
        return isSubgroupBarrier(module_, i) || (hasMatrices_ && usesWholeMatrix(i.opcode));
    }

    std::optional<Error> check(const Instruction& i, bool isTogether) const {
        if (!needsAll(i)) return std::nullopt;
        const auto refuse = [&](std::string_view why) {
            return errorAt(
                ErrorCode::kUnsupported, i,
                std::format("the device has no subgroups of {} lanes, and {}", lanes_, why));
        };
        const bool isLowered = !isSubgroupOperation(i.opcode) || hasSubgroupLowering(i.opcode);
        if (!isLowered || isPartitioned(i)) return refuse("this operation is not emulated");
        if (hasOtherQuads_ && isOfQuads(i.opcode))
            return refuse("quads lie in two dimensions (DerivativeGroupQuadsKHR)");
        if (!isTogether) {
            return refuse(
                "nothing shows that all invocations of a workgroup reach it together, as the "
                "emulation needs it");
        }
        return std::nullopt;
    }

    bool isPartitioned(const Instruction& i) const {
        return SubgroupFunctions::combines(i.opcode) &&
               i.word(1) > static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce);
    }

    static bool isOfQuads(spv::Op opcode) {
        return isOneOf(opcode, {OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap,
                                OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR});
    }

    const Module& module_;
    const uint32_t lanes_;
    const bool isOneSubgroup_;
    const bool hasMatrices_;
    const bool hasOtherQuads_;
};

}  // namespace

std::optional<Error> checkSubgroupFlow(const Module& module, uint32_t lanes) {
    return FlowCheck(module, lanes).run();
}

}  // namespace coopvk::rewrite
