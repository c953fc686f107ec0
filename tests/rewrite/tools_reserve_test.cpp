// SPDX-License-Identifier: Apache-2.0
//
// The memory reserve for SPIRV-Tools, together with other users of the new-handler.
#include "ir/tools_reserve.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace coopvk::rewrite::tools_reserve_test {
namespace {

using Work = ToolsReserve::Work;

void throwing() { throw std::bad_alloc(); }
void another() { throw std::bad_alloc(); }

// Does what operator new does if memory runs out. Returns whether there is memory afterwards.
bool findsMemory() {
    try {
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) return false;
        handler();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

class ToolsReserveTest : public testing::Test {
 protected:
    ~ToolsReserveTest() override { std::set_new_handler(nullptr); }
};

TEST_F(ToolsReserveTest, IsGivenOnce) {
    ToolsReserve reserve(Work::kParse, 100);
    {
        const ToolsReserve::Kept kept(reserve);
        EXPECT_FALSE(findsMemory());
    }
    EXPECT_TRUE(findsMemory());
    EXPECT_FALSE(findsMemory());
}

TEST_F(ToolsReserveTest, IsOfOneThread) {
    const ToolsReserve reserve(Work::kParse, 100);
    bool found = true;
    std::thread([&] { found = findsMemory(); }).join();
    EXPECT_FALSE(found);
    EXPECT_TRUE(findsMemory());
}

TEST_F(ToolsReserveTest, TheHandlerIsTheProgramsAgain) {
    for (const std::new_handler own : {std::new_handler(nullptr), std::new_handler(throwing)}) {
        std::set_new_handler(own);
        {
            const ToolsReserve outer(Work::kParse, 100);
            {
                const ToolsReserve inner(Work::kValidate, 100);
            }
            EXPECT_TRUE(findsMemory());
        }
        EXPECT_EQ(std::get_new_handler(), own);
    }
}

TEST_F(ToolsReserveTest, OneThatTheProgramSetsMeanwhileStays) {
    std::set_new_handler(throwing);
    {
        const ToolsReserve reserve(Work::kParse, 100);
        std::set_new_handler(another);
    }
    EXPECT_EQ(std::get_new_handler(), another);
}

// A program that replaces the handler temporarily may restore the reserve's handler when there is
// no reserve any more.
TEST_F(ToolsReserveTest, ItsOwnMayComeBackLate) {
    std::set_new_handler(throwing);
    std::new_handler found = nullptr;
    {
        const ToolsReserve reserve(Work::kParse, 100);
        found = std::set_new_handler(another);
    }
    std::set_new_handler(found);
    EXPECT_FALSE(findsMemory());
    {
        const ToolsReserve reserve(Work::kParse, 100);
        EXPECT_TRUE(findsMemory());
        EXPECT_FALSE(findsMemory());
    }
    EXPECT_EQ(std::get_new_handler(), throwing);
}

// In the presets with the thread sanitizer, no report of it is part of the test.
TEST_F(ToolsReserveTest, ThreadsHaveOneEach) {
    constexpr int kThreads = 8, kRounds = 500;
    std::set_new_handler(throwing);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < kRounds; ++round) {
                ToolsReserve reserve(Work::kParse, 100);
                {
                    const ToolsReserve::Kept kept(reserve);
                    if (t % 2 == 0 && findsMemory()) ++wrong;
                }
                if (t % 4 != 0 && !findsMemory()) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(std::get_new_handler(), throwing);
}

}  // namespace
}  // namespace coopvk::rewrite::tools_reserve_test
