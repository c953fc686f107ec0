// SPDX-License-Identifier: Apache-2.0
//
// SPIRV-Tools is built without exceptions. If memory runs out in it, nothing may leak anyway, also
// while it reports what is wrong with a module.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../test_part.hpp"
#include "coopvk/rewrite.hpp"
#include "fakes/allocations.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::spirv_tools_memory_test {
namespace {

// The result of a use of SPIRV-Tools: empty if memory ran out.
using Outcome = std::string;

Outcome rewriteIt(const Words& words) {
    rewrite::Request request;
    request.words = words;
    request.entryPoint = "main";
    rewrite::Target target;
    target.subgroupSize = 8;
    const auto result = rewrite::rewrite(request, target);
    const WorkingAllocations here;
    if (result) return "rewritten";
    const bool ended = result.error().code == rewrite::ErrorCode::kOutOfMemory;
    return ended ? Outcome() : result.error().message;
}

Outcome validateIt(const Words& words) {
    const std::optional<std::string> error = rewrite::validate(words);
    const WorkingAllocations here;
    if (!error) return "valid";
    return *error == "out of memory" ? Outcome() : *error;
}

Outcome disassembleIt(const Words& words) { return rewrite::disassemble(words); }

struct Use {
    const char* name;
    Outcome (*of)(const Words& words);
};

struct Fault {
    const char* name;
    void (*put)(Words& words);
};

constexpr Use kUses[] = {
    {"rewrite", rewriteIt}, {"validate", validateIt}, {"disassemble", disassembleIt}};
constexpr Fault kFaults[] = {
    {"none", [](Words&) {}},
    {"cut off", [](Words& words) { words.pop_back(); }},
    {"unknown opcode", [](Words& words) { words[5] = (words[5] & 0xFFFF0000u) | 0xFFFEu; }},
    {"no words", [](Words& words) { words[5] &= 0xFFFFu; }},
};

// After each `step`-th allocation.
void endMemoryAnywhere(const Use& use, const Words& words, uint64_t step = 1, uint64_t first = 0) {
    const Outcome whole = use.of(words);
    bool failed = true;
    for (uint64_t allowed = first; failed; allowed += step) {
        const int64_t before = liveAllocations();
        bool right = false;
        {
            const FailingAllocations limited(allowed);
            const Outcome outcome = use.of(words);
            right = outcome.empty() || outcome == whole;
            failed = FailingAllocations::happened();
        }
        ASSERT_EQ(liveAllocations(), before) << "after " << allowed << " allocations";
        ASSERT_TRUE(right) << "after " << allowed << " allocations";
    }
}

// One allocation in four, another one of them for each fault and use, or all.
TEST(SpirvToolsMemory, MayEndAnywhere) {
    const uint64_t step = runsAll() ? 1 : 4;
    uint64_t first = 0;
    for (const Fault& fault : kFaults) {
        Words words = matrixShader();
        fault.put(words);
        const bool isGood = &fault == &kFaults[0];
        ASSERT_EQ(rewriteIt(words) == "rewritten", isGood) << fault.name;
        ASSERT_EQ(validateIt(words) == "valid", isGood) << fault.name;
        for (const Use& use : kUses) {
            SCOPED_TRACE(std::string(use.name) + ", fault: " + fault.name);
            endMemoryAnywhere(use, words, step, first++ % step);
        }
    }
}

// In several threads at the same time, in some of which memory suffices: each has its own reserve,
// and none gets that of another thread.
TEST(SpirvToolsMemory, MayEndInSomeOfManyThreads) {
    constexpr size_t kThreads = 8;
    Words faulty = matrixShader();
    faulty.pop_back();
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&faulty, t] {
            const Words words = t % 2 == 0 ? matrixShader() : faulty;
            const Use& use = kUses[t % std::size(kUses)];
            SCOPED_TRACE("thread " + std::to_string(t) + ", " + use.name);
            if (t % 4 != 3) return endMemoryAnywhere(use, words, 17 + t);
            const Outcome whole = use.of(words);
            for (int round = 0; round < 50; ++round) ASSERT_EQ(use.of(words), whole);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::get_new_handler(), nullptr);
}

}  // namespace
}  // namespace coopvk::test::spirv_tools_memory_test
