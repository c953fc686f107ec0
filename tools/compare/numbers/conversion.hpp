// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector on one side.
#pragma once

#include "compare/cases/plan.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

bool isOptimal(Layout layout);
// Into the layout, or back into rows.
Conversion conversionOf(const Relayout& relayout, bool back);
// The plan's row-major matrix as the shader is to find it, and back.
Bytes intoLayout(Gpu& gpu, const Relayout& relayout, const Bytes& rows);
Bytes outOfLayout(Gpu& gpu, const Relayout& relayout, const Bytes& blob);
// Each conversion makes the next buffer of the one before; what the last one holds in the end.
// Optimal layouts have the size that the side asks for.
Bytes convertInTurn(Gpu& gpu, const std::vector<Conversion>& conversions,
                    const std::vector<Bytes>& buffers);

}  // namespace coopvk::compare
