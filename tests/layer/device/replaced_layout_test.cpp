// SPDX-License-Identifier: Apache-2.0
//
// Shaders that depend on a layout of elements that the driver's own matrices do not have.
#include "coopvk/rewrite.hpp"
#include "device/added_shapes.hpp"
#include "objects/registry.hpp"

namespace coopvk::test::replaced_layout_test {
namespace {

class ReplacedLayout : public AddedShapes {
 protected:
    ReplacedLayout() { setenv("COOPVK_BACK_END", "auto", 1); }
    ~ReplacedLayout() override { unsetenv("COOPVK_ELEMENT_LAYOUT"); }

    // Whether the driver gets its own matrices for a shader whose result depends on how many
    // elements a lane has, with nothing else that is emulated.
    bool keepsMatrices(const char* layout, uint32_t vendor) {
        setenv("COOPVK_ELEMENT_LAYOUT", layout, 1);
        driver.vendorId = vendor;
        restartWith("auto,VK_EXT_shader_float8", VK_FALSE);
        const Words depends = fixedModule(8,
                                          "%length = OpCooperativeMatrixLengthKHR %u32 %C\n"
                                          "%number = OpConvertUToF %f32 %length\n"
                                          "OpStore %pc %number\n");
        EXPECT_EQ(makeCompute(stageOf(makeModule(depends))), VK_SUCCESS);
        const bool keeps = last().words == depends;
        EXPECT_EQ(rewrite::disassemble(last().words).find("MulAddKHR") != std::string::npos, keeps);
        EXPECT_EQ(makeCompute(stageOf(makeModule(fixedModule(8)))), VK_SUCCESS);
        EXPECT_EQ(last().words, fixedModule(8)) << "depends on nothing";
        return keeps;
    }
};

constexpr uint32_t kAmd = 0x1002, kNvidia = 0x10de, kIntel = 0x8086;

TEST_F(ReplacedLayout, WhereTheDriversMatricesLieOtherwise) {
    EXPECT_FALSE(keepsMatrices("rdna4", kNvidia));
    EXPECT_FALSE(keepsMatrices("rdna4", kIntel));
    EXPECT_FALSE(keepsMatrices("nvidia", kIntel));
    EXPECT_TRUE(keepsMatrices("nvidia", kNvidia));
    EXPECT_TRUE(keepsMatrices("rdna4", kAmd));
    EXPECT_TRUE(keepsMatrices("free", kNvidia));
    EXPECT_TRUE(keepsMatrices("auto", kNvidia)) << "of a program of which nothing is known";
}

// Of devices of which everything is the driver's, nothing is replaced: their identifiers and caches
// are the driver's, too.
TEST_F(ReplacedLayout, WhereAnythingIsEmulatedOrAdded) {
    setenv("COOPVK_ELEMENT_LAYOUT", "rdna4", 1);
    driver.vendorId = kNvidia;
    bool seen[2][2] = {};
    for (const char* emulate :
         {"auto", "auto,VK_EXT_shader_float8", "VK_EXT_shader_atomic_float"}) {
        setenv("COOPVK_LOG_LEVEL", "info", 1);
        testing::internal::CaptureStderr();
        restartWith(emulate, VK_FALSE);
        const std::string log = testing::internal::GetCapturedStderr();
        unsetenv("COOPVK_LOG_LEVEL");
        const layer::DeviceContext& created = layer::deviceOf(device);
        EXPECT_EQ(log.find("device on fake device replaces the driver's matrices") != log.npos,
                  created.replacesLayout)
            << log;
        EXPECT_EQ(
            log.find("device on fake device adds shapes to the driver's matrices") != log.npos,
            created.addsShapes)
            << log;
        const layer::PhysicalDeviceContext& physical =
            layer::instances().find(driver.physical())->physicalDevice(driver.physical());
        const bool emulates = !physical.emulated.empty(), adds = !physical.addedShapes.empty();
        EXPECT_EQ(physical.replacesLayout, emulates || adds) << emulate;
        seen[emulates][adds] = true;
    }
    EXPECT_TRUE(seen[false][true] || seen[true][false]);
}

// The user asks for the driver's.
TEST_F(ReplacedLayout, NotWithTheNativeBackEnd) {
    setenv("COOPVK_BACK_END", "native", 1);
    EXPECT_TRUE(keepsMatrices("rdna4", kNvidia));
}

}  // namespace
}  // namespace coopvk::test::replaced_layout_test
