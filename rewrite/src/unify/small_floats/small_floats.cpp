// SPDX-License-Identifier: Apache-2.0
#include "unify/small_floats/small_floats.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// The 8-bit type of the element that an instruction's indices select; 0: they select no such
// element.
Id selectedFormat(const SmallFloatContext& context, const Instruction& i) {
    const auto isMatrix = [&](Id type) { return context.isMatrix(type); };
    const auto index = indexInto(context.module, i, isMatrix);
    return index ? context.format(index->type) : 0;
}

// A number, or a vector of them, as the type that holds it in matrices; and the inverse, for a
// number of `format`. Both keep all bits, also of NaN.
Id fromHeld(Emitter& emit, Id format, Id value, std::optional<Id> result = {}) {
    TypeTable& types = emit.types();
    const Id byte = types.intType(8, false);
    const Slot held[] = {{value, 0}};
    const std::vector<Slot> memory =
        packComponents(emit, *numberOf(types, format), held, heldType(types, format), byte);
    return emit.op(OpBitcast, format, {scalarOf(emit, byte, memory[0])}, result);
}

// Defines the result of `i` as the number that `held` is.
void takeElement(SmallFloatFunction& f, const Instruction& i, Id format, Id held) {
    f.context.heldValues[i.result] = held;
    fromHeld(f.emit(), format, held, i.result);
}

Id toHeld(Emitter& emit, Id value) {
    TypeTable& types = emit.types();
    const Id format = types.scalarOf(emit.typeOf(value)), byte = types.intType(8, false);
    const Id held = heldType(types, format);
    const Id bytes =
        emit.bitcast(types.vectorType(byte, types.components(emit.typeOf(value))), value);
    const std::vector<Slot> slots =
        unpackComponents(emit, *numberOf(types, format), slotsOf(emit, {&bytes, 1}), byte, held);
    return gather(emit, held, slots);
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
    if (i.type == f.emit().typeOf(found->second)) i.opcode = OpCopyObject;
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
    return holdOperand(f, i, 0, f.context.format(i.type));
}

bool holdChain(SmallFloatFunction& f, Instruction& i) {
    const Id format = selectedFormat(f.context, i);
    if (format == 0) return false;
    const spv::StorageClass storage = storageOf(f.context.module.def(i.type));
    i.type = f.context.types.pointerType(storage, heldType(f.context.types, format));
    return false;
}

// The 8-bit type of the element of a matrix to which a pointer points; 0: to none.
Id pointeeFormat(const SmallFloatContext& context, Id pointer) {
    const Instruction& chain = behindCopies(context.module, pointer);
    return firstChainIndex(chain.opcode) == 0 ? 0 : selectedFormat(context, chain);
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

// Instructions with single elements; each returns false if the instruction stays, perhaps changed
// in place.
void addSmallFloatElements(OpcodeTable<SmallFloatFunction>& table) {
    table.add<holdExtract>({OpCompositeExtract});
    table.add<holdInsert>({OpCompositeInsert});
    table.add<holdConstruct>({OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.add<holdChain>(kTypedChains);
    table.add<holdPointerCopy>({OpCopyObject});
    table.add<holdFloatLoad>({OpLoad});
    table.add<holdFloatStore>({OpStore});
    table.add<holdCopy>({OpCopyMemory});
    table.add<convertElement>({OpFConvert});
}

// Changes constants of such matrices in place.
void holdConstants(SmallFloatContext& context) {
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

// A version of a function that returns 8-bit floats, or vectors of them: it returns them, and takes
// those parameters for which takesElement(number) is true, in the type that holds them. The
// function itself, if its types are others: the lowering refuses it.
template <typename TakesElement>
Id heldVersion(SmallFloatContext& context, Id function, Id format, TakesElement takesElement) {
    TypeTable& types = context.types;
    const Instruction& original = context.module.def(function);
    if (original.opcode != OpFunction || types.scalarOf(original.type) != format) {
        return function;
    }
    const Instruction& type = context.module.def(original.word(1));
    const Id held = heldType(types, format);
    std::vector<Id> parameters;
    std::vector<uint32_t> key = {static_cast<uint32_t>(OpFunction), function};
    for (size_t p = 0; p + 1 < type.operands.size(); ++p) {
        const bool converts = type.word(p + 1) == format && takesElement(p);
        parameters.push_back(converts ? held : type.word(p + 1));
        key.push_back(converts ? 1 : 0);
    }
    return context.helper(key, [&] {
        const Id result = types.vectorType(held, types.components(original.type));
        FunctionBuilder builder(types, context.newFunctions, "coopvk_held", result, parameters);
        std::vector<Id> arguments;
        for (size_t p = 0; p < parameters.size(); ++p) {
            const Id value = builder.parameter(p);
            const bool converts = parameters[p] != type.word(p + 1);
            arguments.push_back(converts ? fromHeld(builder.emit(), format, value) : value);
        }
        const Id value = builder.emit().call(original.type, function, arguments);
        return builder.finish(toHeld(builder.emit(), value));
    });
}

// Parameters of Func: row, column, the element, and one for each further operand.
bool holdPerElement(SmallFloatFunction& f, Instruction& call) {
    const Id format = f.context.format(call.type);
    if (format == 0) return false;
    const Id held = heldVersion(f.context, call.word(1), format, [&](size_t parameter) {
        return parameter == 2 || f.context.formatOf(call.word(parameter - 1)) != 0;
    });
    call.operands[1] = idOperand(held);
    return false;
}

bool holdReduction(SmallFloatFunction& f, Instruction& reduction) {
    const Id format = f.context.format(reduction.type);
    if (format == 0) return false;
    reduction.operands[2] =
        idOperand(heldVersion(f.context, reduction.word(2), format, [](size_t) { return true; }));
    return false;
}

// DecodeFunc and DecodeVectorFunc behind the mask of Tensor Addressing Operands.
bool holdTensorLoad(SmallFloatFunction& f, Instruction& load) {
    const Id format = f.context.format(load.type);
    const size_t mask = load.operands.size() - tensorAddressing(load).size();
    if (format == 0 || mask >= load.operands.size()) return false;
    for (size_t o = mask + 1; o < load.operands.size(); ++o) {
        const Id function = load.word(o);
        load.operands[o] =
            idOperand(heldVersion(f.context, function, format, [](size_t) { return false; }));
    }
    return false;
}

// Instructions that call functions for elements.
void addSmallFloatCalls(OpcodeTable<SmallFloatFunction>& table) {
    table.add<holdPerElement>({OpCooperativeMatrixPerElementOpNV});
    table.add<holdReduction>({OpCooperativeMatrixReduceNV});
    table.add<holdTensorLoad>({OpCooperativeMatrixLoadTensorNV});
}

}  // namespace

Id SmallFloatContext::format(Id matrix) const {
    const Instruction& def = module.def(matrix);
    if (def.opcode != OpTypeCooperativeMatrixKHR) return 0;
    const Number* number = numberOf(types, def.word(0));
    return number != nullptr && number->isSmallFloat() ? def.word(0) : 0;
}

void SmallFloatContext::checkKept(const Instruction& i) {
    if (isNonSemantic(module, i)) return;
    const bool takesPointer = std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && pointeeFormat(*this, operand.word) != 0;
    });
    const bool accesses = i.opcode == OpLoad || i.opcode == OpStore;
    if (!takesPointer || accesses || i.opcode == OpCopyObject) return;
    fail(ErrorCode::kUnsupported, i,
         "a pointer to an 8-bit float of a matrix is used for more than loads, stores and copies");
}

std::optional<Error> holdSmallFloats(SmallFloatContext& context) {
    Module& module = context.module;
    const auto isMatrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    if (std::ranges::none_of(module.section(Section::kGlobals), isMatrix)) return std::nullopt;
    holdConstants(context);
    OpcodeTable<SmallFloatFunction> table;
    addSmallFloatElements(table);
    addSmallFloatCalls(table);
    table.lowerAll(context);
    if (context.error) return context.error;
    context.types.declareArithmetic(context.types.floatType(16));
    context.types.declareArithmetic(context.types.intType(8, false));  // bits of elements
    context.addNewFunctions();
    return context.error;
}

}  // namespace coopvk::rewrite
