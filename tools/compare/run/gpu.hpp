// SPDX-License-Identifier: Apache-2.0
//
// One side of a comparison: a separate Vulkan instance and device, without coopvk's layer or with
// it.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chain/vulkan_newer.hpp"
#include "compute_device.hpp"

namespace coopvk::compare {

enum class SideKind { kNative, kEmulated };
std::string_view nameOf(SideKind side);

struct GpuOptions {
    uint32_t index = 0;     // among the devices that the environment leaves
    std::string extension;  // under comparison: enabled where the device lists it, with those
                            // that it rests on
    std::string backEnd;    // of the layer
    std::string logLevel = "error";
};

// For an instance with coopvk's layer, which may be an explicit one.
VkInstanceCreateInfo layeredInstance();

class Gpu : public vulkan::ComputeDevice {
 public:
    Gpu(SideKind side, const GpuOptions& options);

    // The device lists the extension under comparison and its feature.
    bool hasExtension() const { return hasExtension_; }

    const SideKind side;
    VkPhysicalDeviceCooperativeVectorPropertiesNV vectorProperties{};
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV matrix2Properties{};

 private:
    void createWith(const std::string& extension);
    void queryProperties(const std::string& extension);

    bool hasExtension_ = false;
};

}  // namespace coopvk::compare
