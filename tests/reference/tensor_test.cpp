// SPDX-License-Identifier: Apache-2.0
// Tensor addressing: SPV_NV_tensor_addressing, and the functions of SPV_NV_cooperative_matrix2,
// "Tensor Layout and View". Expected places are counted by hand from the figures and the tables
// there.
#include <gtest/gtest.h>

#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices::tensor_test {
namespace {

TensorLayout layout2(ClampMode mode, uint32_t rows, uint32_t columns) {
    return setDimension(createLayout(2, mode), {rows, columns});
}

TEST(Tensors, DimensionsSetStrides) {
    TensorLayout layout = createLayout(3, ClampMode::undefined);
    layout.blockSize = {1, 2, 4};
    layout = setDimension(layout, {5, 7, 9});
    EXPECT_EQ(layout.stride[2], 1u);
    EXPECT_EQ(layout.stride[1], 3u);   // ceiling(9 / 4)
    EXPECT_EQ(layout.stride[0], 12u);  // 3 * ceiling(7 / 2)
    EXPECT_EQ(layout.span[0], 5u);
    TensorView view;
    view.dimensions = 3;
    view = setDimension(view, {2, 3, 4});
    EXPECT_EQ(view.stride[0], 12u);
    EXPECT_EQ(view.stride[1], 4u);
}

TEST(Tensors, SlicesAddOffsets) {
    TensorLayout layout = slice(layout2(ClampMode::undefined, 100, 50), {10, 20}, {4, 8});
    layout = slice(layout, {1, 2}, {4, 8});
    const TensorElement element = tensorElement(layout, nullptr, 3, 7, 8, false);
    EXPECT_EQ(element.access, TensorAccess::element);
    EXPECT_EQ(element.index, (10u + 1 + 3) * 50 + 20 + 2 + 7);
    // A matrix of 2 x 16 has the same 32 elements: row 1, column 5 is number 21, (2, 5) of the
    // span.
    EXPECT_EQ(tensorElement(layout, nullptr, 1, 5, 16, false).index,
              (10u + 1 + 2) * 50 + 20 + 2 + 5);
}

TEST(Tensors, ClampModes) {
    const auto column = [](ClampMode mode, int32_t offset, bool store = false, uint32_t size = 5) {
        const TensorLayout layout = slice(layout2(mode, 1, size), {0, uint32_t(offset)}, {1, 1});
        const TensorElement element = tensorElement(layout, nullptr, 0, 0, 1, store);
        return element.access == TensorAccess::element ? int(element.index) : -int(element.access);
    };
    const auto constant = -int(TensorAccess::constant);
    EXPECT_EQ(column(ClampMode::undefined, 5), -int(TensorAccess::undefined));
    EXPECT_EQ(column(ClampMode::undefined, 4), 4);
    EXPECT_EQ(column(ClampMode::constant, -1), constant);
    EXPECT_EQ(column(ClampMode::clampToEdge, -3), 0);
    EXPECT_EQ(column(ClampMode::clampToEdge, 9), 4);
    EXPECT_EQ(column(ClampMode::repeat, -1), 4);
    EXPECT_EQ(column(ClampMode::repeat, 12), 2);
    // 2 * 5 - 2 = 8: 0 1 2 3 4 3 2 1, and again
    const int mirrored[] = {0, 1, 2, 3, 4, 3, 2, 1};
    for (int32_t offset = -16; offset < 24; ++offset) {
        EXPECT_EQ(column(ClampMode::repeatMirrored, offset), mirrored[(offset + 16) % 8]);
    }
    // There is one element only, or none.
    for (const ClampMode mode :
         {ClampMode::clampToEdge, ClampMode::repeat, ClampMode::repeatMirrored}) {
        for (const int32_t offset : {-2, -1, 1, 2}) EXPECT_EQ(column(mode, offset, false, 1), 0);
        EXPECT_EQ(column(mode, 0, false, 0), -int(TensorAccess::undefined));
    }
    // "Out of bounds stores are discarded."
    EXPECT_EQ(column(ClampMode::repeat, 12, true), constant);
    EXPECT_EQ(column(ClampMode::undefined, 12, true), -int(TensorAccess::undefined));
}

TEST(Tensors, BlocksCountInBlocks) {
    TensorLayout layout = createLayout(2, ClampMode::undefined);
    layout.blockSize = {2, 4};
    layout = setDimension(layout, {8, 16});
    const TensorElement element = tensorElement(layout, nullptr, 5, 10, 16, false);
    EXPECT_EQ(element.block[0], 2u);
    EXPECT_EQ(element.block[1], 2u);
    EXPECT_EQ(element.inBlock[0], 1u);
    EXPECT_EQ(element.inBlock[1], 2u);
    EXPECT_EQ(element.index, 2u * 4 + 2);
}

// A permutation of two dimensions transposes: the GLSL text's own example of tensor views.
TEST(Tensors, ViewsPermuteDimensions) {
    const TensorLayout layout = layout2(ClampMode::undefined, 4, 6);
    TensorView view;
    view.dimensions = 2;
    view.permutation = {1, 0};
    // A matrix of 6 x 4: its element (r, c) is the tensor's (c, r).
    for (uint32_t r = 0; r < 6; ++r) {
        for (uint32_t c = 0; c < 4; ++c) {
            EXPECT_EQ(tensorElement(layout, &view, r, c, 4, false).index, c * 6 + r);
        }
    }
}

TEST(Tensors, ViewsWithDimensionsReinterpret) {
    const TensorLayout layout = layout2(ClampMode::undefined, 4, 6);
    TensorView view;
    view.dimensions = 3;
    view.hasDimensions = true;
    view.permutation = {0, 2, 1};
    view = setDimension(view, {2, 3, 4});
    // Index 17 by sizes 2, 4, 3 (of dimensions 0, 2, 1): (1, 1, 2); as (1, 2, 1) of 2 x 3 x 4
    // number 21.
    EXPECT_EQ(tensorElement(layout, &view, 2, 1, 8, false).index, 21u);
}

TEST(Tensors, ClipsSkipElementsAndNarrowTheMatrix) {
    const TensorLayout layout = layout2(ClampMode::undefined, 2, 3);
    TensorView view;
    view.dimensions = 2;
    view.permutation = {0, 1};
    view.clipRowOffset = 1;
    view.clipRowSpan = 2;
    view.clipColumnOffset = 4;
    view.clipColumnSpan = 3;
    EXPECT_EQ(tensorElement(layout, &view, 0, 4, 16, false).access, TensorAccess::clipped);
    EXPECT_EQ(tensorElement(layout, &view, 1, 7, 16, false).access, TensorAccess::clipped);
    EXPECT_EQ(tensorElement(layout, &view, 3, 4, 16, true).access, TensorAccess::clipped);
    EXPECT_EQ(tensorElement(layout, &view, 1, 4, 16, false).index, 0u);
    EXPECT_EQ(tensorElement(layout, &view, 2, 6, 16, false).index, 5u);
}

// A size of 0, of the span, of a view or of a block, has no element anywhere.
TEST(Tensors, NoElementsOfSizesOfZero) {
    const auto accessOf = [](const TensorLayout& layout, const TensorView* view = nullptr) {
        return tensorElement(layout, view, 0, 0, 4, false).access;
    };
    TensorLayout layout = layout2(ClampMode::repeat, 4, 4);
    TensorView view;
    view.dimensions = 2;
    view.hasDimensions = 1;
    view.permutation = {0, 1};
    view = setDimension(view, {4, 4});
    EXPECT_EQ(accessOf(layout), TensorAccess::element);
    EXPECT_EQ(accessOf(layout, &view), TensorAccess::element);
    for (const uint32_t d : {0u, 1u}) {
        TensorLayout none = layout;
        none.span[d] = 0;
        EXPECT_EQ(accessOf(none), TensorAccess::undefined) << d;
        none = layout;
        none.blockSize[d] = 0;
        EXPECT_EQ(accessOf(none), TensorAccess::undefined) << d;
        TensorView noView = view;
        noView.size[d] = 0;
        EXPECT_EQ(accessOf(layout, &noView), TensorAccess::undefined) << d;
    }
}

}  // namespace
}  // namespace coopvk::reference::matrices::tensor_test
