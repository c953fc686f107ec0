// SPDX-License-Identifier: Apache-2.0
//
// Runs plans on one side.
#pragma once

#include <map>

#include "gpu.hpp"
#include "plan.hpp"

namespace coopvk::compare {

// What a side made of a plan: the result's elements, or why there are none.
struct Outcome {
    std::optional<Matrix> result;
    std::string error;
};

class Runner {
 public:
    explicit Runner(Gpu& gpu);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    Outcome run(const Plan& plan);
    // The device is gone; nothing more can run.
    bool lost() const { return lost_; }
    Gpu& gpu() { return gpu_; }

 private:
    Bytes execute(const Plan& plan);
    Bytes dispatch(const Plan& plan, const std::vector<Bytes>& buffers);
    VkPipeline pipelineFor(const std::string& assembly);

    Gpu& gpu_;
    VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    // The last shader's: cases that differ in their data only come one after the other.
    std::string assembly_;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    bool lost_ = false;
};

// SPIRV-Tools' assembler. Throws where the text is wrong.
std::vector<uint32_t> assemble(const std::string& text);

}  // namespace coopvk::compare
