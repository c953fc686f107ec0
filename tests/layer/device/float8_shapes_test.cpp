// SPDX-License-Identifier: Apache-2.0
//
// The shape that is listed beside a driver's own with emulated matrices of 8-bit floats.
#include <algorithm>
#include <format>

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

// Whatever matrices the driver has, a module with the row that coopvk lists never reaches it as it
// is.
TEST_F(AddedShapes, HalvesBesideFloat8AreRewrittenWhereTheyAreListed) {
    VkCooperativeMatrixPropertiesKHR wanted = ownShape(VK_COMPONENT_TYPE_FLOAT32_KHR);
    wanted.MSize = wanted.NSize = wanted.KSize = 16;
    VkCooperativeMatrixPropertiesKHR large = wanted, workgroup = wanted, halves = wanted,
                                     bytes = wanted, bfloats = wanted;
    large.MSize = large.NSize = large.KSize = 32;
    workgroup.scope = VK_SCOPE_WORKGROUP_KHR;
    halves.CType = halves.ResultType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    bytes.AType = bytes.BType = VK_COMPONENT_TYPE_SINT8_KHR;
    bytes.CType = bytes.ResultType = VK_COMPONENT_TYPE_SINT32_KHR;
    bfloats.AType = bfloats.BType = VK_COMPONENT_TYPE_BFLOAT16_KHR;
    for (const auto& own : {large, workgroup, halves, bytes, bfloats, wanted}) {
        for (const char* emulate : {"auto,VK_EXT_shader_float8", "VK_EXT_shader_float8"}) {
            for (const char* backEnd : {"auto", "core", "native"}) {
                const std::string what = std::format("{}, A {}, sums {}, {}, {}", own.MSize,
                                                     +own.AType, +own.CType, emulate, backEnd);
                setenv("COOPVK_BACK_END", backEnd, 1);
                restartWith(emulate, VK_FALSE);
                stop();
                driver.matrixShapes = {own};
                driver.makeInstance();
                device = driver.makeMatrixDevice();
                const auto shapes = list();
                ASSERT_FALSE(shapes.empty());
                EXPECT_TRUE(equal(shapes[0], own));
                const auto isWanted = [&](const auto& shape) { return equal(shape, wanted); };
                const auto rows = std::ranges::count_if(shapes, isWanted);
                // Of none of these can the native back-end make it.
                const bool isNative = backEnd == std::string_view("native") &&
                                      own.scope == VK_SCOPE_SUBGROUP_KHR && !isWanted(own);
                EXPECT_EQ(rows, isNative ? 0 : 1) << what;
                if (rows == 0 || isWanted(own)) continue;
                EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(16)))), VK_SUCCESS) << what;
                EXPECT_NE(last().words, fixedModule(16)) << what;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::test::float8_shapes_test
