// SPDX-License-Identifier: Apache-2.0
//
// Vectors and matrices of linear algebra (SPIR-V, 3.52.13), dot products of integers
// (SPV_KHR_integer_dot_product) and of narrow floats (SPV_VALVE_mixed_float_dot_product), and
// geometry, inversion and numbers in two parts of GLSL.std.450, which are computed in double and
// rounded. A matrix has columns.

#include "execution/opcode_table.hpp"
#include "intervals/memory.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

// The product of two matrices; vectors are matrices of one column, or of one row before another
// matrix or vector. Each component of the result is a sum of products, rounded to the format once,
// at the end: no less exact than the formulas of Vulkan's "Precision of Individual Operations", and
// for bfloat16 what SPV_KHR_bfloat16 says of binary32.
void product(Subgroup& s, Out result, In a, In b) {
    const uint32_t depth = s.at->opcode == OpOuterProduct ? 1 : a.type->count;
    const uint32_t rows = a.components() / depth;
    withFormat(*s.program, scalarOf(s.type()), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        for (uint32_t c = 0; c < result.components(); ++c) {
            const uint32_t row = c % rows, column = c / rows;
            forLanes(s, [&](uint32_t lane) {
                auto sum = Compute(-0.0);  // which changes no term
                for (uint32_t n = 0; n < depth; ++n)
                    sum = Compute(sum + Compute(format.from(a.at(n * rows + row, lane)) *
                                                format.from(b.at(column * depth + n, lane))));
                result.at(c, lane) = format.to(sum);
            });
        }
    });
}

// Component n of a vector of integers, or of four bytes packed in 32 bits.
numbers::Wide componentAt(const Value& from, uint32_t n, uint32_t lane, bool isSigned) {
    const bool packed = from.type->isScalar();
    const uint32_t width = packed ? 8 : scalarOf(*from.type).width;
    const uint64_t bits = packed ? (from.at(0, lane) >> (n * 8)) & 0xFF : from.at(n, lane);
    return isSigned ? numbers::Wide{signExtend(bits, width)} : numbers::Wide{bits};
}
template <bool kFirstSigned, bool kSecondSigned, bool kAccumulate>
void integerDot(Subgroup& s, In a, In b) {
    const uint32_t width = s.type().width;
    const uint32_t count = a.type->isScalar() ? 4 : a.components();
    // The addition of the accumulator saturates.
    const numbers::Wide most = lowBits(kFirstSigned ? width - 1 : width);
    const numbers::Wide least = kFirstSigned ? -most - 1 : 0;
    setLanes(s, [&](uint32_t lane) {
        numbers::UnsignedWide low = 0;
        for (uint32_t n = 0; n < count; ++n)
            low += numbers::UnsignedWide(componentAt(a, n, lane, kFirstSigned)) *
                   numbers::UnsignedWide(componentAt(b, n, lane, kSecondSigned));
        auto sum = numbers::Wide(low);
        if constexpr (kAccumulate) {
            const uint64_t accumulator = s.operand(2).at(0, lane);
            sum = std::clamp(sum + (kFirstSigned ? numbers::Wide{signExtend(accumulator, width)}
                                                 : numbers::Wide{accumulator}),
                             least, most);
        }
        return uint64_t(sum) & lowBits(width);
    });
}

// SPV_VALVE_mixed_float_dot_product leaves order and precision open: here the sum is rounded once.
void mixedDot(Subgroup& s, In a, In b, In c) {
    const numbers::Number factor = numberOf(*a.type->element), sum = numberOf(s.type());
    setLanes(s, [&](uint32_t lane) {
        numbers::ExactSum exact;
        exact.add(numbers::decode(sum, c.at(0, lane)));
        for (uint32_t n = 0; n < a.components(); ++n)
            exact.addProduct(numbers::decode(factor, a.at(n, lane)),
                             numbers::decode(factor, b.at(n, lane)));
        return numbers::encode(sum, exact.value());
    });
}

using Numbers = std::vector<double>;
using Operands = std::vector<Numbers>;

// Gives f the operands of each lane as doubles, and stores what it returns.
void ofVectors(Subgroup& s, Out result, Numbers (*f)(const Operands&)) {
    withFormat(*s.program, scalarOf(*s.operand(0).type), [&](auto format) {
        Operands operands(s.operands());
        s.mask.forEach([&](uint32_t lane) {
            for (uint32_t n = 0; n < operands.size(); ++n) {
                const Value& from = s.operand(n);
                operands[n].resize(from.components());
                // The eta of Refract may have fewer bits than the vectors.
                withFormat(*s.program, scalarOf(*from.type), [&](auto own) {
                    for (uint32_t c = 0; c < from.components(); ++c)
                        operands[n][c] = double(own.from(from.at(c, lane)));
                });
            }
            const Numbers numbers = f(operands);
            for (uint32_t c = 0; c < result.components() && c < numbers.size(); ++c)
                result.at(c, lane) = format.to(numbers[c]);
        });
    });
}

template <auto kF>
void onVectors(Subgroup& s, Out result) {
    ofVectors(s, result, kF);
}

double dotOf(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
    return sum;
}
Numbers scaled(Numbers a, double by) {
    for (double& number : a) number *= by;
    return a;
}
// a + b * by
Numbers combined(Numbers a, const Numbers& b, double by) {
    for (size_t c = 0; c < a.size(); ++c) a[c] += b[c] * by;
    return a;
}
constexpr auto length = [](const Operands& o) { return Numbers{std::sqrt(dotOf(o[0], o[0]))}; };
constexpr auto distance = [](const Operands& o) { return length({combined(o[0], o[1], -1)}); };
constexpr auto cross = [](const Operands& o) {
    const Numbers &a = o[0], &b = o[1];
    return Numbers{a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]};
};
constexpr auto normalize = [](const Operands& o) { return scaled(o[0], 1 / length(o)[0]); };
// Operands: N, I, Nref.
constexpr auto faceForward = [](const Operands& o) {
    return scaled(o[0], dotOf(o[2], o[1]) < 0 ? 1 : -1);
};
// Operands: I, N.
constexpr auto reflect = [](const Operands& o) {
    return combined(o[0], o[1], -2 * dotOf(o[1], o[0]));
};
// Operands: I, N, eta.
constexpr auto refract = [](const Operands& o) {
    const double eta = o[2][0], along = dotOf(o[1], o[0]);
    const double k = 1 - eta * eta * (1 - along * along);
    if (k < 0) return Numbers(o[0].size());
    return combined(scaled(o[0], eta), o[1], -(eta * along + std::sqrt(k)));
};

size_t sideOf(const Numbers& matrix) {
    return size_t(std::lround(std::sqrt(double(matrix.size()))));
}
// The determinant without column c and row r, with the sign of its place.
double cofactor(const Numbers& matrix, size_t c, size_t r);
// By Laplace: it multiplies and adds only, so infinities and overflow are those of the formula.
double determinantOf(const Numbers& matrix) {
    if (matrix.empty()) return 1;
    double sum = matrix[0] * cofactor(matrix, 0, 0);
    for (size_t r = 1; r < sideOf(matrix); ++r) sum += matrix[r] * cofactor(matrix, 0, r);
    return sum;
}
double cofactor(const Numbers& matrix, size_t c, size_t r) {
    const size_t n = sideOf(matrix);
    Numbers rest;
    for (size_t k = 0; k < n * n; ++k)
        if (k / n != c && k % n != r) rest.push_back(matrix[k]);
    return ((c ^ r) & 1) == 0 ? determinantOf(rest) : -determinantOf(rest);
}
constexpr auto invert = [](const Operands& o) {
    const size_t n = sideOf(o[0]);
    Numbers inverse;
    for (size_t k = 0; k < n * n; ++k)
        inverse.push_back(cofactor(o[0], k % n, k / n) / determinantOf(o[0]));
    return inverse;
};
constexpr auto determinant = [](const Operands& o) { return Numbers{determinantOf(o[0])}; };

// The parts of a number: rest and whole part, significand and exponent. They are a structure, or
// the second one goes through a pointer.
template <bool kExponent, bool kPointer>
void splitNumbers(Subgroup& s, Out result, In from) {
    const uint32_t count = from.components();
    const Type& type =
        kPointer ? *s.program->slots[s.slot(1)].pointee.type : *result.type->members[1].type;
    const OwnValue own(type, s.lanes, s.intervals != nullptr);
    std::copy_n(from.defined, count, own.defined);
    const Value second = kPointer ? Value(own) : result.part(type, count);
    withFormat(*s.program, scalarOf(*from.type), [&](auto format) {
        for (uint32_t c = 0; c < count; ++c) {
            s.mask.forEach([&](uint32_t lane) {
                const auto value = double(format.from(from.at(c, lane)));
                double whole = 0;
                int exponent = 0;
                const double rest =
                    kExponent ? std::frexp(value, &exponent) : std::modf(value, &whole);
                result.at(c, lane) = format.to(rest);
                second.at(c, lane) = kExponent ? uint64_t(exponent) & lowBits(scalarOf(type).width)
                                               : format.to(whole);
                if (s.intervals == nullptr) return;
                const auto deviations =
                    intervals::split(from.get(c, lane), numberOf(scalarOf(*from.type)), kExponent,
                                     result.at(c, lane), second.at(c, lane));
                result.setDeviation(c, lane, deviations[0]);
                second.setDeviation(c, lane, deviations[1]);
            });
        }
    });
    if (kPointer) storeThrough(s, 1, second);
}

template <auto kFunction>
constexpr OpcodeRow onAll(auto opcode) {
    return row<kFunction>(opcode, Defined::kAll);
}
constexpr OpcodeRow kLinearRows[] = {
    onAll<product>(OpDot),
    onAll<product>(OpOuterProduct),
    onAll<product>(OpMatrixTimesVector),
    onAll<product>(OpVectorTimesMatrix),
    onAll<product>(OpMatrixTimesMatrix),
    onAll<integerDot<true, true, false>>(OpSDot),
    onAll<integerDot<false, false, false>>(OpUDot),
    onAll<integerDot<true, false, false>>(OpSUDot),
    onAll<integerDot<true, true, true>>(OpSDotAccSat),
    onAll<integerDot<false, false, true>>(OpUDotAccSat),
    onAll<integerDot<true, false, true>>(OpSUDotAccSat),
    onAll<mixedDot>(OpFDot2MixAcc32VALVE),
    onAll<mixedDot>(OpFDot2MixAcc16VALVE),
    onAll<mixedDot>(OpFDot4MixAcc32VALVE),
    onAll<onVectors<length>>(GLSLstd450Length),
    onAll<onVectors<distance>>(GLSLstd450Distance),
    onAll<onVectors<cross>>(GLSLstd450Cross),
    onAll<onVectors<normalize>>(GLSLstd450Normalize),
    onAll<onVectors<faceForward>>(GLSLstd450FaceForward),
    onAll<onVectors<reflect>>(GLSLstd450Reflect),
    onAll<onVectors<refract>>(GLSLstd450Refract),
    onAll<onVectors<determinant>>(GLSLstd450Determinant),
    onAll<onVectors<invert>>(GLSLstd450MatrixInverse),
    onAll<splitNumbers<false, false>>(GLSLstd450ModfStruct),
    onAll<splitNumbers<false, true>>(GLSLstd450Modf),
    onAll<splitNumbers<true, false>>(GLSLstd450FrexpStruct),
    onAll<splitNumbers<true, true>>(GLSLstd450Frexp),
};

}  // namespace

Rows linearRows() { return kLinearRows; }

}  // namespace coopvk::reference
