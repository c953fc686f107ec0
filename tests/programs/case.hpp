// SPDX-License-Identifier: Apache-2.0
//
// A random program and how it is executed: natively, and as coopvk rewrites it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "program.hpp"

namespace coopvk::programs {

// All that a seed chooses.
struct Case {
    uint64_t seed = 0;
    Program program;
    rewrite::BackEnd backEnd = rewrite::BackEnd::kCore;
    reference::Choice schedule = reference::Choice::kPlain;
    bool validate = false;  // SPIRV-Tools' validator takes half of the time
    std::string_view deviceClass;
    rewrite::DeviceTraits device;  // of that class, with some features
    rewrite::MatrixTuning tuning;  // in place of some of what the rewriter would choose
};
// `kind`, `size`: null and nothing if the seed also chooses this.
Case caseOf(uint64_t seed, const Kind* kind = nullptr, std::optional<Size> size = {});

// Words of the program; nothing, with a message, if its text is wrong.
std::optional<std::vector<uint32_t>> assemble(const std::string& text, std::string& problem);

// For what the case is rewritten, and what becomes of it, as text; nothing if it is refused.
rewrite::Target targetOf(const Case& made);
std::string rewritten(const Case& made, std::span<const uint32_t> words,
                      const rewrite::Target& target);

struct Result {
    check::Verdict verdict = check::Verdict::kInvalid;
    std::string message;
    bool reliesOnReconvergence = false;  // the program itself
};
// The memory of an execution.
check::MemoryChoice memoryOf(const Case& made);
// What executions change beside that, to find faults.
enum class More { kSome, kAll };
// Blocks that a subgroup may execute. With faults some programs never end.
constexpr uint64_t kSteps = 1u << 20, kStepsWithFault = 1u << 13;
// `rewritten`: what is executed in place of what the rewriter makes, if there is any.
Result execute(const Case& made, std::span<const uint32_t> words,
               std::span<const uint32_t> rewritten = {}, More more = More::kSome,
               uint64_t steps = kSteps);

// Whether the verdict is nobody's fault. The native back-end does not suit every program.
bool isGood(check::Verdict verdict);

}  // namespace coopvk::programs
