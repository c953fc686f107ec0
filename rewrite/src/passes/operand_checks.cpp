// SPDX-License-Identifier: Apache-2.0
//
// Instructions on matrices and vectors of many components that no lowering could take: refused
// once, for all of them.
#include "ir/blocks.hpp"
#include "ir/component_kinds.hpp"
#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool isReplicated(spv::Op opcode) {
    return isOneOf(opcode, {OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT,
                            OpCompositeConstructReplicateEXT});
}

bool isConstant(spv::Op opcode) {
    return isOneOf(opcode, {OpConstantComposite, OpSpecConstantComposite});
}

bool isMatrix(spv::Op type) {
    return type == OpTypeCooperativeMatrixKHR || type == OpTypeCooperativeMatrixNV;
}

bool areComponents(const Module& module, const Instruction& composite, Id component) {
    return std::ranges::all_of(
        composite.operands, [&](const Operand& o) { return module.def(o.word).type == component; });
}

// Why a composite cannot have these constituents; empty if it can. Vectors may be constructed of
// vectors, so their number is not known here.
std::string_view problemOf(const Module& module, const Instruction& composite) {
    const spv::Op opcode = module.def(composite.type).opcode;
    const bool isOne = isMatrix(opcode) || isReplicated(composite.opcode);
    if (isMatrix(opcode) &&
        !areComponents(module, composite, componentOf(module, composite.type))) {
        return "takes one constituent, a scalar of the component type";
    }
    if (isOne) {
        return composite.operands.size() == 1
                   ? ""
                   : "takes one constituent, a scalar of the component type";
    }
    const bool isVector = opcode == OpTypeVector || opcode == OpTypeCooperativeVectorNV;
    if (isVector && !isConstant(composite.opcode)) return {};
    const std::optional<uint64_t> count = memberCount(module, composite.type);
    return !count || *count == composite.operands.size()
               ? ""
               : "the constituents are not as many as its type has";
}

bool takesItself(const Module& module, const Instruction& i) {
    const auto isResult = [&](const Operand& o) { return o.isId && o.word == i.result; };
    return i.result != 0 && i.opcode != OpPhi && std::ranges::any_of(i.operands, isResult) &&
           !isNonSemantic(module, i);
}

// A value that is computed from itself, where the code is executed at all.
std::optional<Error> checkOrder(const Module& module, const Function& function) {
    std::optional<BlockGraph> graph;
    std::optional<Dominators> dominators;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        for (const InstructionPtr& i : function.blocks[b]->body) {
            if (!takesItself(module, *i)) continue;
            if (!graph) dominators.emplace(function, graph.emplace(function));
            if (!dominators->dominates(0, b)) break;
            return errorAt(ErrorCode::kInvalidModule, *i, "an operand is the result itself");
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> checkOperands(const Module& module) {
    std::unordered_set<Id> lowered;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (hasManyComponents(module, i->result)) lowered.insert(i->result);
    }
    if (lowered.empty()) return std::nullopt;
    lowered = typesWith(module, std::move(lowered));
    std::optional<Error> error;
    const auto check = [&](const Instruction& i) {
        if (error) return;
        const bool isComposite =
            isConstant(i.opcode) || isReplicated(i.opcode) || i.opcode == OpCompositeConstruct;
        const std::string_view problem = !isComposite               ? kindProblem(module, i)
                                         : lowered.contains(i.type) ? problemOf(module, i)
                                                                    : std::string_view();
        if (!problem.empty()) error = errorAt(ErrorCode::kInvalidModule, i, problem);
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) check(*i);
    module.visitBlocks(check);
    for (const auto& function : module.functions()) {
        if (!error) error = checkOrder(module, *function);
    }
    return error;
}

}  // namespace coopvk::rewrite
