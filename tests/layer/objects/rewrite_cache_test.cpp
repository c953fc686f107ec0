// SPDX-License-Identifier: Apache-2.0
#include "objects/rewrite_cache.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace coopvk::layer::rewrite_cache_test {
namespace {

ShaderWordsRef makeWords(std::vector<uint32_t> words) {
    return std::make_shared<const ShaderWords>(words);
}

RewriteKey makeKey(uint32_t word = 1) {
    RewriteKey key;
    key.words = makeWords({word, 2, 3});
    key.subgroupSize = 32;
    key.entryPoint = "main";
    key.specialization = {std::byte{1}, std::byte{2}};
    return key;
}

RewrittenRef makeResult(size_t words = 4) {
    auto result = std::make_shared<rewrite::Rewritten>();
    result->words.resize(words);
    return result;
}

TEST(RewriteCache, FindsEqualContents) {
    RewriteCache cache;
    EXPECT_EQ(cache.find(makeKey()), nullptr);
    const RewrittenRef result = makeResult();
    cache.add(makeKey(), result);
    EXPECT_EQ(cache.find(makeKey()), result);  // other objects, equal contents
}

TEST(RewriteCache, EveryPartOfTheKeyCounts) {
    RewriteCache cache;
    cache.add(makeKey(), makeResult());
    std::vector<RewriteKey> others(5, makeKey());
    others[0].words = makeWords({1, 2, 4});
    others[1].stage = rewrite::Stage::kFragment;
    others[2].subgroupSize = 16;
    others[3].entryPoint = "other";
    others[4].specialization.pop_back();
    for (size_t i = 0; i < others.size(); ++i) {
        EXPECT_FALSE(others[i] == makeKey()) << i;
        EXPECT_NE(others[i].hash(), makeKey().hash()) << i;
        EXPECT_EQ(cache.find(others[i]), nullptr) << i;
    }
}

// Equal hashes alone decide nothing.
TEST(RewriteCache, SurvivesCollisions) {
    ShaderWords forged(std::vector<uint32_t>{9, 9, 9});
    forged.hash = makeKey().words->hash;
    RewriteKey other = makeKey();
    other.words = std::make_shared<const ShaderWords>(forged);
    ASSERT_EQ(other.hash(), makeKey().hash());
    RewriteCache cache;
    const RewrittenRef mine = makeResult(), theirs = makeResult();
    cache.add(makeKey(), mine);
    EXPECT_EQ(cache.find(other), nullptr);
    cache.add(other, theirs);
    EXPECT_EQ(cache.find(makeKey()), mine);
    EXPECT_EQ(cache.find(other), theirs);
}

TEST(RewriteCache, TheFirstOfTwoStays) {
    RewriteCache cache;
    const RewrittenRef first = makeResult();
    cache.add(makeKey(), first);
    cache.add(makeKey(), makeResult());
    EXPECT_EQ(cache.find(makeKey()), first);
}

TEST(RewriteCache, DropsTheLeastRecentlyUsed) {
    // Room for three entries of a thousand words, not for four.
    RewriteCache cache(3 * 1200 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 3; ++i) cache.add(makeKey(i), makeResult(1000));
    EXPECT_NE(cache.find(makeKey(0)), nullptr);  // now the most recently used
    cache.add(makeKey(3), makeResult(1000));
    EXPECT_NE(cache.find(makeKey(0)), nullptr);
    EXPECT_EQ(cache.find(makeKey(1)), nullptr);
    EXPECT_NE(cache.find(makeKey(2)), nullptr);
    EXPECT_NE(cache.find(makeKey(3)), nullptr);
    cache.add(makeKey(4), makeResult(1 << 20));  // larger than all the cache
    EXPECT_EQ(cache.find(makeKey(4)), nullptr);
    EXPECT_NE(cache.find(makeKey(3)), nullptr);
}

TEST(RewriteCache, ManyThreads) {
    RewriteCache cache(20 * 1200 * sizeof(uint32_t));
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 4; ++t) {
        threads.emplace_back([&cache, t] {
            for (uint32_t i = 0; i < 500; ++i) {
                const uint32_t word = (i * 7 + t) % 40;
                if (const RewrittenRef found = cache.find(makeKey(word))) {
                    EXPECT_EQ(found->words.size(), 1000 + word);
                } else {
                    cache.add(makeKey(word), makeResult(1000 + word));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace coopvk::layer::rewrite_cache_test
