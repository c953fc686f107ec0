// SPDX-License-Identifier: Apache-2.0
//
// Matrices that are loaded through tensor layouts from arrays of other elements than their
// components, in buffers and in shared memory: executed on the reference device. A tensor's
// elements are components, one behind the other, whatever the array's elements are.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <random>
#include <span>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::tensor_memory_test {
namespace {

constexpr uint32_t kWords = 512, kColumns = 16;
constexpr uint32_t kNoNan = 0x3F3F3F3F;  // as bits of any float

struct Clamp {
    std::string_view name;
    uint32_t mode;
};
constexpr Clamp kClamps[] = {{"undefined", 0}, {"constant", 1}, {"edge", 2}, {"repeat", 3}};

struct Element {
    std::string_view name;
    uint32_t bits;
};
constexpr Element kComponents[] = {{"s8", 8},   {"u8", 8},   {"f16", 16}, {"s16", 16},
                                   {"f32", 32}, {"u32", 32}, {"s32", 32}};
constexpr Element kElements[] = {{"u8", 8},     {"u16", 16},    {"u32", 32},  {"u64", 64},
                                 {"v2u32", 64}, {"v4u32", 128}, {"v2u16", 32}};

struct Case {
    Element component, element;
    Clamp clamp;
    bool isShared;
    uint32_t rows, height, width, lanes;
    int row, column;   // where the slice begins
    uint32_t outside;  // the low bits of an element outside, where there is none else
};

Case caseOf(std::mt19937& random) {
    const auto oneOf = [&](size_t count) { return static_cast<uint32_t>(random() % count); };
    Case c{};
    c.component = kComponents[oneOf(std::size(kComponents))];
    c.element = kElements[oneOf(std::size(kElements))];
    c.clamp = kClamps[oneOf(std::size(kClamps))];
    c.isShared = oneOf(2) == 0;
    c.rows = 8u << oneOf(2);
    c.height = 20 - oneOf(5);
    c.width = 20 - oneOf(5);
    c.lanes = 4u << oneOf(5);
    c.row = static_cast<int>(oneOf(9)) - 4;
    c.column = static_cast<int>(oneOf(9)) - 4;
    if (oneOf(2) == 0) {  // runs of components that are all inside, or all outside
        c.width = 16 + 8 * oneOf(2);
        c.column = 8 * static_cast<int>(oneOf(3)) - 8;
    }
    c.outside = static_cast<uint32_t>(random()) & kNoNan;
    if (c.clamp.mode == 0) {
        c.height = c.width = 20;
        c.row = static_cast<int>(oneOf(5));
        c.column = static_cast<int>(oneOf(5));
    }
    return c;
}

// Element %e of the array, from the words of %in.
std::string elementOf(const Case& c) {
    const uint32_t bits = c.element.bits, words = (bits + 31) / 32;
    std::string text, parts;
    for (uint32_t w = 0; w < words; ++w) {
        text += bits < 32 ? std::format("%at = OpUDiv %u32 %e %u_{}\n", 32 / bits)
                          : std::format(
                                "%first_{0} = OpIMul %u32 %e %u_{1}\n"
                                "%at{2} = OpIAdd %u32 %first_{0} %u_{0}\n",
                                w, words, w == 0 ? "" : std::to_string(w));
        const std::string name = std::format("%w{}", w);
        text += reference::test::loadWord(name, w == 0 ? "%at" : std::format("%at{}", w));
        parts += " " + name;
    }
    if (bits < 32) {
        return text + std::format(
                          "%part = OpUMod %u32 %e %u_{}\n%shift = OpIMul %u32 %part %u_{}\n"
                          "%low = OpShiftRightLogical %u32 %w0 %shift\n"
                          "%value = OpUConvert %{} %low\n",
                          32 / bits, bits, c.element.name);
    }
    if (words == 1) return text + std::format("%value = OpBitcast %{} %w0\n", c.element.name);
    if (c.element.name != "u64")
        return text + std::format("%value = OpCompositeConstruct %{}{}\n", c.element.name, parts);
    return text + "%both = OpCompositeConstruct %v2u32" + parts +
           "\n%value = OpBitcast %u64 %both\n";
}

std::string fillOf(const Case& c) {
    const std::string_view copy = c.element.name == "u32" ? "%w0" : "%value";
    std::string element = elementOf(c);
    if (c.element.name == "u32") element.erase(element.find("%value"));
    return "OpBranch %head\n%head = OpLabel\n%e = OpPhi %u32 %i %start %next_e %next\n"
           "OpLoopMerge %end %next None\nOpBranch %test\n%test = OpLabel\n"
           "%more = OpULessThan %bool %e %elements\nOpBranchConditional %more %fill %end\n"
           "%fill = OpLabel\n" +
           element +
           std::format(
               "%held_at = OpAccessChain %p_element %held %e\n"
               "OpStore %held_at {} NonPrivatePointer\n",
               copy) +
           "OpBranch %next\n%next = OpLabel\n%next_e = OpIAdd %u32 %e %lanes\nOpBranch %head\n"
           "%end = OpLabel\nOpControlBarrier %u_2 %u_2 %semantics\n";
}

void declareTypes(const Case& c, reference::test::ShaderText& text) {
    const std::string_view storage = c.isShared ? "Workgroup" : "StorageBuffer";
    text.declarations += std::format(
        "%M = OpTypeCooperativeMatrixKHR %{} %u_3 %rows %u_16 %u_2\n%none = OpConstantNull %M\n"
        "%From = OpTypeTensorLayoutNV %u_2 %u_{}\n%To = OpTypeTensorLayoutNV %u_2 %u_0\n"
        "%list = OpTypeArray %{} %elements\n%p_element = OpTypePointer {} %{}\n",
        c.component.name, c.clamp.mode, c.element.name, storage, c.element.name);
    if (c.isShared) {
        text.declarations +=
            "%p_list = OpTypePointer Workgroup %list\n"
            "%held = OpVariable %p_list Workgroup\n";
    } else {
        text.annotations += std::format(
            "OpDecorate %list ArrayStride {}\nOpDecorate %lists Block\n"
            "OpMemberDecorate %lists 0 Offset 0\nOpDecorate %held DescriptorSet 0\n"
            "OpDecorate %held Binding 0\nOpDecorate %held NonWritable\n",
            c.element.bits / 8);
        text.declarations +=
            "%lists = OpTypeStruct %list\n"
            "%p_lists = OpTypePointer StorageBuffer %lists\n"
            "%held = OpVariable %p_lists StorageBuffer\n";
    }
}

std::string moduleOf(const Case& c) {
    reference::test::ShaderText text;
    text.localSize = c.lanes;
    text.memoryModel = "Logical Vulkan";
    text.capabilities =
        "OpCapability VulkanMemoryModel\nOpCapability StorageBuffer8BitAccess\n"
        "OpCapability StorageBuffer16BitAccess\nOpCapability CooperativeMatrixKHR\n"
        "OpCapability TensorAddressingNV\nOpCapability CooperativeMatrixTensorAddressingNV\n"
        "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpExtension \"SPV_NV_tensor_addressing\"\n"
        "OpExtension \"SPV_NV_cooperative_matrix2\"\n";
    const auto constant = [&](std::string_view name, auto value) {
        text.declarations += std::format("%{} = OpConstant %u32 {}\n", name, value);
    };
    constant("elements", kWords * 32 / c.element.bits);
    constant("rows", c.rows);
    constant("height", c.height);
    constant("width", c.width);
    constant("lanes", c.lanes);
    constant("row", static_cast<uint32_t>(c.row));
    constant("column", static_cast<uint32_t>(c.column));
    constant("outside", c.outside);
    constant("semantics", 0x6108);  // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
    declareTypes(c, text);
    text.body = std::format(
        "{}%from_at = OpAccessChain %p_element %held {}%u_0\n"
        "%to_at = OpAccessChain %p_word %out %u_0 %u_0\n%f0 = OpCreateTensorLayoutNV %From\n"
        "%f1 = OpTensorLayoutSetDimensionNV %From %f0 %height %width\n"
        "%fv = OpTensorLayoutSetClampValueNV %From %f1 %outside\n"
        "%f2 = OpTensorLayoutSliceNV %From %fv %row %rows %column %u_16\n"
        "%t0 = OpCreateTensorLayoutNV %To\n"
        "%t1 = OpTensorLayoutSetDimensionNV %To %t0 %rows %u_16\n"
        "%t2 = OpTensorLayoutSliceNV %To %t1 %u_0 %rows %u_0 %u_16\n"
        "%m = OpCooperativeMatrixLoadTensorNV %M %from_at %none %f2 NonPrivatePointer None\n"
        "OpCooperativeMatrixStoreTensorNV %to_at %m %t2 NonPrivatePointer None\n",
        c.isShared ? fillOf(c) : "", c.isShared ? "" : "%u_0 ");
    return shader(text);
}

// The coordinate of an element in memory; -1: there is none.
int clamped(const Clamp& clamp, int at, int size) {
    if (clamp.name == "edge") return std::clamp(at, 0, size - 1);
    if (clamp.name == "repeat") return (at % size + size) % size;
    return at >= 0 && at < size ? at : -1;
}

std::vector<uint32_t> expectedOf(const Case& c, std::span<const uint32_t> words) {
    const auto* from = reinterpret_cast<const uint8_t*>(words.data());
    const auto* outside = reinterpret_cast<const uint8_t*>(&c.outside);
    const uint32_t bytes = c.component.bits / 8;
    std::vector<uint32_t> expected(c.rows * kColumns * bytes / 4, 0);
    auto* to = reinterpret_cast<uint8_t*>(expected.data());
    for (uint32_t r = 0; r < c.rows; ++r) {
        for (uint32_t k = 0; k < kColumns; ++k, to += bytes) {
            const int row =
                clamped(c.clamp, c.row + static_cast<int>(r), static_cast<int>(c.height));
            const int column =
                clamped(c.clamp, c.column + static_cast<int>(k), static_cast<int>(c.width));
            const auto element =
                static_cast<uint32_t>(row) * c.width + static_cast<uint32_t>(column);
            const bool isInside = row >= 0 && column >= 0;
            std::copy_n(isInside ? from + size_t{element} * bytes : outside, bytes, to);
        }
    }
    return expected;
}

class TensorMemory : public testing::TestWithParam<uint32_t> {};

TEST_P(TensorMemory, HoldsComponents) {
    std::mt19937 random(GetParam());
    const Case c = caseOf(random);
    const std::string name =
        std::format("{} in {} {}, {} rows at {} {} of {} x {}, {}, {} lanes", c.component.name,
                    c.isShared ? "shared" : "buffer", c.element.name, c.rows, c.row, c.column,
                    c.height, c.width, c.clamp.name, c.lanes);
    reference::test::Execution execution;
    execution.lanes = c.lanes;
    for (uint32_t w = 0; w < kWords; ++w)
        execution.buffers[0].push_back(static_cast<uint32_t>(random()) & kNoNan);
    const std::vector<uint32_t> expected = expectedOf(c, execution.buffers[0]);
    execution.buffers[1].assign(expected.size(), 0xDEADBEEF);
    rewrite::Target target;
    target.subgroupSize = c.lanes;
    target.backEnd = rewrite::BackEnd::kCore;
    target.device.shaderInt64 = true;
    target.device.isCpu = random() % 4 == 0;
    target.device.scalarRegisters = random() % 2 == 0;
    const auto words = reference::test::assemble(moduleOf(c));
    const auto rewritten = rewrite::rewrite({.words = words}, target);
    ASSERT_TRUE(rewritten) << name << rewritten.error().message;
    execute(execution, rewritten->words);
    EXPECT_EQ(execution.error, "") << name;
    EXPECT_TRUE(execution.reports.empty()) << name << describe(execution.reports.front());
    EXPECT_EQ(execution.buffers.at(1), expected) << name;
}

INSTANTIATE_TEST_SUITE_P(Random, TensorMemory, testing::Range(0u, 128u));

}  // namespace
}  // namespace coopvk::judge::tensor_memory_test
