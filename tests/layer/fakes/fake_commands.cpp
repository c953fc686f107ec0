// SPDX-License-Identifier: Apache-2.0
//
// How the fake driver finds its commands.
#include "fakes/fake_commands.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "chain/arrays.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "fakes/fake_parts.hpp"

namespace coopvk::test::fake {
namespace {

VkResult getInt4Shapes(VkPhysicalDevice, uint32_t* count,
                       VkCooperativeMatrixInt4PropertiesCOOPVK* out) {
    const std::vector<int> shapes(driver().int4Shapes);
    return layer::giveArray(
        std::span<const int>(shapes), count, out,
        [](int, VkCooperativeMatrixInt4PropertiesCOOPVK& to) { to.MSize = 123; });
}

VkResult getMatrixShapes(VkPhysicalDevice, uint32_t* count, VkCooperativeMatrixPropertiesKHR* out) {
    const auto& shapes = driver().matrixShapes;
    return layer::giveArray(std::span<const VkCooperativeMatrixPropertiesKHR>(shapes), count, out);
}

PFN_vkVoidFunction lookUp(std::span<const Entry> entries, std::string_view name) {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found != entries.end() ? found->function : nullptr;
}

}  // namespace

FakeDriver*& current() {
    static FakeDriver* driver = nullptr;
    return driver;
}

uint64_t nextHandle() {
    static uint64_t counter = 0;
    const uint64_t again = std::exchange(driver().reuse, 0);
    return again != 0 ? again : ++counter;
}

void happen(std::string_view command) {
    auto found = driver().during.extract(command);
    if (!found.empty()) found.mapped()();
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name) {
    if (driver().answersFromTheTop && std::string_view(name).starts_with("vkGetPhysicalDevice")) {
        return driver().instanceCommand(name);
    }
    constexpr std::string_view kInt4 = "vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK";
    if (name == kInt4 && driver().int4Shapes != 0) {
        return reinterpret_cast<PFN_vkVoidFunction>(&Entrance<&getInt4Shapes>::call);
    }
    constexpr std::string_view kMatrices = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    if (name == kMatrices && !driver().matrixShapes.empty()) {
        return reinterpret_cast<PFN_vkVoidFunction>(&Entrance<&getMatrixShapes>::call);
    }
    const PFN_vkVoidFunction found = lookUp(instanceEntries(), name);
    return found != nullptr ? found : getDeviceProcAddr(VK_NULL_HANDLE, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name) {
    for (const auto& entries : {deviceEntries(), shaderEntries(), commandBufferEntries(),
                                memoryEntries(), basicRecordingEntries()}) {
        if (const PFN_vkVoidFunction found = lookUp(entries, name); found != nullptr) return found;
    }
    return driver().recordsAll ? lookUp(recordingEntries(), name) : nullptr;
}

}  // namespace coopvk::test::fake
