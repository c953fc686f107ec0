// SPDX-License-Identifier: Apache-2.0
//
// Statements that compute: products, arithmetic, conversions of components.
#include <cmath>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

double wrapped(Component component, double bound) {
    const ComponentInfo& of = info(component);
    if (of.isFloat) return bound;
    const double most = std::ldexp(1.0, static_cast<int>(8 * of.bytes - (of.isSigned ? 1 : 0))) - 1;
    return bound <= most ? bound : HUGE_VAL;
}

bool multiply(MatrixWriter& w) {
    const ProductRow& row = w.product;
    const uint32_t m = w.dimension(), n = w.dimension(), k = w.dimension();
    const Matrix a = w.take({row.a, m, k, kUseA}, HUGE_VAL);
    const Matrix b = w.take({row.b, k, n, kUseB}, HUGE_VAL);
    const Matrix c = w.take({row.c, m, n, kAccumulator}, HUGE_VAL);
    const double bound = wrapped(row.c, c.bound + k * a.bound * b.bound);
    if (!holds(row.c, bound)) return false;
    uint32_t operands = 0;
    if (!info(row.c).isFloat) {
        operands = (info(row.a).isSigned ? 1u : 0) | (info(row.b).isSigned ? 2u : 0) |
                   (info(row.c).isSigned ? 12u : 0);
        // Sums that saturate depend on their order if one overflows.
        if (info(row.c).isSigned && bound < HUGE_VAL && w.chance(4)) operands |= 16;
    }
    static constexpr const char* kNames[] = {
        "MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR", "MatrixCSignedComponentsKHR",
        "MatrixResultSignedComponentsKHR", "SaturatingAccumulationKHR"};
    std::string mask;
    for (size_t bit = 0; bit < std::size(kNames); ++bit)
        if ((operands >> bit & 1) != 0)
            mask += (mask.empty() ? " " : "|") + std::string(kNames[bit]);
    const std::string factors = std::format("{} {} {}", a.id, b.id, c.id);
    return w.add(w.text.value(w.multiplyAdd(c.type, factors, mask)), c.type, bound);
}

MatrixType arithmeticType(MatrixWriter& w) {
    for (;;) {
        const MatrixType type = w.anyType(w.chance(3) ? w.pick(2) : kAccumulator);
        if (info(type.component).hasArithmetic) return type;
        if (!info(w.product.c).hasArithmetic) return {Component::kF32, type.rows, type.columns, 2};
    }
}

bool arithmetic(MatrixWriter& w) {
    struct Row {
        const char *ofFloats, *ofIntegers;
        bool multiplies;
    };
    static constexpr Row kRows[] = {
        {"OpFAdd", "OpIAdd", false}, {"OpFSub", "OpISub", false}, {"OpFMul", "OpIMul", true}};
    const MatrixType type = arithmeticType(w);
    const Matrix x = w.take(type, HUGE_VAL), y = w.take(type, HUGE_VAL);
    const Row& row = kRows[w.pick(w.isNv ? 2 : 3)];
    const double bound =
        wrapped(type.component, row.multiplies ? x.bound * y.bound : x.bound + y.bound);
    if (!holds(type.component, bound)) return false;
    const char* opcode = info(type.component).isFloat ? row.ofFloats : row.ofIntegers;
    return w.add(w.text.value(std::format("{} {} {} {}", opcode, w.type(type), x.id, y.id)), type,
                 info(type.component).isSigned ? bound : HUGE_VAL);
}

bool negate(MatrixWriter& w) {
    const MatrixType type = arithmeticType(w);
    const Matrix x = w.take(type, HUGE_VAL);
    const char* opcode = info(type.component).isFloat ? "OpFNegate" : "OpSNegate";
    return w.add(w.text.value(std::format("{} {} {}", opcode, w.type(type), x.id)), type,
                 info(type.component).isSigned ? x.bound : HUGE_VAL);
}

bool divide(MatrixWriter& w) {
    const MatrixType type = arithmeticType(w);
    if (info(type.component).isFloat) return false;
    const Matrix x = w.take(type, HUGE_VAL);
    const std::string divisor = w.splat(type, 2 + static_cast<int>(w.pick(4)));
    const char* opcode = info(type.component).isSigned ? "OpSDiv" : "OpUDiv";
    return w.add(w.text.value(std::format("{} {} {} {}", opcode, w.type(type), x.id, divisor)),
                 type, x.bound);
}

bool timesScalar(MatrixWriter& w) {
    const MatrixType type = arithmeticType(w);
    const Matrix x = w.take(type, HUGE_VAL);
    const bool isUnsigned = !info(type.component).isSigned;
    const int factor = static_cast<int>(w.pick(7)) - (isUnsigned ? 0 : 3);
    const double bound = wrapped(type.component, x.bound * 6);
    if (!holds(type.component, bound)) return false;
    return w.add(w.text.value(std::format("OpMatrixTimesScalar {} {} {}", w.type(type), x.id,
                                          w.text.constant(type.component, factor))),
                 type, bound);
}

bool splat(MatrixWriter& w) {
    const MatrixType type = arithmeticType(w);
    return w.add(w.splat(type, static_cast<int>(w.pick(5))), type, 4);
}

bool select(MatrixWriter& w) {
    if (w.isNv || !w.hasAllFeatures) return false;
    const MatrixType type = w.anyType(w.pick(3));
    const Matrix x = w.take(type, HUGE_VAL), y = w.take(type, HUGE_VAL);
    return w.add(
        w.text.value(std::format("OpSelect {} {} {} {}", w.type(type), w.condition(), x.id, y.id)),
        type, std::max(x.bound, y.bound));
}

// The instruction that converts components; null if none does for these types and numbers.
const char* conversion(Component fromComponent, Component toComponent, double bound) {
    const ComponentInfo &from = info(fromComponent), &to = info(toComponent);
    const bool isSameSize =
        from.bytes == to.bytes && isNibble(fromComponent) == isNibble(toComponent);
    if (from.isFloat && to.isFloat) return bound <= to.limit ? "OpFConvert" : nullptr;
    if (from.isFloat) return to.isSigned && bound <= 127 ? "OpConvertFToS" : nullptr;
    if (to.isFloat && bound > to.limit) return nullptr;
    if (to.isFloat) return from.isSigned ? "OpConvertSToF" : "OpConvertUToF";
    if (isSameSize) return from.isSigned != to.isSigned ? "OpBitcast" : nullptr;
    if (from.isSigned != to.isSigned) return nullptr;
    return from.isSigned ? "OpSConvert" : "OpUConvert";
}

bool convert(MatrixWriter& w) {
    MatrixType type = w.anyType(w.pick(3));
    const Matrix x = w.take(type, HUGE_VAL);
    static constexpr Component kOthers[] = {Component::kF16, Component::kF32, Component::kS8,
                                            Component::kS32};
    type.component = w.chance(4) ? w.any(kOthers) : w.anyComponent();
    if (type.component == x.type.component) return false;
    const char* opcode = conversion(x.type.component, type.component, x.bound);
    if (opcode == nullptr) return false;
    const bool isBitcast = std::string_view(opcode) == "OpBitcast";
    return w.add(w.text.value(std::format("{} {} {}", opcode, w.type(type), x.id)), type,
                 isBitcast ? HUGE_VAL : wrapped(type.component, x.bound));
}

// Numbers that the format does not have, rounded to it. No other statement takes them.
bool roundAndStore(MatrixWriter& w) {
    if (w.isNv) return false;
    static constexpr Component kNarrow[] = {Component::kBf16, Component::kE4M3, Component::kE5M2,
                                            Component::kF16};
    static constexpr const char* kFactors[] = {"0.3", "1.0625", "0.0703125", "0.007", "0.51"};
    Text& text = w.text;
    MatrixType type{Component::kF32, w.dimension(), w.dimension(), w.pick(3)};
    const Matrix x = w.take(type, 256);
    const std::string factor =
        text.global(std::format("OpConstant {} {}", text.type(type.component), w.any(kFactors)));
    const std::string scaled =
        text.value(std::format("OpMatrixTimesScalar {} {} {}", w.type(type), x.id, factor));
    type.ofWorkgroup = w.ofWorkgroup;
    type.component = kNarrow[w.pick(w.hasAllFeatures ? 4 : 3)];
    return w.store(
        {text.value(std::format("OpFConvert {} {}", w.type(type), scaled)), type, HUGE_VAL});
}

bool changeUse(MatrixWriter& w) {
    if (w.isNv) return false;
    const Matrix x = w.take(w.anyType(kAccumulator), HUGE_VAL);
    w.text.need("CooperativeMatrixConversionsNV", "SPV_NV_cooperative_matrix2");
    MatrixType type = x.type;
    const bool isTransposed = w.chance(2);
    type.use = isTransposed ? kUseB : w.pick(2);
    if (isTransposed) std::swap(type.rows, type.columns);
    const char* opcode =
        isTransposed ? "OpCooperativeMatrixTransposeNV" : "OpCooperativeMatrixConvertNV";
    return w.add(w.text.value(std::format("{} {} {}", opcode, w.type(type), x.id)), type, x.bound);
}

constexpr MatrixStatement kValueStatements[] = {
    multiply, multiply, multiply,    arithmetic, arithmetic, negate,    divide,       splat,
    select,   convert,  timesScalar, convert,    changeUse,  changeUse, roundAndStore};

}  // namespace

std::span<const MatrixStatement> valueStatements() { return kValueStatements; }

}  // namespace coopvk::programs
