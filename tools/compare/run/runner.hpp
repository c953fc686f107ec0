// SPDX-License-Identifier: Apache-2.0
//
// Runs plans on a Vulkan device.
#pragma once

#include <map>
#include <mutex>

#include "bindings.hpp"
#include "compare/run/gpu.hpp"
#include "compare/run/side.hpp"

namespace coopvk::compare {

class Runner final : public Side {
 public:
    explicit Runner(Gpu& gpu);
    ~Runner() override;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    void prepare(const Plan& plan) override;
    Outcome run(const Plan& plan) override;
    void forget() override;

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
    bool lost_ = false;                         // the device: nothing more can run
};

}  // namespace coopvk::compare
