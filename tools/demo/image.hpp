// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace coopvk::demo {

// A square picture: width * width pixels of red, green and blue from 0 to 1.
using Pixels = std::vector<float>;

// An evening at the sea, drawn by formulas.
Pixels drawTarget(uint32_t width);

double meanSquaredError(std::span<const float> a, std::span<const float> b);

// Pictures beside each other, each pixel `zoom` pixels wide. Throws if it cannot be written.
void writePng(const std::string& path, const std::vector<Pixels>& pictures, uint32_t width,
              uint32_t zoom);

}  // namespace coopvk::demo
