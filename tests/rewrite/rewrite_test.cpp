// SPDX-License-Identifier: Apache-2.0
#include "coopvk/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "assemble.hpp"

namespace coopvk::rewrite::rewrite_test {
namespace {

Result<Rewritten> run(const std::vector<uint32_t>& words, uint32_t subgroupSize,
                      std::span<const SpecializationEntry> entries = {}) {
    Request request;
    request.words = words;
    request.specialization = entries;
    Target target;
    target.subgroupSize = subgroupSize;
    return rewrite(request, target);
}

class Rewrite : public testing::TestWithParam<uint32_t> {};

TEST_P(Rewrite, OutputIsValidAndDeterministic) {
    for (const auto& [m, n, k] :
         {std::tuple{16u, 16u, 16u}, {8u, 8u, 32u}, {1u, 1u, 1u}, {12u, 6u, 20u}, {64u, 16u, 8u}}) {
        const std::vector<uint32_t> words = test::assemble(test::multiplyModule(m, n, k));
        const Result<Rewritten> out = run(words, GetParam());
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
        EXPECT_EQ(disassemble(out->words).find("CooperativeMatrix"), std::string::npos);
        EXPECT_EQ(out->localSize[0], 32u);
        const Result<Rewritten> again = run(words, GetParam());
        ASSERT_TRUE(again);
        EXPECT_EQ(again->words, out->words);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Rewrite, testing::Values(4, 8, 16, 32, 64, 128));

// Found by fuzzing: the constant went into the output, where it must not be zero.
TEST(RewriteErrors, WorkgroupOfNothing) {
    std::string text = test::multiplyModule(16, 16, 16);
    const std::string mode = "OpExecutionMode %main LocalSize 32 1 1";
    text.replace(text.find(mode), mode.size(), "OpExecutionModeId %main LocalSizeId %rows %c1 %c1");
    const std::vector<uint32_t> words = test::assemble(text);
    EXPECT_TRUE(run(words, 16));
    const std::array<std::byte, 4> zero = {};
    const SpecializationEntry entry = {0, zero};
    const Result<Rewritten> out = run(words, 16, {&entry, 1});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(out.error().message.find("workgroup size of zero"), std::string::npos);
}

// The length is folded before the check of sizes. It was a division by zero.
TEST(RewriteErrors, LengthOfWorkgroupMatrixOfOneRow) {
    std::string text = test::multiplyModule(16, 16, 16);
    text.insert(text.find("%main = OpFunction"),
                "%small = OpTypeCooperativeMatrixKHR %f32 %c2 %c1 %c1 %c2\n"
                "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %small\n");
    const Result<Rewritten> out = run(test::assemble(text), 16);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(out.error().message.find("must be multiples of 16"), std::string::npos);
}

TEST(RewriteErrors, PointerThatIsACopyOfItself) {
    std::string text = test::multiplyModule(16, 16, 16);
    const std::string load = "%b = OpCooperativeMatrixLoadKHR %B %pa";
    text.replace(text.find(load), load.size(),
                 "%pb = OpCopyObject %halfPointer %pb\n%b = OpCooperativeMatrixLoadKHR %B %pb");
    const Result<Rewritten> out = run(test::assemble(text), 16);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("an operand is the result itself"), std::string::npos);
}

TEST(RewriteErrors, NoSuchEntryPoint) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    Request request;
    request.words = words;
    for (const char* name : {"", "main"}) {
        request.entryPoint = name;
        EXPECT_TRUE(rewrite(request, Target{})) << name;
    }
    request.entryPoint = "mai";
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(out.error().message.find("'mai'"), std::string::npos);
}

TEST(RewriteErrors, NameWhatIsWrong) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    for (const uint32_t size : {0u, 3u, 24u, 256u}) {
        const Result<Rewritten> out = run(words, size);
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidArgument);
        EXPECT_NE(out.error().message.find("subgroup size"), std::string::npos);
    }
    const std::byte wrong[2] = {};
    const SpecializationEntry short2[] = {{0, wrong}};
    const Result<Rewritten> out = run(words, 32, short2);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("specialization constant 0"), std::string::npos);
}

TEST(RewriteSpecialization, SetsTheShape) {
    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
    const uint32_t rows = 8;
    std::byte data[4];
    std::memcpy(data, &rows, sizeof rows);
    const SpecializationEntry entries[] = {{0, data}};
    const Result<Rewritten> out = run(words, 32, entries);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_NE(disassemble(out->words).find("coopvk_muladd_f32_f16_f16_8x16x16"), std::string::npos);
    const uint32_t zero = 0;
    std::memcpy(data, &zero, sizeof zero);
    EXPECT_FALSE(run(words, 32, entries)) << "a matrix without rows";
}

// A store by some lanes splits the block that samples before and behind it.
TEST(RewriteBlocks, HaveTheSampledImagesThatTheyUse) {
    std::string text = test::multiplyModule(16, 16, 16);
    const auto insert = [&](std::string_view before, std::string_view more) {
        text.insert(text.find(before), more);
    };
    const std::string_view interface = "%in %out\nOpExecutionMode";
    text.replace(text.find(interface), 8, "%in %out %texture %sampler");
    insert("OpDecorate %rows SpecId",
           "OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 2\n"
           "OpDecorate %sampler DescriptorSet 0\nOpDecorate %sampler Binding 3\n");
    insert("%main = OpFunction", R"(%Image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%Sampler = OpTypeSampler
%Both = OpTypeSampledImage %Image
%pImage = OpTypePointer UniformConstant %Image
%pSampler = OpTypePointer UniformConstant %Sampler
%texture = OpVariable %pImage UniformConstant
%sampler = OpVariable %pSampler UniformConstant
%f32x2 = OpTypeVector %f32 2
%f32x4 = OpTypeVector %f32 4
%f0 = OpConstant %f32 0
%at = OpConstantComposite %f32x2 %f0 %f0
)");
    insert("%pc = OpAccessChain", R"(%image = OpLoad %Image %texture
%how = OpLoad %Sampler %sampler
%both = OpSampledImage %Both %image %how
%first = OpImageSampleExplicitLod %f32x4 %both %at Lod %f0
OpCooperativeMatrixStoreKHR %pa %a %c0 %depth
%second = OpImageSampleExplicitLod %f32x4 %both %at Lod %f0
%third = OpImageSampleExplicitLod %f32x4 %both %at Lod %f0
)");
    const std::vector<uint32_t> words = test::assemble(text);
    ASSERT_EQ(validate(words), std::nullopt);
    const Result<Rewritten> out = run(words, 32);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
}

TEST(RewriteBarriers, OfSubgroupsGoWhereLanesAreInStep) {
    std::string text = test::multiplyModule(16, 16, 16);
    text.replace(text.find("OpReturn"), 0,
                 "OpControlBarrier %c3 %c3 %c264\nOpControlBarrier %c3 %c3 %c0\n"
                 "OpControlBarrier %c2 %c2 %c264\n");
    text.replace(text.find("%halves = "), 0, "%c264 = OpConstant %u32 264\n");
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    Target target;
    const auto count = [&](std::string_view opcode) {
        const Result<Rewritten> out = rewrite(request, target);
        if (!out) return out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        const std::string after = disassemble(out->words);
        size_t found = 0;
        for (size_t at = 0; (at = after.find(opcode, at)) != std::string::npos; ++at) ++found;
        return std::to_string(found);
    };
    EXPECT_EQ(count("OpControlBarrier"), "3");
    target.device.lanesInStep = true;
    EXPECT_EQ(count("OpControlBarrier"), "1");
    EXPECT_EQ(count("OpMemoryBarrier"), "1");
}

// Only shapes that consist of tiles of the driver's own matrices.
TEST(Shapes, OfTheNativeBackEndAreCarried) {
    using enum ComponentType;
    DeviceTraits device;
    device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                           {16, 8, 32, kSint8, kSint8, kSint32, kSint32, true}};
    const size_t all = matrixShapes(device).size();
    device.onlyNativeShapes = true;
    for (const auto& shapes : {matrixShapes(device), nvMatrixShapes(device)}) {
        EXPECT_FALSE(shapes.empty());
        EXPECT_LT(shapes.size(), all);
        for (const MatrixShape& shape : shapes) {
            const bool halves = shape.a == kFloat16 && shape.c == kFloat32 && shape.m % 16 == 0 &&
                                shape.n % 16 == 0 && shape.k % 16 == 0;
            // Sums that saturate are one product deep.
            const bool bytes = shape.a == kSint8 && shape.b == kSint8 && shape.saturating &&
                               shape.m % 16 == 0 && shape.n % 8 == 0 && shape.k == 32;
            EXPECT_TRUE(halves || bytes) << shape.m << "x" << shape.n << "x" << shape.k;
        }
    }
    EXPECT_FALSE(int4MatrixShapes(device).empty());
}

// Some applications take the first row of a type: it is an interface.
TEST(Shapes, FirstOnesStay) {
    using enum ComponentType;
    struct First {
        uint32_t lanes;
        MatrixShape shape;
    };
    constexpr First kFirst[] = {{4, {8, 8, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}},
                                {8, {8, 8, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}},
                                {16, {16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}},
                                {32, {16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}},
                                {8, {8, 8, 32, kSint8, kSint8, kSint32, kSint32, false}},
                                {32, {16, 16, 32, kSint8, kSint8, kSint32, kSint32, false}}};
    for (const First& first : kFirst) {
        DeviceTraits device;
        device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = first.lanes;
        const std::vector<MatrixShape> shapes = matrixShapes(device);
        const auto found = std::ranges::find_if(
            shapes, [&](const MatrixShape& shape) { return shape.a == first.shape.a; });
        ASSERT_NE(found, shapes.end());
        EXPECT_EQ(*found, first.shape) << first.lanes << " lanes: " << found->m << "x" << found->n;
    }
}

// The conformance suite stores the length of a matrix in its components, also that of B.
TEST(Shapes, OfNvHaveLengthsThatAnS8Holds) {
    using enum ComponentType;
    for (const uint32_t lanes : {4u, 8u, 16u, 32u}) {
        DeviceTraits device;
        device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = lanes;
        for (const MatrixShape& shape : nvMatrixShapes(device)) {
            const uint32_t ofA = shape.a == kSint8 ? shape.m * shape.k / lanes : 0;
            const uint32_t ofB = shape.b == kSint8 ? shape.k * shape.n / lanes : 0;
            EXPECT_LE(std::max(ofA, ofB), 127u) << shape.m << "x" << shape.n << "x" << shape.k;
        }
    }
}

// ONNX Runtime's and Dawn's kernels for Intel need these, also on CPUs.
TEST(Shapes, HaveThoseOfIntelsDrivers) {
    using enum ComponentType;
    for (const bool isCpu : {false, true}) {
        DeviceTraits device;
        device.isCpu = isCpu;
        const std::vector<MatrixShape> shapes = matrixShapes(device);
        for (const MatrixShape& wanted :
             {MatrixShape{8, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
              MatrixShape{8, 16, 16, kFloat16, kFloat16, kFloat16, kFloat16, false},
              MatrixShape{8, 16, 32, kSint8, kSint8, kSint32, kSint32, false}})
            EXPECT_NE(std::ranges::find(shapes, wanted), shapes.end()) << wanted.k;
    }
}

TEST(Shapes, OfCpusAreFewButCoverWhatIsUsed) {
    DeviceTraits device;
    const std::vector<MatrixShape> all = matrixShapes(device);
    device.isCpu = true;
    const std::vector<MatrixShape> few = matrixShapes(device);
    EXPECT_LT(few.size() * 2, all.size());
    for (const auto& [m, n, k] : {std::tuple{8u, 8u, 8u},
                                  {8u, 8u, 16u},
                                  {8u, 8u, 32u},
                                  {16u, 8u, 8u},
                                  {16u, 8u, 16u},
                                  {16u, 8u, 32u},
                                  {16u, 16u, 8u},
                                  {16u, 16u, 16u},
                                  {16u, 16u, 32u}}) {
        for (const auto& [a, c] : {std::pair{ComponentType::kFloat16, ComponentType::kFloat32},
                                   {ComponentType::kFloat16, ComponentType::kFloat16},
                                   {ComponentType::kSint8, ComponentType::kSint32}}) {
            EXPECT_NE(std::ranges::find(few, MatrixShape{m, n, k, a, a, c, c, false}), few.end());
        }
    }
    for (const MatrixShape& shape : all) {  // every combination of types
        EXPECT_TRUE(std::ranges::any_of(few, [&](const MatrixShape& other) {
            return shape.a == other.a && shape.b == other.b && shape.c == other.c &&
                   shape.saturating == other.saturating;
        }));
    }
}

}  // namespace
}  // namespace coopvk::rewrite::rewrite_test
