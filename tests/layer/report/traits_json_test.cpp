// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of devices that are wrong.
#include "report/traits_json.hpp"

#include <gtest/gtest.h>

namespace coopvk::layer::traits_json_test {
namespace {

TEST(TraitsJson, ShapesThatAreNone) {
    for (const char* shapes : {"3", "{}", "\"s8\"", "[3]", "[[16, 8, 32]]",
                               R"([[16, 8, 32, "s8", "u8", "s32", "s32", 1]])",
                               R"([[16, 8, 65536, "s8", "u8", "s32", "s32", true]])",
                               R"([[16, 8, "32", "s8", "u8", "s32", "s32", true]])",
                               R"([[16, 8, 32, "nothing", "u8", "s32", "s32", true]])",
                               R"([[16, 8, 32, "s8", 8, "s32", "s32", true]])",
                               R"([[16, 8, 32, "s8", "u8", "nothing", "s32", true]])",
                               R"([[16, 8, 32, "s8", "u8", "s32", "nothing", true]])"}) {
        const auto json =
            nlohmann::ordered_json::parse(std::string(R"({"nativeShapes": )") + shapes + "}");
        const auto traits = traitsFromJson(json);
        ASSERT_FALSE(traits) << shapes;
        EXPECT_EQ(traits.error().message,
                  "device description: 'nativeShapes' is no list of matrix shapes");
    }
    const auto largest = traitsFromJson(nlohmann::ordered_json::parse(
        R"({"nativeShapes": [[16, 65535, 32, "s8", "u8", "s32", "s32", true]]})"));
    ASSERT_TRUE(largest) << largest.error().message;
    EXPECT_EQ(largest->nativeShapes.at(0).n, 65535u);
}

// What `coopvk info --json` prints has the first device's traits further inside.
TEST(TraitsJson, TraitsOfTheFirstDevice) {
    rewrite::DeviceTraits traits;
    traits.minSubgroupSize = 8;
    const auto first = toJson(traits);
    traits.minSubgroupSize = 16;
    nlohmann::ordered_json device, list;
    device["traits"] = first;
    list["devices"] = {device, toJson(traits)};
    for (const auto& json : {first, device, list}) {
        const auto back = traitsFromJson(json);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->minSubgroupSize, 8u);
    }
    for (const char* devices : {"3", "[]", "{}"}) {
        const auto none = traitsFromJson(
            nlohmann::ordered_json::parse(std::string(R"({"devices": )") + devices + "}"));
        ASSERT_FALSE(none) << devices;
        EXPECT_EQ(none.error().message, "device description: 'devices' has none");
    }
}

}  // namespace
}  // namespace coopvk::layer::traits_json_test
