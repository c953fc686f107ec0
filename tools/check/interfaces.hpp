// SPDX-License-Identifier: Apache-2.0
//
// The interface of a module to its pipeline: inputs, outputs, descriptors, push constants, as it is
// declared.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "module.hpp"

namespace coopvk::check {

// A decoration with its literals, of an id or of a member of a structure.
struct Decoration {
    static constexpr uint32_t kWhole = ~uint32_t{0};
    uint32_t target = 0, member = kWhole;
    spv::Decoration decoration = {};
    std::span<const uint32_t> literals;
    std::string text() const;
};
// Of all ids, also by groups.
std::vector<Decoration> decorationsOf(const Module& module);

// Execution, or the terms of proofs, account for what these say.
bool isModelled(spv::Decoration decoration);

// A variable that the pipeline sees.
struct Declared {
    std::string kind;                   // what it is bound to; the type where both sides know one
    std::set<std::string> decorations;  // but for those that are modelled
};
using Interfaces = std::map<std::string, std::vector<Declared>>;  // by place, in words
Interfaces interfacesOf(const Module& module, std::span<const Decoration> decorations);
// Whether it is one of these, and what it points to.
bool isOfInterface(const Instruction& variable);

// In words, where the rewritten module's interface is not a part of the original's; else empty.
std::string otherInterface(const Interfaces& original, const Interfaces& rewritten);

}  // namespace coopvk::check
