// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/conversion_kernel.hpp"
#include "device/device_request.hpp"
#include "device/enabled_facts.hpp"
#include "inputs/commands.hpp"
#include "inputs/dispatch_inputs.hpp"
#include "loader/commands.hpp"
#include "loader/link.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

std::shared_ptr<DeviceContext> makeContext(const std::shared_ptr<InstanceContext>& instance,
                                           VkPhysicalDevice handle,
                                           const PhysicalDeviceContext& physical,
                                           const DeviceRequest& request) {
    auto context = std::make_shared<DeviceContext>();
    context->instance = instance;
    context->physicalHandle = handle;
    context->physical = &physical;
    context->facts = enabledFacts(physical.facts, request.info, request.emulated);
    context->emulated = request.emulated;
    context->addsShapes = request.addsShapes;
    context->requiredSubgroupSize = physical.requiredSubgroupSize;
    context->replacesLayout = request.replacesLayout;
    context->tuning = physical.tuning.choices;
    if (context->emulates(rewrite::Extension::kNvCooperativeVector)) {
        context->conversions = std::make_shared<ConversionKernel>();
    }
    if (context->rewrites() && instance->faults.isOn()) {
        instance->faults.start();
        context->faults = std::make_unique<DeviceFaults>(
            instance->faults, physical.facts.traits.name, physical.facts.properties.driverVersion);
    }
    return context;
}

// The device already exists: if memory runs out, only the log line is lost.
void logDevice(const DeviceContext& device) noexcept {
    if (!device.log().wants(LogLevel::kInfo)) return;
    try {
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
            if (!device.emulated.contains(info.extension)) continue;
            device.log().info("device on " + device.facts.traits.name + " emulates " +
                              std::string(info.vulkanName));
        }
        if (device.addsShapes) {
            device.log().info("device on " + device.facts.traits.name +
                              " adds shapes to the driver's matrices");
        }
        if (device.replacesLayout) {
            device.log().info("device on " + device.facts.traits.name +
                              " replaces the driver's matrices in shaders that depend on another "
                              "layout of elements");
        }
    } catch (...) {
    }
}

// The extensions in coopvk's table that the application enables and the driver provides.
rewrite::ExtensionSet nativeExtensions(const DeviceContext& device,
                                       const VkDeviceCreateInfo& info) {
    rewrite::ExtensionSet set;
    for (const char* name : std::span(info.ppEnabledExtensionNames, info.enabledExtensionCount)) {
        const auto extension = rewrite::extensionFromVulkanName(name);
        if (extension && !device.emulates(*extension)) set.insert(*extension);
    }
    return set;
}

// If the setting is on and shaders of the device are rewritten.
void keepInputs(DeviceContext& device) {
    InstanceContext& instance = *device.instance;
    const DumpedInputs& limits = instance.settings.dumpInputs;
    if (limits.bytes == 0 || !instance.dumps.isOn() || !device.rewrites()) return;
    inputs::Driver driver = {device.handle, device.next, {}};
    instance.next.GetPhysicalDeviceMemoryProperties(device.physicalHandle, &driver.memory);
    device.inputs =
        std::make_shared<inputs::DispatchInputs>(limits, instance.dumps, std::move(driver));
    inputs::interpose(device.next);
}

}  // namespace

VkResult createDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo* createInfo,
                      const VkAllocationCallbacks* allocator, VkDevice* device) {
    const auto instance = instances().find(physicalDevice);
    auto* link = findLink<VkLayerDeviceCreateInfo>(createInfo->pNext);
    if (instance == nullptr || link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const auto getNextInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const auto getNext = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const auto create =
        reinterpret_cast<PFN_vkCreateDevice>(getNextInstance(instance->handle, "vkCreateDevice"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    // The link is the loader's memory. It is advanced before the chain is copied, so that the copy
    // has the advanced link.
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;

    const PhysicalDeviceContext& physical = instance->physicalDevice(physicalDevice);
    if (physical.facts.listing != VK_SUCCESS) return physical.facts.listing;
    Scratch scratch;
    const DeviceRequest request = makeDeviceRequest(physical, *createInfo, scratch);
    if (request.result != VK_SUCCESS) {
        instance->log->error("vkCreateDevice: " + request.message);
        if (instance->statistics != nullptr) {
            instance->statistics->failedDevice(physical, request.message);
        }
        return request.result;
    }
    const auto context = makeContext(instance, physicalDevice, physical, request);

    const VkResult result = create(physicalDevice, &request.info, allocator, device);
    if (result != VK_SUCCESS) return result;
    auto undo = undoBelow<PFN_vkDestroyDevice>(getNext, "vkDestroyDevice", device, allocator);
    context->handle = *device;
    context->getNextProc = getNext;
    vkuInitDeviceDispatchTable(*device, &context->next, getNext);
    keepInputs(*context);
    if (instance->statistics != nullptr) {
        context->statistics = instance->statistics->addDevice(
            physical, context->emulated, nativeExtensions(*context, *createInfo),
            context->addsShapes);
    }
    devices().add(*device, context);
    undo.dismiss();
    logDevice(*context);
    return VK_SUCCESS;
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == VK_NULL_HANDLE) return;
    const auto context = devices().find(device);
    if (context == nullptr) return;
    // By commands of inputs/, which look the device up.
    context->deferred.clear();
    if (context->conversions != nullptr) context->conversions->destroy(*context);
    devices().take(device);
    context->inputs.reset();
    context->next.DestroyDevice(device, allocator);
}

}  // namespace coopvk::layer
