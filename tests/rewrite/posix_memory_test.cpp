// SPDX-License-Identifier: Apache-2.0
//
// The memory of a rewrite is bounded by its steps (docs/developers/limits-in-depth.md).
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <format>
#include <fstream>
#include <iostream>
#include <optional>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::memory_test {
namespace {

using Words = std::vector<uint32_t>;

// Of docs/developers/limits-in-depth.md: bytes for each step, beside what any rewrite takes.
constexpr double kBytesPerStep = 2.5;
constexpr uint64_t kBase = 16 << 20;
// Far below the default, so that the test is quick.
constexpr uint64_t kSteps = 30'000'000;

// Loads, products and stores, one after the other.
Words manyProducts(size_t count) {
    std::string code;
    for (size_t i = 0; i < count; ++i) {
        code += std::format(
            "%a{0} = OpCooperativeMatrixLoadKHR %A %pa %c0 %depth\n"
            "%p{0} = OpCooperativeMatrixMulAddKHR %C %a{0} %b {1}\n"
            "OpCooperativeMatrixStoreKHR %pc %p{0} %c0 %columns\n",
            i, i == 0 ? "%product" : std::format("%p{}", i - 1));
    }
    std::string text = test::multiplyModule(64, 64, 16);
    text.insert(text.find("OpReturn"), code);
    return test::assemble(text);
}

// Of each component of a large matrix.
Words manyNegations(size_t count) {
    std::string code;
    for (size_t i = 0; i < count; ++i) {
        code += std::format("%n{0} = OpFNegate %C {1}\n", i,
                            i == 0 ? "%product" : std::format("%n{}", i - 1));
    }
    std::string text = test::multiplyModule(64, 64, 16);
    text.insert(text.find("OpReturn"), code);
    return test::assemble(text);
}

// Instructions of one word, and blocks of four: memory for each of them is the same as for longer
// ones. Parsing takes most of the steps, so that passes meet the limit.
Words manyNops(size_t count) {
    std::string text = test::multiplyModule(16, 16, 16);
    std::string code;
    for (size_t i = 0; i < count; ++i) code += "OpNop\n";
    text.insert(text.find("OpReturn"), code);
    return test::assemble(text);
}

Words manyBlocks(size_t count) {
    std::string code;
    for (size_t i = 0; i < count; ++i) code += std::format("OpBranch %b{0}\n%b{0} = OpLabel\n", i);
    std::string text = test::multiplyModule(16, 16, 16);
    text.insert(text.find("OpReturn"), code);
    return test::assemble(text);
}

struct Growing {
    const char* name;
    Words (*make)(size_t count);
    size_t count;  // more than the steps allow
};

constexpr Growing kGrowing[] = {
    {"Products", manyProducts, 2000},
    {"Negations", manyNegations, 20000},
    {"Nops", manyNops, kSteps / 70},
    {"Blocks", manyBlocks, kSteps / 280},
};

void PrintTo(const Growing& growing, std::ostream* out) { *out << growing.name; }

// A size of this process in bytes, such as VmHWM.
uint64_t sizeOf(std::string_view name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) return 1024 * std::stoull(line.substr(name.size() + 1));
    }
    return 0;
}

// What a rewrite adds to the most memory of a process that it has for itself; nullopt: it was not
// refused for its steps.
std::optional<uint64_t> peakOf(const Words& words) {
    int ends[2];
    if (pipe(ends) != 0) return std::nullopt;
    malloc_trim(0);  // what is free counts as the rewrite's, once it is used again
    const pid_t child = fork();
    if (child == 0) {
        const uint64_t before = sizeOf("VmRSS:");
        Target target;
        target.subgroupSize = 4;
        const Result<Rewritten> out = rewrite({.words = words, .maxSteps = kSteps}, target);
        const bool isRefused = !out && out.error().code == ErrorCode::kTooManySteps;
        const uint64_t peak = isRefused ? sizeOf("VmHWM:") - before : 0;
        const bool sent = write(ends[1], &peak, sizeof(peak)) == sizeof(peak);
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    uint64_t peak = 0;
    const bool read = ::read(ends[0], &peak, sizeof(peak)) == sizeof(peak);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return read && peak != 0 ? std::optional(peak) : std::nullopt;
}

class MemoryOf : public testing::TestWithParam<Growing> {};

TEST_P(MemoryOf, IsBoundedByTheSteps) {
    const std::optional<uint64_t> peak = peakOf(GetParam().make(GetParam().count));
    ASSERT_TRUE(peak) << "the input does not reach the limit";
    const auto most = static_cast<uint64_t>(kBytesPerStep * kSteps) + kBase;
    EXPECT_LT(*peak, most);
    std::cout << GetParam().name << ": " << *peak / 1024 << " KiB, "
              << static_cast<double>(*peak) / kSteps << " bytes for each step\n";
}

INSTANTIATE_TEST_SUITE_P(All, MemoryOf, testing::ValuesIn(kGrowing),
                         [](const auto& growing) { return growing.param.name; });

}  // namespace
}  // namespace coopvk::rewrite::memory_test
