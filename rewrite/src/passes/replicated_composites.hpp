// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_replicated_composites: composites of one value, written out.
#pragma once

#include <optional>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Runs after specialisation and after the lowering of types that have replicated composites of
// their own: what is left gets as many constituents as its type has.
std::optional<Error> expandReplicatedComposites(Module& module);

}  // namespace coopvk::rewrite
