// SPDX-License-Identifier: Apache-2.0
//
// Built-ins whose values the rewriter knows: their variables become Private.
#pragma once

#include <optional>

#include "coopvk/rewrite.hpp"
#include "ir/types.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

// The variables of a module with a built-in.
std::vector<Id> variablesOf(const Module& module, spv::BuiltIn builtIn);

// Turns the variable of a built-in, and the pointers that copies and access chains make of it, into
// those of storage class Private, and takes it out of the interface of the only entry point (the
// pass "finish" completes that). Fails with kUnsupported if anything but loads takes a pointer.
// `users`: of the module, with its entry point.
//
//   %v = OpVariable %input Input            %v = OpVariable %private Private
std::optional<Error> makePrivate(TypeTable& types, const Users& users, Id variable,
                                 std::string_view name);

// Puts instructions behind the variables of the entry point's first block.
void insertAtStart(Module& module, InstructionList code);

}  // namespace coopvk::rewrite
