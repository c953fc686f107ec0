// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_replicated_composites: constants, specialization constants and values of every
// kind of composite.
#include <gtest/gtest.h>

#include "harness/compute.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::replicated_composites_test {
namespace {

// Adds the constituents of composites that are made in every way. %c7 is 7 unless specialized as
// constant 7; the length of the array is 3 times that, by OpSpecConstantOp.
constexpr std::string_view kSource = R"(
OpCapability Shader
OpCapability ReplicatedCompositesEXT
OpExtension "SPV_EXT_replicated_composites"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %d
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %c7 SpecId 7
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %words ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%f5 = OpConstant %f32 5
%c7 = OpSpecConstant %u32 7
%length = OpSpecConstantOp %u32 IMul %c7 %c3
%uvec3 = OpTypeVector %u32 3
%vec4 = OpTypeVector %f32 4
%mat = OpTypeMatrix %vec4 2
%array = OpTypeArray %uvec3 %length
%pair = OpTypeStruct %u32 %u32
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %u32
%parray = OpTypePointer Function %array
%puint = OpTypePointer Function %u32
%d = OpVariable %pblock StorageBuffer
%kvec = OpConstantCompositeReplicateEXT %uvec3 %c2
%kcol = OpConstantCompositeReplicateEXT %vec4 %f5
%kmat = OpConstantCompositeReplicateEXT %mat %kcol
%svec = OpSpecConstantCompositeReplicateEXT %uvec3 %c7
%sarray = OpSpecConstantCompositeReplicateEXT %array %svec
%spair = OpSpecConstantCompositeReplicateEXT %pair %c7
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %parray Function
%x0 = OpCompositeExtract %u32 %kvec 2
%f0 = OpCompositeExtract %f32 %kmat 1 3
%x1 = OpConvertFToU %u32 %f0
%x2 = OpCompositeExtract %u32 %spair 1
%runtime = OpCompositeConstructReplicateEXT %uvec3 %x2
%whole = OpCompositeConstructReplicateEXT %array %runtime
%x3 = OpCompositeExtract %u32 %whole 2 1
OpStore %local %sarray
%last = OpISub %u32 %length %c1
%at = OpAccessChain %puint %local %last %c2
%x4 = OpLoad %u32 %at
%p0 = OpAccessChain %pword %d %c0 %c0
OpStore %p0 %x0
%p1 = OpAccessChain %pword %d %c0 %c1
OpStore %p1 %x1
%p2 = OpAccessChain %pword %d %c0 %c2
OpStore %p2 %x2
%p3 = OpAccessChain %pword %d %c0 %c3
OpStore %p3 %x3
%p4 = OpAccessChain %pword %d %c0 %c7
OpStore %p4 %x4
OpReturn
OpFunctionEnd
)";

TEST(ReplicatedComposites, EveryKind) {
    COOPVK_REQUIRE(Requirement::kReplicatedComposites);
    const Words words = assemble(std::string(kSource));
    for (uint32_t value : {5u, 7u, 9u}) {
        Dispatch dispatch;
        dispatch.buffers = {Bytes(64)};
        LayerLog::take();
        const Bytes after = run(words, dispatch, {.specialization = {{7, value}}})[0];
        if (Context::get().emulated) {
            EXPECT_NE(LayerLog::take().find(" for VK_EXT_shader_replicated_composites "),
                      std::string::npos);
        }
        Bytes want(64);
        const auto put = [&](size_t index, uint32_t word) {
            const std::vector<std::byte> bytes = toBytes({word});
            std::copy(bytes.begin(), bytes.end(),
                      want.begin() + static_cast<std::ptrdiff_t>(index * 4));
        };
        put(0, 2);
        put(1, 5);
        for (size_t index : {size_t{2}, size_t{3}, size_t{value}}) put(index, value);
        EXPECT_EQ(difference(after, want), "") << value;
    }
}

}  // namespace
}  // namespace coopvk::test::replicated_composites_test
