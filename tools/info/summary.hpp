// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk info` says first: in a few lines what each device gets, and what to do next.
#pragma once

#include <iosfwd>
#include <span>

#include "device/physical_device.hpp"
#include "devices.hpp"

namespace coopvk::tool {

// The devices, with what the layer decides for each.
void printSummary(std::ostream& out, std::span<const Device> devices,
                  std::span<const layer::PhysicalDeviceContext> assessed);

}  // namespace coopvk::tool
