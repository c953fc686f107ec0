// SPDX-License-Identifier: Apache-2.0
//
// The driver tests' main. It makes the device before any test, tests nothing but the emulation, and
// fails a test during which a layer or the loader reported an error.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "context.hpp"
#include "covering.hpp"
#include "layer_log.hpp"
#include "processor_time.hpp"

namespace coopvk::test {
namespace {

bool wanted(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value && *value != '0';
}

// Why this set-up would not test the emulation; empty if it does.
std::string unfit(const Context& context) {
    if (wanted("COOPVK_TEST_NATIVE")) {
        if (context.emulated) return "COOPVK_TEST_NATIVE is set, but coopvk is active";
    } else if (!context.emulated) {
        return "coopvk is not among the device's tools: the tests would test something else";
    }
    if (const char* lanes = std::getenv("COOPVK_TEST_SUBGROUP_SIZE");
        lanes && std::to_string(context.subgroupSize) != lanes)
        return "the device has " + std::to_string(context.subgroupSize) + " lanes, not " + lanes;
    if (wanted("COOPVK_TEST_VALIDATION") && !context.validated)
        return "the validation layer is not active";
    if (!context.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) || context.shapes.empty())
        return "no VK_KHR_cooperative_matrix";
    return {};
}

// Fails the test during which a layer or the loader reported an error, or the layer made invalid
// code.
class FailOnMessages : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& test) override {
        const std::string log = LayerLog::take();
        if (test.result()->Failed()) std::printf("%s", log.c_str());
        // In tests of bad code the layer must report errors.
        const bool isBad = std::string_view(test.test_suite_name()).starts_with("BadCode");
        if (!isBad && log.find("is not valid") != log.npos)
            ADD_FAILURE() << "spirv-val refuses the rewritten shader:\n" << log;
        const std::vector<std::string> messages = Context::get().takeMessages();
        // Tests behind one that lost the device have another.
        for (int part = 0; part < test.result()->total_part_count(); ++part) {
            const std::string_view text = test.result()->GetTestPartResult(part).message();
            if (text.find("DEVICE_LOST") == text.npos) continue;
            Context::shutDown();
            break;
        }
        backEnds(LayerLog::takeBackEnds());
        if (isBad) return;  // drivers may complain, too
        for (const std::string& message : messages) {
            // Messengers get coopvk's refusals, too; tests find these in the log.
            if (!message.starts_with("coopvk: ")) ADD_FAILURE() << "message: " << message;
        }
    }

    // If matrices should stay the driver's own, none may become core code.
    void backEnds(const BackEnds& seen) {
        if (!wanted("COOPVK_TEST_NATIVE_BACK_END")) return;
        EXPECT_EQ(seen.unexplained, "") << "core code for no reason of the driver's";
        native_ += seen.native;
        core_ += seen.core;
    }
    void OnTestSuiteEnd(const testing::TestSuite& suite) override {
        // A suite of few shaders may be about types that the driver's own matrices lack.
        if (core_ > 3 && native_ == 0)
            ADD_FAILURE() << suite.name() << ": all shaders became core code";
        native_ = core_ = 0;
    }

    uint32_t native_ = 0, core_ = 0;  // in the suite
};

// Adds the processor time of each test to reports (--gtest_output).
class TellProcessorTime : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { start_ = processorTime(); }
    void OnTestEnd(const testing::TestInfo&) override {
        testing::Test::RecordProperty("processor_ms", std::to_string(processorTime() - start_));
    }

    int64_t start_ = 0;
};

// COOPVK_TEST_SEED: the part of a sample so many places on, so that as many runs as a sample has
// parts run all.
void rotateSample() {
    const auto number = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
    };
    const unsigned long long parts = number("GTEST_TOTAL_SHARDS");
    if (parts == 0) return;
    const unsigned long long part = number("GTEST_SHARD_INDEX") + testSeed();
    setenv("GTEST_SHARD_INDEX", std::to_string(part % parts).c_str(), /*overwrite=*/1);
}

int runAll(int argc, char** argv) {
    if (runsAll()) {
        unsetenv("GTEST_TOTAL_SHARDS");
    } else {
        rotateSample();
        limitProcessorTime();
        // lavapipe compiles several times as fast without LLVM's optimiser.
        setenv("GALLIVM_PERF", "nopt", /*overwrite=*/0);
    }
    LayerLog::start();
    Context& context = Context::get();
    std::printf("%s, %u lanes, tools:", context.properties.deviceName, context.subgroupSize);
    for (const std::string& tool : context.tools) std::printf(" [%s]", tool.c_str());
    std::printf(", %zu shapes\n", context.shapes.size());
    if (const std::string why = unfit(context); !why.empty()) {
        std::fprintf(stderr, "driver_tests: %s\n", why.c_str());
        return EXIT_FAILURE;
    }
    testing::InitGoogleTest(&argc, argv);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new FailOnMessages);
    listeners.Append(new TellProcessorTime);
    const int result = RUN_ALL_TESTS();
    Context::shutDown();
    LayerLog::stop();
    return result;
}

}  // namespace
}  // namespace coopvk::test

int main(int argc, char** argv) {
    try {
        return coopvk::test::runAll(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "driver_tests: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
