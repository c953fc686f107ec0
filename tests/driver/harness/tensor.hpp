// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views as the reference device has them, and the GLSL that makes the same
// state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrices/layouts.hpp"

namespace coopvk::test {

inline constexpr uint32_t kMaxTensorDimensions = reference::matrices::kMaxDimensions;
using TensorNumbers = reference::matrices::Coordinate;
using TensorClamp = reference::matrices::ClampMode;
using reference::matrices::TensorAccess;
using reference::matrices::TensorElement;
using reference::matrices::TensorLayout;
using reference::matrices::TensorView;

// Numbers in a shader: literals, or members of a buffer `numbers`.
class TensorText {
 public:
    // `first`: the first numbers of the buffer.
    explicit TensorText(bool fromBuffer, std::vector<uint32_t> first = {0})
        : fromBuffer_(fromBuffer), numbers_(std::move(first)) {}

    std::string number(uint32_t value);
    // ", 1u, 2u" of the first `count`.
    std::string list(const TensorNumbers& values, uint32_t count);
    // Statements that declare `name` with this state.
    std::string layout(std::string_view name, const TensorLayout& layout);
    std::string view(std::string_view name, const TensorView& view);
    const std::vector<uint32_t>& numbers() const { return numbers_; }

 private:
    bool fromBuffer_;
    std::vector<uint32_t> numbers_;
};

}  // namespace coopvk::test
