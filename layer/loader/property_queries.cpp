// SPDX-License-Identifier: Apache-2.0
//
// The queries of the emulated extensions, which list matrices, vectors and blocks.
#include "loader/property_queries.hpp"

#include <algorithm>

#include "chain/arrays.hpp"
#include "device/matrix2.hpp"
#include "loader/commands.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

constexpr const char* kKhrQuery = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
constexpr const char* kNvQuery = "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV";
constexpr const char* kFlexibleQuery =
    "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV";
constexpr const char* kExtQuery = "vkGetPhysicalDeviceCooperativeMatrixProperties2EXT";
constexpr const char* kVectorQuery = "vkGetPhysicalDeviceCooperativeVectorPropertiesNV";
constexpr const char* kInt4Query = "vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK";
constexpr const char* kBlockQuery = "vkGetPhysicalDeviceShader2DBlockSizesCOOPVK";

// Null if the next layer has no such command.
template <typename Target>
auto nextQuery(const InstanceContext& instance, const char* name) {
    using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Target*);
    return reinterpret_cast<Query>(instance.nextQueries.at(name));
}

// The rows of an emulated extension, each written by write(row, target). If it is not emulated, the
// result of the next layer, if that has the query.
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

// The members that KHR's and NV's rows have in common.
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

void writeKhrShape(const rewrite::MatrixShape& shape, VkCooperativeMatrixPropertiesKHR& to) {
    copySizesAndInputs(shape, to);
    to.ResultType = vulkanType(shape.result);
    to.saturatingAccumulation = shape.saturating;
}

// The rows of the driver's query, and `added` after them.
template <typename Row, typename Target, typename Write>
VkResult giveAfter(VkResult(VKAPI_PTR* query)(VkPhysicalDevice, uint32_t*, Target*),
                   VkPhysicalDevice device, std::span<const Row> added, uint32_t* count,
                   Target* out, const Write& write) {
    uint32_t below = 0;
    if (VkResult result = query(device, &below, nullptr); result < 0) return result;
    // The driver's rows come first: they are faster.
    uint32_t room = out == nullptr ? 0 : *count;
    uint32_t given = std::min(room, below);
    if (given > 0) {
        if (VkResult result = query(device, &given, out); result < 0) return result;
    }
    room -= given;
    const VkResult rest = giveArray(added, &room, out == nullptr ? nullptr : out + given, write);
    *count = out == nullptr ? below + room : given + room;
    return out != nullptr && given < below ? VK_INCOMPLETE : rest;
}

// The members that the rows of KHR's successors have in common.
template <typename Properties>
void copyGranularity(const rewrite::MatrixShape& shape, Properties& to) {
    to.MGranularity = shape.m;
    to.NGranularity = shape.n;
    to.KGranularity = shape.k;
    to.AType = vulkanType(shape.a);
    to.BType = vulkanType(shape.b);
    to.CType = vulkanType(shape.c);
    to.ResultType = vulkanType(shape.result);
}

void writeFlexible(const rewrite::FlexibleShape& shape,
                   VkCooperativeMatrixFlexibleDimensionsPropertiesNV& to) {
    copyGranularity(shape.granularity, to);
    to.saturatingAccumulation = shape.granularity.saturating;
    to.scope = shape.workgroupInvocations == 0 ? VK_SCOPE_SUBGROUP_KHR : VK_SCOPE_WORKGROUP_KHR;
    to.workgroupInvocations = shape.workgroupInvocations;
}

rewrite::MatrixQuery readQuery(const VkPhysicalDeviceCooperativeMatrixInfo2EXT& info) {
    constexpr VkFlags kSaturating = VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT;
    return {info.scope == VK_SCOPE_WORKGROUP_KHR, info.invocations, info.subgroupSize,
            (info.flags & kSaturating) != 0};
}

}  // namespace

std::map<std::string_view, PFN_vkVoidFunction> loadNextQueries(
    VkInstance instance, PFN_vkGetInstanceProcAddr getNext,
    PFN_GetPhysicalDeviceProcAddr getNextPhysical) {
    std::map<std::string_view, PFN_vkVoidFunction> queries;
    for (const char* name :
         {kKhrQuery, kNvQuery, kFlexibleQuery, kExtQuery, kVectorQuery, kInt4Query, kBlockQuery}) {
        PFN_vkVoidFunction& query = queries[name];
        query = getNext(instance, name);
        if (query == nullptr && getNextPhysical != nullptr) query = getNextPhysical(instance, name);
    }
    return queries;
}

VkResult getCooperativeMatrixPropertiesKHR(VkPhysicalDevice device, uint32_t* count,
                                           VkCooperativeMatrixPropertiesKHR* out) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    std::vector<rewrite::MatrixShape> added = physical.addedShapes;
    added.insert(added.end(), physical.formatShapes.begin(), physical.formatShapes.end());
    const auto native = nextQuery<VkCooperativeMatrixPropertiesKHR>(*instance, kKhrQuery);
    if (added.empty() || native == nullptr) {
        return answer(device, rewrite::Extension::kKhrCooperativeMatrix, rewrite::matrixShapes,
                      kKhrQuery, count, out, writeKhrShape);
    }
    return giveAfter(native, device, std::span(std::as_const(added)), count, out, writeKhrShape);
}

VkResult getFlexibleDimensions(VkPhysicalDevice device, uint32_t* count,
                               VkCooperativeMatrixFlexibleDimensionsPropertiesNV* out) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    const std::vector<rewrite::FlexibleShape> shapes = flexibleShapes(physical);
    const auto native =
        nextQuery<VkCooperativeMatrixFlexibleDimensionsPropertiesNV>(*instance, kFlexibleQuery);
    constexpr size_t kFlexible =
        offsetof(VkPhysicalDeviceCooperativeMatrix2FeaturesNV, cooperativeMatrixFlexibleDimensions);
    if (native == nullptr || physical.adds(rewrite::Extension::kNvCooperativeMatrix2, kFlexible)) {
        return giveArray(std::span(shapes), count, out, writeFlexible);
    }
    return giveAfter(native, device, std::span(shapes), count, out, writeFlexible);
}

VkResult getCooperativeMatrixProperties2EXT(VkPhysicalDevice device,
                                            const VkPhysicalDeviceCooperativeMatrixInfo2EXT* info,
                                            uint32_t* count,
                                            VkCooperativeMatrixProperties2EXT* out) {
    const auto instance = instances().find(device);
    const PhysicalDeviceContext& physical = instance->physicalDevice(device);
    if (!physical.answersFor(rewrite::Extension::kExtCooperativeMatrixMaintenance1)) {
        const auto native =
            reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT>(
                instance->nextQueries.at(kExtQuery));
        if (native != nullptr) return native(device, info, count, out);
        *count = 0;
        return VK_SUCCESS;
    }
    const auto rows = rewrite::matrixGranularities(physical.facts.traits, readQuery(*info));
    return giveArray(std::span(rows), count, out,
                     copyGranularity<VkCooperativeMatrixProperties2EXT>);
}

VkResult getCooperativeMatrixPropertiesNV(VkPhysicalDevice device, uint32_t* count,
                                          VkCooperativeMatrixPropertiesNV* out) {
    return answer(device, rewrite::Extension::kNvCooperativeMatrix, rewrite::nvMatrixShapes,
                  kNvQuery, count, out,
                  [](const rewrite::MatrixShape& shape, VkCooperativeMatrixPropertiesNV& to) {
                      copySizesAndInputs(shape, to);
                      to.DType = vulkanType(shape.result);
                  });
}

VkResult getCooperativeVectorPropertiesNV(VkPhysicalDevice device, uint32_t* count,
                                          VkCooperativeVectorPropertiesNV* out) {
    return answer(device, rewrite::Extension::kNvCooperativeVector, rewrite::vectorCombinations,
                  kVectorQuery, count, out,
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
        device, rewrite::Extension::kIntelInt4, rewrite::int4MatrixShapes, kInt4Query, count, out,
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
    return answer(device, rewrite::Extension::kIntel2dBlockIo, rewrite::blockSizes, kBlockQuery,
                  count, out, [](const rewrite::BlockSizes& size, VkShader2DBlockSizesCOOPVK& to) {
                      to.operation = static_cast<VkShader2DBlockOperationCOOPVK>(size.operation);
                      to.elementSize = size.elementSize;
                      to.widthGranularity = size.widthGranularity;
                      to.maxWidth = size.maxWidth;
                      to.maxHeight = size.maxHeight;
                      to.maxCount = size.maxCount;
                  });
}

}  // namespace coopvk::layer
