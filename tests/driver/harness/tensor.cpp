// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <algorithm>
#include <format>
#include <stdexcept>

namespace coopvk::test {

namespace {

uint32_t ceilingQuotient(uint32_t a, uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// OpSMod: the sign is that of the divisor, which is positive here.
int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

TensorNumbers linearToCoordinates(uint32_t index, const TensorNumbers& sizes, uint32_t count,
                                  const std::vector<uint32_t>& permutation) {
    TensorNumbers coordinates{};
    for (uint32_t d = count; d-- > 0;) {
        const uint32_t i = permutation[d];
        coordinates[i] = index % sizes[i];
        index /= sizes[i];
    }
    return coordinates;
}

// spanCoordToTensorCoord of one dimension; false: outside.
bool clampCoordinate(const TensorLayout& t, uint32_t d, bool isStore, int64_t& c) {
    const int64_t size = t.dimension[d];
    if (c >= 0 && c < size) return true;
    TensorClamp mode = t.clamp;
    if (isStore && mode != TensorClamp::kUndefined) mode = TensorClamp::kConstant;
    switch (mode) {
        case TensorClamp::kUndefined:
            throw std::logic_error("the test's tensor is accessed out of bounds");
        case TensorClamp::kConstant:
            return false;
        case TensorClamp::kEdge:
            c = std::min(std::max<int64_t>(c, 0), size - 1);
            return true;
        case TensorClamp::kRepeat:
            c = modulo(c, size);
            return true;
        case TensorClamp::kMirror:
            // The specification's period is zero if there is one element; then that element is
            // meant.
            c = size == 1 ? 0 : modulo(c, 2 * size - 2);
            if (c >= size) c = 2 * size - 2 - c;
            return true;
    }
    return false;
}

uint32_t viewIndex(const TensorLayout& t, const TensorView& v, uint32_t index) {
    const TensorNumbers coordinates = linearToCoordinates(
        index, v.hasDimensions ? v.dimension : t.span, v.dimensions, v.permutation);
    TensorNumbers stride = v.stride;
    if (!v.hasDimensions) {
        stride[v.dimensions - 1] = 1;
        for (uint32_t d = v.dimensions - 1; d-- > 0;) stride[d] = stride[d + 1] * t.span[d + 1];
    }
    uint32_t sum = 0;
    for (uint32_t d = 0; d < v.dimensions; ++d) sum += coordinates[d] * stride[d];
    return sum;
}

}  // namespace

void TensorLayout::setDimension(const TensorNumbers& sizes) {
    dimension = span = sizes;
    offset.fill(0);
    stride[dimensions - 1] = 1;
    for (uint32_t d = dimensions - 1; d-- > 0;) {
        stride[d] = stride[d + 1] * ceilingQuotient(sizes[d + 1], blockSize[d + 1]);
    }
}

void TensorLayout::slice(const TensorNumbers& offsets, const TensorNumbers& spans) {
    for (uint32_t d = 0; d < dimensions; ++d) {
        offset[d] = static_cast<int32_t>(static_cast<uint32_t>(offset[d]) + offsets[d]);
        span[d] = spans[d];
    }
}

void TensorView::setDimension(const TensorNumbers& sizes) {
    dimension = sizes;
    stride[dimensions - 1] = 1;
    for (uint32_t d = dimensions - 1; d-- > 0;) stride[d] = stride[d + 1] * sizes[d + 1];
}

TensorPlace tensorPlace(const TensorLayout& t, const TensorView* v, uint32_t row, uint32_t column,
                        uint32_t columns, bool isStore) {
    TensorPlace place;
    uint32_t width = columns;
    if (v != nullptr) {
        if (row < v->clipRowOffset || row >= v->clipRowOffset + v->clipRowSpan ||
            column < v->clipColumnOffset || column >= v->clipColumnOffset + v->clipColumnSpan) {
            place.kind = TensorPlace::kClipped;
            return place;
        }
        row -= v->clipRowOffset;
        column -= v->clipColumnOffset;
        width = std::min(columns, v->clipColumnSpan);
    }
    uint32_t index = row * width + column;
    if (v != nullptr) index = viewIndex(t, *v, index);
    const TensorNumbers inSpan = linearToCoordinates(index, t.span, t.dimensions, {0, 1, 2, 3, 4});
    for (uint32_t d = 0; d < t.dimensions; ++d) {
        int64_t c = static_cast<int32_t>(inSpan[d] + static_cast<uint32_t>(t.offset[d]));
        if (!clampCoordinate(t, d, isStore, c)) {
            place.kind = TensorPlace::kOutside;
            return place;
        }
        place.coordinateInBlock[d] = static_cast<uint32_t>(c) % t.blockSize[d];
        place.blockCoordinate[d] = static_cast<uint32_t>(c) / t.blockSize[d];
        place.index += place.blockCoordinate[d] * t.stride[d];
    }
    return place;
}

std::string TensorText::number(uint32_t value) {
    if (!fromBuffer_) return std::to_string(value) + "u";
    numbers_.push_back(value);
    return std::format("numbers[{}]", numbers_.size() - 1);
}

std::string TensorText::list(const TensorNumbers& values, uint32_t count) {
    std::string text;
    for (uint32_t d = 0; d < count; ++d) text += ", " + number(values[d]);
    return text;
}

std::string TensorText::layout(std::string_view name, const TensorLayout& t) {
    const uint32_t n = t.dimensions;
    const auto mode = static_cast<uint32_t>(t.clamp);
    std::string slices;
    for (uint32_t d = 0; d < n; ++d) {
        slices += ", " + number(static_cast<uint32_t>(t.offset[d])) + ", " + number(t.span[d]);
    }
    const auto set = [&](std::string_view function, const std::string& operands) {
        return std::format("{0} = {1}({0}{2});\n", name, function, operands);
    };
    return std::format("tensorLayoutNV<{0}, {1}> {2} = createTensorLayoutNV({0}, {1});\n", n, mode,
                       name) +
           set("setTensorLayoutBlockSizeNV", list(t.blockSize, n)) +
           set("setTensorLayoutDimensionNV", list(t.dimension, n)) +
           set("setTensorLayoutStrideNV", list(t.stride, n)) + set("sliceTensorLayoutNV", slices) +
           set("setTensorLayoutClampValueNV", ", " + number(t.clampValue));
}

std::string TensorText::view(std::string_view name, const TensorView& v) {
    const uint32_t n = v.dimensions;
    std::string places;
    for (const uint32_t place : v.permutation) places += ", " + std::to_string(place);
    const auto set = [&](std::string_view function, const std::string& operands) {
        return std::format("{0} = {1}({0}{2});\n", name, function, operands);
    };
    std::string text =
        std::format("tensorViewNV<{0}, {1}{2}> {3} = createTensorViewNV({0}, {1}{2});\n", n,
                    v.hasDimensions, places, name);
    if (v.hasDimensions) {
        text += set("setTensorViewDimensionsNV", list(v.dimension, n)) +
                set("setTensorViewStrideNV", list(v.stride, n));
    }
    const bool clips = v.clipRowOffset != 0 || v.clipRowSpan != ~0u || v.clipColumnOffset != 0 ||
                       v.clipColumnSpan != ~0u;
    if (!clips) return text;
    return text + set("setTensorViewClipNV",
                      ", " + number(v.clipRowOffset) + ", " + number(v.clipRowSpan) + ", " +
                          number(v.clipColumnOffset) + ", " + number(v.clipColumnSpan));
}

}  // namespace coopvk::test
