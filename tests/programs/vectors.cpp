// SPDX-License-Identifier: Apache-2.0
//
// Statements on vectors that compute: products, arithmetic, conversions, components.
#include "vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

constexpr VectorProduct kVectorProducts[] = {
    {kF16, kF16, kF16, kF16, kF16},   {kF16, kF16, kF16, kF16, kF16},
    {kF32, kF32, kF32, kF32, kF32},   {kF16, kF16, kF16, kF32, kF32},
    {kF16, kE4M3, kE4M3, kF16, kF16}, {kF16, kE5M2, kE5M2, kF16, kF16},
    {kF32, kS8, kS8, kS32, kS32},     {kS8, kS8, kS8, kS32, kS32},
    {kU8, kU8, kU8, kU32, kU32},
};
constexpr uint32_t kVectorSizes[] = {16, 8, 4, 24, 32}, kSmallVectorSizes[] = {4, 8, 8, 16};
}  // namespace

VectorWriter::VectorWriter(uint64_t seed, uint32_t lanes_, Features features, Size size_)
    : Writer(seed, lanes_, features, size_) {
    text.need("CooperativeVectorNV", "SPV_NV_cooperative_vector");
    subgroups_ = std::min(1u + pick(2), 128 / lanes_);
    product_ = any(kVectorProducts);
    if (isSmall && chance(2)) subgroups_ = 1;
    for (uint32_t& size : sizes_) size = isSmall ? any(kSmallVectorSizes) : any(kVectorSizes);
}

bool VectorWriter::multiply() {
    const VectorProduct& row = product_;
    const uint32_t m = sizes_[pick(3)], k = sizes_[pick(3)];
    const Vector x = take({row.input, k});
    const bool hasBias = chance(2);
    const double bound = k * kVectorInput * x.bound + (hasBias ? kVectorInput : 0);
    if (!holds(row.result, bound) || !holds(row.interpretation, x.bound)) return false;
    if (info(row.input).isFloat && !info(row.interpretation).isFloat && x.bound > 127) return false;
    const VectorType of{row.result, m};
    // Row major, column major, optimal for inferencing or training. Some matrices are transposed.
    const uint32_t layout = chance(2) ? 0 : pick(4);
    const bool isTransposed = info(row.matrix).isFloat && info(row.matrix).bytes > 1 && chance(4);
    const uint32_t rows = isTransposed ? k : m, columns = isTransposed ? m : k;
    const uint32_t line = (layout == 1 ? rows : columns) * info(row.matrix).bytes;
    const bool isOptimal = layout > 1;
    // Rows of optimal layouts have gaps in one of the two executions if they are no multiple.
    if (isOptimal && line % 16 != 0) return false;
    const uint32_t stride = (line + 15) / 16 * 16 + 16 * pick(2);
    std::string mask;
    const auto flag = [&](Component component, const char* name) {
        if (!info(component).isFloat && info(component).isSigned)
            mask += (mask.empty() ? " " : "|") + std::string(name);
    };
    flag(row.input, "MatrixBSignedComponentsKHR");
    flag(row.result, "MatrixResultSignedComponentsKHR");
    std::string bias;
    if (hasBias)
        bias = std::format(" {} {} {}", inputArray(row.bias), number(64 * pick(16)),
                           text.u32(info(row.bias).vulkan));
    return make(
        std::format(
            "{} {} {} {} {} {} {}{} {} {} {} {} {}{}",
            hasBias ? "OpCooperativeVectorMatrixMulAddNV" : "OpCooperativeVectorMatrixMulNV",
            type(of), x.id, text.u32(info(row.interpretation).vulkan), inputArray(row.matrix),
            weightsAt(), text.u32(info(row.matrix).vulkan), bias, text.size(m), text.size(k),
            text.u32(layout), boolean(isTransposed), text.size(stride), mask),
        of, bound);
}

bool VectorWriter::arithmetic() {
    struct Row {
        const char *ofFloats, *ofIntegers;
        bool multiplies;
    };
    static constexpr Row kRows[] = {
        {"OpFAdd", "OpIAdd", false}, {"OpFSub", "OpISub", false}, {"OpFMul", "OpIMul", true}};
    const VectorType of = anyType();
    const Vector x = take(of), y = take(of);
    const Row& row = any(kRows);
    const double bound = row.multiplies ? x.bound * y.bound : x.bound + y.bound;
    if (!holds(of.component, bound)) return false;
    return make(
        std::format("{} {} {} {}", info(of.component).isFloat ? row.ofFloats : row.ofIntegers,
                    type(of), x.id, y.id),
        of, info(of.component).isFloat ? bound : HUGE_VAL);
}

bool VectorWriter::timesScalar() {
    const VectorType of = anyType();
    const Vector x = take(of);
    const bool isFloat = info(of.component).isFloat;
    if (!isFloat || !holds(of.component, x.bound * 3)) return false;
    return make(std::format("OpVectorTimesScalar {} {} {}", type(of), x.id,
                            text.constant(of.component, static_cast<int>(pick(7)) - 3)),
                of, x.bound * 3);
}

bool VectorWriter::convert() {
    VectorType of = anyType();
    const Vector x = take(of);
    static constexpr Component kOthers[] = {kF16, kF32, kS32, kS8};
    of.component = any(kOthers);
    const ComponentInfo &from = info(x.type.component), &to = info(of.component);
    if (of.component == x.type.component || !from.isSigned) return false;
    const char* opcode = from.isFloat && to.isFloat ? "OpFConvert"
                         : from.isFloat             ? "OpConvertFToS"
                         : to.isFloat               ? "OpConvertSToF"
                                                    : "OpSConvert";
    if (to.isFloat && x.bound > to.limit) return false;
    if (from.isFloat && !to.isFloat && x.bound > 127) return false;
    const bool mayWrap = !from.isFloat && !to.isFloat;
    return make(std::format("{} {} {}", opcode, type(of), x.id), of,
                mayWrap && x.bound > 127 ? HUGE_VAL : x.bound);
}

// A component moved to another place, at indices that differ between invocations.
bool VectorWriter::moveComponent() {
    const VectorType of = anyType();
    const Vector x = take(of), y = take(of);
    const std::string scalar = text.type(of.component), u32 = text.type(kU32);
    const auto index = [&] {
        if (chance(2)) return text.u32(pick(of.size));
        return text.value(std::format("OpUMod {} {} {}", u32, invocation(), text.u32(of.size)));
    };
    const std::string element =
        text.value(std::format("OpVectorExtractDynamic {} {} {}", scalar, x.id, index()));
    return make(std::format("OpVectorInsertDynamic {} {} {} {}", type(of), y.id, element, index()),
                of, std::max(x.bound, y.bound));
}

bool VectorWriter::insertConstant() {
    const VectorType of = anyType();
    const Vector x = take(of);
    const std::string element = text.value(
        std::format("OpCompositeExtract {} {} {}", text.type(of.component), x.id, pick(of.size)));
    return make(
        std::format("OpCompositeInsert {} {} {} {}", type(of), element, x.id, pick(of.size)), of,
        x.bound);
}

}  // namespace coopvk::programs
