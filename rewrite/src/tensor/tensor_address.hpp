// SPDX-License-Identifier: Apache-2.0
//
// The places of a matrix's elements in a tensor: the functions of SPV_NV_cooperative_matrix2,
// "Tensor Layout and View".
//
// The specification computes from row and column an index in the span, from that coordinates in the
// view, and from these an index and coordinates in the span: several divisions for each element. An
// address is "separable" where the innermost dimension of the span, after the view's permutation,
// is as long as a row of the matrix, nothing is clipped, and the view only permutes dimensions.
// Then the innermost coordinate is the column, and the others depend only on the row. So the parts
// of each row and each column are computed once, and the index of an element is the sum of two
// parts. Whether an address is separable depends on the layout's numbers, which are the same in all
// invocations.
//
// A "run" is a sequence of neighbours in the last dimension that are loaded or stored at once. Runs
// need further conditions: each is inside or outside of the tensor as a whole, and starts at a
// multiple of its length.
#pragma once

#include <array>

#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

// The constant properties of an access.
struct TensorAccess {
    const TensorLayoutType* layout = nullptr;
    const TensorViewType* view = nullptr;  // nullptr: no view
    uint32_t rows = 0, columns = 0;        // of the matrix
    bool isStore = false;
    bool isDecoded = false;  // decode functions need coordinates in blocks
};

// What a row or a column adds to the places of its elements; or the place of an element.
struct TensorPart {
    Id coordinate = 0;  // the row or the column, u32
    Id index = 0;       // u32, in units of the strides; clamped to an index inside of the tensor
    Condition inside = Condition::always();  // of the tensor
    Condition isKept = Condition::always();  // not clipped
    // Coordinates (u32) of the block, and in it; 0 in dimensions that the part does not determine.
    std::array<Id, kMaxTensorDimensions> block = {}, inBlock = {};
};

class TensorAddress {
 public:
    // `layout` and `view`: values of the types of `access`.
    TensorAddress(LoweringContext& context, Emitter& emit, const TensorAccess& access, Id layout,
                  std::optional<Id> view);

    // Whether the address is separable, the same in all invocations. The functions below it then
    // give the parts, and join() the place of an element.
    Condition isSeparable();
    TensorPart ofRow(Id row);
    TensorPart ofColumn(Id column);
    static TensorPart join(Emitter& emit, const TensorPart& row, const TensorPart& column);

    // Whether neighbours in the last dimension are neighbours in a row of the matrix (true), or in
    // a column (false); nullopt: neither, or the clamp mode may separate them.
    std::optional<bool> runsAlongRows() const;
    // For separable addresses: whether runs of `length` elements that start at multiples of
    // `length` in the matrix may be accessed at once. Where elements are decoded, each run is in
    // one block, whose size is a multiple of the vector's that is decoded at once
    // (SPV_NV_cooperative_matrix_decode_vector). The same in all invocations.
    Condition hasRuns(uint32_t length);
    // From now on, parts are of runs of so many elements.
    void setRuns(uint32_t length) { run_ = length; }

    // Whether the view may clip elements: those that a load leaves as they are in Object.
    bool clips() const { return access_.view != nullptr && access_.view->mayClip; }

    // The place of an element for any address. Calls a helper function.
    TensorPart ofElement(Id row, Id column);

    Id clampValue() const { return layout_[access_.layout->clampValue()]; }  // u32

 private:
    struct Coordinate {
        Id block = 0, inBlock = 0;
        Condition inside = Condition::always();
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
    Condition equal(Id a, Id b) { return emit_.compare(OpIEqual, a, b); }
    Id spanStride(uint32_t dimension);
    Id rowsFit();
    Condition isNotEmpty();
    Condition isUnclipped();
    Condition viewIsSpan();
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
    template <typename Visit>
    void eachValue(TensorPart& part, Visit visit) const;
    Id buildPlace(Id resultType);

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const TensorAccess access_;
    const Id layoutValue_;
    const std::optional<Id> viewValue_;
    Id rows_, columns_;                    // of the matrix; u32
    const std::vector<Id> layout_, view_;  // members
    uint32_t run_ = 1;
};

}  // namespace coopvk::rewrite
