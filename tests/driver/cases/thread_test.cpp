// SPDX-License-Identifier: Apache-2.0
//
// Many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "harness/samples.hpp"

namespace coopvk::test::thread_test {
namespace {

// Threads make and run pipelines from shared and from their own shaders at once.
TEST(Threads, PipelinesAtOnce) {
    constexpr uint32_t kThreads = 8, kRounds = 4;
    std::vector<Words> sources;
    for (uint32_t i = 0; i < kThreads; ++i) sources.push_back(scaledSum(20 + i));
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            try {
                for (uint32_t r = 0; r < kRounds; ++r) {
                    Batch batch({sources[t], sources[(t + r) % kThreads], sources[0]});
                    COOPVK_CHECK(batch.create());
                    batch.expect(0);
                    batch.expect(1);
                    batch.expect(2);
                }
            } catch (const std::exception&) {
                ++failures;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace coopvk::test::thread_test
