// SPDX-License-Identifier: Apache-2.0
// Buffers of a descriptor heap (SPV_EXT_descriptor_heap). The buffer with binding n here is the
// heap's descriptor n.
#include <gtest/gtest.h>

#include <span>

#include "program_runner.hpp"

namespace coopvk::reference::test::descriptor_heap_test {
namespace {

// One invocation. The body has %heap, an array of descriptors %buffers with the stride of
// OpConstantSizeOfEXT, and %words, the type of their contents.
std::string text(const std::string& declarations, const std::string& body) {
    return "OpCapability Shader\nOpCapability UntypedPointersKHR\nOpCapability DescriptorHeapEXT\n"
           "OpCapability VulkanMemoryModel\nOpExtension \"SPV_EXT_descriptor_heap\"\n"
           "OpExtension \"SPV_KHR_untyped_pointers\"\nOpMemoryModel Logical Vulkan\n"
           "OpEntryPoint GLCompute %main \"main\" %heap\nOpExecutionMode %main LocalSize 1 1 1\n"
           "OpDecorate %heap BuiltIn ResourceHeapEXT\nOpDecorate %array ArrayStride 4\n"
           "OpDecorate %words Block\nOpMemberDecorate %words 0 Offset 0\n"
           "OpDecorateId %buffers ArrayStrideIdEXT %size\n%void = OpTypeVoid\n"
           "%u32 = OpTypeInt 32 0\n%procedure = OpTypeFunction %void\n"
           "%array = OpTypeRuntimeArray %u32\n%words = OpTypeStruct %array\n"
           "%to_words = OpTypePointer StorageBuffer %words\n"
           "%to_word = OpTypePointer StorageBuffer %u32\n"
           "%to_descriptor = OpTypeUntypedPointerKHR UniformConstant\n"
           "%heap = OpUntypedVariableKHR %to_descriptor UniformConstant\n"
           "%buffer = OpTypeBufferEXT StorageBuffer\n%size = OpConstantSizeOfEXT %u32 %buffer\n"
           "%buffers = OpTypeRuntimeArray %buffer\n%0 = OpConstant %u32 0\n"
           "%1 = OpConstant %u32 1\n%2 = OpConstant %u32 2\n%3 = OpConstant %u32 3\n" +
           declarations + "%main = OpFunction %void None %procedure\n%entry = OpLabel\n" + body +
           "OpReturn\nOpFunctionEnd\n";
}

// Buffer 3 gets, at word 1, word 2 of the buffer whose number word 0 of buffer 1 is.
TEST(DescriptorHeap, BuffersByIndices) {
    Execution run;
    run.buffers = {{1, {2, 0, 0}}, {2, {10, 11, 12}}, {3, {0, 0, 0}}};
    execute(run, text("",
                      "%d1 = OpUntypedAccessChainKHR %to_descriptor %buffers %heap %1\n"
                      "%b1 = OpBufferPointerEXT %to_words %d1\n"
                      "%p1 = OpAccessChain %to_word %b1 %0 %0\n%n = OpLoad %u32 %p1\n"
                      "%d2 = OpUntypedAccessChainKHR %to_descriptor %buffers %heap %n\n"
                      "%b2 = OpBufferPointerEXT %to_words %d2\n"
                      "%p2 = OpAccessChain %to_word %b2 %0 %2\n%v = OpLoad %u32 %p2\n"
                      "%d3 = OpUntypedAccessChainKHR %to_descriptor %buffers %heap %3\n"
                      "%b3 = OpBufferPointerEXT %to_words %d3\n"
                      "%p3 = OpAccessChain %to_word %b3 %0 %1\nOpStore %p3 %v\n"));
    EXPECT_EQ(run.error, "");
    EXPECT_TRUE(run.reports.empty());
    EXPECT_EQ(run.buffers[3], (std::vector<uint32_t>{0, 12, 0}));
}

// Members of a structure whose offsets are constants; a descriptor that the heap has not.
TEST(DescriptorHeap, MembersAndNothing) {
    Execution run;
    run.buffers = {{0, {5}}, {1, {7}}};
    std::string source =
        text("%both = OpTypeStruct %buffer %buffer\n%100 = OpConstant %u32 100\n",
             "%d0 = OpUntypedAccessChainKHR %to_descriptor %both %heap %0\n"
             "%b0 = OpBufferPointerEXT %to_words %d0\n%p0 = OpAccessChain %to_word %b0 %0 %0\n"
             "%d1 = OpUntypedAccessChainKHR %to_descriptor %both %heap %1\n"
             "%b1 = OpBufferPointerEXT %to_words %d1\n%p1 = OpAccessChain %to_word %b1 %0 %0\n"
             "%v = OpLoad %u32 %p1\nOpStore %p0 %v\n"
             "%no = OpUntypedAccessChainKHR %to_descriptor %buffers %heap %100\n"
             "%bn = OpBufferPointerEXT %to_words %no\n%pn = OpAccessChain %to_word %bn %0 %0\n"
             "OpStore %pn %v\n");
    source.insert(source.find("%void ="),
                  "OpMemberDecorateIdEXT %both 0 OffsetIdEXT %0\n"
                  "OpMemberDecorateIdEXT %both 1 OffsetIdEXT %size\n");
    execute(run, source);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.buffers[0], std::vector<uint32_t>{7});
    ASSERT_EQ(run.reports.size(), 1u);
    EXPECT_EQ(run.reports[0].check, kCheckBounds);
}

// An index outside of an array of descriptors, also where the heap has one there.
TEST(DescriptorHeap, OutsideOfAnArray) {
    Execution run;
    run.buffers = {{0, {5}}, {3, {7}}};
    std::string source =
        text("%two = OpTypeArray %buffer %2\n",
             "%d = OpUntypedAccessChainKHR %to_descriptor %two %heap %3\n"
             "%b = OpBufferPointerEXT %to_words %d\n%p = OpAccessChain %to_word %b %0 %0\n"
             "OpStore %p %1\n");
    source.insert(source.find("%void ="), "OpDecorateId %two ArrayStrideIdEXT %size\n");
    execute(run, source);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.buffers[3], std::vector<uint32_t>{7});
    ASSERT_EQ(run.reports.size(), 1u);
    EXPECT_NE(run.reports[0].message.find("an index is outside of its array"), std::string::npos)
        << run.reports[0].message;
}

// A heap with words, and a buffer for what it has.
class HeapWithData : public Resources, public Reporter {
 public:
    const Range* descriptor(uint32_t, uint32_t, uint32_t) override { return nullptr; }
    const Range* buffer(uint64_t) override { return nullptr; }
    const Range* inHeap(uint64_t offset, ResourceKind kind) override {
        return offset == 0 && kind == ResourceKind::kBuffer ? &out : nullptr;
    }
    const Range* heap(bool ofSamplers) override { return ofSamplers ? nullptr : &all; }
    bool report(const Report& report) override {
        reports.push_back(report.message);
        return true;
    }
    void print(const std::string&) override {}

    static Range rangeOf(std::span<uint32_t> words) {
        return {reinterpret_cast<std::byte*>(words.data()), words.size_bytes()};
    }
    std::array<uint32_t, 8> data = {1, 2, 3, 4, 5, 6, 7, 8};
    std::array<uint32_t, 2> found = {99, 99};
    Range all = rangeOf(data), out = rangeOf(found);
    std::vector<std::string> reports;
};

// "the built-in heap pointers can be declared and dereferenced as pointing to any type": data that
// is no descriptor. Word 5 of the heap, and word 8, which is behind its end.
TEST(DescriptorHeap, DataBesideDescriptors) {
    ProgramRequest request;
    const auto words = assemble(
        text("%5 = OpConstant %u32 5\n%8 = OpConstant %u32 8\n",
             "%d0 = OpUntypedAccessChainKHR %to_descriptor %buffers %heap %0\n"
             "%b0 = OpBufferPointerEXT %to_words %d0\n"
             "%p5 = OpUntypedAccessChainKHR %to_descriptor %array %heap %5\n"
             "%v5 = OpLoad %u32 %p5\n%o0 = OpAccessChain %to_word %b0 %0 %0\nOpStore %o0 %v5\n"
             "%p8 = OpUntypedAccessChainKHR %to_descriptor %array %heap %8\n"
             "%v8 = OpLoad %u32 %p8\n%o1 = OpAccessChain %to_word %b0 %0 %1\nOpStore %o1 %v8\n"));
    request.words = words;
    const auto program = makeProgram(request);
    ASSERT_TRUE(program) << program.error().message;
    HeapWithData heap;
    EXPECT_TRUE(reference::execute(**program, {}, heap, {}, heap));
    EXPECT_EQ(heap.found, (std::array<uint32_t, 2>{6, 0}));
    ASSERT_EQ(heap.reports.size(), 1u);
    EXPECT_NE(heap.reports[0].find("byte 32 of the 32 bytes"), std::string::npos)
        << heap.reports[0];
}

}  // namespace
}  // namespace coopvk::reference::test::descriptor_heap_test
