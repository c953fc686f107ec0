// SPDX-License-Identifier: Apache-2.0
#include "run/requirements.hpp"

#include <gtest/gtest.h>

namespace coopvk::tool::requirements_test {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kMatrices = "VK_KHR_cooperative_matrix";
constexpr const char* kVectors = "VK_NV_cooperative_vector";
constexpr std::string_view kGood =
    "instance\t1\tapp\n"
    "device\t1\tapp\tGPU\tVK_KHR_cooperative_matrix,VK_NV_cooperative_vector\t\n"
    "emulated\t1\tapp\tGPU\tVK_KHR_cooperative_matrix,VK_KHR_shader_bfloat16\n";

TEST(Requirements, Extensions) {
    EXPECT_EQ(unfulfilled({}, ""), Strings());
    EXPECT_EQ(unfulfilled({{kMatrices}, false}, kGood), Strings());
    EXPECT_EQ(unfulfilled({{kMatrices, "VK_KHR_shader_bfloat16"}, true}, kGood), Strings());
    // Enabled, but no shader used it.
    EXPECT_EQ(unfulfilled({{kMatrices, kVectors}, false}, kGood),
              Strings{"required: VK_NV_cooperative_vector was not emulated"});
    EXPECT_EQ(unknownExtensions({{kMatrices, "VK_KHR_nonsense"}, false}),
              Strings{"VK_KHR_nonsense"});
}

TEST(Requirements, Strict) {
    EXPECT_EQ(unfulfilled({{}, true}, ""), Strings{"strict: nothing was emulated"});
    EXPECT_EQ(unfulfilled({{}, true}, kGood), Strings());
    const std::string bad = std::string(kGood) +
                            "refused\t1\tapp\tGPU\tcannot rewrite\nrefused\t2\tapp\tGPU\tcannot "
                            "rewrite\nlost\t1\tapp\tGPU\tthe device was lost\n";
    EXPECT_EQ(unfulfilled({{kMatrices}, false}, bad), Strings());
    EXPECT_EQ(unfulfilled({{}, true}, bad),
              (Strings{"strict: GPU: cannot rewrite", "strict: GPU: the device was lost"}));
}

}  // namespace
}  // namespace coopvk::tool::requirements_test
