// SPDX-License-Identifier: Apache-2.0
//
// Processes that see a device of the fleet.
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

// Runs the worker in a process of its own, and starts it again behind whatever it crashed at.
// `arguments` are the worker's. Throws where it does not even get a device.
std::vector<Measurement> runWorker(const Device& device, const Surroundings& surroundings,
                                   const std::vector<std::string>& arguments);

// What a program that sees the device writes to its standard output. Throws where it fails.
std::string outputOf(const Device& device, const Surroundings& surroundings,
                     std::vector<std::string> program);

// Becomes another program, which sees the device. Returns only if that fails.
void becomeProgram(const Device& device, const Surroundings& surroundings,
                   std::vector<std::string> program);

}  // namespace coopvk::fleet
