// SPDX-License-Identifier: Apache-2.0
//
// The value of an id in a subgroup: a structure of arrays. Component c of lane l is
// data[c * lanes + l], 64 bits whatever the type: the bits of the scalar, with zeros above its
// width. A bool is 0 or 1.
#pragma once

#include <cstdint>

#include "execution/lane_mask.hpp"
#include "program/types.hpp"

namespace coopvk::reference {

struct Value {
    uint64_t* data = nullptr;
    LaneMask* defined = nullptr;  // for each component: the lanes in which its bits mean something
    const Type* type = nullptr;
    uint32_t lanes = 0;

    uint64_t* component(uint32_t index) const { return data + uint64_t{index} * lanes; }
    uint64_t& at(uint32_t index, uint32_t lane) const { return component(index)[lane]; }
    bool isDefined(uint32_t index, uint32_t lane) const { return defined[index].test(lane); }
    uint32_t components() const { return type->components; }
    // Says in which of these lanes a component is defined.
    void define(uint32_t index, LaneMask where, LaneMask lanesOf) const {
        defined[index] = (defined[index] & ~lanesOf) | (where & lanesOf);
    }
    // A part of the value, from component `first` on.
    Value part(const Type& partType, uint32_t first) const {
        return {component(first), defined + first, &partType, lanes};
    }
};

// The lanes in a ballot: a vector of four words.
inline LaneMask ballotAt(const Value& ballot, uint32_t lane) {
    return {ballot.at(0, lane) | ballot.at(1, lane) << 32, ballot.at(2, lane) | ballot.at(3, lane)
                                                                                    << 32};
}

// All bits of a scalar of this width.
constexpr uint64_t widthMask(uint32_t width) {
    return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}
// The value of the low `width` bits as a signed integer.
constexpr int64_t signExtend(uint64_t bits, uint32_t width) {
    const uint32_t unused = 64 - width;
    return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace coopvk::reference
