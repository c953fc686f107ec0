// SPDX-License-Identifier: Apache-2.0
#include "ir/emitter.hpp"

#include <algorithm>
#include <bit>

#include "ir/arithmetic_decorations.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

Id Emitter::exactOp(spv::Op opcode, Id type, std::initializer_list<Id> ids) {
    const Id result = op(opcode, type, ids);
    computeExactly(module(), result);
    return result;
}

// The constituent of a value that OpCompositeConstruct made of one for each part; 0: not known.
Id Emitter::constituent(Id composite, uint32_t index) {
    const Instruction& made = module().def(composite);
    if (made.opcode != OpCompositeConstruct) return 0;
    const Instruction& type = module().def(made.type);
    if (!isOneOf(type.opcode, {OpTypeVector, OpTypeArray, OpTypeStruct})) return 0;
    const bool isVector = type.opcode == OpTypeVector;
    if (isVector && made.operands.size() != type.word(1)) return 0;
    return made.word(index);
}

Id Emitter::extract(Id type, Id composite, std::initializer_list<uint32_t> indices) {
    if (indices.size() == 1) {
        const Id known = constituent(composite, *indices.begin());
        if (known != 0 && typeOf(known) == type) return known;
    }
    Operands operands = {idOperand(composite)};
    for (uint32_t index : indices) operands.push_back(literal(index));
    return op(OpCompositeExtract, type, std::move(operands));
}

Id Emitter::insert(Id type, Id object, Id composite, std::initializer_list<uint32_t> indices) {
    Operands operands = {idOperand(object), idOperand(composite)};
    for (uint32_t index : indices) operands.push_back(literal(index));
    return op(OpCompositeInsert, type, std::move(operands));
}

std::vector<Id> Emitter::parts(Id composite) {
    const Instruction& type = module().def(typeOf(composite));
    const bool isVector = type.opcode == OpTypeVector;
    if (!isVector && type.opcode != OpTypeArray) return {composite};
    const uint64_t count =
        isVector ? type.word(1) : module().constantValue(type.word(1)).value_or(0);
    std::vector<Id> parts;
    for (uint32_t i = 0; i < count; ++i) parts.push_back(extract(type.word(0), composite, {i}));
    return parts;
}

Id Emitter::splat(Id type, Id scalar) {
    const uint32_t count = types().components(type);
    if (count == 1) return scalar;
    const std::vector<Id> constituents(count, scalar);
    return construct(type, constituents);
}

Id Emitter::load(Id type, Id pointer, const Operands& memory) {
    Operands operands = {idOperand(pointer)};
    append(operands, memory);
    return op(OpLoad, type, std::move(operands));
}

void Emitter::store(Id pointer, Id value, const Operands& memory) {
    Operands operands = {idOperand(pointer), idOperand(value)};
    append(operands, memory);
    opVoid(OpStore, std::move(operands));
}

Id Emitter::chain(Id type, std::span<const Id> ids) {
    return op(OpAccessChain, types().pointerType(module().storage(ids[0]), type), idOperands(ids));
}

Condition Emitter::both(Condition a, Condition b) {
    if (a.isAlways() || b.isNever()) return b;
    if (b.isAlways() || a.isNever()) return a;
    return both(*a.id(), *b.id());
}

Id Emitter::boolean(Condition value) {
    const std::optional<Id> id = value.id();
    return id ? *id : types().constantBool(value.isAlways());
}

Condition Emitter::known(Condition value) {
    if (isTrue(value.id().value_or(0))) return Condition::always();
    return isFalse(value.id().value_or(0)) ? Condition::never() : value;
}

Id Emitter::both(Id a, Id b) {
    if (isTrue(a) || isFalse(b)) return b;
    if (isTrue(b) || isFalse(a)) return a;
    return op(OpLogicalAnd, types().boolType(), {a, b});
}

Id Emitter::compare(spv::Op opcode, Id a, Id b) {
    const auto value = [&](Id id) -> std::optional<Scalar> {
        const std::optional<uint64_t> bits = module().constantValue(id);
        if (!bits) return std::nullopt;
        return Scalar{*bits, types().width(typeOf(id))};
    };
    const std::optional<Scalar> left = value(a), right = value(b);
    if (left && right) {
        const std::optional<uint64_t> result = evaluate(opcode, *left, right);
        if (result) return types().constantBool((*result & 1) != 0);
    }
    return op(opcode, types().boolType(), {a, b});
}

Id Emitter::select(Id condition, Id yes, Id no) {
    // Before version 1.4, vectors are selected only by vectors of conditions.
    const Id type = typeOf(yes);
    const Id conditions = types().vectorType(types().boolType(), types().components(type));
    if (typeOf(condition) != conditions) condition = splat(conditions, condition);
    return op(OpSelect, type, {condition, yes, no});
}

Id Emitter::glsl(uint32_t instruction, Id type, std::initializer_list<Id> ids) {
    Operands operands = {idOperand(module().importSet("GLSL.std.450")), literal(instruction)};
    for (Id id : ids) operands.push_back(idOperand(id));
    return op(OpExtInst, type, std::move(operands));
}

Id Emitter::bitcast(Id type, Id value) {
    return typeOf(value) == type ? value : op(OpBitcast, type, {value});
}

Id Emitter::toUnsigned(Id type, Id integer) {
    if (const std::optional<uint64_t> value = module().constantValue(integer)) {
        return types().constant(type, *value);
    }
    const Id from = typeOf(integer);
    if (types().width(from) == types().width(type)) return bitcast(type, integer);
    const bool isSigned = types().isSigned(from);
    const Id converted = op(isSigned ? OpSConvert : OpUConvert,
                            types().intType(types().width(type), isSigned), {integer});
    return bitcast(type, converted);
}

Id Emitter::sum(Id a, Id b) {
    const Id type = types().width(typeOf(a)) == 64 ? unsignedOf(a) : unsignedOf(b);
    return addInt(type, toUnsigned(type, a), toUnsigned(type, b));
}

Id Emitter::integer(spv::Op opcode, Id type, Id a, Id b) {
    const std::optional<uint64_t> left = module().constantValue(a);
    const std::optional<uint64_t> right = module().constantValue(b);
    if (left && right) {
        return types().constant(type, *evaluate(opcode, {*left, 64}, Scalar{*right, 64}));
    }
    if (opcode == OpIAdd && left == 0) return b;
    if (opcode == OpIAdd && right == 0) return a;
    if (opcode == OpIMul && left == 1) return b;
    if (opcode == OpIMul && right == 1) return a;
    if (opcode == OpIMul && (left == 0 || right == 0)) return types().constant(type, 0);
    if (opcode == OpUDiv && right == 1) return a;
    if (opcode == OpUMod && right == 1) return types().constant(type, 0);
    // Not every CPU driver turns these into shifts and masks.
    if (right && std::has_single_bit(*right)) {
        const auto log2 = static_cast<uint32_t>(std::countr_zero(*right));
        if (opcode == OpUDiv) {
            return op(OpShiftRightLogical, type, {a, types().constantU32(log2)});
        }
        if (opcode == OpUMod) {
            return op(OpBitwiseAnd, type, {a, types().constant(type, *right - 1)});
        }
    }
    return op(opcode, type, {a, b});
}

}  // namespace coopvk::rewrite
