// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/conversion_kernel.hpp"
#include "device/device_request.hpp"
#include "device/enabled_facts.hpp"
#include "inputs/commands.hpp"
#include "inputs/dispatch_inputs.hpp"
#include "loader/commands.hpp"
#include "loader/link.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

std::shared_ptr<DeviceContext> makeContext(const std::shared_ptr<InstanceContext>& instance,
                                           VkPhysicalDevice physical) {
    auto context = std::make_shared<DeviceContext>();
    context->instance = instance;
    context->physicalHandle = physical;
    context->physical = &instance->physicalDevice(physical);
    return context;
}

void decide(DeviceContext& context, const DeviceRequest& request) {
    context.emulated = request.emulated;
    if (context.emulates(rewrite::Extension::kNvCooperativeVector)) {
        context.conversions = std::make_shared<ConversionKernel>();
    }
    context.addsShapes = request.addsShapes;
    context.enabled = enabledFacts(context.physical->facts, request.info, request.emulated);
}

// The device already exists: if memory runs out, only the log line is lost.
void logDevice(const DeviceContext& device) noexcept {
    if (!device.log().wants(LogLevel::kInfo)) return;
    try {
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
            if (!device.emulated.contains(info.extension)) continue;
            device.log().info("device on " + device.facts().traits.name + " emulates " +
                              std::string(info.vulkanName));
        }
        if (device.addsShapes) {
            device.log().info("device on " + device.facts().traits.name +
                              " adds shapes to the driver's matrices");
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
void keepInputs(DeviceContext& device, VkPhysicalDevice physicalDevice) {
    InstanceContext& instance = *device.instance;
    const DumpedInputs& limits = instance.settings.dumpInputs;
    if (limits.bytes == 0 || !instance.dumps.isOn() || !device.rewrites()) return;
    inputs::Driver driver = {device.handle, device.next, {}};
    instance.next.GetPhysicalDeviceMemoryProperties(physicalDevice, &driver.memory);
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

    const auto context = makeContext(instance, physicalDevice);
    if (const VkResult known = context->physical->facts.listing; known != VK_SUCCESS) return known;
    Scratch scratch;
    const DeviceRequest request = makeDeviceRequest(*context->physical, *createInfo, scratch);
    if (request.result != VK_SUCCESS) {
        instance->log->error("vkCreateDevice: " + request.message);
        if (instance->statistics != nullptr) {
            instance->statistics->failedDevice(*context->physical, request.message);
        }
        return request.result;
    }
    decide(*context, request);

    const VkResult result = create(physicalDevice, &request.info, allocator, device);
    if (result != VK_SUCCESS) return result;
    OnExit destroy([&] {
        const auto function =
            reinterpret_cast<PFN_vkDestroyDevice>(getNext(*device, "vkDestroyDevice"));
        if (function != nullptr) function(*device, allocator);
        *device = VK_NULL_HANDLE;
    });
    context->handle = *device;
    context->getNextProc = getNext;
    vkuInitDeviceDispatchTable(*device, &context->next, getNext);
    keepInputs(*context, physicalDevice);
    if (instance->statistics != nullptr) {
        context->statistics = instance->statistics->addDevice(
            *context->physical, context->emulated, nativeExtensions(*context, *createInfo),
            context->addsShapes);
    }
    devices().add(*device, context);
    destroy.dismiss();
    logDevice(*context);
    return VK_SUCCESS;
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    if (device == VK_NULL_HANDLE) return;
    const auto context = devices().take(device);
    if (context == nullptr) return;
    context->deferred.clear();
    if (context->conversions != nullptr) context->conversions->destroy(*context);
    context->inputs.reset();
    context->next.DestroyDevice(device, allocator);
}

}  // namespace coopvk::layer
