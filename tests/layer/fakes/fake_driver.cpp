// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_driver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "fakes/fake_commands.hpp"
#include "loader/proc_table.hpp"

namespace coopvk::test {
namespace {

template <typename T>
T layerCommand(const char* name) {
    return reinterpret_cast<T>(layer::findCommand(name)->function);
}

}  // namespace

FakeDriver::FakeDriver() {
    features.set();
    fake::current() = this;
}

FakeDriver::~FakeDriver() {
    destroyInstance();
    fake::current() = nullptr;
}

VkInstance FakeDriver::makeInstance(uint32_t version, const void* next,
                                    const VkAllocationCallbacks* allocator) {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = version;
    VkLayerInstanceLink link = {nullptr, fake::getInstanceProcAddr, nullptr};
    VkLayerInstanceCreateInfo loader = {VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO};
    loader.pNext = next;
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &loader};
    info.pApplicationInfo = &application;
    info.enabledExtensionCount = static_cast<uint32_t>(instanceExtensions.size());
    info.ppEnabledExtensionNames = instanceExtensions.data();
    const auto create = layerCommand<PFN_vkCreateInstance>("vkCreateInstance");
    return create(&info, allocator, &instance_) == VK_SUCCESS ? instance_ : VK_NULL_HANDLE;
}

void FakeDriver::destroyInstance(const VkAllocationCallbacks* allocator) {
    if (instance_ == VK_NULL_HANDLE) return;
    COOPVK_INSTANCE_COMMAND(*this, vkDestroyInstance)(instance_, allocator);
    instance_ = VK_NULL_HANDLE;
}

// Shares the instance's dispatch key, as the loader's handles do.
VkPhysicalDevice FakeDriver::physical() { return reinterpret_cast<VkPhysicalDevice>(instance_); }

VkResult FakeDriver::makeDevice(const VkDeviceCreateInfo& info, VkDevice* made,
                                const VkAllocationCallbacks* allocator) {
    VkLayerDeviceLink link = {nullptr, fake::getInstanceProcAddr, fake::getDeviceProcAddr};
    VkLayerDeviceCreateInfo loader = {VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO};
    loader.pNext = info.pNext;
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    VkDeviceCreateInfo linked = info;
    linked.pNext = &loader;
    return COOPVK_INSTANCE_COMMAND(*this, vkCreateDevice)(physical(), &linked, allocator, made);
}

VkDevice FakeDriver::makeMatrixDevice() {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    feature.cooperativeMatrix = VK_TRUE;
    const char* name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &feature};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &name;
    VkDevice made = VK_NULL_HANDLE;
    return makeDevice(info, &made) == VK_SUCCESS ? made : VK_NULL_HANDLE;
}

void FakeDriver::destroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator) {
    COOPVK_DEVICE_COMMAND(*this, handle, vkDestroyDevice)(handle, allocator);
}

PFN_vkVoidFunction FakeDriver::instanceCommand(const char* name) {
    return layerCommand<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr")(instance_, name);
}

PFN_vkVoidFunction FakeDriver::deviceCommand(VkDevice handle, const char* name) {
    return layerCommand<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(handle, name);
}

}  // namespace coopvk::test
