// SPDX-License-Identifier: Apache-2.0
//
// Derivatives, device-generated executions, keys and binaries of compute pipelines; and create
// infos that contradict themselves.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"
#include "harness/stages.hpp"

namespace coopvk::test::pipeline_route_test {
namespace {

constexpr auto kCompute = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr uint32_t kElements = 64;

// d[i] = 2 * a[i] + summand, by a matrix of 8 by 8.
Words matrixRampShader(int summand) {
    const std::string type = glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator);
    return compileGlsl(glsl::header() + stageBuffers() + "void main() {\n" + type + " m;\n" +
                       glsl::load("m", "a.v", "8") + "m = m * 2.0 + " + type + "(" +
                       std::to_string(summand) + ");\n" + glsl::store("m", "d.v", "8") + "}\n");
}

// The stage's specialization lives as long as this.
class RampPipelineInfo {
 public:
    RampPipelineInfo(const StageLayout& layout, int summand)
        : module_(matrixRampShader(summand)), special_(Context::get(), {}) {
        info.layout = layout.handle;
        info.stage = stageInfo(kCompute, module_.handle);
        info.stage.pSpecializationInfo = &special_.info;
        info.basePipelineIndex = -1;
    }
    RampPipelineInfo(const RampPipelineInfo&) = delete;
    RampPipelineInfo& operator=(const RampPipelineInfo&) = delete;

    VkResult create(VkPipeline* pipeline) const {
        return vkCreateComputePipelines(Context::get().device, VK_NULL_HANDLE, 1, &info, nullptr,
                                        pipeline);
    }

    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};

 private:
    Module module_;
    Specialization special_;
};

Bytes runRamp(const StageLayout& layout, VkPipeline pipeline) {
    return runCommands(
        {ramp(kElements), poison(kElements)}, [&](Commands& commands, const Memory& memory) {
            vkCmdBindPipeline(commands.primary, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            layout.push(commands.primary, memory.address(0), memory.address(1));
            vkCmdDispatch(commands.primary, 1, 1, 1);
        })[1];
}

TEST(PipelineRoutes, DerivativeByHandle) {
    const StageLayout layout(kCompute);
    RampPipelineInfo base(layout, 1), derived(layout, 2);
    base.info.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    derived.info.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    Pipeline first, second;
    COOPVK_CHECK(base.create(&first.handle));
    derived.info.basePipelineHandle = first.handle;
    COOPVK_CHECK(derived.create(&second.handle));
    expectScaledRamp(runRamp(layout, second.handle), 2, 2);
    expectScaledRamp(runRamp(layout, first.handle), 2, 1);
}

TEST(PipelineRoutes, DerivativesByIndex) {
    const StageLayout layout(kCompute);
    const RampPipelineInfo base(layout, 3), derived(layout, 4);
    std::array infos{base.info, derived.info};
    infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[1].basePipelineIndex = 0;
    std::array<VkPipeline, 2> handles{};
    COOPVK_CHECK(vkCreateComputePipelines(Context::get().device, VK_NULL_HANDLE, 2, infos.data(),
                                          nullptr, handles.data()));
    Pipeline first, second;
    first.handle = handles[0];
    second.handle = handles[1];
    expectScaledRamp(runRamp(layout, first.handle), 2, 3);
    expectScaledRamp(runRamp(layout, second.handle), 2, 4);
}

// A buffer for device-generated commands.
class PreprocessBuffer {
 public:
    explicit PreprocessBuffer(const VkMemoryRequirements& needed) : size(needed.size) {
        if (size == 0) return;
        const Context& context = Context::get();
        const VkBufferUsageFlags2CreateInfo usage{
            VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO, nullptr,
            VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT |
                VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT};
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &usage};
        info.size = size;
        COOPVK_CHECK(vkCreateBuffer(context.device, &info, nullptr, &buffer_));
        VkMemoryRequirements own;
        vkGetBufferMemoryRequirements(context.device, buffer_, &own);
        const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                              VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
        const VkMemoryAllocateInfo allocation{
            VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, own.size,
            context.ref().memoryType(needed.memoryTypeBits & own.memoryTypeBits, 0)};
        COOPVK_CHECK(vkAllocateMemory(context.device, &allocation, nullptr, &memory_));
        COOPVK_CHECK(vkBindBufferMemory(context.device, buffer_, memory_, 0));
        const VkBufferDeviceAddressInfo where{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr,
                                              buffer_};
        address = vkGetBufferDeviceAddress(context.device, &where);
    }
    ~PreprocessBuffer() {
        vkDestroyBuffer(Context::get().device, buffer_, nullptr);
        vkFreeMemory(Context::get().device, memory_, nullptr);
    }
    PreprocessBuffer(const PreprocessBuffer&) = delete;
    PreprocessBuffer& operator=(const PreprocessBuffer&) = delete;

    VkDeviceSize size;
    VkDeviceAddress address = 0;

 private:
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

// The data that the device reads for each dispatch that it generates.
struct Sequence {
    uint32_t pipeline = 0;
    uint32_t unused = 0;
    VkDeviceAddress a = 0, d = 0;
    VkDispatchIndirectCommand dispatch{1, 1, 1};
    uint32_t alsoUnused = 0;
};

class IndirectLayout {
 public:
    explicit IndirectLayout(const StageLayout& layout) {
        const VkIndirectCommandsExecutionSetTokenEXT set{
            VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kCompute};
        const VkIndirectCommandsPushConstantTokenEXT push{layout.range};
        std::array<VkIndirectCommandsLayoutTokenEXT, 3> tokens{};
        for (auto& token : tokens)
            token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT;
        tokens[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
        tokens[0].data.pExecutionSet = &set;
        tokens[0].offset = offsetof(Sequence, pipeline);
        tokens[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT;
        tokens[1].data.pPushConstant = &push;
        tokens[1].offset = offsetof(Sequence, a);
        tokens[2].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT;
        tokens[2].offset = offsetof(Sequence, dispatch);
        VkIndirectCommandsLayoutCreateInfoEXT info{
            VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
        info.shaderStages = kCompute;
        info.indirectStride = sizeof(Sequence);
        info.pipelineLayout = layout.handle;
        info.tokenCount = static_cast<uint32_t>(tokens.size());
        info.pTokens = tokens.data();
        COOPVK_CHECK(
            vkCreateIndirectCommandsLayoutEXT(Context::get().device, &info, nullptr, &handle));
    }
    ~IndirectLayout() {
        vkDestroyIndirectCommandsLayoutEXT(Context::get().device, handle, nullptr);
    }
    IndirectLayout(const IndirectLayout&) = delete;
    IndirectLayout& operator=(const IndirectLayout&) = delete;

    VkIndirectCommandsLayoutEXT handle = VK_NULL_HANDLE;
};

// The device itself chooses between two rewritten pipelines.
TEST(PipelineRoutes, DeviceGeneratedCommands) {
    COOPVK_REQUIRE(Requirement::kGeneratedCommands);
    const VkDevice device = Context::get().device;
    const StageLayout layout(kCompute);
    const VkPipelineCreateFlags2CreateInfo flags{
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
        VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT};
    RampPipelineInfo one(layout, 5), other(layout, 6);
    one.info.pNext = other.info.pNext = &flags;
    Pipeline first, second;
    COOPVK_CHECK(one.create(&first.handle));
    COOPVK_CHECK(other.create(&second.handle));

    const VkIndirectExecutionSetPipelineInfoEXT pipelines{
        VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT, nullptr, first.handle, 2};
    VkIndirectExecutionSetCreateInfoEXT setInfo{
        VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    setInfo.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    setInfo.info.pPipelineInfo = &pipelines;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateIndirectExecutionSetEXT(device, &setInfo, nullptr, &set));
    const VkWriteIndirectExecutionSetPipelineEXT write{
        VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT, nullptr, 1, second.handle};
    vkUpdateIndirectExecutionSetPipelineEXT(device, set, 1, &write);

    const IndirectLayout indirect(layout);
    const VkGeneratedCommandsMemoryRequirementsInfoEXT query{
        VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
        nullptr,
        set,
        indirect.handle,
        2,
        0};
    VkMemoryRequirements2 needed{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetGeneratedCommandsMemoryRequirementsEXT(device, &query, &needed);
    const PreprocessBuffer preprocess(needed.memoryRequirements);

    const std::vector<Bytes> after = runCommands(
        {ramp(kElements), poison(kElements), poison(kElements), Bytes(2 * sizeof(Sequence))},
        [&](Commands& commands, const Memory& memory) {
            std::array<Sequence, 2> sequences;
            for (uint32_t i = 0; i < 2; ++i) {
                sequences[i].pipeline = i;
                sequences[i].a = memory.address(0);
                sequences[i].d = memory.address(1 + i);
            }
            vkCmdUpdateBuffer(commands.primary, memory.handle(), memory.offset(3),
                              sizeof(sequences), sequences.data());
            VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
            barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
            barrier.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
            vkCmdPipelineBarrier(commands.primary, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                 nullptr);
            vkCmdBindPipeline(commands.primary, VK_PIPELINE_BIND_POINT_COMPUTE, first.handle);
            VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
            info.shaderStages = kCompute;
            info.indirectExecutionSet = set;
            info.indirectCommandsLayout = indirect.handle;
            info.indirectAddress = memory.address(3);
            info.indirectAddressSize = sizeof(sequences);
            info.preprocessAddress = preprocess.address;
            info.preprocessSize = preprocess.size;
            info.maxSequenceCount = 2;
            vkCmdExecuteGeneratedCommandsEXT(commands.primary, VK_FALSE, &info);
        });
    expectScaledRamp(after[1], 2, 5);
    expectScaledRamp(after[2], 2, 6);
    vkDestroyIndirectExecutionSetEXT(device, set, nullptr);
}

std::string pipelineKey(const void* pipeline) {
    const VkPipelineCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR,
                                       const_cast<void*>(pipeline)};
    VkPipelineBinaryKeyKHR key{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    COOPVK_CHECK(vkGetPipelineKeyKHR(Context::get().device, pipeline ? &info : nullptr, &key));
    return std::string(reinterpret_cast<const char*>(key.key), key.keySize);
}

TEST(PipelineRoutes, BinaryKeys) {
    COOPVK_REQUIRE(Requirement::kPipelineBinary);
    const StageLayout layout(kCompute);
    const RampPipelineInfo one(layout, 7), same(layout, 7), other(layout, 8);
    EXPECT_EQ(pipelineKey(&one.info), pipelineKey(&same.info));
    EXPECT_NE(pipelineKey(&one.info), pipelineKey(&other.info));
    EXPECT_NE(pipelineKey(nullptr), pipelineKey(&one.info));
}

// A pipeline's binaries, and a pipeline made of them alone.
TEST(PipelineRoutes, Binaries) {
    COOPVK_REQUIRE(Requirement::kPipelineBinary);
    const VkDevice device = Context::get().device;
    const StageLayout layout(kCompute);
    const VkPipelineCreateFlags2CreateInfo flags{
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
        VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR};
    RampPipelineInfo source(layout, 9);
    source.info.pNext = &flags;
    Pipeline captured, copy;
    COOPVK_CHECK(source.create(&captured.handle));
    VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pipeline = captured.handle;
    VkPipelineBinaryHandlesInfoKHR handles{VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    COOPVK_CHECK(vkCreatePipelineBinariesKHR(device, &info, nullptr, &handles));
    std::vector<VkPipelineBinaryKHR> binaries(handles.pipelineBinaryCount);
    handles.pPipelineBinaries = binaries.data();
    COOPVK_CHECK(vkCreatePipelineBinariesKHR(device, &info, nullptr, &handles));
    const VkPipelineBinaryInfoKHR use{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr,
                                      handles.pipelineBinaryCount, binaries.data()};
    source.info.pNext = &use;
    COOPVK_CHECK(source.create(&copy.handle));
    expectScaledRamp(runRamp(layout, copy.handle), 2, 9);
    for (VkPipelineBinaryKHR binary : binaries) vkDestroyPipelineBinaryKHR(device, binary, nullptr);
}

// Create infos that contradict themselves are refused before the driver sees them.
class BadCodeInfos : public testing::Test {
 protected:
    void SetUp() override { COOPVK_REQUIRE(Requirement::kEmulation); }
    void expectRefused(const char* what) {
        Pipeline pipeline;
        EXPECT_LT(info.create(&pipeline.handle), VK_SUCCESS) << what;
        EXPECT_EQ(pipeline.handle, VkPipeline{}) << what;
    }
    StageLayout layout{kCompute};
    RampPipelineInfo info{layout, 1};
};

TEST_F(BadCodeInfos, SpecializationBeyondItsData) {
    const uint32_t data = 8;
    for (const VkSpecializationMapEntry entry :
         {VkSpecializationMapEntry{0, 4, 4}, VkSpecializationMapEntry{0, 0, 5},
          VkSpecializationMapEntry{0, 0xffffffff, 4}, VkSpecializationMapEntry{0, 4, SIZE_MAX}}) {
        const VkSpecializationInfo special{1, &entry, sizeof(data), &data};
        info.info.stage.pSpecializationInfo = &special;
        expectRefused("an entry beyond the data");
    }
}

TEST_F(BadCodeInfos, SpecializationOfTheWrongSize) {
    const std::array<uint32_t, 2> data{8, 0};
    const VkSpecializationMapEntry entry{0, 0, 8};
    const VkSpecializationInfo special{1, &entry, sizeof(data), data.data()};
    info.info.stage.pSpecializationInfo = &special;
    expectRefused("8 bytes for a constant of 4");
}

TEST_F(BadCodeInfos, ImpossibleSubgroupSizes) {
    for (uint32_t size : {1u, 3u, 24u, 256u, 0xffffffffu}) {
        const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
            size};
        info.info.stage.pNext = &required;
        expectRefused("a subgroup size that there is not");
    }
}

TEST_F(BadCodeInfos, EntryPointOfAnotherName) {
    info.info.stage.pName = "mai";
    expectRefused("no such entry point");
}

}  // namespace
}  // namespace coopvk::test::pipeline_route_test
