// SPDX-License-Identifier: Apache-2.0
//
// The settings vendor_id, device_id and driver_id: what programs see in place of a device's own
// numbers, and that coopvk itself goes by these.
#include "settings/shown_ids.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "fakes/fake_driver.hpp"
#include "objects/context.hpp"
#include "objects/registry.hpp"

namespace coopvk::test::shown_ids_test {
namespace {

TEST(ShownIds, Numbers) {
    EXPECT_EQ(layer::idFromText("10de"), 0x10deu);
    EXPECT_EQ(layer::idFromText("0x1002"), 0x1002u);
    EXPECT_EQ(layer::idFromText("0XABCD"), 0xabcdu);
    EXPECT_EQ(layer::idFromText("ffffffff"), 0xffffffffu);
    EXPECT_EQ(layer::idFromText("0"), 0u);
    for (const char* text : {"", "0x", "10dg", "-1", " 10de", "10de ", "100000000", "0x0x1"}) {
        EXPECT_FALSE(layer::idFromText(text)) << text;
    }
}

TEST(ShownIds, Drivers) {
    for (const char* text : {"3", "mesa_radv", "MESA_RADV", "VK_DRIVER_ID_MESA_RADV"}) {
        EXPECT_EQ(layer::driverIdFromText(text), VK_DRIVER_ID_MESA_RADV) << text;
    }
    EXPECT_EQ(layer::driverIdFromText("nvidia_proprietary"), VK_DRIVER_ID_NVIDIA_PROPRIETARY);
    EXPECT_EQ(layer::driverIdFromText("4000"), static_cast<VkDriverId>(4000));
    for (const char* text : {"", "radv", "MAX_ENUM", "0x3", "-1", "mesa radv"}) {
        EXPECT_FALSE(layer::driverIdFromText(text)) << text;
    }
}

TEST(ShownIds, Text) {
    EXPECT_EQ(layer::DeviceIds().text(), "");
    EXPECT_TRUE(layer::DeviceIds().isEmpty());
    const layer::DeviceIds all = {0x10de, 0x2684, VK_DRIVER_ID_NVIDIA_PROPRIETARY};
    EXPECT_EQ(all.text(), "vendor 10de, device 2684, driver VK_DRIVER_ID_NVIDIA_PROPRIETARY");
    const layer::DeviceIds unknown = {std::nullopt, std::nullopt, static_cast<VkDriverId>(4000)};
    EXPECT_EQ(unknown.text(), "driver 4000");
}

// Names that are as long as Vulkan's arrays, or longer, are cut before their last byte, which ends
// them.
TEST(ShownIds, LongNames) {
    for (const size_t length : {3u, 254u, 255u, 256u, 300u}) {
        std::string name;
        while (name.size() < length) name += static_cast<char>('a' + name.size() % 26);
        const std::string shown = name.substr(0, 255);
        layer::DeviceIds ids;
        ids.deviceName = ids.driverName = ids.driverInfo = name;
        VkPhysicalDeviceProperties device = {};
        std::memset(device.deviceName, 'x', sizeof(device.deviceName));
        layer::show(ids, device);
        VkPhysicalDeviceDriverProperties driver = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        std::memset(driver.driverName, 'x', sizeof(driver.driverName));
        layer::show(ids, reinterpret_cast<VkBaseOutStructure*>(&driver));
        EXPECT_EQ(std::string(device.deviceName), shown);
        EXPECT_EQ(std::string(driver.driverName), shown);
        EXPECT_EQ(std::string(driver.driverInfo), shown);
    }
}

constexpr const char* kVariables[] = {"COOPVK_VENDOR_ID", "COOPVK_DEVICE_ID", "COOPVK_DRIVER_ID"};

class ShownIdsTest : public testing::Test {
 protected:
    ShownIdsTest() { driver.driverId = VK_DRIVER_ID_MESA_LLVMPIPE; }
    ~ShownIdsTest() override {
        for (const char* variable : kVariables) unsetenv(variable);
    }
    struct Seen {
        uint32_t vendor, device;
        bool operator==(const Seen&) const = default;
    };
    Seen seen() {
        VkPhysicalDeviceProperties properties = {};
        std::memset(&properties, 0x5a, sizeof(properties));
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties)
        (driver.physical(), &properties);
        EXPECT_STREQ(properties.deviceName, "fake device");
        EXPECT_EQ(properties.driverVersion, 7u);
        return {properties.vendorID, properties.deviceID};
    }
    // What a chain of the structure says, and, in `seen`, what the structure before it does.
    template <typename Properties>
    VkDriverId driverIn(VkStructureType type, Seen& seen) {
        Properties node = {type};
        VkPhysicalDeviceProperties2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &node};
        COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(driver.physical(), &all);
        seen = {all.properties.vendorID, all.properties.deviceID};
        return node.driverID;
    }
    void expectEverywhere(Seen ids, VkDriverId id) {
        EXPECT_EQ(seen(), ids);
        Seen chained = {};
        EXPECT_EQ(driverIn<VkPhysicalDeviceDriverProperties>(
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, chained),
                  id);
        EXPECT_EQ(chained, ids);
        EXPECT_EQ(driverIn<VkPhysicalDeviceVulkan12Properties>(
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, chained),
                  id);
        EXPECT_EQ(chained, ids);
    }
    const layer::DeviceFacts& facts() {
        return layer::instances().find(driver.physical())->physicalDevice(driver.physical()).facts;
    }

    FakeDriver driver;
};

TEST_F(ShownIdsTest, AreTheDevicesOwn) {
    driver.makeInstance();
    expectEverywhere({0x1234, 0x5678}, VK_DRIVER_ID_MESA_LLVMPIPE);
}

TEST_F(ShownIdsTest, AreThoseOfTheSettings) {
    setenv("COOPVK_VENDOR_ID", "10de", 1);
    setenv("COOPVK_DEVICE_ID", "0x2684", 1);
    setenv("COOPVK_DRIVER_ID", "nvidia_proprietary", 1);
    driver.makeInstance();
    expectEverywhere({0x10de, 0x2684}, VK_DRIVER_ID_NVIDIA_PROPRIETARY);
}

TEST_F(ShownIdsTest, AreIndependent) {
    setenv("COOPVK_DEVICE_ID", "1", 1);
    driver.makeInstance();
    expectEverywhere({0x1234, 1}, VK_DRIVER_ID_MESA_LLVMPIPE);
}

TEST_F(ShownIdsTest, WrongOnesChangeNothing) {
    for (const char* variable : kVariables) setenv(variable, "nonsense", 1);
    driver.makeInstance();
    expectEverywhere({0x1234, 0x5678}, VK_DRIVER_ID_MESA_LLVMPIPE);
}

// The rewriter knows that this driver's lanes are in step, by its number.
TEST_F(ShownIdsTest, ChangeNoDecision) {
    driver.apiVersion = VK_API_VERSION_1_2;
    for (const char* driverId : {"", "mesa_radv"}) {
        setenv("COOPVK_VENDOR_ID", *driverId == '\0' ? "" : "1002", 1);
        setenv("COOPVK_DRIVER_ID", driverId, 1);
        driver.makeInstance();
        EXPECT_TRUE(facts().traits.lanesInStep);
        EXPECT_EQ(facts().properties.vendorID, 0x1234u);
        EXPECT_EQ(facts().ids.text(),
                  "vendor 1234, device 5678, driver VK_DRIVER_ID_MESA_LLVMPIPE");
        driver.destroyInstance();
    }
    driver.driverId = VK_DRIVER_ID_MESA_RADV;
    setenv("COOPVK_DRIVER_ID", "mesa_llvmpipe", 1);
    driver.makeInstance();
    EXPECT_FALSE(facts().traits.lanesInStep);
}

// Compilers that drop roundings to f16: NVIDIA's, and lavapipe's with 16 lanes.
TEST_F(ShownIdsTest, CompilersThatDropRoundings) {
    for (const auto& [id, lanes, drops] : {std::tuple{VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32u, true},
                                           {VK_DRIVER_ID_MESA_LLVMPIPE, 16u, true},
                                           {VK_DRIVER_ID_MESA_LLVMPIPE, 8u, false},
                                           {VK_DRIVER_ID_MESA_RADV, 16u, false}}) {
        driver.driverId = id;
        driver.subgroupSize = lanes;
        driver.makeInstance();
        EXPECT_EQ(facts().traits.dropsHalfRoundings, drops) << id << ", lanes: " << lanes;
        driver.destroyInstance();
    }
}

}  // namespace
}  // namespace coopvk::test::shown_ids_test
