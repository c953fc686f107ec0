// SPDX-License-Identifier: Apache-2.0
//
// Data graphs: few drivers have them, and they do not compute with matrices.
#include "fakes/shader_routes.hpp"

#ifdef VK_ARM_data_graph

namespace coopvk::test::data_graph_test {
namespace {

class DataGraphs : public ShaderRoutes {
 protected:
    DataGraphs() {
        graph.pName = "main";
        info.pNext = &graph;
    }
    // A pipeline for each create info.
    VkResult make(std::vector<VkDataGraphPipelineCreateInfoARM> infos) {
        pipelines.assign(infos.size(), poison);
        driver.pipelines.clear();
        testing::internal::CaptureStderr();
        const VkResult result =
            COOPVK_DEVICE_COMMAND(driver, device, vkCreateDataGraphPipelinesARM)(
                device, VK_NULL_HANDLE, VK_NULL_HANDLE, static_cast<uint32_t>(infos.size()),
                infos.data(), nullptr, pipelines.data());
        log = testing::internal::GetCapturedStderr();
        return result;
    }
    void expectRefused() {
        EXPECT_EQ(make({info}), VK_ERROR_UNKNOWN);
        EXPECT_TRUE(driver.pipelines.empty());
        EXPECT_EQ(pipelines[0], VK_NULL_HANDLE);
        EXPECT_NE(log.find("data graph"), std::string::npos) << log;
        EXPECT_NE(log.find("VK_KHR_cooperative_matrix"), std::string::npos) << log;
    }
    void expectUntouched(const Words& words) {
        EXPECT_EQ(make({info}), VK_SUCCESS);
        EXPECT_EQ(log, "");
        EXPECT_NE(pipelines[0], poison);
        EXPECT_EQ(last().words, words);
    }

    const VkPipeline poison = reinterpret_cast<VkPipeline>(uint64_t{0xdead});
    VkDataGraphPipelineShaderModuleCreateInfoARM graph = {
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM};
    VkDataGraphPipelineCreateInfoARM info = {VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM};
    std::vector<VkPipeline> pipelines;
    std::string log;
};

// The driver has a stub for such a module, and must not make a pipeline of it.
TEST_F(DataGraphs, EmulatedModulesAreRefused) {
    graph.module = makeModule(matrix);
    expectRefused();
}

TEST_F(DataGraphs, EmulatedCodeIsRefused) {
    const VkShaderModuleCreateInfo code = infoOf(matrix);
    graph.pNext = &code;
    expectRefused();
}

TEST_F(DataGraphs, OthersGoDownAsTheyCame) {
    graph.module = makeModule(plain);
    expectUntouched(plain);
    const VkShaderModuleCreateInfo code = infoOf(plain);
    graph.module = VK_NULL_HANDLE;
    graph.pNext = &code;
    expectUntouched(plain);
    // Known by an identifier, or a model.
    VkDataGraphPipelineIdentifierCreateInfoARM identifier = {
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM};
    info.pNext = &identifier;
    expectUntouched({});
}

TEST_F(DataGraphs, OneRefusedAmongOthers) {
    graph.module = makeModule(plain);
    VkDataGraphPipelineShaderModuleCreateInfoARM wrong = graph;
    wrong.module = makeModule(matrix);
    VkDataGraphPipelineCreateInfoARM refused = info;
    refused.pNext = &wrong;
    EXPECT_EQ(make({info, refused, info}), VK_ERROR_UNKNOWN);
    EXPECT_NE(pipelines[0], VK_NULL_HANDLE);
    EXPECT_EQ(pipelines[1], VK_NULL_HANDLE);
    EXPECT_NE(pipelines[2], VK_NULL_HANDLE);
    EXPECT_EQ(driver.pipelines.size(), 2u);
    refused.flags = VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT;
    EXPECT_EQ(make({info, refused, info}), VK_ERROR_UNKNOWN);
    EXPECT_EQ(pipelines[2], VK_NULL_HANDLE);
}

}  // namespace
}  // namespace coopvk::test::data_graph_test

#endif
