// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions above a driver that records its calls.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "fakes/fake_driver.hpp"
#include "fakes/host_conversion.hpp"

namespace coopvk::test {

inline VkDevice makeDevice(FakeDriver& driver, const char* extension) {
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    if (extension != nullptr) {
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    VkDevice device = VK_NULL_HANDLE;
    EXPECT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    return device;
}

class Conversions : public testing::Test, protected HostConversion {
 protected:
    explicit Conversions(bool recordsAll = false) {
        driver.recordsAll = recordsAll;
        setenv("COOPVK_LOG_LEVEL", "off", 1);
        driver.makeInstance();
        device = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    }
    ~Conversions() override {
        driver.destroyDevice(device);
        unsetenv("COOPVK_LOG_LEVEL");
    }
    VkResult convert() {
        return COOPVK_DEVICE_COMMAND(driver, device, vkConvertCooperativeVectorMatrixNV)(device,
                                                                                         &info);
    }

    FakeDriver driver;
    VkDevice device;
};

// Only vkEndCommandBuffer can report a failure.
class RecordedConversions : public Conversions {
 protected:
    explicit RecordedConversions(bool recordsAll = false) : Conversions(recordsAll) {
        allocate.commandBufferCount = 1;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)(device, &allocate,
                                                                                  &commands),
                  VK_SUCCESS);
        begin();
    }
    ~RecordedConversions() override {
        COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
        (device, allocate.commandPool, 1, &commands);
    }
    void begin() {
        const VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer)(commands, &how),
                  VK_SUCCESS);
    }
    VkResult end() { return COOPVK_DEVICE_COMMAND(driver, device, vkEndCommandBuffer)(commands); }
    void record() {
        COOPVK_DEVICE_COMMAND(driver, device, vkCmdConvertCooperativeVectorMatrixNV)
        (commands, 1, &info);
    }

    static inline const auto firstPool = reinterpret_cast<VkCommandPool>(uint64_t{1});
    static inline const auto secondPool = reinterpret_cast<VkCommandPool>(uint64_t{2});
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                            firstPool};
    VkCommandBuffer commands = VK_NULL_HANDLE;
};

}  // namespace coopvk::test
