// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which programs recognise a device and its driver, in place of its own: the
// settings vendor_id, device_id and driver_id. They change what programs see, and nothing that
// coopvk decides.
#pragma once

#include <vulkan/vulkan.h>

#include <optional>
#include <string>
#include <string_view>

namespace coopvk::layer {

// Of a device, or to be shown in place of its own.
struct DeviceIds {
    std::optional<uint32_t> vendor, device;
    std::optional<VkDriverId> driver;

    bool operator==(const DeviceIds&) const = default;
    bool isEmpty() const { return !vendor && !device && !driver; }
    // "vendor 10de, device 2684, driver VK_DRIVER_ID_NVIDIA_PROPRIETARY", without those that are
    // not known.
    std::string text() const;
};

// Hexadecimal digits, as DXVK takes them, also with 0x in front.
std::optional<uint32_t> idFromText(std::string_view text);
// A VkDriverId: its number, or its name in upper or lower case, also without VK_DRIVER_ID_.
std::optional<VkDriverId> driverIdFromText(std::string_view text);

void show(const DeviceIds& ids, VkPhysicalDeviceProperties& properties);
// In a structure of a chain, if it is one that has a driver's number.
void show(const DeviceIds& ids, VkBaseOutStructure* node);

}  // namespace coopvk::layer
