// SPDX-License-Identifier: Apache-2.0
//
// What an instance did: a summary for the `statistics` setting, and events for `coopvk run`.
// Objects of these classes exist only if one of the two is requested. Safe from any thread, and
// nothing here throws.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "report/log.hpp"
#include "report/run_report.hpp"
#include "settings/remembered.hpp"

namespace coopvk::layer {

struct PhysicalDeviceContext;
struct Settings;
class Statistics;

// One VkDevice.
class DeviceStatistics {
 public:
    using Duration = std::chrono::steady_clock::duration;

    // `offer`: what the layer adds to the device, for people; empty: nothing.
    DeviceStatistics(Statistics& owner, std::string name, std::string offer);

    // A module was scanned, and declares these.
    void scanned(bool wanted, Duration spent) noexcept;
    // A shader stage was rewritten, or its result found in the cache.
    void rewrote(const rewrite::Rewritten& rewritten, bool cached, Duration spent) noexcept;
    void refused(std::string_view message) noexcept;
    void lost() noexcept;
    // A command of an emulated extension that needs no shader of the application.
    void ranCommand(rewrite::Extension extension) noexcept;

    std::vector<std::string> summary() const;

 private:
    // The first use of `used`, which `coopvk run` waits for.
    void reportUse(rewrite::ExtensionSet used);

    Statistics& owner_;
    const std::string name_, offer_;
    mutable std::mutex mutex_;
    uint64_t modules_ = 0, untouched_ = 0;
    uint64_t rewritten_ = 0, cached_ = 0, refused_ = 0;
    Duration scanning_ = {}, rewriting_ = {}, longest_ = {};
    std::array<uint64_t, rewrite::kExtensionCount> stages_ = {}, commands_ = {};
    std::map<std::string_view, uint64_t> paths_;
    std::vector<rewrite::ExtensionSet> reported_;
    bool isLost_ = false;
};

// One VkInstance.
class Statistics {
 public:
    // Null if neither a summary nor events are requested.
    static std::unique_ptr<Statistics> make(const Settings& settings);
    ~Statistics();

    void decided(const PhysicalDeviceContext& device) noexcept;
    void failedDevice(const PhysicalDeviceContext& device, std::string_view message) noexcept;
    // `emulated` and `native`: those of coopvk's and of the driver's extensions that the program
    // enabled. `addsShapes`: it may use shapes that the driver's matrices lack. Null if memory runs
    // out.
    DeviceStatistics* addDevice(const PhysicalDeviceContext& device, rewrite::ExtensionSet emulated,
                                rewrite::ExtensionSet native, bool addsShapes) noexcept;

    // Once, and only in the process that made it.
    void writeSummary() noexcept;

    RunReport& report() { return report_; }

 private:
    explicit Statistics(const Settings& settings);
    void writeLines();

    RunReport report_;
    // Opened at first, since a program may shut itself off from files later.
    std::optional<Log> summary_;
    const int process_;
    std::mutex mutex_;
    bool written_ = false;
    std::vector<std::unique_ptr<DeviceStatistics>> devices_;
};

// What a shader was rewritten for: the names of the emulated extensions that it uses, or, if it
// uses none, a shape.
std::string purposeOf(rewrite::ExtensionSet used);

}  // namespace coopvk::layer
