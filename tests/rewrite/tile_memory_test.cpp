// SPDX-License-Identifier: Apache-2.0
//
// Shared memory of products in tiles of the driver's matrices: as deep slices as the module leaves
// memory for.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::tile_memory_test {
namespace {

constexpr uint32_t kDeviceBytes = 48 * 1024;

// A product of 128 x 64 by 64 x 128 f16 components in a module with `bytes` of its own shared
// memory.
std::string moduleText(uint32_t bytes) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %own
OpExecutionMode %main LocalSize 256 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c64 = OpConstant %u32 64
%c128 = OpConstant %u32 128
%words = OpConstant %u32 {}
%f0 = OpConstant %f32 0
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %block_pointer StorageBuffer
%array = OpTypeArray %u32 %words
%array_pointer = OpTypePointer Workgroup %array
%own = OpVariable %array_pointer Workgroup
%A = OpTypeCooperativeMatrixKHR %f16 %c2 %c128 %c64 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c2 %c64 %c128 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %c2 %c128 %c128 %c2
%zeros = OpConstantComposite %C %f0
%main = OpFunction %void None %void_fn
%entry = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%a = OpCooperativeMatrixLoadKHR %A %p %c0 %c64
%b = OpCooperativeMatrixLoadKHR %B %p %c0 %c128
%product = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
OpCooperativeMatrixStoreKHR %p %product %c0 %c128
OpReturn
OpFunctionEnd
)",
                       bytes / 4);
}

// Bytes of the variable that the rewriter adds; 0: there is none.
uint32_t addedBytes(const Module& module) {
    uint32_t bytes = 0;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpVariable || storageOf(*i) != spv::StorageClass::Workgroup) {
            continue;
        }
        const Instruction& array = module.def(module.pointee(i->result));
        if (module.def(array.word(0)).opcode != spv::Op::OpTypeVector) continue;  // the module's
        bytes += static_cast<uint32_t>(module.constantValue(array.word(1)).value_or(0)) * 16;
    }
    return bytes;
}

struct Case {
    uint32_t ownBytes;
    bool hasWholeSlice;  // all of K at once: 2 * 128 lines of (64 / 2 + 4) words
};

class TileMemory : public testing::TestWithParam<Case> {};

TEST_P(TileMemory, FitsBesideTheModulesOwn) {
    using enum ComponentType;
    const Case& c = GetParam();
    const std::vector<uint32_t> words = test::assemble(moduleText(c.ownBytes));
    Request request;
    request.words = words;
    Target target;
    target.device.maxComputeSharedMemorySize = kDeviceBytes;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kNative;
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    ASSERT_EQ(out->paths.size(), 1u);
    EXPECT_EQ(out->paths[0], "matrices: native, in tiles of workgroups");
    const Result<Module> module = Module::parse(out->words);
    ASSERT_TRUE(module);
    const uint32_t added = addedBytes(*module);
    EXPECT_LE(added + c.ownBytes, kDeviceBytes);
    constexpr uint32_t kWhole = (128 * (64 / 2 + 4) + 64 * (128 / 2 + 4)) * 4;
    EXPECT_EQ(added == kWhole, c.hasWholeSlice) << added;
    EXPECT_GT(added, 0u);
}

INSTANTIATE_TEST_SUITE_P(Tiles, TileMemory,
                         testing::Values(Case{4, true}, Case{8 * 1024, true},
                                         Case{16 * 1024, false}, Case{24 * 1024, false},
                                         Case{36 * 1024, false}),
                         [](const auto& test) {
                             return std::to_string(test.param.ownBytes) + "Bytes";
                         });

}  // namespace
}  // namespace coopvk::rewrite::tile_memory_test
