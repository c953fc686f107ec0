// SPDX-License-Identifier: Apache-2.0
//
// The queries of the emulated extensions: which matrices, vectors and blocks there are.
#include <algorithm>

#include "arrays.hpp"
#include "commands.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

// The query of the next layer; null if it has none.
template <typename Target>
auto nextQuery(const InstanceContext& instance, const char* name) {
    using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Target*);
    PFN_vkVoidFunction found = instance.getNextProc(instance.handle, name);
    if (found == nullptr && instance.getNextPhysicalDeviceProc != nullptr) {
        found = instance.getNextPhysicalDeviceProc(instance.handle, name);
    }
    return reinterpret_cast<Query>(found);
}

// The rows of an emulated extension, each written by write(row, target); where it is not emulated,
// what the next layer says, if it has the query.
template <typename Row, typename Target, typename Write>
VkResult answer(VkPhysicalDevice device, rewrite::Extension extension,
                std::vector<Row> (*rows)(const rewrite::DeviceTraits&), const char* name,
                uint32_t* count, Target* out, const Write& write) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    if (physical.answersFor(extension)) {
        const std::vector<Row> all = rows(physical.facts.traits);
        return giveArray(std::span(all), count, out, write);
    }
    if (const auto query = nextQuery<Target>(*instance, name)) return query(device, count, out);
    *count = 0;
    return VK_SUCCESS;
}

VkComponentTypeKHR vulkanType(rewrite::ComponentType type) {
    return static_cast<VkComponentTypeKHR>(type);
}

// What KHR's and NV's rows have in common.
template <typename Properties>
void copySizesAndInputs(const rewrite::MatrixShape& shape, Properties& to) {
    to.MSize = shape.m;
    to.NSize = shape.n;
    to.KSize = shape.k;
    to.AType = vulkanType(shape.a);
    to.BType = vulkanType(shape.b);
    to.CType = vulkanType(shape.c);
    to.scope = VK_SCOPE_SUBGROUP_KHR;
}

constexpr const char* kKhrQuery = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";

void writeKhrShape(const rewrite::MatrixShape& shape, VkCooperativeMatrixPropertiesKHR& to) {
    copySizesAndInputs(shape, to);
    to.ResultType = vulkanType(shape.result);
    to.saturatingAccumulation = shape.saturating;
}

}  // namespace

VkResult getCooperativeMatrixPropertiesKHR(VkPhysicalDevice device, uint32_t* count,
                                           VkCooperativeMatrixPropertiesKHR* out) {
    const auto instance = instances().find(device);
    const std::vector<rewrite::MatrixShape>& added = instance->physicalDevice(device).addedShapes;
    if (added.empty()) {
        return answer(device, rewrite::Extension::kKhrCooperativeMatrix, rewrite::matrixShapes,
                      kKhrQuery, count, out, writeKhrShape);
    }
    const auto own = nextQuery<VkCooperativeMatrixPropertiesKHR>(*instance, kKhrQuery);
    uint32_t below = 0;
    if (VkResult result = own(device, &below, nullptr); result < 0) return result;
    // The driver's own first, as it gives them: those are the faster ones.
    uint32_t room = out == nullptr ? 0 : *count;
    uint32_t given = std::min(room, below);
    if (given > 0) {
        if (VkResult result = own(device, &given, out); result < 0) return result;
    }
    room -= given;
    const VkResult rest =
        giveArray(std::span(added), &room, out == nullptr ? nullptr : out + given, writeKhrShape);
    *count = out == nullptr ? below + room : given + room;
    return out != nullptr && given < below ? VK_INCOMPLETE : rest;
}

VkResult getCooperativeMatrixPropertiesNV(VkPhysicalDevice device, uint32_t* count,
                                          VkCooperativeMatrixPropertiesNV* out) {
    return answer(device, rewrite::Extension::kNvCooperativeMatrix, rewrite::nvMatrixShapes,
                  "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV", count, out,
                  [](const rewrite::MatrixShape& shape, VkCooperativeMatrixPropertiesNV& to) {
                      copySizesAndInputs(shape, to);
                      to.DType = vulkanType(shape.result);
                  });
}

VkResult getCooperativeVectorPropertiesNV(VkPhysicalDevice device, uint32_t* count,
                                          VkCooperativeVectorPropertiesNV* out) {
    return answer(device, rewrite::Extension::kNvCooperativeVector, rewrite::vectorCombinations,
                  "vkGetPhysicalDeviceCooperativeVectorPropertiesNV", count, out,
                  [](const rewrite::VectorCombination& row, VkCooperativeVectorPropertiesNV& to) {
                      to.inputType = vulkanType(row.input);
                      to.inputInterpretation = vulkanType(row.inputInterpretation);
                      to.matrixInterpretation = vulkanType(row.matrix);
                      to.biasInterpretation = vulkanType(row.bias);
                      to.resultType = vulkanType(row.result);
                      to.transpose = VK_TRUE;
                  });
}

VkResult getInt4MatrixProperties(VkPhysicalDevice device, uint32_t* count,
                                 VkCooperativeMatrixInt4PropertiesCOOPVK* out) {
    return answer(
        device, rewrite::Extension::kIntelInt4, rewrite::int4MatrixShapes,
        "vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK", count, out,
        [](const rewrite::Int4MatrixShape& shape, VkCooperativeMatrixInt4PropertiesCOOPVK& to) {
            to.MSize = shape.m;
            to.NSize = shape.n;
            to.KSize = shape.k;
            to.ASigned = shape.aSigned;
            to.BSigned = shape.bSigned;
            to.CType = vulkanType(shape.c);
            to.ResultType = vulkanType(shape.result);
            to.saturatingAccumulation = shape.saturating;
            to.scope = VK_SCOPE_SUBGROUP_KHR;
        });
}

VkResult getBlockSizes(VkPhysicalDevice device, uint32_t* count, VkShader2DBlockSizesCOOPVK* out) {
    return answer(device, rewrite::Extension::kIntel2dBlockIo, rewrite::blockSizes,
                  "vkGetPhysicalDeviceShader2DBlockSizesCOOPVK", count, out,
                  [](const rewrite::BlockSizes& size, VkShader2DBlockSizesCOOPVK& to) {
                      to.operation = static_cast<VkShader2DBlockOperationCOOPVK>(size.operation);
                      to.elementSize = size.elementSize;
                      to.widthGranularity = size.widthGranularity;
                      to.maxWidth = size.maxWidth;
                      to.maxHeight = size.maxHeight;
                      to.maxCount = size.maxCount;
                  });
}

}  // namespace coopvk::layer
