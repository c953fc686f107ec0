// SPDX-License-Identifier: Apache-2.0
#include "chain/arrays.hpp"

#include <gtest/gtest.h>

#include <array>

namespace coopvk::layer::arrays_test {
namespace {

constexpr std::array<int, 3> kSource = {5, 6, 7};

TEST(Arrays, CountAlone) {
    uint32_t count = 77;
    EXPECT_EQ(giveArray<int>(kSource, &count, nullptr), VK_SUCCESS);
    EXPECT_EQ(count, 3u);
}

TEST(Arrays, AsManyAsFit) {
    for (uint32_t room = 0; room <= 5; ++room) {
        std::array<int, 5> out = {-1, -1, -1, -1, -1};
        uint32_t count = room;
        EXPECT_EQ(giveArray<int>(kSource, &count, out.data()),
                  room < 3 ? VK_INCOMPLETE : VK_SUCCESS);
        EXPECT_EQ(count, std::min(room, 3u));
        for (uint32_t i = 0; i < out.size(); ++i) {
            EXPECT_EQ(out[i], i < std::min(room, 3u) ? kSource[i] : -1) << room << ", " << i;
        }
    }
}

TEST(Arrays, Nothing) {
    int out = -1;
    uint32_t count = 1;
    EXPECT_EQ(giveArray<int>({}, &count, &out), VK_SUCCESS);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(out, -1);
}

}  // namespace
}  // namespace coopvk::layer::arrays_test
