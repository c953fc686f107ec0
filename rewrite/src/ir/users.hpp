// SPDX-License-Identifier: Apache-2.0
//
// Definitions and uses: which instructions name an id, and where they are.
#pragma once

#include <algorithm>
#include <compare>
#include <optional>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Ahead of an instruction: indices into Function::blocks and into the block's body.
struct Position {
    size_t block = 0;
    size_t at = 0;
    auto operator<=>(const Position&) const = default;
};

// An operand of an instruction in a block, or its result type.
struct Usage {
    Instruction* user = nullptr;
    size_t operand = 0;
    Position position;
};

// The uses of each id, in the order of the instructions; also those of types and of labels. Names,
// decorations and interfaces of entry points are no uses. Valid until instructions are added,
// removed or changed, but Usage::user stays valid when instructions move.
class Users {
 public:
    static constexpr size_t kResultType = ~size_t{0};  // a value of Usage::operand

    // Uses by the instructions in a function's blocks.
    explicit Users(const Function& function);
    // Uses by types, constants, variables, and all instructions of functions. Positions are in
    // blocks of different functions, and zero for instructions that are in none.
    explicit Users(const Module& module);

    std::span<const Usage> of(Id id) const;
    bool isUsed(Id id) const { return !of(id).empty(); }
    // Whether test(use) is true for each use, or for at least one.
    template <typename Test>
    bool all(Id id, Test test) const {
        return std::ranges::all_of(of(id), test);
    }
    template <typename Test>
    bool any(Id id, Test test) const {
        return std::ranges::any_of(of(id), test);
    }

 private:
    template <typename VisitAll>
    void index(VisitAll visitAll);
    std::optional<size_t> numberOf(Id id) const;

    // Of a function that names few of the module's ids: these, sorted. Else each id is its number.
    std::vector<Id> ids_;
    std::vector<size_t> first_;  // by number: that of its first use; then the number of uses
    std::vector<Usage> uses_;    // sorted by id
};

}  // namespace coopvk::rewrite
