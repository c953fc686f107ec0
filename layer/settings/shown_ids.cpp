// SPDX-License-Identifier: Apache-2.0
#include "settings/shown_ids.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <charconv>
#include <format>

#include "system/text.hpp"

namespace coopvk::layer {
namespace {

constexpr std::string_view kDriverPrefix = "VK_DRIVER_ID_";
// Beyond all names that Vulkan's headers have.
constexpr uint32_t kDriverIds = 128;

std::optional<uint32_t> numberFromText(std::string_view text, int base) {
    uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::string driverText(VkDriverId driver) {
    const std::string_view name = string_VkDriverId(driver);
    return name.starts_with(kDriverPrefix) ? std::string(name)
                                           : std::to_string(static_cast<uint32_t>(driver));
}

template <size_t N>
void showText(std::string_view text, char (&out)[N]) {
    if (text.empty()) return;
    std::fill_n(out, N, '\0');
    text.copy(out, N - 1);
}

template <typename Properties>
void showDriver(const DeviceIds& ids, Properties& properties) {
    properties.driverID = ids.driver.value_or(properties.driverID);
    showText(ids.driverName, properties.driverName);
    showText(ids.driverInfo, properties.driverInfo);
}

}  // namespace

std::string DeviceIds::text() const {
    std::string text;
    const auto add = [&](const std::string& part) {
        text.append(text.empty() ? "" : ", ").append(part);
    };
    if (!deviceName.empty()) add(std::string(deviceName));
    if (vendor) add(std::format("vendor {:x}", *vendor));
    if (device) add(std::format("device {:x}", *device));
    if (driver) add("driver " + driverText(*driver));
    if (!driverInfo.empty()) add("version " + std::string(driverInfo));
    return text;
}

std::optional<uint32_t> idFromText(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    return numberFromText(text, 16);
}

std::optional<VkDriverId> driverIdFromText(std::string_view text) {
    if (const auto number = numberFromText(text, 10)) return static_cast<VkDriverId>(*number);
    std::string name = upperCase(text);
    if (!name.starts_with(kDriverPrefix)) name.insert(0, kDriverPrefix);
    for (uint32_t i = 0; i < kDriverIds; ++i) {
        const auto driver = static_cast<VkDriverId>(i);
        if (name == string_VkDriverId(driver)) return driver;
    }
    return std::nullopt;
}

void show(const DeviceIds& ids, VkPhysicalDeviceProperties& properties) {
    properties.vendorID = ids.vendor.value_or(properties.vendorID);
    properties.deviceID = ids.device.value_or(properties.deviceID);
    properties.driverVersion = ids.driverVersion.value_or(properties.driverVersion);
    showText(ids.deviceName, properties.deviceName);
}

void show(const DeviceIds& ids, VkBaseOutStructure* node) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
        showDriver(ids, *reinterpret_cast<VkPhysicalDeviceDriverProperties*>(node));
    } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
        showDriver(ids, *reinterpret_cast<VkPhysicalDeviceVulkan12Properties*>(node));
    }
}

}  // namespace coopvk::layer
