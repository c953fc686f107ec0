// SPDX-License-Identifier: Apache-2.0
#include "objects/shader_modules.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer::shader_modules_test {
namespace {

ShaderWordsRef makeWords(uint32_t word) {
    return std::make_shared<const ShaderWords>(std::vector<uint32_t>{word});
}

Digest makeDigest(uint32_t number) {
    Digest digest = {};
    std::memcpy(digest.data(), &number, sizeof(number));
    return digest;
}

TEST(ShaderModules, StubsAreValidAndUnique) {
    std::set<StubWords> seen;
    for (int i = 0; i < 1000; ++i) {
        const StubWords stub = makeStub();
        EXPECT_TRUE(seen.insert(stub).second) << i;
        if (i > 20) continue;
        EXPECT_EQ(rewrite::validate(stub), std::nullopt);
    }
}

TEST(ShaderModules, Handles) {
    ShaderModules modules;
    const auto handle = reinterpret_cast<VkShaderModule>(uint64_t{42});
    EXPECT_EQ(modules.find(handle), nullptr);
    const ShaderWordsRef first = makeWords(1), second = makeWords(2);
    modules.add(handle, first);
    EXPECT_EQ(modules.find(handle), first);
    modules.add(handle, second);  // a handle that the driver gives again
    EXPECT_EQ(modules.find(handle), second);
    modules.remove(handle);
    EXPECT_EQ(modules.find(handle), nullptr);
    modules.remove(handle);
}

TEST(ShaderModules, Identifiers) {
    ShaderModules modules;
    const ShaderWordsRef words = makeWords(1);
    const Digest digest = makeDigest(7);
    modules.remember(digest, words);
    modules.remember(digest, makeWords(2));  // the first stays
    EXPECT_EQ(modules.findIdentifier(digest.data(), digest.size()), words);
    EXPECT_EQ(modules.findIdentifier(digest.data(), 8), nullptr);
    EXPECT_EQ(modules.findIdentifier(nullptr, digest.size()), nullptr);
    EXPECT_EQ(modules.findIdentifier(makeDigest(8).data(), digest.size()), nullptr);
}

// After thousands of identifiers the oldest are dropped.
TEST(ShaderModules, ForgetsTheOldest) {
    ShaderModules modules;
    const auto find = [&](uint32_t number) {
        const Digest digest = makeDigest(number);
        return modules.findIdentifier(digest.data(), digest.size());
    };
    for (uint32_t i = 0; i < 4096; ++i) modules.remember(makeDigest(i), makeWords(i));
    EXPECT_NE(find(0), nullptr);
    modules.remember(makeDigest(4096), makeWords(4096));
    EXPECT_EQ(find(0), nullptr);
    EXPECT_NE(find(1), nullptr);
    ASSERT_NE(find(4096), nullptr);
    EXPECT_EQ(find(4096)->words[0], 4096u);
}

}  // namespace
}  // namespace coopvk::layer::shader_modules_test
