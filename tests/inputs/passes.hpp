// SPDX-License-Identifier: Apache-2.0
//
// Modules as the passes of spirv-opt make them: each pass alone, and random sequences of passes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../driver/harness/random.hpp"
#include "../driver/harness/shader.hpp"

namespace coopvk::test {

// Options of spirv-opt: all passes that change modules for Vulkan, without those that need to be
// told names.
std::span<const std::string_view> allPasses();

using Passes = std::vector<std::string_view>;
std::string describe(const Passes& passes);
Passes randomPasses(Rng& rng);
// Chooses the passes of an input: always the same, and others for each value of COOPVK_TEST_SEED.
Rng passRng(const std::string& input);

enum class Passed {
    kChanged,
    kSame,
    kInvalid,  // the passes made an invalid module
    kFailed,   // the passes refused the module, or ended the process, or did not end
};
struct AfterPasses {
    Passed passed = Passed::kFailed;
    Words words;  // of kChanged
};
// In a process of its own. Throws if spirv-opt has no such pass.
AfterPasses afterPasses(const Words& words, const Passes& passes);

// How many modules came out of passes, for the test's output.
struct PassCounts {
    size_t counts[4] = {};  // by Passed
    size_t of(Passed passed) const { return counts[static_cast<size_t>(passed)]; }
    void add(Passed passed) { ++counts[static_cast<size_t>(passed)]; }
    std::string text() const;
};

}  // namespace coopvk::test
