// SPDX-License-Identifier: Apache-2.0
//
// What the layer counts and reports about a program, above the driver that records its calls.
#include "report/statistics.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "fakes/shader_routes.hpp"
#include "objects/context.hpp"

namespace coopvk::test::statistics_test {
namespace {

// All ways of a shader again, with a file for statistics, one for the report, or both.
class StatisticsTest : public ShaderRoutes {
 protected:
    StatisticsTest() {
        std::filesystem::create_directories(folder);
        unsetenv("COOPVK_STATISTICS");
        unsetenv(layer::kRunReportVariable);
    }
    ~StatisticsTest() override {
        stop();  // which closes files in the folder
        unsetenv("COOPVK_STATISTICS");
        unsetenv(layer::kRunReportVariable);
        std::filesystem::remove_all(folder);
    }

    void restartWith(const char* variable, const std::string& value) {
        stop();
        setenv(variable, value.c_str(), 1);
        start();
    }
    static std::string read(const std::string& path) {
        std::ostringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }
    void expect(const std::string& text, const std::string& line) {
        EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
    }

    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                         ("coopvk-statistics-test-" + std::to_string(getpid()));
    const std::string file = (folder / "statistics").string(),
                      report = (folder / "report").string();
};

TEST_F(StatisticsTest, OffByDefault) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    stop();
    start();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(StatisticsTest, CountsEverything) {
    restartWith("COOPVK_STATISTICS", file);
    const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    testing::internal::CaptureStderr();
    VkPipelineShaderStageCreateInfo wrong = stage;
    wrong.pName = "nothing";
    EXPECT_LT(makeCompute(wrong), 0);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(read(file), "") << "not before the end";
    stop();
    const std::string text = read(file);
    expect(text, "coopvk: info: " COOPVK_LAYER_TESTS "[" + std::to_string(getpid()) +
                     "]: statistics of " COOPVK_LAYER_TESTS " (process ");
    expect(text, ": emulates VK_KHR_cooperative_matrix");
    expect(text,
           "  3 modules seen: 2 untouched, 1 with emulated capabilities or shapes; scanned in ");
    expect(text, "  1 stage rewritten, 1 from the cache, 1 refused; ");
    expect(text, "  VK_KHR_cooperative_matrix: 2 stages\n");
    expect(text, "  matrices: core: 2 stages\n");
    EXPECT_EQ(text.find("VK_NV_cooperative_vector: "), std::string::npos) << text;
    start();
    stop();
    EXPECT_EQ(std::ranges::count(read(file), '\n'), std::ranges::count(text, '\n') + 4)
        << "an instance's own numbers, appended: " << read(file);
    start();
}

// A program may shut itself off from files once it has an instance.
TEST_F(StatisticsTest, FileIsOpenFromTheStart) {
    restartWith("COOPVK_STATISTICS", file);
    std::filesystem::rename(file, file + ".moved");
    stop();
    expect(read(file + ".moved"), "statistics of " COOPVK_LAYER_TESTS);
    EXPECT_FALSE(std::filesystem::exists(file));
    start();
}

TEST_F(StatisticsTest, GoWhereTheLogGoes) {
    const std::string log = (folder / "log").string();
    setenv("COOPVK_LOG_FILE", log.c_str(), 1);
    setenv("COOPVK_LOG_LEVEL", "off", 1);
    restartWith("COOPVK_STATISTICS", "1");
    stop();
    unsetenv("COOPVK_LOG_LEVEL");
    unsetenv("COOPVK_LOG_FILE");
    expect(read(log), "statistics of " COOPVK_LAYER_TESTS);
    testing::internal::CaptureStderr();
    start();
    stop();
    expect(testing::internal::GetCapturedStderr(), "statistics of " COOPVK_LAYER_TESTS);
    start();
}

TEST_F(StatisticsTest, OfManyThreads) {
    restartWith("COOPVK_STATISTICS", file);
    const VkShaderModule module = makeModule(matrix);
    VkPipelineShaderStageCreateInfo stage = stageOf(module);
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);  // the fake driver itself takes one thread
    layer::Statistics* statistics = nullptr;
    layer::Settings settings;
    settings.statistics = (folder / "own").string();
    const auto own = layer::Statistics::make(settings);
    statistics = own.get();
    layer::PhysicalDeviceContext physical;
    physical.facts.traits.name = "device";
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            auto* added = statistics->addDevice(
                physical, {rewrite::Extension::kNvCooperativeVector}, {}, false);
            rewrite::Rewritten rewritten;
            rewritten.used.insert(rewrite::Extension::kNvCooperativeVector);
            rewritten.paths = {"vectors: alone"};
            for (int j = 0; j < 100; ++j) {
                added->scanned(true, std::chrono::microseconds(1));
                added->rewrote(rewritten, j > 0, std::chrono::microseconds(10));
                added->ranCommand(rewrite::Extension::kNvCooperativeVector);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    own->writeSummary();
    own->writeSummary();
    const std::string text = read(settings.statistics);
    size_t lines = 0;
    for (size_t at = 0;
         (at = text.find("1 stage rewritten, 99 from the cache", at)) != std::string::npos; ++at) {
        ++lines;
    }
    EXPECT_EQ(lines, 8u) << text;
    expect(text, "VK_NV_cooperative_vector: 100 stages, 100 commands\n");
    expect(text, "vectors: alone: 100 stages\n");
}

TEST_F(StatisticsTest, Report) {
    std::ofstream(report).flush();
    restartWith(layer::kRunReportVariable, report);
    const std::string who = "\t" + std::to_string(getpid()) + "\t" COOPVK_LAYER_TESTS;
    std::string text = read(report);
    expect(text, "instance" + who + "\n");
    expect(text, "decision" + who + "\tfake device\tVK_KHR_cooperative_matrix\temulated\t");
    expect(text, "device" + who + "\tfake device\tVK_KHR_cooperative_matrix\t\n");
    EXPECT_EQ(text.find("emulated" + who), std::string::npos);
    const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    expect(read(report), "emulated" + who + "\tfake device\tVK_KHR_cooperative_matrix\n");
    text = read(report);
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(read(report), text) << "once";
    VkPipelineShaderStageCreateInfo wrong = stage;
    wrong.pName = "nothing";
    testing::internal::CaptureStderr();
    EXPECT_LT(makeCompute(wrong), 0);
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("statistics"), std::string::npos);
    expect(read(report), "refused" + who + "\tfake device\tcannot rewrite compute shader");
    // That the device is lost, once.
    driver.waitResult = VK_ERROR_DEVICE_LOST;
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkDeviceWaitIdle)(device),
                  VK_ERROR_DEVICE_LOST);
    const std::string lost = "lost" + who + "\tfake device\tthe device was lost\n";
    text = read(report);
    EXPECT_EQ(text.find(lost), text.rfind(lost));
    expect(text, lost);
}

// The layer neither creates nor needs what another program left there.
TEST_F(StatisticsTest, ReportThatIsGone) {
    restartWith(layer::kRunReportVariable, (folder / "none").string());
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace coopvk::test::statistics_test
