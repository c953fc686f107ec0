// SPDX-License-Identifier: Apache-2.0
//
// What a subject needs of a device, by its SPIR-V.
#pragma once

#include <string>

#include "gpu.hpp"
#include "subject.hpp"

namespace coopvk::fleet {

// The first extension that the subject uses and the device, as the layer shows it, does not list;
// empty where there is none.
std::string missingExtension(const Gpu& gpu, const Subject& subject);

// The same for features. Drivers may do more than they promise: only a refusal or
// a crash needs this excuse.
std::string missingFeature(const Gpu& gpu, const Subject& subject);

}  // namespace coopvk::fleet
