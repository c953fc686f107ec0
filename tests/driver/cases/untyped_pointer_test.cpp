// SPDX-License-Identifier: Apache-2.0
//
// Matrices behind untyped pointers (SPV_KHR_untyped_pointers): components lie as in an array of the
// matrix's component type, and Stride is in bytes. The rewritten shaders have typed pointers only,
// so that they run on drivers without the extension.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::untyped_pointer_test {
namespace {

constexpr uint32_t kRows = 8, kColumns = 8;
constexpr uint32_t kPad = 16;  // bytes between the lines of the second buffer

struct Case {
    std::string name;
    Component type = Component::kF16;
    // Instructions that define the pointers %p, to byte 128 of x, and %q, to byte 64 of y.
    std::string pointers;
    std::string element = "f16";  // of the buffers
    uint32_t elementBytes = 2;
    bool isUntyped = true;  // the variables
    bool isColumnMajor = false;
};

std::string chains(const std::string& first, const std::string& second) {
    return "%p = OpUntypedAccessChainKHR %untyped " + first +
           "\n%q = OpUntypedAccessChainKHR %untyped " + second + "\n";
}

const std::vector<Case>& cases() {
    const std::string elements = chains("%block_x %x %c_0 %c_64", "%block_y %y %c_0 %c_32");
    const std::string fours = chains("%block_x %x %c_0 %c_8", "%block_y %y %c_0 %c_4");
    const std::string words = chains("%block_x %x %c_0 %c_32", "%block_y %y %c_0 %c_16");
    static const std::vector<Case> table = {
        {"f16_Elements", Component::kF16, elements},
        {"f16_Columns", Component::kF16, elements, "f16", 2, true, true},
        {"f16_InVectors", Component::kF16, fours, "u32x4", 16},
        {"f16_InWords", Component::kF16, words, "u32", 4},
        {"f32_InVectors", Component::kF32, fours, "u32x4", 16},
        {"f32_InHalves", Component::kF32, elements},
        {"u8_InVectors", Component::kU8, fours, "u32x4", 16},
        {"s8_InHalves", Component::kS8, elements, "f16", 2, true, true},
        {"bf16_InWords", Component::kBF16, words, "u32", 4},
        {"e4m3_InVectors", Component::kE4M3, fours, "u32x4", 16},
        {"e5m2_InWords", Component::kE5M2, words, "u32", 4, true, true},
        {"f16_TypedVariables", Component::kF16, elements, "f16", 2, false},
        {"f16_ChainOfChains", Component::kF16,
         chains("%block_x %x %c_0", "%block_y %y %c_0") +
             "%p1 = OpUntypedAccessChainKHR %untyped %array_x %p %c_16\n"
             "%p2 = OpUntypedInBoundsAccessChainKHR %untyped %array_x %p1 %c_48\n"
             "%q1 = OpUntypedAccessChainKHR %untyped %array_y %q %c_32\n"
             "%q2 = OpCopyObject %untyped %q1\n"},
    };
    return table;
}

class UntypedPointers : public testing::TestWithParam<size_t> {};

// Loads a matrix with lines of kColumns components from x, stores it to lines with a pad in y.
TEST_P(UntypedPointers, LoadStore) {
    const Case& c = cases()[GetParam()];
    if (const std::string why = missing(c.type); !why.empty()) GTEST_SKIP() << why;
    const uint32_t line = kColumns * info(c.type).bytes;
    const bool areSeveral = c.pointers.find("%p2") != c.pointers.npos;
    const std::string layout = c.isColumnMajor ? "%c_1" : "%c_0";
    Assembly a;
    a.buffers = {{"x", c.element, c.elementBytes, c.isUntyped},
                 {"y", c.element, c.elementBytes, c.isUntyped}};
    a.declarations = matrixType("T", c.type, kRows, kColumns, Use::kAccumulator);
    if (!c.isUntyped) {
        a.capabilities = {"UntypedPointersKHR"};
        a.extensions = {"SPV_KHR_untyped_pointers"};
        a.types = "%untyped = OpTypeUntypedPointerKHR StorageBuffer\n";
    }
    a.body = c.pointers + "%m = OpCooperativeMatrixLoadKHR %T " + (areSeveral ? "%p2 " : "%p ") +
             layout + " " + constant(line) + "\nOpCooperativeMatrixStoreKHR " +
             (areSeveral ? "%q2" : "%q") + " %m " + layout + " " + constant(line + kPad) + "\n";
    Rng rng(c.name);
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(1024), rng.bytes(1024)};
    expectAsReference(assemble(a), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, UntypedPointers, testing::Range(size_t{0}, cases().size()),
                         [](const auto& param) { return cases()[param.param].name; });

// One of two descriptors, by an index that no compiler can fold.
TEST(UntypedPointers, ArrayOfBuffers) {
    Assembly a;
    a.buffers = {scalars("n", Component::kU32)};
    a.capabilities = {"UntypedPointersKHR", "StorageBufferArrayDynamicIndexing"};
    a.extensions = {"SPV_KHR_untyped_pointers"};
    a.decorations =
        "OpDecorate %halves ArrayStride 2\nOpDecorate %block Block\n"
        "OpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 16\n"
        "OpDecorate %x DescriptorSet 0\nOpDecorate %x Binding 4\n";
    a.declarations = matrixType("T", Component::kF16, kRows, kColumns, Use::kA) +
                     "%halves = OpTypeRuntimeArray %f16\n%block = OpTypeStruct %u32x4 %halves\n"
                     "%blocks = OpTypeArray %block %c_2\n"
                     "%untyped = OpTypeUntypedPointerKHR StorageBuffer\n"
                     "%x = OpUntypedVariableKHR %untyped StorageBuffer %blocks\n";
    a.interfaces = {"%x"};
    a.body =
        "%pn = OpAccessChain %sb_u32 %n %c_0 %c_0\n%i = OpLoad %u32 %pn\n"
        "%j = OpISub %u32 %c_1 %i\n"
        "%p = OpUntypedAccessChainKHR %untyped %blocks %x %i %c_1 %c_0\n"
        "%q = OpUntypedAccessChainKHR %untyped %blocks %x %j\n"
        "%m = OpCooperativeMatrixLoadKHR %T %p %c_0 %c_16\n"
        "OpCooperativeMatrixStoreKHR %q %m %c_0 %c_16\n";
    Rng rng("ArrayOfBuffers");
    Dispatch dispatch;
    dispatch.buffers = {toBytes<uint32_t>({1}), {}, {}, {}, rng.bytes(256), rng.bytes(256)};
    for (size_t i = 1; i < 4; ++i) dispatch.buffers[i] = rng.bytes(16);
    expectAsReference(assemble(a), dispatch);
}

TEST(UntypedPointers, Addresses) {
    Assembly a;
    a.buffers = {scalars("n", Component::kU32)};
    a.capabilities = {"UntypedPointersKHR", "PhysicalStorageBufferAddresses"};
    a.extensions = {"SPV_KHR_untyped_pointers"};
    a.decorations =
        "OpDecorate %push Block\nOpMemberDecorate %push 0 Offset 0\n"
        "OpMemberDecorate %push 1 Offset 8\n";
    a.declarations = matrixType("T", Component::kF16, kRows, kColumns, Use::kA) +
                     "%push = OpTypeStruct %u32x2 %u32x2\n"
                     "%pointer_push = OpTypePointer PushConstant %push\n"
                     "%push_pair = OpTypePointer PushConstant %u32x2\n"
                     "%addresses = OpVariable %pointer_push PushConstant\n"
                     "%untyped = OpTypeUntypedPointerKHR PhysicalStorageBuffer\n";
    a.interfaces = {"%addresses"};
    a.body =
        "%pa = OpAccessChain %push_pair %addresses %c_0\n%a = OpLoad %u32x2 %pa\n"
        "%pb = OpAccessChain %push_pair %addresses %c_1\n%b = OpLoad %u32x2 %pb\n"
        "%p = OpBitcast %untyped %a\n%q = OpBitcast %untyped %b\n"
        "%m = OpCooperativeMatrixLoadKHR %T %p %c_0 %c_16 Aligned 16\n"
        "OpCooperativeMatrixStoreKHR %q %m %c_0 %c_32 Aligned 16\n";
    Rng rng("Addresses");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(256), rng.bytes(256)};
    dispatch.addresses = {0, 1};
    expectAsReference(assemble(a), dispatch);
}

}  // namespace
}  // namespace coopvk::test::untyped_pointer_test
