// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "properties.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kMany = 1u << 20;  // descriptors

void fillImageLimits(VkPhysicalDeviceLimits& l) {
    l.bufferImageGranularity = 1;
    l.optimalBufferCopyOffsetAlignment = 1;
    l.optimalBufferCopyRowPitchAlignment = 1;
    l.maxSamplerAllocationCount = 4000;
    l.maxTexelBufferElements = 65536;
    l.minTexelBufferOffsetAlignment = kBufferAlignment;
}

void fillDescriptorLimits(VkPhysicalDeviceLimits& l) {
    l.maxUniformBufferRange = std::numeric_limits<uint32_t>::max();
    l.maxStorageBufferRange = std::numeric_limits<uint32_t>::max();
    l.maxPushConstantsSize = kMaxPushConstantBytes;
    l.maxBoundDescriptorSets = kMaxSets;
    l.maxPerStageDescriptorSamplers = kMany;
    l.maxPerStageDescriptorUniformBuffers = kMany;
    l.maxPerStageDescriptorStorageBuffers = kMany;
    l.maxPerStageResources = kMany;
    l.maxDescriptorSetSamplers = kMany;
    l.maxDescriptorSetUniformBuffers = kMany;
    l.maxDescriptorSetUniformBuffersDynamic = 64;
    l.maxDescriptorSetStorageBuffers = kMany;
    l.maxDescriptorSetStorageBuffersDynamic = 64;
    l.minUniformBufferOffsetAlignment = 16;
    l.minStorageBufferOffsetAlignment = 16;
}

void fillComputeLimits(VkPhysicalDeviceLimits& l) {
    l.maxComputeSharedMemorySize = 65536;
    for (uint32_t& count : l.maxComputeWorkGroupCount) count = std::numeric_limits<int32_t>::max();
    l.maxComputeWorkGroupInvocations = 1024;
    for (uint32_t& size : l.maxComputeWorkGroupSize) size = 1024;
}

}  // namespace

// Those of graphics and images are 0.
VkPhysicalDeviceLimits limits() {
    VkPhysicalDeviceLimits l{};
    fillImageLimits(l);
    fillDescriptorLimits(l);
    fillComputeLimits(l);
    l.maxMemoryAllocationCount = std::numeric_limits<uint32_t>::max();
    l.minMemoryMapAlignment = 4096;
    l.nonCoherentAtomSize = 1;
    l.timestampComputeAndGraphics = VK_TRUE;
    l.timestampPeriod = 1;  // ns
    l.discreteQueuePriorities = 2;
    l.strictLines = VK_FALSE;
    l.standardSampleLocations = VK_FALSE;
    return l;
}

}  // namespace coopvk::reference::icd
