// SPDX-License-Identifier: Apache-2.0
#include "native/lengths.hpp"

#include <algorithm>

namespace coopvk::rewrite {

LengthConstants takeLengths(LoweringContext& context) {
    LengthConstants lengths;
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (const InstructionPtr& i : globals) {
        if (i->opcode != spv::Op::OpSpecConstantOp ||
            i->word(0) != static_cast<uint32_t>(spv::Op::OpCooperativeMatrixLengthKHR)) {
            continue;
        }
        lengths.emplace(i->result, i->word(1));
        // Nothing will name it any more.
        i->opcode = spv::Op::OpConstant;
        i->operands = {literal(0u)};
    }
    for (const InstructionPtr& i : globals) {
        for (const Operand& operand : i->operands) {
            if (operand.isId && lengths.contains(operand.word)) {
                context.fail(ErrorCode::kUnsupported, *i,
                             "a constant depends on the length of a native matrix");
            }
        }
    }
    return lengths;
}

void LengthValues::name(Instruction& i) {
    if (i.opcode == spv::Op::OpExtInst) return;
    for (Operand& operand : i.operands) {
        const auto found = operand.isId ? constants_.find(operand.word) : constants_.end();
        if (found == constants_.end()) continue;
        if (i.opcode == spv::Op::OpVariable) {
            context_.fail(ErrorCode::kUnsupported, i,
                          "a constant depends on the length of a native matrix");
            return;
        }
        const auto [value, isNew] = values_.try_emplace(operand.word, 0);
        if (isNew) {
            TypeTable& types = context_.types;
            const TiledType& type = *plan_.type(found->second);
            Emitter emit(types, prologue_);
            const Id tile =
                emit.op(spv::Op::OpCooperativeMatrixLengthKHR, types.uint32(), {type.tile});
            value->second = emit.mulInt(types.uint32(), tile, types.constantU32(type.tiles()));
        }
        operand.word = value->second;
    }
}

void LengthValues::finish(Function& function) {
    InstructionList& entry = function.blocks.front()->body;
    const auto isVariable = [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpVariable || i->opcode == spv::Op::OpLine ||
               i->opcode == spv::Op::OpNoLine || i->opcode == spv::Op::OpExtInst;
    };
    entry.insert(std::ranges::find_if_not(entry, isVariable),
                 std::make_move_iterator(prologue_.begin()),
                 std::make_move_iterator(prologue_.end()));
}

}  // namespace coopvk::rewrite
