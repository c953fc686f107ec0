// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, pipelines, shader objects, pipeline binaries.
#include <algorithm>

#include "layer_subjects.hpp"
#include "shaders/pipelines.hpp"

namespace coopvk::fuzz {
namespace {

// The modules and create infos of one input.
class Pipelines {
 public:
    Pipelines(Reader& reader, World& world)
        : reader_(reader), world_(world), device_(world.device(reader.byte())) {}

    Complaint check() {
        for (uint32_t count = reader_.below(3); count > 0; --count) makeModule();
        const std::string wrong = call();
        for (VkShaderModule module : modules_) {
            COOPVK_DEVICE_COMMAND(world_.driver(), device_.handle, vkDestroyShaderModule)
            (device_.handle, module, nullptr);
        }
        if (!wrong.empty()) return wrong;
        if (!blocks_.intact()) return "a create info was written to";
        if (!world_.driver().modules.empty()) return "a module of the driver's is left";
        return ignoresStages_ ? std::nullopt : world_.complaint(device_);
    }

 private:
    static constexpr uint32_t kMostStages = 3;
    // Not a handle of the fake driver, whose handles are small numbers.
    static inline const auto kNotWritten = reinterpret_cast<VkPipeline>(~uint64_t{0});

    VkShaderModuleCreateInfo moduleInfo() {
        const test::Words& words =
            shaders()[reader_.below(static_cast<uint32_t>(shaders().size()))];
        VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words.size() * sizeof(uint32_t);
        info.pCode = words.data();
        return info;
    }

    // A command of the device's.
    template <typename Command>
    Command find(const char* name) {
        return reinterpret_cast<Command>(world_.driver().deviceCommand(device_.handle, name));
    }

    void makeModule() {
        const VkShaderModuleCreateInfo info = moduleInfo();
        VkShaderModule module = VK_NULL_HANDLE;
        const auto create = find<PFN_vkCreateShaderModule>("vkCreateShaderModule");
        const VkResult result = create(device_.handle, &info, nullptr, &module);
        if (result == VK_SUCCESS) modules_.push_back(module);
    }

    const VkSpecializationInfo* specialization() {
        if (reader_.below(3) != 0) return nullptr;
        std::vector<VkSpecializationMapEntry> entries;
        for (uint32_t count = reader_.below(4); count > 0; --count) {
            entries.push_back({reader_.flag() ? 7u : reader_.number(), reader_.number(),
                               reader_.flag() ? 4u : static_cast<size_t>(reader_.wide())});
        }
        VkSpecializationInfo info = {};
        info.mapEntryCount = static_cast<uint32_t>(entries.size());
        info.pMapEntries = blocks_.addArray(entries);
        info.dataSize = reader_.below(16);
        std::byte* data = blocks_.addBytes(info.dataSize);
        if (info.dataSize > 0) *data = static_cast<std::byte>(reader_.byte());
        info.pData = data;
        return blocks_.add(info);
    }

    // Structures whose contents the layer reads.
    void* stageChain() {
        constexpr uint32_t kSizes[] = {0, 8, 32, 64, 3};
        void* chain = readChain(reader_, blocks_, 2);
        if (reader_.below(3) == 0) {
            VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
                VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, chain,
                reader_.from(kSizes)};
            chain = blocks_.add(size);
        }
        if (reader_.flag()) {
            VkShaderModuleCreateInfo code = moduleInfo();
            code.pNext = chain;
            chain = blocks_.add(code);
        } else if (reader_.flag()) {
            VkPipelineShaderStageModuleIdentifierCreateInfoEXT identifier = {
                VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT, chain};
            identifier.identifierSize = reader_.below(VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT + 1);
            identifier.pIdentifier =
                reinterpret_cast<const uint8_t*>(blocks_.addBytes(identifier.identifierSize));
            chain = blocks_.add(identifier);
        }
        return readChain(reader_, blocks_, 2, chain);
    }

    const char* entryPoint() {
        constexpr const char* kNames[] = {"main", "main", "", "absent"};
        return reader_.from(kNames);
    }

    VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind) {
        VkPipelineShaderStageCreateInfo info = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage = kind;
        info.flags = reader_.below(4);
        info.pName = entryPoint();
        if (!modules_.empty() && reader_.below(4) != 0)
            info.module = modules_[reader_.below(static_cast<uint32_t>(modules_.size()))];
        info.pNext = stageChain();
        info.pSpecializationInfo = specialization();
        return info;
    }

    template <typename Info>
    void fillStages(Info& info, VkShaderStageFlagBits first) {
        std::vector<VkPipelineShaderStageCreateInfo> stages;
        for (uint32_t count = reader_.below(kMostStages); count > 0; --count)
            stages.push_back(stage(count == 1 ? first : VK_SHADER_STAGE_FRAGMENT_BIT));
        info.stageCount = static_cast<uint32_t>(stages.size());
        info.pStages = blocks_.addArray(stages);
    }

    template <typename Info>
    void fillBase(Info& info, uint32_t index) {
        constexpr VkPipelineCreateFlags kFlags[] = {
            0, VK_PIPELINE_CREATE_DERIVATIVE_BIT, VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT,
            VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
            VK_PIPELINE_CREATE_DERIVATIVE_BIT | VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT};
        info.flags = reader_.from(kFlags);
        info.basePipelineIndex =
            index > 0 && reader_.flag() ? static_cast<int32_t>(reader_.below(index)) : -1;
        info.pNext = pipelineChain();
    }

    void* pipelineChain() {
        void* chain = readChain(reader_, blocks_, 2);
        switch (reader_.below(6)) {
            case 0: {
                VkGraphicsPipelineLibraryCreateInfoEXT part = {
                    VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, chain,
                    reader_.below(16)};
                return blocks_.add(part);
            }
            case 1: {
                VkPipelineCreateFlags2CreateInfo flags = {
                    VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, chain, reader_.number()};
                return blocks_.add(flags);
            }
            case 2: {
                VkGraphicsShaderGroupCreateInfoNV group = {
                    VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV};
                fillStages(group, VK_SHADER_STAGE_VERTEX_BIT);
                VkGraphicsPipelineShaderGroupsCreateInfoNV groups = {
                    VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV, chain};
                groups.groupCount = 1;
                groups.pGroups = blocks_.add(group);
                return blocks_.add(groups);
            }
            default:
                return chain;
        }
    }

    VkComputePipelineCreateInfo compute(uint32_t index) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        fillBase(info, index);
        info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT);
        return info;
    }
    template <typename Info>
    Info staged(VkStructureType type, VkShaderStageFlagBits first, uint32_t index) {
        Info info = {};
        info.sType = type;
        fillBase(info, index);
        fillStages(info, first);
        return info;
    }
    VkGraphicsPipelineCreateInfo graphics(uint32_t index) {
        return staged<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                    VK_SHADER_STAGE_VERTEX_BIT, index);
    }
    VkRayTracingPipelineCreateInfoKHR rays(uint32_t index) {
        return staged<VkRayTracingPipelineCreateInfoKHR>(
            VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR, VK_SHADER_STAGE_RAYGEN_BIT_KHR,
            index);
    }

    // If a graphics pipeline does not read its stages, they may be invalid.
    template <typename Info>
    void note(const Info& info) {
        if constexpr (std::is_same_v<Info, VkGraphicsPipelineCreateInfo>) {
            ignoresStages_ = ignoresStages_ || !layer::readsStages(info);
        }
    }

    // Creates up to three at once. Exactly those that are reported as created must exist.
    template <typename Info, typename Create>
    std::string createAll(Info (Pipelines::*make)(uint32_t), const Create& create) {
        std::vector<Info> infos;
        for (uint32_t count = 1 + reader_.below(3); count > 0; --count)
            infos.push_back((this->*make)(static_cast<uint32_t>(infos.size())));
        for (const Info& info : infos) note(info);
        const Info* list = blocks_.addArray(infos);
        blocks_.seal();
        std::vector<VkPipeline> made(infos.size(), kNotWritten);
        const VkResult result = create(static_cast<uint32_t>(infos.size()), list, made.data());
        const bool allThere = std::ranges::all_of(made, [](VkPipeline p) { return p != nullptr; });
        if ((result == VK_SUCCESS) != allThere) return "success without pipelines, or the reverse";
        for (VkPipeline pipeline : made) {
            if (pipeline == kNotWritten) return "a pipeline handle was not written";
        }
        return {};
    }

    std::string call() {
        const VkDevice device = device_.handle;
        switch (reader_.below(6)) {
            case 0:
                return createShaderObjects();
            case 1:
                return askForKey();
            case 2: {
                const auto create =
                    find<PFN_vkCreateGraphicsPipelines>("vkCreateGraphicsPipelines");
                return createAll(&Pipelines::graphics, [&](uint32_t count, auto* infos, auto* out) {
                    return create(device, VK_NULL_HANDLE, count, infos, nullptr, out);
                });
            }
            case 3: {
                const auto create =
                    find<PFN_vkCreateRayTracingPipelinesKHR>("vkCreateRayTracingPipelinesKHR");
                return createAll(&Pipelines::rays, [&](uint32_t count, auto* infos, auto* out) {
                    return create(device, VK_NULL_HANDLE, VK_NULL_HANDLE, count, infos, nullptr,
                                  out);
                });
            }
            default: {
                const auto create = find<PFN_vkCreateComputePipelines>("vkCreateComputePipelines");
                return createAll(&Pipelines::compute, [&](uint32_t count, auto* infos, auto* out) {
                    return create(device, VK_NULL_HANDLE, count, infos, nullptr, out);
                });
            }
        }
    }

    const void* readBinary(size_t size) {
        std::byte* bytes = blocks_.addBytes(size);
        for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(reader_.byte());
        return bytes;
    }

    std::string createShaderObjects() {
        std::vector<VkShaderCreateInfoEXT> infos;
        for (uint32_t count = 1 + reader_.below(3); count > 0; --count) {
            VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
            const VkShaderModuleCreateInfo code = moduleInfo();
            info.flags = reader_.below(16);
            info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
            info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
            info.codeSize = code.codeSize;
            info.pCode = code.pCode;
            if (reader_.below(4) == 0) {
                info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
                info.codeSize = reader_.below(96);
                info.pCode = readBinary(info.codeSize);
            }
            info.pName = entryPoint();
            info.pSpecializationInfo = specialization();
            info.pNext = stageChain();
            infos.push_back(info);
        }
        const VkShaderCreateInfoEXT* list = blocks_.addArray(infos);
        blocks_.seal();
        std::vector<VkShaderEXT> made(infos.size());
        const auto create = find<PFN_vkCreateShadersEXT>("vkCreateShadersEXT");
        const auto destroy = find<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT");
        create(device_.handle, static_cast<uint32_t>(infos.size()), list, nullptr, made.data());
        for (VkShaderEXT shader : made) {
            if (destroy != nullptr) destroy(device_.handle, shader, nullptr);
        }
        return {};
    }

    std::string askForKey() {
        VkPipelineCreateInfoKHR outer = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR};
        outer.pNext = readChain(reader_, blocks_, 2);
        if (reader_.flag()) {
            VkComputePipelineCreateInfo inner = compute(0);
            inner.pNext = outer.pNext;
            outer.pNext = blocks_.add(inner);
        } else {
            VkGraphicsPipelineCreateInfo inner = graphics(0);
            inner.pNext = outer.pNext;
            note(inner);
            outer.pNext = blocks_.add(inner);
        }
        outer.pNext = readChain(reader_, blocks_, 2, outer.pNext);
        blocks_.seal();
        VkPipelineBinaryKeyKHR key = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
        const bool ofDevice = reader_.below(4) == 0;
        const auto ask = find<PFN_vkGetPipelineKeyKHR>("vkGetPipelineKeyKHR");
        ask(device_.handle, ofDevice ? nullptr : &outer, &key);
        return key.keySize > VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR ? "a key that is too long" : "";
    }

    Reader& reader_;
    World& world_;
    const FuzzDevice& device_;
    Blocks blocks_;
    std::vector<VkShaderModule> modules_;
    bool ignoresStages_ = false;
};

}  // namespace

Complaint checkPipelines(Reader& reader, World& world) { return Pipelines(reader, world).check(); }

}  // namespace coopvk::fuzz
