// SPDX-License-Identifier: Apache-2.0
//
// Matrix shapes that coopvk lists after a driver's own if the native back-end is asked for: the
// driver's shapes stay the first, modules that use only these stay unchanged, and only modules that
// use an added shape are rewritten.
#include "device/added_shapes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "coopvk/rewrite.hpp"

namespace coopvk::test::added_shapes_test {
namespace {

bool isInTiles(const Words& words) {
    const std::string text = rewrite::disassemble(words);
    size_t products = 0;
    for (size_t at = 0; (at = text.find("MulAddKHR", at)) != std::string::npos; ++at) ++products;
    return products == 8 && !rewrite::validate(words);  // 16x16x16 of 8x8x8
}

TEST_F(AddedShapes, ComeAfterTheDriversOwn) {
    restartWith("auto,VK_EXT_shader_float8", VK_FALSE);
    const auto shapes = list();
    ASSERT_GT(shapes.size(), 2u);
    EXPECT_TRUE(equal(shapes[0], driver.matrixShapes[0]));
    EXPECT_TRUE(equal(shapes[1], driver.matrixShapes[1]));
    bool areFormats = false;  // of 8-bit floats in the driver's f16, behind all others
    for (size_t i = 2; i < shapes.size(); ++i) {
        areFormats = areFormats || shapes[i].AType > VK_COMPONENT_TYPE_UINT64_KHR;
        EXPECT_EQ(areFormats, shapes[i].AType > VK_COMPONENT_TYPE_UINT64_KHR);
        EXPECT_TRUE(areFormats || shapes[i].AType == VK_COMPONENT_TYPE_FLOAT16_KHR);
        EXPECT_EQ((shapes[i].MSize | shapes[i].NSize | shapes[i].KSize) % 8, 0u);
        for (size_t j = 0; j < i; ++j) EXPECT_FALSE(equal(shapes[i], shapes[j]));
    }
    EXPECT_TRUE(areFormats);
}

TEST_F(AddedShapes, FillWhatRoomThereIs) {
    const auto all = list();
    for (uint32_t room = 0; room <= all.size() + 1; ++room) {
        std::vector<VkCooperativeMatrixPropertiesKHR> some(room + 1);
        uint32_t count = room;
        EXPECT_EQ(list(count, some.data()), room < all.size() ? VK_INCOMPLETE : VK_SUCCESS);
        ASSERT_EQ(count, std::min<size_t>(room, all.size()));
        for (uint32_t i = 0; i < count; ++i) EXPECT_TRUE(equal(some[i], all[i])) << i;
        EXPECT_EQ(some[count].MSize, 0u) << "nothing is written behind the last";
    }
}

// multiplyModule(16, 16, 64) with A and B of a format that only the driver knows.
Words newFormatModule() {
    std::string text = multiplyModule(16, 16, 64);
    const std::string_view decoration = "OpDecorate %rows SpecId 0\n", spec = "OpSpecConstant";
    text.erase(text.find(decoration), decoration.size());
    text.replace(text.find(spec), spec.size(), "OpConstant");
    const std::string_view half = "%f16 = OpTypeFloat 16";
    text.replace(text.find(half), half.size(), "%f16 = OpTypeFloat 16 BFloat16KHR");
    Words words = assemble(text);
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        constexpr uint32_t kEncodedFloat = 4u << 16 | 22;
        constexpr uint32_t kFloat4 = 4225;  // Float4E2M1EXT: of 16 bits it is no format
        if (words[at] == kEncodedFloat) words[at + 3] = kFloat4;
    }
    return words;
}

// VK_COMPONENT_TYPE_FLOAT4_E2M1_EXT and its like are the driver's own, whatever coopvk adds: here
// accumulators of 16x16, which this row has but no other.
TEST_F(AddedShapes, LeaveNewFormatsToTheDriver) {
    stop();
    driver.matrixShapes.push_back(ownShape(VK_COMPONENT_TYPE_FLOAT32_KHR));
    VkCooperativeMatrixPropertiesKHR& row = driver.matrixShapes.back();
    row.MSize = row.NSize = 16;
    row.KSize = 64;
    row.AType = row.BType = static_cast<VkComponentTypeKHR>(1000672002);
    const VkCooperativeMatrixPropertiesKHR own = row;
    driver.makeInstance();
    device = driver.makeMatrixDevice();
    ASSERT_GT(list().size(), 3u);
    EXPECT_TRUE(equal(list()[2], own));
    const Words words = newFormatModule();
    EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
    EXPECT_EQ(last().words, words);
}

// Whichever of its types is new; nor are shapes of other scopes a subgroup's.
TEST_F(AddedShapes, ShapesOfNewFormatsAreNotKnown) {
    using Row = VkCooperativeMatrixPropertiesKHR;
    const auto known = [&](const auto& change) {
        stop();
        driver.matrixShapes = {ownShape(VK_COMPONENT_TYPE_FLOAT32_KHR)};
        change(driver.matrixShapes.front());
        driver.makeInstance();
        device = driver.makeMatrixDevice();
        return layer::instances()
            .find(driver.physical())
            ->physicalDevice(driver.physical())
            .facts.traits.nativeShapes.size();
    };
    constexpr auto kNew = static_cast<VkComponentTypeKHR>(1000672002);
    EXPECT_EQ(known([](Row&) {}), 1u);
    EXPECT_EQ(known([](Row& row) { row.AType = VK_COMPONENT_TYPE_UINT64_KHR; }), 1u);
    EXPECT_EQ(known([](Row& row) { row.AType = VK_COMPONENT_TYPE_BFLOAT16_KHR; }), 1u);
    EXPECT_EQ(known([](Row& row) { row.AType = kNew; }), 0u);
    EXPECT_EQ(known([](Row& row) { row.BType = kNew; }), 0u);
    EXPECT_EQ(known([](Row& row) { row.CType = kNew; }), 0u);
    EXPECT_EQ(known([](Row& row) { row.ResultType = kNew; }), 0u);
    EXPECT_EQ(known([](Row& row) { row.scope = VK_SCOPE_WORKGROUP_KHR; }), 0u);
}

// A driver may list them by newer queries alone. coopvk adds accumulators of 16x16.
TEST_F(AddedShapes, LeaveFormatsOfOtherListsToTheDriver) {
    const Words words = newFormatModule();
    EXPECT_EQ(makeCompute(stageOf(makeModule(words))), VK_SUCCESS);
    EXPECT_EQ(last().words, words);
}

TEST_F(AddedShapes, AreOfAutoAlone) {
    for (const char* emulate : {"VK_NV_cooperative_matrix", "VK_EXT_shader_atomic_float"}) {
        restartWith(emulate, VK_FALSE);
        EXPECT_EQ(list().size(), 2u) << emulate;
    }
}

// A program that finds larger shapes, or others than it knows, may choose a slower one.
TEST_F(AddedShapes, AreOfTheNativeBackEndAlone) {
    for (const char* backEnd : {"auto", "core"}) {
        setenv("COOPVK_BACK_END", backEnd, 1);
        restartWith("auto", VK_FALSE);
        const auto shapes = list();
        ASSERT_GE(shapes.size(), 2u) << backEnd;
        for (size_t i = 0; i < shapes.size(); ++i) {
            if (i < 2) {
                EXPECT_TRUE(equal(shapes[i], driver.matrixShapes[i])) << backEnd;
            } else {
                EXPECT_EQ(shapes[i].AType, VK_COMPONENT_TYPE_BFLOAT16_KHR) << backEnd;
            }
        }
    }
}

// Statistics name what was rewritten, also if no emulated extension is enabled.
TEST_F(AddedShapes, AreInStatistics) {
    testing::internal::CaptureStderr();
    setenv("COOPVK_STATISTICS", "1", 1);
    setenv("COOPVK_LOG_LEVEL", "info", 1);
    restartWith("auto", VK_FALSE);
    EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(8)))), VK_SUCCESS);
    EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(16)))), VK_SUCCESS);
    stop();
    unsetenv("COOPVK_LOG_LEVEL");
    unsetenv("COOPVK_STATISTICS");
    const std::string text = testing::internal::GetCapturedStderr();
    for (const char* line :
         {"device on fake device adds shapes to the driver's matrices",
          "  fake device: adds shapes to the driver's matrices",
          "  2 modules seen: 1 untouched, 1 with emulated capabilities or shapes",
          "  1 stage rewritten, 0 from the cache, 0 refused", "  matrices: native"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
    }
    startWith("auto", VK_FALSE);
}

TEST_F(AddedShapes, ModulesOfOwnShapesGoDownAsTheyCame) {
    const Words own = fixedModule(8);
    const VkShaderModule module = makeModule(own);
    EXPECT_EQ(driver.createdModules, std::vector<Words>{own});
    EXPECT_EQ(makeCompute(stageOf(module)), VK_SUCCESS);
    EXPECT_EQ(last().words, own);
    EXPECT_EQ(last().flags, 0u);
}

TEST_F(AddedShapes, AreTilesOfTheDriversOwn) {
    EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(16)))), VK_SUCCESS);
    EXPECT_TRUE(isInTiles(last().words));
    EXPECT_EQ(last().requiredSubgroupSize, 0u);
    EXPECT_EQ(last().flags, 0u) << "tiles rest on no subgroup size";
}

// Rows are a specialization constant: the same module has an own shape or an added one.
TEST_F(AddedShapes, SpecializationDecides) {
    std::string text = multiplyModule(16, 16, 16);
    text.replace(text.find("%columns = OpConstant %u32 16"), 29, "%columns = OpConstant %u32 8 ");
    text.replace(text.find("%depth = OpConstant %u32 16"), 27, "%depth = OpConstant %u32 8 ");
    const Words open = assemble(text);
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(open));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_NE(last().words, open) << "16x8x8";
    stage.pSpecializationInfo = &special;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().words, open) << "8x8x8";
    EXPECT_TRUE(last().specialized);

    VkShaderModuleCreateInfo code = infoOf(open);
    stage.module = VK_NULL_HANDLE;
    stage.pNext = &code;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().words, open);
    EXPECT_TRUE(last().specialized);
}

TEST_F(AddedShapes, LeaveWhatFlexibleDimensionsTake) {
    restartWith("auto", VK_TRUE);
    const Words other = fixedModule(16);
    EXPECT_EQ(makeCompute(stageOf(makeModule(other))), VK_SUCCESS);
    EXPECT_EQ(last().words, other);
}

TEST_F(AddedShapes, ShaderObjects) {
    const Words own = fixedModule(8), other = fixedModule(16);
    VkShaderCreateInfoEXT infos[2] = {};
    for (size_t i = 0; i < 2; ++i) {
        const Words& words = i == 0 ? own : other;
        infos[i].sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
        infos[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
        infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        infos[i].codeSize = words.size() * 4;
        infos[i].pCode = words.data();
        infos[i].pName = "main";
    }
    VkShaderEXT shaders[2] = {};
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 2, infos, nullptr,
                                                                        shaders),
              VK_SUCCESS);
    EXPECT_EQ(driver.shaders[0].words, own);
    EXPECT_TRUE(isInTiles(driver.shaders[1].words));
}

}  // namespace
}  // namespace coopvk::test::added_shapes_test
