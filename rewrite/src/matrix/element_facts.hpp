// SPDX-License-Identifier: Apache-2.0
//
// What a value tells of lanes and elements, and what instructions make of that.
#pragma once

#include "ir/module.hpp"
#include "matrix/element_numbers.hpp"

namespace coopvk::rewrite {

enum ValueFact : uint8_t {
    kOfItsLane = 1 << 0,  // it differs by lane
    kNumber = 1 << 1,     // it differs by the number of an element
    kElement = 1 << 2,    // it comes from an element of a matrix, whichever the lane holds
    kHeld = 1 << 3,       // from several elements that the lane holds
    kLength = 1 << 4,     // from how many elements a lane holds
    kOfMap = 1 << 5,      // from elements of other lanes, or from one lane's alone
};

// What makes a value depend on the map once it is an element, or decides about one.
inline constexpr uint8_t kOfLanes = kOfItsLane | kNumber | kHeld | kOfMap;

struct ElementFacts {
    uint8_t facts = 0;
    uint64_t sources = 0;  // bits: the types of matrices that elements come from
    // The number of the element; nullopt with kElement: of several, or it is not followed.
    std::optional<ElementNumber> number;

    bool has(uint8_t some) const { return (facts & some) != 0; }
    void forgetElement() {
        facts &= static_cast<uint8_t>(~kElement);
        number.reset();
    }
    // Of values of which either is there. Returns whether this changed.
    bool join(const ElementFacts& other);
    bool operator==(const ElementFacts&) const = default;
};

// What an instruction makes of its operands' facts, in order, that are of values.
ElementFacts computedFrom(const Module& module, const Instruction& i,
                          const std::vector<ElementFacts>& operands);

// A hash of how a value is computed, the same for the same computation with another number.
uint64_t shapeOf(const Module& module, Id value);

}  // namespace coopvk::rewrite
