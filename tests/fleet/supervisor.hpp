// SPDX-License-Identifier: Apache-2.0
//
// Runs the worker in a process with a device's preload library, and starts it again behind whatever
// it crashed at.
#pragma once

#include <string>
#include <vector>

#include "devices.hpp"
#include "measurement.hpp"

namespace coopvk::fleet {

// `arguments` are for the worker. Throws where it does not even get a device.
std::vector<Measurement> runDevice(const Device& device, const std::string& libraryPath,
                                   const std::vector<std::string>& arguments);

}  // namespace coopvk::fleet
