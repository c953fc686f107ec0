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

}  // namespace coopvk::compare
