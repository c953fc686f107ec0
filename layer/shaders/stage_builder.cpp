// SPDX-License-Identifier: Apache-2.0
#include "shaders/stage_builder.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <chrono>

#include "chain/pnext.hpp"
#include "objects/context.hpp"
#include "report/quietly.hpp"
#include "system/hash.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kInlineModule = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
constexpr auto kIdentifier =
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
constexpr auto kRequiredSize =
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;

// A stage names its shader by module, by words in its chain, or by identifier alone. Null if the
// shader uses nothing that the device emulates, or is not there to be read.
ShaderWordsRef stageWords(const DeviceContext& device, const VkPipelineShaderStageCreateInfo& stage,
                          StageShaders shaders) {
    if (stage.module != VK_NULL_HANDLE) return device.modules.find(stage.module);
    if (shaders == StageShaders::kModulesThatExist) return nullptr;
    if (const auto* info = findNode<VkShaderModuleCreateInfo>(stage.pNext, kInlineModule)) {
        return emulatedWords(device, info->codeSize, info->pCode);
    }
    const auto* identifier =
        findNode<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(stage.pNext, kIdentifier);
    if (identifier == nullptr) return nullptr;
    return device.modules.findIdentifier(identifier->pIdentifier, identifier->identifierSize);
}

// The subgroup size that the chain of a stage or shader object requires; 0 if none.
uint32_t requiredSubgroupSize(const void* chain) {
    const auto* node =
        findNode<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(chain, kRequiredSize);
    return node == nullptr ? 0 : node->requiredSubgroupSize;
}

// A structure that requires `size`, before `chain`.
const void* withRequiredSubgroupSize(Scratch& scratch, const void* chain, uint32_t size) {
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo node = {};
    node.sType = kRequiredSize;
    node.pNext = const_cast<void*>(chain);
    node.requiredSubgroupSize = size;
    return scratch.copy(node);
}

// The same flags, with the names and values of either structure.
struct StageFlags {
    VkFlags varying;
    VkFlags full;
    VkFlags64 indexes64Bits;  // of the pipeline or shader object
};
#ifdef VK_EXT_shader_64bit_indexing
constexpr VkFlags64 kPipelineIndexes64Bits = VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT;
constexpr VkFlags64 kShaderIndexes64Bits = VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT;
#else
constexpr VkFlags64 kPipelineIndexes64Bits = 0, kShaderIndexes64Bits = 0;
#endif
StageFlags stageFlags(const VkPipelineShaderStageCreateInfo&) {
    return {VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT,
            VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT, kPipelineIndexes64Bits};
}
StageFlags stageFlags(const VkShaderCreateInfoEXT&) {
    return {VK_SHADER_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT,
            VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT, kShaderIndexes64Bits};
}

bool emulatesSubgroups(const DeviceContext& device) {
    return device.facts.traits.driverSubgroupSize != 0;
}

// The driver must not be asked for subgroups that coopvk emulates. Returns whether it was.
template <typename Info>
bool dropSubgroupRequirements(const DeviceContext& device, Scratch& scratch, Info& info) {
    if (!emulatesSubgroups(device)) return false;
    const StageFlags flags = stageFlags(info);
    const bool isRequired = requiredSubgroupSize(info.pNext) != 0;
    if (!isRequired && (info.flags & flags.full) == 0) return false;
    info.flags &= ~flags.full;
    if (!isRequired) return true;
    ChainEditor chain(info.pNext, scratch);
    chain.remove(kRequiredSize);
    if (chain.ok()) info.pNext = chain.head();
    return true;
}

// Whether a module uses anything that the device emulates, may use a shape that coopvk adds, or
// depend on a layout that the driver's matrices do not have.
bool isForLayer(const DeviceContext& device, std::span<const uint32_t> words) {
    return !emulatedUses(device, words).empty() ||
           (device.addsShapes &&
            rewrite::mayUseAddedShapes(words, device.facts.traits, device.emulated,
                                       device.physical->nativeFeatures)) ||
           (device.replacesLayout && rewrite::mayDependOnLayout(words)) ||
           (emulatesSubgroups(device) && rewrite::usesSubgroups(words));
}

bool scanWords(const DeviceContext& device, std::span<const uint32_t> words) {
    if (device.statistics == nullptr) return isForLayer(device, words);
    const auto start = std::chrono::steady_clock::now();
    const bool wanted = isForLayer(device, words);
    device.statistics->scanned(wanted, std::chrono::steady_clock::now() - start);
    return wanted;
}

}  // namespace

ShaderWordsRef emulatedWords(const DeviceContext& device, size_t codeSize, const void* code) {
    if (code == nullptr || codeSize % sizeof(uint32_t) != 0) return nullptr;
    const std::span words(static_cast<const uint32_t*>(code), codeSize / sizeof(uint32_t));
    if (!scanWords(device, words)) return nullptr;
    return std::make_shared<const ShaderWords>(words);
}

template <typename Info>
VkResult rewriteInfo(DeviceContext& device, Scratch& scratch, ShaderWordsRef words, Info& info,
                     VkFlags64 flags, StagePlan& plan) {
    StageRequest request;
    request.words = std::move(words);
    request.stage = info.stage;
    request.entryPoint = info.pName;
    request.specialization = info.pSpecializationInfo;
    request.requiredSubgroupSize = requiredSubgroupSize(info.pNext);
    request.needsFullSubgroups =
        request.requiredSubgroupSize != 0 || (info.flags & stageFlags(info).full) != 0;
    dropSubgroupRequirements(device, scratch, info);
    request.indexes64Bits = (flags & stageFlags(info).indexes64Bits) != 0;
    if (VkResult result = rewriteStage(device, request, plan); result != VK_SUCCESS) return result;
    if (plan.rewritten->untouched) return VK_SUCCESS;
    info.pSpecializationInfo = nullptr;  // frozen in the words
    requireSubgroups(scratch, plan.needs, info);
    return VK_SUCCESS;
}

template VkResult rewriteInfo(DeviceContext&, Scratch&, ShaderWordsRef,
                              VkPipelineShaderStageCreateInfo&, VkFlags64, StagePlan&);
template VkResult rewriteInfo(DeviceContext&, Scratch&, ShaderWordsRef, VkShaderCreateInfoEXT&,
                              VkFlags64, StagePlan&);

template <typename Info>
void requireSubgroups(Scratch& scratch, const SubgroupNeeds& needs, Info& info) {
    const StageFlags flags = stageFlags(info);
    if (needs.size != 0) {
        info.pNext = withRequiredSubgroupSize(scratch, info.pNext, needs.size);
        info.flags &= ~flags.varying;
    }
    if (needs.full) info.flags |= flags.full;
}

template void requireSubgroups(Scratch&, const SubgroupNeeds&, VkPipelineShaderStageCreateInfo&);
template void requireSubgroups(Scratch&, const SubgroupNeeds&, VkShaderCreateInfoEXT&);

template <typename Info>
bool requireDeviceSize(const DeviceContext& device, Scratch& scratch, Info& info) {
    if (dropSubgroupRequirements(device, scratch, info)) return true;
    const uint32_t size = device.requiredSubgroupSize;
    if (size == 0 || requiredSubgroupSize(info.pNext) != 0 ||
        !canRequireSize(device.facts, info.stage)) {
        return false;
    }
    SubgroupNeeds needs;
    needs.size = size;
    requireSubgroups(scratch, needs, info);
    return true;
}

template bool requireDeviceSize(const DeviceContext&, Scratch&, VkPipelineShaderStageCreateInfo&);
template bool requireDeviceSize(const DeviceContext&, Scratch&, VkShaderCreateInfoEXT&);

rewrite::ExtensionSet emulatedUses(const DeviceContext& device, std::span<const uint32_t> words) {
    return rewrite::scan(words, device.emulated, device.physical->nativeFeatures);
}

ShadersAtWork::~ShadersAtWork() {
    if (device_.faults == nullptr) return;
    for (const Shader& shader : shaders_) device_.faults->end(shader.hash);
}

void ShadersAtWork::begin(const ShaderWords& words) {
    if (device_.faults == nullptr && device_.statistics == nullptr) return;
    const rewrite::ExtensionSet uses = emulatedUses(device_, words.words);
    shaders_.push_back({words.hash, uses});
    if (device_.faults != nullptr) device_.faults->begin(words.hash, uses);
}

// Of several shaders, nobody knows which the driver means, so none is remembered.
void ShadersAtWork::driverReturned(VkResult result) const noexcept {
    const bool refuses = result == VK_ERROR_UNKNOWN || result == VK_ERROR_INVALID_SHADER_NV ||
                         result == VK_ERROR_INITIALIZATION_FAILED;
    if (!refuses || shaders_.empty()) return;
    quietly([&] {
        const std::string why = std::string("the driver refused what coopvk made of it, with ") +
                                string_VkResult(result);
        const Shader& first = shaders_.front();
        if (device_.statistics != nullptr)
            device_.statistics->refused("shader " + hexName(first.hash) + ": " + why);
        if (device_.faults != nullptr && shaders_.size() == 1)
            device_.faults->refusedByDriver(first.hash, first.uses, why);
    });
}

BuiltStages::BuiltStages(DeviceContext& device, const VkAllocationCallbacks* allocator)
    : device_(device), allocator_(allocator), work_(device) {}

BuiltStages::~BuiltStages() {
    for (VkShaderModule module : modules_) {
        device_.next.DestroyShaderModule(device_.handle, module, allocator_);
    }
}

VkResult BuiltStages::makeModule(std::span<const uint32_t> words, VkShaderModule& module) {
    VkShaderModuleCreateInfo info = {};
    info.sType = kInlineModule;
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    modules_.reserve(modules_.size() + 1);  // nothing may fail once the module exists
    const VkResult result =
        device_.next.CreateShaderModule(device_.handle, &info, allocator_, &module);
    if (result == VK_SUCCESS) modules_.push_back(module);
    return result;
}

VkResult BuiltStages::build(VkPipelineShaderStageCreateInfo& stage, VkPipelineCreateFlags2 flags,
                            bool& changed) {
    dumped_ = nullptr;
    ShaderWordsRef words = stageWords(device_, stage, shaders_);
    if (words == nullptr) {
        changed = requireDeviceSize(device_, scratch_, stage) || changed;
        return VK_SUCCESS;
    }
    changed = true;
    work_.begin(*words);
    if (stage.module == VK_NULL_HANDLE) {
        ChainEditor chain(stage.pNext, scratch_);
        chain.remove(kInlineModule);
        chain.remove(kIdentifier);
        if (!chain.ok()) {
            device_.log().error("cannot copy an unknown structure in a shader stage's chain");
            return VK_ERROR_UNKNOWN;
        }
        stage.pNext = chain.head();
    }
    StagePlan plan;
    const VkResult result = rewriteInfo(device_, scratch_, std::move(words), stage, flags, plan);
    dumped_ = plan.dumped;
    if (result == VK_SUCCESS && plan.rewritten->untouched)
        requireDeviceSize(device_, scratch_, stage);
    return result == VK_SUCCESS ? makeModule(plan.rewritten->words, stage.module) : result;
}

VkResult BuiltStages::buildArray(uint32_t count, const VkPipelineShaderStageCreateInfo*& stages,
                                 VkPipelineCreateFlags2 flags, bool& changed) {
    VkPipelineShaderStageCreateInfo* copies = nullptr;
    const std::span given(stages, count);
    for (size_t i = 0; i < given.size(); ++i) {
        VkPipelineShaderStageCreateInfo stage = given[i];
        bool stageChanged = false;
        if (VkResult result = build(stage, flags, stageChanged); result != VK_SUCCESS)
            return result;
        if (!stageChanged) continue;
        if (copies == nullptr) copies = scratch_.copyArray(given);
        copies[i] = stage;
    }
    if (copies != nullptr) {
        stages = copies;
        changed = true;
    }
    return VK_SUCCESS;
}

}  // namespace coopvk::layer
