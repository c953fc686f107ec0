// SPDX-License-Identifier: Apache-2.0
//
// Writes what settings/remembered.hpp describes. Nothing here throws, and an error only means that
// less is remembered. Safe from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "settings/remembered.hpp"
#include "settings/settings.hpp"
#include "system/files.hpp"

namespace coopvk::layer {

// Of an instance.
class FaultMemory {
 public:
    // Off unless the settings allow it and extensions are offered unasked.
    FaultMemory(const Settings& settings, const ProgramNames& names);
    ~FaultMemory();
    FaultMemory(const FaultMemory&) = delete;
    FaultMemory& operator=(const FaultMemory&) = delete;

    bool isOn() const { return memory_.exists(); }
    const ProgramMemory& place() const { return memory_; }
    // Of earlier starts.
    const std::vector<RememberedFault>& faults() const { return faults_; }

    // Opens the file of this process, before a sandbox can forbid that.
    void start() noexcept;
    void remember(RememberedFault fault) noexcept;  // each fault once
    // Both are quick: one call of the system.
    void begin(const RememberedFault& work) noexcept;
    void end(uint64_t shader) noexcept;

 private:
    void append(const FileDescriptor& file, const RememberedFault& fault);

    ProgramMemory memory_;
    rewrite::ExtensionSet asked_;          // which the user asked for by name
    std::vector<RememberedFault> faults_;  // of earlier starts
    std::vector<RememberedFault> seen_;    // of this one
    std::mutex mutex_;
    FileDescriptor running_;
    std::string runningPath_;
    bool hasFolder_ = false;
    bool keepsRunning_ = false;  // it has what could not be written elsewhere
    size_t begun_ = 0, bytes_ = 0;
};

// Of a device that emulates something.
class DeviceFaults {
 public:
    DeviceFaults(FaultMemory& memory, std::string device, uint32_t driver)
        : memory_(memory), device_(std::move(device)), driver_(driver) {}

    // A shader of the program was refused. Faults of the shader itself do not count.
    void refused(uint64_t shader, std::span<const uint32_t> words, rewrite::ExtensionSet uses,
                 std::string_view message) noexcept;
    void refusedByDriver(uint64_t shader, rewrite::ExtensionSet uses,
                         std::string_view message) noexcept;
    void rewrote(rewrite::ExtensionSet uses) noexcept;
    void lost() noexcept;

    void begin(uint64_t shader, rewrite::ExtensionSet uses) noexcept;
    void end(uint64_t shader) noexcept { memory_.end(shader); }

 private:
    RememberedFault fault(FaultKind kind, uint64_t shader, rewrite::ExtensionSet uses,
                          std::string_view message) const;

    FaultMemory& memory_;
    const std::string device_;
    const uint32_t driver_;
    std::mutex mutex_;
    rewrite::ExtensionSet used_;
    size_t shaders_ = 0;
    bool isLost_ = false;
};

}  // namespace coopvk::layer
