// SPDX-License-Identifier: Apache-2.0
//
// Shaders for the fleet's compilers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::fleet {

// A specialization constant; its value is perLane times the subgroup size, plus fixed.
struct Constant {
    uint32_t id;
    uint64_t perLane = 0;
    uint64_t fixed = 0;
    uint32_t bytes = 4;
};

struct Subject {
    std::string name;  // "bench/gemm_f32_16x16x16"
    std::vector<uint32_t> words;
    std::vector<Constant> constants;
    // The subgroup size that its program required; 0 if the program left that to the device; no
    // value if the shader is for any size.
    std::optional<uint32_t> size;
};

// Those that are built with the program: of tests/bench, of shaders/examples, the demo's, and
// of this folder.
std::vector<Subject> builtInSubjects();

// Every file NAME.spv below a folder, as PREFIX/NAME, sorted. Beside it there may be NAME.json with
// the specialization of a program's pipeline: {"constants": [[id, value, bytes], ...],
// "subgroupSize": 32}. Throws if a file cannot be read.
std::vector<Subject> subjectsIn(const std::string& folder, const std::string& prefix);

}  // namespace coopvk::fleet
