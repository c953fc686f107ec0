// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compute_device.hpp"

namespace coopvk::tool {

// Why a device cannot run a module: the first capability or float control that it lacks, with the
// feature or the property; empty: it has all.
std::string whyUnsupported(std::span<const uint32_t> words, const vulkan::ComputeDevice& device);

}  // namespace coopvk::tool
