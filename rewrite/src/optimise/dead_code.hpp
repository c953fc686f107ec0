// SPDX-License-Identifier: Apache-2.0
//
// Dead code elimination (DCE): removes what nothing reads.
#pragma once

#include <functional>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Removes instructions for which mayGo() is true and whose results nothing reads but such
// instructions: also phis that only read each other, and variables of functions to which, or to
// parts of which, plain stores only write, with these stores. Their results are forgotten.
using MayGo = std::function<bool(const Instruction&)>;

// Of all functions.
void removeDeadCode(Module& module, const MayGo& mayGo);
// Of one function.
void removeDeadCode(Module& module, Function& function, const MayGo& mayGo);
// Removes what nothing reads and what may vanish (effects.hpp), and all that nothing reads in
// blocks that constant conditions never lead to; drivers remove these blocks.
void removeUnreadValues(Module& module);
// The same, and types, constants and functions that nothing names.
void removeUnread(Module& module);
// Functions that no entry point reaches.
void removeUnreachedFunctions(Module& module);
// Of all functions and of module scope.
void removeDeadDeclarations(Module& module, const MayGo& mayGo);

}  // namespace coopvk::rewrite
