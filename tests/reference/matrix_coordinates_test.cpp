// SPDX-License-Identifier: Apache-2.0
// OpCooperativeMatrixGetCoordinateEXT (SPV_EXT_cooperative_matrix_maintenance1): the row and the
// column of each component of an invocation.
#include <gtest/gtest.h>

#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::matrix_coordinates_test {
namespace {

Execution executed(const std::string& body, const std::string& annotations = "") {
    std::string module = text(body);
    module.insert(module.find("OpDecorate"), annotations);
    module.insert(module.find("OpExtension"),
                  "OpCapability CooperativeMatrixGetCoordinateEXT\n"
                  "OpCapability CooperativeMatrixConversionsEXT\n"
                  "OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"\n");
    std::string constants =
        "%coordinate = OpTypeVector %u32 2\n%unknown = OpUndef %u32\n"
        "%turned_words = OpTypeCooperativeMatrixKHR %u32 %3 %6 %4 %2\n";
    for (uint32_t k = 0; k <= 6; ++k)
        constants +=
            "%number" + std::to_string(k) + " = OpConstant %u32 " + std::to_string(k) + "\n";
    module.insert(module.find("%scope = "), "%3 = OpConstant %u32 3\n" + constants);
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

// Of a component that nobody knows, neither the row nor the column.
TEST(MatrixCoordinates, OfUndefinedComponents) {
    for (const char* component : {"%number5", "%unknown"})
        for (const char* part : {"0", "1"}) {
            const Execution run = executed(
                "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n"
                "%at = OpCooperativeMatrixGetCoordinateEXT %coordinate %c " +
                std::string(component) + "\n%part = OpCompositeExtract %u32 %at " + part +
                "\n%number = OpConvertUToF %f32 %part\n"
                "%to = OpAccessChain %element %buffer2 %0 %0\nOpStore %to %number\n");
            uint32_t undefined = 0;
            for (const Report& report : run.reports) undefined += report.check == kCheckUndefined;
            EXPECT_EQ(undefined, component[1] == 'u' ? 1u : 0u);
        }
}

// "CooperativeMatrixTransposeEXT": conversions to another use, or in place, also transpose.
TEST(MatrixCoordinates, ConversionsThatTranspose) {
    for (const bool isInPlace : {false, true}) {
        const char* conversion =
            isInPlace ? "OpConvertFToU %turned_words %c" : "OpCooperativeMatrixConvertNV %BT %c";
        const Execution run = executed(
            "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n%turned = " + std::string(conversion) +
                "\nOpCooperativeMatrixStoreKHR %p2 %turned %0 %4\n",
            "OpDecorate %turned CooperativeMatrixTransposeEXT\n");
        ASSERT_EQ(run.error, "");
        for (uint32_t row = 0; row < 4; ++row)
            for (uint32_t column = 0; column < 6; ++column) {
                const uint32_t from = row * 6 + column;  // the number is half more
                EXPECT_EQ(run.buffers.at(2)[column * 4 + row],
                          isInPlace ? from : bitsOf(float(from) + 0.5f));
            }
    }
}

}  // namespace
}  // namespace coopvk::reference::test::matrix_coordinates_test
