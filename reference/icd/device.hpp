// SPDX-License-Identifier: Apache-2.0
//
// The instance with its one physical device; the device with its addresses and its queues.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <string_view>
#include <thread>

#include "coopvk_reference/execute.hpp"
#include "dependencies/dependencies.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {

inline constexpr uint32_t kMaxSets = 32;
inline constexpr uint32_t kMaxDescriptors = 1u << 20;
// Of all types in a set: programs make sets of several types with the most of each.
inline constexpr uint32_t kMaxSetDescriptors = 8 * kMaxDescriptors;
inline constexpr uint32_t kMaxPushConstantBytes = 256;
inline constexpr uint32_t kMaxPushDescriptors = 32;
inline constexpr uint32_t kMaxInvocations = 1024;   // of a workgroup
inline constexpr uint32_t kMaxGroups = 0x7FFFFFFF;  // workgroups in one dimension
inline constexpr VkDeviceSize kBufferAlignment = 64;
inline constexpr VkDeviceSize kDescriptorAlignment = 16;
inline constexpr VkDeviceSize kHeapSize = VkDeviceSize{16} << 30;

inline constexpr VkMemoryPropertyFlags kCoherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
// All have the property of their heap: "set if and only if the memory type belongs to a heap with
// the VK_MEMORY_HEAP_DEVICE_LOCAL_BIT set".
inline constexpr VkMemoryPropertyFlags kMemoryTypes[] = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kCoherent,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

// Names with versions.
using ExtensionSet = std::map<std::string_view, uint32_t>;

struct Instance;

// The one device; part of the instance.
struct PhysicalDevice : ObjectOf<VkPhysicalDevice> {
    Instance* instance = nullptr;
    Settings settings;
    ExtensionSet extensions;  // that devices may enable
};

// Families of queues. A device that draws has hostImageCopy, or "an additional queue family that
// supports VK_QUEUE_TRANSFER_BIT": the second one. The third one computes and does not draw, as
// GPUs have it. Other devices have the first one alone.
struct QueueFamily {
    VkQueueFlags flags = 0;
    uint32_t first = 0, count = 0;  // queues
};
inline constexpr QueueFamily kFamilies[] = {
    {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 0, 2},
    {VK_QUEUE_TRANSFER_BIT, 2, 1},
    {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 3, 1},
};
static_assert(kFamilies[2].first + kFamilies[2].count == kQueueCount);
std::span<const QueueFamily> familiesOf(const PhysicalDevice& device);

// Whether the device has all features that the creation of a device asks for.
bool hasFeatures(const PhysicalDevice& device, const VkDeviceCreateInfo& info);

struct DebugUtilsMessengerEXT : ObjectOf<VkDebugUtilsMessengerEXT> {
    VkDebugUtilsMessengerCreateInfoEXT info;
};

struct Instance : ObjectOf<VkInstance> {
    PhysicalDevice physical;
    std::mutex mutex;  // guards messengers
    std::vector<const DebugUtilsMessengerEXT*> messengers;
};

// What a message is about.
struct Message {
    std::string id;
    std::string text;
    const Object* object = nullptr;  // null: of no object
    VkDebugUtilsMessageSeverityFlagBitsEXT severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    VkDebugUtilsMessageTypeFlagsEXT types = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
};

// To the instance's messengers that want it; to stderr if there is no messenger at all.
void send(Instance& instance, const Message& message);
// Of a use of the interface that is not valid.
Message usageMessage(const Object* object, const std::string& text);
// Without an instance: to stderr.
void sendUsage(Instance* instance, const Object* object, const std::string& text);

// Part of a range; empty where it is not within.
Range part(const Range& range, uint64_t offset, uint64_t size);
// Notes that something wrote the whole range.
void markWritten(const Range& range);

// Bytes of all memory that all devices have.
VkDeviceSize usedMemory();

// What is at device addresses. Each allocation gets its own, the same in every run of a program,
// with a gap behind them; none is used twice.
class Addresses {
 public:
    // False: the heap is full. Copies of this keep the memory.
    bool allocate(Range& memory, std::shared_ptr<const void> keeper);
    // With the buffers in it.
    void free(const Range& memory);
    void bind(const Range& buffer);
    void unbind(const Range& buffer);
    // Of buffers that overlap, the last to begin that contains the address; or null.
    const Range* buffer(uint64_t address) const;
    // Whether some memory has bytes of this.
    bool share(const Range& memory) const;
    // Whether the memory of a range was not freed.
    bool live(const Range& range) const;

 private:
    uint64_t next_ = uint64_t{1} << 36;
    std::vector<Range> memories_, buffers_;                    // in their order
    std::map<uint64_t, std::shared_ptr<const void>> keepers_;  // of memories, by address
};

struct Buffer : ObjectOf<VkBuffer> {
    Buffer(Device& on, const VkBufferCreateInfo& info)
        : device(on), size(info.size), usage(usageOf(info)) {}
    ~Buffer();
    Device& device;
    VkDeviceSize size;
    VkBufferUsageFlags2 usage;
    Range range;                       // empty until it is bound
    std::weak_ptr<const void> memory;  // to which it is bound

    // While the result lives, the range is there. Throws InvalidUse where the memory was freed.
    std::shared_ptr<const void> hold() const;
    // Throws InvalidUse unless the bytes are in the buffer, which has memory and this usage.
    void requireRange(VkDeviceSize offset, VkDeviceSize bytes, VkBufferUsageFlags2 usage) const;

 private:
    static VkBufferUsageFlags2 usageOf(const VkBufferCreateInfo& info);
};

struct CommandBuffer;
struct Fence;
struct Semaphore;

// A semaphore to wait for or to signal; binary ones ignore the value.
struct SemaphoreValue {
    std::shared_ptr<Semaphore> semaphore;
    uint64_t value = 0;
    VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
};

// One batch of a submission.
struct Batch {
    std::vector<SemaphoreValue> waits;
    std::vector<std::shared_ptr<CommandBuffer>> commands;
    std::vector<std::shared_ptr<CommandBuffer>> busy;  // these, and secondary ones
    std::vector<SemaphoreValue> signals;
    std::shared_ptr<Fence> fence;
    std::shared_ptr<FromHost> fromHost;  // before the submission
    QueueTimes complete = {};            // what the host knew to be so when it submitted this
    uint64_t number = 0;                 // of all batches of the device
};

// A queue begins its batches in their order. The device's mutex guards it.
struct Queue : ObjectOf<VkQueue> {
    Device* device = nullptr;
    size_t index = 0;
    std::deque<Batch> batches;
    bool busy = false;
    QueueTimes complete = {};  // what is so once it is idle

    bool idle() const { return batches.empty() && !busy; }
    // Whether its next batch waits for nothing.
    bool isReady() const;
    void execute(std::unique_lock<std::mutex>& lock);
};

struct Device : ObjectOf<VkDevice> {
    std::shared_ptr<PhysicalDevice> physical;
    ExtensionSet extensions;  // that are enabled
    bool hasNullDescriptors = false, hasMaintenance8 = false;
    std::array<Queue, kQueueCount> queues;
    std::array<uint32_t, std::size(kFamilies)> queueCounts{};  // that the program asked for
    std::thread thread;  // executes batches; the first submission starts it

    // Guards what host and queues share: fences, semaphores, events, queries, private data, and
    // what follows here.
    std::mutex mutex;
    std::condition_variable changed;
    Addresses addresses;
    bool lost = false;
    std::atomic<bool> stopping = false;  // executions end
    QueueTimes complete = {};            // for each stage, the commands of which the host knows it
    uint64_t submitted = 0;              // batches so far
    std::unique_ptr<Dependencies> dependencies;          // of the thread; null: not checked
    std::unique_ptr<HostCopies> hostCopies;              // null: the host sees the device's memory
    std::deque<std::shared_ptr<FromHost>> hostWrites;    // in their order; not executed yet
    std::set<std::string_view> unexecuted;               // commands of graphics that reports named
    std::vector<Message> messages;                       // to be sent without the mutex
    std::mt19937 random;                                 // chooses queues
    std::map<uint32_t, VkClearColorValue> borderColors;  // that are registered, by index

    // The queues use no object.
    bool idle() const { return std::ranges::all_of(queues, &Queue::idle); }
    // Lost, and the program may destroy objects.
    bool gone() const { return lost && idle(); }
    // Executes batches of all queues, one after the other, until the device stops.
    void run();
    // The same, also while a batch waits: of the other queues.
    void executeUntil(std::unique_lock<std::mutex>& lock, const std::function<bool()>& isDone);
    void sendMessages(std::unique_lock<std::mutex>& lock);

    const Settings& settings() const { return physical->settings; }
    // The host knows now that what each stage did until then is complete. Under the mutex.
    void knowComplete(const QueueTimes& until) {
        for (size_t i = 0; i < kQueueCount * kStageCount; ++i) {
            Time& known = complete[i / kStageCount][i % kStageCount];
            known = std::max(known, until[i / kStageCount][i % kStageCount]);
        }
        if (hostCopies) hostCopies->deliver(complete);
    }
    // Changes what waiting threads look at.
    template <typename Change>
    VkResult change(const Change& apply) {
        const std::lock_guard lock(mutex);
        apply();
        changed.notify_all();
        return VK_SUCCESS;
    }
    void lose() {
        change([&] { lost = true; });
    }
    Addresses addressesNow() {
        const std::lock_guard lock(mutex);
        return addresses;
    }
    // What `get` returns, under the mutex; or VK_ERROR_DEVICE_LOST.
    template <typename Get>
    VkResult read(const Get& get) {
        const std::lock_guard lock(mutex);
        const VkResult result = get();
        return gone() ? VK_ERROR_DEVICE_LOST : result;
    }
    // Of commands that the queue executes: a message, and the device is lost.
    void fail(const InvalidUse& use) {
        sendUsage(physical->instance, this, use.message);
        lose();
    }
    // Waits until ready(), for `timeout` nanoseconds: VK_SUCCESS, VK_TIMEOUT, VK_ERROR_DEVICE_LOST.
    template <typename Ready>
    VkResult wait(uint64_t timeout, const Ready& ready) {
        constexpr uint64_t kForever = uint64_t{1} << 60;
        const auto done = [&] { return gone() || ready(); };
        std::unique_lock lock(mutex);
        if (timeout >= kForever)
            changed.wait(lock, done);
        else if (!changed.wait_for(lock, std::chrono::nanoseconds(timeout), done))
            return VK_TIMEOUT;
        return gone() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    }
};

}  // namespace coopvk::reference::icd
