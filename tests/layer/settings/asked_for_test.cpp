// SPDX-License-Identifier: Apache-2.0
//
// The loader's filters of layers, as its documentation describes them.
#include "settings/asked_for.hpp"

#include <gtest/gtest.h>

namespace coopvk::test::asked_for_test {
namespace {

using layer::LayerKind;

bool matches(std::string_view patterns, LayerKind kind = LayerKind::kImplicit) {
    return layer::filterHas(patterns, "VK_LAYER_some_layer", kind);
}

TEST(LayerFilters, Names) {
    for (const char* pattern :
         {"VK_LAYER_some_layer", "vk_layer_SOME_layer", "VK_LAYER_some*", "*some_layer", "*R_some*",
          "VK_LAYER_some_layer*", "V*", "*r", "**", "*VK_LAYER_some_layer", "*VK_LAYER_some_layer*",
          "*", "other,*layer", "*layer,other"})
        EXPECT_TRUE(matches(pattern)) << pattern;
    for (const char* pattern :
         {"", ",", "VK_LAYER_some", "some_layer", "VK_LAYER_some_layer2", "some*", "*some",
          "VK_LAYER_other*", "*other", "*other*", "*some_layer2", "LAYER_some*", "other,some",
          "VK_LAYER_some_layer2*", "*some_layer2*"})
        EXPECT_FALSE(matches(pattern)) << pattern;
}

TEST(LayerFilters, Kinds) {
    using enum LayerKind;
    EXPECT_TRUE(matches("~all~") && matches("~ALL~", kExplicit));
    EXPECT_TRUE(matches("~implicit~") && matches("~explicit~", kExplicit));
    EXPECT_FALSE(matches("~explicit~") || matches("~implicit~", kExplicit) || matches("~none~"));
}

}  // namespace
}  // namespace coopvk::test::asked_for_test
