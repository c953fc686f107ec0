// SPDX-License-Identifier: Apache-2.0
#include "device/matrix2.hpp"

#include <algorithm>

#include "device/device_facts.hpp"
#include "device/physical_device.hpp"

namespace coopvk::layer {

bool hasBufferAddresses(const DeviceFacts& facts) {
    return facts.has(Feature::kBufferDeviceAddress);
}

// If the driver has one of the features, the values must be valid for its shaders and emulated
// ones.
void fillMatrix2Properties(const DeviceFacts& facts, uint32_t native, void* node) {
    using Features = VkPhysicalDeviceCooperativeMatrix2FeaturesNV;
    auto& properties = *static_cast<VkPhysicalDeviceCooperativeMatrix2PropertiesNV*>(node);
    const ExtensionRow& row = extensionRow(rewrite::Extension::kNvCooperativeMatrix2);
    const auto isNative = [&](size_t offset) { return (native & row.bit(offset)) != 0; };
    auto& size = properties.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    auto& reserved = properties.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
    auto& dimension = properties.cooperativeMatrixFlexibleDimensionsMaxDimension;
    const bool workgroup = isNative(offsetof(Features, cooperativeMatrixWorkgroupScope));
    const bool flexible = isNative(offsetof(Features, cooperativeMatrixFlexibleDimensions));
    const uint32_t emulatedSize = rewrite::maxMatrixWorkgroupSize(facts.traits);
    const uint32_t emulatedReserved = rewrite::reservedSharedMemory(facts.traits);
    size = workgroup ? std::min(size, emulatedSize) : emulatedSize;
    reserved = workgroup ? std::max(reserved, emulatedReserved) : emulatedReserved;
    dimension =
        flexible ? std::min(dimension, rewrite::kMaxMatrixDimension) : rewrite::kMaxMatrixDimension;
}

std::vector<rewrite::FlexibleShape> flexibleShapes(const PhysicalDeviceContext& device) {
    using Features = VkPhysicalDeviceCooperativeMatrix2FeaturesNV;
    const auto adds = [&](size_t offset) {
        return device.adds(rewrite::Extension::kNvCooperativeMatrix2, offset);
    };
    const bool addsAll = adds(offsetof(Features, cooperativeMatrixFlexibleDimensions));
    if (!addsAll && !adds(offsetof(Features, cooperativeMatrixWorkgroupScope))) return {};
    std::vector<rewrite::FlexibleShape> shapes = rewrite::flexibleShapes(device.facts.traits);
    std::erase_if(shapes, [&](const rewrite::FlexibleShape& shape) {
        return !addsAll && shape.workgroupInvocations == 0;
    });
    return shapes;
}

}  // namespace coopvk::layer
