// SPDX-License-Identifier: Apache-2.0
#include "read_all.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

namespace {

bool isStorable(const Module& module, const Instruction& i) {
    const spv::Op type = module.def(i.type).opcode;
    return i.result != 0 && type != OpNop && !isPointerType(type) &&
           !isOneOf(type, {OpTypeVoid, OpTypeTensorLayoutNV, OpTypeTensorViewNV});
}

void readAllIn(TypeTable& types, Function& function) {
    Module& module = types.module();
    const Users users(function);
    InstructionList variables;
    for (const auto& block : function.blocks) {
        InstructionList old = std::exchange(block->body, {}), stores;
        Emitter emit(types, block->body);
        for (InstructionPtr& i : old) {
            if (i->opcode != OpPhi) insertAt(block->body, block->body.size(), std::move(stores));
            const Id value = i->result, type = i->type;
            const bool isUnread = isStorable(module, *i) && !users.isUsed(value);
            emit.add(std::move(i));
            if (!isUnread) continue;
            const Id pointer = types.pointerType(spv::StorageClass::Function, type);
            const Id variable =
                Emitter(types, variables)
                    .op(OpVariable, pointer, Operands{literal(spv::StorageClass::Function)});
            Emitter(types, stores)
                .store(variable, value, {literal(spv::MemoryAccessMask::Volatile)});
        }
    }
    if (!function.blocks.empty()) insertAt(function.blocks.front()->body, 0, std::move(variables));
}

}  // namespace

std::vector<uint32_t> readAll(std::span<const uint32_t> words) {
    Result<Module> module = Module::parse(words);
    if (!module) {
        ADD_FAILURE() << module.error().message;
        return {};
    }
    TypeTable types(*module);
    for (const auto& function : module->functions()) readAllIn(types, *function);
    module->orderGlobals();
    return module->serialise();
}

std::vector<uint32_t> assembleAndReadAll(std::string_view text) {
    return readAll(test::assemble(text));
}

}  // namespace coopvk::rewrite
