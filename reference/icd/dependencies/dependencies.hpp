// SPDX-License-Identifier: Apache-2.0
//
// The check of accesses to memory by commands: two of them, at least one a write, need a memory
// dependency, or after a read an execution dependency (Vulkan, "Execution and Memory
// Dependencies"). A read that lacks it gets the bytes before the last write, if the schedule is
// adversarial.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "coopvk_reference/execute.hpp"
#include "dependencies/history.hpp"
#include "dependencies/host_copies.hpp"

namespace coopvk::reference::icd {

// A command of a command buffer, for reports.
struct CommandName {
    const char* name = "";
    uint32_t number = 0;                        // in the command buffer, from 1 on
    std::shared_ptr<const std::string> buffer;  // "command buffer ..."
};

// An access and one before it, between which a dependency lacks.
struct Conflict {
    Time before = 0;
    Use use = Use::kStorageWrite;  // of the access before
    Use now = Use::kStorageRead;
    uintptr_t begin = 0;  // memory of the host
    uint64_t size = 0;
};

// What the host wrote before it submitted or signaled something; a queue executes it once.
struct FromHost {
    HostWrites writes;
    QueueTimes complete = {};  // of which commands the host knew it
    Time now = 0;              // what the host wrote until then is this, or was before
    bool isExecuted = false;
};

// What happened before a signal of an event or a semaphore: by the queue, or what the host knew
// that signaled it.
struct Signal {
    Order order;
    Time now = 0;
    Scope first;
    QueueTimes complete = {};
    std::shared_ptr<FromHost> fromHost = nullptr;
    // What somebody knows who waited for it.
    QueueTimes until() const { return now != 0 ? order.until(now, first) : complete; }
};

class Dependencies {
 public:
    // `isHostApart`: written() will be asked for.
    Dependencies(bool isStale, bool isHostApart) : isStale_(isStale), isHostApart_(isHostApart) {}

    // What follows, until the next call, is of this queue.
    void select(size_t queue) { queue_ = queue; }
    // A command begins that accesses memory: what follows is its. `writes`: how it writes.
    void begin(CommandName name, Use writes);
    // The whole range, by the command that began last. `seen`: what a read got, which may become
    // what was there before; null: nobody needs it.
    std::optional<Conflict> read(Use use, const std::byte* data, uint64_t size, std::byte* seen);
    // Before the write.
    std::optional<Conflict> write(Use use, const std::byte* data, uint64_t size,
                                  const std::byte* replaced);
    std::optional<Conflict> write(Use use, const std::byte* data, uint64_t size) {
        return write(use, data, size, data);
    }
    // By the host, which knew of these commands that they are complete.
    std::optional<Conflict> hostWrite(const QueueTimes& complete, const std::byte* data,
                                      uint64_t size);
    // What the host lacks. What is visible to it is told once.
    std::vector<Written> written();
    // One line: what conflicts, and which dependency lacks. `where`: the name of the memory.
    std::string describe(const Conflict& conflict, const std::string& where) const;

    // Whether the command that began last has not told this line yet: its texels are accessed one
    // by one. Of more than `most` lines it tells no more.
    bool tells(const std::string& line, uint32_t most);

    // The thread of the queues alone.
    Order& order() { return orders_[queue_]; }
    const Order& order() const { return orders_[queue_]; }
    Time now() const { return Time(commands_.size()); }
    Signal signal(const Scope& first) const { return {order(), now(), first}; }
    void apply(std::span<const Barrier> barriers);
    // After a wait. What the signal does not contain is not in the first scopes.
    void apply(const Signal& signal, std::vector<Barrier> barriers);
    // Memory that was freed.
    void forget(const Range& memory);

 private:
    struct Command {
        CommandName name;
        Use writes = Use::kStorageWrite;
        size_t queue = 0;
    };
    size_t queueOf(Time command) const { return commands_[command - 1].queue; }
    bool isVisible(Time writer, Use to, uintptr_t at) const;
    Conflict withWriter(Time writer, Use now, uintptr_t at) const;
    std::optional<Conflict> withReaders(History::Page& page, uintptr_t at, Use now) const;
    std::string nameOf(Time command) const;
    std::string lackOf(const Conflict& conflict) const;
    void noteNew(History::Page& page, uintptr_t at);
    bool addWritten(uintptr_t page, std::vector<Written>& all);

    const bool isStale_, isHostApart_;
    std::mutex mutex_;
    std::vector<uintptr_t> newPages_;  // guarded by the mutex
    size_t queue_ = 0;
    std::array<Order, kQueueCount> orders_ = {Order{0}, Order{1}, Order{2},
                                              Order{3}};  // of each queue
    History history_;
    std::set<std::string> told_;                          // by the last command
    std::deque<Command> commands_;                        // that of `time` at [time - 1]
    std::array<Order::UseTimes, kQueueCount> last_ = {};  // of each use
    Order::UseTimes settled_ = {};                        // Order::visibleAnywhere
};

}  // namespace coopvk::reference::icd
