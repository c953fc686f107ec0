// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450: geometry, matrices, and results of two parts. Computed in double and rounded.
#include <spirv/unified1/GLSL.std.450.h>

#include <cmath>
#include <vector>

#include "execution/families.hpp"
#include "execution/map.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

using Numbers = std::vector<double>;

// Gives f the operands of each lane as doubles, and stores what it returns.
template <typename F>
Step onVectors(Subgroup& s, const Instruction& i, F f) {
    const Value result = s.result(i);
    return withFormat(*s.program, scalarOf(*s.operand(i, 0).type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        std::vector<Numbers> operands(i.operands.size());
        s.mask.forEach([&](uint32_t lane) {
            for (uint32_t n = 0; n < operands.size(); ++n) {
                const Value from = s.operand(i, n);
                operands[n].resize(from.components());
                for (uint32_t c = 0; c < from.components(); ++c)
                    operands[n][c] = static_cast<double>(format.from(from.at(c, lane)));
            }
            const Numbers numbers = f(operands);
            for (uint32_t c = 0; c < result.components() && c < numbers.size(); ++c)
                result.at(c, lane) = format.to(static_cast<Compute>(numbers[c]));
        });
        return Step::kNext;
    });
}

double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
    return sum;
}
// a + b * by
Numbers combined(const Numbers& a, const Numbers& b, double by) {
    Numbers sum(a.size());
    for (size_t c = 0; c < a.size(); ++c) sum[c] = a[c] + b[c] * by;
    return sum;
}

using Operands = std::vector<Numbers>;
Numbers length(const Operands& o) { return {std::sqrt(dot(o[0], o[0]))}; }
Numbers distance(const Operands& o) {
    const Numbers difference = combined(o[0], o[1], -1);
    return {std::sqrt(dot(difference, difference))};
}
Numbers cross(const Operands& o) {
    const Numbers &a = o[0], &b = o[1];
    return {a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]};
}
Numbers normalize(const Operands& o) {
    return combined(Numbers(o[0].size()), o[0], 1 / std::sqrt(dot(o[0], o[0])));
}
// Operands: N, I, Nref.
Numbers faceForward(const Operands& o) {
    return combined(Numbers(o[0].size()), o[0], dot(o[2], o[1]) < 0 ? 1 : -1);
}
// Operands: I, N.
Numbers reflect(const Operands& o) { return combined(o[0], o[1], -2 * dot(o[1], o[0])); }
// Operands: I, N, eta.
Numbers refract(const Operands& o) {
    const double eta = o[2][0], along = dot(o[1], o[0]);
    const double k = 1 - eta * eta * (1 - along * along);
    if (k < 0) return Numbers(o[0].size());
    return combined(combined(Numbers(o[0].size()), o[0], eta), o[1], -(eta * along + std::sqrt(k)));
}

// Gauss and Jordan, with the inverse beside the matrix. Returns the determinant.
double invert(Numbers matrix, Numbers& inverse) {
    const auto n = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
    inverse.assign(n * n, 0);
    for (size_t c = 0; c < n; ++c) inverse[c * n + c] = 1;
    double determinant = 1;
    for (size_t c = 0; c < n; ++c) {
        size_t pivot = c;
        for (size_t r = c; r < n; ++r)
            if (std::fabs(matrix[r * n + c]) > std::fabs(matrix[pivot * n + c])) pivot = r;
        const double by = matrix[pivot * n + c];
        if (by == 0) return 0;
        determinant *= pivot == c ? by : -by;
        for (size_t k = 0; k < n; ++k) {
            std::swap(matrix[c * n + k], matrix[pivot * n + k]);
            std::swap(inverse[c * n + k], inverse[pivot * n + k]);
            matrix[c * n + k] /= by;
            inverse[c * n + k] /= by;
        }
        for (size_t r = 0; r < n; ++r) {
            const double factor = matrix[r * n + c];
            if (r == c) continue;
            for (size_t k = 0; k < n; ++k) {
                matrix[r * n + k] -= factor * matrix[c * n + k];
                inverse[r * n + k] -= factor * inverse[c * n + k];
            }
        }
    }
    return determinant;
}
Numbers determinant(const Operands& o) {
    Numbers inverse;
    return {invert(o[0], inverse)};
}
Numbers inverseOf(const Operands& o) {
    Numbers inverse;
    (void)invert(o[0], inverse);
    return inverse;
}

template <auto kF>
Step vectors(Subgroup& s, const Instruction& i) {
    return onVectors(s, i, kF);
}

// The parts of a number: {rest, whole part} or {significand, exponent}.
template <bool kExponent, typename Store>
void split(Subgroup& s, const Instruction& i, Store store) {
    const Value from = s.operand(i, 0);
    withFormat(*s.program, scalarOf(*from.type), [&](auto format) {
        using Compute = typename decltype(format)::Compute;
        for (uint32_t c = 0; c < from.components(); ++c) {
            s.mask.forEach([&](uint32_t lane) {
                const auto value = static_cast<double>(format.from(from.at(c, lane)));
                double whole = 0;
                int exponent = 0;
                const double rest =
                    kExponent ? std::frexp(value, &exponent) : std::modf(value, &whole);
                const uint64_t second = kExponent
                                            ? static_cast<uint64_t>(static_cast<int64_t>(exponent))
                                            : format.to(static_cast<Compute>(whole));
                store(c, lane, format.to(static_cast<Compute>(rest)), second);
            });
        }
    });
}
template <bool kExponent>
Step splitStruct(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const uint32_t count = s.operand(i, 0).components();
    const uint64_t mask = widthMask(scalarOf(*result.type, count).width);
    split<kExponent>(s, i, [&](uint32_t c, uint32_t lane, uint64_t first, uint64_t second) {
        result.at(c, lane) = first;
        result.at(count + c, lane) = second & mask;
    });
    return Step::kNext;
}

constexpr OpcodeRow glsl(uint32_t number, Handler handler) {
    return {number, handler, Defined::kAll, nullptr};
}
constexpr OpcodeRow kRows[] = {
    glsl(GLSLstd450Length, vectors<length>),
    glsl(GLSLstd450Distance, vectors<distance>),
    glsl(GLSLstd450Cross, vectors<cross>),
    glsl(GLSLstd450Normalize, vectors<normalize>),
    glsl(GLSLstd450FaceForward, vectors<faceForward>),
    glsl(GLSLstd450Reflect, vectors<reflect>),
    glsl(GLSLstd450Refract, vectors<refract>),
    glsl(GLSLstd450Determinant, vectors<determinant>),
    glsl(GLSLstd450MatrixInverse, vectors<inverseOf>),
    glsl(GLSLstd450ModfStruct, splitStruct<false>),
    glsl(GLSLstd450FrexpStruct, splitStruct<true>),
};

}  // namespace

Rows glslVectorRows() { return kRows; }

}  // namespace coopvk::reference
