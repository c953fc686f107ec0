// SPDX-License-Identifier: Apache-2.0
//
// The class of each device, what it decides, and what `coopvk info` says about products.
#include "coopvk/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plan/device_plan.hpp"

namespace coopvk::rewrite::plan_test {
namespace {

DeviceTraits desktop() {
    DeviceTraits device;
    device.subgroupVote = device.subgroupBallot = device.subgroupArithmetic = true;
    device.maxComputeSharedMemorySize = 49152;
    device.bufferDeviceAddress = true;
    return device;
}

DeviceTraits withByteDots(DeviceTraits device = desktop()) {
    device.shaderIntegerDotProduct = true;
    device.dot4x8Signed = device.dot4x8Unsigned = device.dot4x8Mixed = true;
    return device;
}

DeviceTraits wide() {
    DeviceTraits device = desktop();
    device.subgroupSize = device.maxSubgroupSize = 64;
    return device;
}

Target targetOf(const DeviceTraits& device, uint32_t lanes = 0) {
    Target target;
    target.device = device;
    target.subgroupSize = lanes != 0 ? lanes : device.subgroupSize;
    return target;
}

DevicePlan planOf(const DeviceTraits& device, uint32_t lanes = 0) {
    return DevicePlan(targetOf(device, lanes));
}

// Each test of a class, and which class comes first where several tests hold.
TEST(DeviceClasses, OfDevices) {
    DeviceTraits cpu = withByteDots(wide()), scalar = withByteDots(wide());
    cpu.isCpu = cpu.scalarRegisters = true;
    scalar.scalarRegisters = true;
    EXPECT_EQ(planOf(cpu).className, "CPU");
    EXPECT_EQ(planOf(scalar).className, "GPU with scalar registers");
    EXPECT_EQ(planOf(withByteDots(wide())).className, "GPU with few registers");
    EXPECT_EQ(planOf(withByteDots()).className, "GPU with many registers");
    EXPECT_EQ(planOf(desktop()).className, "GPU");
    for (const auto dot :
         {&DeviceTraits::dot4x8Signed, &DeviceTraits::dot4x8Unsigned, &DeviceTraits::dot4x8Mixed}) {
        DeviceTraits one = desktop();
        one.*dot = true;
        EXPECT_EQ(planOf(one).className, "GPU with many registers");
    }
    DeviceTraits narrow = wide();
    narrow.maxSubgroupSize = 63;
    EXPECT_EQ(planOf(narrow).className, "GPU");
}

// A kind of device that the rewriter does not know needs a row and nothing else.
TEST(DeviceClasses, ANewOneIsARow) {
    const auto isMadeUp = [](const DeviceTraits& device) {
        return device.maxSubgroupSize == 128 && !device.shaderIntegerDotProduct;
    };
    static constexpr SliceRow kSlices[] = {
        {"any", [](const SlicedProduct&) { return true; }, {2, true}}};
    std::vector<DeviceClass> classes = {
        {"made up",
         "wide, without dot products, few registers",
         isMadeUp,
         {.maxOpenSums = 8, .slices = kSlices, .maxShuffles = 16, .linesAtOnce = 1}}};
    classes.insert(classes.end(), deviceClasses().begin(), deviceClasses().end());
    DeviceTraits device = wide();
    device.maxSubgroupSize = 128;
    const DevicePlan plan(targetOf(device, 128), classes);
    EXPECT_EQ(plan.className, "made up");
    EXPECT_EQ(plan.maxOpenSums, 8u);
    EXPECT_EQ(plan.maxShuffles, 16u);
    EXPECT_EQ(plan.linesAtOnce, 1u);
    const Slices slices = plan.slicesFor({});
    EXPECT_TRUE(slices.depth == 2 && slices.rolled);
    EXPECT_EQ(plan.rowStores, RowStores::kShifted) << "shuffles of 128 lanes are slow";
    EXPECT_FALSE(plan.prefersByteDots);
    EXPECT_EQ(DevicePlan(targetOf(wide()), classes).className, "GPU with few registers");
}

TEST(DevicePlans, FollowFeatures) {
    DeviceTraits device = withByteDots();
    EXPECT_EQ(planOf(device).openSums, SumForm::kHalves);
    EXPECT_TRUE(planOf(device).stagesSingles && planOf(device).packsHalves);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    EXPECT_EQ(planOf(device).openSums, SumForm::kSingles);
    EXPECT_FALSE(planOf(device).stagesSingles) << "mixed dot products read f16";
    device.shaderFloat16 = false;
    EXPECT_EQ(planOf(device).openSums, SumForm::kClosed);
    EXPECT_FALSE(planOf(device).packsHalves);
    device.emulatesFloat16 = true;
    EXPECT_EQ(planOf(device).openSums, SumForm::kSingles);
    EXPECT_TRUE(planOf(device).opensWorkgroupSums);
    device.minSubgroupSize = 16;
    EXPECT_FALSE(planOf(device).opensWorkgroupSums) << "the larger subgroups have fewer registers";
    device.shaderIntegerDotProduct = false;
    EXPECT_FALSE(planOf(device).prefersByteDots || planOf(device).acceleratesDots(true, true));
}

TEST(DevicePlans, FollowTheNumberOfLanes) {
    EXPECT_FALSE(planOf(desktop(), 32).hasSlowShuffles);
    EXPECT_TRUE(planOf(desktop(), 64).hasSlowShuffles);
    EXPECT_EQ(planOf(desktop(), 32).rowStores, std::nullopt);
    EXPECT_EQ(planOf(desktop(), 64).rowStores, RowStores::kShifted);
    DeviceTraits cpu = desktop(), scalar = desktop();
    cpu.isCpu = scalar.scalarRegisters = true;
    EXPECT_FALSE(planOf(cpu, 128).hasSlowShuffles);
    EXPECT_EQ(planOf(cpu, 128).rowStores, RowStores::kIndexed);
    EXPECT_TRUE(planOf(scalar, 4).hasSlowShuffles);
    const std::pair<uint32_t, uint32_t> columns[] = {{4, 2}, {8, 4}, {16, 4}, {32, 8}, {64, 4}};
    for (const auto& [lanes, expected] : columns)
        EXPECT_EQ(planOf(desktop(), lanes).tileColumns, expected) << lanes;
}

// A CPU's compilers take long: what tensors and workgroups do is a loop wherever that is possible,
// but for loads, which are then not in an array.
TEST(DevicePlans, KeepTheCodeForCpusShort) {
    DeviceTraits cpu = desktop();
    cpu.isCpu = true;
    const DevicePlan plan = planOf(cpu), other = planOf(desktop());
    EXPECT_TRUE(plan.prefersShortCode && !other.prefersShortCode);
    for (const auto most : {&DevicePlan::maxTensorStores, &DevicePlan::maxTensorStoresOfTiles,
                            &DevicePlan::maxTensorPlaces, &DevicePlan::workgroupProducts}) {
        EXPECT_EQ(plan.*most, 1u);
        EXPECT_GT(other.*most, 1u);
    }
}

// The driver's matrices that the lanes of a subgroup can exchange; all others must not be asked
// for, not even to divide by their sizes.
TEST(DevicePlans, ChooseShapesForVectors) {
    using enum ComponentType;
    const MatrixShape good = {16, 8, 16, kFloat16, kFloat16, kFloat32, kFloat32, false};
    const auto shapes = [&](auto edit) {
        Target target = targetOf(desktop());
        target.emulated = {Extension::kNvCooperativeVector};
        MatrixShape shape = good;
        edit(shape, target);
        target.device.nativeShapes = {shape};
        return DevicePlan(target).vectorShapes.size();
    };
    EXPECT_EQ(shapes([](MatrixShape&, Target&) {}), 1u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.m = 0; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.n = 0; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.k = 0; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.k = 24; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.a = kFloat32; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape& s, Target&) { s.a = kSint8; }), 1u);
    EXPECT_EQ(shapes([](MatrixShape&, Target& t) { t.subgroupSize = 8; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape&, Target& t) { t.backEnd = BackEnd::kCore; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape&, Target& t) { t.device.isCpu = true; }), 0u);
    EXPECT_EQ(shapes([](MatrixShape&, Target& t) { t.emulated = ExtensionSet::all(); }), 0u);
    EXPECT_EQ(shapes([](MatrixShape&, Target& t) {
                  t.emulated = ExtensionSet::all();
                  t.backEnd = BackEnd::kNative;
              }),
              1u);
}

TEST(DevicePlans, SlicesAreThoseOfTheFirstRow) {
    const SlicedProduct singles = {.lanes = 32, .factorBits = 16, .sumBits = 32, .areFloats = true};
    const auto depth = [](const DeviceTraits& device, SlicedProduct product) {
        return planOf(device).slicesFor(product).depth;
    };
    DeviceTraits cpu = desktop();
    cpu.isCpu = true;
    SlicedProduct bytes = singles, few = singles, integers = singles, pairs = singles;
    bytes.factorBits = 8;
    few.lanes = 4;
    integers.areFloats = false;
    pairs.sumBits = 16;
    pairs.arePairsAlongK = true;
    EXPECT_EQ(depth(cpu, singles), 2u);
    EXPECT_EQ(depth(cpu, few), 0u);
    EXPECT_EQ(depth(wide(), integers), 16u);
    EXPECT_EQ(depth(withByteDots(), integers), 0u);
    EXPECT_EQ(depth(withByteDots(), singles), 4u);
    EXPECT_EQ(depth(withByteDots(), bytes), 4u);
    EXPECT_EQ(depth(desktop(), pairs), 0u);
}

// ---------------------------------------------------------------------------------------------

TEST(PlanReport, HasAReasonForEachDecision) {
    const std::vector<PlanRow> rows = devicePlan(targetOf(wide()));
    ASSERT_GT(rows.size(), 40u);
    EXPECT_EQ(rows.front().value, "GPU with few registers");
    for (const PlanRow& row : rows)
        EXPECT_FALSE(row.name.empty() || row.value.empty() || row.reason.empty()) << row.name;
    const auto value = [&](std::string_view name) {
        return std::ranges::find(rows, name, &PlanRow::name)->value;
    };
    EXPECT_EQ(value("slow shuffles"), "yes");
    EXPECT_EQ(value("vectors: rows of weights at once"), "2");
    EXPECT_EQ(value("open sums of f16 accumulators"), "two f16");
    EXPECT_EQ(value("most components through shared memory"), "any");
    EXPECT_EQ(value("vectors: rows that loops store"), "shifted");
    EXPECT_EQ(rows.back().value, "4, in a loop");
}

std::map<std::string_view, std::string_view> meansFor(const DeviceTraits& device,
                                                      BackEnd vectors = BackEnd::kCore) {
    std::map<std::string_view, std::string_view> means;
    for (const ProductMeans& one : productMeans(device, vectors)) means[one.products] = one.means;
    return means;
}

constexpr std::string_view kShared = "vectors of f16 by weights that all share";

TEST(Means, OfADeviceWithDotProducts) {
    const auto means = meansFor(withByteDots());
    EXPECT_EQ(means.size(), 6u);
    for (const char* bytes : {"s8", "u8", "u8 by s8"})
        EXPECT_EQ(means.at(bytes), "dot products of four bytes") << bytes;
    EXPECT_EQ(means.at("f16 with f32 sums"), "converted to f32");
    EXPECT_EQ(means.at("f16 with f16 sums"), "multiply-adds of pairs");
    EXPECT_EQ(means.at(kShared), "tiles of the subgroup");
}

TEST(Means, OfACpu) {
    DeviceTraits device = withByteDots();
    device.isCpu = true;
    device.dot4x8Mixed = false;
    const auto means = meansFor(device);
    EXPECT_EQ(means.at("s8"), "dot products of four bytes");
    EXPECT_EQ(means.at("u8 by s8"), "one by one, at 32 bits");
    EXPECT_EQ(means.at("f16 with f16 sums"), "converted to f32");
}

TEST(Means, OfADeviceWithoutDotProducts) {
    EXPECT_EQ(meansFor(desktop()).at("s8"), "converted to floats");
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
}  // namespace coopvk::rewrite::plan_test
