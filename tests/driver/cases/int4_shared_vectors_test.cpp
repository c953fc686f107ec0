// SPDX-License-Identifier: Apache-2.0
//
// Stores to single components of vectors of 4-bit integers while other invocations store to the
// rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/int4_case.hpp"
#include "harness/random.hpp"

namespace coopvk::test::int4_shared_vectors_test {
namespace {

Assembly withInt4() {
    Assembly a;
    a.capabilities = {"Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    a.declarations =
        "%u4 = OpTypeInt 4 0\n%u4x2 = OpTypeVector %u4 2\n%u4x4 = OpTypeVector %u4 4\n"
        "%u4x8 = OpTypeVector %u4 8\n%u4x16 = OpTypeVector %u4 16\n%u13 = OpConstant %u4 13\n";
    return a;
}

// Several invocations store the components of a vector: each stores both components of a byte, or
// one if single 4-bit integers are stored separately.
struct Shared {
    const char* name;
    uint32_t components;     // of the vectors
    uint32_t ofEach;         // that an invocation stores
    bool workgroup = false;  // into Workgroup memory, and from there to the buffer
};

Assembly sharedModule(const Shared& s) {
    Assembly a = withInt4();
    a.buffers = {{"in", "u32", 4}, {"out", "u32", 4}};
    const std::string type = "u4x" + std::to_string(s.components);
    const std::string count = "%c_" + std::to_string(s.components / s.ofEach);
    a.declarations +=
        "%array = OpTypeRuntimeArray %" + type +
        "\n%block = OpTypeStruct %array\n"
        "%sb_block = OpTypePointer StorageBuffer %block\n%vectors = OpVariable %sb_block "
        "StorageBuffer\n%wg_array = OpTypeArray %" +
        type +
        " %c_64\n"
        "%wg_pointer = OpTypePointer Workgroup %wg_array\n%wg_u4 = OpTypePointer Workgroup %u4\n"
        "%sb_u4 = OpTypePointer StorageBuffer %u4\n%sb_v = OpTypePointer StorageBuffer %" +
        type + "\n%wg_v = OpTypePointer Workgroup %" + type +
        "\n%wg = OpVariable %wg_pointer Workgroup\n";
    a.decorations = "OpDecorate %array ArrayStride " + std::to_string(s.components / 2) +
                    "\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
                    "OpDecorate %vectors DescriptorSet 0\nOpDecorate %vectors Binding 1\n";
    a.interfaces = {"%vectors", "%wg"};
    a.body =
        "%i = OpLoad %u32 %lane\n%px = OpAccessChain %sb_u32 %in %c_0 %i\n"
        "%x = OpLoad %u32 %px\n%v = OpUDiv %u32 %i " +
        count + "\n%in_v = OpUMod %u32 %i " + count + "\n%first = OpIMul %u32 %in_v %c_" +
        std::to_string(s.ofEach) + "\n%whole = OpAccessChain %sb_v %vectors %c_0 %v\n";
    const std::string barrier = "OpControlBarrier %c_2 %c_2 %wg_order\n";
    // One invocation of each vector copies the whole.
    const auto alone = [](const std::string& body, const std::string& n) {
        return "OpSelectionMerge %behind" + n + " None\nOpBranchConditional %is_first %alone" + n +
               " %behind" + n + "\n%alone" + n + " = OpLabel\n" + body + "OpBranch %behind" + n +
               "\n%behind" + n + " = OpLabel\n";
    };
    if (s.workgroup) {
        // AcquireRelease, UniformMemory, WorkgroupMemory, MakeAvailable, MakeVisible
        a.declarations += "%wg_order = OpConstant %u32 24904\n";
        a.body +=
            "%wg_whole = OpAccessChain %wg_v %wg %v\n%is_first = OpIEqual %bool %in_v %c_0\n" +
            alone("%before = OpLoad %" + type +
                      " %whole NonPrivatePointer\n"
                      "OpStore %wg_whole %before NonPrivatePointer\n",
                  "1") +
            barrier;
    }
    for (uint32_t n = 0; n < s.ofEach; ++n) {
        const std::string id = std::to_string(n);
        a.body += "%y" + id + " = OpShiftRightLogical %u32 %x %c_" + std::to_string(4 * n) +
                  "\n%e" + id + " = OpUConvert %u4 %y" + id + "\n%k" + id +
                  " = OpIAdd %u32 %first %c_" + id + "\n%p" + id + " = OpAccessChain " +
                  (s.workgroup ? "%wg_u4 %wg %v %k" : "%sb_u4 %vectors %c_0 %v %k") + id +
                  "\nOpStore %p" + id + " %e" + id + (s.workgroup ? " NonPrivatePointer\n" : "\n");
    }
    if (s.workgroup) {
        a.body += barrier + alone("%after = OpLoad %" + type +
                                      " %wg_whole NonPrivatePointer\n"
                                      "OpStore %whole %after NonPrivatePointer\n",
                                  "2");
    }
    return a;
}

class Int4SharedVectors : public testing::TestWithParam<Shared> {};

TEST_P(Int4SharedVectors, ComponentStores) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Shared& s = GetParam();
    const uint32_t lanes = Context::get().subgroupSize;
    const size_t bytes = std::max<size_t>(lanes * s.ofEach, s.components) / 2;
    Rng rng(s.name);
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(4 * lanes), rng.bytes((bytes + 7) / 8 * 8)};
    Bytes out = dispatch.buffers[1];
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        for (uint32_t n = 0; n < s.ofEach; ++n) {
            setNibble(out, size_t{lane} * s.ofEach + n,
                      nibble(dispatch.buffers[0], size_t{lane} * 8 + n));
        }
    }
    const std::vector<Bytes> after = run(assemble(sharedModule(s), Checked::kNo), dispatch);
    EXPECT_EQ(difference(after[1], out), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Int4SharedVectors,
    testing::Values(Shared{"Two", 2, 2}, Shared{"Four", 4, 2}, Shared{"Eight", 8, 2},
                    Shared{"Sixteen", 16, 2}, Shared{"SixteenSingly", 16, 1},
                    Shared{"WorkgroupFour", 4, 2, true}, Shared{"WorkgroupEight", 8, 2, true},
                    Shared{"WorkgroupSixteen", 16, 1, true}),
    [](const testing::TestParamInfo<Shared>& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace coopvk::test::int4_shared_vectors_test
