// SPDX-License-Identifier: Apache-2.0
//
// Replaces types by others throughout a module.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

using TypeNames = std::map<Id, Id>;

// Instructions name the types that `names` gives in place of the old ones, which are removed.
// Function types that become equal by this become one, since non-aggregate types must not be
// declared twice. Operands of an instruction for which keeps() is true stay, and so do the types
// that they name.
void replaceTypes(TypeTable& types, const TypeNames& names,
                  bool (*keeps)(const Instruction& instruction) = nullptr);

}  // namespace coopvk::rewrite
