// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <cstring>

namespace coopvk::test {
namespace {

template <typename T>
Bytes bytesOf(const T& value) {
    Bytes bytes(sizeof(value));
    std::memcpy(bytes.data(), &value, sizeof(value));
    return bytes;
}

constexpr float kTriangle[9] = {-1, -1, 1, 3, -1, 1, -1, 3, 1};
constexpr VkAabbPositionsKHR kBox = {-1, -1, 0.75f, 1, 1, 1.25f};

VkAccelerationStructureGeometryKHR geometryOf(Shape shape, VkDeviceAddress address) {
    VkAccelerationStructureGeometryKHR geometry{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
    geometry.flags = VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR;
    if (shape == Shape::kBox) {
        geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
        auto& boxes = geometry.geometry.aabbs;
        boxes = {VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR};
        boxes.data.deviceAddress = address;
        boxes.stride = sizeof(kBox);
        return geometry;
    }
    geometry.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR;
    auto& triangles = geometry.geometry.triangles;
    triangles = {VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR};
    triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
    triangles.vertexData.deviceAddress = address;
    triangles.vertexStride = 3 * sizeof(float);
    triangles.maxVertex = 2;
    triangles.indexType = VK_INDEX_TYPE_NONE_KHR;
    return geometry;
}

VkAccelerationStructureGeometryKHR instances(VkDeviceAddress address) {
    VkAccelerationStructureGeometryKHR geometry{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR};
    geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
    geometry.geometry.instances = {
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR};
    geometry.geometry.instances.data.deviceAddress = address;
    return geometry;
}

}  // namespace

Scene::Scene(Shape shape) {
    Context& context = Context::get();
    const Bytes contents = shape == Shape::kBox ? bytesOf(kBox) : bytesOf(kTriangle);
    memory_.push_back(std::make_unique<Memory>(context, std::vector<Bytes>{contents}));
    bottom_ = build(VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
                    geometryOf(shape, memory_.back()->address(0)));
    VkAccelerationStructureInstanceKHR instance{};
    for (int i = 0; i < 3; ++i) instance.transform.matrix[i][i] = 1;
    instance.mask = 0xff;
    instance.flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR;
    instance.accelerationStructureReference = bottom_.address;
    memory_.push_back(std::make_unique<Memory>(context, std::vector<Bytes>{bytesOf(instance)}));
    top_ =
        build(VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, instances(memory_.back()->address(0)));
}

Scene::~Scene() {
    for (const Structure& structure : {bottom_, top_})
        vkDestroyAccelerationStructureKHR(Context::get().device, structure.handle, nullptr);
}

Scene::Structure Scene::build(VkAccelerationStructureTypeKHR type,
                              const VkAccelerationStructureGeometryKHR& geometry) {
    Context& context = Context::get();
    VkAccelerationStructureBuildGeometryInfoKHR info{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR};
    info.type = type;
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    info.geometryCount = 1;
    info.pGeometries = &geometry;
    const uint32_t count = 1;
    VkAccelerationStructureBuildSizesInfoKHR sizes{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    vkGetAccelerationStructureBuildSizesKHR(
        context.device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, &count, &sizes);
    memory_.push_back(std::make_unique<Memory>(
        context,
        std::vector<Bytes>{Bytes(sizes.accelerationStructureSize), Bytes(sizes.buildScratchSize)}));
    const Memory& memory = *memory_.back();
    VkAccelerationStructureCreateInfoKHR create{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR};
    create.buffer = memory.handle();
    create.offset = memory.offset(0);
    create.size = sizes.accelerationStructureSize;
    create.type = type;
    Structure result;
    COOPVK_CHECK(
        vkCreateAccelerationStructureKHR(context.device, &create, nullptr, &result.handle));
    info.dstAccelerationStructure = result.handle;
    info.scratchData.deviceAddress = memory.address(1);
    const VkAccelerationStructureBuildRangeInfoKHR range{1, 0, 0, 0};
    const VkAccelerationStructureBuildRangeInfoKHR* ranges = &range;
    Commands commands(context);
    commands.begin();
    vkCmdBuildAccelerationStructuresKHR(commands.primary, 1, &info, &ranges);
    commands.end();
    commands.submitAndWait();
    VkAccelerationStructureDeviceAddressInfoKHR address{
        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR};
    address.accelerationStructure = result.handle;
    result.address = vkGetAccelerationStructureDeviceAddressKHR(context.device, &address);
    return result;
}

}  // namespace coopvk::test
