// SPDX-License-Identifier: Apache-2.0
//
// Runs a shader of SPIR-V text on the interpreter, with storage buffers of 32-bit words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/stages.hpp"

namespace coopvk::reference::test {

struct Execution {
    uint32_t lanes = 4;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::array<uint32_t, 3> base = {0, 0, 0};  // the first workgroup
    Settings settings;
    std::map<uint32_t, std::vector<uint32_t>> buffers;  // of set 0, by binding; changed by the run
    std::map<uint32_t, std::vector<uint8_t>> written;  // optional: not 0 for bytes that are written
    std::map<uint32_t, std::vector<uint32_t>> deviations;  // optional: of each byte
    std::map<uint32_t, std::vector<uint32_t>> readers;     // optional: of each byte
    // Of stages: by a list's name, what each invocation has. Changed by the run.
    std::map<std::string, std::vector<std::vector<uint32_t>>> lists;
    spv::ExecutionModel stage = spv::ExecutionModel::GLCompute;
    OptimalLayout optimalLayout;
    std::vector<SpecializationValue> specialization;
    std::vector<Observer*> observers;
    bool hasMaintenance8 = false;
    bool stopsAtReports = false;
    bool validate = true;  // not for what SPIRV-Tools does not know in Vulkan's environment

    // Results: reports in their order; empty error if the program ran.
    std::vector<Report> reports;
    std::vector<std::string> prints;
    std::string error;
};

// Makes the program and executes it.
void execute(Execution& run, const std::vector<uint32_t>& words);
// Assembles it before (SPIR-V 1.6).
void execute(Execution& run, const std::string& text);
// Throws what is wrong with the text.
std::vector<uint32_t> assemble(const std::string& text);

// Bits of binary32.
uint32_t bitsOf(float value);
float floatOf(uint32_t bits);

}  // namespace coopvk::reference::test
