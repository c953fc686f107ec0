// SPDX-License-Identifier: Apache-2.0
//
// Where lanes that part meet again. Other control flow: folders/control_*.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::control_test {
namespace {

// if (i < 4) { if (i < 2) nothing; count of lanes here; }, in two subgroups of 4 lanes.
std::vector<uint32_t> countsBehind(Reconvergence reconvergence, const std::string& mode) {
    ShaderText text;
    text.localSize = 8;
    text.declarations = "%scope = OpConstant %u32 3\n";
    text.body =
        "%c = OpULessThan %bool %i %u_4\nOpSelectionMerge %m None\n"
        "OpBranchConditional %c %t %m\n%t = OpLabel\n"
        "%d = OpULessThan %bool %i %u_2\nOpSelectionMerge %n None\n"
        "OpBranchConditional %d %e %n\n%e = OpLabel\nOpBranch %n\n%n = OpLabel\n"
        "%count = OpGroupNonUniformIAdd %u32 %scope Reduce %u_1\n" +
        storeWord("%i", "%count") + "OpBranch %m\n%m = OpLabel\n";
    std::string module = shader(text);
    if (!mode.empty()) {
        module.insert(module.find("OpDecorate"), "OpExecutionMode %main " + mode + "\n");
        module.insert(module.find("%glsl"),
                      "OpExtension \"SPV_KHR_subgroup_uniform_control_flow\"\n"
                      "OpExtension \"SPV_KHR_maximal_reconvergence\"\n");
    }
    Execution r;
    r.settings.reconvergence = reconvergence;
    r.buffers[1] = std::vector<uint32_t>(8);
    execute(r, module);
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    return r.buffers[1];
}

TEST(ReferenceControl, LanesStayApartWhereNothingPromisesMore) {
    using enum Reconvergence;
    const std::vector<uint32_t> together = {4, 4, 4, 4, 0, 0, 0, 0},
                                apart = {2, 2, 2, 2, 0, 0, 0, 0};
    EXPECT_EQ(countsBehind(kMaximal, ""), together);
    EXPECT_EQ(countsBehind(kMinimal, ""), apart);
    const auto random = countsBehind(kRandom, "");
    EXPECT_TRUE(random == together || random == apart);
    for (const auto reconvergence : {kMinimal, kRandom})
        for (const char* mode : {"SubgroupUniformControlFlowKHR", "MaximallyReconvergesKHR"})
            EXPECT_EQ(countsBehind(reconvergence, mode), together) << mode;
}

// A condition that holds for all: of the setting's number of blocks, all may be executed.
TEST(ReferenceControl, NoMoreStepsThanTheSettingHas) {
    ShaderText text;
    text.body =
        "%c = OpULessThan %bool %i %u_16\nOpSelectionMerge %m None\n"
        "OpBranchConditional %c %t %m\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n" +
        storeWord("%i", "%u_1");
    for (const uint64_t most : {0, 2, 3}) {
        Execution r;
        r.settings.steps = most;
        r.buffers[1] = std::vector<uint32_t>(4);
        execute(r, shader(text));
        EXPECT_EQ(r.error.find("a subgroup has executed 2 blocks") != std::string::npos, most == 2)
            << r.error;
        EXPECT_EQ(r.buffers[1][0], most == 2 ? 0u : 1u);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::control_test
