// SPDX-License-Identifier: Apache-2.0
//
// Makes a pipeline of each subject at each subgroup size. Since drivers may crash, this runs in a
// separate process for each device.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "subject.hpp"

namespace coopvk::fleet {

struct Work {
    std::string device;  // its name, for the report
    std::vector<Subject> subjects;
    uint32_t onlySize = 0;   // lanes; 0: all that the device has
    uint32_t first = 0;      // number of the first piece of work: others were done before
    std::string textFolder;  // where the driver's texts go; empty: nowhere
    // Subjects of tests: coopvk must refuse some of them, and others at another subgroup size than
    // theirs.
    bool mayBeRefused = false;
};

// Writes two lines of JSON for each piece of work: its start and its result.
void work(const Work& work, std::FILE* report);

}  // namespace coopvk::fleet
