// SPDX-License-Identifier: Apache-2.0
//
// The shape that is listed beside a driver's own with emulated matrices of 8-bit floats.
#include "coopvk/rewrite.hpp"
#include "device/added_shapes.hpp"

namespace coopvk::test::float8_shapes_test {
namespace {

// vkd3d-proton asks for f16 of 16x16x16 before it takes matrices of 8-bit floats.
TEST_F(AddedShapes, BringHalvesWithFloat8) {
    VkCooperativeMatrixPropertiesKHR wanted = ownShape(VK_COMPONENT_TYPE_FLOAT32_KHR);
    wanted.MSize = wanted.NSize = wanted.KSize = 16;
    for (const char* emulate : {"auto,VK_EXT_shader_float8", "VK_EXT_shader_float8"}) {
        for (const char* backEnd : {"auto", "core"}) {
            setenv("COOPVK_BACK_END", backEnd, 1);
            restartWith(emulate, VK_FALSE);
            const auto shapes = list();
            ASSERT_GT(shapes.size(), 3u) << emulate;
            EXPECT_TRUE(equal(shapes[0], driver.matrixShapes[0]));
            EXPECT_TRUE(equal(shapes[1], driver.matrixShapes[1]));
            EXPECT_TRUE(equal(shapes[2], wanted)) << emulate << ", " << backEnd;
            for (size_t i = 3; i < shapes.size(); ++i) {
                EXPECT_GT(shapes[i].AType, VK_COMPONENT_TYPE_UINT64_KHR) << i;
            }
            EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(16)))), VK_SUCCESS);
            EXPECT_EQ(rewrite::disassemble(last().words).find("MulAddKHR") == std::string::npos,
                      backEnd == std::string_view("core"));
            EXPECT_NE(last().words, fixedModule(16));
            EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(8)))), VK_SUCCESS);
            EXPECT_EQ(last().words, fixedModule(8));
        }
    }
}

}  // namespace
}  // namespace coopvk::test::float8_shapes_test
