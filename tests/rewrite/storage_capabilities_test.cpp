// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_bfloat16 and SPV_EXT_float8 allow their types in memory; the integers that replace them
// need the capability of each storage class in which the module has them.
#include <gtest/gtest.h>

#include <format>
#include <string>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::storage_capabilities_test {
namespace {

struct Class {
    std::string_view name, decoration;
    std::string_view capability16, capability8;  // of integers in it; empty: none
};
constexpr Class kClasses[] = {
    {"StorageBuffer", "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0\n",
     "StorageBuffer16BitAccess", "StorageBuffer8BitAccess"},
    {"Uniform", "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0\n",
     "UniformAndStorageBuffer16BitAccess", "UniformAndStorageBuffer8BitAccess"},
    {"PushConstant", "", "StoragePushConstant16", "StoragePushConstant8"},
};
struct Format {
    std::string_view name, declarations, type;
    uint32_t bits;
};
constexpr Format kFormats[] = {
    {"bfloat16", "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n",
     "OpTypeFloat 16 BFloat16KHR", 16},
    {"e4m3", "OpCapability Float8EXT\nOpExtension \"SPV_EXT_float8\"\n",
     "OpTypeFloat 8 Float8E4M3EXT", 8},
    {"e5m2", "OpCapability Float8EXT\nOpExtension \"SPV_EXT_float8\"\n",
     "OpTypeFloat 8 Float8E5M2EXT", 8},
};

// Loads a number, or a vector of them, of a block in a storage class.
std::string module(const Class& storage, const Format& format, bool isVector) {
    return std::format(R"(
OpCapability Shader
{}OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
{}%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%n = {}
%pair = OpTypeVector %n 2
%c0 = OpConstant %u32 0
%block = OpTypeStruct %{}
%p_block = OpTypePointer {} %block
%p = OpTypePointer {} %{}
%v = OpVariable %p_block {}
%main = OpFunction %void None %f
%label = OpLabel
%at = OpAccessChain %p %v %c0
%x = OpLoad %{} %at
OpReturn
OpFunctionEnd
)",
                       format.declarations, storage.decoration, format.type,
                       isVector ? "pair" : "n", storage.name, storage.name, isVector ? "pair" : "n",
                       storage.name, isVector ? "pair" : "n");
}

TEST(StorageCapabilities, OfEachClassAndFormat) {
    for (const Class& storage : kClasses) {
        for (const Format& format : kFormats) {
            for (const bool isVector : {false, true}) {
                SCOPED_TRACE(std::format("{} {} {}", storage.name, format.name, isVector));
                const auto words = test::assemble(module(storage, format, isVector));
                ASSERT_EQ(validate(words), std::nullopt);
                Request request;
                request.words = words;
                const Result<Rewritten> out = rewrite(request, {});
                ASSERT_TRUE(out) << out.error().message;
                EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
                const std::string text = disassemble(out->words);
                const auto needed = format.bits == 16 ? storage.capability16 : storage.capability8;
                for (const Class& other : kClasses) {
                    for (const auto capability : {other.capability16, other.capability8}) {
                        const std::string line = std::format("OpCapability {}\n", capability);
                        EXPECT_EQ(text.find(line) != text.npos, capability == needed) << capability;
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::storage_capabilities_test
