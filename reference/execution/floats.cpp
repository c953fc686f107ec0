// SPDX-License-Identifier: Apache-2.0
//
// Floating-point arithmetic (SPIR-V, 3.52.13; precision: Vulkan, "Precision of Individual
// Operations").
#include <cmath>

#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

template <auto kOp>
Step binary(Subgroup& s, const Instruction& i) {
    return mapFloats<2>(s, i, kOp);
}

// The sign bit changes, also of NaN; nothing rounds.
Step negate(Subgroup& s, const Instruction& i) {
    const uint64_t sign = uint64_t{1} << (scalarOf(*i.type).width - 1);
    mapComponents<1>(s, i, 0, [&](uint64_t bits) { return bits ^ sign; });
    return Step::kNext;
}

// Vector or matrix times scalar: mapComponents takes the scalar for all components.
constexpr auto kEach = Defined::kComponentwise;
constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto divide = [](auto a, auto b) { return a / b; };
constexpr auto remainder = [](auto a, auto b) { return std::fmod(a, b); };
// The sign of the second operand.
constexpr auto modulo = [](auto a, auto b) {
    const auto rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};

// SPV_KHR_cooperative_matrix allows it for matrices of integers, too.
Step matrixTimesScalar(Subgroup& s, const Instruction& i) {
    if (scalarOf(*i.type).kind == Kind::kFloat) return binary<multiply>(s, i);
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t) { return a * b; });
}

// One rounding: f16 in double has room for the exact sum but for extreme exponents.
Step fusedMultiplyAdd(Subgroup& s, const Instruction& i) {
    return mapFloats<3>(s, i, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpFAdd, binary<add>, kEach),
    row(spv::Op::OpFSub, binary<subtract>, kEach),
    row(spv::Op::OpFMul, binary<multiply>, kEach),
    row(spv::Op::OpFDiv, binary<divide>, kEach),
    row(spv::Op::OpFRem, binary<remainder>, kEach),
    row(spv::Op::OpFMod, binary<modulo>, kEach),
    row(spv::Op::OpFNegate, negate, kEach),
    row(spv::Op::OpFmaKHR, fusedMultiplyAdd, kEach),
    row(spv::Op::OpVectorTimesScalar, binary<multiply>, kEach),
    row(spv::Op::OpMatrixTimesScalar, matrixTimesScalar, kEach),
};

}  // namespace

Rows floatRows() { return kRows; }

}  // namespace coopvk::reference
