// SPDX-License-Identifier: Apache-2.0
//
// Instructions that move values, choose, convert and add products.
#include "execution/opcode_table.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

using numbers::Number;

TermId converts(const Transferred& t, uint32_t c, uint32_t lane) {
    const numbers::Conversion conversion = conversionOf(*t.s.program, t.at);
    return t.terms().converted({conversion.from(), conversion.to(), conversion.rule()},
                               t.term(0, c, lane), t.result().at(c, lane));
}

// What may be chosen must be defined: an execution only says so of what it chooses.
TermId selects(const Transferred& t, uint32_t c, uint32_t lane) {
    const TermId condition = t.term(0, c, lane);
    const bool isKnown = t.terms().constantOf(condition).has_value();
    for (const uint32_t n : {1u, 2u})
        if (!isKnown && !t.operand(n).isDefined(c, lane))
            t.all.stop(t.s, lane, "data choose whether the result is undefined");
    return t.terms().chosen(condition, t.term(1, c, lane), t.term(2, c, lane));
}

// Condition, and what it chooses: all logic is a choice.
TermId logical(const Transferred& t, uint32_t c, uint32_t lane, bool isAnd) {
    TermId a = t.term(0, c, lane), b = t.term(1, c, lane);
    if (b < a) std::swap(a, b);
    Terms& terms = t.terms();
    if (terms.constantOf(b)) std::swap(a, b);
    return isAnd ? terms.chosen(a, b, terms.constant(0, 1))
                 : terms.chosen(a, terms.constant(1, 1), b);
}
TermId conjunction(const Transferred& t, uint32_t c, uint32_t lane) {
    return logical(t, c, lane, true);
}
TermId disjunction(const Transferred& t, uint32_t c, uint32_t lane) {
    return logical(t, c, lane, false);
}
TermId opposite(const Transferred& t, uint32_t c, uint32_t lane) {
    Terms& terms = t.terms();
    return terms.chosen(t.term(0, c, lane), terms.constant(0, 1), terms.constant(1, 1));
}

// Words that stand for bools, and the number 0.
TermId isUnequal(const Transferred& t, uint32_t c, uint32_t lane) {
    for (const uint32_t n : {0u, 1u})
        if (t.constant(n, c, lane) == 0 && t.terms()[t.term(1 - n, c, lane)].width > 1)
            return t.terms().truth(t.term(1 - n, c, lane));
    return 0;
}
TermId isEqual(const Transferred& t, uint32_t c, uint32_t lane) {
    const TermId unequal = isUnequal(t, c, lane);
    Terms& terms = t.terms();
    return unequal != 0 ? terms.chosen(unequal, terms.constant(0, 1), terms.constant(1, 1)) : 0;
}

template <auto kOf>
void eachOf(const Transferred& t) {
    t.each([&](uint32_t c, uint32_t lane) { return kOf(t, c, lane); });
}

// All components, or any.
template <bool kAll>
void reduces(const Transferred& t) {
    const Value& from = t.operand(0);
    Terms& terms = t.terms();
    t.mask.forEach([&](uint32_t lane) {
        TermId whole = terms.constant(kAll, 1);
        for (uint32_t c = from.components(); c-- > 0;) {
            const TermId one = t.all.termOf(from, c, lane);
            whole = kAll ? terms.chosen(one, whole, terms.constant(0, 1))
                         : terms.chosen(one, terms.constant(1, 1), whole);
        }
        t.set(0, lane, whole);
    });
}

// Words that stand for bools in memory.
void loads(const Transferred& t) {
    const Value& result = t.result();
    for (uint32_t c = 0; c < result.components(); ++c) {
        if (scalarOf(*result.type, c).kind != reference::Kind::kBool) continue;
        t.mask.forEach([&](uint32_t lane) {
            const Deviation word = result.deviationAt(c, lane);
            if (word == 0) return;
            const TermId truth = t.terms().truth(word);
            if (truth == 0) t.all.stop(t.s, lane, "a bool is made of an integer in memory");
            if (truth != 0) t.set(c, lane, truth);
        });
    }
}

// Sums of products of integers: vectors, or four bytes in a word.
template <bool kFirstSigned, bool kSecondSigned, bool kAccumulates>
void integerDots(const Transferred& t) {
    const Value &a = t.operand(0), &b = t.operand(1);
    const bool isPacked = a.type->isScalar();
    const uint32_t count = isPacked ? 4 : a.components();
    const uint32_t width = isPacked ? 8 : scalarOf(*a.type).width;
    const Type& type = scalarOf(*t.result().type);
    const auto number = [](uint32_t bits, bool isSigned) {
        return numbers::integerOf(bits, isSigned).value_or(Number::u64);
    };
    const Number result = number(type.width, kFirstSigned);
    // "If any of the multiplications or additions, with the exception of the final accumulation,
    // overflow or underflow, the result of the instruction is undefined."
    if (kAccumulates && type.width < 2 * width + 2)
        return t.all.stop(t.s, t.mask.first(), "it is undefined where its products overflow");
    const Sum sum{number(width, kFirstSigned), number(width, kSecondSigned), result, result,
                  kAccumulates};
    const auto factor = [&](const Value& from, uint32_t n, uint32_t lane) {
        return isPacked ? t.terms().part(t.all.termOf(from, 0, lane), n * 8, 8)
                        : t.all.termOf(from, n, lane);
    };
    t.mask.forEach([&](uint32_t lane) {
        std::vector<TermId> operands;
        for (uint32_t n = 0; n < count; ++n)
            operands.insert(operands.end(), {factor(a, n, lane), factor(b, n, lane)});
        operands.push_back(kAccumulates ? t.all.termOf(t.operand(2), 0, lane)
                                        : t.terms().constant(0, type.width));
        t.set(0, lane, t.terms().product(sum, operands, t.result().at(0, lane)));
    });
}

// Each time another number.
void isAny(const Transferred& t) {
    const Value& result = t.result();
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            t.set(c, lane,
                  t.all.anyNumber(*t.s.program, scalarOf(*result.type, c), result.at(c, lane),
                                  OpUndef));
        });
}

// SPV_KHR_poison_freeze: of what is not defined, the result is "an arbitrary but fixed value".
void freezes(const Transferred& t) {
    const Value &from = t.operand(0), &result = t.result();
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const Type& type = scalarOf(*result.type, c);
            if (from.isDefined(c, lane) || !type.isScalar())
                return result.setDeviation(c, lane, from.deviationAt(c, lane));
            t.set(c, lane, t.all.anyNumber(*t.s.program, type, result.at(c, lane), OpFreezeKHR));
        });
}

// Of known numbers whose products no double rounds, the same in each order.
bool isExactDot(const Terms& terms, std::span<const TermId> operands, Number factor,
                Number result) {
    std::vector<double> numbers;
    const auto valueOf = [&](Number number, TermId term) {
        return numbers::decodeDouble(number, terms[term].bits);
    };
    for (const TermId term : operands)
        if (!terms.constantOf(term)) return false;
    for (size_t n = 0; n + 1 < operands.size(); n += 2) {
        const double x = valueOf(factor, operands[n]), y = valueOf(factor, operands[n + 1]);
        if (!isExactProduct(x, y, x * y)) return false;
        numbers.push_back(x * y);
    }
    numbers.push_back(valueOf(result, operands.back()));
    return isExactSum(numbers, result);
}

// The same of floats, with an addend or without.
void dots(const Transferred& t) {
    const Value &a = t.operand(0), &b = t.operand(1);
    const Type& type = scalarOf(*t.result().type);
    const Number factor = scalarOf(*a.type).number;
    const bool hasAddend = t.at.opcode != OpDot;
    t.mask.forEach([&](uint32_t lane) {
        std::vector<TermId> operands;
        for (uint32_t n = 0; n < a.components(); ++n)
            operands.insert(operands.end(), {t.all.termOf(a, n, lane), t.all.termOf(b, n, lane)});
        operands.push_back(hasAddend ? t.all.termOf(t.operand(2), 0, lane)
                                     : t.terms().constant(0, type.width));
        if (isExactDot(t.terms(), operands, factor, type.number))
            return t.result().setDeviation(0, lane, 0);
        const Sum sum{factor, factor,           type.number, type.number,
                      false,  t.at.mayContract, t.at.isLoose};
        t.set(0, lane, t.terms().product(sum, operands, t.result().at(0, lane)));
    });
}

constexpr uint32_t kAll = ~uint32_t{0};
constexpr uint32_t only(uint32_t operand) { return 1u << operand; }
constexpr TransferRow moves(auto opcode, uint32_t data = kAll) {
    return {numberIn(opcode), nullptr, data};
}
constexpr TransferRow row(Transfer transfer, auto opcode, uint32_t data = kAll) {
    return {numberIn(opcode), transfer, data};
}

constexpr TransferRow kOtherRows[] = {
    moves(OpBranchConditional, 0),
    moves(OpSwitch, 0),
    moves(OpAccessChain, 0),
    moves(OpInBoundsAccessChain, 0),
    moves(OpPtrAccessChain, 0),
    moves(OpInBoundsPtrAccessChain, 0),
    moves(OpUntypedAccessChainKHR, 0),
    moves(OpUntypedInBoundsAccessChainKHR, 0),
    moves(OpUntypedPtrAccessChainKHR, 0),
    moves(OpUntypedInBoundsPtrAccessChainKHR, 0),
    row(loads, OpLoad, 0),
    moves(OpStore, only(1)),
    moves(OpCopyMemory, 0),
    moves(OpVariable),
    moves(OpCompositeConstruct),
    moves(OpCompositeConstructReplicateEXT),
    moves(OpCompositeExtract),
    moves(OpCompositeInsert),
    moves(OpCopyObject),
    moves(OpCopyLogical),
    moves(OpExpectKHR),
    TransferRow{numberIn(OpFreezeKHR), freezes, kAll, true},
    TransferRow{numberIn(OpReadClockKHR), isAny, kAll, true},
    moves(OpVectorShuffle),
    moves(OpTranspose),
    moves(OpVectorExtractDynamic, only(0)),
    moves(OpVectorInsertDynamic, only(0) | only(1)),
    moves(OpReturnValue),
    moves(OpFunctionCall),
    moves(kScripted),
    moves(OpAtomicIIncrement, only(3)),
    moves(OpAtomicIDecrement, only(3)),
    moves(OpAtomicIAdd, only(3)),
    moves(OpAtomicISub, only(3)),
    moves(OpAtomicSMin, only(3)),
    moves(OpAtomicUMin, only(3)),
    moves(OpAtomicSMax, only(3)),
    moves(OpAtomicUMax, only(3)),
    moves(OpAtomicAnd, only(3)),
    moves(OpAtomicOr, only(3)),
    moves(OpAtomicXor, only(3)),
    moves(OpAtomicStore, only(3)),
    moves(OpGroupNonUniformShuffle, only(1)),
    moves(OpGroupNonUniformShuffleXor, only(1)),
    moves(OpGroupNonUniformShuffleUp, only(1)),
    moves(OpGroupNonUniformShuffleDown, only(1)),
    moves(OpGroupNonUniformRotateKHR, only(1)),
    moves(OpGroupNonUniformBroadcast, only(1)),
    moves(OpGroupNonUniformBroadcastFirst, only(1)),
    moves(OpGroupNonUniformQuadBroadcast, only(1)),
    moves(OpGroupNonUniformQuadSwap, only(1)),
    moves(OpSubgroupFirstInvocationKHR, only(1)),
    moves(OpSubgroupReadInvocationKHR, only(1)),

    moves(OpCooperativeMatrixMulAddKHR),
    moves(OpCooperativeMatrixMulAddNV),
    moves(OpCooperativeMatrixConvertNV),
    moves(OpCooperativeMatrixTransposeNV),
    moves(OpCooperativeMatrixPerElementOpNV),
    moves(OpCooperativeMatrixReduceNV),
    moves(OpCooperativeMatrixGetCoordinateEXT, only(0)),
    moves(OpCooperativeMatrixLoadKHR, 0),
    moves(OpCooperativeMatrixLoadNV, 0),
    moves(OpCooperativeMatrixLoadTensorNV, only(1)),
    moves(OpCooperativeMatrixStoreKHR, only(1)),
    moves(OpCooperativeMatrixStoreNV, only(1)),
    moves(OpCooperativeMatrixStoreTensorNV, only(1)),
    moves(OpExtractSubArrayQCOM, only(0)),
    moves(OpCompositeConstructCoopMatQCOM),
    moves(OpCompositeExtractCoopMatQCOM),
    moves(OpSubgroup2DBlockLoadINTEL, 0),
    moves(OpSubgroup2DBlockLoadTransposeINTEL, 0),
    moves(OpSubgroup2DBlockLoadTransformINTEL, 0),
    moves(OpSubgroup2DBlockStoreINTEL, 0),
    moves(OpSubgroup2DBlockPrefetchINTEL),
    moves(OpCooperativeVectorLoadNV, 0),
    moves(OpCooperativeVectorStoreNV, only(2)),
    moves(OpCooperativeVectorMatrixMulNV, only(0)),
    moves(OpCooperativeVectorMatrixMulAddNV, only(0)),

    row(eachOf<converts>, OpFConvert),
    row(eachOf<converts>, OpConvertFToS),
    row(eachOf<converts>, OpConvertFToU),
    row(eachOf<converts>, OpConvertSToF),
    row(eachOf<converts>, OpConvertUToF),
    row(eachOf<converts>, OpSConvert),
    row(eachOf<converts>, OpUConvert),
    row(eachOf<selects>, OpSelect),
    row(eachOf<conjunction>, OpLogicalAnd),
    row(eachOf<disjunction>, OpLogicalOr),
    row(eachOf<opposite>, OpLogicalNot),
    row(eachOf<isUnequal>, OpINotEqual),
    row(eachOf<isEqual>, OpIEqual),
    row(reduces<true>, OpAll),
    row(reduces<false>, OpAny),

    row(integerDots<true, true, false>, OpSDot),
    row(integerDots<false, false, false>, OpUDot),
    row(integerDots<true, false, false>, OpSUDot),
    TransferRow{numberIn(OpSDotAccSat), integerDots<true, true, true>, kAll, true},
    TransferRow{numberIn(OpUDotAccSat), integerDots<false, false, true>, kAll, true},
    TransferRow{numberIn(OpSUDotAccSat), integerDots<true, false, true>, kAll, true},
    TransferRow{numberIn(OpDot), dots, kAll, true},
    TransferRow{numberIn(OpFDot2MixAcc32VALVE), dots, kAll, true},
    TransferRow{numberIn(OpFDot2MixAcc16VALVE), dots, kAll, true},
    TransferRow{numberIn(OpFDot4MixAcc32VALVE), dots, kAll, true},
};

}  // namespace

std::span<const TransferRow> otherTransfers() { return kOtherRows; }

}  // namespace coopvk::reference::symbols
