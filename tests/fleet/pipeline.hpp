// SPDX-License-Identifier: Apache-2.0
//
// Makes a pipeline of a subject (a shader object, if it is of a graphics stage) and asks the driver
// what its compiler made of it (VK_KHR_pipeline_executable_properties).
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

// `size` is asked for where the device takes such wishes and the subject does not leave it to the
// device. Throws where the subject itself is at fault.
Creation createPipeline(Gpu& gpu, const Subject& subject, uint32_t size);

}  // namespace coopvk::fleet
