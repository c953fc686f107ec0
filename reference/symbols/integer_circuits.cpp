// SPDX-License-Identifier: Apache-2.0
//
// Instructions on integers in circuits.
#include "execution/opcode_table.hpp"
#include "symbols/circuits.hpp"

namespace coopvk::reference::symbols {
namespace {

using Operands = std::span<const Bits>;
using Operate = Bits (*)(Diagrams& d, Operands o);

Bits least(Diagrams& d, const Bits& a, const Bits& b, bool isSigned, bool isMost) {
    const Bit isLess = isSigned ? d.lessSigned(a, b) : d.less(a, b);
    return isMost ? d.choose(isLess, b, a) : d.choose(isLess, a, b);
}
template <bool kSigned, bool kMost>
Bits leastOf(Diagrams& d, Operands o) {
    return least(d, o[0], o[1], kSigned, kMost);
}
template <bool kSigned>
Bits clampedOf(Diagrams& d, Operands o) {
    return least(d, least(d, o[0], o[1], kSigned, true), o[2], kSigned, false);
}
Bits negated(Diagrams& d, const Bits& a) { return d.subtract(Diagrams::constant(0, a.size()), a); }
template <Bit (Diagrams::*kOf)(Bit, Bit)>
Bits bitwise(Diagrams& d, Operands o) {
    Bits bits(o[0].size());
    for (size_t n = 0; n < bits.size(); ++n) bits[n] = (d.*kOf)(o[0][n], o[1][n]);
    return bits;
}
// Of the operands in their order, or in the other one; or the opposite.
template <bool kSigned, bool kSwapped, bool kNegated>
Bits lessOf(Diagrams& d, Operands o) {
    const Bits &a = o[kSwapped ? 1 : 0], &b = o[kSwapped ? 0 : 1];
    const Bit is = kSigned ? d.lessSigned(a, b) : d.less(a, b);
    return {kNegated ? d.negate(is) : is};
}
Bits equalOf(Diagrams& d, Operands o) { return {d.equal(o[0], o[1])}; }
Bits unequalOf(Diagrams& d, Operands o) { return {d.negate(d.equal(o[0], o[1]))}; }

struct Row {
    uint32_t opcode;
    Operate operate;
};
constexpr Row kRows[] = {
    {numberIn(OpIAdd), [](Diagrams& d, Operands o) { return d.add(o[0], o[1]); }},
    {numberIn(OpISub), [](Diagrams& d, Operands o) { return d.subtract(o[0], o[1]); }},
    {numberIn(OpIMul), [](Diagrams& d, Operands o) { return d.multiply(o[0], o[1]); }},
    {numberIn(OpSNegate), [](Diagrams& d, Operands o) { return negated(d, o[0]); }},
    {numberIn(OpNot), [](Diagrams& d, Operands o) { return d.negate(o[0]); }},
    {numberIn(OpBitwiseAnd), bitwise<&Diagrams::both>},
    {numberIn(OpBitwiseOr), bitwise<&Diagrams::either>},
    {numberIn(OpBitwiseXor), bitwise<&Diagrams::differ>},
    {numberIn(OpIEqual), equalOf},
    {numberIn(OpLogicalEqual), equalOf},
    {numberIn(OpINotEqual), unequalOf},
    {numberIn(OpLogicalNotEqual), unequalOf},
    {numberIn(OpULessThan), lessOf<false, false, false>},
    {numberIn(OpUGreaterThan), lessOf<false, true, false>},
    {numberIn(OpULessThanEqual), lessOf<false, true, true>},
    {numberIn(OpUGreaterThanEqual), lessOf<false, false, true>},
    {numberIn(OpSLessThan), lessOf<true, false, false>},
    {numberIn(OpSGreaterThan), lessOf<true, true, false>},
    {numberIn(OpSLessThanEqual), lessOf<true, true, true>},
    {numberIn(OpSGreaterThanEqual), lessOf<true, false, true>},
    {numberIn(GLSLstd450UMin), leastOf<false, false>},
    {numberIn(GLSLstd450UMax), leastOf<false, true>},
    {numberIn(GLSLstd450SMin), leastOf<true, false>},
    {numberIn(GLSLstd450SMax), leastOf<true, true>},
    {numberIn(GLSLstd450UClamp), clampedOf<false>},
    {numberIn(GLSLstd450SClamp), clampedOf<true>},
    {numberIn(GLSLstd450SAbs),
     [](Diagrams& d, Operands o) { return d.choose(o[0].back(), negated(d, o[0]), o[0]); }},
};
constexpr uint32_t kShifts[] = {numberIn(OpShiftLeftLogical), numberIn(OpShiftRightLogical),
                                numberIn(OpShiftRightArithmetic)};
// Instructions of floats that only read their bits.
constexpr uint32_t kClasses[] = {numberIn(OpIsNan), numberIn(OpIsInf)};

const Row* findOperation(uint32_t opcode) {
    const Row* row = std::ranges::find(kRows, opcode, &Row::opcode);
    return row != std::end(kRows) ? row : nullptr;
}

Bits classOf(Diagrams& d, const Bits& bits, const Function& f) {
    const numbers::Format& format = numbers::format(f.types[0]->number);
    if (f.opcode == numberIn(OpIsNan)) return {isNan(d, bits, format)};
    const Bits rest = slice(bits, 0, format.bits - 1u);
    const uint64_t infinity = numbers::lowBits(format.exponentBits) << format.mantissaBits;
    return {d.equal(rest, Diagrams::constant(infinity, rest.size()))};
}

}  // namespace

bool isOperation(const Terms& terms, TermId term) {
    const Function& f = terms.functionOf(term);
    if (isAmong(kClasses, f.opcode)) return true;
    // Products of variables are too large for diagrams.
    if (f.opcode == numberIn(OpIMul) && !terms.constantOf(terms.operand(term, 0)) &&
        !terms.constantOf(terms.operand(term, 1)))
        return false;
    return (findOperation(f.opcode) != nullptr || isAmong(kShifts, f.opcode)) &&
           isIntegerType(f.type()) &&
           std::ranges::all_of(f.types, [](const Type* t) { return isIntegerType(*t); });
}

bool isSaturating(const Terms& terms, TermId term) {
    const Sum& sum = terms.sumOf(term);
    const numbers::Format &a = numbers::format(sum.a), &b = numbers::format(sum.b),
                          &c = numbers::format(sum.c);
    // An addend of fewer bits keeps its value.
    const bool fits = numbers::format(sum.result).isSigned()
                          ? c.isSigned() || c.bits < 32
                          : !a.isSigned() && !b.isSigned() && !c.isSigned();
    return sum.saturates && a.bits <= 8 && b.bits <= 8 && c.bits <= 32 && terms[term].width == 32 &&
           fits && terms[term].count < 8192;
}

// "Result is undefined if Shift is greater than or equal to the bit width": on the rewritten side
// it may then be anything.
Bits Circuits::shifted(TermId term, uint32_t opcode, const Bits& a, const Bits& by,
                       bool isRewritten) {
    Diagrams& d = diagrams_;
    const Bit fill = opcode == numberIn(OpShiftRightArithmetic) ? a.back() : kFalse;
    const Bits moved =
        opcode == numberIn(OpShiftLeftLogical) ? d.shiftLeft(a, by) : d.shiftRight(a, by, fill);
    const Bit isFar = d.negate(d.less(by, Diagrams::constant(terms_[term].width, by.size())));
    if (!isRewritten || isFar == kFalse) return moved;
    return d.choose(isFar, anyBits(moved.size()), moved);
}

// "The addition of C saturates": in one bit more.
Bits Circuits::saturated(TermId term, bool isRewritten) {
    Diagrams& d = diagrams_;
    const bool isSigned = numbers::format(terms_.sumOf(term).result).isSigned();
    const std::vector<TermId> parts = partsOfSum(term);
    Bits a = bitsOf(parts[0], isRewritten), b = bitsOf(parts[1], isRewritten);
    const size_t width = a.size();
    const bool isAddendSigned = numbers::format(terms_.sumOf(term).c).isSigned();
    a.push_back(isSigned ? a.back() : kFalse);
    b.resize(width + 1, isAddendSigned ? b.back() : kFalse);
    const Bits sum = d.add(a, b);
    const Bits low = slice(sum, 0, width);
    if (!isSigned) return d.choose(sum.back(), Bits(width, kTrue), low);
    Bits limit(width, d.negate(sum.back()));
    limit.back() = sum.back();
    return d.choose(d.differ(sum[width], sum[width - 1]), limit, low);
}

Bits Circuits::applied(TermId term, bool isRewritten) {
    const Function& f = terms_.functionOf(term);
    std::vector<Bits> o;
    for (const TermId operand : terms_.operands(term)) o.push_back(bitsOf(operand, isRewritten));
    if (isAmong(kShifts, f.opcode)) return shifted(term, f.opcode, o[0], o[1], isRewritten);
    if (isAmong(kClasses, f.opcode)) return classOf(diagrams_, o[0], f);
    Bits bits = findOperation(f.opcode)->operate(diagrams_, o);
    const bool isSigned = f.opcode == numberIn(GLSLstd450SClamp);
    if (!isRewritten || (!isSigned && f.opcode != numberIn(GLSLstd450UClamp))) return bits;
    // "Result is undefined if minVal > maxVal".
    const Bit isAbove = isSigned ? diagrams_.lessSigned(o[2], o[1]) : diagrams_.less(o[2], o[1]);
    if (isAbove == kFalse) return bits;
    return diagrams_.choose(isAbove, anyBits(bits.size()), bits);
}

}  // namespace coopvk::reference::symbols
