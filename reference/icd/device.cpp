// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

using PrivateDataSlot = ObjectOf<VkPrivateDataSlot>;
// Objects that programs may make on any device, though nothing here reads them. All other commands
// of graphics and images fail.
using Sampler = ObjectOf<VkSampler>;
using RenderPass = ObjectOf<VkRenderPass>;

}  // namespace

COOPVK_OBJECT(PrivateDataSlot)
COOPVK_OBJECT(Sampler)
COOPVK_OBJECT(RenderPass)

VkResult CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2*,
                           const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    const VkRenderPassCreateInfo none{};
    return CreateRenderPass(device, &none, allocator, out);
}

VkResult Device::refuse(const std::string& message) const {
    send(*physical->instance, {"coopvk-reference-usage", message, this, VK_OBJECT_TYPE_DEVICE});
    return VK_ERROR_VALIDATION_FAILED_EXT;
}

VkResult CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks*, VkDevice* out) {
    PhysicalDevice& physical = *from<PhysicalDevice>(handle);
    auto device = std::make_unique<Device>();
    const std::span names(info->ppEnabledExtensionNames, info->enabledExtensionCount);
    if (!enable(names, physical.extensions, device->extensions))
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (!hasFeatures(physical, *info)) return VK_ERROR_FEATURE_NOT_PRESENT;
    device->physical = &physical;
    device->queue.device = device.get();
    *out = handleOf(device.release());
    return VK_SUCCESS;
}

void DestroyDevice(VkDevice handle, const VkAllocationCallbacks*) {
    Device* device = from<Device>(handle);
    if (device != nullptr) device->queue.stop();
    delete device;
}

void GetDeviceQueue(VkDevice handle, uint32_t, uint32_t, VkQueue* out) {
    *out = handleOf(&from<Device>(handle)->queue);
}

void GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2*, VkQueue* out) {
    GetDeviceQueue(handle, 0, 0, out);
}

VkResult SetPrivateData(VkDevice handle, VkObjectType, uint64_t object, VkPrivateDataSlot slot,
                        uint64_t data) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    reinterpret_cast<Object*>(object)->privateData[from<PrivateDataSlot>(slot)] = data;
    return VK_SUCCESS;
}

void GetPrivateData(VkDevice handle, VkObjectType, uint64_t object, VkPrivateDataSlot slot,
                    uint64_t* data) {
    const std::lock_guard lock(from<Device>(handle)->mutex);
    const auto& all = reinterpret_cast<Object*>(object)->privateData;
    const auto found = all.find(from<PrivateDataSlot>(slot));
    *data = found == all.end() ? 0 : found->second;
}

}  // namespace coopvk::reference::icd
