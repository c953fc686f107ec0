// SPDX-License-Identifier: Apache-2.0
//
// Statements between matrices and arrays of invocations: SPV_QCOM_cooperative_matrix_conversion,
// and blocks of SPV_INTEL_2d_block_io.
#include <algorithm>
#include <bit>
#include <cmath>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// Lines of A and B have 256 bits.
bool canBeArray(const MatrixWriter& w, const MatrixType& type) {
    const bool isSum = type.use == kAccumulator;
    const uint32_t lines = type.use == kUseB ? type.columns : type.rows;
    const uint32_t length = type.use == kUseB ? type.rows : type.columns;
    const uint32_t bytes = info(type.component).bytes;
    static constexpr Component kSums[] = {Component::kF16, Component::kF32, Component::kS32,
                                          Component::kU32};
    static constexpr Component kFactors[] = {Component::kF16, Component::kF32, Component::kS8,
                                             Component::kU8};
    const std::span<const Component> allowed = isSum ? kSums : kFactors;
    return lines <= w.lanes && std::ranges::find(allowed, type.component) != allowed.end() &&
           (isSum || length * bytes == 32);
}

MatrixType lineType(MatrixWriter& w) {
    MatrixType type = w.anyType(w.pick(3));
    if (type.use == kAccumulator) return type;
    const uint32_t length = 32 / info(type.component).bytes;
    (type.use == kUseB ? type.rows : type.columns) = length;
    return type;
}

std::string arrayOf(MatrixWriter& w, const std::string& element, uint32_t length) {
    return w.text.global(std::format("OpTypeArray {} {}", element, w.text.u32(length)));
}

struct Line {
    std::string id, element;
    uint32_t length;
};

std::string typeOf(MatrixWriter& w, const Line& line) {
    return arrayOf(w, line.element, line.length);
}

// The same bits as other components.
Line cast(MatrixWriter& w, const Line& line, const Line& to) {
    return {w.text.value(std::format("OpBitCastArrayQCOM {} {}", typeOf(w, to), line.id)),
            to.element, to.length};
}

// Halves of the array, put together again in the same order.
Line inHalves(MatrixWriter& w, const Line& line) {
    const std::string half = arrayOf(w, line.element, line.length / 2);
    std::string elements;
    for (uint32_t which = 0; which < 2; ++which) {
        const std::string part = w.text.value(std::format(
            "OpExtractSubArrayQCOM {} {} {}", half, line.id, w.number(which * line.length / 2)));
        for (uint32_t i = 0; i < line.length / 2; ++i)
            elements += " " + w.text.value(std::format("OpCompositeExtract {} {} {}", line.element,
                                                       part, i));
    }
    return {w.text.value(std::format("OpCompositeConstruct {}{}", typeOf(w, line), elements)),
            line.element, line.length};
}

// A matrix that becomes arrays, which become a matrix of another use.
bool throughArrays(MatrixWriter& w) {
    if (w.isNv || w.ofWorkgroup) return false;
    const MatrixType from = lineType(w);
    if (!canBeArray(w, from)) return false;
    const Matrix x = w.take(from, HUGE_VAL);
    w.text.need("CooperativeMatrixConversionQCOM", "SPV_QCOM_cooperative_matrix_conversion");
    const uint32_t length = x.type.use == kUseB ? x.type.rows : x.type.columns;
    const uint32_t bytes = info(x.type.component).bytes;
    const Line same{"", w.text.type(x.type.component), length};
    const Line words{"", w.text.type(kU32), length * bytes / 4};
    const bool canBeWords = x.type.component != kU32;
    Line line = canBeWords && w.chance(2) ? words : same;
    line.id =
        w.text.value(std::format("OpCompositeExtractCoopMatQCOM {} {}", typeOf(w, line), x.id));
    const bool mayCast = canBeWords && info(x.type.component).bytes != 1;
    if (mayCast && w.chance(2)) line = cast(w, line, line.element == words.element ? same : words);
    const bool mayPart = line.element == words.element || bytes != 1;
    if (mayPart && line.length % 2 == 0 && w.chance(2)) line = inHalves(w, line);
    MatrixType type = x.type;
    type.use = w.pick(3);
    const bool turns = (type.use == kUseB) != (x.type.use == kUseB);
    if (turns) std::swap(type.rows, type.columns);
    if (!canBeArray(w, type)) type = x.type;
    return w.add(
        w.text.value(std::format("OpCompositeConstructCoopMatQCOM {} {}", w.type(type), line.id)),
        type, x.bound);
}

struct BlockSize {
    uint32_t bytes, width, height, count;
};

uint32_t valuesOf(const BlockSize& block, bool isTransposed, bool isTransformed, uint32_t lanes) {
    uint32_t width = block.width, height = block.height;
    if (isTransformed) height = (height * block.bytes + 3) / 4;
    if (isTransposed) std::swap(width, height);
    width = std::bit_ceil(width);
    const uint32_t ofBlock =
        width >= lanes ? width / lanes * height : (height + lanes / width - 1) / (lanes / width);
    return ofBlock * block.count;
}

// Blocks from memory into a variable, and from there to memory. The region has `kRows` rows.
bool block(MatrixWriter& w) {
    static constexpr Component kElements[] = {Component::kU8, Component::kU16, Component::kU32,
                                              Component::kF16, Component::kF32};
    static constexpr uint32_t kWidths[] = {4, 8, 12, 16, 32}, kHeights[] = {1, 2, 3, 4, 7, 8, 16};
    constexpr uint32_t kRows = 16, kPitch = 128;
    const Component component = w.any(kElements);
    const BlockSize size{info(component).bytes, w.any(kWidths), w.any(kHeights), 1 + w.pick(2)};
    if (size.width * size.bytes * size.count > kPitch / 2 || size.width * size.bytes % 4 != 0)
        return false;
    const uint32_t kind = w.pick(3);  // plain, transposed, transformed
    if (kind == 2 && size.bytes == 4) return false;
    const uint32_t values = valuesOf(size, kind == 1, kind == 2, w.lanes);
    uint32_t first = 0;
    const uint32_t elements = kRows * kPitch / size.bytes;
    if (!w.reserve(component, elements * w.subgroups, first)) return false;
    Text& text = w.text;
    w.canBeValidated = false;
    static constexpr const char* kCapabilities[] = {
        "Subgroup2DBlockIOINTEL", "Subgroup2DBlockTransposeINTEL", "Subgroup2DBlockTransformINTEL"};
    text.need("Subgroup2DBlockIOINTEL", "SPV_INTEL_2d_block_io");
    text.need(kCapabilities[kind]);
    const std::string value = text.type(kind == 2 ? kU32 : component);
    // A plain store may have other sizes than the load; what it reads must be there.
    const uint32_t stored = valuesOf(size, false, false, w.lanes);
    const uint32_t held = std::max(values, stored * (kind == 2 ? size.bytes : 4) / 4 + 1);
    const std::string array = arrayOf(w, value, held);
    const std::string variable = w.local(array);
    text.line(std::format("OpStore {} {}", variable, text.global("OpConstantNull " + array)));
    const std::string s32 = text.type(Component::kS32);
    const std::string pair = text.global("OpTypeVector " + s32 + " 2");
    const auto coordinate = [&] {
        const std::string x = text.constant(Component::kS32, 4 * (static_cast<int>(w.pick(8)) - 2));
        const std::string y = text.constant(Component::kS32, static_cast<int>(w.pick(12)) - 3);
        return text.value(std::format("OpCompositeConstruct {} {} {}", pair, x, y));
    };
    const std::string sizes = std::format("{} {} {} {}", text.u32(size.bytes), text.u32(size.width),
                                          text.u32(size.height), text.u32(size.count));
    const std::string region = std::format("{} {} {}", text.u32(kPitch - 4 * w.pick(8)),
                                           w.number(4 + w.pick(4)), text.u32(kPitch));
    static constexpr const char* kLoads[] = {"OpSubgroup2DBlockLoadINTEL",
                                             "OpSubgroup2DBlockLoadTransposeINTEL",
                                             "OpSubgroup2DBlockLoadTransformINTEL"};
    const std::string from = w.input(component, w.indexOf(32 * w.pick(8), 32));
    text.line(std::format("{} {} {} {} {} {}", kLoads[kind], sizes, from, region, coordinate(),
                          variable));
    const std::string to = w.output(component, w.indexOf(first, elements));
    text.line(std::format("OpSubgroup2DBlockStoreINTEL {} {} {} {} {}", sizes, variable, to, region,
                          coordinate()));
    return true;
}

bool blockOfSubgroup(MatrixWriter& w) { return !w.ofWorkgroup && !w.isNv && block(w); }

constexpr MatrixStatement kArrayStatements[] = {throughArrays, throughArrays, blockOfSubgroup};

}  // namespace

std::span<const MatrixStatement> arrayStatements() { return kArrayStatements; }

}  // namespace coopvk::programs
