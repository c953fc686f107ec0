// SPDX-License-Identifier: Apache-2.0
#include "objects/handle_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "objects/command_state.hpp"

namespace coopvk::layer::handle_table_test {
namespace {

// Handles at the distance of small objects.
const void* handleOf(size_t number) { return reinterpret_cast<const void*>(0x10000 + 16 * number); }

TEST(HandleTable, FindsWhatWasSet) {
    constexpr size_t kCount = 5000;
    std::vector<int> values(kCount);
    HandleTable<int> table;
    EXPECT_EQ(table.find(handleOf(0)), nullptr);
    for (size_t i = 0; i < kCount; ++i) table.set(handleOf(i), &values[i]);
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(table.find(handleOf(i)), &values[i]);
    EXPECT_EQ(table.find(handleOf(kCount)), nullptr);
    table.set(handleOf(7), nullptr);
    EXPECT_EQ(table.find(handleOf(7)), nullptr);
    EXPECT_EQ(table.find(handleOf(8)), &values[8]);
    table.set(handleOf(7), &values[8]);
    EXPECT_EQ(table.find(handleOf(7)), &values[8]);
}

// Threads that set handles of their own, and find them while the others set theirs. Meant for the
// thread sanitizer, too.
TEST(HandleTable, ThreadsWithTheirOwnHandles) {
    constexpr size_t kThreads = 8, kHandles = 500, kRounds = 20;
    HandleTable<size_t> table;
    std::atomic<size_t> wrong = 0;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            std::vector<size_t> values(kHandles);
            const auto handle = [&](size_t i) { return handleOf(i * kThreads + t); };
            for (size_t round = 0; round < kRounds; ++round) {
                for (size_t i = 0; i < kHandles; ++i) {
                    table.set(handle(i), &values[i]);
                    const size_t earlier = i / 2;
                    if (table.find(handle(earlier)) != &values[earlier]) ++wrong;
                }
                for (size_t i = 0; i < kHandles; ++i) table.set(handle(i), nullptr);
                for (size_t i = 0; i < kHandles; ++i) {
                    if (table.find(handle(i)) != nullptr) ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
}

VkCommandBuffer commandsOf(size_t number) {
    return reinterpret_cast<VkCommandBuffer>(0x10000 + 16 * number);
}

TEST(CommandStates, AHandleThatIsGivenAgainStartsAnew) {
    CommandStates states;
    const auto pool = reinterpret_cast<VkCommandPool>(uint64_t{2});
    states.add(commandsOf(0), VK_NULL_HANDLE);
    CommandState* const state = states.find(commandsOf(0));
    state->computePipeline = reinterpret_cast<VkPipeline>(uint64_t{1});
    state->failure = VK_ERROR_UNKNOWN;
    state->converts = true;
    state->condition.emplace<VkConditionalRenderingBeginInfoEXT>();
    states.add(commandsOf(0), pool);
    ASSERT_EQ(states.find(commandsOf(0)), state);
    EXPECT_EQ(state->computePipeline, VkPipeline(VK_NULL_HANDLE));
    EXPECT_EQ(state->failure, VK_SUCCESS);
    EXPECT_FALSE(state->converts);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(state->condition));
    EXPECT_EQ(state->pool, pool);
}

// Each thread records into command buffers that it allocates and frees, which means that handles of
// one thread become those of another.
TEST(CommandStates, Threads) {
    constexpr size_t kThreads = 8, kHandles = 64, kRounds = 2000;
    CommandStates states;
    std::mutex mutex;
    std::set<size_t> unused;
    for (size_t i = 0; i < kHandles; ++i) unused.insert(i);
    std::atomic<size_t> wrong = 0;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            const auto mine = reinterpret_cast<VkPipeline>(uint64_t{t + 1});
            for (size_t round = 0; round < kRounds; ++round) {
                std::unique_lock lock(mutex);
                const size_t number = unused.extract(unused.begin()).value();
                lock.unlock();
                states.add(commandsOf(number), VK_NULL_HANDLE);
                CommandState* state = states.find(commandsOf(number));
                if (state == nullptr || state->computePipeline != VkPipeline(VK_NULL_HANDLE))
                    ++wrong;
                state->computePipeline = mine;
                std::this_thread::yield();
                if (states.find(commandsOf(number))->computePipeline != mine) ++wrong;
                lock.lock();
                unused.insert(number);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace coopvk::layer::handle_table_test
