// SPDX-License-Identifier: Apache-2.0
//
// Processes for which a device of the fleet exists.
#pragma once

#include <string>
#include <vector>

#include "devices.hpp"
#include "measurement.hpp"

namespace coopvk::fleet {

// Folders of preload libraries, separated by colons.
struct Surroundings {
    std::string libraryPath;
    std::string capture;  // folder for the shaders of the program's pipelines; empty: none
};

// Whether the preload library and the driver are installed; else what to install.
std::string whyNot(const Device& device, const Surroundings& surroundings);

// Runs the worker in a separate process. After a crash, starts it again with the next piece of
// work. `arguments` are the worker's. Throws if the worker gets no device.
std::vector<Measurement> runWorker(const Device& device, const Surroundings& surroundings,
                                   const std::vector<std::string>& arguments);

// The standard output of a program for which the device exists. Throws if the program fails.
std::string outputOf(const Device& device, const Surroundings& surroundings,
                     std::vector<std::string> program);

// Replaces this process by a program for which the device exists. Returns only if that fails.
void becomeProgram(const Device& device, const Surroundings& surroundings,
                   std::vector<std::string> program);

}  // namespace coopvk::fleet
