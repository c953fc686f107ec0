// SPDX-License-Identifier: Apache-2.0
//
// Vectors of 4-bit integers at any byte, and stores to single components of them while other
// invocations store to the rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {
namespace {

uint32_t nibble(const Bytes& bytes, size_t n) {
    return static_cast<uint32_t>(bytes[n / 2]) >> 4 * (n % 2) & 15u;
}

void setNibble(Bytes& bytes, size_t n, uint32_t value) {
    const uint32_t shift = 4 * (n % 2), old = static_cast<uint32_t>(bytes[n / 2]);
    bytes[n / 2] = static_cast<std::byte>((old & ~(15u << shift)) | value << shift);
}

Assembly withInt4() {
    Assembly a;
    a.capabilities = {"Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    a.declarations =
        "%u4 = OpTypeInt 4 0\n%u4x2 = OpTypeVector %u4 2\n%u4x4 = OpTypeVector %u4 4\n"
        "%u4x8 = OpTypeVector %u4 8\n%u4x16 = OpTypeVector %u4 16\n%u13 = OpConstant %u4 13\n";
    return a;
}

// How a shader gets at memory.
enum class Way { kBuffer, kPhysical };

// An array of eight-byte structures: two components, eight at the first byte, four at the fifth,
// two at the seventh.
class Misplaced {
 public:
    explicit Misplaced(Way way) : way_(way) {}

    Assembly module() {
        a_ = withInt4();
        a_.buffers = {{"in", "u32", 4}, {"out", "u32", 4}};
        a_.declarations +=
            "%item = OpTypeStruct %u4x2 %u4x8 %u4x4 %u4x2\n%items = OpTypeRuntimeArray %item\n"
            "%list = OpTypeStruct %items\n";
        a_.decorations =
            "OpMemberDecorate %item 0 Offset 0\nOpMemberDecorate %item 1 Offset 1\n"
            "OpMemberDecorate %item 2 Offset 5\nOpMemberDecorate %item 3 Offset 7\n"
            "OpDecorate %items ArrayStride 8\nOpDecorate %list Block\n"
            "OpMemberDecorate %list 0 Offset 0\n";
        declare();
        line("%i = OpLoad %u32 %lane");
        if (way_ == Way::kPhysical) addresses();
        at("in_all", "from", "item", "");
        at("out_all", "to", "item", "");
        line("%all = OpLoad %item %in_all" + aligned() + "\nOpStore %out_all %all" + aligned());
        line("%e3 = OpCompositeExtract %u4 %all 1 3\n%old = OpCompositeExtract %u4x4 %all 2");
        // Eight in reverse, four with the third of the eight in front.
        at("in_8", "from", "u4x8", "%c_1");
        at("out_8", "to", "u4x8", "%c_1");
        at("out_4", "to", "u4x4", "%c_2");
        line("%v8 = OpLoad %u4x8 %in_8" + aligned());
        line("%r8 = OpVectorShuffle %u4x8 %v8 %v8 7 6 5 4 3 2 1 0");
        line("OpStore %out_8 %r8" + aligned());
        line("%new4 = OpCompositeInsert %u4x4 %e3 %old 0\nOpStore %out_4 %new4" + aligned());
        // A constant to one that differs by lane; one that does to the last of all.
        line("%k7 = OpBitwiseAnd %u32 %i %c_7\n%k3 = OpBitwiseAnd %u32 %i %c_3");
        at("out_k", "to", "u4", "%c_1 %k7");
        at("in_k", "from", "u4", "%c_2 %k3");
        at("out_last", "to", "u4", "%c_3 %c_1");
        line("OpStore %out_k %u13" + aligned() + "\n%k = OpLoad %u4 %in_k" + aligned());
        line("OpStore %out_last %k" + aligned());
        return a_;
    }

    static void expected(const Bytes& in, Bytes& out, uint32_t lane) {
        const size_t at = size_t{lane} * 16;
        for (size_t n = 0; n < 16; ++n) setNibble(out, at + n, nibble(in, at + n));
        for (size_t n = 0; n < 8; ++n) setNibble(out, at + 2 + n, nibble(in, at + 9 - n));
        setNibble(out, at + 10, nibble(in, at + 2 + 3));
        setNibble(out, at + 2 + lane % 8, 13);
        setNibble(out, at + 15, nibble(in, at + 10 + lane % 4));
    }

 private:
    void line(const std::string& text) { a_.body += text + "\n"; }
    std::string aligned() const { return way_ == Way::kPhysical ? " Aligned 1" : ""; }

    void declare() {
        const char* storage = way_ == Way::kPhysical ? "PhysicalStorageBuffer" : "StorageBuffer";
        for (const char* type : {"list", "item", "u4x8", "u4x4", "u4"}) {
            a_.declarations +=
                "%p_" + std::string(type) + " = OpTypePointer " + storage + " %" + type + "\n";
        }
        if (way_ == Way::kPhysical) {
            a_.capabilities.push_back("PhysicalStorageBufferAddresses");
            a_.declarations +=
                "%pushed = OpTypeStruct %p_list %p_list\n"
                "%pc_pushed = OpTypePointer PushConstant %pushed\n"
                "%pc_list = OpTypePointer PushConstant %p_list\n"
                "%push = OpVariable %pc_pushed PushConstant\n";
            a_.decorations +=
                "OpDecorate %pushed Block\nOpMemberDecorate %pushed 0 Offset 0\n"
                "OpMemberDecorate %pushed 1 Offset 8\n";
            a_.interfaces = {"%push"};
            return;
        }
        a_.declarations +=
            "%from = OpVariable %p_list StorageBuffer\n%to = OpVariable %p_list StorageBuffer\n";
        a_.decorations +=
            "OpDecorate %from DescriptorSet 0\nOpDecorate %from Binding 0\n"
            "OpDecorate %to DescriptorSet 0\nOpDecorate %to Binding 1\n";
        a_.interfaces = {"%from", "%to"};
    }

    void addresses() {
        line("%push_from = OpAccessChain %pc_list %push %c_0\n%from = OpLoad %p_list %push_from");
        line("%push_to = OpAccessChain %pc_list %push %c_1\n%to = OpLoad %p_list %push_to");
    }

    void at(const std::string& name, const std::string& base, const std::string& type,
            const std::string& indices) {
        line("%" + name + " = OpAccessChain %p_" + type + " %" + base + " %c_0 %i " + indices);
    }

    Way way_;
    Assembly a_;
};

class Int4AnyByte : public testing::TestWithParam<Way> {};

TEST_P(Int4AnyByte, LoadsAndStores) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("Int4AnyByte");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(8 * lanes), rng.bytes(8 * lanes)};
    if (GetParam() == Way::kPhysical) dispatch.addresses = {0, 1};
    Bytes out = dispatch.buffers[1];
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        Misplaced::expected(dispatch.buffers[0], out, lane);
    }
    const std::vector<Bytes> after =
        run(assemble(Misplaced(GetParam()).module(), Checked::kNo), dispatch);
    EXPECT_EQ(difference(after[1], out), "");
}

std::string wayName(const testing::TestParamInfo<Way>& way) {
    const char* names[] = {"Buffer", "Physical"};
    return names[static_cast<int>(way.param)];
}
INSTANTIATE_TEST_SUITE_P(All, Int4AnyByte, testing::Values(Way::kBuffer, Way::kPhysical), wayName);

// Push constants need no component at a multiple of anything either.
TEST(Int4AnyByteConstants, PushConstants) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Assembly a = withInt4();
    a.buffers = {{"in", "u32", 4}, {"out", "u32", 4}};
    a.declarations +=
        "%pushed = OpTypeStruct %u4x2 %u4x8 %u4x4\n%pc = OpTypePointer PushConstant %pushed\n"
        "%pc_8 = OpTypePointer PushConstant %u4x8\n%pc_4 = OpTypePointer PushConstant %u4x4\n"
        "%push = OpVariable %pc PushConstant\n";
    a.decorations =
        "OpDecorate %pushed Block\nOpMemberDecorate %pushed 0 Offset 0\n"
        "OpMemberDecorate %pushed 1 Offset 1\nOpMemberDecorate %pushed 2 Offset 5\n";
    a.interfaces = {"%push"};
    a.body =
        "%i = OpLoad %u32 %lane\n%p8 = OpAccessChain %pc_8 %push %c_1\n"
        "%p4 = OpAccessChain %pc_4 %push %c_2\n%v8 = OpLoad %u4x8 %p8\n%v4 = OpLoad %u4x4 %p4\n"
        "%w8 = OpBitcast %u32 %v8\n%h4 = OpBitcast %u16 %v4\n%w4 = OpUConvert %u32 %h4\n"
        "%t = OpIMul %u32 %w4 %i\n%r = OpIAdd %u32 %w8 %t\n"
        "%po = OpAccessChain %sb_u32 %out %c_0 %i\nOpStore %po %r\n";
    const uint32_t lanes = Context::get().subgroupSize;
    Dispatch dispatch;
    dispatch.buffers = {Bytes(4), Rng("Int4Push").bytes(4 * lanes)};
    dispatch.push = pushWords({0x76543210, 0xFEDCBA98});
    std::vector<uint32_t> want;
    for (uint32_t lane = 0; lane < lanes; ++lane) want.push_back(0x98765432 + 0xDCBA * lane);
    const std::vector<Bytes> after = run(assemble(a, Checked::kNo), dispatch);
    const auto bytes = std::as_bytes(std::span(want));
    EXPECT_EQ(difference(after[1], Bytes(bytes.begin(), bytes.end())), "");
}

// Each invocation stores some components of a vector, together with those that store the others:
// both of a byte, or one where single 4-bit integers are kept apart.
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
    if (s.workgroup) {
        a.declarations += "%wg_order = OpConstant %u32 264\n";  // AcquireRelease, WorkgroupMemory
        a.body += "%wg_whole = OpAccessChain %wg_v %wg %v\n%before = OpLoad %" + type +
                  " %whole\nOpStore %wg_whole %before\n" + barrier;
    }
    for (uint32_t n = 0; n < s.ofEach; ++n) {
        const std::string id = std::to_string(n);
        a.body += "%y" + id + " = OpShiftRightLogical %u32 %x %c_" + std::to_string(4 * n) +
                  "\n%e" + id + " = OpUConvert %u4 %y" + id + "\n%k" + id +
                  " = OpIAdd %u32 %first %c_" + id + "\n%p" + id + " = OpAccessChain " +
                  (s.workgroup ? "%wg_u4 %wg %v %k" : "%sb_u4 %vectors %c_0 %v %k") + id +
                  "\nOpStore %p" + id + " %e" + id + "\n";
    }
    if (s.workgroup) {
        a.body += barrier + "%after = OpLoad %" + type + " %wg_whole\nOpStore %whole %after\n";
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
}  // namespace coopvk::test
