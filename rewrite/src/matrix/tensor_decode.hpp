// SPDX-License-Identifier: Apache-2.0
//
// Calls of decode functions, which make a matrix's elements of a block of the tensor
// (SPV_NV_cooperative_matrix2): with a pointer to the block, its coordinates, and the element's
// coordinates in it. One for vectors makes a run of neighbours in the last dimension at once
// (SPV_NV_cooperative_matrix_decode_vector).
#pragma once

#include "matrix/context.hpp"
#include "tensor/decode_clone.hpp"
#include "tensor/tensor_address.hpp"

namespace coopvk::rewrite {

class TensorDecode {
 public:
    TensorDecode(MatrixContext& context, Emitter& emit, const Instruction& at,
                 const MatrixType& matrix, const TensorLayoutType& layout, Id function, Id pointer,
                 bool isVector = false);

    bool valid() const { return function_ != 0; }
    // Elements that one call makes.
    uint32_t length() const { return context_.types.components(resultType_); }
    // The component of the element there, or a vector of the run that begins there.
    Id call(Emitter& emit, const TensorPart& place);

 private:
    bool refuse(std::string_view what);
    bool hasParameters(const Instruction& type) const;
    void castPointer(Emitter& emit, Id pointer);
    Id coordinates(Emitter& emit, uint32_t parameter, std::span<const Id> values);

    MatrixContext& context_;
    const Instruction& at_;
    const uint32_t dimensions_;
    Id function_ = 0;      // that is called
    Id functionType_ = 0;  // of the application's
    uint32_t blockBytes_ = 0;
    Id resultType_ = 0;
    // Of the two, one: a pointer to blocks of numbers as long as divides the application's, or the
    // place of the first one in a buffer.
    Id numbers_ = 0;
    Id number_ = 0;  // type of these
    BufferPlace place_;
};

}  // namespace coopvk::rewrite
