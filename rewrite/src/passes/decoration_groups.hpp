// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Gives each target of OpGroupDecorate and OpGroupMemberDecorate the group's decorations, so that
// no later pass has to know of groups. Error: kUnsupported, there would be far too many.
std::optional<Error> flattenDecorationGroups(Module& module);

}  // namespace coopvk::rewrite
