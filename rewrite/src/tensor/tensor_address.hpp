// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a matrix lie in a tensor: the functions of SPV_NV_cooperative_matrix2,
// "Tensor Layout and View".
//
// The text goes from row and column to an index in the span, from that to coordinates in the view,
// to an index and to coordinates in the span again: with several divisions for each element. Where
// the innermost dimension of the span (or what the view has in its place) is as long as a row of
// the matrix, nothing is clipped and the view only permutes dimensions, that one coordinate is the
// column, and the others depend on the row alone. Such an address is "separable": the parts of a
// row and of a column are computed once for each, and an element's index is their sum. That is a
// condition of the layout's numbers, which are the same in all invocations.
//
// Of neighbours in the last dimension, "runs" may be loaded or stored at once, where more
// conditions hold: no part of a run is outside alone, and each begins at a multiple of its length.
#pragma once

#include <array>

#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

// What is known of an access ahead of its execution.
struct TensorAccess {
    const TensorLayoutType* layout = nullptr;
    const TensorViewType* view = nullptr;  // nullptr: there is none
    uint32_t rows = 0, columns = 0;        // of the matrix
    bool isStore = false;
    bool isDecoded = false;  // coordinates in blocks are wanted
};

// What a row or a column gives to the places of its elements, or a whole place.
struct TensorPart {
    Id coordinate = 0;  // the row or the column, u32
    Id index = 0;       // u32, in what the strides count; of an element inside where there is any
    Id inside = 0;      // boolean; 0: no question, it is
    Id isKept = 0;      // boolean: no clipping; 0: no question
    // Of the dimensions that it decides; u32.
    std::array<Id, kMaxTensorDimensions> block = {}, inBlock = {};
};

class TensorAddress {
 public:
    // `layout` and `view` are values of the types that `access` names (view 0: there is none).
    TensorAddress(LoweringContext& context, Emitter& emit, const TensorAccess& access, Id layout,
                  Id view);

    // Whether the parts below tell the address: a boolean, the same in all invocations; 0 if they
    // never do.
    Id isSeparable();
    TensorPart ofRow(Id row);
    TensorPart ofColumn(Id column);
    static TensorPart join(Emitter& emit, const TensorPart& row, const TensorPart& column);

    // Whether neighbours in a row of the matrix are such in the last dimension (true), or
    // neighbours in a column (false); nullopt: neither, or they may be apart.
    std::optional<bool> runsAlongRows() const;
    // Where the address is separable: whether runs of so many elements, which begin at multiples of
    // that in the matrix, may be accessed at once: in blocks where these are decoded, else as
    // neighbours in memory. A boolean as isSeparable().
    Id hasRuns(uint32_t length);
    // From now on parts are those of a run's first element, and of whole runs.
    void setRuns(uint32_t length) { run_ = length; }

    // The place of any element, by a helper function.
    TensorPart ofElement(Id row, Id column);

    Id clampValue() const { return layout_[access_.layout->clampValue()]; }  // u32

 private:
    struct Coordinate {
        Id block = 0, inBlock = 0, inside = 0;
    };
    uint32_t dimensions() const { return access_.layout->dimensions; }
    uint32_t permuted(uint32_t dimension) const;
    Id layoutAt(TensorLayoutType::Field field, uint32_t dimension) const {
        return layout_[access_.layout->member(field, dimension)];
    }
    Id viewAt(TensorViewType::Field field, uint32_t dimension) const {
        return view_[access_.view->member(field, dimension)];
    }
    Id clipAt(TensorViewType::Clip which) const { return view_[access_.view->clip(which)]; }
    spv::TensorClampMode clampMode() const;
    Id spanStride(uint32_t dimension);
    Id isMultiple(Id number, uint32_t of);
    Id rowsFit();
    Id isNotEmpty();
    Id isUnclipped();
    Id viewIsSpan();
    std::vector<Id> ofSpan(Id row);
    Id positiveRemainder(Id number, Id period);
    Id clamped(Id coordinate, Id size, uint32_t run);
    Coordinate coordinate(uint32_t dimension, Id inSpan);
    void add(TensorPart& part, uint32_t dimension, Id inSpan);

    Id linear(TensorPart& part, Id row, Id column);
    std::vector<Id> divided(Id index, std::span<const Id> sizes,
                            std::span<const uint32_t> permutation);
    std::vector<Id> spans(uint32_t count);
    std::vector<Id> throughView(Id index);
    std::vector<Id> ofSpanIndex(Id index);
    TensorPart place(Id row, Id column);
    std::vector<std::pair<Id*, Id>> valuesOf(TensorPart& part);
    Id buildPlace(Id resultType);

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const TensorAccess access_;
    const Id layoutValue_, viewValue_;
    const std::vector<Id> layout_, view_;  // members
    uint32_t run_ = 1;
};

}  // namespace coopvk::rewrite
