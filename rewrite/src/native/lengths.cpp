// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "native/instructions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kLength = static_cast<uint32_t>(spv::Op::OpCooperativeMatrixLengthKHR);

bool usesLength(const LengthConstants& lengths, const Instruction& i) {
    return std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && lengths.contains(operand.word);
    });
}

void fail(LoweringContext& context, const Instruction& at) {
    context.fail(ErrorCode::kUnsupported, at,
                 "a constant depends on the length of a native matrix");
}

}  // namespace

LengthConstants takeLengths(NativeContext& context) {
    LengthConstants lengths;
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (const InstructionPtr& i : globals) {
        if (i->opcode != spv::Op::OpSpecConstantOp) continue;
        if (i->word(0) != kLength && !usesLength(lengths, *i)) continue;
        if (i->word(0) == kLength && context.plan.type(i->word(1)) == nullptr) {
            context.fail(ErrorCode::kInvalidModule, *i, "Type is not a cooperative matrix");
        }
        lengths.emplace(i->result, *i);
        // readLengths() replaces all uses.
        i->opcode = spv::Op::OpConstantNull;
        i->operands.clear();
    }
    for (const InstructionPtr& i : globals) {
        if (usesLength(lengths, *i)) fail(context, *i);
    }
    return lengths;
}

namespace {

// The lengths that one function uses.
class LengthValues {
 public:
    LengthValues(NativeContext& context, const LengthConstants& constants, Function& function)
        : context_(context), constants_(constants), function_(function) {}

    void run() {
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) replaceIn(*i);
        }
        if (prologue_.empty()) return;
        InstructionList& entry = function_.blocks.front()->body;
        const auto isVariable = [&](const InstructionPtr& i) {
            return i->opcode == spv::Op::OpVariable || isDebugLine(i->opcode) ||
                   isNonSemantic(context_.module, *i);
        };
        const auto first = std::ranges::find_if_not(entry, isVariable);
        insertAt(entry, static_cast<size_t>(first - entry.begin()), std::move(prologue_));
    }

 private:
    void replaceIn(Instruction& i) {
        if (isNonSemantic(context_.module, i)) return;  // may be before the prologue
        for (Operand& operand : i.operands) {
            if (!operand.isId || !constants_.contains(operand.word)) continue;
            if (i.opcode == spv::Op::OpVariable) return fail(context_, i);
            operand.word = value(operand.word);
        }
    }

    Id value(Id constant) {
        if (const auto found = values_.find(constant); found != values_.end()) return found->second;
        const Instruction& i = constants_.at(constant);
        TypeTable& types = context_.types;
        Emitter emit(types, prologue_);
        Id result = 0;
        if (i.word(0) == kLength) {
            const TiledType& type = *context_.plan.type(i.word(1));
            const Id tile =
                emit.op(spv::Op::OpCooperativeMatrixLengthKHR, types.uint32(), {type.pack});
            result = emit.mulInt(types.uint32(), tile, types.constantU32(type.count));
        } else {
            Operands operands(i.operands.begin() + 1, i.operands.end());
            for (Operand& operand : operands) {
                if (operand.isId && constants_.contains(operand.word)) {
                    operand.word = value(operand.word);
                }
            }
            result = emit.op(static_cast<spv::Op>(i.word(0)), i.type, std::move(operands));
        }
        values_[constant] = result;
        return result;
    }

    NativeContext& context_;
    const LengthConstants& constants_;
    Function& function_;
    std::map<Id, Id> values_;
    InstructionList prologue_;
};

}  // namespace

void readLengths(NativeContext& context, const LengthConstants& lengths, Function& function) {
    if (!lengths.empty()) LengthValues(context, lengths, function).run();
}

}  // namespace coopvk::rewrite
