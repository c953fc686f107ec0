// SPDX-License-Identifier: Apache-2.0
//
// Modules that coopvk rewrites, and what the reference device finds in its output.
#pragma once

#include <string>
#include <string_view>

#include "program_runner.hpp"

namespace coopvk::judge {

// A compute shader of SPIR-V text with storage buffers of 32-bit floats: bindings 0 and 1 are read,
// 2 is written.
struct Judged {
    const char* name;
    std::string text;
    uint32_t lanes;
    uint32_t words[3];  // of the buffers
};
Judged product();         // 4x8 * 8x6, scope Subgroup
Judged sharedStore();     // 16x16, scope Workgroup: to shared memory and back, transposed
Judged clippedTensor();   // a slice of which two rows are behind the tensor
Judged unslicedTensor();  // a slice, and then the dimensions again: the whole tensor

// coopvk's output for a module, with lines, as text; the test fails if there is none.
std::string rewritten(const Judged& judged);

// The module of this text with the buffers of `judged`, in the adversarial schedule.
reference::test::Execution run(const Judged& judged, const std::string& text);

}  // namespace coopvk::judge
