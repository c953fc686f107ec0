// SPDX-License-Identifier: Apache-2.0
//
// CrossWorkgroup memory without layout decorations has OpenCL's layout, in a module that also has
// 2D block instructions.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::block_memory_test {
namespace {

// struct { uchar a; uint3 v; ushort h[3]; uchar z; }: a at 0, v at 16, h at 32, z at 38, 48 bytes.
constexpr size_t kBytes = 48;
constexpr size_t kVector = 16, kHalves = 32, kLast = 38;

bool isMember(size_t byte) {
    return byte == 0 || (byte >= kVector && byte < kVector + 12) ||
           (byte >= kHalves && byte <= kLast);
}

Assembly stepModule() {
    Assembly a;
    a.buffers = {{"memory", "u32", 4}, {"out", "u32", 4}};
    a.capabilities = {"Subgroup2DBlockIOINTEL"};
    a.extensions = {"SPV_INTEL_2d_block_io"};
    a.decorations = "OpDecorate %push_block Block\nOpMemberDecorate %push_block 0 Offset 0\n";
    a.declarations =
        "%halves = OpTypeArray %u16 %c_3\n%item = OpTypeStruct %u8 %u32x3 %halves %u8\n"
        "%push_block = OpTypeStruct %u32x2\n%push_pointer = OpTypePointer PushConstant "
        "%push_block\n"
        "%push_pair = OpTypePointer PushConstant %u32x2\n"
        "%push = OpVariable %push_pointer PushConstant\n"
        "%cw_item = OpTypePointer CrossWorkgroup %item\n%cw_u8 = OpTypePointer CrossWorkgroup %u8\n"
        "%cw_u16 = OpTypePointer CrossWorkgroup %u16\n%cw_u32 = OpTypePointer CrossWorkgroup %u32\n"
        "%fn_item = OpTypePointer Function %item\n";
    a.interfaces = {"%push"};
    a.body =
        "%own = OpVariable %fn_item Function\n%push_at = OpAccessChain %push_pair %push %c_0\n"
        "%pair = OpLoad %u32x2 %push_at\n%base = OpBitcast %cw_item %pair\n"
        "%i = OpLoad %u32 %lane\n%mine = OpPtrAccessChain %cw_item %base %i\n"
        "%pa = OpAccessChain %cw_u8 %mine %c_0\n%pv = OpAccessChain %cw_u32 %mine %c_1 %c_2\n"
        "%ph = OpInBoundsAccessChain %cw_u16 %mine %c_2 %c_1\n"
        "%va = OpLoad %u8 %pa\n%vv = OpLoad %u32 %pv\n%vh = OpLoad %u16 %ph\n"
        "%wa = OpUConvert %u32 %va\n%wh = OpUConvert %u32 %vh\n%t = OpIAdd %u32 %wa %vv\n"
        "%r = OpIAdd %u32 %t %wh\n%po = OpAccessChain %sb_u32 %out %c_0 %i\nOpStore %po %r\n"
        // As a whole, by a variable of its own, to the second half.
        "%all = OpLoad %item %mine\nOpStore %own %all\n"
        "%far = OpPtrAccessChain %cw_item %mine %workgroup_width\nOpCopyMemory %far %own\n"
        "%pz = OpAccessChain %cw_u8 %far %c_3\nOpStore %pz %va\n"
        "%zero = OpCompositeConstruct %u32x2 %c_0 %c_0\n"
        "OpSubgroup2DBlockPrefetchINTEL %c_4 %c_8 %c_1 %c_1 %base %c_64 %c_1 %c_64 %zero\n";
    return a;
}

TEST(BlockMemory, NaturalLayout) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("BlockMemory");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(2 * kBytes * lanes), rng.bytes(4 * lanes)};
    dispatch.addresses = {0};
    Bytes memory = dispatch.buffers[0], sums = dispatch.buffers[1];
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const std::byte* item = memory.data() + lane * kBytes;
        std::byte* copy = memory.data() + (lanes + lane) * kBytes;
        uint32_t component = 0;
        uint16_t half = 0;
        std::memcpy(&component, item + kVector + 8, sizeof component);
        std::memcpy(&half, item + kHalves + 2, sizeof half);
        const uint32_t sum = static_cast<uint32_t>(item[0]) + component + half;
        std::memcpy(sums.data() + lane * sizeof sum, &sum, sizeof sum);
        copy[0] = item[0];
        std::memcpy(copy + kVector, item + kVector, 12);
        std::memcpy(copy + kHalves, item + kHalves, 6);
        copy[kLast] = item[0];
    }
    const std::vector<Bytes> after = run(assemble(stepModule(), Checked::kNo), dispatch);
    // Bytes between members may have been accessed together with them.
    for (size_t byte = lanes * kBytes; byte < memory.size(); ++byte) {
        if (!isMember(byte % kBytes)) memory[byte] = after[0][byte];
    }
    EXPECT_EQ(difference(after[0], memory), "");
    EXPECT_EQ(difference(after[1], sums), "");
}

}  // namespace
}  // namespace coopvk::test::block_memory_test
