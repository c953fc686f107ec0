// SPDX-License-Identifier: Apache-2.0
//
// The way that the indices of an access chain lead through explicitly laid out memory, in bytes.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

class ByteWalk {
 public:
    ByteWalk(Emitter& emit, Id type) : emit_(emit), type_(type) {
        bytes_ = emit.types().constantU32(0);
    }

    Id type() const { return type_; }
    Id bytes() const { return bytes_; }  // from the start; u32

    // Whether an index into where the walk is leads to another descriptor: an array on the outside,
    // which has no stride.
    bool isAtDescriptors() const;
    // Goes there, by no byte.
    void enterDescriptor() { type_ = emit_.module().def(type_).word(0); }

    // Follows an index. False if the layout does not say where it leads.
    bool step(Id index);

 private:
    bool skip(Id index, uint32_t stride);

    Emitter& emit_;
    Id type_;
    Id bytes_ = 0;
    // Of the structure member that the walk last went through.
    uint32_t matrixStride_ = 0;
    bool isRowMajor_ = false;
    bool inRowMajorColumn_ = false;  // the components are a matrix stride apart
};

}  // namespace coopvk::rewrite
