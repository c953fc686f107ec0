// SPDX-License-Identifier: Apache-2.0
//
// What happens in other threads while the inputs of dispatches are kept.
#include <future>
#include <vector>

#include "inputs/kept_inputs.hpp"

namespace coopvk::test::inputs_calls_test {
namespace {

using namespace kept_inputs;

// The application's messenger, or a layer below, may wait for another thread, which may call
// Vulkan, too.
class Caller : public LogListener {
 public:
    explicit Caller(std::function<void()> call) : call_(std::move(call)) {}
    void heard(LogLevel, std::string_view) noexcept override { call_(); }

 private:
    std::function<void()> call_;
};

TEST_F(KeptInputs, NothingIsLockedDuringCalls) {
    start();
    bind();
    inputs_->track([](State& state) {  // of a buffer that does not exist
        state.commands[kCommands].sets[0].set->descriptors[{1, 0}] = {
            VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {handle<VkBuffer>(99), 0, 16}};
    });
    int calls = 0, blocked = 0;
    std::vector<std::future<void>> others;
    const auto callFromAnother = [&] {
        ++calls;
        others.push_back(std::async(std::launch::async, [&] { inputs_->track([](State&) {}); }));
        if (others.back().wait_for(std::chrono::seconds(1)) != std::future_status::ready) ++blocked;
    };
    Caller messenger(callFromAnother);
    log_.setListener(&messenger);
    device.called = callFromAnother;
    ASSERT_TRUE(record());
    EXPECT_EQ(calls, 3) << "a message, a buffer, memory";
    submit();
    EXPECT_EQ(calls, 5) << "a fence, a submission";
    device.fence = VK_SUCCESS;
    inputs_->poll();
    retire();
    EXPECT_EQ(calls, 10) << "its status, its end, reading, the ends of the buffer and its memory";
    EXPECT_EQ(written(), 1u);
    device.called = [] {};
    log_.setListener(nullptr);
    EXPECT_EQ(blocked, 0);
}

// While a thread reads what a dispatch left, another one may let the device execute it again.
TEST_F(KeptInputs, SubmittedAgainWhileItIsRead) {
    start();
    bind();
    ASSERT_TRUE(record());
    submit();
    device.fence = VK_SUCCESS;
    device.reading = [&] { inputs_->beforeSubmit({&kCommands, 1}); };
    inputs_->poll();
    EXPECT_EQ(written(), 0u);
}

}  // namespace
}  // namespace coopvk::test::inputs_calls_test
