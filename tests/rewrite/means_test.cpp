// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk info` says about a device's products, depending on what the device reports.
#include "coopvk/means.hpp"

#include <gtest/gtest.h>

#include <map>

namespace coopvk::rewrite {
namespace {

std::map<std::string_view, std::string_view> meansFor(const DeviceTraits& device,
                                                      BackEnd vectors = BackEnd::kCore) {
    std::map<std::string_view, std::string_view> means;
    for (const ProductMeans& one : productMeans(device, vectors)) means[one.products] = one.means;
    return means;
}

DeviceTraits desktop() {
    DeviceTraits device;
    device.subgroupVote = device.subgroupBallot = device.subgroupArithmetic = true;
    device.maxComputeSharedMemorySize = 49152;
    device.bufferDeviceAddress = true;
    return device;
}

constexpr std::string_view kShared = "vectors of f16 by weights that all share";

TEST(Means, OfADeviceWithDotProducts) {
    DeviceTraits device = desktop();
    device.shaderIntegerDotProduct = device.dot4x8Signed = device.dot4x8Unsigned = true;
    device.dot4x8Mixed = true;
    const auto means = meansFor(device);
    EXPECT_EQ(means.size(), 6u);
    for (const char* bytes : {"s8", "u8", "u8 by s8"})
        EXPECT_EQ(means.at(bytes), "dot products of four bytes") << bytes;
    EXPECT_EQ(means.at("f16 with f32 sums"), "converted to f32");
    EXPECT_EQ(means.at("f16 with f16 sums"), "multiply-adds of pairs");
    EXPECT_EQ(means.at(kShared), "tiles of the subgroup");
}

TEST(Means, OfADeviceWithScalarRegisters) {
    DeviceTraits device = desktop();
    device.scalarRegisters = true;
    EXPECT_EQ(meansFor(device).at(kShared), "each invocation alone");
}

TEST(Means, OfADeviceWithMatrices) {
    using enum ComponentType;
    DeviceTraits device = desktop();
    device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    EXPECT_EQ(meansFor(device).at(kShared), "tiles of the subgroup");
    EXPECT_EQ(meansFor(device, BackEnd::kAuto).at(kShared), "the driver's matrices");
    device.scalarRegisters = true;
    EXPECT_EQ(meansFor(device, BackEnd::kAuto).at(kShared), "each invocation alone");
    EXPECT_EQ(meansFor(device, BackEnd::kNative).at(kShared), "the driver's matrices");
}

TEST(Means, LeaveOutWhatTheDeviceLacks) {
    DeviceTraits device = desktop();
    device.shaderFloat16 = false;
    device.shaderInt8 = false;
    EXPECT_TRUE(meansFor(device).empty());
}

}  // namespace
}  // namespace coopvk::rewrite
