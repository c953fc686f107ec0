// SPDX-License-Identifier: Apache-2.0
#include "objects/rewrite_cache.hpp"

#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "fakes/allocations.hpp"

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
    std::vector<RewriteKey> others(6, makeKey());
    others[0].words = makeWords({1, 2, 4});
    others[1].stage = rewrite::Stage::kFragment;
    others[2].subgroupSize = 16;
    others[3].entryPoint = "other";
    others[4].specialization.pop_back();
    others[5].indexes64Bits = true;
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

// How many of three equally large entries a cache of so many bytes keeps.
size_t keptOf(size_t maxBytes) {
    RewriteCache cache(maxBytes);
    for (uint32_t i = 0; i < 3; ++i) cache.add(makeKey(i), makeResult(1000));
    size_t kept = 0;
    for (uint32_t i = 0; i < 3; ++i) kept += cache.find(makeKey(i)) != nullptr ? 1 : 0;
    return kept;
}

// To the byte.
TEST(RewriteCache, HoldsAsManyBytesAsItMay) {
    size_t one = 1000 * sizeof(uint32_t) + makeKey().bytes();
    EXPECT_EQ(keptOf(one), 0u) << "an entry is more than its words";
    while (keptOf(one) == 0 && one < 5000) ++one;
    for (const size_t entries : {1, 2, 3}) {
        EXPECT_EQ(keptOf(entries * one), entries);
        EXPECT_EQ(keptOf(entries * one - 1), entries - 1);
    }
    EXPECT_EQ(makeKey().bytes(), 3 * sizeof(uint32_t) + 4 + 2);
}

// An entry that cannot be added leaves nothing: neither is it found, nor does it take room.
TEST(RewriteCache, WithoutMemory) {
    bool failed = true;
    for (uint64_t allowed = 0; failed; ++allowed) {
        ASSERT_LT(allowed, 100u);
        RewriteCache cache(3 * 1200 * sizeof(uint32_t));
        cache.add(makeKey(0), makeResult(1000));
        RewriteKey key = makeKey(1);
        const RewrittenRef result = makeResult(1000);
        {
            const test::FailingAllocations none(allowed);
            try {
                cache.add(std::move(key), result);
            } catch (const std::bad_alloc&) {
            }
            failed = test::FailingAllocations::happened();
        }
        EXPECT_EQ(cache.find(makeKey(1)), failed ? nullptr : result) << allowed;
        EXPECT_NE(cache.find(makeKey(0)), nullptr) << allowed;
        for (uint32_t i = 2; i < 8; ++i) {
            cache.add(makeKey(i), makeResult(1000));
            EXPECT_NE(cache.find(makeKey(i)), nullptr) << allowed;
            EXPECT_NE(cache.find(makeKey(i == 2 ? 0 : i - 1)), nullptr) << allowed;
        }
        EXPECT_NE(cache.find(makeKey(5)), nullptr) << allowed;
        EXPECT_EQ(cache.find(makeKey(4)), nullptr) << allowed;
    }
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
