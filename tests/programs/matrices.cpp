// SPDX-License-Identifier: Apache-2.0
#include "matrices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace coopvk::programs {
namespace {

using enum Component;

constexpr ProductRow kMatrixProducts[] = {
    {kF16, kF16, kF16},   {kF16, kF16, kF32},    {kF16, kF16, kF32},    {kF32, kF32, kF32},
    {kBf16, kBf16, kF32}, {kE4M3, kE4M3, kF32},  {kE5M2, kE5M2, kF32},  {kE4M3, kE5M2, kF32},
    {kE4M3, kE4M3, kF16}, {kS8, kS8, kS32},      {kU8, kU8, kU32},      {kS8, kU8, kS32},
    {kU8, kS8, kS32},     {kBf16, kBf16, kBf16}, {kE4M3, kE4M3, kE4M3}, {kE5M2, kE4M3, kF16},
    {kE5M2, kE5M2, kF16}, {kS4, kS4, kS32},      {kU4, kU4, kU32},      {kS4, kU4, kS32},
    {kS16, kS16, kS32},
};
constexpr ProductRow kNvProducts[] = {
    {kF16, kF16, kF16}, {kF16, kF16, kF32}, {kF32, kF32, kF32}, {kS8, kS8, kS32}, {kU8, kU8, kU32}};
constexpr uint32_t kMatrixSizes[] = {8, 16, 16, 16, 32, 4, 24, 12};
constexpr uint32_t kWorkgroupSizes[] = {16, 16, 32, 48};
constexpr uint32_t kSmallMatrixSizes[] = {8, 8, 4, 16}, kSmallWorkgroupSizes[] = {16, 16, 16, 32};

// The largest number in memory.
double inputOf(Component component) { return component == kS4 ? 8 : component == kU4 ? 15 : 4; }

}  // namespace

bool holds(Component component, double bound) {
    return !info(component).isFloat || bound <= info(component).limit;
}

MatrixWriter::MatrixWriter(uint64_t seed, uint32_t lanes_, Features features, Size size_)
    : Writer(seed, lanes_, features, size_) {
    isNv = chance(8);
    usesUntyped = usesUntyped && !isNv;
    product = isNv ? any(kNvProducts) : any(kMatrixProducts);
    if (isNv)
        text.need("CooperativeMatrixNV", "SPV_NV_cooperative_matrix");
    else
        text.need("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    const bool isOfSubgroups = isNv || isNibble(product.a) || product.a == kS16;
    ofWorkgroup = !isOfSubgroups && chance(4);
    mixesScopes = ofWorkgroup && chance(3);
    subgroups = std::min(1u << pick(ofWorkgroup ? 4 : 2), 512 / lanes);
    if (isSmall && chance(2)) subgroups = 1;
    subgroupsPart = subgroups > 1 && !ofWorkgroup && chance(2);
    for (uint32_t& size : dimensions) {
        if (isSmall)
            size = ofWorkgroup ? any(kSmallWorkgroupSizes) : any(kSmallMatrixSizes);
        else
            size = ofWorkgroup ? any(kWorkgroupSizes) : any(kMatrixSizes);
    }
}

std::string MatrixWriter::type(const MatrixType& of) {
    if (isNv)
        return text.global(std::format("OpTypeCooperativeMatrixNV {} {} {} {}",
                                       text.type(of.component), text.u32(3), text.size(of.rows),
                                       text.size(of.columns)));
    if (of.component == kBf16) text.need("BFloat16CooperativeMatrixKHR");
    if (of.component == kE4M3 || of.component == kE5M2) text.need("Float8CooperativeMatrixEXT");
    if (isNibble(of.component)) text.need("Int4CooperativeMatrixINTEL");
    return text.global(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                   text.type(of.component), text.u32(ofWorkgroup ? 2 : 3),
                                   text.size(of.rows), text.size(of.columns), text.u32(of.use)));
}

std::string MatrixWriter::loadFrom(const MatrixType& of, const std::string& pointer,
                                   bool isColumnMajor, uint32_t stride, const char* operands) {
    if (isNv)
        return text.value(std::format("OpCooperativeMatrixLoadNV {} {} {} {} {}", type(of), pointer,
                                      text.size(stride), boolean(isColumnMajor), operands));
    return text.value(std::format("OpCooperativeMatrixLoadKHR {} {} {} {} {}", type(of), pointer,
                                  text.u32(isColumnMajor ? 1 : 0), text.size(stride), operands));
}

void MatrixWriter::storeTo(const std::string& pointer, const std::string& id, bool isColumnMajor,
                           uint32_t stride, const char* operands) {
    if (isNv)
        text.line(std::format("OpCooperativeMatrixStoreNV {} {} {} {} {}", pointer, id,
                              text.size(stride), boolean(isColumnMajor), operands));
    else
        text.line(std::format("OpCooperativeMatrixStoreKHR {} {} {} {} {}", pointer, id,
                              text.u32(isColumnMajor ? 1 : 0), text.size(stride), operands));
}

std::string MatrixWriter::multiplyAdd(const MatrixType& of, const std::string& factors,
                                      const std::string& mask) {
    return std::format("{} {} {}{}",
                       isNv ? "OpCooperativeMatrixMulAddNV" : "OpCooperativeMatrixMulAddKHR",
                       type(of), factors, isNv ? "" : mask);
}

Component MatrixWriter::anyComponent() {
    const Component components[] = {product.a, product.b, product.c, product.c};
    return any(components);
}

MatrixType MatrixWriter::anyType(uint32_t use) {
    MatrixType made{anyComponent(), dimension(), dimension(), use};
    if (use == kAccumulator && isNibble(made.component)) made.component = product.c;
    return made;
}

std::string MatrixWriter::indexOf(uint32_t first, uint32_t count) {
    if (ofWorkgroup || subgroups == 1) return number(first);
    const std::string offset = text.value(
        std::format("OpIMul {} {} {}", text.type(kU32), builtIn("SubgroupId"), text.u32(count)));
    return add(number(first), offset);
}

namespace {

struct Region {
    bool isColumnMajor;
    uint32_t stride, elements;
};

// The elements of 16 bytes: lines begin at multiples of these
// (VUID-StandaloneSpirv-OpCooperativeMatrixLoadKHR-08986).
uint32_t leastGrain(Component component) {
    return isNibble(component) ? 32 : 16 / info(component).bytes;
}

Region randomRegion(MatrixWriter& w, const MatrixType& type) {
    const bool isColumnMajor = w.chance(2);
    const uint32_t line = isColumnMajor ? type.rows : type.columns;
    const uint32_t least = leastGrain(type.component);
    const uint32_t grain = w.chance(2) ? least : std::max(least, 16u);
    const uint32_t stride = (line + grain - 1) / grain * grain + grain * w.pick(2);
    return {isColumnMajor, stride, stride * (isColumnMajor ? type.columns : type.rows)};
}

}  // namespace

Matrix MatrixWriter::load(const MatrixType& of) {
    const Region region = randomRegion(*this, of);
    const uint32_t elements = capacity(of.component) - region.elements - 32 * subgroups;
    const uint32_t grain = leastGrain(of.component);
    const uint32_t first = grain * pick(elements / grain);
    const uint32_t stride = bytesOf(of.component, region.stride);
    const uint32_t offset = bytesOf(of.component, first), own = bytesOf(of.component, 32);
    const uint32_t bytes = info(of.component).bytes;
    std::string pointer;
    uint32_t unit = bytes;  // of the stride
    const char* operands = "";
    if (hasAllFeatures && !isNv && chance(8)) {
        operands = "Aligned 16";
        pointer = inputAddress(of.component, indexOf(offset / bytes, own / bytes));
    } else if (hasAllFeatures && chance(6)) {
        unit = 4;
        pointer = inputWord(of.component, indexOf(offset / 4, own / 4));
    } else if (usesUntyped && chance(2)) {
        unit = 1;
        pointer = untyped(of.component, false, indexOf(offset / bytes, own / bytes));
    } else {
        pointer = input(of.component, indexOf(offset / bytes, own / bytes));
    }
    return {loadFrom(of, pointer, region.isColumnMajor, stride / unit, operands), of,
            inputOf(of.component)};
}

bool MatrixWriter::store(const Matrix& matrix) {
    const bool before = std::exchange(ofWorkgroup, matrix.type.ofWorkgroup);
    const bool isStored = storeNow(matrix);
    ofWorkgroup = before;
    return isStored;
}

bool MatrixWriter::storeNow(const Matrix& matrix) {
    const Component component = matrix.type.component;
    const Region region = randomRegion(*this, matrix.type);
    uint32_t first = 0;
    const uint32_t count = region.elements * (ofWorkgroup ? 1 : subgroups);
    if (!reserve(component, count, first)) return false;
    const uint32_t bytes = info(component).bytes;
    const bool isUntyped = usesUntyped && chance(2);
    const std::string index =
        indexOf(bytesOf(component, first) / bytes, bytesOf(component, region.elements) / bytes);
    const std::string pointer =
        isUntyped ? untyped(component, true, index) : output(component, index);
    storeTo(pointer, matrix.id, region.isColumnMajor,
            bytesOf(component, region.stride) / (isUntyped ? 1 : bytes));
    return true;
}

Matrix MatrixWriter::take(MatrixType of, double bound) {
    if (isNv) of.use = kAccumulator;
    of.ofWorkgroup = ofWorkgroup;
    std::vector<Matrix> suitable;
    for (const Matrix& matrix : live)
        if (matrix.type == of && matrix.bound <= bound) suitable.push_back(matrix);
    if (!suitable.empty() && !chance(4)) return suitable[pick(suitable.size())];
    const Matrix loaded = load(of);
    live.push_back(loaded);
    return loaded;
}

bool MatrixWriter::add(std::string id, MatrixType of, double bound) {
    if (isNv) of.use = kAccumulator;
    of.ofWorkgroup = ofWorkgroup;
    live.push_back({std::move(id), of, bound});
    return true;
}

std::string MatrixWriter::splat(const MatrixType& of, int value) {
    const std::string scalar = text.constant(of.component, value);
    if (chance(2)) return text.global(std::format("OpConstantComposite {} {}", type(of), scalar));
    return text.value(std::format("OpCompositeConstruct {} {}", type(of), scalar));
}

std::string MatrixWriter::local(const std::string& of) {
    return text.local(text.global("OpTypePointer Function " + of));
}

std::string MatrixWriter::part(const std::string& variable, const std::string& of,
                               const std::string& indices) {
    return text.value(std::format("OpAccessChain {} {} {}",
                                  text.global("OpTypePointer Function " + of), variable, indices));
}

void MatrixWriter::barrier() {
    // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
    text.line(std::format("OpControlBarrier {0} {0} {1}", text.u32(subgroupsPart ? 3 : 2),
                          text.u32(0x6108)));
}

std::string MatrixWriter::shared(const std::string& pointerType) {
    std::string& variable = shared_[pointerType];
    if (variable.empty()) variable = text.variable(pointerType, "Workgroup");
    return variable;
}

std::string MatrixWriter::condition() {
    const std::string boolean = text.global("OpTypeBool");
    const std::string right = number(pick(kNumbers));
    const bool isOfSubgroup = subgroupsPart && chance(2);
    const std::string left = isOfSubgroup ? builtIn("SubgroupId") : number(pick(kNumbers));
    return text.value(std::format("OpULessThan {} {} {}", boolean, left, right));
}

bool statement(MatrixWriter& w) {
    const std::span<const MatrixStatement> kinds[] = {
        controlStatements(), controlStatements(), valueStatements(),
        callStatements(),    memoryStatements(),  compositeStatements(),
        arrayStatements(),   decodeStatements(),  loopStatements()};
    if (w.mixesScopes) w.ofWorkgroup = w.chance(2);
    const auto kind = w.any(kinds);
    return w.any(kind)(w);
}

Program MatrixWriter::program() {
    const uint32_t count = statementCount(8);
    for (uint32_t made = 0, tries = 0; made < count && tries < 60; ++tries)
        made += statement(*this) ? 1 : 0;
    // The newest values follow from most of the others.
    for (size_t i = live.size(), stored = 0; i-- > 0 && stored < mostStored();)
        stored += store(live[i]) ? 1 : 0;
    return finish(lanes * subgroups);
}

Program matrixProgram(uint64_t seed, uint32_t lanes, Features features, Size size) {
    return MatrixWriter(seed, lanes, features, size).program();
}

}  // namespace coopvk::programs
