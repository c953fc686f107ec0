// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "longvector/group.hpp"

namespace coopvk::rewrite {

namespace {

struct ReductionRow {
    spv::Op opcode;
    spv::Op combine;
    // Integer dot products: the signs of the operands, and whether there is an accumulator.
    bool firstIsSigned = false, secondIsSigned = false, saturates = false;
};

constexpr ReductionRow kReductionRows[] = {
    {OpDot, OpFAdd},
    {OpAny, OpLogicalOr},
    {OpAll, OpLogicalAnd},
    {OpGroupNonUniformAllEqual, OpLogicalAnd},
    // The invocations with the same vector are those with the same components.
    {OpGroupNonUniformPartitionEXT, OpBitwiseAnd},
    {OpSDot, OpIAdd, true, true, false},
    {OpUDot, OpIAdd, false, false, false},
    {OpSUDot, OpIAdd, true, false, false},
    {OpSDotAccSat, OpIAdd, true, true, true},
    {OpUDotAccSat, OpIAdd, false, false, true},
    {OpSUDotAccSat, OpIAdd, true, false, true},
};

const ReductionRow* find(spv::Op opcode) {
    const auto* row = std::ranges::find(kReductionRows, opcode, &ReductionRow::opcode);
    return row == std::end(kReductionRows) ? nullptr : row;
}

Id widen(Emitter& emit, Id type, Id value, bool isSigned) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(type);
    if (types.width(emit.typeOf(value)) == width) return emit.bitcast(type, value);
    const Id integer = types.intType(width, isSigned);
    return emit.bitcast(type, emit.op(isSigned ? OpSConvert : OpUConvert, integer, {value}));
}

// a + b, or the largest or smallest value of the type (SPIR-V, OpSDotAccSat).
Id addSaturating(Emitter& emit, Id type, Id a, Id b, bool isSigned) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(type);
    const uint64_t top = uint64_t{1} << (width - 1);
    const Id sum = emit.op(OpIAdd, type, {a, b});
    if (!isSigned) {
        const Id wraps = emit.compare(OpULessThan, sum, a);
        return emit.op(OpSelect, type, {wraps, types.constant(type, top | (top - 1)), sum});
    }
    const Id zero = types.constantNull(type);
    const Id changed =
        emit.op(OpBitwiseAnd, type,
                {emit.op(OpBitwiseXor, type, {a, sum}), emit.op(OpBitwiseXor, type, {b, sum})});
    const Id limit = emit.op(OpSelect, type,
                             {emit.compare(OpSLessThan, a, zero), types.constant(type, top),
                              types.constant(type, top - 1)});
    return emit.op(OpSelect, type, {emit.compare(OpSLessThan, changed, zero), limit, sum});
}

}  // namespace

bool isReduction(spv::Op opcode) { return find(opcode) != nullptr; }

size_t firstVector(spv::Op opcode) { return opcode == OpGroupNonUniformAllEqual ? 1 : 0; }

Id termType(TypeTable& types, const Instruction& i) {
    return i.opcode == OpDot && types.encoding(i.type) ? types.floatType(32) : i.type;
}

Id reductionTerm(Emitter& emit, const Instruction& i, const Operands& operands) {
    const ReductionRow& row = *find(i.opcode);
    if (i.opcode == OpAny || i.opcode == OpAll) return operands[0].word;
    if (i.opcode == OpGroupNonUniformAllEqual || i.opcode == OpGroupNonUniformPartitionEXT)
        return emit.op(i.opcode, i.type, Operands(operands));
    const ArithmeticDecorations decorations(emit.module(), i.result);
    if (i.opcode == OpDot) {
        const Id type = termType(emit.types(), i);
        const Id a = emit.converted(type, operands[0].word);
        const Id b = emit.converted(type, operands[1].word);
        const Id term = emit.op(OpFMul, type, {a, b});
        decorations.addTo(term);
        return term;
    }
    return emit.op(OpIMul, i.type,
                   {widen(emit, i.type, operands[0].word, row.firstIsSigned),
                    widen(emit, i.type, operands[1].word, row.secondIsSigned)});
}

Id combineTerms(Emitter& emit, const Instruction& i, Id a, Id b) {
    const Id sum = emit.op(find(i.opcode)->combine, termType(emit.types(), i), {a, b});
    if (i.opcode == OpDot) ArithmeticDecorations(emit.module(), i.result).addTo(sum);
    return sum;
}

Id neutralTerm(Emitter& emit, const Instruction& i) {
    TypeTable& types = emit.types();
    if (i.opcode == OpDot) return types.constantFloat(termType(types, i), -0.0);
    const spv::Op combine = find(i.opcode)->combine;
    if (combine == OpIAdd) return types.constantNull(i.type);
    if (combine == OpBitwiseAnd) return types.constantSplat(i.type, types.constantU32(~0u));
    return types.constantBool(combine == OpLogicalAnd);
}

Id reductionResult(Emitter& emit, const Instruction& i, Id combined) {
    const ReductionRow& row = *find(i.opcode);
    if (!row.saturates) return emit.converted(i.type, combined);
    return addSaturating(emit, i.type, i.word(2), combined,
                         row.firstIsSigned || row.secondIsSigned);
}

}  // namespace coopvk::rewrite
