// SPDX-License-Identifier: Apache-2.0
// OpCooperativeMatrixGetCoordinateEXT (SPV_EXT_cooperative_matrix_maintenance1): the row and the
// column of each component of an invocation.
#include <gtest/gtest.h>

#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::matrix_coordinates_test {
namespace {

Execution executed(const std::string& body) {
    std::string module = text(body);
    module.insert(module.find("OpExtension"),
                  "OpCapability CooperativeMatrixGetCoordinateEXT\n"
                  "OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"\n");
    std::string constants = "%coordinate = OpTypeVector %u32 2\n";
    for (uint32_t k = 0; k <= 6; ++k)
        constants +=
            "%number" + std::to_string(k) + " = OpConstant %u32 " + std::to_string(k) + "\n";
    module.insert(module.find("%scope = "), constants);
    Execution run;
    run.validate = false;  // the extension is not among those of the environment
    run.buffers = {{0, {0}}, {1, {}}, {2, std::vector<uint32_t>(24)}};
    for (uint32_t i = 0; i < 24; ++i) run.buffers[1].push_back(bitsOf(float(i) + 0.5f));
    execute(run, module);
    EXPECT_EQ(run.error, "");
    return run;
}

// 24 elements of four invocations. Each goes to the place that its coordinates say.
TEST(MatrixCoordinates, AreThoseOfEachComponent) {
    std::string body = "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n";
    for (uint32_t k = 0; k < 6; ++k) {
        const std::string n = std::to_string(k);
        body += "%index" + n + " = OpIAdd %u32 %0 %number" + n + "\n%e" + n +
                " = OpCompositeExtract %f32 %c " + n + "\n%at" + n +
                " = OpCooperativeMatrixGetCoordinateEXT %coordinate %c %index" + n + "\n%row" + n +
                " = OpCompositeExtract %u32 %at" + n + " 0\n%column" + n +
                " = OpCompositeExtract %u32 %at" + n + " 1\n%first" + n + " = OpIMul %u32 %row" +
                n + " %6\n%place" + n + " = OpIAdd %u32 %first" + n + " %column" + n + "\n%to" + n +
                " = OpAccessChain %element %buffer2 %0 %place" + n + "\nOpStore %to" + n + " %e" +
                n + "\n";
    }
    const Execution run = executed(body);
    for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
    EXPECT_EQ(run.buffers.at(2), run.buffers.at(1));
}

// An invocation has 6 of the 24 elements.
TEST(MatrixCoordinates, OfNoComponentAreReported) {
    for (const bool has : {true, false}) {
        const Execution run = executed(
            "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n"
            "%at = OpCooperativeMatrixGetCoordinateEXT %coordinate %c %number" +
            std::string(has ? "5\n" : "6\n"));
        ASSERT_EQ(run.reports.size(), has ? 0u : 1u);
        if (has) continue;
        EXPECT_EQ(run.reports[0].message, "component 6 of a matrix that has 6 in an invocation");
    }
}

}  // namespace
}  // namespace coopvk::reference::test::matrix_coordinates_test
