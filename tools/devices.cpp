// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <memory>

#include "chain/pnext.hpp"
#include "device/dependents.hpp"
#include "device/extension_rows.hpp"
#include "failure.hpp"
#include "gpu_setup/no_driver.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

struct DestroyInstance {
    using pointer = VkInstance;
    void operator()(VkInstance instance) const { vkDestroyInstance(instance, nullptr); }
};
using Instance = std::unique_ptr<VkInstance, DestroyInstance>;

std::string driverName(const layer::DeviceFacts& facts, VkPhysicalDevice device) {
    if (facts.apiVersion < VK_API_VERSION_1_2) return {};
    VkPhysicalDeviceDriverProperties driver = {};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &driver;
    vkGetPhysicalDeviceProperties2(device, &properties);
    return std::string(driver.driverName) + ", " + driver.driverInfo;
}

std::vector<VkCooperativeMatrixPropertiesKHR> nativeShapes(const layer::DeviceFacts& facts,
                                                           VkInstance instance,
                                                           VkPhysicalDevice device) {
    // Loaded by name: volk loads it only if the loader knows the extension.
    const auto query = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
    uint32_t count = 0;
    if (!facts.native.contains(rewrite::Extension::kKhrCooperativeMatrix) || query == nullptr ||
        query(device, &count, nullptr) != VK_SUCCESS) {
        return {};
    }
    VkCooperativeMatrixPropertiesKHR empty = {};
    empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    std::vector<VkCooperativeMatrixPropertiesKHR> shapes(count, empty);
    if (query(device, &count, shapes.data()) < VK_SUCCESS) return {};
    shapes.resize(count);
    return shapes;
}

std::vector<std::vector<std::byte>> dependentFeatures(const layer::DeviceQueries& queries,
                                                      VkPhysicalDevice device) {
    std::vector<std::vector<std::byte>> answers;
    if (queries.getFeatures2 == nullptr) return answers;
    for (const layer::MatrixFeatures& row : layer::matrixFeatures()) {
        const size_t size = layer::structSize(row.type);
        if (size == 0) continue;
        auto& answer = answers.emplace_back(size);
        auto* node = reinterpret_cast<VkBaseOutStructure*>(answer.data());
        node->sType = row.type;
        VkPhysicalDeviceFeatures2 features = {};
        features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        features.pNext = node;
        queries.getFeatures2(device, &features);
    }
    return answers;
}

}  // namespace

rewrite::Result<std::vector<Device>> queryDevices() {
    // Else the layer's answers would be mistaken for the driver's.
    layer::system::setVariable("COOPVK_DISABLE", "1");
    if (volkInitialize() != VK_SUCCESS) {
        return failure(
            std::string("there is no Vulkan loader (") + system::kLoaderLibrary +
            "): install it (libvulkan1, vulkan-loader or vulkan-icd-loader), and a Vulkan "
            "driver");
    }
    VkApplicationInfo application = {};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "coopvk";
    application.apiVersion = volkGetInstanceVersion();
    VkInstanceCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &application;
    VkInstance handle = VK_NULL_HANDLE;
    if (vkCreateInstance(&create, nullptr, &handle) != VK_SUCCESS) {
        const auto [what, advice] = vulkan::noDriver();
        return failure(what + ": " + advice);
    }
    volkLoadInstanceOnly(handle);
    const Instance instance(handle);

    uint32_t count = 0;
    vkEnumeratePhysicalDevices(handle, &count, nullptr);
    std::vector<VkPhysicalDevice> handles(count);
    vkEnumeratePhysicalDevices(handle, &count, handles.data());
    handles.resize(count);

    const layer::DeviceQueries queries =
        layer::loadDeviceQueries(vkGetInstanceProcAddr, handle, application.apiVersion);
    std::vector<Device> devices;
    for (VkPhysicalDevice physical : handles) {
        Device& device = devices.emplace_back();
        device.facts = layer::queryDevice(queries, physical);
        device.driver = driverName(device.facts, physical);
        device.nativeShapes = nativeShapes(device.facts, handle, physical);
        device.dependentFeatures = dependentFeatures(queries, physical);
    }
    return devices;
}

}  // namespace coopvk::tool
