// SPDX-License-Identifier: Apache-2.0
//
// Tensor loads and stores that differ in their arguments only: a function can take their place.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite {

bool isTensorStore(const Instruction& i);

// What accesses of one function have in common, and what is different: its arguments.
struct AccessPattern {
    std::vector<uint32_t> key;
    std::vector<Id> arguments;
};

class AccessPatterns {
 public:
    explicit AccessPatterns(Module& module);

    // Whether it is an access whose pointer a function can compute.
    bool has(const Instruction& access) const;
    AccessPattern of(const Instruction& access) const;

    // Emits the access in a function; parameter(id) is what the function has for an argument.
    // Returns the result of a load.
    std::optional<Id> emitIn(Emitter& emit, const Instruction& access,
                             const std::function<Id(Id argument)>& parameter) const;

 private:
    bool isConstant(Id id) const;
    bool isPhysical(const Instruction& access) const;
    bool readsObject(const Instruction& access) const;
    void visitIds(const Instruction& access, const std::function<void(Id id)>& visit) const;

    Module& module_;
    std::unordered_set<Id> clipped_;  // types of views
};

std::vector<Id> typesOf(const Module& module, std::span<const Id> values);
// Declares that the parameters which are physical pointers may alias others.
void decoratePointers(FunctionBuilder& function, std::span<const Id> arguments);

}  // namespace coopvk::rewrite
