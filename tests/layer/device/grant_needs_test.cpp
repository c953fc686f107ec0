// SPDX-License-Identifier: Apache-2.0
//
// What vkCreateDevice enables for each feature that an application asks coopvk for: what its
// extension needs, what the feature itself needs, and nothing else.
#include "device/enabled_facts.hpp"
#include "request_fixture.hpp"

namespace coopvk::layer::grant_needs_test {
namespace {

// What a device enables that emulates one extension, and on which the application asks for these
// of its features.
FeatureSet enabledBy(const ExtensionRow& row, uint32_t asked) {
    PhysicalDeviceContext device;
    device.facts.apiVersion = VK_API_VERSION_1_3;
    device.facts.features.set();
    device.nativeMatrices = true;
    device.emulated.insert(row.extension);
    device.hidden = {device.emulated, device.emulated, device.facts.apiVersion};
    Decision& decision = device.decisions[static_cast<size_t>(row.extension)];
    decision.provision = Provision::kEmulated;
    for (const Grant& grant : row.grants) decision.added |= row.bit(grant.offset);
    std::vector<void*> memory(row.featureSize / sizeof(void*) + 1);
    auto* features = reinterpret_cast<VkBaseOutStructure*>(memory.data());
    features->sType = row.featureType;
    row.add(features, asked);
    const char* name = rewrite::info(row.extension).vulkanName.data();
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &name;
    Scratch scratch;
    const DeviceRequest request = makeDeviceRequest(device, info, scratch);
    EXPECT_EQ(request.result, VK_SUCCESS) << name << ": " << request.message;
    EXPECT_TRUE(request.emulated.contains(row.extension)) << name;
    return enabledFeatures(request.info);
}

void expectEnabled(const ExtensionRow& row, uint32_t asked, std::span<const Feature> ofGrant,
                   const std::string& what) {
    const FeatureSet enabled = enabledBy(row, asked);
    const auto has = [](std::span<const Feature> features, Feature feature) {
        return std::ranges::find(features, feature) != features.end();
    };
    for (size_t number = 0; number < enabled.size(); ++number) {
        const auto feature = static_cast<Feature>(number);
        const FeatureRow& of = featureTable()[number];
        if (row.isIn(of.single.type)) continue;  // the application's own
        EXPECT_EQ(enabled.test(number), has(row.needs, feature) || has(ofGrant, feature))
            << what << ": " << of.name;
    }
}

TEST(GrantNeeds, OfEachFeature) {
    for (const ExtensionRow& row : extensionRows()) {
        expectEnabled(row, 0, {}, std::string(rewrite::info(row.extension).vulkanName));
        for (const Grant& grant : row.grants)
            expectEnabled(row, row.bit(grant.offset), grant.needs, grant.name);
    }
}

// From the specification's point of view: matrices of small formats are matrices.
TEST(GrantNeeds, MatricesOfFormatsNeedWhatMatricesNeed) {
    for (const char* name : {"shaderBFloat16CooperativeMatrix", "shaderFloat8CooperativeMatrix",
                             "shaderInt4CooperativeMatrix"}) {
        size_t found = 0;
        for (const ExtensionRow& row : extensionRows()) {
            for (const Grant& grant : row.grants) {
                if (std::string_view(grant.name) != name) continue;
                ++found;
                const FeatureSet enabled = enabledBy(row, row.bit(grant.offset));
                for (const Feature feature :
                     {Feature::kShaderFloat16, Feature::kShaderInt64, Feature::kVulkanMemoryModel,
                      Feature::kSubgroupUniformControlFlow, Feature::kNativeCooperativeMatrix})
                    EXPECT_TRUE(enabled.test(static_cast<size_t>(feature))) << name;
            }
        }
        EXPECT_EQ(found, 1u) << name;
    }
}

}  // namespace
}  // namespace coopvk::layer::grant_needs_test
