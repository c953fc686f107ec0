// SPDX-License-Identifier: Apache-2.0
//
// By what means a device computes the products of emulated matrices and vectors, for people who
// want to know what a program gains there.
#pragma once

#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

struct ProductMeans {
    std::string_view products;  // "f16 with f32 sums"
    std::string_view means;     // "converted to f32"
};

// Found in what rewrite() makes of a small shader of each kind for the device, at its own subgroup
// size and on core SPIR-V; kinds that the device cannot have are left out. Throws std::bad_alloc
// only.
std::vector<ProductMeans> productMeans(const DeviceTraits& device);

}  // namespace coopvk::rewrite
