// SPDX-License-Identifier: Apache-2.0
//
// How much code products of vectors have, and what it declares. tests/driver and tests/programs
// have what it computes.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::vector_code_test {
namespace {

using test::layerModule;

Target targetWith(bool votes) {
    Target target;
    target.subgroupSize = 32;
    target.device.subgroupVote = target.device.subgroupBallot = votes;
    target.device.maxComputeSharedMemorySize = 49152;
    return target;
}

struct Output {
    std::string_view path;
    std::string text;
    size_t count(std::string_view what) const { return test::occurrences(text, what); }
};

Output outputFor(const std::string& source, const Target& target) {
    const auto words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    const Result<Rewritten> out = rewrite({.words = words}, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return {out->paths.front(), disassemble(out->words)};
}

// Tiles of 64 rows, and parts of the input, are loops wherever there are several.
TEST(VectorCode, TilesAndPartsAreLoops) {
    const auto barriers = [](uint32_t m, uint32_t k) {
        const Output out = outputFor(layerModule(m, k, 0, false), targetWith(true));
        EXPECT_EQ(out.path, "vectors: tiles");
        return out.count("OpControlBarrier");
    };
    const size_t ofOne = barriers(64, 64);
    EXPECT_GT(ofOne, 0u);
    for (const auto& [m, k] :
         {std::pair(128u, 64u), {192u, 64u}, {64u, 128u}, {64u, 192u}, {128u, 128u}})
        EXPECT_EQ(barriers(m, k), ofOne) << m << 'x' << k;
}

// Lines of optimal layouts end with padding. An invocation alone adds the products with it only if
// tiles do so, too.
TEST(VectorCode, InvocationsAloneAddNoPadding) {
    constexpr uint32_t kInferencing = 2;
    const auto products = [](uint32_t k) {
        const Output out = outputFor(layerModule(8, k, kInferencing, false), targetWith(false));
        EXPECT_EQ(out.path, "vectors: alone");
        size_t count = 0;
        for (const char* product : {"Fma ", "OpFMul ", "OpDot ", "OpFAdd "})
            count += out.count(product);
        return count;
    };
    EXPECT_LT(products(1), products(8));
    EXPECT_LT(products(3), products(8));
}

// Packed bytes, in a module that declares none of its own.
TEST(VectorCode, DriverMatricesOfBytesDeclareThem) {
    using enum ComponentType;
    Target target = targetWith(true);
    target.emulated = {Extension::kNvCooperativeVector};
    target.device.shaderIntegerDotProduct = target.device.dot4x8Signed = true;
    target.device.nativeShapes = {{16, 16, 32, kSint8, kSint8, kSint32, kSint32, false}};
    const std::string source = test::edited(
        test::withoutBias(layerModule(64, 64, 0, false)),
        {{"OpDecorate %sum NoContraction\n", ""},
         {"%in = OpTypeCooperativeVectorNV %half %k",
          "%int = OpTypeInt 32 1\n%packed = OpConstant %uint 1000491000\n"
          "%bytes = OpConstant %uint 3\n%words = OpConstant %uint 16\n"
          "%in = OpTypeCooperativeVectorNV %uint %words"},
         {"%out = OpTypeCooperativeVectorNV %half", "%out = OpTypeCooperativeVectorNV %int"},
         {"%out %x %zero %at %zero %zero", "%out %x %packed %at %zero %bytes"},
         {"%false %stride",
          "%false %stride MatrixBSignedComponentsKHR|MatrixResultSignedComponentsKHR"},
         {"OpFAdd", "OpIAdd"},
         {"FMax", "SMax"}});
    const Output out = outputFor(source, target);
    EXPECT_EQ(out.path, "vectors: the driver's matrices");
    EXPECT_EQ(out.count("OpCapability Int8"), 1u);
}

}  // namespace
}  // namespace coopvk::rewrite::vector_code_test
