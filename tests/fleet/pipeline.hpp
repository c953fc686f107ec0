// SPDX-License-Identifier: Apache-2.0
//
// Makes a pipeline from a subject (a shader object, if it is of a graphics stage) and queries the
// output of the driver's compiler (VK_KHR_pipeline_executable_properties).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu.hpp"
#include "subject.hpp"

namespace coopvk::fleet {

// One shader of the pipeline, in the driver's own terms.
struct Executable {
    std::string name;
    uint32_t subgroupSize = 0;
    std::vector<std::pair<std::string, double>> statistics;
    std::vector<std::pair<std::string, std::string>> texts;  // internal representations
};

struct Creation {
    VkResult result = VK_SUCCESS;
    double seconds = 0;  // of the process' processors, until the pipeline was there
    std::vector<Executable> executables;
};

// Requires the subgroup size `size` if the device allows that and the subject does not leave the
// size to the device. Throws if the subject itself is invalid.
Creation createPipeline(Gpu& gpu, const Subject& subject, uint32_t size);

}  // namespace coopvk::fleet
