// SPDX-License-Identifier: Apache-2.0
//
// Products of 4- and 8-bit components as dot products of four bytes: whether to use these, and
// which bytes they read.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/emitter.hpp"

namespace coopvk::rewrite {

bool acceleratesByteDots(const DeviceTraits& device);

// Whether GPUs should use dot products of bytes: where they are accelerated, or subgroups are
// large. Others become many instructions each, and in small subgroups each lane computes many.
// False on CPUs.
bool wantsByteDots(const DeviceTraits& device);

// A component x is read as the byte (x - offset) * 2^shift.
struct ByteReading {
    uint32_t bits = 8;      // of a component: 8, or 4, of which a word has eight
    bool isSigned = false;  // of the byte
    uint32_t shift = 0;
    int32_t offset = 0;

    // A signed byte has a signed 4-bit component in its upper half, where the sign bits coincide;
    // other bytes have the component in their low bits. Where only one of byte and component is
    // signed, the component's highest bit is flipped first: that adds or subtracts 2^(bits - 1).
    ByteReading(uint32_t componentBits, bool componentSigned, bool byteSigned)
        : bits(componentBits), isSigned(byteSigned) {
        const bool fits = componentSigned == byteSigned || (bits == 4 && !componentSigned);
        if (bits == 4 && componentSigned && byteSigned) shift = 4;
        if (!fits) offset = (componentSigned ? -1 : 1) * (1 << (bits - 1));
    }

    // The bytes of a word of components: one word, or for 4-bit components two words, that of the
    // components with even numbers first.
    std::vector<Id> bytes(Emitter& emit, Id word) const;
};

}  // namespace coopvk::rewrite
