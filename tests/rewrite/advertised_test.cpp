// SPDX-License-Identifier: Apache-2.0
//
// What coopvk lists beside the shapes of matrices: combinations of VK_NV_cooperative_vector, sizes
// of 2D blocks, names and fields of component types; and which shapes consist of others.
#include "coopvk/advertised.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::advertised_test {
namespace {

using enum ComponentType;

size_t countOf(const DeviceTraits& device, const VectorCombination& row) {
    return static_cast<size_t>(std::ranges::count(vectorCombinations(device), row));
}

DeviceTraits deviceWithAll() {
    DeviceTraits device;
    device.shaderFloat16 = device.shaderInt8 = device.shaderInt16 = true;
    device.storageBuffer8BitAccess = device.storageBuffer16BitAccess = true;
    return device;
}

// "Implementations must support" these (Vulkan, VkCooperativeVectorPropertiesNV).
constexpr VectorCombination kRequired[] = {
    {kFloat16, kFloat16, kFloat16, kFloat16, kFloat16},
    {kUint32, kSint8Packed, kSint8, kSint32, kSint32},
    {kSint8, kSint8, kSint8, kSint32, kSint32},
    {kFloat32, kSint8, kSint8, kSint32, kSint32},
    {kFloat16, kFloatE4M3, kFloatE4M3, kFloat16, kFloat16},
    {kFloat16, kFloatE5M2, kFloatE5M2, kFloat16, kFloat16},
};

TEST(VectorCombinations, BeginWithTheRequiredOnes) {
    const std::vector<VectorCombination> list = vectorCombinations(deviceWithAll());
    ASSERT_GE(list.size(), std::size(kRequired));
    for (size_t i = 0; i < std::size(kRequired); ++i) EXPECT_EQ(list[i], kRequired[i]) << i;
    for (const VectorCombination& row : list) EXPECT_EQ(countOf(deviceWithAll(), row), 1u);
}

// The types that shaders have values of.
TEST(VectorCombinations, HaveTypesOfTheDevice) {
    DeviceTraits without = deviceWithAll();
    without.shaderFloat16 = false;
    for (const VectorCombination& row : vectorCombinations(without))
        EXPECT_TRUE(row.input != kFloat16 && row.result != kFloat16);
    EXPECT_EQ(countOf(without, kRequired[1]), 1u);
    without = deviceWithAll();
    without.shaderInt8 = false;
    for (const VectorCombination& row : vectorCombinations(without))
        EXPECT_TRUE(row.input != kSint8 && row.input != kUint8);
    EXPECT_EQ(countOf(without, kRequired[3]), 1u);
    EXPECT_EQ(countOf(without, kRequired[4]), 1u) << "bytes in memory alone";
}

// Rows of blocks are whole words.
TEST(BlockSizes, AreThoseThatTheDeviceCanAccess) {
    const auto sizesOf = [](const DeviceTraits& device, BlockOperation operation) {
        std::set<uint32_t> sizes;
        for (const BlockSizes& row : blockSizes(device)) {
            if (row.operation != operation) continue;
            sizes.insert(row.elementSize);
            EXPECT_EQ(row.widthGranularity * row.elementSize, std::max(row.elementSize, 4u));
        }
        return sizes;
    };
    DeviceTraits device = deviceWithAll();
    for (const auto operation : {BlockOperation::kLoad, BlockOperation::kLoadTranspose,
                                 BlockOperation::kPrefetch, BlockOperation::kStore})
        EXPECT_EQ(sizesOf(device, operation), (std::set<uint32_t>{1, 2, 4, 8}));
    EXPECT_EQ(sizesOf(device, BlockOperation::kLoadTransform), (std::set<uint32_t>{1, 2, 4}));
    for (bool DeviceTraits::* feature :
         {&DeviceTraits::shaderInt8, &DeviceTraits::storageBuffer8BitAccess}) {
        device = deviceWithAll();
        device.*feature = false;
        EXPECT_EQ(sizesOf(device, BlockOperation::kLoad), (std::set<uint32_t>{2, 4, 8}));
    }
    for (bool DeviceTraits::* feature :
         {&DeviceTraits::shaderInt16, &DeviceTraits::storageBuffer16BitAccess}) {
        device = deviceWithAll();
        device.*feature = false;
        EXPECT_EQ(sizesOf(device, BlockOperation::kStore), (std::set<uint32_t>{1, 4, 8}));
    }
}

TEST(ComponentTypes, HaveNamesAndFields) {
    const std::pair<std::string_view, ComponentFormat> kFormats[] = {
        {"f16", {16, 5, 10, 15, true}},    {"f32", {32, 8, 23, 127, true}},
        {"f64", {64, 11, 52, 1023, true}}, {"bf16", {16, 8, 7, 127, true}},
        {"e4m3", {8, 4, 3, 7, false}},     {"e5m2", {8, 5, 2, 15, true}},
        {"s8", {8, 0, 0, 0, false}},       {"u16", {16, 0, 0, 0, false}},
        {"s32", {32, 0, 0, 0, false}},     {"u64", {64, 0, 0, 0, false}},
    };
    for (const auto& [text, format] : kFormats) {
        const auto type = componentType(text);
        ASSERT_TRUE(type) << text;
        EXPECT_EQ(name(*type), text);
        EXPECT_EQ(componentFormat(*type), format) << text;
    }
    EXPECT_EQ(name(kSint8Packed), "s8packed");
    EXPECT_EQ(name(kUint8Packed), "u8packed");
    EXPECT_EQ(name(static_cast<ComponentType>(99)), "unknown");
    for (const auto type : {kSint8Packed, kUint8Packed, static_cast<ComponentType>(99)})
        EXPECT_EQ(componentFormat(type), std::nullopt);
    // Numbers that are no components of matrices.
    for (const std::string_view text : {"", "f1", "e2m1", "s4", "s8packed", "F16"})
        EXPECT_EQ(componentType(text), std::nullopt) << text;
}

// Products of parts along K are added by the tile's own sums: they must not saturate or be
// converted between.
TEST(Shapes, ConsistOfTilesThatDivideThem) {
    constexpr MatrixShape kTile = {8, 16, 4, kFloat16, kFloat16, kFloat32, kFloat32, false};
    const auto changed = [](MatrixShape shape, auto MatrixShape::* field, auto value) {
        shape.*field = value;
        return shape;
    };
    constexpr MatrixShape kLarge = {24, 32, 12, kFloat16, kFloat16, kFloat32, kFloat32, false};
    EXPECT_TRUE(isMadeOf(kTile, kTile));
    EXPECT_TRUE(isMadeOf(kLarge, kTile));
    for (uint32_t MatrixShape::* size : {&MatrixShape::m, &MatrixShape::n, &MatrixShape::k}) {
        EXPECT_FALSE(isMadeOf(changed(kLarge, size, kLarge.*size + 2), kTile));
        EXPECT_FALSE(isMadeOf(kLarge, changed(kTile, size, 0u)));
        EXPECT_FALSE(isMadeOf(changed(kTile, size, kTile.*size / 2), kTile));
    }
    for (ComponentType MatrixShape::* type :
         {&MatrixShape::a, &MatrixShape::b, &MatrixShape::c, &MatrixShape::result})
        EXPECT_FALSE(isMadeOf(changed(kLarge, type, kBFloat16), kTile));
    EXPECT_FALSE(isMadeOf(changed(kLarge, &MatrixShape::saturating, true), kTile));
    const MatrixShape converting = changed(kTile, &MatrixShape::result, kFloat16);
    const MatrixShape saturating = changed(kTile, &MatrixShape::saturating, true);
    for (const MatrixShape& tile : {converting, saturating}) {
        EXPECT_TRUE(isMadeOf(changed(tile, &MatrixShape::m, 16u), tile));
        EXPECT_FALSE(isMadeOf(changed(tile, &MatrixShape::k, 8u), tile));
    }
}

}  // namespace
}  // namespace coopvk::rewrite::advertised_test
