// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <vector>

#include "chain/scratch.hpp"
#include "objects/shader_modules.hpp"
#include "shaders/stage_rewriter.hpp"

namespace coopvk::layer {

struct DeviceContext;

// Which shaders a stage may name.
enum class StageShaders {
    kAll,
    // Modules that exist, for pipelines that consist of binaries: Vulkan ignores all that names
    // their shaders, so it need not be there any more.
    kModulesThatExist,
};

// The shaders on which a call works, so that the next start of the program knows those that were
// never finished.
class ShadersAtWork {
 public:
    explicit ShadersAtWork(DeviceContext& device) : device_(device) {}
    ~ShadersAtWork();
    ShadersAtWork(const ShadersAtWork&) = delete;
    ShadersAtWork& operator=(const ShadersAtWork&) = delete;

    void begin(const ShaderWords& words);
    // The driver's result for what was made of them.
    void driverReturned(VkResult result) const noexcept;

 private:
    struct Shader {
        uint64_t hash;
        rewrite::ExtensionSet uses;
    };
    DeviceContext& device_;
    std::vector<Shader> shaders_;  // none unless faults are remembered or reported
};

// What the layer made for one pipeline creation call: copies of the application's structures, and
// modules with rewritten words. It must exist until the driver has read it.
class BuiltStages {
 public:
    // The allocator must stay valid as long as the object; it is null if the object outlives the
    // call.
    BuiltStages(DeviceContext& device, const VkAllocationCallbacks* allocator);
    ~BuiltStages();
    BuiltStages(const BuiltStages&) = delete;
    BuiltStages& operator=(const BuiltStages&) = delete;

    // Replaces `stage`, which is the caller's copy, if it uses emulated capabilities. `flags`: of
    // the pipeline.
    VkResult build(VkPipelineShaderStageCreateInfo& stage, VkPipelineCreateFlags2 flags,
                   bool& changed);
    // The same for an array; `stages` then points to memory of this object.
    VkResult buildArray(uint32_t count, const VkPipelineShaderStageCreateInfo*& stages,
                        VkPipelineCreateFlags2 flags, bool& changed);

    // Of the stage that was built last.
    DumpedShaderRef dumped() const { return dumped_; }

    // For the stages that follow.
    void read(StageShaders shaders) { shaders_ = shaders; }

    const ShadersAtWork& work() const { return work_; }
    Scratch& scratch() { return scratch_; }
    DeviceContext& device() { return device_; }

 private:
    VkResult makeModule(std::span<const uint32_t> words, VkShaderModule& module);

    DeviceContext& device_;
    const VkAllocationCallbacks* allocator_;
    StageShaders shaders_ = StageShaders::kAll;
    Scratch scratch_;
    std::vector<VkShaderModule> modules_;
    ShadersAtWork work_;
    DumpedShaderRef dumped_;
};

// The words of a create info if they use something that the device emulates, else null.
ShaderWordsRef emulatedWords(const DeviceContext& device, size_t codeSize, const void* code);

// In the following, Info is VkPipelineShaderStageCreateInfo or VkShaderCreateInfoEXT, and `info` is
// the caller's copy.

// Rewrites `words`, the shader of a pipeline stage or of a shader object. Changes all members of
// `info` to suit the result, but not its code. `flags`: of the pipeline or the shader object.
template <typename Info>
VkResult rewriteInfo(DeviceContext& device, Scratch& scratch, ShaderWordsRef words, Info& info,
                     VkFlags64 flags, StagePlan& plan);

// Lets a shader that stays as it is require the size of subgroups that the device has for all
// (DeviceContext::requiredSubgroupSize), unless it requires one itself. Returns whether it does.
template <typename Info>
bool requireDeviceSize(const DeviceContext& device, Scratch& scratch, Info& info);

template <typename Info>
void requireSubgroups(Scratch& scratch, const SubgroupNeeds& needs, Info& info);

}  // namespace coopvk::layer
