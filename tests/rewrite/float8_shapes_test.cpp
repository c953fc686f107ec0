// SPDX-License-Identifier: Apache-2.0
//
// The shape that is listed beside a driver's own where matrices of 8-bit floats are emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::float8_shapes_test {
namespace {

using enum ComponentType;

MatrixShape halves(uint32_t m, uint32_t n, uint32_t k) {
    return {m, n, k, kFloat16, kFloat16, kFloat32, kFloat32, false};
}

// vkd3d-proton takes no matrices, not even those of 8-bit floats, without f16 of 16x16x16.
TEST(Float8Shapes, ListsTheHalvesThatProgramsOfFloat8Need) {
    DeviceTraits device;
    device.shaderFloat8CooperativeMatrix = true;
    // Where the program enables none of the driver's shapes, too, such as those of bfloat16.
    EXPECT_EQ(addedMatrixShapes(device), std::vector<MatrixShape>{halves(16, 16, 16)});
    device.nativeShapes = {halves(8, 8, 8)};
    EXPECT_EQ(addedMatrixShapes(device), std::vector<MatrixShape>{halves(16, 16, 16)});
    device.nativeShapes.push_back(halves(16, 16, 16));
    EXPECT_TRUE(addedMatrixShapes(device).empty());
    device.nativeShapes.pop_back();
    device.shaderFloat8CooperativeMatrix = false;
    EXPECT_TRUE(addedMatrixShapes(device).empty());
}

// Tiles of the driver's if it has some, else core SPIR-V. All other sizes stay the driver's.
TEST(Float8Shapes, HalvesBesideFloat8AreTilesOrCore) {
    Request request;
    Target target;
    target.emulated = {Extension::kExtShaderFloat8};
    target.addsShapes = true;
    target.device.shaderFloat8CooperativeMatrix = true;
    const auto added = test::assemble(test::multiplyModule(16, 16, 16));
    request.words = added;
    const auto pathFor = [&](MatrixShape own, BackEnd backEnd) {
        target.device.nativeShapes = {own};
        target.backEnd = backEnd;
        EXPECT_TRUE(mayUseAddedShapes(added, target.device, target.emulated, {}));
        const auto out = rewrite(request, target);
        EXPECT_TRUE(out) << out.error().message;
        if (!out || out->paths.size() != 1) return std::string();
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(out->used.empty(), out->paths[0] == "matrices: native, in tiles");
        return std::string(out->paths[0]);
    };
    EXPECT_EQ(pathFor(halves(8, 8, 8), BackEnd::kAuto), "matrices: native, in tiles");
    EXPECT_EQ(pathFor(halves(8, 8, 8), BackEnd::kCore), "matrices: core");
    EXPECT_EQ(pathFor(halves(32, 32, 32), BackEnd::kAuto), "matrices: core");
    EXPECT_EQ(pathFor(halves(32, 32, 32), BackEnd::kCore), "matrices: core");
    for (const uint32_t size : {8u, 24u, 32u}) {
        const auto other = test::assemble(test::multiplyModule(size, size, size));
        request.words = other;
        const auto out = rewrite(request, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_TRUE(out->untouched) << size;
    }
}

// VK_QCOM_cooperative_matrix_conversion: matrices with K of 32 bytes, that is 16 bfloat16 or 32
// 8-bit floats, and at most as many rows of A and columns of B as the subgroup has invocations.
TEST(AdvertisedShapes, HaveConvertibleOnesOfEachFormat) {
    DeviceTraits device;
    device.shaderBFloat16CooperativeMatrix = device.shaderFloat8CooperativeMatrix = true;
    for (const uint32_t lanes : {4u, 8u, 32u, 128u}) {
        device.subgroupSize = lanes;
        const std::vector<MatrixShape> shapes = formatMatrixShapes(device);
        for (const auto& [type, depth] :
             {std::pair(kBFloat16, 16u), {kFloatE4M3, 32u}, {kFloatE5M2, 32u}}) {
            const auto isConvertible = [&](const MatrixShape& s) {
                return s.a == type && s.b == type && s.k == depth && s.m <= lanes && s.n <= lanes &&
                       s.m == s.n && !s.saturating;
            };
            EXPECT_TRUE(std::ranges::any_of(shapes, isConvertible)) << name(type) << ' ' << lanes;
        }
    }
}

// Rows and Columns of a matrix are at most 65535 (Vulkan has 16 bits for them).
TEST(AdvertisedShapes, MultiplesOfTheDriversAreNoLargerThanMatrices) {
    DeviceTraits device;
    device.onlyNativeShapes = true;
    for (const auto& [m, n, k] :
         {std::tuple(65536u, 16u, 16u), {16u, 65536u, 16u}, {16u, 16u, 65536u}}) {
        device.nativeShapes = {halves(m, n, k)};
        for (const FlexibleShape& each : flexibleShapes(device))
            EXPECT_NE(each.workgroupInvocations, 0u) << "none of a subgroup";
    }
    device.nativeShapes = {halves(16, 16, 16)};
    EXPECT_EQ(flexibleShapes(device).front().workgroupInvocations, 0u);
}

// Vulkan, VkCooperativeMatrixPropertiesKHR: M, N and K are powers of two, saturating sums are of
// integers of 32 bits, and no two rows are the same. A and B are both floats, as C and the result
// are, and no wider than these.
TEST(AdvertisedShapes, AreWhatVulkanPermits) {
    DeviceTraits device;
    device.shaderBFloat16CooperativeMatrix = device.shaderFloat8CooperativeMatrix = true;
    device.shaderFloat64 = device.shaderInt64 = true;
    const auto isFloat = [](ComponentType type) {
        return componentFormat(type)->exponentBits != 0;
    };
    const auto bits = [](ComponentType type) { return componentFormat(type)->bits; };
    for (const auto list : {matrixShapes, nvMatrixShapes, formatMatrixShapes}) {
        const std::vector<MatrixShape> shapes = list(device);
        ASSERT_FALSE(shapes.empty());
        size_t saturating = 0;
        for (const MatrixShape& shape : shapes) {
            SCOPED_TRACE(std::string(name(shape.a)) + " " + std::string(name(shape.b)) + " " +
                         std::string(name(shape.c)) + " " + std::string(name(shape.result)));
            EXPECT_EQ(std::ranges::count(shapes, shape), 1);
            for (const uint32_t size : {shape.m, shape.n, shape.k})
                EXPECT_TRUE(std::has_single_bit(size)) << size;
            for (const ComponentType type : {shape.b, shape.c, shape.result})
                EXPECT_EQ(isFloat(type), isFloat(shape.a));
            EXPECT_EQ(bits(shape.a), bits(shape.b));
            EXPECT_LE(bits(shape.a), bits(shape.result));
            EXPECT_LE(bits(shape.a), bits(shape.c));
            if (!shape.saturating) continue;
            ++saturating;
            EXPECT_FALSE(isFloat(shape.a));
            EXPECT_EQ(bits(shape.result), 32u);
        }
        EXPECT_EQ(saturating != 0, list == matrixShapes);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::float8_shapes_test
