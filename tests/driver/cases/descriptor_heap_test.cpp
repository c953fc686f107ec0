// SPDX-License-Identifier: Apache-2.0
//
// Matrices, vectors and tensors in buffers of a descriptor heap (SPV_EXT_descriptor_heap). Which
// buffer it is, is known at run time. All drivers run the rewritten shaders on an array of
// descriptors; those with heaps run them on a heap, too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "harness/compute.hpp"
#include "harness/heap_shader.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::descriptor_heap_test {
namespace {

constexpr const char* kHeader = R"(#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { uint n[4]; } push;
layout(descriptor_heap, scalar) buffer Halves { float16_t h[]; } halves[];
layout(descriptor_heap, scalar) readonly buffer Words { uint w[]; } words[];
)";

// f16 of integers from 0 to 3.
Bytes smallHalves(Rng& rng) {
    Bytes bytes(8192);
    for (size_t at = 0; at < bytes.size(); at += 2) {
        const auto number = static_cast<_Float16>(rng.range(0, 3));
        std::memcpy(bytes.data() + at, &number, sizeof(number));
    }
    return bytes;
}

// Of a device.
struct HeapFeatures {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceVulkan14Features v14;
    VkPhysicalDeviceDescriptorHeapFeaturesEXT heaps;
    VkPhysicalDeviceShaderUntypedPointersFeaturesKHR pointers;
    VkPhysicalDeviceShader64BitIndexingFeaturesEXT indexing;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrices2;
    VkPhysicalDeviceCooperativeVectorFeaturesNV vectors;
};
constexpr vulkan::Extension<HeapFeatures> kExtensions[] = {
    {VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT,
     [](HeapFeatures& f) -> void* { return &f.heaps; }},
    {VK_KHR_SHADER_UNTYPED_POINTERS_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR,
     [](HeapFeatures& f) -> void* { return &f.pointers; }},
    {VK_EXT_SHADER_64BIT_INDEXING_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_64_BIT_INDEXING_FEATURES_EXT,
     [](HeapFeatures& f) -> void* { return &f.indexing; }},
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     [](HeapFeatures& f) -> void* { return &f.matrices; }},
    {VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
     [](HeapFeatures& f) -> void* { return &f.matrices2; }},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     [](HeapFeatures& f) -> void* { return &f.vectors; }}};

// A device with heaps, beside that of the other tests.
class HeapDevice {
 public:
    HeapDevice() {
        const auto names = vulkan::namesOf<HeapFeatures>(kExtensions, context_.extensions);
        HeapFeatures features{};
        auto chain =
            vulkan::chainFeatures<HeapFeatures>(features, kExtensions, context_.extensions);
        chain.add(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, &features.v14);
        vkGetPhysicalDeviceFeatures2(context_.physical, &features.core);
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                        &properties_};
        vkGetPhysicalDeviceProperties2(context_.physical, &all);
        device_ = vulkan::createDevice(context_.physical, vkCreateDevice, context_.queueFamily,
                                       names, &features.core);
        volkLoadDeviceTable(&vk_, device_);
        vk_.vkGetDeviceQueue(device_, context_.queueFamily, 0, &queue_);
    }
    ~HeapDevice() {
        vk_.vkDestroyPipeline(device_, pipeline_, nullptr);
        vk_.vkDestroyShaderModule(device_, module_, nullptr);
        vk_.vkDestroyDevice(device_, nullptr);
    }
    HeapDevice(const HeapDevice&) = delete;
    HeapDevice& operator=(const HeapDevice&) = delete;

    // The contents of the two buffers afterwards.
    std::array<Bytes, 2> run(const Words& words, const std::array<Bytes, 2>& contents,
                             const std::vector<std::byte>& push) {
        makePipeline(words);
        const vulkan::DeviceRef ref{context_.physical, vkGetPhysicalDeviceMemoryProperties, device_,
                                    vk_};
        constexpr auto kBuffers =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        const VkDeviceSize user = 2 * properties_.bufferDescriptorSize;
        const VkDeviceSize size = user + properties_.minResourceHeapReservedRange;
        vulkan::Buffer heap(ref, size + properties_.resourceHeapAlignment,
                            kBuffers | VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT);
        const VkDeviceSize gap = -heap.address & (properties_.resourceHeapAlignment - 1);
        vulkan::Buffer first(ref, contents[0].size(), kBuffers);
        vulkan::Buffer second(ref, contents[1].size(), kBuffers);
        vulkan::Buffer* const buffers[] = {&first, &second};
        for (size_t i = 0; i < 2; ++i) {
            std::memcpy(buffers[i]->map, contents[i].data(), contents[i].size());
            describe(*buffers[i], contents[i].size(),
                     heap.map + gap + i * properties_.bufferDescriptorSize);
        }
        const VkBindHeapInfoEXT bound{VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT,
                                      nullptr,
                                      {heap.address + gap, size},
                                      user,
                                      properties_.minResourceHeapReservedRange};
        const VkPushDataInfoEXT data{
            VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT, nullptr, 0, {push.data(), push.size()}};
        vulkan::Commands(device_, vk_, queue_, context_.queueFamily).run([&](VkCommandBuffer to) {
            vk_.vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
            vk_.vkCmdBindResourceHeapEXT(to, &bound);
            vk_.vkCmdPushDataEXT(to, &data);
            vk_.vkCmdDispatch(to, 1, 1, 1);
        });
        const auto bytes = [&](size_t i) {
            return Bytes(buffers[i]->map, buffers[i]->map + contents[i].size());
        };
        return {bytes(0), bytes(1)};
    }

 private:
    void describe(const vulkan::Buffer& buffer, VkDeviceSize bytes, void* to) {
        const VkDeviceAddressRangeEXT range{buffer.address, bytes};
        VkResourceDescriptorInfoEXT info{VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT};
        info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        info.data.pAddressRange = &range;
        const VkHostAddressRangeEXT place{to, properties_.bufferDescriptorSize};
        COOPVK_CHECK(vk_.vkWriteResourceDescriptorsEXT(device_, 1, &info, &place));
    }

    void makePipeline(const Words& words) {
        const Specialization special(context_, {});
        VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        code.codeSize = words.size() * sizeof(uint32_t);
        code.pCode = words.data();
        COOPVK_CHECK(vk_.vkCreateShaderModule(device_, &code, nullptr, &module_));
        const VkPipelineCreateFlags2CreateInfo flags{
            VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
            VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT};
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module_;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &special.info;
        COOPVK_CHECK(
            vk_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_));
    }

    Context& context_ = Context::get();
    VkDevice device_ = VK_NULL_HANDLE;
    VolkDeviceTable vk_{};
    VkQueue queue_ = VK_NULL_HANDLE;
    VkShaderModule module_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    VkPhysicalDeviceDescriptorHeapPropertiesEXT properties_{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT};
};

// With 64-bit indexing or without: the code for either has the same results.
class DescriptorHeap : public testing::TestWithParam<bool> {
 protected:
    // Runs a body on the heap of two buffers.
    static void expectRight(std::string_view seed, const std::string& body) {
        rewrite::DeviceTraits device = gpuWithDots(0);
        device.shaderIntegerDotProduct = false;
        device.bufferDeviceAddress = true;
        device.shaderInt64 = GetParam();
        device.maxSubgroupSize = device.minSubgroupSize;
        const HeapArray array = {kArrayBinding, 2};
        const Words original = compileGlsl(kHeader + body);
        const Words rewritten = rewrittenFor(device, original, GetParam());
        const Words words = heapAsArray(rewritten, array);
        Rng rng(seed);
        Dispatch dispatch;
        dispatch.buffers.assign(4, Bytes(16));
        for (int i = 0; i < 2; ++i) dispatch.buffers.push_back(smallHalves(rng));
        dispatch.push = pushWords({0, 1, 0, 1});
        const auto found = run(words, dispatch);
        const auto want = expectedOf(heapAsArray(original, array), dispatch);
        for (const size_t i : {4, 5}) EXPECT_EQ(difference(found[i], want[i]), "") << i;
        if (!Context::get().has(VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME)) return;
        // As rewritten for that device, and as it is, for layer or driver.
        for (const Words& each : {rewritten, original}) {
            const auto inHeap =
                HeapDevice().run(each, {dispatch.buffers[4], dispatch.buffers[5]}, dispatch.push);
            for (const size_t i : {0, 1}) EXPECT_EQ(difference(inHeap[i], want[4 + i]), "") << i;
        }
    }

    void SetUp() override {
        if (GetParam()) COOPVK_REQUIRE(Requirement::kInt64);
    }
};

// y = W x + b for each lane's x at 32 * lane of buffer 1; W and b in buffer 0.
TEST_P(DescriptorHeap, VectorProducts) {
    expectRight("VectorProducts", R"(void main() {
    const uint lane = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, halves[push.n[1]].h, 32 * lane);
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, words[push.n[0]].w, 0,
                       gl_ComponentTypeFloat16NV, halves[push.n[2]].h, 1024,
                       gl_ComponentTypeFloat16NV, 16, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV,
                       false, 32);
    coopVecStoreNV(y, halves[push.n[1]].h, 4096 + 32 * lane);
})");
}

// Each lane's own buffer.
TEST_P(DescriptorHeap, NonUniformIndices) {
    if (std::getenv("COOPVK_TEST_VARIANT") != nullptr)
        GTEST_SKIP() << "spirv-opt joins access chains without their NonUniform";
    expectRight("NonUniformIndices", R"(void main() {
    const uint lane = gl_LocalInvocationIndex, own = lane % 2;
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[nonuniformEXT(own)].h, 32 * lane);
    coopVecStoreNV(x, halves[nonuniformEXT(1 - own)].h, 4096 + 32 * lane);
})");
}

TEST_P(DescriptorHeap, Training) {
    expectRight("Training", R"(void main() {
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[push.n[0]].h, 32 * gl_LocalInvocationIndex);
    coopVecReduceSumAccumulateNV(x, halves[push.n[1]].h, 128);
    coopVecOuterProductAccumulateNV(x, x, halves[push.n[3]].h, 1024, 32,
        gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, gl_ComponentTypeFloat16NV);
})");
}

TEST_P(DescriptorHeap, Matrices) {
    expectRight("Matrices", R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
    coopMatLoad(m, words[push.n[1]].w, 128, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, halves[push.n[0]].h, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
})");
}

TEST_P(DescriptorHeap, Tensors) {
    expectRight("Tensors", R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(m, halves[push.n[1]].h, 256, t);
    coopMatStoreTensorNV(m, halves[push.n[0]].h, 512, t);
})");
}

TEST_P(DescriptorHeap, DecodeFunctions) {
    expectRight("DecodeFunctions", R"(
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Ref { float16_t pair[2]; };
float16_t pairSum(Ref b, uint i) { return b.pair[i] + b.pair[0]; }
float16_t decode(const in Ref b, const in uint block[2], const in uint inBlock[2]) {
    return pairSum(b, inBlock[1]);
}
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutBlockSizeNV(t, 1, 2);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(m, halves[push.n[1]].h, 256, t, decode);
    coopMatStore(m, halves[push.n[0]].h, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
})");
}

INSTANTIATE_TEST_SUITE_P(All, DescriptorHeap, testing::Bool(),
                         [](const auto& param) { return param.param ? "u64" : "u32"; });

}  // namespace
}  // namespace coopvk::test::descriptor_heap_test
