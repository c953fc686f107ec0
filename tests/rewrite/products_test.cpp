// SPDX-License-Identifier: Apache-2.0
//
// The instructions of a product, depending on what a device reports. tests/driver tests the
// results.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::products_test {
namespace {

constexpr uint32_t kLanes = 32, kSize = 16;
constexpr uint32_t kProducts = kSize * kSize * kSize / kLanes;  // of a lane

struct Code {
    std::string text;
    std::vector<std::string> notes;
    size_t count(const std::string& opcode) const { return countText(opcode + " "); }
    size_t countText(const std::string& part) const {
        size_t number = 0;
        for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
            ++number;
        }
        return number;
    }
    bool hasNote(const std::string& part) const {
        return std::ranges::any_of(
            notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
    }
};

Code rewritten(const std::string& module, const DeviceTraits& device) {
    const std::vector<uint32_t> words = test::assemble(module);
    Request request;
    request.words = words;
    Target target;
    target.device = device;
    target.subgroupSize = kLanes;
    const Result<Rewritten> out = rewrite(request, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return {disassemble(out->words), out->notes};
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

// The same product of unsigned bytes into 32-bit integers.
std::string byteModule() {
    std::string text = test::multiplyModule(kSize, kSize, kSize);
    replace(text, "OpCapability Float16", "OpCapability Int8");
    replace(text, "OpCapability StorageBuffer16BitAccess", "OpCapability StorageBuffer8BitAccess");
    replace(text, "%halves ArrayStride 2", "%halves ArrayStride 1");
    replace(text, "OpTypeFloat 16", "OpTypeInt 8 0");
    replace(text, "%f32 = OpTypeFloat 32", "%f32 = OpTypeInt 32 1");
    return text;
}

TEST(Products, OfBytesByAcceleratedDots) {
    struct Row {
        bool isSigned, isUnsigned, mixed;
        const char* opcode;
    };
    for (const Row& row : {Row{true, true, true, "OpUDot"}, Row{true, false, false, "OpSDot"},
                           Row{false, true, true, "OpUDot"}, Row{false, false, true, "OpSUDot"}}) {
        DeviceTraits device;
        device.shaderIntegerDotProduct = true;
        device.dot4x8Signed = row.isSigned;
        device.dot4x8Unsigned = row.isUnsigned;
        device.dot4x8Mixed = row.mixed;
        const Code code = rewritten(byteModule(), device);
        EXPECT_GE(code.count(row.opcode), kProducts / 4) << row.opcode;
        for (const std::string other : {"OpUDot", "OpSDot", "OpSUDot"}) {
            EXPECT_EQ(code.count(other) == 0, other != row.opcode) << other;
        }
    }
}

// If a device accelerates none and has few lanes, it multiplies floats.
TEST(Products, OfBytesWithoutAcceleration) {
    DeviceTraits device;
    device.shaderIntegerDotProduct = true;
    device.maxSubgroupSize = 64;
    EXPECT_EQ(rewritten(byteModule(), device).count("OpUDot"), kProducts / 4);
    device.maxSubgroupSize = 32;
    const Code floats = rewritten(byteModule(), device);
    EXPECT_EQ(floats.count("OpUDot"), 0u);
    EXPECT_EQ(floats.count("Fma") + floats.count("OpFMul"), kProducts);
    device.isCpu = true;
    EXPECT_GE(rewritten(byteModule(), device).count("OpIMul"), kProducts);
}

// Pairs along K, a column in each lane.
TEST(Products, OfHalvesByMixedDots) {
    DeviceTraits device;
    const std::string module = test::multiplyModule(kSize, kSize, kSize);
    const Code without = rewritten(module, device);
    EXPECT_EQ(without.count("OpFDot2MixAcc32VALVE"), 0u);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    const Code with = rewritten(module, device);
    EXPECT_EQ(with.count("OpFDot2MixAcc32VALVE"), kProducts / 2);
    EXPECT_NE(with.text.find("OpExtension \"SPV_VALVE_mixed_float_dot_product\""),
              std::string::npos);
    EXPECT_TRUE(with.hasNote("lane grid 2x16"));
}

// A loop that adds products of columns of B to an f16 accumulator, `more` with an instruction or
// two behind it.
std::string loopOfHalves(std::string_view more = "") {
    std::string text = test::multiplyModule(kSize, kSize, kSize);
    replace(text, "%C = OpTypeCooperativeMatrixKHR %f32", "%C = OpTypeCooperativeMatrixKHR %f16");
    replace(text, "%main = OpFunction",
            "%bool = OpTypeBool\n%limit = OpConstant %f32 1\n"
            "%pointer = OpTypePointer Function %C\n"
            "%component = OpTypePointer Function %f16\n"
            "%main = OpFunction");
    replace(text, "%label = OpLabel\n", "%label = OpLabel\n%kept = OpVariable %pointer Function\n");
    replace(text, "%b = OpCooperativeMatrixLoadKHR %B %pa %c0",
            "%b = OpCooperativeMatrixLoadKHR %B %pa %c1");
    replace(text, "%product = OpCooperativeMatrixMulAddKHR %C %a %b %zero",
            "OpBranch %header\n%header = OpLabel\n"
            "%sum = OpPhi %C %zero %label %product %again\nOpLoopMerge %end %again None\n"
            "OpBranch %again\n%again = OpLabel\n"
            "%product = OpCooperativeMatrixMulAddKHR %C %a %b %sum\n"
            "%at = OpAccessChain %floatPointer %out %c0 %c0\n%seen = OpLoad %f32 %at\n"
            "%yes = OpFOrdLessThan %bool %seen %limit\n"
            "OpBranchConditional %yes %header %end\n%end = OpLabel\n" +
                std::string(more));
    replace(text, "%pc = OpAccessChain %floatPointer %out", "%pc = OpAccessChain %halfPointer %in");
    return text;
}

constexpr uint32_t kPairs = kSize * kSize / kLanes / 2;  // of the accumulator, in a lane

// Pairs' halves are added once, for the store.
TEST(Products, OfHalvesStayOpenInLoops) {
    DeviceTraits device;
    const Code open = rewritten(loopOfHalves(), device);
    EXPECT_EQ(open.count("Fma"), kProducts / 2);
    EXPECT_EQ(open.count("OpFAdd"), kPairs);
    device.shaderMixedFloatDotProductFloat16AccFloat32 = true;
    const Code singles = rewritten(loopOfHalves(), device);
    EXPECT_EQ(singles.count("OpFDot2MixAcc32VALVE"), kProducts / 2);
    EXPECT_EQ(singles.count("OpFAdd"), 0u);
}

// On CPUs sums are f32 in loops, since each rounding to f16 takes an instruction.
TEST(Products, OfHalvesAreSinglesInLoopsOnCpus) {
    DeviceTraits device;
    device.isCpu = true;
    const std::string escape =
        "%place = OpAccessChain %component %kept %c0\n"
        "%same = OpCopyObject %component %place\n";
    const Code open = rewritten(loopOfHalves(), device);
    const Code closed = rewritten(loopOfHalves(escape), device);
    EXPECT_EQ(open.count("Fma"), kProducts);
    EXPECT_EQ(closed.count("Fma"), kProducts);
    EXPECT_EQ(open.count("OpFAdd"), 1u);  // of the function that rounds to f16
    // The closed sums become f32 ahead of the product, too.
    EXPECT_LT(open.count("OpFConvert"), closed.count("OpFConvert"));
}

// NVIDIA's compiler may otherwise add in another order, which takes more instructions.
TEST(Products, MultiplyAddsKeepTheirOrderOnGpusWithManyRegisters) {
    const std::string module = test::multiplyModule(kSize, kSize, kSize);
    DeviceTraits device;
    EXPECT_EQ(rewritten(module, device).countText("; NoContraction"), 0u);
    device.maxSubgroupSize = kLanes;
    device.dot4x8Unsigned = true;
    const Code code = rewritten(module, device);
    EXPECT_GT(code.count("Fma"), 0u);
    EXPECT_EQ(code.countText("; NoContraction"), code.count("Fma"));
    device.scalarRegisters = true;
    EXPECT_EQ(rewritten(module, device).countText("; NoContraction"), 0u);
}

// A product of f16 matrices of a workgroup.
std::string workgroupModule(std::string_view capability) {
    std::string text = test::multiplyModule(kSize, kSize, kSize);
    for (int matrix = 0; matrix < 3; ++matrix) replace(text, " %c3 %", " %c2 %");
    replace(text, "%C = OpTypeCooperativeMatrixKHR %f32", "%C = OpTypeCooperativeMatrixKHR %f16");
    replace(text, "%pc = OpAccessChain %floatPointer %out", "%pc = OpAccessChain %halfPointer %in");
    replace(text, "LocalSize 32", "LocalSize 64");
    replace(text, "OpExtension",
            std::string(capability) + "OpExtension \"SPV_NV_cooperative_matrix2\"\nOpExtension");
    return text;
}

// Open sums close behind the product, by additions.
TEST(Products, OfWorkgroupsHaveOpenSumsWhereRegistersAllowThem) {
    constexpr uint32_t kHeld = 4 * 4;  // a block of the result, in a lane
    const std::string module = workgroupModule("");
    DeviceTraits device;
    device.minSubgroupSize = device.maxSubgroupSize = kLanes;
    EXPECT_EQ(rewritten(module, device).count("OpFAdd"), 0u);
    device.dot4x8Unsigned = true;
    EXPECT_EQ(rewritten(module, device).count("OpFAdd"), kHeld / 2);
    const std::string decodes = workgroupModule("OpCapability CooperativeMatrixBlockLoadsNV\n");
    EXPECT_EQ(rewritten(decodes, device).count("OpFAdd"), 0u);
    device.minSubgroupSize = kLanes / 4;
    EXPECT_EQ(rewritten(module, device).count("OpFAdd"), 0u);
}

// All accesses have constant indices.
TEST(Products, OfWorkgroupsHaveSumsAsValues) {
    DeviceTraits device;
    for (const bool isOpen : {false, true}) {
        device.dot4x8Unsigned = isOpen;
        EXPECT_EQ(rewritten(workgroupModule(""), device).countText(" = OpVariable %_ptr_Function"),
                  0u);
    }
}

// Else RADV unrolls the iterations: half of its time.
TEST(Products, OfWorkgroupsStayLoopsOnGpusWithScalarRegisters) {
    DeviceTraits device;
    const std::string module = workgroupModule("");
    EXPECT_EQ(rewritten(module, device).countText("DontUnroll"), 0u);
    device.scalarRegisters = true;
    EXPECT_EQ(rewritten(module, device).countText("DontUnroll"), 1u);
}

// If a pointer to a component does more than load and store, each product adds its partial sums.
TEST(Products, OfHalvesCloseWherePointersEscape) {
    const std::string load =
        "%place = OpAccessChain %component %kept %c0\n"
        "%one = OpLoad %f16 %place\nOpStore %place %one\n"
        "%elsewhere = OpAccessChain %halfPointer %in %c0 %c1\nOpStore %elsewhere %one\n";
    EXPECT_EQ(rewritten(loopOfHalves(load), {}).count("OpFAdd"), kPairs + 1);
    const std::string copy =
        "%place = OpAccessChain %component %kept %c0\n"
        "%same = OpCopyObject %component %place\n";
    EXPECT_EQ(rewritten(loopOfHalves(copy), {}).count("OpFAdd"), 2 * kPairs);
}

// They close once, behind the loop, and not for each row.
TEST(Products, OfHalvesStayOpenInLoopsOverRows) {
    std::string text = loopOfHalves();
    replace(text, "%depth = OpConstant %u32 16", "%depth = OpConstant %u32 1024");
    EXPECT_EQ(rewritten(text, {}).count("OpFAdd"), kPairs);
}

// Eight of these accumulators have 64 sums in a lane, 32 have 256.
TEST(Products, OfHalvesCloseWhereRegistersAreFew) {
    const auto adds = [](const std::string& accumulators, bool scalarRegisters) {
        std::string text = loopOfHalves();
        replace(text, "%depth = OpC",
                "%count = OpConstant %u32 " + accumulators + "\n%depth = OpC");
        replace(text, "%main = OpF",
                "%all = OpTypeArray %C %count\n"
                "%allPointer = OpTypePointer Function %all\n%main = OpF");
        replace(text, "%kept = ", "%sums = OpVariable %allPointer Function\n%kept = ");
        replace(text, "OpReturn\n", "%read = OpLoad %all %sums\nOpReturn\n");
        DeviceTraits device;
        device.scalarRegisters = scalarRegisters;
        return rewritten(text, device).count("OpFAdd");
    };
    EXPECT_EQ(adds("8", true), kPairs);
    EXPECT_EQ(adds("8", false), 2 * kPairs);
    EXPECT_EQ(adds("32", true), 2 * kPairs);
}

// C has fewer bits than the result, to which a sum that saturates adds it last.
TEST(Products, OfWorkgroupsExtendC) {
    DeviceTraits device;
    device.shaderInt16 = true;
    for (const std::string_view saturates : {"", "|SaturatingAccumulationKHR"}) {
        for (const bool isSigned : {true, false}) {
            std::string text = byteModule();
            replace(text, "OpCapability Int8",
                    "OpCapability Int8\nOpCapability Int16\n"
                    "OpCapability CooperativeMatrixConversionsNV");
            replace(text, "OpExtension", "OpExtension \"SPV_NV_cooperative_matrix2\"\nOpExtension");
            for (const std::string_view type : {"%A", "%B", "%C"}) {
                const std::string before = std::format("{} = OpTypeCooperativeMatrixKHR %f", type);
                text.replace(text.find("%c3", text.find(before)), 3, "%c2");
            }
            replace(text, "%zero = OpConstantNull %C",
                    "%s16 = OpTypeInt 16 1\n"
                    "%N = OpTypeCooperativeMatrixKHR %s16 %c2 %rows %columns %c2\n"
                    "%minus = OpConstant %s16 -1\n%zero = OpConstantComposite %N %minus");
            replace(text, "%a %b %zero",
                    std::format("%a %b %zero MatrixResultSignedComponentsKHR{}{}",
                                isSigned ? "|MatrixCSignedComponentsKHR" : "", saturates));
            const Code code = rewritten(text, device);
            // A lane has C in pairs: one conversion for each component.
            EXPECT_GE(code.count(isSigned ? "OpSConvert" : "OpUConvert"), kSize * kSize / kLanes);
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::products_test
