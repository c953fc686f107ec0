// SPDX-License-Identifier: Apache-2.0
//
// Whether products of 4- and 8-bit components are to be dot products of four bytes, and as what
// these read the components.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// On GPUs dot products that are not accelerated become many instructions each; where subgroups have
// few lanes, each of these holds too much of a product for that. False on CPUs.
bool wantsByteDots(const DeviceTraits& device);

// A component x is read as the byte (x - offset) * 2^shift.
struct ByteReading {
    uint32_t bits = 8;      // of a component: 8, or 4, of which a word has eight
    bool isSigned = false;  // the byte
    uint32_t shift = 0;
    int32_t offset = 0;

    // Signed 4-bit components are read as signed bytes from the upper half of these, where their
    // sign is in place; all others as they are. Where the byte has the other sign, the
    // component's sign bit is flipped first, which makes it 2^(bits - 1) more or less.
    ByteReading(uint32_t componentBits, bool componentSigned, bool byteSigned)
        : bits(componentBits), isSigned(byteSigned) {
        const bool fits = componentSigned == byteSigned || (bits == 4 && !componentSigned);
        if (bits == 4 && componentSigned && byteSigned) shift = 4;
        if (!fits) offset = (componentSigned ? -1 : 1) * (1 << (bits - 1));
    }

    // The bytes of a word: one word of them or, of 4-bit components, those with even and those with
    // odd numbers.
    std::vector<Id> bytes(Emitter& emit, Id word) const;
};

}  // namespace coopvk::rewrite
