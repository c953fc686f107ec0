// SPDX-License-Identifier: Apache-2.0
//
// Where variables with a set and a binding have their resources, in programs with heaps
// (VkShaderDescriptorSetAndBindingMappingInfoEXT).
#pragma once

#include "descriptor_bytes.hpp"

namespace coopvk::reference::icd {

// As VkDescriptorMappingSourceEXT.
enum class MappingSource : uint32_t {
    kConstantOffset,
    kPushIndex,
    kIndirectIndex,
    kIndirectIndexArray,
    kHeapData,
    kPushData,
    kPushAddress,
    kIndirectAddress,
    kShaderRecordIndex,
    kShaderRecordData,
    kShaderRecordAddress,
};

// Bytes. What a source does not have is 0.
struct MappingPlace {
    uint32_t heapOffset = 0;
    uint32_t pushOffset = 0;
    uint32_t addressOffset = 0;
    uint32_t indexStride = 0;
    uint32_t arrayStride = 0;
};

// Without pointers: shader binaries have it.
struct Mapping {
    uint32_t set = 0, firstBinding = 0, bindingCount = 0, kinds = 0;
    MappingSource source = MappingSource::kConstantOffset;
    MappingPlace resource, sampler;  // sampler: of a combined image sampler
    uint32_t usesCombinedIndex = 0;
    uint32_t hasEmbedded = 0;
    uint32_t unused = 0;
    DescriptorBytes embedded;  // a sampler

    bool has(const ResourceVariable& variable) const {
        return set == variable.set && variable.binding >= firstBinding &&
               variable.binding - firstBinding < bindingCount &&
               (kinds >> uint32_t(variable.as.kind) & 1) != 0;
    }
};

struct MappedVariable {
    ResourceVariable variable;
    Mapping mapping;
    std::shared_ptr<const SamplerState> embedded;
};

// Of a shader stage's chain.
std::vector<Mapping> mappingsIn(const void* chain);
// Of all variables that the program has. Throws InvalidUse if one has none, or one of another kind.
SharedMappings mapVariables(Device& device, const Program& program,
                            std::span<const Mapping> mappings);

}  // namespace coopvk::reference::icd
