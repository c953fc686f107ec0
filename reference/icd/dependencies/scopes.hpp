// SPDX-License-Identifier: Apache-2.0
//
// Synchronization scopes and access scopes (Vulkan, "Execution and Memory Dependencies"), of what
// this device executes: its stages, and how each of them uses memory.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace coopvk::reference::icd {

enum class Stage : uint8_t { kIndirect, kCompute, kCopy, kBlit, kClear, kConvert, kHost };
inline constexpr size_t kStageCount = 7;
inline constexpr size_t kHostStage = size_t(Stage::kHost);  // the last one
inline constexpr size_t kQueueCount = 4;                    // of a device, of all families

enum class Use : uint8_t {
    kIndirectRead,
    kUniformRead,
    kDescriptorRead,
    kSamplerHeapRead,
    kResourceHeapRead,
    kSampledRead,
    kStorageRead,
    kStorageWrite,
    kCopyRead,
    kCopyWrite,
    kBlitRead,
    kBlitWrite,
    kClearWrite,
    kConvertRead,
    kConvertWrite,
    kHostRead,
    kHostWrite,
};
inline constexpr size_t kUseCount = 17;

Stage stageOf(Use use);
bool isWrite(Use use);
// Names of Vulkan: "VK_PIPELINE_STAGE_2_..., VK_ACCESS_2_..."; of a stage alone.
std::string nameOf(Use use);
std::string nameOf(Stage stage);

// Sets of stages and of uses, a bit for each.
struct Scope {
    uint32_t stages = 0;
    uint32_t uses = 0;

    bool has(Stage stage) const { return stages >> size_t(stage) & 1; }
    bool has(Use use) const { return uses >> size_t(use) & 1; }
    Scope withoutAccess() const { return {stages, 0}; }
};

// With the logically earlier stages.
Scope firstScope(VkPipelineStageFlags2 stages, VkAccessFlags2 access);
// With the logically later ones.
Scope secondScope(VkPipelineStageFlags2 stages, VkAccessFlags2 access);
inline constexpr VkAccessFlags2 kAnyAccess =
    VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
// Of semaphores, which have "all memory access performed by the device" in their stages: the first
// scope of a signal, the second one of a wait.
Scope scopeOfSignal(VkPipelineStageFlags2 stages);
Scope scopeOfWait(VkPipelineStageFlags2 stages);

}  // namespace coopvk::reference::icd
