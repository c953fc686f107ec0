// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan layer for use above coopvk. It saves the shader of each compute pipeline, with its
// specialization, in the folder that COOPVK_CAPTURE names. `coopvk_fleet --folder` reads these
// files. If the program names a pipeline, the files have that name.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <format>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../module_layer.hpp"

namespace coopvk::test {
namespace {

std::mutex mutex;
std::map<VkShaderModule, std::vector<uint32_t>> modules;
std::map<VkPipeline, std::string> kept;  // with the path of its files, without their endings

const VkBaseInStructure* find(const void* chain, VkStructureType type) {
    const auto* node = static_cast<const VkBaseInStructure*>(chain);
    while (node != nullptr && node->sType != type) node = node->pNext;
    return node;
}

// The words of a stage, which may be inlined in it.
std::vector<uint32_t> wordsOf(const VkPipelineShaderStageCreateInfo& stage) {
    if (const auto found = modules.find(stage.module); found != modules.end()) return found->second;
    const auto* inlined = reinterpret_cast<const VkShaderModuleCreateInfo*>(
        find(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO));
    if (inlined == nullptr) return {};
    return {inlined->pCode, inlined->pCode + inlined->codeSize / 4};
}

nlohmann::ordered_json describe(const VkPipelineShaderStageCreateInfo& stage) {
    nlohmann::ordered_json constants = nlohmann::ordered_json::array();
    const VkSpecializationInfo* info = stage.pSpecializationInfo;
    for (uint32_t i = 0; info != nullptr && i < info->mapEntryCount; ++i) {
        const VkSpecializationMapEntry& entry = info->pMapEntries[i];
        uint64_t value = 0;
        if (entry.size > sizeof(value)) continue;
        std::memcpy(&value, static_cast<const char*>(info->pData) + entry.offset, entry.size);
        constants.push_back({entry.constantID, value, entry.size});
    }
    const auto* size = reinterpret_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(
        find(stage.pNext,
             VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO));
    return {{"constants", constants},
            {"subgroupSize", size != nullptr ? size->requiredSubgroupSize : 0}};
}

void keep(const VkPipelineShaderStageCreateInfo& stage, VkPipeline pipeline) {
    const char* folder = std::getenv("COOPVK_CAPTURE");
    const std::lock_guard lock(mutex);
    const std::vector<uint32_t> words = wordsOf(stage);
    if (folder == nullptr || words.empty()) return;
    const std::string text = describe(stage).dump();
    const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
    const size_t hash = std::hash<std::string_view>()(bytes) ^ std::hash<std::string>()(text);
    const std::string path = std::format("{}/{:016x}", folder, hash);
    std::ofstream(path + ".spv", std::ios::binary).write(bytes.data(), std::ssize(bytes));
    std::ofstream(path + ".json") << text << '\n';
    kept[pipeline] = path;
}

VKAPI_ATTR VkResult VKAPI_CALL createComputePipelines(VkDevice device, VkPipelineCache cache,
                                                      uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator,
                                                      VkPipeline* pipelines) {
    const auto next = reinterpret_cast<PFN_vkCreateComputePipelines>(
        deviceCommandBelow(device, "vkCreateComputePipelines"));
    const VkResult result = next(device, cache, count, infos, allocator, pipelines);
    // Tests make pipelines that coopvk must refuse; drivers need not accept these.
    for (uint32_t i = 0; i < count; ++i) {
        if (pipelines[i] != VK_NULL_HANDLE) keep(infos[i].stage, pipelines[i]);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL setName(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
    if (info->objectType == VK_OBJECT_TYPE_PIPELINE && info->pObjectName != nullptr) {
        const std::lock_guard lock(mutex);
        // Of 64 bits the lower ones, where handles are of 32.
        const auto found = kept.find((VkPipeline)info->objectHandle);
        if (found != kept.end()) {
            const std::filesystem::path before = found->second;
            const std::string hash = before.filename().string().substr(0, 8);
            const std::string after =
                std::format("{}/{}-{}", before.parent_path().string(), info->pObjectName, hash);
            std::error_code ignored;
            std::filesystem::rename(before.string() + ".spv", after + ".spv", ignored);
            std::filesystem::rename(before.string() + ".json", after + ".json", ignored);
            kept.erase(found);
        }
    }
    return reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        deviceCommandBelow(device, "vkSetDebugUtilsObjectNameEXT"))(device, info);
}

const Command kCommands[] = {
    {"vkCreateComputePipelines", reinterpret_cast<PFN_vkVoidFunction>(createComputePipelines)},
    {"vkSetDebugUtilsObjectNameEXT", reinterpret_cast<PFN_vkVoidFunction>(setName)},
};

}  // namespace

std::span<const Command> furtherCommands() { return kCommands; }

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module) {
    const VkResult result = createShaderModuleBelow(device, info, allocator, module);
    const std::lock_guard lock(mutex);
    if (result == VK_SUCCESS) modules[*module] = {info->pCode, info->pCode + info->codeSize / 4};
    return result;
}

}  // namespace coopvk::test
