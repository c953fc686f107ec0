// SPDX-License-Identifier: Apache-2.0
//
// Instructions that move values, convert, compare or add them.
#include "intervals/arithmetic.hpp"
#include "intervals/memory.hpp"
#include "intervals/transfer.hpp"

namespace coopvk::reference::intervals {
namespace {

using numbers::Number;

// The handler carries deviations as it does bits.
void moves(const Transferred&) {}

// The same, from a place that the last operand names.
void movesByIndex(const Transferred& t) {
    const Value& index = t.operand(uint32_t(t.at.operands.size()) - 1);
    const Value& result = t.result();
    t.mask.forEach([&](uint32_t lane) {
        if (index.deviationAt(0, lane) == 0) return;
        for (uint32_t c = 0; c < result.components(); ++c) result.setDeviation(c, lane, kUndecided);
    });
}

void loads(const Transferred& t) {
    const Value& pointer = t.operand(0);
    const Value& result = t.result();
    t.mask.forEach([&](uint32_t lane) {
        for (uint32_t p = 0; p < pointer.components(); ++p)
            for (uint32_t c = 0; c < result.components() && pointer.deviationAt(p, lane); ++c)
                result.setDeviation(c, lane, kUndecided);
    });
}

void converts(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    if (from.components() != result.components()) return;
    const bool isFloat = scalarOf(*from.type).kind == Kind::kFloat;
    const Number number = numberOf(scalarOf(*from.type));
    const numbers::Conversion conversion = conversionOf(*t.s.program, t.at);
    const bool isNearest =
        t.s.program->controls(scalarOf(*result.type)).rounding == numbers::Rounding::nearestEven &&
        (t.at.rounding == kNone || spv::FPRoundingMode(t.at.rounding) == spv::FPRoundingMode::RTE);
    // A matrix whose use changes lies otherwise: its handler has carried them.
    if (result.type->kind == Kind::kCooperativeMatrix && from.type->use != result.type->use) return;
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const Deviation deviation = from.deviationAt(c, lane);
            const uint64_t bits = result.at(c, lane);
            Deviation to = isFloat || isUnknown(deviation)
                               ? converted(from.get(c, lane), number, conversion, bits)
                           : deviation != 0 ? kUndecided
                                            : 0;
            if (isNumber(to) && !isNearest) {
                const Number own = conversion.to();
                const Interval set = intervalOf(to, own, bits);
                to = deviationOf(own, bits,
                                 widened(set, [=](double v) { return unitInLastPlace(own, v); }));
            }
            result.setDeviation(c, lane, to);
        });
}

// The ends of a set, with infinities.
double lowest(const Interval& a) {
    return a.negativeInfinity ? -HUGE_VAL : a.hasFinite() ? a.low : HUGE_VAL;
}
double highest(const Interval& a) {
    return a.positiveInfinity ? HUGE_VAL : a.hasFinite() ? a.high : -HUGE_VAL;
}
bool mayBeEqual(const Interval& a, const Interval& b) {
    return lowest(a) <= highest(b) && lowest(b) <= highest(a);
}
bool mayBeUnequal(const Interval& a, const Interval& b) {
    return lowest(a) != highest(a) || lowest(b) != highest(b) || lowest(a) != lowest(b);
}
bool mayBeLess(const Interval& a, const Interval& b) { return lowest(a) < highest(b); }
bool mayBeGreater(const Interval& a, const Interval& b) { return mayBeLess(b, a); }
bool mayBeAtMost(const Interval& a, const Interval& b) { return lowest(a) <= highest(b); }
bool mayBeAtLeast(const Interval& a, const Interval& b) { return mayBeAtMost(b, a); }

// Whether a comparison of numbers of two sets may be true, and whether it may be false.
using May = bool (*)(const Interval&, const Interval&);
template <May kTrue, May kFalse>
void compares(const Transferred& t) {
    const Value& result = t.result();
    const Value &a = t.operand(0), &b = t.operand(1);
    const Number number = numberOf(scalarOf(*a.type));
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const Interval x = intervalOf(a.deviationAt(c, lane), number, a.at(c, lane));
            const Interval y = intervalOf(b.deviationAt(c, lane), number, b.at(c, lane));
            const bool isNan = (x.nan && x.hasFinite()) || (y.nan && y.hasFinite());
            const bool isDecided = !isNan && kTrue(x, y) != kFalse(x, y);
            const bool deviates = a.deviationAt(c, lane) != 0 || b.deviationAt(c, lane) != 0;
            result.setDeviation(c, lane, deviates && !isDecided ? kUndecided : 0);
        });
}

// Whether a number is special, which sets tell but for their finite numbers.
using Special = bool (*)(const Interval&);
template <Special kMay, Special kMust>
void classifies(const Transferred& t) {
    const Value &result = t.result(), &a = t.operand(0);
    const Number number = numberOf(scalarOf(*a.type));
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const Interval set = intervalOf(a.deviationAt(c, lane), number, a.at(c, lane));
            result.setDeviation(c, lane, kMay(set) != kMust(set) ? kUndecided : 0);
        });
}
bool mayBeNan(const Interval& a) { return a.nan; }
bool mustBeNan(const Interval& a) {
    return !a.hasFinite() && !a.positiveInfinity && !a.negativeInfinity;
}
bool mayBeInfinite(const Interval& a) { return a.positiveInfinity || a.negativeInfinity; }
bool mustBeInfinite(const Interval& a) { return !a.hasFinite() && !a.nan; }

// Operands: condition, then, else.
void selects(const Transferred& t) {
    const Value &result = t.result(), &condition = t.operand(0);
    const Value &then = t.operand(1), &other = t.operand(2);
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const uint32_t at = condition.components() > 1 ? c : 0;
            const Deviation a = then.deviationAt(c, lane), b = other.deviationAt(c, lane);
            if (condition.deviationAt(at, lane) == 0)
                return result.setDeviation(c, lane, condition.at(at, lane) != 0 ? a : b);
            const Type& scalar = scalarOf(*result.type, c);
            const uint64_t x = then.at(c, lane), y = other.at(c, lane);
            if (x == y && a == b) return result.setDeviation(c, lane, a);
            if (scalar.kind != Kind::kFloat) return result.setDeviation(c, lane, kUndecided);
            Interval set = intervalOf(a, scalar.number, x);
            set.unite(intervalOf(b, scalar.number, y));
            result.setDeviation(c, lane, deviationOf(scalar.number, result.at(c, lane), set));
        });
}

// Sums of products: vectors and matrices of linear algebra, as their handler has them.
void products(const Transferred& t) {
    const Value &result = t.result(), &a = t.operand(0), &b = t.operand(1);
    const uint32_t depth = t.at.opcode == OpOuterProduct ? 1 : a.type->count;
    const uint32_t rows = a.components() / depth;
    const Number number = numberOf(scalarOf(*result.type));
    const auto at = [&](const Value& from, uint32_t c, uint32_t lane, Deviation& any) {
        const Deviation deviation = from.deviationAt(c, lane);
        if (any == 0 || isUnknown(deviation)) any = deviation != 0 ? deviation : any;
        return intervalOf(deviation, number, from.at(c, lane));
    };
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            Deviation any = 0;
            SumBounds sum(number);
            for (uint32_t n = 0; n < depth; ++n) {
                const Interval x = at(a, n * rows + c % rows, lane, any);
                sum.addProduct(x, at(b, c / rows * depth + n, lane, any));
            }
            if (isNumber(any) || (any == 0 && addsInAnyOrder(t.s, t.at)))
                any = deviationOf(number, result.at(c, lane), sum.result());
            result.setDeviation(c, lane, any);
        });
}

// SPV_VALVE_mixed_float_dot_product: order and precision are open.
void mixedDots(const Transferred& t) {
    const Value &result = t.result(), &a = t.operand(0), &b = t.operand(1), &c = t.operand(2);
    const Number factor = numberOf(scalarOf(*a.type)), number = numberOf(scalarOf(*result.type));
    t.mask.forEach([&](uint32_t lane) {
        Deviation any = 0;
        const auto at = [&](const Value& from, uint32_t n, Number of) {
            const Deviation deviation = from.deviationAt(n, lane);
            if (isUnknown(deviation)) any = deviation;
            return intervalOf(deviation, of, from.at(n, lane));
        };
        SumBounds sum(number);
        sum.add(at(c, 0, number));
        for (uint32_t n = 0; n < a.components(); ++n)
            sum.addProduct(at(a, n, factor), at(b, n, factor));
        if (any == 0) any = deviationOf(number, result.at(0, lane), sum.result());
        result.setDeviation(0, lane, any);
    });
}

constexpr TransferRow kOtherRows[] = {
    row(loads, OpLoad),
    row(moves, OpVariable),
    row(moves, OpCompositeConstruct),
    row(moves, OpCompositeConstructReplicateEXT),
    row(moves, OpCompositeExtract),
    row(moves, OpCompositeInsert),
    row(moves, OpCopyObject),
    row(moves, OpCopyLogical),
    row(moves, OpExpectKHR),
    row(moves, OpFreezeKHR),
    row(moves, OpVectorShuffle),
    row(moves, OpTranspose),
    row(moves, GLSLstd450Modf),
    row(moves, GLSLstd450ModfStruct),
    row(moves, GLSLstd450Frexp),
    row(moves, GLSLstd450FrexpStruct),
    row(movesByIndex, OpVectorExtractDynamic),
    row(movesByIndex, OpVectorInsertDynamic),
    row(selects, OpSelect),
    row(moves, OpReturnValue),
    row(moves, OpFunctionCall),
    row(movesByIndex, OpGroupNonUniformShuffle),
    row(movesByIndex, OpGroupNonUniformShuffleXor),
    row(movesByIndex, OpGroupNonUniformShuffleUp),
    row(movesByIndex, OpGroupNonUniformShuffleDown),
    row(moves, OpGroupNonUniformRotateKHR),
    row(moves, OpGroupNonUniformBroadcast),
    row(moves, OpGroupNonUniformBroadcastFirst),
    row(moves, OpGroupNonUniformQuadBroadcast),
    row(moves, OpGroupNonUniformQuadSwap),
    row(moves, OpSubgroupFirstInvocationKHR),
    row(moves, OpSubgroupReadInvocationKHR),

    row(moves, OpAtomicFAddEXT),
    row(moves, OpAtomicLoad),
    row(moves, OpAtomicExchange),

    row(moves, OpCooperativeMatrixMulAddKHR),
    row(moves, OpCooperativeMatrixMulAddNV),
    row(moves, OpCooperativeMatrixLengthKHR),
    row(moves, OpCooperativeMatrixLengthNV),
    row(moves, OpCooperativeMatrixConvertNV),
    row(moves, OpCooperativeMatrixTransposeNV),
    row(moves, OpCooperativeMatrixReduceNV),
    row(moves, OpCooperativeMatrixPerElementOpNV),
    row(moves, OpCooperativeMatrixLoadKHR),
    row(moves, OpCooperativeMatrixLoadNV),
    row(moves, OpCooperativeMatrixLoadTensorNV),
    row(moves, OpExtractSubArrayQCOM),
    row(moves, OpCompositeConstructCoopMatQCOM),
    row(moves, OpCompositeExtractCoopMatQCOM),
    row(moves, OpCooperativeVectorLoadNV),
    row(moves, OpCooperativeVectorMatrixMulNV),
    row(moves, OpCooperativeVectorMatrixMulAddNV),

    row([](const Transferred&) {}, kScripted),  // lists say what it gives
    row(converts, OpFConvert),
    row(converts, OpConvertFToS),
    row(converts, OpConvertFToU),

    row(classifies<mayBeNan, mustBeNan>, OpIsNan),
    row(classifies<mayBeInfinite, mustBeInfinite>, OpIsInf),
    row(compares<mayBeEqual, mayBeUnequal>, OpFOrdEqual),
    row(compares<mayBeUnequal, mayBeEqual>, OpFOrdNotEqual),
    row(compares<mayBeLess, mayBeAtLeast>, OpFOrdLessThan),
    row(compares<mayBeAtMost, mayBeGreater>, OpFOrdLessThanEqual),
    row(compares<mayBeGreater, mayBeAtMost>, OpFOrdGreaterThan),
    row(compares<mayBeAtLeast, mayBeLess>, OpFOrdGreaterThanEqual),
    row(compares<mayBeEqual, mayBeUnequal>, OpFUnordEqual),
    row(compares<mayBeUnequal, mayBeEqual>, OpFUnordNotEqual),
    row(compares<mayBeLess, mayBeAtLeast>, OpFUnordLessThan),
    row(compares<mayBeAtMost, mayBeGreater>, OpFUnordLessThanEqual),
    row(compares<mayBeGreater, mayBeAtMost>, OpFUnordGreaterThan),
    row(compares<mayBeAtLeast, mayBeLess>, OpFUnordGreaterThanEqual),

    row(products, OpDot),
    row(products, OpOuterProduct),
    row(products, OpMatrixTimesVector),
    row(products, OpVectorTimesMatrix),
    row(products, OpMatrixTimesMatrix),
    row(mixedDots, OpFDot2MixAcc32VALVE),
    row(mixedDots, OpFDot2MixAcc16VALVE),
    row(mixedDots, OpFDot4MixAcc32VALVE),
};

}  // namespace

std::span<const TransferRow> otherTransfers() { return kOtherRows; }

}  // namespace coopvk::reference::intervals
