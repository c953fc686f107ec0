// SPDX-License-Identifier: Apache-2.0
#include "fake_commands.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "fake_driver.hpp"
#include "hash.hpp"
#include "pipeline_batch.hpp"

namespace coopvk::test::fake {
namespace {

using layer::findNode;

FakeDriver& driver() { return *current(); }

template <typename Handle>
VkResult makeObject(const VkAllocationCallbacks* allocator, Handle* out) {
    driver().allocators.insert(allocator);
    const uint64_t number = nextHandle();
    if (!driver().objects.make(number, allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *out = reinterpret_cast<Handle>(number);
    return VK_SUCCESS;
}

template <typename Handle>
void destroyObject(VkDevice, Handle handle, const VkAllocationCallbacks* allocator) {
    driver().objects.destroy(numberOf(handle), allocator);
}

// The object of a dispatchable handle: the loader's word, which differs for each.
struct Dispatchable {
    void* key = this;
};

std::vector<VkStructureType> typesOf(const void* chain) {
    std::vector<VkStructureType> types;
    for (auto* node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
        types.push_back(node->sType);
    }
    return types;
}

// --- Instance and physical device

VkResult createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks* allocator,
                        VkInstance* instance) {
    driver().allocators.insert(allocator);
    auto made = std::make_unique<Dispatchable>();
    if (!driver().objects.make(numberOf(made.get()), allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    ++driver().createdInstances;
    *instance = reinterpret_cast<VkInstance>(made.release());
    return VK_SUCCESS;
}

void destroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    ++driver().destroyedInstances;
    driver().objects.destroy(numberOf(instance), allocator);
    delete reinterpret_cast<Dispatchable*>(instance);
}

void getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
    *properties = {};
    properties->apiVersion = driver().apiVersion;
    properties->driverVersion = 7;
    properties->vendorID = driver().vendorId;
    properties->deviceID = driver().deviceId;
    properties->deviceType = driver().deviceType;
    std::strcpy(properties->deviceName, "fake device");
    properties->limits = driver().limits;
}

void getProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
    getProperties(device, &properties->properties);
    for (auto* node = static_cast<VkBaseOutStructure*>(properties->pNext); node;
         node = node->pNext) {
        if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            auto& subgroup = *reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(node);
            subgroup.subgroupSize = driver().subgroupSize;
            subgroup.supportedStages = VK_SHADER_STAGE_ALL;
            subgroup.supportedOperations =
                VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
        } else if (node->sType ==
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
            auto& control = *reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(node);
            control.minSubgroupSize = driver().minSubgroupSize;
            control.maxSubgroupSize = driver().maxSubgroupSize;
            control.maxComputeWorkgroupSubgroups = 32;
            control.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceDriverProperties*>(node)->driverID = driver().driverId;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceVulkan12Properties*>(node)->driverID =
                driver().driverId;
        } else if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT) {
            auto& objects = *reinterpret_cast<VkPhysicalDeviceShaderObjectPropertiesEXT*>(node);
            std::memset(objects.shaderBinaryUUID, 0x5a, VK_UUID_SIZE);
        } else if (node->sType ==
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_PROPERTIES_EXT) {
            auto& identifiers =
                *reinterpret_cast<VkPhysicalDeviceShaderModuleIdentifierPropertiesEXT*>(node);
            std::memset(identifiers.shaderModuleIdentifierAlgorithmUUID, 0x3c, VK_UUID_SIZE);
        }
    }
}

void getFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* features) {
    for (auto* node = reinterpret_cast<VkBaseOutStructure*>(features); node; node = node->pNext) {
        for (const layer::FeatureRow& row : layer::featureTable()) {
            const bool set = driver().features.test(static_cast<size_t>(row.feature));
            for (const layer::FeaturePlace& place : {row.single, row.aggregate, row.older}) {
                if (place.type == node->sType) layer::featureBit(node, place.offset) = set;
            }
        }
        const auto more = driver().moreFeatures.find(node->sType);
        if (more == driver().moreFeatures.end()) continue;
        std::memcpy(reinterpret_cast<VkBaseInStructure*>(node) + 1, more->second.data(),
                    more->second.size() * sizeof(VkBool32));
    }
}

void getFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    getFeatures2(device, &all);
    *features = all.features;
}

VkResult enumerateExtensions(VkPhysicalDevice, const char*, uint32_t* count,
                             VkExtensionProperties* out) {
    if (driver().listing != VK_SUCCESS) return driver().listing;
    const std::vector<std::string>& names = driver().extensions;
    return layer::giveArray(std::span<const std::string>(names), count, out,
                            [](const std::string& name, VkExtensionProperties& to) {
                                to = {};
                                name.copy(to.extensionName, VK_MAX_EXTENSION_NAME_SIZE - 1);
                                to.specVersion = 1;
                            });
}

VkResult enumerateLayers(VkPhysicalDevice, uint32_t* count, VkLayerProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

VkResult getTools(VkPhysicalDevice, uint32_t* count, VkPhysicalDeviceToolProperties* out) {
    const std::vector<int> tools(driver().tools);
    return layer::giveArray(
        std::span<const int>(tools), count, out,
        [](int, VkPhysicalDeviceToolProperties& to) { std::strcpy(to.name, "driver's tool"); });
}

VkResult getInt4Shapes(VkPhysicalDevice, uint32_t* count,
                       VkCooperativeMatrixInt4PropertiesCOOPVK* out) {
    const std::vector<int> shapes(driver().int4Shapes);
    return layer::giveArray(
        std::span<const int>(shapes), count, out,
        [](int, VkCooperativeMatrixInt4PropertiesCOOPVK& to) { to.MSize = 123; });
}

VkResult getMatrixShapes(VkPhysicalDevice, uint32_t* count, VkCooperativeMatrixPropertiesKHR* out) {
    const auto& shapes = driver().matrixShapes;
    return layer::giveArray(std::span<const VkCooperativeMatrixPropertiesKHR>(shapes), count, out);
}

// --- Device

VkResult createDevice(VkPhysicalDevice, const VkDeviceCreateInfo* info,
                      const VkAllocationCallbacks* allocator, VkDevice* device) {
    SeenDevice seen;
    seen.extensions.assign(info->ppEnabledExtensionNames,
                           info->ppEnabledExtensionNames + info->enabledExtensionCount);
    seen.chain = typesOf(info->pNext);
    seen.hasCoreFeatures = info->pEnabledFeatures != nullptr;
    if (seen.hasCoreFeatures) seen.coreFeatures = *info->pEnabledFeatures;
    for (auto* node = static_cast<const VkBaseInStructure*>(info->pNext); node;
         node = node->pNext) {
        const size_t size = layer::structSize(node->sType);
        if (size == 0 || node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
        const auto* first = reinterpret_cast<const VkBool32*>(node + 1);
        seen.features[node->sType].assign(first, first + (size - sizeof(*node)) / sizeof(VkBool32));
    }
    driver().device = seen;
    driver().allocators.insert(allocator);
    const uint64_t again = std::exchange(driver().reuse, 0);
    auto made = again == 0 ? std::make_unique<Dispatchable>() : nullptr;
    const uint64_t number = again == 0 ? numberOf(made.get()) : again;
    if (!driver().objects.make(number, allocator)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    ++driver().createdDevices;
    made.release();
    *device = reinterpret_cast<VkDevice>(number);
    return VK_SUCCESS;
}

void destroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    driver().allocators.insert(allocator);
    ++driver().destroyedDevices;
    driver().objects.destroy(numberOf(device), allocator);
    happen("vkDestroyDevice");
    if (driver().objects.has(numberOf(device))) return;
    delete reinterpret_cast<Dispatchable*>(device);
}

// --- Shaders

VkResult createShaderModule(VkDevice, const VkShaderModuleCreateInfo* info,
                            const VkAllocationCallbacks* allocator, VkShaderModule* module) {
    happen("vkCreateShaderModule");
    if (const VkResult result = makeObject(allocator, module); result != VK_SUCCESS) return result;
    const Words words(info->pCode, info->pCode + info->codeSize / 4);
    driver().createdModules.push_back(words);
    driver().modules[reinterpret_cast<uint64_t>(*module)] = words;
    return VK_SUCCESS;
}

void destroyShaderModule(VkDevice, VkShaderModule module, const VkAllocationCallbacks* allocator) {
    driver().allocators.insert(allocator);
    driver().modules.erase(numberOf(module));
    driver().objects.destroy(numberOf(module), allocator);
    happen("vkDestroyShaderModule");
}

void identify(const Words& words, VkShaderModuleIdentifierEXT* identifier) {
    const uint64_t hash = layer::fnv1a(words);
    identifier->identifierSize = sizeof(hash);
    std::memcpy(identifier->identifier, &hash, sizeof(hash));
}

void getModuleIdentifier(VkDevice, VkShaderModule module, VkShaderModuleIdentifierEXT* out) {
    identify(driver().modules.at(reinterpret_cast<uint64_t>(module)), out);
}

void getCreateInfoIdentifier(VkDevice, const VkShaderModuleCreateInfo* info,
                             VkShaderModuleIdentifierEXT* out) {
    identify(Words(info->pCode, info->pCode + info->codeSize / 4), out);
}

template <typename Info>
SeenStage seeCommon(const Info& info) {
    SeenStage seen;
    seen.stage = info.stage;
    seen.flags = info.flags;
    seen.specialized = info.pSpecializationInfo != nullptr;
    seen.chain = typesOf(info.pNext);
    const auto* size = findNode<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    if (size != nullptr) seen.requiredSubgroupSize = size->requiredSubgroupSize;
    return seen;
}

SeenStage see(const VkPipelineShaderStageCreateInfo& info) {
    SeenStage seen = seeCommon(info);
    const auto* code =
        findNode<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (info.module != VK_NULL_HANDLE) {
        seen.words = driver().modules.at(reinterpret_cast<uint64_t>(info.module));
    } else if (code != nullptr) {
        seen.words.assign(code->pCode, code->pCode + code->codeSize / 4);
    }
    return seen;
}

std::vector<SeenStage> seeStages(const VkComputePipelineCreateInfo& info) {
    return {see(info.stage)};
}
template <typename Info>
std::vector<SeenStage> seeStages(const Info& info) {
    std::vector<SeenStage> seen;
    for (uint32_t i = 0; i < info.stageCount; ++i) seen.push_back(see(info.pStages[i]));
    return seen;
}

template <typename Info>
VkResult createPipelines(uint32_t count, const Info* infos, const VkAllocationCallbacks* allocator,
                         VkPipeline* pipelines) {
    std::fill_n(pipelines, count, VkPipeline(VK_NULL_HANDLE));
    if constexpr (std::is_same_v<Info, VkComputePipelineCreateInfo>) {
        happen("vkCreateComputePipelines");
    }
    for (uint32_t i = 0; i < count; ++i) {
        driver().pipelines.push_back({seeStages(infos[i]), infos[i].basePipelineHandle,
                                      infos[i].basePipelineIndex, infos[i].layout,
                                      layer::pipelineFlags(infos[i])});
        if (driver().pipelineResult < 0) return driver().pipelineResult;
        const VkResult result = makeObject(allocator, &pipelines[i]);
        if (result != VK_SUCCESS) return result;
    }
    return driver().pipelineResult;
}

template <typename Info>
VkResult createPlain(VkDevice, VkPipelineCache, uint32_t count, const Info* infos,
                     const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    return createPipelines(count, infos, allocator, pipelines);
}

VkResult createRayTracing(VkDevice, VkDeferredOperationKHR operation, VkPipelineCache,
                          uint32_t count, const VkRayTracingPipelineCreateInfoKHR* infos,
                          const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const VkResult result = createPipelines(count, infos, allocator, pipelines);
    const bool deferred = operation != VK_NULL_HANDLE && result == VK_SUCCESS;
    return deferred ? driver().deferredResult : result;
}

void destroyDeferredOperation(VkDevice, VkDeferredOperationKHR, const VkAllocationCallbacks*) {
    happen("vkDestroyDeferredOperationKHR");
}

#ifdef VK_ARM_data_graph
// Its stage is the graph's.
VkResult createDataGraphs(VkDevice, VkDeferredOperationKHR, VkPipelineCache, uint32_t count,
                          const VkDataGraphPipelineCreateInfoARM* infos,
                          const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    for (uint32_t i = 0; i < count; ++i) {
        VkPipelineShaderStageCreateInfo stage = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, infos[i].pNext};
        const auto* graph = findNode<VkDataGraphPipelineShaderModuleCreateInfoARM>(
            infos[i].pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
        if (graph != nullptr) stage.module = graph->module;
        driver().pipelines.push_back({{see(stage)}});
        const VkResult result = makeObject(allocator, &pipelines[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}
#endif

VkResult createShaders(VkDevice, uint32_t count, const VkShaderCreateInfoEXT* infos,
                       const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
    std::fill_n(shaders, count, VkShaderEXT(VK_NULL_HANDLE));
    for (uint32_t i = 0; i < count; ++i) {
        SeenStage seen = seeCommon(infos[i]);
        const auto* code = static_cast<const uint32_t*>(infos[i].pCode);
        seen.words.assign(code, code + infos[i].codeSize / 4);
        driver().shaders.push_back(std::move(seen));
        if (driver().shaderResult != VK_SUCCESS) return driver().shaderResult;
        const VkResult result = makeObject(allocator, &shaders[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}

// The words' hash, the flags and the size; of all stages.
VkResult getPipelineKey(VkDevice, const VkPipelineCreateInfoKHR* info,
                        VkPipelineBinaryKeyKHR* key) {
    uint64_t hash = 0;
    if (info != nullptr) {
        const auto* compute = findNode<VkComputePipelineCreateInfo>(
            info->pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
        const auto* graphics = findNode<VkGraphicsPipelineCreateInfo>(
            info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
        const auto* rays = findNode<VkRayTracingPipelineCreateInfoKHR>(
            info->pNext, VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
        std::vector<SeenStage> stages;
        if (compute != nullptr) stages = seeStages(*compute);
        if (graphics != nullptr) stages = seeStages(*graphics);
        if (rays != nullptr) stages = seeStages(*rays);
#ifdef VK_AMDX_shader_enqueue
        const auto* graph = findNode<VkExecutionGraphPipelineCreateInfoAMDX>(
            info->pNext, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
        if (graph != nullptr) stages = seeStages(*graph);
#endif
        for (const SeenStage& stage : stages) {
            hash ^= layer::fnv1a(stage.words) + stage.flags + stage.requiredSubgroupSize;
        }
        driver().pipelines.push_back({std::move(stages)});
    }
    key->keySize = sizeof(hash);
    std::memcpy(key->key, &hash, sizeof(hash));
    return VK_SUCCESS;
}

VkResult createPipelineBinaries(VkDevice device, const VkPipelineBinaryCreateInfoKHR* info,
                                const VkAllocationCallbacks* allocator,
                                VkPipelineBinaryHandlesInfoKHR* out) {
    VkPipelineBinaryKeyKHR key = {};
    if (info->pPipelineCreateInfo) getPipelineKey(device, info->pPipelineCreateInfo, &key);
    out->pipelineBinaryCount = 1;
    if (out->pPipelineBinaries == nullptr) return VK_SUCCESS;
    return makeObject(allocator, &out->pPipelineBinaries[0]);
}

void getIndirectRequirements(VkDevice, const VkComputePipelineCreateInfo* info,
                             VkMemoryRequirements2* requirements) {
    driver().pipelines.push_back({seeStages(*info)});
    requirements->memoryRequirements.size = driver().pipelines.back().stages[0].words.size();
}

// --- Command buffers, which only matrix conversions have an interest in

VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    // They share the device's dispatch key, as the loader's handles do.
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
        const uint64_t again = std::exchange(driver().reuse, 0);
        out[i] = again != 0 ? reinterpret_cast<VkCommandBuffer>(again)
                            : reinterpret_cast<VkCommandBuffer>(
                                  new Dispatchable{*reinterpret_cast<void**>(device)});
        driver().commandBuffers.insert(out[i]);
    }
    return VK_SUCCESS;
}

// Objects whose handle was not given again since then are destroyed.
void dropCommandBuffers(std::span<const VkCommandBuffer> list, std::string_view command) {
    for (VkCommandBuffer commands : list) driver().commandBuffers.erase(commands);
    happen(command);
    for (VkCommandBuffer commands : list) {
        if (driver().commandBuffers.contains(commands)) continue;
        delete reinterpret_cast<Dispatchable*>(commands);
    }
}

void freeCommandBuffers(VkDevice, VkCommandPool, uint32_t count, const VkCommandBuffer* list) {
    dropCommandBuffers(std::span(list, count), "vkFreeCommandBuffers");
}

// There is but one.
void destroyCommandPool(VkDevice, VkCommandPool, const VkAllocationCallbacks*) {
    const std::set<VkCommandBuffer> all = driver().commandBuffers;
    dropCommandBuffers(std::vector<VkCommandBuffer>(all.begin(), all.end()),
                       "vkDestroyCommandPool");
}

VkResult beginCommandBuffer(VkCommandBuffer, const VkCommandBufferBeginInfo*) { return VK_SUCCESS; }
VkResult endCommandBuffer(VkCommandBuffer) { return VK_SUCCESS; }

VkResult createPipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo*,
                              const VkAllocationCallbacks* allocator, VkPipelineLayout* out) {
    return makeObject(allocator, out);
}

VkResult createRenderPass(VkDevice, const VkRenderPassCreateInfo*,
                          const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    return makeObject(allocator, out);
}
VkResult createRenderPass2(VkDevice, const VkRenderPassCreateInfo2*,
                           const VkAllocationCallbacks* allocator, VkRenderPass* out) {
    return makeObject(allocator, out);
}

void destroyShader(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks* allocator) {
    destroyObject(device, shader, allocator);
    happen("vkDestroyShaderEXT");
}

VkResult getShaderBinary(VkDevice, VkShaderEXT, size_t* size, void* data) {
    constexpr size_t kSize = 48;
    if (data != nullptr) std::memset(data, 0xab, std::min(*size, kSize));
    const bool fits = data == nullptr || *size >= kSize;
    *size = kSize;
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

const Entry kInstanceEntries[] = {
    COOPVK_FAKE(vkCreateInstance, createInstance),
    COOPVK_FAKE(vkDestroyInstance, destroyInstance),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties, getProperties),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures, getFeatures),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties2, getProperties2),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures2, getFeatures2),
    COOPVK_FAKE(vkGetPhysicalDeviceProperties2KHR, getProperties2),
    COOPVK_FAKE(vkGetPhysicalDeviceFeatures2KHR, getFeatures2),
    COOPVK_FAKE(vkEnumerateDeviceExtensionProperties, enumerateExtensions),
    COOPVK_FAKE(vkEnumerateDeviceLayerProperties, enumerateLayers),
    COOPVK_FAKE(vkGetPhysicalDeviceToolProperties, getTools),
    COOPVK_FAKE(vkGetPhysicalDeviceToolPropertiesEXT, getTools),
    COOPVK_FAKE(vkCreateDevice, createDevice),
};

const Entry kDeviceEntries[] = {
    COOPVK_FAKE(vkGetDeviceProcAddr, getDeviceProcAddr),
    COOPVK_FAKE(vkDestroyDevice, destroyDevice),
    COOPVK_FAKE(vkCreateShaderModule, createShaderModule),
    COOPVK_FAKE(vkDestroyShaderModule, destroyShaderModule),
    COOPVK_FAKE(vkGetShaderModuleIdentifierEXT, getModuleIdentifier),
    COOPVK_FAKE(vkGetShaderModuleCreateInfoIdentifierEXT, getCreateInfoIdentifier),
    COOPVK_FAKE(vkCreateComputePipelines, createPlain<VkComputePipelineCreateInfo>),
    COOPVK_FAKE(vkCreateGraphicsPipelines, createPlain<VkGraphicsPipelineCreateInfo>),
    COOPVK_FAKE(vkCreateRayTracingPipelinesNV, createPlain<VkRayTracingPipelineCreateInfoNV>),
    COOPVK_FAKE(vkCreateRayTracingPipelinesKHR, createRayTracing),
#ifdef VK_AMDX_shader_enqueue
    COOPVK_FAKE(vkCreateExecutionGraphPipelinesAMDX,
                createPlain<VkExecutionGraphPipelineCreateInfoAMDX>),
#endif
#ifdef VK_ARM_data_graph
    COOPVK_FAKE(vkCreateDataGraphPipelinesARM, createDataGraphs),
#endif
    COOPVK_FAKE(vkDestroyDeferredOperationKHR, destroyDeferredOperation),
    COOPVK_FAKE(vkCreateShadersEXT, createShaders),
    COOPVK_FAKE(vkGetPipelineKeyKHR, getPipelineKey),
    COOPVK_FAKE(vkCreatePipelineBinariesKHR, createPipelineBinaries),
    COOPVK_FAKE(vkGetPipelineIndirectMemoryRequirementsNV, getIndirectRequirements),
    COOPVK_FAKE(vkAllocateCommandBuffers, allocateCommandBuffers),
    COOPVK_FAKE(vkFreeCommandBuffers, freeCommandBuffers),
    COOPVK_FAKE(vkBeginCommandBuffer, beginCommandBuffer),
    COOPVK_FAKE(vkEndCommandBuffer, endCommandBuffer),
    COOPVK_FAKE(vkCreatePipelineLayout, createPipelineLayout),
    COOPVK_FAKE(vkDestroyPipelineLayout, destroyObject<VkPipelineLayout>),
    COOPVK_FAKE(vkDestroyPipeline, destroyObject<VkPipeline>),
    COOPVK_FAKE(vkDestroyShaderEXT, destroyShader),
    COOPVK_FAKE(vkGetShaderBinaryDataEXT, getShaderBinary),
    COOPVK_FAKE(vkDestroyPipelineBinaryKHR, destroyObject<VkPipelineBinaryKHR>),
    COOPVK_FAKE(vkDestroyCommandPool, destroyCommandPool),
    COOPVK_FAKE(vkCreateRenderPass, createRenderPass),
    COOPVK_FAKE(vkCreateRenderPass2, createRenderPass2),
    COOPVK_FAKE(vkCreateRenderPass2KHR, createRenderPass2),
    COOPVK_FAKE(vkDestroyRenderPass, destroyObject<VkRenderPass>),
};

PFN_vkVoidFunction lookUp(std::span<const Entry> entries, std::string_view name) {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found != entries.end() ? found->function : nullptr;
}

}  // namespace

FakeDriver*& current() {
    static FakeDriver* driver = nullptr;
    return driver;
}

uint64_t nextHandle() {
    static uint64_t counter = 0;
    const uint64_t again = std::exchange(driver().reuse, 0);
    return again != 0 ? again : ++counter;
}

void happen(std::string_view command) {
    auto found = driver().during.extract(command);
    if (!found.empty()) found.mapped()();
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name) {
    if (driver().answersFromTheTop && std::string_view(name).starts_with("vkGetPhysicalDevice")) {
        return driver().instanceCommand(name);
    }
    constexpr std::string_view kInt4 = "vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK";
    if (name == kInt4 && driver().int4Shapes != 0) {
        return reinterpret_cast<PFN_vkVoidFunction>(&Entrance<&getInt4Shapes>::call);
    }
    constexpr std::string_view kMatrices = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    if (name == kMatrices && !driver().matrixShapes.empty()) {
        return reinterpret_cast<PFN_vkVoidFunction>(&Entrance<&getMatrixShapes>::call);
    }
    const PFN_vkVoidFunction found = lookUp(kInstanceEntries, name);
    return found != nullptr ? found : getDeviceProcAddr(VK_NULL_HANDLE, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name) {
    PFN_vkVoidFunction found = lookUp(kDeviceEntries, name);
    if (found == nullptr) found = lookUp(basicRecordingEntries(), name);
    if (found != nullptr || !driver().recordsAll) return found;
    return lookUp(recordingEntries(), name);
}

}  // namespace coopvk::test::fake
