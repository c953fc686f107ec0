// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/composites.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

Id copyFunction(VectorContext& context, const VectorType& type) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(HelperKind::kCopy), type.id};
    return context.helper(key, [&] {
        const Id pointer = context.types.pointerType(spv::StorageClass::Function, type.id);
        const Id parameters[] = {pointer, pointer};
        VectorFunction f(context, "coopvk_vector_copy", 0, parameters);
        f.loop(type.packs(), [&](Id p) {
            f.store(f.element(f.parameter(0), p), f.load(f.element(f.parameter(1), p)));
        });
        return f.finish();
    });
}

Id repeatedConstituent(VectorContext& context, Id composite, Id type) {
    const Instruction& constant = context.module.def(composite);
    if (constant.opcode == spv::Op::OpConstantNull) return context.types.constantNull(type);
    if (constant.opcode != spv::Op::OpConstantComposite) return 0;
    const bool same = std::ranges::all_of(
        constant.operands, [&](const Operand& o) { return o == constant.operands[0]; });
    return same ? constant.word(0) : 0;
}

Id fillFunction(VectorContext& context, const VectorType& type) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(HelperKind::kFill), type.id};
    return context.helper(key, [&] {
        const Id pointer = context.types.pointerType(spv::StorageClass::Function, type.id);
        const Id parameters[] = {pointer, type.pack};
        VectorFunction f(context, "coopvk_vector_fill", 0, parameters);
        f.loop(type.packs(), [&](Id p) { f.store(f.element(f.parameter(0), p), f.parameter(1)); });
        return f.finish();
    });
}

namespace {

bool names(const Instruction& i, Id id) {
    return std::ranges::find(i.operands, idOperand(id)) != i.operands.end();
}

// Whether an instruction names a variable or a place in it.
bool reaches(const Module& module, const Instruction& i, Id variable) {
    return std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && rootOf(module, operand.word) == variable;
    });
}

// The call of a helper that writes a variable which nothing names but a copy; nullptr where it lies
// in another block, or anything between the two has to do with what it is copied to.
Instruction* onlyWriter(const Module& module, const Block& block, size_t copy,
                        const PointerHelpers& helpers) {
    const Id to = block.body[copy]->word(1);
    const Id from = block.body[copy]->word(2);
    for (size_t i = copy; i-- > 0;) {
        Instruction& before = *block.body[i];
        if (names(before, from)) {
            const auto helper = helpers.find(before.word(0));
            const bool writes = before.opcode == spv::Op::OpFunctionCall &&
                                helper != helpers.end() && helper->second.isResultPointer &&
                                before.word(1) == from;
            return writes && !names(before, to) ? &before : nullptr;
        }
        if (reaches(module, before, to)) return nullptr;
    }
    return nullptr;
}

}  // namespace

void dropUnusedLoads(VectorContext& context, Function& function) {
    const Users users = usersIn(function);
    std::unordered_set<Id> gone;
    for (const auto& block : function.blocks) {
        std::erase_if(block->body, [&](InstructionPtr& i) {
            const bool unused = i->opcode == spv::Op::OpLoad &&
                                context.largeVector(i->type) != nullptr &&
                                i->operands.size() == 1 && !users.contains(i->result);
            if (!unused) return false;
            gone.insert(i->result);
            context.module.retire(std::move(i));
            return true;
        });
    }
    context.module.forget(gone);
}

void forwardCopies(VectorContext& context, Function& function, const PointerHelpers& helpers) {
    std::unordered_set<Id> copyFunctions;
    for (const auto& [id, type] : context.vectors) {
        const auto found = context.helpers.find({static_cast<uint32_t>(HelperKind::kCopy), id});
        if (found != context.helpers.end()) copyFunctions.insert(found->second);
    }
    Users users = usersIn(function);
    for (const auto& block : function.blocks) {
        for (size_t i = 0; i < block->body.size(); ++i) {
            const Instruction& copy = *block->body[i];
            if (copy.opcode != spv::Op::OpFunctionCall || !copyFunctions.contains(copy.word(0)) ||
                users[copy.word(2)].size() != 2) {
                continue;
            }
            Instruction* writer = onlyWriter(context.module, *block, i, helpers);
            if (writer == nullptr) continue;
            writer->operands[1] = copy.operands[1];
            context.module.retire(std::move(block->body[i]));
            block->body.erase(block->body.begin() + static_cast<std::ptrdiff_t>(i--));
        }
    }
    // Variables that nothing names any more.
    users = usersIn(function);
    std::unordered_set<Id> gone;
    std::erase_if(function.blocks.front()->body, [&](InstructionPtr& i) {
        const bool unused = i->opcode == spv::Op::OpVariable && !users.contains(i->result) &&
                            context.vector(context.module.def(i->type).word(1)) != nullptr;
        if (!unused) return false;
        gone.insert(i->result);
        context.module.retire(std::move(i));
        return true;
    });
    context.module.forget(gone);
}

}  // namespace coopvk::rewrite
