// SPDX-License-Identifier: Apache-2.0
#include "dependencies/scopes.hpp"

#include <iterator>

namespace coopvk::reference::icd {
namespace {

struct StageRow {
    VkPipelineStageFlags2 flags;  // each of which contains it
    const char* name;
};
constexpr VkPipelineStageFlags2 kAnyCommand = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
// Clear commands are those of the chapter: also vkCmdFillBuffer and vkCmdUpdateBuffer. Resolves are
// blits: what takes the one for the other is not found.
constexpr StageRow kStageRows[] = {
    {kAnyCommand | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT,
     "DRAW_INDIRECT"},
    {kAnyCommand | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, "COMPUTE_SHADER"},
    {kAnyCommand | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT, "COPY"},
    {kAnyCommand | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
         VK_PIPELINE_STAGE_2_RESOLVE_BIT,
     "BLIT"},
    {kAnyCommand | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT, "CLEAR"},
    {kAnyCommand | VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV,
     "CONVERT_COOPERATIVE_VECTOR_MATRIX"},
    {VK_PIPELINE_STAGE_2_HOST_BIT, "HOST"},
};
static_assert(std::size(kStageRows) == kStageCount);

struct UseRow {
    Stage stage;
    VkAccessFlags2 flags;  // each of which contains it
    bool writes;
    const char* name;
};
constexpr VkAccessFlags2 kRead = VK_ACCESS_2_MEMORY_READ_BIT;
constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_MEMORY_WRITE_BIT;
constexpr VkAccessFlags2 kTransferRead = kRead | VK_ACCESS_2_TRANSFER_READ_BIT;
constexpr VkAccessFlags2 kTransferWrite = kWrite | VK_ACCESS_2_TRANSFER_WRITE_BIT;
#ifdef VK_EXT_descriptor_heap
constexpr VkAccessFlags2 kSamplerHeap = VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT;
constexpr VkAccessFlags2 kResourceHeap = VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT;
#else
constexpr VkAccessFlags2 kSamplerHeap = 0, kResourceHeap = 0;
#endif
constexpr UseRow kUseRows[] = {
    {Stage::kIndirect, kRead | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, false,
     "INDIRECT_COMMAND_READ"},
    {Stage::kCompute, kRead | VK_ACCESS_2_UNIFORM_READ_BIT, false, "UNIFORM_READ"},
    {Stage::kCompute, kRead | VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT, false,
     "DESCRIPTOR_BUFFER_READ"},
    {Stage::kCompute, kRead | kSamplerHeap, false, "SAMPLER_HEAP_READ"},
    {Stage::kCompute, kRead | kResourceHeap, false, "RESOURCE_HEAP_READ"},
    {Stage::kCompute, kRead | VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
     false, "SHADER_SAMPLED_READ"},
    {Stage::kCompute, kRead | VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
     false, "SHADER_STORAGE_READ"},
    {Stage::kCompute, kWrite | VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
     true, "SHADER_STORAGE_WRITE"},
    {Stage::kCopy, kTransferRead, false, "TRANSFER_READ"},
    {Stage::kCopy, kTransferWrite, true, "TRANSFER_WRITE"},
    {Stage::kBlit, kTransferRead, false, "TRANSFER_READ"},
    {Stage::kBlit, kTransferWrite, true, "TRANSFER_WRITE"},
    {Stage::kClear, kTransferWrite, true, "TRANSFER_WRITE"},
    {Stage::kConvert, kTransferRead, false, "TRANSFER_READ"},
    {Stage::kConvert, kTransferWrite, true, "TRANSFER_WRITE"},
    {Stage::kHost, kRead | VK_ACCESS_2_HOST_READ_BIT, false, "HOST_READ"},
    {Stage::kHost, kWrite | VK_ACCESS_2_HOST_WRITE_BIT, true, "HOST_WRITE"},
};
static_assert(std::size(kUseRows) == kUseCount);

Scope scopeOf(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    Scope scope;
    for (size_t i = 0; i < kStageCount; ++i)
        if ((kStageRows[i].flags & stages) != 0) scope.stages |= 1u << i;
    for (size_t i = 0; i < kUseCount; ++i)
        if (scope.has(kUseRows[i].stage) && (kUseRows[i].flags & access) != 0)
            scope.uses |= 1u << i;
    return scope;
}

constexpr uint32_t bit(Stage stage) { return 1u << size_t(stage); }
constexpr uint32_t kDeviceStages = (1u << kStageCount) - 1 - bit(Stage::kHost);

}  // namespace

Stage stageOf(Use use) { return kUseRows[size_t(use)].stage; }
bool isWrite(Use use) { return kUseRows[size_t(use)].writes; }

std::string nameOf(Stage stage) {
    return std::string("VK_PIPELINE_STAGE_2_") + kStageRows[size_t(stage)].name +
           (stage == Stage::kConvert ? "_BIT_NV" : "_BIT");
}
std::string nameOf(Use use) {
    const bool isOfExtension = use == Use::kDescriptorRead || use == Use::kSamplerHeapRead ||
                               use == Use::kResourceHeapRead;
    return nameOf(stageOf(use)) + ", VK_ACCESS_2_" + kUseRows[size_t(use)].name +
           (isOfExtension ? "_BIT_EXT" : "_BIT");
}

// The indirect arguments of a dispatch are read before its shader executes.
Scope firstScope(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    Scope scope = scopeOf(stages, access);
    if (stages & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) scope.stages |= kDeviceStages;
    if (scope.has(Stage::kCompute)) scope.stages |= bit(Stage::kIndirect);
    return scope;
}

Scope secondScope(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    Scope scope = scopeOf(stages, access);
    if (stages & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) scope.stages |= kDeviceStages;
    if (scope.has(Stage::kIndirect)) scope.stages |= bit(Stage::kCompute);
    return scope;
}

Scope scopeOfSignal(VkPipelineStageFlags2 stages) {
    if (stages & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT)
        stages |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    return firstScope(stages, kAnyAccess);
}

Scope scopeOfWait(VkPipelineStageFlags2 stages) {
    if (stages & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)
        stages |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    return secondScope(stages, kAnyAccess);
}

}  // namespace coopvk::reference::icd
