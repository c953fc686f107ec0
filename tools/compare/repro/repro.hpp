// SPDX-License-Identifier: Apache-2.0
//
// One case for a bug report: a folder with the shader, the data, a C program that runs them, and a
// page that says what is wrong.
#pragma once

#include <filesystem>

#include "compare/run/comparison.hpp"

namespace coopvk::compare {

// Throws where the folder cannot be written.
void writeRepro(const std::filesystem::path& folder, const Comparison& comparison, size_t number,
                const Plan& plan, const Comparison::Outcomes& outcomes, const Verdict& verdict);

}  // namespace coopvk::compare
