// SPDX-License-Identifier: Apache-2.0
//
// The layer as the manifest of `coopvk config --install` loads it: on in programs for which the
// configuration says so, and passing every call on in others.
#include "loader/by_configuration.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "conversion/commands.hpp"
#include "fakes/fake_commands.hpp"
#include "fakes/fake_driver.hpp"
#include "loader/commands.hpp"
#include "settings/names.hpp"
#include "shaders/commands.hpp"
#include "system/system.hpp"

namespace coopvk::test::by_configuration_test {
namespace {

namespace fs = std::filesystem;
namespace configured = layer::configured;

// Every command that the layer intercepts on any device.
#define COOPVK_NAME(command, function) #command,
constexpr const char* kInstanceCommands[] = {COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_NAME)
                                                 COOPVK_ADDED_QUERIES(COOPVK_NAME)};
constexpr const char* kDeviceCommands[] = {
    COOPVK_SHADER_COMMANDS(COOPVK_NAME) COOPVK_ADDED_COMMANDS(COOPVK_NAME)
        COOPVK_CONVERSION_COMMANDS(COOPVK_NAME) COOPVK_RECORDED_COMMANDS(COOPVK_NAME)};
#undef COOPVK_NAME

template <typename T>
T command(VkInstance instance, const char* name) {
    return reinterpret_cast<T>(configured::getInstanceProcAddr(instance, name));
}

class ByConfiguration : public testing::Test {
 protected:
    ByConfiguration()
        : folder(fs::temp_directory_path() / ("coopvk-by-conf-" + std::to_string(getpid()))) {
        fs::create_directories(folder / "coopvk");
        const char* before = std::getenv(COOPVK_CONFIG_VARIABLE);
        if (before != nullptr) configHome = before;
        setenv(COOPVK_CONFIG_VARIABLE, folder.c_str(), 1);
        clear();
        driver.recordsAll = true;
    }
    ~ByConfiguration() override {
        clear();
        unsetenv(COOPVK_CONFIG_VARIABLE);
        if (configHome) setenv(COOPVK_CONFIG_VARIABLE, configHome->c_str(), 1);
        fs::remove_all(folder);
    }

    static void clear() {
        for (const char* name :
             {"COOPVK_ENABLE", "VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"}) {
            unsetenv(name);
        }
    }
    void write(const std::string& text) { std::ofstream(folder / "coopvk/coopvk.conf") << text; }

    // As the loader does.
    VkInstance makeInstance() {
        VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
        application.apiVersion = VK_API_VERSION_1_3;
        application.pEngineName = engine;
        application.pApplicationName = applicationName;
        VkLayerInstanceLink link = {nullptr, fake::getInstanceProcAddr, nullptr};
        VkLayerInstanceCreateInfo loader = {VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO};
        loader.function = VK_LAYER_LINK_INFO;
        loader.u.pLayerInfo = &link;
        VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &loader};
        info.pApplicationInfo = &application;
        info.enabledLayerCount = static_cast<uint32_t>(layers.size());
        info.ppEnabledLayerNames = layers.data();
        VkInstance instance = VK_NULL_HANDLE;
        const auto create = command<PFN_vkCreateInstance>(VK_NULL_HANDLE, "vkCreateInstance");
        EXPECT_EQ(create(&info, nullptr, &instance), VK_SUCCESS);
        return instance;
    }
    // With VK_KHR_cooperative_matrix, by the command that layers above ask for without an instance,
    // which must find it.
    VkDevice makeDevice(VkInstance instance) {
        VkLayerDeviceLink link = {nullptr, fake::getInstanceProcAddr, fake::getDeviceProcAddr};
        VkLayerDeviceCreateInfo loader = {VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO};
        loader.function = VK_LAYER_LINK_INFO;
        loader.u.pLayerInfo = &link;
        VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature = {
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
        feature.cooperativeMatrix = VK_TRUE;
        loader.pNext = &feature;
        const char* name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &loader};
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &name;
        VkDevice device = VK_NULL_HANDLE;
        const auto create = command<PFN_vkCreateDevice>(VK_NULL_HANDLE, "vkCreateDevice");
        EXPECT_EQ(create(reinterpret_cast<VkPhysicalDevice>(instance), &info, nullptr, &device),
                  VK_SUCCESS);
        return device;
    }
    static void destroy(VkInstance instance) {
        command<PFN_vkDestroyInstance>(instance, "vkDestroyInstance")(instance, nullptr);
    }
    // Whether extensions are emulated.
    bool isOn(VkInstance instance) {
        const auto list = command<PFN_vkEnumerateDeviceExtensionProperties>(
            instance, "vkEnumerateDeviceExtensionProperties");
        uint32_t count = 0;
        list(reinterpret_cast<VkPhysicalDevice>(instance), nullptr, &count, nullptr);
        return count > driver.extensions.size();
    }
    bool isOn() {
        const VkInstance instance = makeInstance();
        const bool on = isOn(instance);
        destroy(instance);
        return on;
    }

    FakeDriver driver;
    fs::path folder;
    std::optional<std::string> configHome;
    const char* engine = nullptr;
    const char* applicationName = nullptr;
    std::vector<const char*> layers;
};

TEST_F(ByConfiguration, OffUnlessASectionSaysSo) {
    EXPECT_FALSE(isOn());
    write("emulate = all\n");
    EXPECT_FALSE(isOn());
    write("[exe = other]\nenable = true\n");
    EXPECT_FALSE(isOn());
    write("[exe = " COOPVK_LAYER_TESTS "]\nenable = false\n");
    EXPECT_FALSE(isOn());
    write("[exe = layer_*]\nenable = true\n");
    EXPECT_TRUE(isOn());
    write("[engine = ggml, application = bench*]\nenable = true\n");
    EXPECT_FALSE(isOn());
    engine = "ggml";
    EXPECT_FALSE(isOn());
    applicationName = "bench 1";
    EXPECT_TRUE(isOn());
}

TEST_F(ByConfiguration, OnWhereItIsAskedFor) {
    write("[exe = *]\nenable = false\n");
    const std::string layerList =
        std::string("other") + layer::system::kListSeparator + layer::kLayerName;
    for (const auto& [name, value, on] :
         {std::tuple{"COOPVK_ENABLE", "1", true}, std::tuple{"COOPVK_ENABLE", "0", false},
          std::tuple{"COOPVK_ENABLE", "", false},
          std::tuple{"VK_INSTANCE_LAYERS", layerList.c_str(), true},
          std::tuple{"VK_INSTANCE_LAYERS", "other", false},
          std::tuple{"VK_LOADER_LAYERS_ENABLE", "*coopvk*", true},
          std::tuple{"VK_LOADER_LAYERS_ENABLE", "*other*", false}}) {
        setenv(name, value, 1);
        EXPECT_EQ(isOn(), on) << name << '=' << value;
        unsetenv(name);
    }
    layers = {"VK_LAYER_OTHER_layer"};
    EXPECT_FALSE(isOn());
    layers.push_back(layer::kLayerName);
    EXPECT_TRUE(isOn());
}

// If the layer is off, each command is the next layer's own, except those that the layer needs to
// know the next layer.
TEST_F(ByConfiguration, OffMeansOutOfTheWay) {
    const VkInstance instance = makeInstance();
    const VkDevice device = makeDevice(instance);
    size_t found = 0;
    for (const char* name : kInstanceCommands) {
        const auto next = fake::getInstanceProcAddr(instance, name);
        if (name != std::string_view("vkCreateDevice")) {
            EXPECT_EQ(configured::getInstanceProcAddr(instance, name), next) << name;
        }
        EXPECT_EQ(configured::getPhysicalDeviceProcAddr(instance, name), nullptr) << name;
        found += next != nullptr;
    }
    EXPECT_GT(found, 3u);
    for (const char* name : kDeviceCommands) {
        const auto next = fake::getDeviceProcAddr(device, name);
        EXPECT_EQ(configured::getDeviceProcAddr(device, name), next) << name;
        found += next != nullptr;
    }
    EXPECT_GT(found, 30u);
    // Its own are those that it needs, of devices only.
    for (const char* name : {"vkDestroyDevice", "vkGetDeviceProcAddr"})
        EXPECT_NE(configured::getDeviceProcAddr(device, name),
                  fake::getDeviceProcAddr(device, name))
            << name;
    for (const char* name : {"vkCreateInstance", "vkDestroyInstance", "vkCreateDevice"})
        EXPECT_EQ(configured::getDeviceProcAddr(device, name),
                  fake::getDeviceProcAddr(device, name))
            << name;
    const auto destroyDevice = reinterpret_cast<PFN_vkDestroyDevice>(
        configured::getDeviceProcAddr(device, "vkDestroyDevice"));
    destroyDevice(device, nullptr);
    EXPECT_EQ(driver.destroyedDevices, 1u);
    destroy(instance);
    EXPECT_EQ(driver.destroyedInstances, 1u);
}

// One process, two instances.
TEST_F(ByConfiguration, EachInstanceByItself) {
    write("[engine = on]\nenable = true\n");
    const VkInstance off = makeInstance();
    engine = "on";
    const VkInstance on = makeInstance();
    ASSERT_NE(*reinterpret_cast<void**>(off), *reinterpret_cast<void**>(on));
    EXPECT_FALSE(isOn(off));
    EXPECT_TRUE(isOn(on));
    constexpr const char* kQuery = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    EXPECT_EQ(configured::getPhysicalDeviceProcAddr(off, kQuery), nullptr);
    EXPECT_NE(configured::getPhysicalDeviceProcAddr(on, kQuery), nullptr);
    EXPECT_EQ(configured::getPhysicalDeviceProcAddr(VK_NULL_HANDLE, kQuery), nullptr);
    for (const VkInstance instance : {off, on}) {
        const VkDevice device = makeDevice(instance);
        const auto mine = configured::getDeviceProcAddr(device, "vkCreateShaderModule");
        EXPECT_EQ(mine == fake::getDeviceProcAddr(device, "vkCreateShaderModule"), instance == off);
        reinterpret_cast<PFN_vkDestroyDevice>(
            configured::getDeviceProcAddr(device, "vkDestroyDevice"))(device, nullptr);
    }
    destroy(on);
    EXPECT_FALSE(isOn(off));
    destroy(off);
}

// A fault is logged once, with its line, and the program continues.
TEST_F(ByConfiguration, Faults) {
    write("[exe = " COOPVK_LAYER_TESTS
          "]\nenable = true\nback_end = gpu\n[exe = other]\nnonsense = 1\n");
    testing::internal::CaptureStderr();
    EXPECT_TRUE(isOn());
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_NE(text.find("coopvk.conf:3: setting back_end: unknown back-end 'gpu'"),
              std::string::npos)
        << text;
    write("[exe = " COOPVK_LAYER_TESTS "]\nenable = yes\n");
    testing::internal::CaptureStderr();
    EXPECT_FALSE(isOn());
    text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_NE(text.find("coopvk.conf:2: enable: neither true nor false: 'yes'"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace coopvk::test::by_configuration_test
