// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_facts.hpp"
#include "settings/emulate_policy.hpp"

namespace coopvk::layer {

// What is kept from a program: what it failed with (EmulatePolicy::avoided), and what depends on
// that by the registry. What the setting names is never kept, nor what this needs.
rewrite::ExtensionSet keptFrom(const EmulatePolicy& policy, const DeviceFacts& facts);

}  // namespace coopvk::layer
