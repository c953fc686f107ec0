// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "command_state.hpp"

namespace coopvk::layer {
namespace {

constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkShaderStageFlags kBoth = kCompute | VK_SHADER_STAGE_VERTEX_BIT;

struct Pushed {
    uint32_t offset;
    size_t size;
    bool operator==(const Pushed&) const = default;
};

class PushConstants : public testing::Test {
 protected:
    void add(VkShaderStageFlags stages, uint32_t offset, uint32_t size, uint8_t value = 0,
             std::optional<uint32_t> bank = {}) {
        log_.add({{}, stages, offset, std::vector<std::byte>(size, std::byte{value}), bank});
    }
    std::vector<Pushed> list() const {
        std::vector<Pushed> result;
        for (const auto& entry : log_.entries()) {
            result.push_back({entry.offset, entry.bytes.size()});
        }
        return result;
    }

    PushConstantLog log_;
};

// Pushing the recorded entries again must give the last values, with as few entries as possible.
TEST_F(PushConstants, LaterOnesCoverEarlierOnes) {
    add(kCompute, 0, 16, 1);
    add(kCompute, 0, 16, 2);
    ASSERT_EQ(list(), (std::vector<Pushed>{{0, 16}}));
    EXPECT_EQ(log_.entries()[0].bytes[0], std::byte{2});
    add(kCompute, 4, 4);  // a part of it: both count
    EXPECT_EQ(list(), (std::vector<Pushed>{{0, 16}, {4, 4}}));
    add(kCompute, 0, 32);
    EXPECT_EQ(list(), (std::vector<Pushed>{{0, 32}}));
}

TEST_F(PushConstants, OtherStagesAreNotCovered) {
    add(kBoth, 0, 16);
    add(kCompute, 0, 16);
    EXPECT_EQ(list(), (std::vector<Pushed>{{0, 16}, {0, 16}}));
    add(kBoth, 0, 16);
    EXPECT_EQ(list(), (std::vector<Pushed>{{0, 16}}));
    log_.clear();
    EXPECT_TRUE(list().empty());
}

TEST_F(PushConstants, OtherBanksAreNotCovered) {
    add(kBoth, 0, 16, 1, 1);
    add(kBoth, 0, 16, 2, 2);
    add(kBoth, 0, 16, 3);
    EXPECT_EQ(list(), (std::vector<Pushed>{{0, 16}, {0, 16}, {0, 16}}));
    add(kBoth, 0, 32, 4, 1);
    ASSERT_EQ(list(), (std::vector<Pushed>{{0, 16}, {0, 16}, {0, 32}}));
    EXPECT_EQ(log_.entries()[0].bank, 2u);
}

}  // namespace
}  // namespace coopvk::layer
