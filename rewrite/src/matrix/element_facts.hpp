// SPDX-License-Identifier: Apache-2.0
//
// What a value tells of lanes, and of elements of matrices and the numbers that name these; and
// what instructions make of that.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string_view>

#include "ir/composites.hpp"
#include "ir/module.hpp"
#include "ir/users.hpp"
#include "matrix/flow_blocks.hpp"

namespace coopvk::rewrite {

// A number as a sum. Without a base it is the constant.
struct ElementNumber {
    Id base = 0;  // a variable of the invocation, for what is loaded from it, or a value
    uint32_t constant = 0;
    auto operator<=>(const ElementNumber&) const = default;
};

ElementNumber elementNumber(const Module& module, Id number);

// The phis and variables from which a number is computed.
std::vector<Id> countersOf(const Module& module, Id number);

// What the instruction that names an element by this number reads from the iteration before, in
// the loop that counts: the number, and all else that changes with it.
std::vector<Id> carriedWith(const Module& module, const FlowBlocks& blocks, const Instruction& i,
                            Id number);

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

// Values that tell lanes of a subgroup apart.

// Whether a built-in variable differs between the lanes of a subgroup.
bool differsByLane(const Module& module, Id variable);
// Whether an instruction computes the number of a subgroup from that of an invocation.
bool isNumberOfSubgroup(const Module& module, const Users& users, const Instruction& i);

}  // namespace coopvk::rewrite
