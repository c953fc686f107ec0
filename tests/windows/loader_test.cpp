// SPDX-License-Identifier: Apache-2.0
//
// The layer as a library: what it exports and needs, and that it works above the driver that only
// writes down what it is asked.
#include "loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "fakes/fake_commands.hpp"
#include "fakes/fake_driver.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test {
namespace {

namespace fs = std::filesystem;

// What lies at an offset of a library in memory.
template <typename T>
const T* at(HMODULE module, DWORD offset) {
    return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(module) + offset);
}

DWORD directoryOf(HMODULE module, size_t entry) {
    const auto* dos = at<IMAGE_DOS_HEADER>(module, 0);
    const auto* headers = at<IMAGE_NT_HEADERS64>(module, static_cast<DWORD>(dos->e_lfanew));
    return headers->OptionalHeader.DataDirectory[entry].VirtualAddress;
}

std::set<std::string> exportsOf(HMODULE module) {
    const auto* exports =
        at<IMAGE_EXPORT_DIRECTORY>(module, directoryOf(module, IMAGE_DIRECTORY_ENTRY_EXPORT));
    const auto* names = at<DWORD>(module, exports->AddressOfNames);
    std::set<std::string> found;
    for (DWORD i = 0; i < exports->NumberOfNames; ++i) found.insert(at<char>(module, names[i]));
    return found;
}

std::set<std::string> importsOf(HMODULE module) {
    const auto* import =
        at<IMAGE_IMPORT_DESCRIPTOR>(module, directoryOf(module, IMAGE_DIRECTORY_ENTRY_IMPORT));
    std::set<std::string> found;
    for (; import->Name != 0; ++import) {
        std::string name = at<char>(module, import->Name);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        found.insert(name);
    }
    return found;
}

// A program above the layer's library.
class Library : public testing::Test {
 protected:
    void makeInstance(const Loader& loader) {
        VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
        application.apiVersion = VK_API_VERSION_1_3;
        VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        info.pApplicationInfo = &application;
        ASSERT_EQ(loader.createInstance(info, fake::getInstanceProcAddr, &instance), VK_SUCCESS);
    }
    // Whether the layer adds extensions.
    bool isOn(const Loader& loader) {
        const auto list = loader.instanceCommand<PFN_vkEnumerateDeviceExtensionProperties>(
            instance, "vkEnumerateDeviceExtensionProperties");
        uint32_t count = 0;
        list(reinterpret_cast<VkPhysicalDevice>(instance), nullptr, &count, nullptr);
        return count > driver.extensions.size();
    }
    void destroyInstance(const Loader& loader) {
        loader.instanceCommand<PFN_vkDestroyInstance>(instance, "vkDestroyInstance")(instance,
                                                                                     nullptr);
    }

    FakeDriver driver;
    VkInstance instance = VK_NULL_HANDLE;
};

TEST_F(Library, ExportsOneFunctionForEachManifest) {
    const Loader loader(COOPVK_MANIFEST);
    EXPECT_EQ(loader.library().filename(), "VkLayer_coopvk.dll");
    EXPECT_EQ(exportsOf(loader.module()),
              (std::set<std::string>{"coopvkNegotiateByConfiguration",
                                     "vkNegotiateLoaderLayerInterfaceVersion"}));
}

// No runtime library of the compiler's.
TEST_F(Library, NeedsWindowsAlone) {
    const Loader loader(COOPVK_MANIFEST);
    for (const std::string& name : importsOf(loader.module())) {
        EXPECT_TRUE(name == "kernel32.dll" || name == "advapi32.dll" || name == "msvcrt.dll" ||
                    name == "ucrtbase.dll" || name.starts_with("api-ms-win-"))
            << name;
    }
}

// What it and its runtime allocate once would be lost each time.
TEST_F(Library, StaysLoaded) {
    fs::path library;
    {
        const Loader loader(COOPVK_MANIFEST);
        library = loader.library();
    }
    EXPECT_NE(GetModuleHandleW(library.filename().c_str()), nullptr);
}

TEST_F(Library, RewritesAShader) {
    const Loader loader(COOPVK_MANIFEST);
    makeInstance(loader);
    EXPECT_TRUE(isOn(loader));
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR feature = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    feature.cooperativeMatrix = VK_TRUE;
    const char* name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &feature};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &name;
    VkDevice device = VK_NULL_HANDLE;
    ASSERT_EQ(loader.createDevice(instance, reinterpret_cast<VkPhysicalDevice>(instance), info,
                                  fake::getInstanceProcAddr, &device),
              VK_SUCCESS);

    const Words words = matrixShader();
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = words.size() * sizeof(uint32_t);
    code.pCode = words.data();
    VkComputePipelineCreateInfo pipelineInfo = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo& stage = pipelineInfo.stage;
    stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stage.pName = "main";
    ASSERT_EQ(loader.deviceCommand<PFN_vkCreateShaderModule>(device, "vkCreateShaderModule")(
                  device, &code, nullptr, &stage.module),
              VK_SUCCESS);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(
        loader.deviceCommand<PFN_vkCreateComputePipelines>(device, "vkCreateComputePipelines")(
            device, VK_NULL_HANDLE, 1, &pipelineInfo, nullptr, &pipeline),
        VK_SUCCESS);
    ASSERT_EQ(driver.pipelines.size(), 1u);
    EXPECT_TRUE(isRewritten(driver.pipelines[0].stages.at(0).words));

    loader.deviceCommand<PFN_vkDestroyShaderModule>(device, "vkDestroyShaderModule")(
        device, stage.module, nullptr);
    EXPECT_TRUE(driver.modules.empty());
    loader.deviceCommand<PFN_vkDestroyDevice>(device, "vkDestroyDevice")(device, nullptr);
    destroyInstance(loader);
}

// %APPDATA%\coopvk\coopvk.conf switches the layer on for this program.
TEST_F(Library, ByConfiguration) {
    const fs::path folder =
        fs::temp_directory_path() / ("coopvk-loader-" + std::to_string(GetCurrentProcessId()));
    fs::create_directories(folder / "coopvk");
    const std::string before = std::getenv("APPDATA") == nullptr ? "" : std::getenv("APPDATA");
    setenv("APPDATA", folder.c_str(), 1);
    const Loader loader(COOPVK_MANIFEST, "coopvkNegotiateByConfiguration");
    makeInstance(loader);
    EXPECT_FALSE(isOn(loader));
    destroyInstance(loader);
    std::ofstream(folder / "coopvk" / "coopvk.conf")
        << "[exe = Loader_Tests.EXE]\nenable = true\n";  // names of files have no case here
    makeInstance(loader);
    EXPECT_TRUE(isOn(loader));
    destroyInstance(loader);
    setenv("APPDATA", before.c_str(), 1);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace coopvk::test
