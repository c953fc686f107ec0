// SPDX-License-Identifier: Apache-2.0
//
// A module with cooperative vectors, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coopvk::test {

// A layer of M x K f16 weights: load, multiply-add, max with zero, store.
std::string layerModule(uint32_t m, uint32_t k, uint32_t layout, bool transpose,
                        std::string_view localSize = "64 1 1");
// The same without the addition to the product.
std::string withoutBias(std::string layer);

}  // namespace coopvk::test
