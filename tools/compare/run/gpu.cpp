// SPDX-License-Identifier: Apache-2.0
#include "compare/run/gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "settings/names.hpp"
#include "system/system.hpp"

namespace coopvk::compare {
namespace {

// The extension, and the extensions that it needs.
std::vector<std::string> extensionsFor(const std::string& extension) {
    if (extension != VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME) return {extension};
    return {extension, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};
}

// Extensions with number formats for matrices, if a side has them.
std::vector<std::string> formatsFor(const std::string& extension) {
    if (extension != VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME &&
        extension != VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)
        return {};
    return {VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, VK_EXT_SHADER_FLOAT8_EXTENSION_NAME};
}

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

// The loader and the layer read these when an instance is created.
void setEnvironment(SideKind side, const GpuOptions& options) {
    using layer::system::setVariable;
    if (side == SideKind::kNative) {
        setVariable("COOPVK_DISABLE", "1");
        return;
    }
    layer::system::unsetVariable("COOPVK_DISABLE");
    setVariable("COOPVK_ENABLE", "1");
    std::vector<std::string> emulated = extensionsFor(options.extension);
    for (const std::string& format : formatsFor(options.extension)) emulated.push_back(format);
    setVariable("COOPVK_EMULATE", join(emulated));
    setVariable("COOPVK_BACK_END", options.backEnd);
    if (std::getenv("COOPVK_LOG_LEVEL") == nullptr) {
        setVariable("COOPVK_LOG_LEVEL", options.logLevel);
    }
}

struct FeatureRow {
    vulkan::FeatureStructure structure;
    bool (*enabled)(const Gpu& gpu);  // what cases need of it
};
#define COOPVK_ROW(name, TYPE, Structure, condition)                                        \
    {{name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##TYPE, sizeof(VkPhysicalDevice##Structure)}, \
     [](const Gpu& gpu) {                                                                   \
         [[maybe_unused]] const auto f = gpu.featuresOf<VkPhysicalDevice##Structure>(       \
             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##TYPE);                                     \
         return bool(condition);                                                            \
     }}
constexpr FeatureRow kExtensions[] = {
    COOPVK_ROW(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, COOPERATIVE_MATRIX_FEATURES_KHR,
               CooperativeMatrixFeaturesKHR, f.cooperativeMatrix),
    COOPVK_ROW(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME, COOPERATIVE_MATRIX_FEATURES_NV,
               CooperativeMatrixFeaturesNV, f.cooperativeMatrix),
    // Sizes of matrices come from flexible dimensions.
    COOPVK_ROW(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, COOPERATIVE_MATRIX_2_FEATURES_NV,
               CooperativeMatrix2FeaturesNV, f.cooperativeMatrixFlexibleDimensions),
    COOPVK_ROW(VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME, COOPERATIVE_VECTOR_FEATURES_NV,
               CooperativeVectorFeaturesNV, f.cooperativeVector),
    COOPVK_ROW("VK_EXT_shader_ocp_microscaling_types", SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT,
               ShaderOCPMicroscalingTypesFeaturesEXT,
               f.shaderFloat4 || f.shaderFloat6 || f.shaderFloat8UnsignedE8M0 || f.shaderMXInt8),
    COOPVK_ROW(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, SHADER_BFLOAT16_FEATURES_KHR,
               ShaderBfloat16FeaturesKHR, true),
    COOPVK_ROW(VK_EXT_SHADER_FLOAT8_EXTENSION_NAME, SHADER_FLOAT8_FEATURES_EXT,
               ShaderFloat8FeaturesEXT, true),
};
#undef COOPVK_ROW

// Whether the loader knows coopvk's layer by its name.
bool layerIsListed() {
    const auto layers = vulkan::listAll("vkEnumerateInstanceLayerProperties", VkLayerProperties{},
                                        vkEnumerateInstanceLayerProperties);
    return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
        return std::strcmp(layer.layerName, layer::kLayerName) == 0;
    });
}

}  // namespace

std::string_view nameOf(SideKind side) { return side == SideKind::kNative ? "native" : "emulated"; }

VkInstanceCreateInfo layeredInstance() {
    vulkan::startLoader();
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    // Also by name, since it may be found as an explicit layer.
    if (layerIsListed()) {
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer::kLayerName;
    }
    return info;
}

Gpu::Gpu(SideKind kind, const GpuOptions& options) : side(kind) {
    const bool isLayered = kind == SideKind::kEmulated;
    setEnvironment(side, options);
    find("coopvk compare", options.index,
         isLayered ? layeredInstance()
                   : VkInstanceCreateInfo{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO});
    if (hasTool("coopvk") != isLayered) {
        throw std::runtime_error(
            isLayered
                ? "the loader does not find coopvk's layer: set VK_ADD_IMPLICIT_LAYER_PATH (or "
                  "VK_ADD_LAYER_PATH) to the folder of VkLayer_coopvk.json"
                : "coopvk's layer hides the driver's own implementation: unset VK_INSTANCE_LAYERS");
    }
    createWith(options.extension);
    queryProperties(options.extension);
}

// Guards around the buffers show whether a case writes to memory outside of them, so that is left
// undefined.
void Gpu::createWith(const std::string& extension) {
    const std::vector<std::string> names = extensionsFor(extension);
    hasExtension_ =
        std::ranges::all_of(names, [&](const std::string& name) { return lists(name); });
    std::vector<std::string> wanted = formatsFor(extension);
    if (hasExtension_) wanted.insert(wanted.end(), names.begin(), names.end());
    std::vector<vulkan::FeatureStructure> structures;
    for (const FeatureRow& row : kExtensions)
        if (vulkan::contains(wanted, row.structure.extension)) structures.push_back(row.structure);
    create(structures);
    for (const FeatureRow& row : kExtensions)
        hasExtension_ &= !vulkan::contains(names, row.structure.extension) || row.enabled(*this);
}

void Gpu::queryProperties(const std::string& extension) {
    VkPhysicalDeviceProperties2 all{};
    vulkan::Chain chain(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &all);
    if (extension == VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME && lists(extension))
        chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV,
                  &vectorProperties);
    if (extension == VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME && lists(extension))
        chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV,
                  &matrix2Properties);
    vki.vkGetPhysicalDeviceProperties2(physical, &all);
}

}  // namespace coopvk::compare
