// SPDX-License-Identifier: Apache-2.0
//
// Inputs of dispatches: which bytes are kept, when they are written, and what happens without
// memory. The driver copies between arrays of this file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>

#include "fakes/allocations.hpp"
#include "inputs/dispatch_inputs.hpp"
#include "report/dump.hpp"

namespace coopvk::test::inputs_test {
namespace {

namespace fs = std::filesystem;
using namespace layer;
using namespace layer::inputs;

constexpr size_t kSize = 256;

// What the driver has; its functions have no other place for it.
struct Device {
    std::array<uint8_t, kSize> buffer = {};  // of the application
    std::array<uint8_t, 8 * kSize> staging = {};
    VkResult fence = VK_NOT_READY;
    int objects = 0;  // that exist
    int submissions = 0;
    std::function<void()> called = [] {}, reading = [] {};  // what happens during a call
} device;

template <typename Handle>
Handle handle(uintptr_t number) {
    return reinterpret_cast<Handle>(number);
}

template <typename Info, typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info*, const VkAllocationCallbacks*,
                                      Handle* made) {
    device.called();
    *made = handle<Handle>(1000 + static_cast<uintptr_t>(device.objects++));
    return VK_SUCCESS;
}

template <typename Handle>
VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, Handle, const VkAllocationCallbacks*) {
    device.called();
    --device.objects;
}

Driver makeDriver() {
    Driver driver;
    VkuDeviceDispatchTable& next = driver.next;
    next.CreateBuffer = create<VkBufferCreateInfo, VkBuffer>;
    next.AllocateMemory = create<VkMemoryAllocateInfo, VkDeviceMemory>;
    next.CreateFence = create<VkFenceCreateInfo, VkFence>;
    next.DestroyBuffer = destroy<VkBuffer>;
    next.FreeMemory = destroy<VkDeviceMemory>;
    next.DestroyFence = destroy<VkFence>;
    next.GetBufferMemoryRequirements = [](VkDevice, VkBuffer, VkMemoryRequirements* needed) {
        *needed = {8 * kSize, 1, 1};
    };
    next.BindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) {
        return VK_SUCCESS;
    };
    next.MapMemory = [](VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                        void** mapped) {
        *mapped = device.staging.data();
        return VK_SUCCESS;
    };
    next.InvalidateMappedMemoryRanges = [](VkDevice, uint32_t, const VkMappedMemoryRange*) {
        device.called();
        device.reading();
        return VK_SUCCESS;
    };
    next.CmdPipelineBarrier = [](VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                                 VkDependencyFlags, uint32_t, const VkMemoryBarrier*, uint32_t,
                                 const VkBufferMemoryBarrier*, uint32_t,
                                 const VkImageMemoryBarrier*) {};
    next.CmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, uint32_t,
                            const VkBufferCopy* copy) {
        std::memcpy(device.staging.data() + copy->dstOffset, device.buffer.data() + copy->srcOffset,
                    copy->size);
    };
    next.GetFenceStatus = [](VkDevice, VkFence) {
        device.called();
        return device.fence;
    };
    next.QueueSubmit = [](VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
        device.called();
        ++device.submissions;
        return VK_SUCCESS;
    };
    driver.memory.memoryTypeCount = 1;
    driver.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    return driver;
}

const auto kCommands = handle<VkCommandBuffer>(1);
const auto kBuffer = handle<VkBuffer>(2);

class KeptInputs : public testing::Test {
 protected:
    KeptInputs() {
        device = {};
        shader_.request.name = "shader";
        shader_.request.text = R"({"stage": "compute"})";
    }
    ~KeptInputs() override {
        inputs_.reset();
        EXPECT_EQ(device.objects, 0);
        fs::remove_all(folder_);
    }

    void start(DumpedInputs limits = {kSize, 1}) { inputs_.emplace(limits, dumps_, makeDriver()); }
    // A command buffer with a buffer in a descriptor and a shader, bound.
    void bind() {
        inputs_->add(7, shader_);
        inputs_->track([](State& state) {
            state.objects.buffers[kBuffer] = {
                .handle = kBuffer, .size = kSize, .canBeCopied = true};
            Recording& commands = state.commands[kCommands];
            commands.shader = state.shaders.at(7);
            auto set = std::make_shared<DescriptorSet>();
            set->descriptors[{0, 0}] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {kBuffer, 16, 32}};
            commands.sets[0].set = set;
            commands.pushConstants = {std::byte{1}, std::byte{2}};
        });
    }
    // Records a dispatch that adds one to each byte.
    bool record() {
        const auto kept = inputs_->keep(kCommands, {.groups = {3, 2, 1}});
        if (kept == nullptr) return false;
        kept->recordBefore(kCommands);
        for (uint8_t& byte : device.buffer) ++byte;
        kept->recordAfter(kCommands);
        return true;
    }
    void submit() {
        inputs_->beforeSubmit({&kCommands, 1});
        inputs_->afterSubmit(nullptr, {&kCommands, 1});
    }
    size_t written() const {
        size_t count = 0;
        if (!fs::exists(folder_)) return 0;
        for (const auto& entry : fs::directory_iterator(folder_))
            count += entry.path().extension() == ".json";
        return count;
    }
    void setSimultaneous() {
        inputs_->trackCommands(kCommands,
                               [](Recording& commands, State&) { commands.simultaneous = true; });
    }
    void retire() {
        inputs_->trackCommands(kCommands,
                               [&](Recording& commands, State&) { inputs_->retire(commands); });
    }

    const fs::path folder_ =
        fs::temp_directory_path() / ("coopvk-inputs-test-" + std::to_string(getpid())) / "dump";
    const Settings settings_{.dumpDir = folder_.string()};
    DumpedShader shader_;
    Log log_{LogLevel::kWarn, COOPVK_NOWHERE};
    ShaderDumps dumps_{settings_, log_};
    std::optional<DispatchInputs> inputs_;
};

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
