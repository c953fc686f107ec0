// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, and what becomes of them: pipelines and shader objects.
#include <array>
#include <bit>
#include <cstring>

#include "coopvk_reference/warnings.hpp"
#include "heaps/heaps.hpp"
#include "heaps/mappings.hpp"

namespace coopvk::reference::icd {

using Words = std::vector<uint32_t>;

struct ShaderModule : ObjectOf<VkShaderModule> {
    ShaderModule(Device&, const VkShaderModuleCreateInfo& info) {
        const auto code = listOf(info.pCode, info.codeSize / sizeof(uint32_t));
        require(!code.empty() && info.codeSize % sizeof(uint32_t) == 0,
                "the size of the code is 0, or no multiple of 4");
        words.assign(code.begin(), code.end());
    }
    Words words;
};

namespace {

// What programs are made of; owns what ProgramRequest refers to.
struct Source {
    Words words;
    std::string entryPoint;
    std::vector<SpecializationValue> specialization;
    uint32_t subgroupSize = 0;
    bool usesHeaps = false;
    std::vector<Mapping> mappings = {};
};

std::vector<SpecializationValue> specializationOf(const VkSpecializationInfo* info) {
    std::vector<SpecializationValue> values;
    if (info == nullptr) return values;
    for (const auto& entry : listOf(info->pMapEntries, info->mapEntryCount)) {
        SpecializationValue& value = values.emplace_back();
        value.constantId = entry.constantID;
        const bool within =
            entry.size <= info->dataSize && entry.offset <= info->dataSize - entry.size;
        require(within && entry.size != 0 && info->pData != nullptr,
                "specialization data ends before a value");
        value.size = uint32_t(std::min(entry.size, sizeof(value.bits)));
        std::memcpy(&value.bits, static_cast<const std::byte*>(info->pData) + entry.offset,
                    value.size);
    }
    return values;
}

// All but the words, from VkPipelineShaderStageCreateInfo or VkShaderCreateInfoEXT. The subgroup
// size is the one that the chain requires, or that of the device.
template <typename Info>
Source sourceOf(const Device& device, const Info& info, bool usesHeaps) {
    const auto* required = find<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(info.pNext);
    const uint32_t lanes =
        required != nullptr ? required->requiredSubgroupSize : device.settings().subgroupSize;
    require(info.pName != nullptr, "the entry point has no name");
    return {{},    info.pName, specializationOf(info.pSpecializationInfo),
            lanes, usesHeaps,  usesHeaps ? mappingsIn(info.pNext) : std::vector<Mapping>{}};
}

VkResult resultOf(ErrorCode code) {
    return code == ErrorCode::kOutOfMemory   ? VK_ERROR_OUT_OF_HOST_MEMORY
           : code == ErrorCode::kUnsupported ? VK_ERROR_FEATURE_NOT_PRESENT
                                             : VK_ERROR_INVALID_SHADER_NV;
}

// Errors go to the messengers, too.
VkResult makeProgram(Device& device, const Source& source, SharedProgram& program,
                     SharedMappings& mappings) {
    const Settings& settings = device.settings();
    std::string warning;
    auto made = reference::makeProgram({.words = source.words,
                                        .entryPoint = source.entryPoint,
                                        .specialization = source.specialization,
                                        .subgroupSize = source.subgroupSize,
                                        .rounding = settings.rounding,
                                        .placement = settings.placement,
                                        .flushed = settings.flushed,
                                        .contracts = settings.contracts,
                                        .images = settings.graphics,
                                        .hasMaintenance8 = device.hasMaintenance8,
                                        .numbersVariables = source.usesHeaps},
                                       warning);
    if (made) {
        program = *made;
        if (source.usesHeaps) mappings = mapVariables(device, *program, source.mappings);
        if (!warning.empty() && settings.action != ReportAction::kIgnore)
            send(*device.physical->instance, {"coopvk-reference-shader", warning, &device,
                                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT});
        return VK_SUCCESS;
    }
    const Error& error = made.error();
    send(*device.physical->instance, {"coopvk-reference-shader", error.message, &device});
    return resultOf(error.code);
}

VkPipelineCreateFlags2 flagsOf(const VkComputePipelineCreateInfo& info) {
    const auto* more = find<VkPipelineCreateFlags2CreateInfo>(info.pNext);
    return more != nullptr ? more->flags : info.flags;
}

void fillFeedback(const VkComputePipelineCreateInfo& info) {
    const auto* feedback = find<VkPipelineCreationFeedbackCreateInfo>(info.pNext);
    if (feedback == nullptr) return;
    require(feedback->pPipelineCreationFeedback != nullptr,
            "there is no place for what is told of the pipeline");
    (void)listOf(feedback->pPipelineStageCreationFeedbacks,
                 feedback->pipelineStageCreationFeedbackCount);
    const VkPipelineCreationFeedback valid{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0};
    *feedback->pPipelineCreationFeedback = valid;
    std::fill_n(feedback->pPipelineStageCreationFeedbacks,
                feedback->pipelineStageCreationFeedbackCount, valid);
}

VkResult createPipeline(Device& device, const VkComputePipelineCreateInfo& info, VkPipeline* out) {
    fillFeedback(info);
    if (flagsOf(info) & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
        return VK_PIPELINE_COMPILE_REQUIRED;
    require(info.stage.stage == VK_SHADER_STAGE_COMPUTE_BIT, "the stage is not compute");
    const bool usesHeaps = (flagsOf(info) & kHeapPipeline) != 0;
    if (usesHeaps)
        require(info.layout == VK_NULL_HANDLE, "a pipeline with heaps has a layout");
    else
        (void)theObject(info.layout, device);
    Source source = sourceOf(device, info.stage, usesHeaps);
    if (info.stage.module != VK_NULL_HANDLE)
        source.words = theObject(info.stage.module, device).words;
    else if (const auto* code = find<VkShaderModuleCreateInfo>(info.stage.pNext))
        source.words = ShaderModule(device, *code).words;
    SharedProgram program;
    SharedMappings mappings;
    const VkResult result = makeProgram(device, source, program, mappings);
    if (result == VK_SUCCESS)
        *out = give(std::make_shared<Pipeline>(std::move(program), std::move(mappings)), &device);
    return result;
}

// The binary of a shader object holds what the shader was made of, behind a head of seven words.
constexpr uint32_t kMagic = 0x52564f43;  // "COVR"
constexpr size_t kHeadWords = 7, kValueWords = 4;
using MappingWords = std::array<uint32_t, sizeof(Mapping) / sizeof(uint32_t)>;

Words binaryOf(const Source& source) {
    Words binary{kMagic,
                 source.subgroupSize,
                 uint32_t(source.entryPoint.size()),
                 uint32_t(source.specialization.size()),
                 uint32_t(source.words.size()),
                 source.usesHeaps ? 1u : 0u,
                 uint32_t(source.mappings.size())};
    binary.insert(binary.end(), source.entryPoint.begin(), source.entryPoint.end());
    for (const SpecializationValue& value : source.specialization)
        binary.insert(binary.end(), {value.constantId, value.size, uint32_t(value.bits),
                                     uint32_t(value.bits >> 32)});
    for (const Mapping& mapping : source.mappings) {
        const auto words = std::bit_cast<MappingWords>(mapping);
        binary.insert(binary.end(), words.begin(), words.end());
    }
    binary.insert(binary.end(), source.words.begin(), source.words.end());
    return binary;
}

bool parseBinary(const Words& binary, Source& source) {
    if (binary.size() < kHeadWords || binary[0] != kMagic) return false;
    const size_t letters = binary[2], values = binary[3], words = binary[4], mappings = binary[6];
    constexpr size_t kMappingWords = std::tuple_size_v<MappingWords>;
    if (binary.size() !=
        kHeadWords + letters + kValueWords * values + kMappingWords * mappings + words)
        return false;
    source.usesHeaps = binary[5] != 0;
    auto at = binary.begin() + kHeadWords;
    source.subgroupSize = binary[1];
    for (const uint32_t letter : std::span(at, letters)) source.entryPoint += char(letter);
    at += letters;
    for (size_t i = 0; i < values; ++i, at += kValueWords)
        source.specialization.push_back({at[0], at[2] | uint64_t{at[3]} << 32, at[1]});
    for (size_t i = 0; i < mappings; ++i, at += kMappingWords) {
        MappingWords each;
        std::copy_n(at, kMappingWords, each.begin());
        source.mappings.push_back(std::bit_cast<Mapping>(each));
    }
    source.words.assign(at, binary.end());
    return true;
}

VkResult createShader(Device& device, const VkShaderCreateInfoEXT& info, VkShaderEXT* out) {
    if (info.stage != VK_SHADER_STAGE_COMPUTE_BIT) return VK_ERROR_FEATURE_NOT_PRESENT;
    const auto code =
        listOf(static_cast<const uint32_t*>(info.pCode), info.codeSize / sizeof(uint32_t));
    const Words words(code.begin(), code.end());
    Source source;
    if (info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT) {
        if (!parseBinary(words, source)) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    } else {
        source = sourceOf(device, info, (info.flags & kHeapShader) != 0);
        source.words = words;
    }
    auto shader = std::make_shared<ShaderEXT>();
    const VkResult result = makeProgram(device, source, shader->program, shader->mappings);
    if (result != VK_SUCCESS) return result;
    shader->binary = binaryOf(source);
    *out = give(shader, &device);
    return VK_SUCCESS;
}

// Data of caches and shaders: all of it, or nothing and VK_INCOMPLETE.
VkResult writeBytes(std::span<const std::byte> bytes, size_t* size, void* out) {
    const bool fits = out == nullptr || *size >= bytes.size();
    *size = fits ? bytes.size() : 0;
    if (out != nullptr) std::copy_n(bytes.begin(), *size, static_cast<std::byte*>(out));
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

}  // namespace

COOPVK_OBJECT(ShaderModule)

// Each pipeline that fails is null, and does not keep the others from being made.
VkResult CreateComputePipelines(Device& device, PipelineCache*, uint32_t count,
                                const VkComputePipelineCreateInfo* infos, Allocator,
                                VkPipeline* out) {
    std::fill_n(out, count, VK_NULL_HANDLE);
    VkResult first = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result = createPipeline(device, infos[i], &out[i]);
        if (result == VK_SUCCESS) continue;
        if (first == VK_SUCCESS || first == VK_PIPELINE_COMPILE_REQUIRED) first = result;
        if (flagsOf(infos[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) break;
    }
    return first;
}
COOPVK_DESTROY(Pipeline)
// Caches hold nothing: programs are made in less time than they would be read.
COOPVK_EMPTY_OBJECT(PipelineCache)

VkResult GetPipelineCacheData(Device& device, PipelineCache*, size_t* size, void* data) {
    VkPhysicalDeviceProperties properties;
    GetPhysicalDeviceProperties(*device.physical, &properties);
    VkPipelineCacheHeaderVersionOne header{sizeof(header), VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                           properties.vendorID, properties.deviceID};
    std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, header.pipelineCacheUUID);
    return writeBytes(std::as_bytes(std::span(&header, 1)), size, data);
}

VkResult CreateShadersEXT(Device& device, uint32_t count, const VkShaderCreateInfoEXT* infos,
                          Allocator, VkShaderEXT* out) {
    std::fill_n(out, count, VK_NULL_HANDLE);
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result = createShader(device, infos[i], &out[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}

COOPVK_DESTROY(ShaderEXT)

VkResult GetShaderBinaryDataEXT(Device&, ShaderEXT* shader, size_t* size, void* data) {
    return writeBytes(std::as_bytes(std::span(shader->binary)), size, data);
}

}  // namespace coopvk::reference::icd
