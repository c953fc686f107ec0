// SPDX-License-Identifier: Apache-2.0
//
// Instructions on floats that are known, but whose results are not: devices compute them with other
// precision, in another order, or as one with others. Where each way gives the same number, it is
// that.
#include <cmath>

#include "execution/float_domains.hpp"
#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

using numbers::Number;

// They say exactly what their results are.
constexpr uint32_t kExact[] = {numberIn(GLSLstd450Step), numberIn(GLSLstd450Fract)};
// "Undefined if one of the operands is a NaN", and of zeros of both signs.
constexpr uint32_t kChoosing[] = {numberIn(GLSLstd450FMin),   numberIn(GLSLstd450FMax),
                                  numberIn(GLSLstd450FClamp), numberIn(GLSLstd450NMin),
                                  numberIn(GLSLstd450NMax),   numberIn(GLSLstd450NClamp)};
// Which give products to sums, as one with which they may be computed.
constexpr uint32_t kPassing[] = {
    numberIn(OpFAdd),    numberIn(OpFSub),   numberIn(GLSLstd450Fma), numberIn(GLSLstd450FMix),
    numberIn(OpFNegate), numberIn(OpSelect), numberIn(GLSLstd450FAbs)};

bool isFloat(const Type& type) {
    bool is = type.kind == Kind::kFloat;
    for (const Member& member : type.members) is = is || isFloat(*member.type);
    return is || (type.element != nullptr && type.kind != Kind::kPointer && isFloat(*type.element));
}

bool isSum(uint32_t opcode) { return opcode == numberIn(OpFAdd) || opcode == numberIn(OpFSub); }

// Neither the sum of doubles nor that of the format was rounded: Knuth's sum of two.
bool isExactTotal(double x, double y, double total) {
    const double sum = x + y, part = sum - x;
    return sum == total && std::isfinite(sum) && (x - (sum - part)) + (y - part) == 0;
}

bool isProduct(uint32_t opcode) {
    return opcode == numberIn(OpFMul) || opcode == numberIn(OpVectorTimesScalar) ||
           opcode == numberIn(OpMatrixTimesScalar) || opcode == numberIn(GLSLstd450Fma);
}

}  // namespace

bool isExactProduct(double x, double y, double product) {
    // A product of two that is 0 may have been too small.
    if (product == 0) return x == 0 || y == 0;
    return std::isfinite(product) && std::fma(x, y, -product) == 0 && std::abs(product) > 0x1p-500;
}

// Integers of a common scale whose magnitudes together are less than the format's: each partial sum
// is exact.
bool isExactSum(std::span<const double> numbers, Number result) {
    int lowest = 4096;
    double total = 0;
    // SPIR-V, OpGroupNonUniformFAdd: "The identity I for Operation is 0": with it, or without.
    const auto isNegativeZero = [](double number) { return number == 0 && std::signbit(number); };
    if (!numbers.empty() && std::ranges::all_of(numbers, isNegativeZero)) return false;
    for (const double number : numbers) {
        if (!std::isfinite(number)) return false;
        if (number == 0) continue;
        int exponent = 0;
        double rest = std::abs(std::frexp(number, &exponent));
        for (; rest != std::trunc(rest); --exponent) rest *= 2;
        lowest = std::min(lowest, exponent);
        total += std::abs(number);
    }
    const numbers::Format& format = numbers::format(result);
    const int bits = format.mantissaBits + 1;
    const int least = 1 - format.bias - format.mantissaBits;
    return total == 0 ||
           (lowest >= least && total < std::ldexp(1.0, std::min(lowest + bits, 1023)) &&
            total < std::ldexp(1.0, (1 << format.exponentBits) - 2 - format.bias));
}

bool isInAnyOrder(uint32_t opcode, std::span<const double> members, Number result) {
    if (opcode == numberIn(OpFAdd)) return isExactSum(members, result);
    if (!isAmong(kChoosing, opcode)) return false;
    const auto isZero = [&](bool isNegative) {
        return std::ranges::any_of(members, [&](double member) {
            return member == 0 && std::signbit(member) == isNegative;
        });
    };
    const bool hasNan = std::ranges::any_of(members, [](double of) { return std::isnan(of); });
    return !hasNan && !(isZero(false) && isZero(true));
}

bool isOpen(const Instruction& at, const TransferRow* row) {
    if (row != nullptr) return row->isOpen;
    if (at.type == nullptr || at.row->defined != Defined::kComponentwise) return false;
    if (isProduct(at.row->opcode) || isSum(at.row->opcode))
        return isFloat(*at.type) && (at.isLoose || at.mayContract);
    if (isAmong(kExact, at.row->opcode)) return false;
    return isFloat(*at.type) && !isDetermined(at.row->opcode);
}

bool passesProducts(uint32_t opcode) { return isAmong(kPassing, opcode); }

// Of known operands.
bool Transferred::isOpenAt(uint32_t component, uint32_t lane) const {
    if (!isOpen) return false;
    const uint32_t opcode = at.row->opcode;
    const Number number = scalarOf(*at.type, component).number;
    std::vector<uint64_t> of;
    for (uint32_t n = 0; n < at.operands.size(); ++n)
        if (at[n].slot != kNone) of.push_back(*constant(n, component, lane));
    const uint64_t is = result().at(component, lane);
    if (isProduct(opcode)) {
        const double x = numbers::decodeDouble(number, of[0]),
                     y = numbers::decodeDouble(number, of[1]);
        const bool isSum = opcode == numberIn(GLSLstd450Fma);
        const uint64_t product = isSum ? numbers::encodeDouble(number, x * y) : is;
        return !isExactProduct(x, y, numbers::decodeDouble(number, product));
    }
    if (opcode == numberIn(GLSLstd450Ldexp)) {
        // "If exp is less than -126 (single precision), -1022 (double precision), or -14 (half
        // precision), the value returned may be flushed to zero."
        const uint32_t width = numbers::format(number).bits;
        const int64_t least = width == 64 ? -1022 : width == 32 ? -126 : -14;
        return domains::tooLarge(width, of[0], of[1]) != nullptr ||
               signExtend(of[1], widthOf(scalarOf(*operand(1).type, 0))) < least;
    }
    const auto isNan = [&](uint64_t bits) {
        return std::isnan(numbers::decodeDouble(number, bits));
    };
    if (opcode == numberIn(GLSLstd450FSign)) return isNan(of[0]);
    if (isSum(opcode)) {
        const double x = numbers::decodeDouble(number, of[0]),
                     y = numbers::decodeDouble(number, of[1]);
        return !isExactTotal(x, opcode == numberIn(OpFSub) ? -y : y,
                             numbers::decodeDouble(number, is));
    }
    if (!isAmong(kChoosing, opcode)) return true;
    // "Result is undefined if minVal > maxVal."
    const bool isClamp =
        opcode == numberIn(GLSLstd450FClamp) || opcode == numberIn(GLSLstd450NClamp);
    if (isClamp && numbers::decodeDouble(number, of[1]) > numbers::decodeDouble(number, of[2]))
        return true;
    const bool hasNan = std::ranges::any_of(of, isNan);
    constexpr uint32_t kWithoutNan[] = {numberIn(GLSLstd450FMin), numberIn(GLSLstd450FMax),
                                        numberIn(GLSLstd450FClamp)};
    if (hasNan && isAmong(kWithoutNan, opcode)) return true;
    const bool isOne = numbers::decodeDouble(number, is) != 0 && !hasNan;
    const auto isZero = [&](uint64_t bits) { return numbers::decodeDouble(number, bits) == 0; };
    const auto isOther = [&](uint64_t bits) { return isZero(bits) && bits != is; };
    return !isOne && (!isZero(is) || std::ranges::any_of(of, isOther));
}

}  // namespace coopvk::reference::symbols
