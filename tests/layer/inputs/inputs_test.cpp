// SPDX-License-Identifier: Apache-2.0
//
// Inputs of dispatches: which bytes are kept, when they are written, and what happens without
// memory.
#include <fstream>

#include "fakes/allocations.hpp"
#include "inputs/kept_inputs.hpp"

namespace coopvk::test::inputs_test {
namespace {

using namespace kept_inputs;

TEST_F(KeptInputs, AreWrittenOnceTheDeviceIsDone) {
    start();
    bind();
    for (size_t i = 0; i < kSize; ++i) device.buffer[i] = static_cast<uint8_t>(i * 7);
    const auto before = device.buffer;
    ASSERT_TRUE(record());
    const auto after = device.buffer;
    submit();
    inputs_->poll();
    EXPECT_EQ(written(), 0u);
    device.fence = VK_SUCCESS;
    inputs_->poll();
    ASSERT_EQ(written(), 1u);
    const auto json =
        nlohmann::ordered_json::parse(std::ifstream(folder_ / "shader.dispatch0.json"));
    EXPECT_EQ(json["stage"], "compute");
    const auto dispatch = dispatchFromJson(json["dispatch"]);
    ASSERT_TRUE(dispatch) << dispatch.error().message;
    EXPECT_EQ(dispatch->groups, (std::array<uint32_t, 3>{3, 2, 1}));
    EXPECT_EQ(dispatch->pushConstants.size(), 2u);
    EXPECT_TRUE(dispatch->missing.empty());
    ASSERT_EQ(dispatch->descriptors.size(), 1u);
    const KeptRange& range = dispatch->descriptors[0].range;
    const KeptRegion& region = dispatch->regions.at(range.region);
    ASSERT_EQ(range.size, 32u);
    std::ifstream file(folder_ / dispatch->file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(std::memcmp(bytes.data() + region.before + range.offset, before.data() + 16, 32), 0);
    EXPECT_EQ(std::memcmp(bytes.data() + *region.after + range.offset, after.data() + 16, 32), 0);
}

// Submitted again, the copies are written again: after those of the time before.
TEST_F(KeptInputs, CopiesWaitForEarlierOnes) {
    constexpr VkAccessFlags kWrites = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    start();
    bind();
    const auto kept = inputs_->keep(kCommands, {.groups = {1, 1, 1}});
    ASSERT_NE(kept, nullptr);
    kept->recordBefore(kCommands);
    EXPECT_TRUE(device.shownTo & kWrites);
    kept->recordAfter(kCommands);
    EXPECT_TRUE(device.shownTo & kWrites);
    EXPECT_TRUE(device.shownTo & VK_ACCESS_HOST_READ_BIT);
    EXPECT_EQ(device.order, "bcBbcB")
        << "what was written before is copied, and what is copied is there";
}

TEST_F(KeptInputs, OfALostDeviceAreThoseBefore) {
    start();
    bind();
    ASSERT_TRUE(record());
    submit();
    device.fence = VK_ERROR_DEVICE_LOST;
    inputs_->poll();
    ASSERT_EQ(written(), 1u);
    const auto json =
        nlohmann::ordered_json::parse(std::ifstream(folder_ / "shader.dispatch0.json"));
    const auto dispatch = dispatchFromJson(json["dispatch"]);
    ASSERT_TRUE(dispatch);
    EXPECT_FALSE(dispatch->regions.at(0).after);
}

// Using the command buffer again says that the device is done with it, unless it may be pending
// several times.
TEST_F(KeptInputs, SubmittedAgain) {
    start();
    bind();
    ASSERT_TRUE(record());
    submit();
    submit();
    EXPECT_EQ(written(), 1u);
}

// Whatever is submitted next shows whether an earlier submission is done.
TEST_F(KeptInputs, AreWrittenAtTheNextSubmission) {
    start();
    bind();
    ASSERT_TRUE(record());
    submit();
    inputs_->beforeSubmit({});
    EXPECT_EQ(written(), 0u);
    device.fence = VK_SUCCESS;
    inputs_->beforeSubmit({});
    EXPECT_EQ(written(), 1u);
}

TEST_F(KeptInputs, SubmittedAgainWhilePending) {
    start();
    bind();
    setSimultaneous();
    ASSERT_TRUE(record());
    submit();
    submit();
    device.fence = VK_SUCCESS;
    inputs_->poll();
    EXPECT_EQ(written(), 0u);
}

TEST_F(KeptInputs, OnlySoManyDispatches) {
    start({kSize, 2});
    bind();
    EXPECT_TRUE(record());
    EXPECT_TRUE(record());
    EXPECT_FALSE(record());
    retire();  // never submitted, so two others may come
    EXPECT_TRUE(record());
    submit();
    retire();
    EXPECT_EQ(written(), 1u);
    EXPECT_TRUE(record());
    EXPECT_FALSE(record());
}

// Everything goes on; what was written is complete.
TEST_F(KeptInputs, WithoutMemory) {
    bool failed = true;
    for (uint64_t allowed = 0; failed; ++allowed) {
        // The folder stays: it is open.
        for (const char* name : {"shader.dispatch0.json", "shader.dispatch0.bin"})
            fs::remove(folder_ / name);
        inputs_.reset();
        device = {};
        start();
        {
            const FailingAllocations none(allowed);
            bind();
            record();
            inputs_->beforeSubmit({&kCommands, 1});
            inputs_->afterSubmit(nullptr, {&kCommands, 1});
            device.fence = VK_SUCCESS;
            inputs_->poll();
            retire();
            failed = FailingAllocations::happened();
        }
        if (fs::exists(folder_ / "shader.dispatch0.json")) {
            const auto json =
                nlohmann::ordered_json::parse(std::ifstream(folder_ / "shader.dispatch0.json"));
            EXPECT_TRUE(dispatchFromJson(json["dispatch"])) << allowed;
        } else {
            EXPECT_TRUE(failed);
        }
        ASSERT_LT(allowed, 10000u);
    }
    EXPECT_EQ(written(), 1u);
}

}  // namespace
}  // namespace coopvk::test::inputs_test
