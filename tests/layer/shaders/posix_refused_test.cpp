// SPDX-License-Identifier: Apache-2.0
//
// The log's line of a shader that is refused is as docs/developers/refused.md says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "assemble.hpp"
#include "edit.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::posix_refused_test {
namespace {

TEST_F(ShaderRoutes, RefusedAsTheDocumentsSay) {
    // B has as many rows as columns, and A has half as many columns.
    const Words words =
        assemble(edited(multiplyModule(16, 16, 8),
                        {{"%B = OpTypeCooperativeMatrixKHR %f16 %c3 %depth %columns",
                          "%B = OpTypeCooperativeMatrixKHR %f16 %c3 %columns %columns"}}));
    testing::internal::CaptureStderr();
    EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_ERROR_UNKNOWN);
    std::string line = testing::internal::GetCapturedStderr();
    for (const auto& [what, example] :
         {std::pair{COOPVK_LAYER_TESTS "\\[[0-9]+\\]", "PROGRAM[1234]"},
          std::pair{"shader [0-9a-f]{16}", "shader 0123456789abcdef"},
          std::pair{"result %[0-9]+", "result %42"}}) {
        line = std::regex_replace(line, std::regex(what), example);
    }
    std::ifstream file(COOPVK_DOCS "/developers/refused.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(page.find("\n" + line), std::string::npos) << line;
}

// `coopvk run --strict` reads it, also where nothing is remembered.
TEST_F(ShaderRoutes, RefusedByTheDriverIsReported) {
    stop();
    const auto file = std::filesystem::temp_directory_path() /
                      ("coopvk-refused-test-" + std::to_string(getpid()));
    std::ofstream(file) << "";
    setenv("COOPVK_RUN_REPORT", file.c_str(), 1);
    start();
    driver.pipelineResult = VK_ERROR_INITIALIZATION_FAILED;
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_ERROR_INITIALIZATION_FAILED);
    stop();
    unsetenv("COOPVK_RUN_REPORT");
    std::ifstream read(file);
    const std::string report{std::istreambuf_iterator<char>(read), {}};
    EXPECT_NE(report.find("\nrefused\t"), std::string::npos) << report;
    EXPECT_NE(report.find("refused what coopvk made of it, with VK_ERROR_INIT"), std::string::npos);
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace coopvk::test::posix_refused_test
