// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/packed.hpp"
#include "native/lower.hpp"

namespace coopvk::rewrite {

namespace {

// The element at literal indices, in a variable with a copy of its matrix.
struct Element {
    const PackedType* matrix;
    Id variable;
    Id pointer;
    std::span<const Operand> outer;  // indices to the matrix
};

// nullopt: the indices are not into a tiled matrix.
std::optional<Element> elementAt(NativeFunction& f, const Instruction& i, size_t composite) {
    const auto [matrix, at] = findPackedIndex(f.context, i);
    if (matrix == nullptr) return std::nullopt;
    Emitter& emit = f.emit();
    const auto outer = std::span(i.operands).subspan(composite + 1, at - composite - 1);
    Id whole = i.word(composite);
    if (!outer.empty()) {
        Operands operands = {idOperand(whole)};
        append(operands, outer);
        whole = emit.op(OpCompositeExtract, matrix->id, std::move(operands));
    }
    Id& variable = f.variables[matrix->id];
    if (variable == 0) variable = f.writer.variable(matrix->id);
    emit.store(variable, whole);
    const auto [tile, inTile] = tileIndices(emit, *matrix, f.types.constantU32(i.word(at)));
    return Element{matrix, variable, emit.chain(matrix->component, {variable, tile, *inTile}),
                   outer};
}

}  // namespace

bool lowerNativeLength(NativeFunction& f, const Instruction& length) {
    const PackedType* type = f.context.packed(length.word(0));
    if (type == nullptr) return false;
    Emitter& emit = f.emit();
    const Id ofTile = emit.op(OpCooperativeMatrixLengthKHR, f.types.uint32(), {type->pack});
    emit.op(OpIMul, length.type, {ofTile, f.types.constantU32(type->count)}, length.result);
    return true;
}

bool lowerNativeExtract(NativeFunction& f, const Instruction& extract) {
    const std::optional<Element> element = elementAt(f, extract, 0);
    if (!element) return false;
    f.emit().op(OpLoad, extract.type, {element->pointer}, extract.result);
    return true;
}

bool lowerNativeInsert(NativeFunction& f, const Instruction& insert) {
    const std::optional<Element> element = elementAt(f, insert, 1);
    if (!element) return false;
    Emitter& emit = f.emit();
    emit.store(element->pointer, insert.word(0));
    if (element->outer.empty()) {
        emit.op(OpLoad, insert.type, {element->variable}, insert.result);
        return true;
    }
    const Id changed = emit.load(element->matrix->id, element->variable);
    Operands operands = {idOperand(changed), insert.operands[1]};
    append(operands, element->outer);
    emit.op(insert.opcode, insert.type, std::move(operands), insert.result);
    return true;
}

namespace {

constexpr auto kLength = static_cast<uint32_t>(OpCooperativeMatrixLengthKHR);

bool usesLength(const LengthConstants& lengths, const Instruction& i) {
    return std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && lengths.contains(operand.word);
    });
}

void refuseLength(LoweringContext& context, const Instruction& at) {
    context.unsupported(at, "a constant depends on the length of a native matrix");
}

}  // namespace

LengthConstants takeLengths(NativeContext& context) {
    LengthConstants lengths;
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (const InstructionPtr& i : globals) {
        if (i->opcode != OpSpecConstantOp) continue;
        if (i->word(0) != kLength && !usesLength(lengths, *i)) continue;
        if (i->word(0) == kLength && context.plan.type(i->word(1)) == nullptr) {
            context.invalid(*i, "Type is not a cooperative matrix");
        }
        lengths.emplace(i->result, *i);
        // readLengths() replaces all uses.
        i->opcode = OpConstantNull;
        i->operands.clear();
    }
    for (const InstructionPtr& i : globals) {
        if (usesLength(lengths, *i)) refuseLength(context, *i);
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
            return i->opcode == OpVariable || isDebugLine(i->opcode) ||
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
            if (i.opcode == OpVariable) return refuseLength(context_, i);
            operand.word = value(operand.word);
        }
    }

    // What the function has in place of a constant. Chains of constants may be long.
    Id value(Id constant) {
        std::vector<Id> open = {constant};
        while (!open.empty()) {
            const Id last = open.back();
            const size_t known = open.size();
            if (!values_.contains(last)) {
                for (const Operand& operand : constants_.at(last).operands) {
                    if (!operand.isId || !constants_.contains(operand.word)) continue;
                    if (!values_.contains(operand.word)) open.push_back(operand.word);
                }
            }
            if (open.size() != known) continue;
            open.pop_back();
            if (!values_.contains(last)) values_[last] = compute(constants_.at(last));
        }
        return values_.at(constant);
    }

    // Of constants that have values already.
    Id compute(const Instruction& i) {
        TypeTable& types = context_.types;
        Emitter emit(types, prologue_);
        if (i.word(0) == kLength) {
            const TiledType& type = *context_.plan.type(i.word(1));
            const Id tile = emit.op(OpCooperativeMatrixLengthKHR, types.uint32(), {type.pack});
            return emit.mulInt(types.uint32(), tile, types.constantU32(type.count));
        }
        Operands operands(i.operands.begin() + 1, i.operands.end());
        for (Operand& operand : operands) {
            if (operand.isId && constants_.contains(operand.word)) {
                operand.word = values_.at(operand.word);
            }
        }
        return emit.op(static_cast<spv::Op>(i.word(0)), i.type, std::move(operands));
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
