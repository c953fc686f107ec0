// SPDX-License-Identifier: Apache-2.0
#include "dependencies/followed.hpp"

#include <format>
#include <utility>

namespace coopvk::reference::icd {
namespace {

// "bytes 0 to 3 of buffer ..."
std::string placeOf(const Device& device, const Conflict& conflict) {
    for (const auto& object : ownedBy(&device)) {
        if (object->type != VK_OBJECT_TYPE_BUFFER) continue;
        const Range& range = reinterpret_cast<const Buffer*>(object.get())->range;
        const uintptr_t offset = conflict.begin - reinterpret_cast<uintptr_t>(range.data);
        if (range.data == nullptr || offset >= range.size) continue;
        const std::string id =
            object->name.empty() ? std::format("{:#x}", object->handle) : '"' + object->name + '"';
        if (conflict.size == 1) return std::format("byte {} of buffer {}", offset, id);
        return std::format("bytes {} to {} of buffer {}", offset, offset + conflict.size - 1, id);
    }
    return std::format("{} bytes", conflict.size);
}

std::string describe(const Device& device, const std::optional<Conflict>& conflict) {
    if (!conflict) return {};
    return device.dependencies->describe(*conflict, placeOf(device, *conflict));
}

// Of a command without a shader, or of the host.
std::optional<Message> reportOf(const Device& device, const std::string& text) {
    const Settings& settings = device.settings();
    if ((settings.checks & kCheckDependencies) == 0) return std::nullopt;
    if (settings.action == ReportAction::kIgnore) return std::nullopt;
    const std::string id = checkName(kCheckDependencies);
    return Message{"coopvk-reference-" + id, id + ": " + text};
}

void report(Device& device, const std::string& text) {
    if (const auto message = reportOf(device, text)) send(*device.physical->instance, *message);
}

void report(Execution& execution, const std::optional<Conflict>& conflict) {
    if (!conflict) return;
    Device& device = execution.device;
    const std::string text = describe(device, conflict);
    if (device.dependencies->tells(text, device.settings().reports)) report(device, text);
    if (device.settings().action == ReportAction::kError) device.lose();
}

}  // namespace

void beginAccesses(Execution& execution, Use writes) {
    if (auto& dependencies = execution.device.dependencies)
        dependencies->begin(execution.command, writes);
}

void followRead(Execution& execution, Use use, const Range& range) {
    if (auto& dependencies = execution.device.dependencies)
        report(execution, dependencies->read(use, range.data, range.size, nullptr));
}

void followWrite(Execution& execution, Use use, const Range& range) {
    if (auto& dependencies = execution.device.dependencies)
        report(execution, dependencies->write(use, range.data, range.size));
}

const std::byte* followedBytes(Execution& execution, Use use, const Range& range,
                               std::vector<std::byte>& stale) {
    auto& dependencies = execution.device.dependencies;
    if (!dependencies) return range.data;
    stale.assign(range.data, range.data + range.size);
    report(execution, dependencies->read(use, range.data, range.size, stale.data()));
    return stale.data();
}

std::shared_ptr<FromHost> takeHostWrites(Device& device) {
    if (!device.hostCopies) return nullptr;
    auto taken =
        std::make_shared<FromHost>(FromHost{device.hostCopies->changes(), device.complete});
    device.hostWrites.push_back(taken);
    return taken;
}

static void execute(Device& device, FromHost& fromHost) {
    Dependencies& dependencies = *device.dependencies;
    const HostWrites writes = std::exchange(fromHost.writes, {});
    if (!writes.empty()) dependencies.begin({"the host", 0, nullptr}, Use::kHostWrite);
    fromHost.now = dependencies.now();
    fromHost.isExecuted = true;
    for (const HostWrite& write : writes) {
        const auto conflict =
            dependencies.hostWrite(fromHost.complete, write.data, write.bytes.size());
        if (conflict)
            if (auto message = reportOf(device, describe(device, conflict)))
                device.messages.push_back(std::move(*message));
        std::ranges::copy(write.bytes, write.data);
    }
}

void executeHostWrites(Device& device, const FromHost& upTo) {
    while (!upTo.isExecuted && !device.hostWrites.empty()) {
        const std::shared_ptr<FromHost> next = std::move(device.hostWrites.front());
        device.hostWrites.pop_front();
        execute(device, *next);
    }
}

void dropHostWrites(Device& device, const Range& memory) {
    for (const auto& each : device.hostWrites)
        std::erase_if(each->writes, [&](const HostWrite& write) {
            return write.data >= memory.data && write.data < memory.data + memory.size;
        });
}

void noteHostLacks(Device& device, size_t queue) {
    if (device.hostCopies)
        device.hostCopies->noteWritten(device.dependencies->written(), queue,
                                       device.dependencies->now());
}

void reportHostReads(Device& device) {
    if (!device.hostCopies) return;
    for (const auto& [at, written] : device.hostCopies->takeReads()) {
        const std::string lacks = written.isVisible
                                      ? ", before it waited for that"
                                      : std::format(", without a memory dependency from {} to {}",
                                                    nameOf(written.use), nameOf(Use::kHostRead));
        report(device,
               std::format("the host reads {}, which {} wrote{}",
                           placeOf(device, {.begin = at, .size = 1}), written.writer, lacks));
    }
}

void FollowedAccesses::read(const Moment& at, const MemoryAccess& access, std::byte* seen) {
    if (access.range.address == 0) return;
    const Range& range = access.range;
    const Use use = range.isUniform        ? Use::kUniformRead
                    : range.isSampled      ? Use::kSampledRead
                    : range.isResourceHeap ? Use::kResourceHeapRead
                    : range.isSamplerHeap  ? Use::kSamplerHeapRead
                                           : Use::kStorageRead;
    const auto conflict = device_.dependencies->read(use, access.data, access.size, seen);
    if (conflict) at.report(kCheckDependencies, access.lane, describe(device_, conflict));
}

void FollowedAccesses::write(const Moment& at, const MemoryAccess& access,
                             const std::byte* before) {
    if (access.range.address == 0) return;
    const auto conflict =
        device_.dependencies->write(Use::kStorageWrite, access.data, access.size, before);
    if (conflict) at.report(kCheckDependencies, access.lane, describe(device_, conflict));
}

void FollowedAccesses::load(const Moment& at, const MemoryAccess& access, std::byte* seen) {
    read(at, access, seen);
}

void FollowedAccesses::store(const Moment& at, const MemoryAccess& access) {
    write(at, access, access.data);
}

void FollowedAccesses::atomic(const Moment& at, const MemoryAccess& access,
                              const AtomicOperation& operation) {
    if (operation.reads) read(at, access, nullptr);
    if (operation.writes) write(at, access, operation.before);
}

}  // namespace coopvk::reference::icd
