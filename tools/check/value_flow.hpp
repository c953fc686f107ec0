// SPDX-License-Identifier: Apache-2.0
//
// Where the bits of values come from: through copies, composites, shifts, variables of an
// invocation, and calls.
#pragma once

#include <map>
#include <vector>

#include "module.hpp"

namespace coopvk::check {

struct Sources {
    std::vector<uint32_t> loads;  // results of loads from memory that invocations share
    std::vector<Format> floats;   // formats of floats whose bits become integers
};

class ValueFlow {
 public:
    explicit ValueFlow(const Module& module);

    // Of a value, as far as a walk of some hundred instructions finds them.
    Sources sourcesOf(uint32_t value) const;
    // Variables and other results from which chains of accesses lead to a pointer.
    std::vector<uint32_t> rootsOf(uint32_t pointer) const;
    // The float format whose bits an instruction makes of integers; nothing for others.
    std::optional<Format> floatFrom(const Instruction& i) const;
    // The format of a number, a vector's component or a matrix's component of the type.
    std::optional<Format> componentFormat(uint32_t type) const;

 private:
    bool isOfInvocation(uint32_t root) const;
    // What the value is made of, with the same bits.
    void addParts(const Instruction& i, std::vector<uint32_t>& parts) const;
    std::optional<Format> floatInto(const Instruction& i) const;

    const Module& module_;
    std::map<uint32_t, std::vector<uint32_t>> stored_;     // values, by variable of an invocation
    std::map<uint32_t, std::vector<uint32_t>> arguments_;  // by parameter
    std::map<uint32_t, std::vector<uint32_t>> returned_;   // by function
};

}  // namespace coopvk::check
