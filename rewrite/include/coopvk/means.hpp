// SPDX-License-Identifier: Apache-2.0
//
// How a device computes the products of emulated matrices and vectors. Users can tell from it what
// a program gains.
#pragma once

#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

struct ProductMeans {
    std::string_view products;  // "f16 with f32 sums"
    std::string_view means;     // "converted to f32"
};

// Rewrites a small shader of each kind for the device, at its subgroup size and by the core
// back-end, and inspects the result. `vectors`: the back-end for cooperative vectors. Kinds that
// the device cannot have are left out. Throws only std::bad_alloc.
std::vector<ProductMeans> productMeans(const DeviceTraits& device,
                                       BackEnd vectors = BackEnd::kCore);

}  // namespace coopvk::rewrite
