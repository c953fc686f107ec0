// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run in any stage: shaders that call work(), and their buffers.
#pragma once

#include <memory>

#include "stages.hpp"

namespace coopvk::test {

inline constexpr auto kVertex = VK_SHADER_STAGE_VERTEX_BIT;
inline constexpr auto kControl = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
inline constexpr auto kEvaluation = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
inline constexpr auto kGeometry = VK_SHADER_STAGE_GEOMETRY_BIT;
inline constexpr auto kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;
inline constexpr auto kCompute = VK_SHADER_STAGE_COMPUTE_BIT;
inline constexpr auto kTask = VK_SHADER_STAGE_TASK_BIT_EXT;
inline constexpr auto kMesh = VK_SHADER_STAGE_MESH_BIT_EXT;
inline constexpr auto kRaygen = VK_SHADER_STAGE_RAYGEN_BIT_KHR;
inline constexpr auto kAnyHit = VK_SHADER_STAGE_ANY_HIT_BIT_KHR;
inline constexpr auto kClosestHit = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;
inline constexpr auto kMiss = VK_SHADER_STAGE_MISS_BIT_KHR;
inline constexpr auto kIntersection = VK_SHADER_STAGE_INTERSECTION_BIT_KHR;
inline constexpr auto kCallable = VK_SHADER_STAGE_CALLABLE_BIT_KHR;

inline constexpr VkShaderStageFlags kRayStages =
    kRaygen | kAnyHit | kClosestHit | kMiss | kIntersection | kCallable;
inline constexpr VkShaderStageFlags kTracingStages = kAnyHit | kClosestHit | kMiss | kIntersection;

inline bool isRay(VkShaderStageFlags stage) { return (stage & kRayStages) != 0; }

// In the table of addresses; the scene's comes last.
inline constexpr size_t kAddresses = 16;

// GLSL: `table` in push constants.
std::string tableDeclaration();
// The stage's main(), which calls the source's work(), and its workgroup where it has one.
Words workShader(VkShaderStageFlagBits stage, const std::string& source, uint32_t workgroup);
// The other stages of the pipeline.
Words plainShader(VkShaderStageFlagBits stage, const std::string& declarations,
                  const std::string& main);

// The other parts of a run: its buffers and the table of their addresses.
class Run {
 public:
    Run(const std::vector<Bytes>& buffers, VkDeviceAddress scene) : contents_(buffers) {
        contents_.push_back(Bytes(kAddresses * sizeof(VkDeviceAddress)));
        memory_ = std::make_unique<Memory>(Context::get(), contents_);
        const size_t table = buffers.size();
        for (size_t i = 0; i < buffers.size(); ++i) put(table, i, memory_->address(i));
        put(table, kAddresses - 1, scene);
    }

    template <typename Record>
    std::vector<Bytes> submit(Record record) {
        Commands commands(Context::get());
        commands.begin();
        layout_.push(commands.primary, memory_->address(contents_.size() - 1), 0);
        record(commands.primary);
        commands.end();
        commands.submitAndWait();
        return memory_->read(contents_);
    }
    const StageLayout& layout() const { return layout_; }

 private:
    void put(size_t table, size_t index, VkDeviceAddress address) {
        memory_->write(table, index * sizeof(address), address);
    }

    StageLayout layout_;
    std::vector<Bytes> contents_;
    std::unique_ptr<Memory> memory_;
};

class StageList {
 public:
    void add(VkShaderStageFlagBits stage, const Words& words) {
        modules_.push_back(std::make_unique<Module>(words));
        infos.push_back(stageInfo(stage, modules_.back()->handle));
    }
    std::vector<VkPipelineShaderStageCreateInfo> infos;

 private:
    std::vector<std::unique_ptr<Module>> modules_;
};

// Of the stages in kRayStages.
std::vector<Bytes> runRays(VkShaderStageFlagBits stage, const Words& words,
                           const std::vector<Bytes>& buffers);

}  // namespace coopvk::test
