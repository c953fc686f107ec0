// SPDX-License-Identifier: Apache-2.0
//
// The queries of the layer's own extensions.
#include "arrays.hpp"
#include "commands.hpp"
#include "registry.hpp"

namespace coopvk::layer {

VkResult getBlockSizes(VkPhysicalDevice device, uint32_t* count, VkShader2DBlockSizesCOOPVK* out) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    std::vector<rewrite::BlockSizes> sizes;
    if (physical.emulated.contains(rewrite::Extension::kIntel2dBlockIo)) {
        sizes = rewrite::blockSizes(physical.facts.traits);
    }
    return giveArray(std::span<const rewrite::BlockSizes>(sizes), count, out,
                     [](const rewrite::BlockSizes& size, VkShader2DBlockSizesCOOPVK& to) {
                         to.operation = static_cast<VkShader2DBlockOperationCOOPVK>(size.operation);
                         to.elementSize = size.elementSize;
                         to.widthGranularity = size.widthGranularity;
                         to.maxWidth = size.maxWidth;
                         to.maxHeight = size.maxHeight;
                         to.maxCount = size.maxCount;
                     });
}

VkResult getInt4MatrixProperties(VkPhysicalDevice device, uint32_t* count,
                                 VkCooperativeMatrixInt4PropertiesCOOPVK* out) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    std::vector<rewrite::Int4MatrixShape> shapes;
    if (physical.emulated.contains(rewrite::Extension::kIntelInt4)) {
        shapes = rewrite::int4MatrixShapes(physical.facts.traits);
    }
    return giveArray(
        std::span<const rewrite::Int4MatrixShape>(shapes), count, out,
        [](const rewrite::Int4MatrixShape& shape, VkCooperativeMatrixInt4PropertiesCOOPVK& to) {
            to.MSize = shape.m;
            to.NSize = shape.n;
            to.KSize = shape.k;
            to.ASigned = shape.aSigned;
            to.BSigned = shape.bSigned;
            to.CType = static_cast<VkComponentTypeKHR>(shape.c);
            to.ResultType = static_cast<VkComponentTypeKHR>(shape.result);
            to.saturatingAccumulation = shape.saturating;
            to.scope = VK_SCOPE_SUBGROUP_KHR;
        });
}

}  // namespace coopvk::layer
