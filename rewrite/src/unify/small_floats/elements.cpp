// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

namespace {

// The 8-bit type of the element that an instruction's indices select; 0: they select no such
// element.
Id selectedFormat(const SmallFloatContext& context, const Instruction& i) {
    const auto isMatrix = [&](Id type) { return context.isMatrix(type); };
    const auto index = indexInto(context.module, i, isMatrix);
    return index ? context.format(index->type) : 0;
}

// Defines the result of `i` as the number that `held` is.
void takeElement(SmallFloatFunction& f, const Instruction& i, Id format, Id held) {
    f.context.heldValues[i.result] = held;
    fromHeld(f.emit(), format, held, i.result);
}

// The same as the type that holds it.
Id putElement(SmallFloatFunction& f, Id value) {
    const auto found = f.context.heldValues.find(value);
    return found == f.context.heldValues.end() ? toHeld(f.emit(), value) : found->second;
}

// Converts from the type that holds the element, which has all its values.
bool convertElement(SmallFloatFunction& f, Instruction& i) {
    const auto found = f.context.heldValues.find(i.word(0));
    if (found == f.context.heldValues.end()) return false;
    if (i.type == f.emit().typeOf(found->second)) i.opcode = spv::Op::OpCopyObject;
    i.operands[0] = idOperand(found->second);
    return false;
}

bool holdExtract(SmallFloatFunction& f, const Instruction& i) {
    const Id format = selectedFormat(f.context, i);
    if (format == 0) return false;
    const Id held = f.emit().op(i.opcode, heldType(f.context.types, format), i.operands);
    takeElement(f, i, format, held);
    return true;
}

// The operand that is to be an element of a matrix, as the type that holds it. An operand of
// another type stays: the lowering refuses it.
bool holdOperand(SmallFloatFunction& f, Instruction& i, size_t operand, Id format) {
    if (format == 0 || f.emit().typeOf(i.word(operand)) != format) return false;
    i.operands[operand] = idOperand(putElement(f, i.word(operand)));
    return false;
}

bool holdInsert(SmallFloatFunction& f, Instruction& i) {
    return holdOperand(f, i, 0, selectedFormat(f.context, i));
}

bool holdConstruct(SmallFloatFunction& f, Instruction& i) {
    return i.operands.empty() ? false : holdOperand(f, i, 0, f.context.format(i.type));
}

bool holdChain(SmallFloatFunction& f, Instruction& i) {
    const Id format = selectedFormat(f.context, i);
    if (format == 0) return false;
    const spv::StorageClass storage = storageOf(f.context.module.def(i.type));
    i.type = f.context.types.pointerType(storage, heldType(f.context.types, format));
    return false;
}

bool holdPointerCopy(SmallFloatFunction& f, Instruction& i) {
    if (pointeeFormat(f.context, i.word(0)) != 0) i.type = f.emit().typeOf(i.word(0));
    return false;
}

bool holdFloatLoad(SmallFloatFunction& f, const Instruction& i) {
    const Id format = pointeeFormat(f.context, i.word(0));
    if (format == 0) return false;
    const Id held = f.emit().op(i.opcode, heldType(f.context.types, format), i.operands);
    takeElement(f, i, format, held);
    return true;
}

bool holdFloatStore(SmallFloatFunction& f, Instruction& i) {
    return holdOperand(f, i, 1, pointeeFormat(f.context, i.word(0)));
}

// A copy of an element becomes a load and a store.
bool holdCopy(SmallFloatFunction& f, const Instruction& i) {
    const Id to = pointeeFormat(f.context, i.word(0)), from = pointeeFormat(f.context, i.word(1));
    if (to == 0 && from == 0) return false;
    Emitter& emit = f.emit();
    const CopyOperands memory = copyOperands(i);
    const Id held = heldType(f.context.types, to == 0 ? from : to);
    Id value = emit.load(from == 0 ? to : held, i.word(1), memory.source.forLoad(1));
    if (from == 0) value = toHeld(emit, value);
    if (to == 0) value = fromHeld(emit, from, value);
    emit.store(i.word(0), value, memory.target.forStore(1));
    return true;
}

}  // namespace

Id pointeeFormat(const SmallFloatContext& context, Id pointer) {
    const Instruction& chain = behindCopies(context.module, pointer);
    return firstChainIndex(chain.opcode) == 0 ? 0 : selectedFormat(context, chain);
}

void addSmallFloatElements(OpcodeTable<SmallFloatFunction>& table) {
    using enum spv::Op;
    table.add<holdExtract>({OpCompositeExtract});
    table.add<holdInsert>({OpCompositeInsert});
    table.add<holdConstruct>({OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.add<holdChain>(kAccessChains);
    table.add<holdPointerCopy>({OpCopyObject});
    table.add<holdFloatLoad>({OpLoad});
    table.add<holdFloatStore>({OpStore});
    table.add<holdCopy>({OpCopyMemory});
    table.add<convertElement>({OpFConvert});
}

void holdConstants(SmallFloatContext& context) {
    using enum spv::Op;
    Module& module = context.module;
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& constant = *globals[g];
        const Id format = context.format(constant.type);
        if (format == 0 ||
            !isOneOf(constant.opcode, {OpConstantComposite, OpConstantCompositeReplicateEXT})) {
            continue;
        }
        const Id held = heldType(context.types, format);
        for (Operand& operand : constant.operands) {
            const Instruction& scalar = module.def(operand.word);
            if (scalar.type != format) continue;
            const uint32_t bits = scalar.opcode == OpConstant ? scalar.word(0) : 0;
            const double value = valueOf(*numberOf(context.types, format), bits);
            operand.word = context.types.constantFloat(held, value);
        }
    }
}

}  // namespace coopvk::rewrite
