// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "interface.hpp"

namespace coopvk::fleet {
namespace {

double processorSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Layouts of everything that a shader is bound to.
class Layouts {
 public:
    Layouts(Gpu& gpu, const ShaderInterface& interface) : gpu_(gpu) {
        const uint32_t count = interface.sets.empty() ? 0 : interface.sets.rbegin()->first + 1;
        for (uint32_t set = 0; set < count; ++set) addSet(interface, set);
        const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0,
                                        gpu.properties.limits.maxPushConstantsSize};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.setLayoutCount = count;
        info.pSetLayouts = sets_.data();
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        COOPVK_CHECK(gpu.vk.vkCreatePipelineLayout(gpu.device, &info, nullptr, &pipeline));
    }
    Layouts(const Layouts&) = delete;
    Layouts& operator=(const Layouts&) = delete;
    ~Layouts() {
        gpu_.vk.vkDestroyPipelineLayout(gpu_.device, pipeline, nullptr);
        for (VkDescriptorSetLayout set : sets_)
            gpu_.vk.vkDestroyDescriptorSetLayout(gpu_.device, set, nullptr);
    }

    const std::vector<VkDescriptorSetLayout>& sets() const { return sets_; }

    VkPipelineLayout pipeline = VK_NULL_HANDLE;

 private:
    void addSet(const ShaderInterface& interface, uint32_t set) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        if (const auto found = interface.sets.find(set); found != interface.sets.end())
            for (const auto& [number, binding] : found->second) bindings.push_back(binding);
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        sets_.push_back(VK_NULL_HANDLE);
        COOPVK_CHECK(
            gpu_.vk.vkCreateDescriptorSetLayout(gpu_.device, &info, nullptr, &sets_.back()));
    }

    Gpu& gpu_;
    std::vector<VkDescriptorSetLayout> sets_;
};

// A subject's constants for a subgroup size, as Vulkan takes them.
struct Specialization {
    Specialization(const std::vector<Constant>& constants, uint32_t size) {
        for (const Constant& constant : constants) {
            const uint64_t value = constant.perLane * size + constant.fixed;
            entries.push_back(
                {constant.id, static_cast<uint32_t>(data.size()), size_t{constant.bytes}});
            data.resize(data.size() + constant.bytes);
            std::memcpy(data.data() + entries.back().offset, &value, constant.bytes);
        }
        info = {static_cast<uint32_t>(entries.size()), entries.data(), data.size(), data.data()};
    }
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<std::byte> data;
    VkSpecializationInfo info{};
};

double valueOf(const VkPipelineExecutableStatisticKHR& statistic) {
    switch (statistic.format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
            return statistic.value.b32;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
            return static_cast<double>(statistic.value.i64);
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
            return static_cast<double>(statistic.value.u64);
        default:
            return statistic.value.f64;
    }
}

// Queried twice: for the lengths of the texts, then for the texts.
void readTexts(Gpu& gpu, const VkPipelineExecutableInfoKHR& info, Executable& executable) {
    const auto ask = [&](uint32_t* count, VkPipelineExecutableInternalRepresentationKHR* out) {
        return gpu.vk.vkGetPipelineExecutableInternalRepresentationsKHR(gpu.device, &info, count,
                                                                        out);
    };
    auto list = vulkan::listAll<VkPipelineExecutableInternalRepresentationKHR>(
        "vkGetPipelineExecutableInternalRepresentationsKHR",
        {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR}, ask);
    std::vector<std::string> texts(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
        texts[i].resize(list[i].dataSize);
        list[i].pData = texts[i].data();
    }
    uint32_t count = static_cast<uint32_t>(list.size());
    ask(&count, list.data());
    for (size_t i = 0; i < list.size(); ++i)
        executable.texts.emplace_back(list[i].name, texts[i].c_str());
}

std::vector<Executable> executablesOf(Gpu& gpu, VkPipeline pipeline) {
    const VkPipelineInfoKHR of{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, nullptr, pipeline};
    const auto all = vulkan::listAll<VkPipelineExecutablePropertiesKHR>(
        "vkGetPipelineExecutablePropertiesKHR",
        {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR}, [&](uint32_t* count, auto* out) {
            return gpu.vk.vkGetPipelineExecutablePropertiesKHR(gpu.device, &of, count, out);
        });
    std::vector<Executable> list;
    for (uint32_t i = 0; i < all.size(); ++i) {
        Executable& executable =
            list.emplace_back(Executable{all[i].name, all[i].subgroupSize, {}, {}});
        const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                               nullptr, pipeline, i};
        const auto ask = [&](uint32_t* count, VkPipelineExecutableStatisticKHR* out) {
            return gpu.vk.vkGetPipelineExecutableStatisticsKHR(gpu.device, &info, count, out);
        };
        for (const auto& statistic : vulkan::listAll<VkPipelineExecutableStatisticKHR>(
                 "vkGetPipelineExecutableStatisticsKHR",
                 {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR}, ask))
            executable.statistics.emplace_back(statistic.name, valueOf(statistic));
        readTexts(gpu, info, executable);
    }
    return list;
}

// Other stages are single shader objects, of which drivers report only whether they accept them.
Creation createShaderObject(Gpu& gpu, const Subject& subject, const ShaderInterface& interface,
                            const Layouts& layouts, const Specialization& specialization) {
    const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0,
                                    gpu.properties.limits.maxPushConstantsSize};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.flags = interface.stage == VK_SHADER_STAGE_MESH_BIT_EXT
                     ? VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT
                     : 0;
    info.stage = interface.stage;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = subject.words.size() * sizeof(uint32_t);
    info.pCode = subject.words.data();
    info.pName = interface.entryPoint.c_str();
    info.setLayoutCount = static_cast<uint32_t>(layouts.sets().size());
    info.pSetLayouts = layouts.sets().data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    info.pSpecializationInfo = &specialization.info;
    Creation creation;
    const double start = processorSeconds();
    VkShaderEXT shader = VK_NULL_HANDLE;
    creation.result = gpu.vk.vkCreateShadersEXT(gpu.device, 1, &info, nullptr, &shader);
    creation.seconds = processorSeconds() - start;
    if (shader != VK_NULL_HANDLE) gpu.vk.vkDestroyShaderEXT(gpu.device, shader, nullptr);
    return creation;
}

}  // namespace

Creation createPipeline(Gpu& gpu, const Subject& subject, uint32_t size) {
    const ShaderInterface interface = readInterface(subject.words);
    const Layouts layouts(gpu, interface);
    const Specialization specialization(subject.constants, size);
    if (interface.stage != VK_SHADER_STAGE_COMPUTE_BIT)
        return createShaderObject(gpu, subject, interface, layouts, specialization);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo wanted{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    wanted.requiredSubgroupSize = size;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                 VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.pNext = gpu.canRequireSize() && subject.size != 0u ? &wanted : nullptr;
    info.stage.stage = interface.stage;
    info.stage.pName = interface.entryPoint.c_str();
    info.stage.pSpecializationInfo = &specialization.info;
    info.layout = layouts.pipeline;

    Creation creation;
    const double start = processorSeconds();
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = subject.words.size() * sizeof(uint32_t);
    moduleInfo.pCode = subject.words.data();
    creation.result =
        gpu.vk.vkCreateShaderModule(gpu.device, &moduleInfo, nullptr, &info.stage.module);
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (creation.result == VK_SUCCESS)
        creation.result = gpu.vk.vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info,
                                                          nullptr, &pipeline);
    creation.seconds = processorSeconds() - start;
    gpu.vk.vkDestroyShaderModule(gpu.device, info.stage.module, nullptr);
    if (creation.result == VK_SUCCESS) creation.executables = executablesOf(gpu, pipeline);
    gpu.vk.vkDestroyPipeline(gpu.device, pipeline, nullptr);
    return creation;
}

}  // namespace coopvk::fleet
