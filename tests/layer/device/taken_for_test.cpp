// SPDX-License-Identifier: Apache-2.0
//
// The setting `as`: devices that programs take for others.
#include "device/taken_for_fixture.hpp"

namespace coopvk::test::taken_for_test {
namespace {

TEST_F(TakenFor, ItselfByDefault) {
    startAs("own");
    EXPECT_EQ(shownSize(), 64u);
    EXPECT_FALSE(lists(kSmBuiltins));
    EXPECT_FALSE(lists(kCudaLaunch));
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kAuto);
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 0u);
    EXPECT_EQ(log, "");
}

TEST_F(TakenFor, Nvidias) {
    startAs("nvidia");
    VkPhysicalDeviceProperties common = {};
    const auto drivers = propertiesIn<VkPhysicalDeviceDriverProperties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &common);
    EXPECT_EQ(common.vendorID, 0x10deu);
    EXPECT_EQ(common.deviceID, 0x2684u);
    EXPECT_STREQ(common.deviceName, "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(common.driverVersion >> 22, 580u) << "as NVIDIA packs versions";
    EXPECT_EQ(common.driverVersion >> 14 & 0xff, 159u);
    EXPECT_EQ(common.driverVersion >> 6 & 0xff, 4u);
    EXPECT_EQ(drivers.driverID, VK_DRIVER_ID_NVIDIA_PROPRIETARY);
    EXPECT_STREQ(drivers.driverName, "NVIDIA");
    EXPECT_STREQ(drivers.driverInfo, "580.159.04");
    EXPECT_EQ(shownSize(), 32u);
    EXPECT_EQ(propertiesIn<VkPhysicalDeviceVulkan11Properties>(
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
                  .subgroupSize,
              32u);
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kNvidia);
    EXPECT_TRUE(lists(kSmBuiltins));
    EXPECT_TRUE(lists(kCudaLaunch));
    EXPECT_TRUE(
        featuresIn<VkPhysicalDeviceShaderSMBuiltinsFeaturesNV>(kSmFeatures).shaderSMBuiltins);
    auto cuda = featuresIn<VkPhysicalDeviceCudaKernelLaunchFeaturesNV>(kCudaFeatures);
    EXPECT_FALSE(cuda.cudaKernelLaunchFeatures);
}

TEST_F(TakenFor, TheLogSaysWhatItHas) {
    setenv("COOPVK_LOG_LEVEL", "info", 1);
    startAs("nvidia");
    unsetenv("COOPVK_LOG_LEVEL");
    const std::string text =
        "fake device: programs take it for NVIDIA's, with subgroups of 32 and the layout of "
        "elements 'nvidia', VK_NV_shader_sm_builtins, VK_NV_cuda_kernel_launch\n";
    EXPECT_NE(log.find(text), std::string::npos) << log;
    EXPECT_NE(log.find("fake device: programs see NVIDIA GeForce RTX 4090, vendor 10de"),
              std::string::npos)
        << log;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        EXPECT_NE(log.find("fake device: " + std::string(info.vulkanName) + " "), std::string::npos)
            << info.vulkanName;
}

TEST_F(TakenFor, Amds) {
    startAs("amd");
    VkPhysicalDeviceProperties common = {};
    const auto v12 = propertiesIn<VkPhysicalDeviceVulkan12Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &common);
    EXPECT_EQ(common.vendorID, 0x1002u);
    EXPECT_STREQ(common.deviceName, "AMD Radeon RX 9070 XT (RADV GFX1201)");
    EXPECT_EQ(v12.driverID, VK_DRIVER_ID_MESA_RADV);
    EXPECT_STREQ(v12.driverName, "radv");
    EXPECT_STREQ(v12.driverInfo, "Mesa 25.2.0");
    EXPECT_EQ(common.driverVersion, VK_MAKE_API_VERSION(0, 25, 2, 0)) << "as Mesa packs it";
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kRdna4);
    EXPECT_EQ(shownSize(), 32u);
    EXPECT_FALSE(lists(kSmBuiltins));
}

TEST_F(TakenFor, OtherSettingsCountMore) {
    setenv("COOPVK_DEVICE_ID", "1b80", 1);
    setenv("COOPVK_ELEMENT_LAYOUT", "auto", 1);
    startAs("nvidia");
    VkPhysicalDeviceProperties common = {};
    propertiesIn<VkPhysicalDeviceDriverProperties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &common);
    EXPECT_EQ(common.vendorID, 0x10deu);
    EXPECT_EQ(common.deviceID, 0x1b80u);
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kAuto);
    EXPECT_EQ(physical().programLayout, rewrite::ElementLayout::kNvidia);
}

// The driver's own extensions stay: also with `all`, which replaces others.
TEST_F(TakenFor, NothingIsReplaced) {
    for (const char* emulate : {"auto", "all", kSmBuiltins}) {
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.extensions = {kSmBuiltins};
        driver.moreFeatures[kSmFeatures] = {VK_TRUE};
        startAs("nvidia", {kSmBuiltins}, true);
        EXPECT_FALSE(physical().emulated.contains(rewrite::Extension::kNvShaderSmBuiltins));
        EXPECT_EQ(std::ranges::count(driver.device.extensions, kSmBuiltins), 1) << emulate;
        EXPECT_TRUE(driver.device.features.contains(kSmFeatures));
        stop();
    }
}

// Neither offers them: programs that find them take a device for NVIDIA's.
TEST_F(TakenFor, ByNameOnly) {
    for (const char* emulate : {"auto", "all"}) {
        setenv("COOPVK_EMULATE", emulate, 1);
        startAs("own");
        EXPECT_FALSE(lists(kSmBuiltins)) << emulate;
        EXPECT_FALSE(lists(kCudaLaunch)) << emulate;
        stop();
    }
    setenv("COOPVK_EMULATE", "auto,VK_NV_shader_sm_builtins", 1);
    startAs("own");
    EXPECT_TRUE(lists(kSmBuiltins));
    EXPECT_FALSE(lists(kCudaLaunch));
}

// How many cores there are, and how many subgroups each holds: as an RX 6800 reports them, of which
// some compute units are switched off; a device of Arm without the core with the number 2; others.
TEST_F(TakenFor, CountsAreTheDevices) {
    constexpr auto kAmds = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
    constexpr auto kAmds2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD;
    constexpr auto kArms = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM;
    const auto expectCounts = [&](uint32_t cores, uint32_t warps) {
        startAs("nvidia");
        const auto sms = propertiesIn<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
        EXPECT_EQ(sms.shaderSMCount, cores);
        EXPECT_EQ(sms.shaderWarpsPerSM, warps);
        EXPECT_EQ(physical().facts.traits.shaderCores, cores);
        stop();
    };
    expectCounts(16, 48);
    driver.extensions = {VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME};
    driver.moreProperties[kAmds] = {4, 2, 10, 2, 16};
    expectCounts(80, 32);
    driver.extensions.push_back(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME);
    driver.moreProperties[kAmds2] = {0, 60};
    expectCounts(60, 32);
    // Scalar registers, if a SIMD has any.
    for (const uint32_t registers : {800u, 0u}) {
        driver.moreProperties[kAmds] = {4, 2, 10, 2, 16, 64, registers};
        startAs("nvidia");
        EXPECT_EQ(physical().facts.traits.scalarRegisters, registers != 0);
        stop();
    }
    driver.extensions = {VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME};
    driver.moreProperties[kArms] = {0b1011, 0, 3, 64};
    expectCounts(4, 64);
    driver.moreProperties[kArms] = {0, 0, 0, 0};
    expectCounts(16, 48);
}

// Arm's built-ins are enabled where shaders get them in place of NVIDIA's.
TEST_F(TakenFor, ArmsBuiltInsAreEnabled) {
    constexpr auto kArms = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_FEATURES_ARM;
    driver.extensions = {VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME};
    startAs("nvidia", {kSmBuiltins}, true);
    ASSERT_TRUE(driver.device.features.contains(kArms));
    EXPECT_EQ(driver.device.features[kArms].front(), VK_TRUE);
    EXPECT_EQ(
        std::ranges::count(driver.device.extensions, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME),
        1);
}

TEST_F(TakenFor, TheDriverGetsNothingOfIt) {
    startAs("nvidia", {kSmBuiltins, kCudaLaunch}, true);
    EXPECT_EQ(std::ranges::count(driver.device.extensions, kSmBuiltins), 0);
    EXPECT_EQ(std::ranges::count(driver.device.extensions, kCudaLaunch), 0);
    EXPECT_FALSE(driver.device.features.contains(kSmFeatures));
}

// Shaders that coopvk does not rewrite run in subgroups of the size that programs see, too.
TEST_F(TakenFor, AllStagesRequire32) {
    startAs("nvidia");
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    EXPECT_EQ(last().words, plain);
    EXPECT_EQ(last().requiredSubgroupSize, 32u);
    EXPECT_TRUE(driver.device.features.contains(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES));
    // What the program requires counts more.
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo own = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 16};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(plain));
    stage.pNext = &own;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 16u);
    EXPECT_EQ(last().chain.size(), 1u);
}

TEST_F(TakenFor, ShaderObjectsRequire32) {
    driver.extensions = {VK_EXT_SHADER_OBJECT_EXTENSION_NAME};
    startAs("nvidia");
    VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = plain.size() * 4;
    info.pCode = plain.data();
    info.pName = "main";
    VkShaderEXT shader = VK_NULL_HANDLE;
    ASSERT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 1, &info, nullptr,
                                                                        &shader),
              VK_SUCCESS);
    EXPECT_EQ(driver.shaders.back().words, plain);
    EXPECT_EQ(driver.shaders.back().requiredSubgroupSize, 32u);
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT)(device, shader, nullptr);
}

// Where all subgroups have 32, nothing is to do.
TEST_F(TakenFor, DevicesOf32StayAsTheyAre) {
    driver.subgroupSize = driver.minSubgroupSize = driver.maxSubgroupSize = 32;
    startAs("nvidia");
    EXPECT_EQ(shownSize(), 32u);
    EXPECT_EQ(physical().requiredSubgroupSize, 0u);
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kNvidia);
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 0u);
}

// Neither the size nor the layout changes, and the log says why.
TEST_F(TakenFor, DevicesWithout32AreNamed) {
    driver.minSubgroupSize = 64;
    startAs("nvidia");
    EXPECT_EQ(shownSize(), 64u);
    EXPECT_EQ(physical().requiredSubgroupSize, 0u);
    EXPECT_EQ(physical().elementLayout, rewrite::ElementLayout::kAuto);
    EXPECT_NE(log.find("fake device: programs take it for NVIDIA's, but its subgroups do not "
                       "become those of 32 invocations: the device runs subgroups of 64 only"),
              std::string::npos)
        << log;
    stop();
    driver.minSubgroupSize = 16;
    driver.features.reset(static_cast<size_t>(layer::Feature::kSubgroupSizeControl));
    startAs("nvidia");
    EXPECT_EQ(shownSize(), 64u);
    EXPECT_NE(log.find("subgroups of 64 only"), std::string::npos) << log;
}

TEST_F(TakenFor, OldDevicesHaveNoSubgroups) {
    driver.apiVersion = VK_API_VERSION_1_0;
    startAs("nvidia");
    EXPECT_EQ(physical().requiredSubgroupSize, 0u);
    EXPECT_NE(log.find("the device has no subgroups in compute shaders"), std::string::npos) << log;
}

TEST_F(TakenFor, SubgroupsOfOtherStages) {
    driver.subgroupStages = VK_SHADER_STAGE_FRAGMENT_BIT;
    startAs("nvidia");
    EXPECT_NE(log.find("the device has no subgroups in compute shaders"), std::string::npos) << log;
}

// Of a device that is taken for itself, all operations stay; shaders get those that it has.
TEST_F(TakenFor, OperationsAreTheDevices) {
    constexpr uint32_t kVotes = VK_SUBGROUP_FEATURE_VOTE_BIT,
                       kSums = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT,
                       kBallots = VK_SUBGROUP_FEATURE_BALLOT_BIT,
                       kBasic = VK_SUBGROUP_FEATURE_BASIC_BIT,
                       kOther = VK_SUBGROUP_FEATURE_PARTITIONED_BIT_EXT;
    for (const uint32_t has : {kBasic, kBasic | kVotes, kBasic | kSums, kBasic | kBallots,
                               kBasic | kVotes | kSums | kBallots}) {
        driver.moreProperties[VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES] = {
            64, VK_SHADER_STAGE_COMPUTE_BIT, has | kOther};
        startAs("own");
        const rewrite::DeviceTraits& traits = physical().facts.traits;
        EXPECT_EQ(traits.subgroupVote, (has & kVotes) != 0);
        EXPECT_EQ(traits.subgroupArithmetic, (has & kSums) != 0);
        EXPECT_EQ(traits.subgroupBallot, (has & kBallots) != 0);
        EXPECT_FALSE(traits.subgroupShuffle);
        EXPECT_EQ(propertiesIn<VkPhysicalDeviceSubgroupProperties>(
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
                      .supportedOperations,
                  has | kOther);
        stop();
    }
}

// Shaders may ask for denormal halves without an extension since Vulkan 1.2.
TEST_F(TakenFor, DenormalHalvesSinceVulkan12) {
    constexpr auto kControls = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
    for (const uint32_t version : {VK_API_VERSION_1_1, VK_API_VERSION_1_2, VK_API_VERSION_1_3})
        for (const uint32_t preserves : {0u, 1u}) {
            driver.apiVersion = version + 177;
            driver.moreProperties[kControls] = {0, 0, 0, 0, 0, preserves};
            startAs("own");
            EXPECT_EQ(physical().facts.apiVersion, version) << "without the patch";
            EXPECT_EQ(physical().facts.traits.shaderDenormPreserveFloat16,
                      preserves != 0 && version >= VK_API_VERSION_1_2);
            stop();
        }
}

// What Vulkan's properties say of stages, operations and workgroups.
TEST_F(TakenFor, SubgroupsOfTheSizeNeedTheDevice) {
    constexpr auto kControl = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
    constexpr auto kSubgroups = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    constexpr uint32_t kCompute = VK_SHADER_STAGE_COMPUTE_BIT,
                       kBasic = VK_SUBGROUP_FEATURE_BASIC_BIT;
    const std::string manyOfThem = "the device's largest workgroups would have too many of them",
                      noStage = "the device does not let shaders require a size",
                      noSubgroups = "the device has no subgroups in compute shaders";
    struct {
        std::vector<uint32_t> control, subgroups;
        std::string why;  // empty: they have 32
    } const rows[] = {
        {{16, 64, 32, kCompute}, {64, kCompute, kBasic}, ""},
        {{16, 64, 0, kCompute}, {64, kCompute, kBasic}, ""},  // of the device nothing is known
        {{16, 64, 31, kCompute}, {64, kCompute, kBasic}, manyOfThem},
        {{16, 64, 32, VK_SHADER_STAGE_VERTEX_BIT}, {64, kCompute, kBasic}, noStage},
        {{16, 64, 32, kCompute}, {64, kCompute, VK_SUBGROUP_FEATURE_SHUFFLE_BIT}, noSubgroups},
        {{33, 64, 32, kCompute}, {64, kCompute, kBasic}, "the device runs subgroups of 33 to 64"},
        {{32, 64, 32, kCompute}, {64, kCompute, kBasic}, ""},
        {{16, 32, 32, kCompute}, {16, kCompute, kBasic}, ""},
    };
    driver.limits.maxComputeWorkGroupInvocations = 32 * 32;
    for (const auto& row : rows) {
        driver.moreProperties = {{kControl, row.control}, {kSubgroups, row.subgroups}};
        startAs("nvidia");
        EXPECT_EQ(physical().whyNotTakenFor, row.why);
        EXPECT_EQ(physical().requiredSubgroupSize, row.why.empty() ? 32u : 0u) << row.why;
        stop();
    }
}

TEST_F(TakenFor, UnknownNames) {
    startAs("intel");
    EXPECT_NE(log.find("setting as: unknown GPU 'intel'"), std::string::npos) << log;
    EXPECT_EQ(shownSize(), 64u);
}

}  // namespace
}  // namespace coopvk::test::taken_for_test
