// SPDX-License-Identifier: Apache-2.0
// Planted faults in programs with matrices: each is found by the check that is for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::cooperative_reports_test {
namespace {

// The checks that reported something.
uint32_t checksOf(const std::string& source, uint32_t lanes = 4, Calls calls = Calls::kOnce) {
    Execution run;
    run.lanes = lanes;
    run.settings.calls = calls;
    run.buffers = {{0, std::vector<uint32_t>(64, bitsOf(1))},
                   {1, std::vector<uint32_t>(64, bitsOf(1))},
                   {2, std::vector<uint32_t>(64)}};
    execute(run, source);
    EXPECT_EQ(run.error, "");
    uint32_t checks = 0;
    for (const Report& report : run.reports) checks |= report.check;
    return checks;
}

// With a built-in %lane (LocalInvocationIndex) and a bool type.
std::string withLane(std::string source) {
    const auto insert = [&](const char* before, const char* text) {
        source.insert(source.find(before), text);
    };
    const std::string entry = "%main \"main\"";
    source.insert(source.find(entry) + entry.size(), " %lane");
    insert("OpDecorate %array", "OpDecorate %lane BuiltIn LocalInvocationIndex\n");
    insert("%scope = ",
           "%input = OpTypePointer Input %u32\n%lane = OpVariable %input Input\n"
           "%bool = OpTypeBool\n");
    return source;
}

constexpr const char* kLoad = "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n";
constexpr const char* kStore = "OpCooperativeMatrixStoreKHR %p2 %c %0 %6\n";

TEST(CooperativeReports, NoneForAValidProgram) {
    EXPECT_EQ(checksOf(text(std::string(kLoad) + kStore)), 0u);
}

// "All the operands to this instruction must be dynamically uniform".
TEST(CooperativeReports, StridesThatDiffer) {
    const std::string body =
        "%l = OpLoad %u32 %lane\n%stride = OpIAdd %u32 %l %6\n"
        "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %stride\n";
    EXPECT_EQ(checksOf(withLane(text(body + kStore))), uint32_t(kCheckUniformity));
}

// Of a matrix of the workgroup: the same in all its subgroups.
TEST(CooperativeReports, OperandsThatDifferBetweenSubgroups) {
    for (const char* stride : {"%6", "%differs"}) {
        const std::string body =
            "%l = OpLoad %u32 %lane\n%number = OpUDiv %u32 %l %4\n%differs = OpIAdd %u32 %number "
            "%6\n"
            "%c = OpCooperativeMatrixLoadKHR %C %p1 %0 " +
            std::string(stride) + "\n";
        const uint32_t checks = checksOf(withLane(text(body + kStore, "2", 8)));
        EXPECT_EQ(checks, stride[1] == '6' ? 0u : uint32_t(kCheckUniformity));
    }
}

// A subgroup that does not take part is found where the others meet.
TEST(CooperativeReports, SubgroupsThatAreAbsent) {
    const std::string body =
        std::string(kLoad) +
        "%l = OpLoad %u32 %lane\n%first = OpULessThan %bool %l %4\nOpSelectionMerge %behind None\n"
        "OpBranchConditional %first %in %behind\n%in = OpLabel\n" +
        kStore + "OpBranch %behind\n%behind = OpLabel\n";
    EXPECT_EQ(checksOf(withLane(text(body, "2", 8))), uint32_t(kCheckDivergence));
}

// "all the invocations in the Scope instance are active or none of them are".
TEST(CooperativeReports, LanesThatAreAbsent) {
    const std::string body =
        std::string(kLoad) +
        "%l = OpLoad %u32 %lane\n%first = OpULessThan %bool %l %2\nOpSelectionMerge %behind None\n"
        "OpBranchConditional %first %in %behind\n%in = OpLabel\n" +
        kStore + "OpBranch %behind\n%behind = OpLabel\n";
    EXPECT_EQ(checksOf(withLane(text(body))), uint32_t(kCheckDivergence));
}

// SPV_NV_cooperative_matrix2: a function for each element, called by half of the lanes.
TEST(CooperativeReports, LanesThatDoNotCall) {
    const std::string call = "%d = OpCooperativeMatrixPerElementOpNV %C %c %same\n";
    for (const bool all : {true, false}) {
        std::string body = std::string(kLoad) +
                           "%l = OpLoad %u32 %lane\n%first = OpULessThan %bool %l %" +
                           std::string(all ? "4" : "2") +
                           "\nOpSelectionMerge %behind None\n"
                           "OpBranchConditional %first %in %behind\n%in = OpLabel\n" +
                           call + "OpBranch %behind\n%behind = OpLabel\n";
        std::string source = withLane(text(
            body, "3", 4,
            "%same = OpFunction %f32 None %indexed\n%row = OpFunctionParameter %u32\n"
            "%column = OpFunctionParameter %u32\n%x = OpFunctionParameter %f32\n%begins = OpLabel\n"
            "OpReturnValue %x\nOpFunctionEnd\n"));
        EXPECT_EQ(checksOf(source), all ? 0u : uint32_t(kCheckDivergence));
    }
}

TEST(CooperativeReports, UndefinedElements) {
    std::string source = text(kStore);
    source.insert(source.find("%procedure"), "%c = OpUndef %C\n");
    EXPECT_EQ(checksOf(source), uint32_t(kCheckUndefined));
}

// SPV_QCOM_cooperative_matrix_conversion: three elements of an array of four, from each place on.
TEST(CooperativeReports, PartsOfArrays) {
    for (const char* first : {"0", "1", "2", "4", "5", "6"}) {
        std::string source = text("%part = OpExtractSubArrayQCOM %three %four_zeros %first\n");
        source.insert(source.find("OpExtension"),
                      "OpCapability CooperativeMatrixConversionQCOM\n"
                      "OpExtension \"SPV_QCOM_cooperative_matrix_conversion\"\n");
        source.insert(source.find("%procedure"),
                      "%3 = OpConstant %u32 3\n%three = OpTypeArray %f32 %3\n"
                      "%four = OpTypeArray %f32 %4\n%four_zeros = OpConstantNull %four\n"
                      "%s32 = OpTypeInt 32 1\n%first = OpConstant %s32 " +
                          std::string(first) + "\n");
        EXPECT_EQ(checksOf(source), *first > '1' ? uint32_t(kCheckBounds) : 0) << first;
    }
}

// A slice that begins one row further than the tensor has room for: by the clamp mode Undefined.
TEST(CooperativeReports, SlicesThatAreOffByOne) {
    for (const bool outside : {false, true}) {
        const std::string first = outside ? "%4" : "%2";
        const std::string body =
            "%l0 = OpCreateTensorLayoutNV %plain\n"
            "%l1 = OpTensorLayoutSetDimensionNV %plain %l0 %6 %6\n"
            "%l2 = OpTensorLayoutSliceNV %plain %l1 " +
            first +
            " %4 %0 %6\n"
            "%c = OpCooperativeMatrixLoadTensorNV %C %p1 %zeros %l2 None None\n";
        std::string source = text(body + kStore);
        source.insert(source.find("%layout = "), "%plain = OpTypeTensorLayoutNV %2 %0\n");
        const uint32_t checks = checksOf(source);
        if (outside) {
            EXPECT_NE(checks & kCheckBounds, 0u);
        } else {
            EXPECT_EQ(checks, 0u);
        }
    }
}

// AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible: 0x6108.
// Each lane reads what another wrote of a matrix in shared memory, with and without a barrier
// between.
TEST(CooperativeReports, MissingBarriers) {
    for (const bool barrier : {false, true}) {
        std::string body = std::string(kLoad) +
                           "%s = OpAccessChain %inShared %shared %0\n"
                           "OpCooperativeMatrixStoreKHR %s %c %0 %6 NonPrivatePointer\n";
        if (barrier) body += "OpControlBarrier %2 %2 %acquireRelease\n";
        body +=
            "%l = OpLoad %u32 %lane\n%other = OpBitwiseXor %u32 %l %1\n"
            "%t = OpAccessChain %inShared %shared %other\n"
            "%v = OpLoad %f32 %t NonPrivatePointer\n"
            "%d = OpAccessChain %element %buffer2 %0 %l\nOpStore %d %v\n";
        std::string source = withLane(text(body, "3", 8));
        const std::string entry = "%main \"main\"";
        source.insert(source.find(entry) + entry.size(), " %shared");
        source.insert(source.find("%procedure"),
                      "%24 = OpConstant %u32 24\n%acquireRelease = OpConstant %u32 24840\n"
                      "%sharedArray = OpTypeArray %f32 %24\n"
                      "%pointerShared = OpTypePointer Workgroup %sharedArray\n"
                      "%inShared = OpTypePointer Workgroup %f32\n"
                      "%shared = OpVariable %pointerShared Workgroup\n");
        const uint32_t checks = checksOf(source, 8);
        EXPECT_EQ((checks & kCheckRaces) != 0, !barrier);
    }
}

// "Calls may occur more than once": by another invocation, which stores to the same place.
TEST(CooperativeReports, FunctionsThatAreCalledAgain) {
    const std::string source =
        text("%t = OpCooperativeMatrixPerElementOpNV %C %zeros %store", "3", 4, R"(
%store = OpFunction %f32 None %indexed
%row = OpFunctionParameter %u32
%column = OpFunctionParameter %u32
%value = OpFunctionParameter %f32
%storeEntry = OpLabel
%begin = OpIMul %u32 %row %6
%place = OpIAdd %u32 %begin %column
%to = OpAccessChain %element %buffer2 %0 %place
OpStore %to %value NonPrivatePointer
OpReturnValue %value
OpFunctionEnd
)");
    EXPECT_EQ(checksOf(source), 0u);
    EXPECT_EQ(checksOf(source, 4, Calls::kRepeated), uint32_t(kCheckRaces));
}

}  // namespace
}  // namespace coopvk::reference::test::cooperative_reports_test
