// SPDX-License-Identifier: Apache-2.0
//
// The interfaces of entry points.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Adds the variables that lowering made to the interface of every entry point whose call tree uses
// them.
void completeInterfaces(Module& module);

}  // namespace coopvk::rewrite
