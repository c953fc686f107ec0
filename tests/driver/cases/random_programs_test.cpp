// SPDX-License-Identifier: Apache-2.0
//
// Random programs on matrices of both scopes, on cooperative and on long vectors (tests/programs)
// on the device under test, compared with what the reference device makes of them natively.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "case.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::random_programs_test {
namespace {

using programs::Program;

enum class Kind { kMatrices, kVectors, kLongVectors };
constexpr std::string_view kNames[] = {"Matrices", "Vectors", "LongVectors"};

// Whether the driver gets programs as they are, and its validator does not know all of them.
bool areTheDrivers(Kind kind) {
    const char* emulated = std::getenv("COOPVK_EMULATE");
    return kind == Kind::kLongVectors &&
           (emulated == nullptr || std::string_view(emulated) != "all");
}

// The first program from the seed on whose buffers the tests' descriptors hold.
Program programFrom(uint64_t seed, Kind kind) {
    const auto make = programs::kKinds[static_cast<size_t>(kind)].make;
    const uint32_t lanes = Context::get().subgroupSize;
    for (uint64_t next = seed << 32;; ++next) {
        Program made = make(next, lanes, programs::Features::kOfDrivers, programs::Size::kLarge);
        if (made.buffers <= kArrayBinding && (made.canBeValidated || !areTheDrivers(kind)))
            return made;
    }
}

class RandomPrograms : public testing::TestWithParam<std::tuple<Kind, uint32_t>> {};

TEST_P(RandomPrograms, MatchReference) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto& [kind, seed] = GetParam();
    const Program program = programFrom(seed, kind);
    SCOPED_TRACE(program.text);
    std::string problem;
    const auto words = programs::assemble(program.text, problem);
    ASSERT_TRUE(words) << problem;
    const check::Module module(*words, program.specialization);
    check::MemoryChoice choice{.seed = seed, .bufferSize = program.bufferSize};
    const auto push = std::as_bytes(std::span(program.push));
    choice.pushConstants.assign(push.begin(), push.end());
    const check::Memory memory = check::makeMemory(module, choice);

    const check::Side side =
        check::makeSide({*words, "main", program.specialization, program.lanes, false});
    ASSERT_TRUE(side.program) << side.error;
    reference::Settings settings;
    settings.subgroupSize = program.lanes;
    settings.threads = 1;
    const check::Execution expected = check::execute(side, memory, {1, 1, 1}, settings);
    ASSERT_EQ(expected.error, "");
    for (const reference::Report& report : expected.reports)
        ADD_FAILURE() << reference::describe(report);

    Dispatch dispatch;
    dispatch.push = choice.pushConstants;
    for (const check::Buffer& buffer : memory.buffers) {
        ASSERT_EQ(buffer.use.binding, dispatch.buffers.size());
        dispatch.buffers.push_back(buffer.bytes);
    }
    PipelineOptions options;
    // A module that depends on a layout of elements would get that layout's subgroups.
    options.requiredSubgroupSize = program.lanes;
    for (const check::SpecializationValue& value : program.specialization)
        options.specialization.push_back(
            {value.constantId, static_cast<uint32_t>(value.bits), value.size});
    check::Execution result;
    result.contents = run(*words, dispatch, options);
    check::Freedom freedom;
    freedom.buffers.resize(memory.buffers.size());
    for (const check::Difference& difference :
         check::compare(module, memory, expected, result, freedom).differences)
        ADD_FAILURE() << difference.buffer << ", byte " << difference.byte << ": "
                      << difference.rewritten << ", not " << difference.native;
}

// COOPVK_TEST_PROGRAMS is the number of programs of each kind; without it, each number of lanes has
// other programs.
std::vector<uint32_t> seeds() {
    constexpr uint32_t kFew = 3, kMany = 1500;
    uint32_t count = runsAll() ? kMany : kFew;
    const uint32_t first = Context::get().subgroupSize << 16;
    if (const char* text = std::getenv("COOPVK_TEST_PROGRAMS"))
        count = static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < count; ++i) result.push_back(first + i);
    return result;
}

INSTANTIATE_TEST_SUITE_P(All, RandomPrograms,
                         testing::Combine(testing::Values(Kind::kMatrices, Kind::kVectors,
                                                          Kind::kLongVectors),
                                          testing::ValuesIn(seeds())),
                         [](const auto& test) {
                             const auto kind = static_cast<size_t>(std::get<0>(test.param));
                             return std::string(kNames[kind]) + "_" +
                                    std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace coopvk::test::random_programs_test
