// SPDX-License-Identifier: Apache-2.0
//
// Tensor addresses, as the functions of SPV_NV_cooperative_matrix2 ("Tensor Layout and View") say,
// and random layouts and views.
#pragma once

#include <functional>
#include <optional>

#include "device.hpp"

namespace coopvk::oracle {

using Coord = std::vector<uint32_t>;

enum Clamp : uint32_t { kUndefined, kConstant, kClampToEdge, kRepeat, kRepeatMirrored };

struct Layout {
    Clamp clamp = kUndefined;
    Coord block, dimension, stride, span;
    std::vector<int32_t> offset;
    uint32_t clampValue = 0;

    uint32_t dims() const { return uint32_t(dimension.size()); }
};

struct View {
    bool hasDimensions = false;
    Coord permutation, dimension, stride;
    uint32_t clipRow = 0, clipRows = ~0u, clipColumn = 0, clipColumns = ~0u;
};

struct Place {
    enum { kSkipped, kConstantValue, kElement } what = kSkipped;
    uint32_t index = 0;
    Coord block, inBlock;
};

// Where the element of a matrix lies; of a view: null without one.
Place placeOf(const Layout& t, const View* view, uint32_t row, uint32_t column, uint32_t columns,
              bool isStore);

// Random layouts and views, as instructions and as the state that they give.
class Tensor {
 public:
    Tensor(Module& module, Random& random, uint32_t rows, uint32_t columns, bool hasBlocks,
           bool hasView);

    size_t elements() const;  // of memory
    Place placeOf(uint32_t row, uint32_t column, bool isStore) const {
        return oracle::placeOf(layout, view ? &*view : nullptr, row, column, columns_, isStore);
    }
    // What follows the mask of memory operands; `functions`: those that decode, or nothing.
    std::string operands(const std::string& functions = "") const;

    Layout layout;
    std::optional<View> view;
    Id layoutId, viewId;

 private:
    using Set = std::function<void(const std::string& name, const Coord& operands)>;
    std::string list(const Coord& values);
    uint32_t upTo(uint32_t most) { return 1 + uint32_t(random_() % most); }
    uint32_t inBlocks(size_t dim) const {
        return (layout.dimension[dim] + layout.block[dim] - 1) / layout.block[dim];
    }
    void makeLayout(uint32_t dims, bool hasBlocks);
    void makeStrides(const Set& set);
    void slice(const Set& set);
    void makeView();
    void makeViewDimensions(uint32_t dims, const Set& set);

    Module& module_;
    Random& random_;
    uint32_t rows_, columns_;
};

}  // namespace coopvk::oracle
