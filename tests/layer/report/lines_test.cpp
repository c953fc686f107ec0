// SPDX-License-Identifier: Apache-2.0
//
// The lines of the log: which are there at which level, once each, and that others are not.
#include <algorithm>
#include <format>
#include <regex>

#include "coopvk/extensions.hpp"
#include "device/taken_for_fixture.hpp"

namespace coopvk::test::lines_test {
namespace {

class LogLines : public TakenFor {
 protected:
    ~LogLines() override {
        for (const char* name : {"COOPVK_LOG_LEVEL", "COOPVK_VENDOR_ID"}) unsetenv(name);
    }
    // What a device logs, and with `shaders` a pipeline with a matrix and one without. Without the
    // start of each line, which says the level and the program.
    std::vector<std::string> linesOf(const char* level, bool shaders = false) {
        setenv("COOPVK_LOG_LEVEL", level, 1);
        testing::internal::CaptureStderr();
        start();
        if (shaders) {
            for (const Words& words : {matrix, plain})
                EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
        }
        takenFor_ = settings().as != nullptr ? layer::takenForText(*settings().as, physical()) : "";
        const std::string text = testing::internal::GetCapturedStderr();
        std::vector<std::string> lines;
        static const std::regex kLine("coopvk: ([a-z]+): [^ ]*: (.*)\n");
        for (std::sregex_iterator at(text.begin(), text.end(), kLine), end; at != end; ++at)
            lines.push_back((*at)[1].str() + ": " + (*at)[2].str());
        return lines;
    }
    const layer::Settings& settings() {
        return layer::instances().find(driver.physical())->settings;
    }
    static size_t count(const std::vector<std::string>& lines, const std::string& pattern) {
        const std::regex wanted(pattern);
        return size_t(std::ranges::count_if(
            lines, [&](const std::string& line) { return std::regex_match(line, wanted); }));
    }
    std::string takenFor_;
};

TEST_F(LogLines, OfDevices) {
    const std::vector<std::string> lines = linesOf("info");
    size_t decided = 0;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        decided += count(lines, "info: fake device: " + std::string(info.vulkanName) +
                                    " (native|emulated|unavailable) \\(.+\\)");
    EXPECT_EQ(decided, rewrite::extensionTable().size());
    EXPECT_EQ(count(lines, "info: fake device: VK_KHR_cooperative_matrix emulated \\(.*\\)"), 1u);
    EXPECT_EQ(count(lines, "info: device on fake device emulates VK_KHR_cooperative_matrix"), 1u);
    EXPECT_EQ(lines.size(), decided + 1) << "and no others";
}

TEST_F(LogLines, OfShaders) {
    const std::vector<std::string> without = linesOf("info");
    stop();
    const std::vector<std::string> lines = linesOf("info", true);
    const SeenStage& stage = driver.pipelines.at(0).stages.at(0);
    const uint32_t size = stage.requiredSubgroupSize != 0 ? stage.requiredSubgroupSize : 64;
    EXPECT_EQ(count(lines, std::format("info: rewrote compute shader [0-9a-f]{{16}} for "
                                       "VK_KHR_cooperative_matrix subgroup {} \\({} -> {} words, "
                                       "[0-9.]+ ms\\)",
                                       size, matrix.size(), stage.words.size())),
              1u);
    EXPECT_EQ(lines.size(), without.size() + 1) << "none of the shader without matrices";
}

TEST_F(LogLines, AreLeftOutWhereNothingIsWrong) {
    for (const char* level : {"warn", "error", "off"}) {
        EXPECT_EQ(linesOf(level, true), std::vector<std::string>()) << level;
        stop();
    }
}

TEST_F(LogLines, OfNumbersThatProgramsSee) {
    setenv("COOPVK_VENDOR_ID", "10de", 1);
    EXPECT_EQ(
        count(linesOf("info"),
              "info: fake device: programs see vendor 10de, in place of vendor [0-9a-f]+, .*"),
        1u);
}

// Of a device that can be taken for another one, at the level info; else as a warning.
TEST_F(LogLines, OfDevicesTakenForOthers) {
    setenv("COOPVK_AS", "amd", 1);
    for (const bool fits : {true, false}) {
        driver.minSubgroupSize = fits ? 16 : 4;
        driver.maxSubgroupSize = driver.subgroupSize = fits ? 64 : 8;
        for (const char* level : {"info", "warn"}) {
            const std::vector<std::string> lines = linesOf(level);
            const std::string line = (fits ? "info" : "warn") + std::string(": fake device: ");
            const bool isLogged = !fits || level == std::string("info");
            EXPECT_EQ(std::ranges::count(lines, line + takenFor_), isLogged ? 1 : 0)
                << level << takenFor_;
            stop();
        }
    }
}

}  // namespace
}  // namespace coopvk::test::lines_test
