// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/vector_rows.hpp"

#include <algorithm>

namespace coopvk::compare {
namespace {

void addType(VectorProperties& all, Component component, SideKind side) {
    auto found = std::find_if(all.types.begin(), all.types.end(),
                              [&](const VectorType& t) { return t.component == component; });
    if (found == all.types.end()) found = all.types.insert(found, {component, {}});
    found->listed.of(side) = true;
}

void addSide(const Gpu& gpu, VectorProperties& all) {
    const auto listed = vulkan::listAll<VkCooperativeVectorPropertiesNV>(
        "vkGetPhysicalDeviceCooperativeVectorPropertiesNV",
        {VK_STRUCTURE_TYPE_COOPERATIVE_VECTOR_PROPERTIES_NV}, [&](uint32_t* count, auto* out) {
            return gpu.vki.vkGetPhysicalDeviceCooperativeVectorPropertiesNV(gpu.physical, count,
                                                                            out);
        });
    for (const auto& p : listed) {
        const VectorRow row = {p.inputType, p.inputInterpretation, p.matrixInterpretation,
                               p.biasInterpretation, p.resultType};
        const Component all5[] = {row.input, row.interpretation, row.matrix, row.bias, row.result};
        if (!std::all_of(std::begin(all5), std::end(all5), findComponent)) continue;
        auto found = std::find_if(all.rows.begin(), all.rows.end(),
                                  [&](const VectorRow& other) { return other.sameAs(row); });
        if (found == all.rows.end()) found = all.rows.insert(found, row);
        found->listed.of(gpu.side) = true;
        found->transpose.of(gpu.side) |= p.transpose == VK_TRUE;
        addType(all, row.input, gpu.side);
        addType(all, row.result, gpu.side);
    }
    const auto features = gpu.featuresOf<VkPhysicalDeviceCooperativeVectorFeaturesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV);
    all.trainsFloat16.of(gpu.side) =
        gpu.vectorProperties.cooperativeVectorTrainingFloat16Accumulation &&
        features.cooperativeVectorTraining;
    all.trainsFloat32.of(gpu.side) =
        gpu.vectorProperties.cooperativeVectorTrainingFloat32Accumulation &&
        features.cooperativeVectorTraining;
}

}  // namespace

std::string nameOf(const VectorRow& row) {
    const auto part = [](Component type) { return std::string(nameOf(type)); };
    std::string text = part(row.input);
    if (row.interpretation != row.input) text += " as " + part(row.interpretation);
    text += " * " + part(row.matrix) + " + " + part(row.bias);
    return text + " = " + part(row.result);
}

VectorProperties vectorProperties(const Gpu* native, const Gpu* emulated) {
    VectorProperties all;
    if (native) addSide(*native, all);
    if (emulated) addSide(*emulated, all);
    return all;
}

}  // namespace coopvk::compare
