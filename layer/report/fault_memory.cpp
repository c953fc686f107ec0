// SPDX-License-Identifier: Apache-2.0
#include "report/fault_memory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <format>

#include "report/quietly.hpp"
#include "system/hash.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

constexpr size_t kMostFaults = 64;               // of a program; one is enough
constexpr size_t kMostBytes = size_t{64} << 10;  // of the file of a process, where none is begun

// For a file's name: processes in several containers may have one number.
uint64_t uniqueNumber(const void* object) {
    const int64_t values[] = {std::chrono::steady_clock::now().time_since_epoch().count(),
                              system::processId(), reinterpret_cast<intptr_t>(object)};
    return fnv1a(std::as_bytes(std::span(values)));
}

}  // namespace

FaultMemory::FaultMemory(const Settings& settings, const ProgramNames& names)
    : asked_(settings.emulate.list) {
    if (!settings.remember || settings.emulate.mode != EmulatePolicy::Mode::kAuto) return;
    quietly([&] {
        ProgramMemory memory = memoryOf(names);
        faults_ = takeFaults(memory);
        memory_ = std::move(memory);
    });
}

FaultMemory::~FaultMemory() {
    // What is begun now belongs to threads that the program did not wait for.
    if (!running_.isOpen() || keepsRunning_ || begun_ != 0) return;
    running_ = FileDescriptor();
    takeAbandonedFile(runningPath_, 0);  // not if this is a forked process: the other one has it
}

void FaultMemory::append(const FileDescriptor& file, const RememberedFault& fault) {
    const std::string line = lineOf(fault);
    const std::array whole = {std::string_view(line)};
    writePieces(file.number(), whole);
}

void FaultMemory::start() noexcept {
    if (!isOn()) return;
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        if (running_.isOpen()) return;
        hasFolder_ = makeOwnFolder(memory_.folder);
        if (!hasFolder_) return;
        runningPath_ = memory_.runningPath(uniqueNumber(this));
        auto file = openForAppending(runningPath_, IfMissing::kCreate);
        if (!file) return;
        running_ = std::move(*file);
        holdFile(running_.number());
        keepNewest(memory_.folder);
    });
}

void FaultMemory::remember(RememberedFault fault) noexcept {
    quietly([&] {
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
            if (asked_.contains(info.extension)) fault.extensions.erase(info.extension);
        fault.program = memory_.program;
        const std::scoped_lock lock(mutex_);
        if (!hasFolder_ || fault.extensions.empty()) return;
        const auto isSame = [&](const RememberedFault& other) {
            return other.kind == fault.kind && other.shader == fault.shader &&
                   other.device == fault.device && other.driver == fault.driver;
        };
        if (faults_.size() + seen_.size() >= kMostFaults || std::ranges::any_of(faults_, isSame) ||
            std::ranges::any_of(seen_, isSame)) {
            return;
        }
        auto file = openForAppending(memory_.path(), IfMissing::kCreate);
        // Somebody may have emptied the cache in between.
        if (!file && makeOwnFolder(memory_.folder))
            file = openForAppending(memory_.path(), IfMissing::kCreate);
        if (file)
            append(*file, fault);
        else if (running_.isOpen())
            append(running_, fault);
        keepsRunning_ = keepsRunning_ || !file;
        seen_.push_back(std::move(fault));
    });
}

void FaultMemory::begin(const RememberedFault& work) noexcept {
    quietly([&] {
        RememberedFault begun = work;
        begun.program = memory_.program;
        const std::scoped_lock lock(mutex_);
        ++begun_;
        if (!running_.isOpen()) return;
        append(running_, begun);
        bytes_ += lineOf(begun).size();
    });
}

void FaultMemory::end(uint64_t shader) noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        --begun_;
        if (!running_.isOpen()) return;
        append(running_, {.kind = FaultKind::kEnded, .shader = shader});
        if (begun_ != 0 || keepsRunning_ || bytes_ < kMostBytes) return;
        emptyFile(running_.number());
        bytes_ = 0;
    });
}

// ---------------------------------------------------------------------------------------------

RememberedFault DeviceFaults::fault(FaultKind kind, uint64_t shader, rewrite::ExtensionSet uses,
                                    std::string_view message) const {
    return {.kind = kind,
            .shader = shader,
            .extensions = uses,
            .device = device_,
            .driver = driver_,
            .message = std::string(message)};
}

void DeviceFaults::refused(uint64_t shader, std::span<const uint32_t> words,
                           rewrite::ExtensionSet uses, std::string_view message) noexcept {
    if (rewrite::validate(words)) return;
    quietly([&] { memory_.remember(fault(FaultKind::kRefused, shader, uses, message)); });
}

void DeviceFaults::refusedByDriver(uint64_t shader, rewrite::ExtensionSet uses,
                                   std::string_view message) noexcept {
    quietly([&] { memory_.remember(fault(FaultKind::kRefused, shader, uses, message)); });
}

void DeviceFaults::rewrote(rewrite::ExtensionSet uses) noexcept {
    const std::scoped_lock lock(mutex_);
    ++shaders_;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (uses.contains(info.extension)) used_.insert(info.extension);
}

void DeviceFaults::lost() noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        if (isLost_) return;
        isLost_ = true;
        memory_.remember(
            fault(FaultKind::kLost, 0, used_,
                  std::format("{} shaders of the program had been rewritten", shaders_)));
    });
}

void DeviceFaults::begin(uint64_t shader, rewrite::ExtensionSet uses) noexcept {
    quietly([&] { memory_.begin(fault(FaultKind::kBegun, shader, uses, "")); });
}

}  // namespace coopvk::layer
