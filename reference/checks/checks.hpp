// SPDX-License-Identifier: Apache-2.0
//
// The checks that observe: each has a file.
#pragma once

#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

// Of an execution: those that the settings want.
std::vector<std::unique_ptr<Observer>> makeChecks(const Settings& settings, bool hasThreads);

namespace checks {

// `hasThreads`: several execute workgroups.
using Make = std::unique_ptr<Observer>(const Settings& settings, bool hasThreads);
Make races, unwritten, undefined, alignment, divergence, uniformity, program;

}  // namespace checks

}  // namespace coopvk::reference
