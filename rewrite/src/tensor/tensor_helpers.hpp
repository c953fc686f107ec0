// SPDX-License-Identifier: Apache-2.0
//
// Helper functions of tensor addresses.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Kinds of helper functions: the second word of their keys, behind kTensorHelper.
enum class TensorHelper : uint32_t { kRow, kPlace, kDecode };
inline constexpr auto kTensorHelper = static_cast<uint32_t>(spv::Op::OpTypeTensorLayoutNV);

// The coordinates of a row (u32) in dimensions of these sizes, the last of which changes fastest.
// Where `fits` is true, all rows are below its size: no division is needed.
std::vector<Id> callRowCoordinates(LoweringContext& context, Emitter& emit, Id row, Id fits,
                                   std::span<const Id> sizes);

// The members of a structure.
std::vector<Id> extractAll(Emitter& emit, Id structure);

}  // namespace coopvk::rewrite
