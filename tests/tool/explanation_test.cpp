// SPDX-License-Identifier: Apache-2.0
#include "run/explanation.hpp"

#include <gtest/gtest.h>

namespace coopvk::tool {
namespace {

// The lines as one text.
std::string explained(std::string_view report, bool othersLeft = false) {
    std::string text;
    for (const std::string& line : explain(report, "app", othersLeft)) text += line + "\n";
    return text;
}

void expect(const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

const std::string kStart =
    "instance\t7\tgame\n"
    "decision\t7\tgame\tGPU\tVK_A\tnative\tthe driver's own\n"
    "decision\t7\tgame\tGPU\tVK_B\temulated\tthe driver lacks it\n"
    "decision\t7\tgame\tGPU\tVK_C\tunavailable\tneeds shaderFloat16\n";

TEST(Explanation, NothingWhereSomethingWasEmulated) {
    EXPECT_EQ(explained(kStart + "device\t7\tgame\tGPU\tVK_B\n"
                                 "emulated\t7\tgame\tGPU\tVK_B\n"
                                 "refused\t7\tgame\tGPU\tcannot\n"),
              "");
}

TEST(Explanation, NoVulkan) {
    expect(explained(""), "no Vulkan instance of app was seen");
    expect(explained("", true), "still run");
}

TEST(Explanation, OnlyAnInstance) {
    expect(explained("instance\t7\tgame\n"), "nothing was emulated in game: it created a Vulkan");
}

TEST(Explanation, NoDevice) {
    const std::string text = explained(kStart);
    expect(text, "GPU: the program queried it, but created no device");
    expect(text, "the driver's own, which coopvk leaves in place: VK_A (--emulate all");
    expect(text, "offered by coopvk, but not enabled: VK_B");
    expect(text, "not offered here: VK_C (needs shaderFloat16)");
}

// With `all`, the driver's half floats stay, and what the device cannot carry.
TEST(Explanation, NothingIsLeftToReplace) {
    const std::string text = explained(
        "decision\t7\tgame\tGPU\tVK_KHR_shader_float16_int8\tnative\tthe driver's own\n"
        "decision\t7\tgame\tGPU\tVK_A\tnative\tneeds shaderInt8\n");
    expect(text, "which coopvk leaves in place: VK_A, VK_KHR_shader_float16_int8\n");
}

TEST(Explanation, NeverAsked) {
    const std::string text = explained(kStart + "device\t7\tgame\tGPU\t\t\n");
    expect(text, "GPU: the program enabled none of the extensions");
    expect(text, "not enabled: VK_B");
}

TEST(Explanation, NativeAlready) {
    expect(explained(kStart + "device\t7\tgame\tGPU\t\tVK_A\n"),
           "GPU: the program enabled VK_A, the driver's own");
}

TEST(Explanation, NoShader) {
    expect(explained(kStart + "device\t7\tgame\tGPU\tVK_B\n"),
           "the program enabled VK_B (by coopvk), but created no pipeline");
}

TEST(Explanation, Refused) {
    expect(explained(kStart + "device\t7\tgame\tGPU\tVK_B\n"
                              "refused\t7\tgame\tGPU\tcannot do that\n"
                              "refused\t7\tgame\tGPU\tnor this\n"),
           "GPU: 2 shaders were refused, the first: cannot do that");
}

TEST(Explanation, FailedDevice) {
    expect(explained(kStart + "no-device\t7\tgame\tGPU\ta feature is not emulated\n"),
           "GPU: no device was created: a feature is not emulated");
}

// Only the chosen device counts, separately for each program.
TEST(Explanation, ManyDevicesAndPrograms) {
    const std::string text = explained(kStart +
                                       "decision\t7\tgame\tCPU\tVK_A\temulated\tlacks it\n"
                                       "device\t7\tgame\tGPU\t\t\n"
                                       "instance\t8\tlauncher\n");
    EXPECT_EQ(text.find("CPU"), std::string::npos) << text;
    expect(text, "in game");
    expect(text, "in launcher");
}

TEST(Explanation, TornLines) {
    for (size_t size = 0; size < kStart.size(); ++size) {
        EXPECT_NE(explained(std::string_view(kStart).substr(0, size)), "");
    }
}

}  // namespace
}  // namespace coopvk::tool
