// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector on one side.
#pragma once

#include "compare/cases/plan.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

constexpr Layout kRowMajor = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
constexpr Layout kColumnMajor = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;

bool isOptimal(Layout layout);
// Into the layout, or back into rows.
Conversion conversionOf(const Relayout& relayout, bool back);
// Converts the plan's row-major matrix to the layout that the shader reads, and back.
Bytes intoLayout(Gpu& gpu, const Relayout& relayout, const Bytes& rows);
Bytes outOfLayout(Gpu& gpu, const Relayout& relayout, const Bytes& blob);
// Each conversion makes the next buffer from the one before it. Returns the contents of the last
// one. Optimal layouts have the size that the side requires.
Bytes convertInTurn(Gpu& gpu, const std::vector<Conversion>& conversions,
                    const std::vector<Bytes>& buffers);

}  // namespace coopvk::compare
