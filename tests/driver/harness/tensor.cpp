// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <format>

namespace coopvk::test {

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
    const auto mode = static_cast<uint32_t>(t.clampMode);
    std::string slices;
    for (uint32_t d = 0; d < n; ++d) {
        slices += ", " + number(t.offset[d]) + ", " + number(t.span[d]);
    }
    const auto set = [&](std::string_view function, const std::string& operands) {
        return std::format("{0} = {1}({0}{2});\n", name, function, operands);
    };
    return std::format("tensorLayoutNV<{0}, {1}> {2} = createTensorLayoutNV({0}, {1});\n", n, mode,
                       name) +
           set("setTensorLayoutBlockSizeNV", list(t.blockSize, n)) +
           set("setTensorLayoutDimensionNV", list(t.size, n)) +
           set("setTensorLayoutStrideNV", list(t.stride, n)) + set("sliceTensorLayoutNV", slices) +
           set("setTensorLayoutClampValueNV", ", " + number(t.clampValue));
}

std::string TensorText::view(std::string_view name, const TensorView& v) {
    const uint32_t n = v.dimensions;
    std::string places;
    for (uint32_t d = 0; d < n; ++d) places += ", " + std::to_string(v.permutation[d]);
    const auto set = [&](std::string_view function, const std::string& operands) {
        return std::format("{0} = {1}({0}{2});\n", name, function, operands);
    };
    std::string text =
        std::format("tensorViewNV<{0}, {1}{2}> {3} = createTensorViewNV({0}, {1}{2});\n", n,
                    v.hasDimensions != 0, places, name);
    if (v.hasDimensions) {
        text += set("setTensorViewDimensionsNV", list(v.size, n)) +
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
