// SPDX-License-Identifier: Apache-2.0
//
// For tests of the arguments that vkCreateDevice passes to the driver.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "chain/pnext.hpp"
#include "device/device_request.hpp"
#include "device/extension_rows.hpp"

namespace coopvk::layer {

inline constexpr auto kMatrixType =
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
inline constexpr auto k2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
inline constexpr auto k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
inline constexpr auto kFloat16 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
inline constexpr const char* kMatrixName = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;

// A device that emulates matrices, and an application that enables them.
class Request : public testing::Test {
 protected:
    Request() {
        device.facts.apiVersion = VK_API_VERSION_1_3;
        device.facts.features.set();
        device.emulated.insert(rewrite::Extension::kKhrCooperativeMatrix);
        matrix.cooperativeMatrix = VK_TRUE;
        info.pNext = &matrix;
        names = {kMatrixName};
    }

    DeviceRequest make() {
        const auto& row = extensionRow(rewrite::Extension::kKhrCooperativeMatrix);
        auto& decision = device.decisions[static_cast<size_t>(row.extension)];
        decision = {};
        if (!device.emulated.empty()) {
            decision.provision = Provision::kEmulated;
            decision.added = row.granted(device.facts);
        }
        // In place of the driver's own.
        device.hidden = {device.emulated, device.emulated, device.facts.apiVersion};
        info.enabledExtensionCount = static_cast<uint32_t>(names.size());
        info.ppEnabledExtensionNames = names.data();
        const DeviceRequest request = makeDeviceRequest(device, info, scratch);
        listed.assign(request.info.ppEnabledExtensionNames,
                      request.info.ppEnabledExtensionNames + request.info.enabledExtensionCount);
        return request;
    }
    bool lists(std::string_view name) const {
        return std::ranges::find(listed, name) != listed.end();
    }
    // How many structures of the request's chain have a feature of the table, and whether it is
    // set in each. Vulkan forbids a feature's own structure beside its version's.
    void expectEnabledOnce(const DeviceRequest& request, Feature feature) const {
        const FeatureRow& row = featureTable()[static_cast<size_t>(feature)];
        int places = 0;
        const auto look = [&](VkStructureType type, size_t offset) {
            const auto* node = findNode(request.info.pNext, type);
            if (node == nullptr) return;
            ++places;
            EXPECT_TRUE(featureBit(const_cast<VkBaseInStructure*>(node), offset)) << row.name;
        };
        look(row.single.type, row.single.offset);
        look(row.aggregate.type, row.aggregate.offset);
        if (row.single.type == k2 && request.info.pEnabledFeatures != nullptr) {
            ++places;
            auto core = *request.info.pEnabledFeatures;
            EXPECT_TRUE(featureBit(
                &core, row.single.offset - offsetof(VkPhysicalDeviceFeatures2, features)))
                << row.name;
        }
        EXPECT_EQ(places, 1) << row.name;
    }
    void expectAllNeedsOnce(const DeviceRequest& request) const {
        for (Feature feature : extensionRow(rewrite::Extension::kKhrCooperativeMatrix).needs) {
            // Another test is for the driver's own matrices.
            if (feature == Feature::kNativeCooperativeMatrix) continue;
            expectEnabledOnce(request, feature);
        }
        std::vector<VkStructureType> types;
        for (auto* node = static_cast<const VkBaseInStructure*>(request.info.pNext); node;
             node = node->pNext) {
            types.push_back(node->sType);
        }
        std::ranges::sort(types);
        EXPECT_EQ(std::ranges::adjacent_find(types), types.end()) << "a structure stands twice";
    }

    PhysicalDeviceContext device;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {kMatrixType};
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    std::vector<const char*> names;
    std::vector<std::string> listed;
    Scratch scratch;
};

}  // namespace coopvk::layer
