// SPDX-License-Identifier: Apache-2.0
//
// Products on processors that load what a subgroup's lanes share once for all of them, into
// registers which the lanes' multiply-adds read: each invocation computes alone, and tiles would
// cost registers and exchanges for nothing. Drivers take that way where they see that the address
// is the same for all; here the shader asks, and tells them.
#pragma once

#include "vector/product.hpp"

namespace coopvk::rewrite {

// Whether the processor is of that kind.
bool sharesWeightsItself(const DeviceTraits& device);

// A function of the same parameters as `alone`, the product by one invocation: the first is the
// input, the others say where matrix and bias are. It calls `alone` with the first lane's place
// where all lanes have the same, and with the lane's own elsewhere.
Id shareWeights(VectorContext& context, std::string_view name, Id resultType,
                std::span<const Id> parameterTypes, Id alone);

// Whether the stage may ask, and has anything to ask.
bool mayShareWeights(const VectorContext& context, const VectorMatrixMul& product);

}  // namespace coopvk::rewrite
