// SPDX-License-Identifier: Apache-2.0
//
// The numbers and names by which programs recognise a device and its driver, in place of its own:
// the settings vendor_id, device_id and driver_id, and those of `as` (taken_for.hpp). They change
// what programs see, and nothing that coopvk decides.
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
    // Only of devices in place of others. Empty: the device's own.
    std::string_view deviceName = {}, driverName = {}, driverInfo = {};
    std::optional<uint32_t> driverVersion = {};

    bool operator==(const DeviceIds&) const = default;
    bool isEmpty() const { return *this == DeviceIds{}; }
    // "vendor 10de, device 2684, driver VK_DRIVER_ID_NVIDIA_PROPRIETARY", without those that are
    // not known; with names: "NVIDIA GeForce RTX 4090, vendor ..., version 580.159.04".
    std::string text() const;
};

// Hexadecimal digits, as DXVK takes them, also with 0x in front.
std::optional<uint32_t> idFromText(std::string_view text);
// A VkDriverId: its number, or its name in upper or lower case, also without VK_DRIVER_ID_.
std::optional<VkDriverId> driverIdFromText(std::string_view text);

void show(const DeviceIds& ids, VkPhysicalDeviceProperties& properties);
// In a structure of a chain, if it is one that has a driver's number and names.
void show(const DeviceIds& ids, VkBaseOutStructure* node);

}  // namespace coopvk::layer
