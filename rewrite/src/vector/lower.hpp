// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector to core SPIR-V.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

std::optional<Error> lowerVectors(VectorContext& context);

}  // namespace coopvk::rewrite
