// SPDX-License-Identifier: Apache-2.0
#include "layer_world.hpp"

#include <algorithm>
#include <cstdlib>
#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk/vulkan_coopvk.h"

namespace coopvk::fuzz {
namespace {

using rewrite::Extension;
using test::Words;

Words assemble(const std::string& text) {
    Words words;
    const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    if (!tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) std::abort();
    return words;
}

// A compute shader of these declarations and statements.
std::string shader(const std::string& capabilities, const std::string& globals,
                   const std::string& statements) {
    return "OpCapability Shader\nOpCapability VulkanMemoryModel\n" + capabilities +
           "OpMemoryModel Logical Vulkan\n"
           "OpEntryPoint GLCompute %main \"main\"\n"
           "OpExecutionMode %main LocalSize 32 1 1\n"
           "OpDecorate %spec SpecId 7\n"
           "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n"
           "%f32 = OpTypeFloat 32\n%c0 = OpConstant %u32 0\n%c3 = OpConstant %u32 3\n"
           "%c8 = OpConstant %u32 8\n%spec = OpSpecConstant %u32 8\n" +
           globals + "%main = OpFunction %void None %f\n%label = OpLabel\n" + statements +
           "OpReturn\nOpFunctionEnd\n";
}

constexpr const char* kMatrixCapability =
    "OpCapability CooperativeMatrixKHR\nOpExtension \"SPV_KHR_cooperative_matrix\"\n";
constexpr const char* kVectorCapability =
    "OpCapability CooperativeVectorNV\nOpExtension \"SPV_NV_cooperative_vector\"\n";

std::vector<Words> makeShaders() {
    const std::string matrix =
        "%A = OpTypeCooperativeMatrixKHR %f32 %c3 %spec %c8 %c0\n"
        "%zero = OpConstantNull %A\n";
    const std::string vector =
        "%V = OpTypeCooperativeVectorNV %f32 %c8\n"
        "%zero = OpConstantNull %V\n";
    std::vector<Words> made = {
        assemble(shader("", "", "")),
        assemble(shader(kMatrixCapability, matrix, "%sum = OpFAdd %A %zero %zero\n")),
        assemble(shader(kVectorCapability, vector, "%sum = OpFAdd %V %zero %zero\n")),
        // Refused: no such component; scope of the device.
        assemble(shader(kMatrixCapability, "%A = OpTypeCooperativeMatrixKHR %u32 %c0 %c8 %c8 %c0\n",
                        "")),
        assemble(shader(kMatrixCapability, matrix, "%sum = OpFAdd %A %zero %zero\n")),
        {spv::MagicNumber, 0x00010600, 0, 8, 0},
        {spv::MagicNumber, 0x00010600, 0, 8, 0, 2u << 16 | 17u, 6022u, 0xFFFF0000u},
        {1, 2, 3},
    };
    made[4].resize(made[4].size() - 9);  // cut off
    return made;
}

struct DeviceRow {
    const char* extensions[3];
    rewrite::ExtensionSet emulated;
};
const DeviceRow kDevices[] = {
    {{VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME}, {Extension::kKhrCooperativeMatrix}},
    {{VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME}, {Extension::kNvCooperativeVector}},
    {{VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
      VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME},
     {Extension::kKhrCooperativeMatrix, Extension::kNvCooperativeVector,
      Extension::kNvCooperativeMatrix}},
    {{}, {}},
};

constexpr const char* kSettings[] = {"EMULATE",  "BACK_END", "LOG_LEVEL",
                                     "LOG_FILE", "DUMP_DIR", "VALIDATE_OUTPUT"};

}  // namespace

const std::vector<Words>& shaders() {
    static const auto* made = new std::vector<Words>(makeShaders());
    return *made;
}

void setSetting(const char* name, const char* value) {
    const std::string variable = std::string("COOPVK_") + name;
    if (value == nullptr) {
        unsetenv(variable.c_str());
    } else {
        setenv(variable.c_str(), value, 1);
    }
}

void clearSettings() {
    for (const char* name : kSettings) setSetting(name, nullptr);
    unsetenv("VK_LAYER_SETTINGS_PATH");
}

World::World() {
    clearSettings();
    setSetting("EMULATE", "auto");
    setSetting("LOG_LEVEL", "debug");
    setSetting("LOG_FILE", "/dev/null");
    driver_.makeInstance();
    for (size_t i = 0; i < devices_.size(); ++i) {
        VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.ppEnabledExtensionNames = kDevices[i].extensions;
        while (info.enabledExtensionCount < std::size(kDevices[i].extensions) &&
               kDevices[i].extensions[info.enabledExtensionCount] != nullptr)
            ++info.enabledExtensionCount;
        devices_[i].emulated = kDevices[i].emulated;
        if (driver_.makeDevice(info, &devices_[i].handle) != VK_SUCCESS) std::abort();
    }
}

World::~World() {
    for (const FuzzDevice& device : devices_) driver_.destroyDevice(device.handle);
    driver_.destroyInstance();
}

void World::forget() {
    driver_.createdModules.clear();
    driver_.pipelines.clear();
    driver_.shaders.clear();
    driver_.allocators.clear();
}

std::optional<std::string> World::complaint(const FuzzDevice& device) const {
    const auto isBad = [&](const test::SeenStage& stage) {
        return !rewrite::scan(stage.words, device.emulated).empty();
    };
    for (const test::SeenPipeline& pipeline : driver_.pipelines) {
        if (std::ranges::any_of(pipeline.stages, isBad))
            return "the driver got a stage with a capability that is emulated";
    }
    if (std::ranges::any_of(driver_.shaders, isBad))
        return "the driver got a shader object with a capability that is emulated";
    return std::nullopt;
}

}  // namespace coopvk::fuzz
