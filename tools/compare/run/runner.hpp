// SPDX-License-Identifier: Apache-2.0
//
// Runs plans on one side.
#pragma once

#include <map>
#include <mutex>

#include "bindings.hpp"
#include "compare/cases/plan.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

// The result of a plan on a side: the elements, or why there are none.
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

    // Creates the plan's pipeline before run(). Several threads may call it at the same time.
    void prepare(const Plan& plan);
    Outcome run(const Plan& plan);
    // Drops all pipelines.
    void forget();
    // Whether the device is lost, so that nothing more can run.
    bool lost() const { return lost_; }
    Gpu& gpu() { return gpu_; }

 private:
    Bytes execute(const Plan& plan);
    Bytes dispatch(const Plan& plan, const std::vector<Bytes>& buffers);
    // A pipeline, or why there is none.
    struct Prepared {
        VkPipeline pipeline = VK_NULL_HANDLE;
        std::optional<vulkan::Error> failed;
        std::string error;
    };
    VkPipeline createPipeline(const std::string& assembly);
    VkPipeline pipelineFor(const Plan& plan);

    Gpu& gpu_;
    vulkan::Layout layout_;
    vulkan::Bindings bindings_;
    std::mutex mutex_;
    std::map<std::string, Prepared> prepared_;  // by the shader's text
    bool lost_ = false;
};

// SPIRV-Tools' assembler. Throws where the text is wrong.
std::vector<uint32_t> assemble(const std::string& text);

}  // namespace coopvk::compare
