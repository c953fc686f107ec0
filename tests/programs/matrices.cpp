// SPDX-License-Identifier: Apache-2.0
#include "matrices.hpp"

#include <algorithm>
#include <cmath>

namespace coopvk::programs {
namespace {

using enum Component;

constexpr ProductRow kProducts[] = {
    {kF16, kF16, kF16},   {kF16, kF16, kF32},   {kF16, kF16, kF32},   {kF32, kF32, kF32},
    {kBf16, kBf16, kF32}, {kE4M3, kE4M3, kF32}, {kE5M2, kE5M2, kF32}, {kE4M3, kE5M2, kF32},
    {kE4M3, kE4M3, kF16}, {kS8, kS8, kS32},     {kU8, kU8, kU32},     {kS8, kU8, kS32},
    {kU8, kS8, kS32},
};
constexpr uint32_t kSizes[] = {8, 16, 16, 16, 32, 4, 24};
constexpr uint32_t kWorkgroupSizes[] = {16, 16, 32};
constexpr double kInput = 4;  // largest number in memory

}  // namespace

bool holds(Component component, double bound) {
    return !info(component).isFloat || bound <= info(component).limit;
}

MatrixWriter::MatrixWriter(uint64_t seed, uint32_t lanes_) : Writer(seed, lanes_) {
    text.need("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    ofWorkgroup = chance(4);
    subgroups = std::min(1u << pick(ofWorkgroup ? 3 : 2), 512 / lanes);
    for (uint32_t& size : dimensions) size = ofWorkgroup ? any(kWorkgroupSizes) : any(kSizes);
    product = any(kProducts);
}

std::string MatrixWriter::type(const MatrixType& of) {
    if (of.component == kBf16) text.need("BFloat16CooperativeMatrixKHR");
    if (of.component == kE4M3 || of.component == kE5M2) text.need("Float8CooperativeMatrixEXT");
    return text.global(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                   text.type(of.component), text.u32(ofWorkgroup ? 2 : 3),
                                   text.u32(of.rows), text.u32(of.columns), text.u32(of.use)));
}

Component MatrixWriter::anyComponent() {
    const Component components[] = {product.a, product.b, product.c, product.c};
    return any(components);
}

MatrixType MatrixWriter::anyType(uint32_t use) {
    return {anyComponent(), dimension(), dimension(), use};
}

std::string MatrixWriter::indexOf(uint32_t first, uint32_t count) {
    if (ofWorkgroup || subgroups == 1) return number(first);
    const std::string offset =
        text.value(std::format("OpIMul {} {} {}", text.type(kU32), builtIn("SubgroupId"),
                               text.u32((count + 15) / 16 * 16)));
    return add(number(first), offset);
}

namespace {

struct Region {
    bool isColumnMajor;
    uint32_t stride, elements;
};

// Lines begin at multiples of 16 elements.
Region randomRegion(MatrixWriter& w, const MatrixType& type) {
    const bool isColumnMajor = w.chance(2);
    const uint32_t line = isColumnMajor ? type.rows : type.columns;
    const uint32_t stride = (line + 15) / 16 * 16 + 16 * w.pick(2);
    return {isColumnMajor, stride, stride * (isColumnMajor ? type.columns : type.rows)};
}

}  // namespace

Matrix MatrixWriter::load(const MatrixType& of) {
    const Region region = randomRegion(*this, of);
    const uint32_t first = 16 * pick((capacity(of.component) / subgroups - region.elements) / 16);
    const std::string pointer = input(of.component, indexOf(first, 16));
    const std::string id =
        text.value(std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", type(of), pointer,
                               text.u32(region.isColumnMajor ? 1 : 0), text.u32(region.stride)));
    return {id, of, kInput};
}

bool MatrixWriter::store(const Matrix& matrix) {
    const Region region = randomRegion(*this, matrix.type);
    uint32_t first = 0;
    const uint32_t count = region.elements * (ofWorkgroup ? 1 : subgroups);
    if (!reserve(matrix.type.component, count, first)) return false;
    const std::string pointer = output(matrix.type.component, indexOf(first, region.elements));
    text.line(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}", pointer, matrix.id,
                          text.u32(region.isColumnMajor ? 1 : 0), text.u32(region.stride)));
    return true;
}

Matrix MatrixWriter::take(const MatrixType& of, double bound) {
    std::vector<Matrix> suitable;
    for (const Matrix& matrix : live)
        if (matrix.type == of && matrix.bound <= bound) suitable.push_back(matrix);
    if (!suitable.empty() && !chance(4)) return suitable[pick(suitable.size())];
    const Matrix loaded = load(of);
    live.push_back(loaded);
    return loaded;
}

bool MatrixWriter::add(std::string id, const MatrixType& of, double bound) {
    live.push_back({std::move(id), of, bound});
    return true;
}

std::string MatrixWriter::splat(const MatrixType& of, int value) {
    const std::string scalar = text.constant(of.component, value);
    if (chance(2)) return text.global(std::format("OpConstantComposite {} {}", type(of), scalar));
    return text.value(std::format("OpCompositeConstruct {} {}", type(of), scalar));
}

void MatrixWriter::barrier() {
    // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
    text.line(std::format("OpControlBarrier {0} {0} {1}", text.u32(2), text.u32(0x6108)));
}

std::string MatrixWriter::shared(const std::string& pointerType) {
    std::string& variable = shared_[pointerType];
    if (variable.empty()) variable = text.variable(pointerType, "Workgroup");
    return variable;
}

std::string MatrixWriter::condition() {
    const std::string boolean = text.global("OpTypeBool");
    const std::string left = number(pick(kNumbers)), right = number(pick(kNumbers));
    return text.value(std::format("OpULessThan {} {} {}", boolean, left, right));
}

bool statement(MatrixWriter& w) {
    const std::span<const MatrixStatement> kinds[] = {valueStatements(), callStatements(),
                                                      memoryStatements(), controlStatements()};
    const auto kind = kinds[std::min(w.pick(7), 3u)];
    return w.any(kind)(w);
}

Program MatrixWriter::program() {
    const uint32_t count = 3 + pick(8);
    for (uint32_t made = 0, tries = 0; made < count && tries < 60; ++tries)
        made += statement(*this) ? 1 : 0;
    // The newest values follow from most of the others.
    for (size_t i = live.size(), stored = 0; i-- > 0 && stored < 6;)
        stored += store(live[i]) ? 1 : 0;
    Program made{.text = text.module(lanes * subgroups), .lanes = lanes};
    for (uint32_t n = 0; n < kNumbers; ++n) made.push.push_back(n);
    return made;
}

Program matrixProgram(uint64_t seed, uint32_t lanes) { return MatrixWriter(seed, lanes).program(); }

}  // namespace coopvk::programs
