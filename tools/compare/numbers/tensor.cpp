// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/tensor.hpp"

#include <algorithm>

namespace coopvk::compare {
TensorNumbers packedStrides(const TensorNumbers& sizes) {
    TensorNumbers strides(sizes.size(), 1);
    for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
    return strides;
}

namespace {

TensorNumbers inBlocks(const TensorLayout& layout) {
    TensorNumbers sizes = layout.dimension;
    for (size_t d = 0; d < sizes.size(); ++d)
        sizes[d] = (sizes[d] + layout.blockSize[d] - 1) / layout.blockSize[d];
    return sizes;
}

// The coordinates of an element by its number; the dimension that varies fastest is the last one
// of `order`, or of all.
TensorNumbers coordinatesOf(uint32_t number, const TensorNumbers& sizes,
                            const TensorNumbers& order) {
    TensorNumbers coordinates(sizes.size());
    for (size_t i = sizes.size(); i-- > 0;) {
        const size_t d = order.empty() ? i : order[i];
        coordinates[d] = number % sizes[d];
        number /= sizes[d];
    }
    return coordinates;
}

// A coordinate inside of the tensor, or none.
std::optional<uint32_t> clamped(int64_t c, int64_t size, TensorClamp clamp, bool isStore) {
    if (c >= 0 && c < size) return static_cast<uint32_t>(c);
    const auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
    if (isStore) return std::nullopt;
    switch (clamp) {
        case TensorClamp::kEdge:
            return static_cast<uint32_t>(std::clamp<int64_t>(c, 0, size - 1));
        case TensorClamp::kRepeat:
            return static_cast<uint32_t>(modulo(c, size));
        case TensorClamp::kMirror:
            c = modulo(c, 2 * size - 2);
            return static_cast<uint32_t>(c < size ? c : 2 * size - 2 - c);
        default:
            return std::nullopt;
    }
}

// The number in the span of an element that a view shows as `number`.
uint32_t throughView(const TensorLayout& layout, const TensorView& view, uint32_t number) {
    const TensorNumbers& sizes = view.dimension.empty() ? layout.span : view.dimension;
    const TensorNumbers coordinates = coordinatesOf(number, sizes, view.permutation);
    const TensorNumbers strides = packedStrides(sizes);
    uint32_t sum = 0;
    for (size_t d = 0; d < sizes.size(); ++d) sum += coordinates[d] * strides[d];
    return sum;
}

}  // namespace

std::string_view nameOf(TensorClamp clamp) {
    constexpr std::string_view kNames[] = {"undefined", "constant", "edge", "repeat", "mirror"};
    return kNames[static_cast<size_t>(clamp)];
}

TensorNumbers TensorLayout::strides() const {
    return stride.empty() ? packedStrides(inBlocks(*this)) : stride;
}

uint32_t TensorLayout::size() const {
    const TensorNumbers sizes = inBlocks(*this), steps = strides();
    uint32_t last = 0;
    for (size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * steps[d];
    return last + 1;
}

TensorPlace tensorPlace(const TensorAccess& access, uint32_t row, uint32_t column, uint32_t columns,
                        bool isStore) {
    const TensorLayout& layout = access.layout;
    TensorPlace place;
    if (access.view && access.view->clip) {
        const TensorClip& clip = *access.view->clip;
        if (row - clip.row >= clip.rows || column - clip.column >= clip.columns) {
            place.kind = TensorPlace::Kind::kClipped;
            return place;
        }
        row -= clip.row;
        column -= clip.column;
        columns = std::min(columns, clip.columns);
    }
    uint32_t number = row * columns + column;
    if (access.view) number = throughView(layout, *access.view, number);
    const TensorNumbers inSpan = coordinatesOf(number, layout.span, {}), steps = layout.strides();
    for (size_t d = 0; d < layout.dimensions(); ++d) {
        const auto c = clamped(int64_t{inSpan[d]} + static_cast<int32_t>(layout.offset[d]),
                               layout.dimension[d], layout.clamp, isStore);
        if (!c) {
            place.kind = TensorPlace::Kind::kOutside;
            return place;
        }
        place.block.push_back(*c / layout.blockSize[d]);
        place.inBlock.push_back(*c % layout.blockSize[d]);
        place.index += place.block[d] * steps[d];
    }
    return place;
}

}  // namespace coopvk::compare
