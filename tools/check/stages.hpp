// SPDX-License-Identifier: Apache-2.0
//
// Which entry point of a module is executed, and how its stage is.
#pragma once

#include "check.hpp"

namespace coopvk::check {

// With its entry point and its stage.
Subject withStage(const Subject& subject);
// Of stages other than compute a subgroup is executed, or one workgroup.
Options forStage(Options options, const Subject& subject);

}  // namespace coopvk::check
