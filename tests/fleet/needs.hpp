// SPDX-License-Identifier: Apache-2.0
//
// What a subject needs from a device, according to its SPIR-V.
#pragma once

#include <string>

#include "gpu.hpp"
#include "subject.hpp"

namespace coopvk::fleet {

// The first extension that the subject uses and that the device with the layer does not list; empty
// if there is none.
std::string missingExtension(const Gpu& gpu, const Subject& subject);

// The same for features. Drivers may do more than they promise, so this matters only after a
// refusal or a crash.
std::string missingFeature(const Gpu& gpu, const Subject& subject);

}  // namespace coopvk::fleet
