// SPDX-License-Identifier: Apache-2.0
//
// Calls of decode functions (SPV_NV_cooperative_matrix2). DecodeFunc takes a pointer to a block of
// the tensor, the block's coordinates and an element's coordinates in the block, and returns the
// element. DecodeVectorFunc returns a vector of neighbours in the last dimension
// (SPV_NV_cooperative_matrix_decode_vector).
#pragma once

#include "matrix/context.hpp"
#include "tensor/decode.hpp"
#include "tensor/tensor_address.hpp"

namespace coopvk::rewrite {

class TensorDecode {
 public:
    // `isVector`: the function is DecodeVectorFunc.
    TensorDecode(MatrixContext& context, Emitter& emit, const Instruction& at,
                 const MatrixType& matrix, const TensorLayoutType& layout, Id function, Id pointer,
                 bool isVector = false);

    bool valid() const { return function_ != 0; }
    // Whether more calls than one for each element of the matrix make no difference.
    bool mayRepeat() const { return mayRepeat_; }
    // The element at a place, or the vector that begins there.
    Id call(Emitter& emit, const TensorPart& place);

 private:
    bool refuse(std::string_view what);
    bool hasParameters(const Instruction& type) const;
    void castPointer(Emitter& emit, Id pointer);
    Id coordinates(Emitter& emit, uint32_t parameter, std::span<const Id> values);

    MatrixContext& context_;
    const Instruction& at_;
    const uint32_t dimensions_;
    bool mayRepeat_ = false;
    Id function_ = 0;      // the function to call
    Id functionType_ = 0;  // of the application's function
    uint32_t blockBytes_ = 0;
    Id resultType_ = 0;
    // One of both: a physical pointer to an array of units, whose size divides that of a block; or
    // the place of the first block in a buffer.
    Id units_ = 0;
    Id unit_ = 0;  // type of a unit
    BufferPlace place_;
};

}  // namespace coopvk::rewrite
