// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.hpp"

#include <algorithm>
#include <format>
#include <utility>

#include "device/physical_device.hpp"
#include "report/log.hpp"
#include "report/quietly.hpp"
#include "settings/program_names.hpp"
#include "settings/settings.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

double milliseconds(DeviceStatistics::Duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

std::string counted(uint64_t count, std::string_view what) {
    return std::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "emulates VK_KHR_cooperative_matrix, adds shapes to the driver's matrices"
std::string offerOf(rewrite::ExtensionSet emulated, bool addsShapes) {
    std::string offer;
    if (const std::string names = namesOf(emulated); !names.empty()) offer = "emulates " + names;
    if (!addsShapes) return offer;
    return offer + (offer.empty() ? "" : ", ") + "adds shapes to the driver's matrices";
}

}  // namespace

std::string purposeOf(rewrite::ExtensionSet used) {
    const std::string names = namesOf(used);
    return names.empty() ? "a shape that the driver lacks" : names;
}

// ---------------------------------------------------------------------------------------------

DeviceStatistics::DeviceStatistics(Statistics& owner, std::string name, std::string offer)
    : owner_(owner), name_(std::move(name)), offer_(std::move(offer)) {}

void DeviceStatistics::scanned(bool wanted, Duration spent) noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        ++modules_;
        if (!wanted) ++untouched_;
        scanning_ += spent;
    });
}

void DeviceStatistics::rewrote(const rewrite::Rewritten& rewritten, bool cached,
                               Duration spent) noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        ++(cached ? cached_ : rewritten_);
        rewriting_ += spent;
        longest_ = std::max(longest_, spent);
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
            if (rewritten.used.contains(info.extension)) {
                ++stages_[static_cast<size_t>(info.extension)];
            }
        }
        for (const std::string_view path : rewritten.paths) ++paths_[path];
        reportUse(rewritten.used);
    });
}

void DeviceStatistics::refused(std::string_view message) noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        ++refused_;
        owner_.report().write(run_event::kRefused, {name_, message});
    });
}

void DeviceStatistics::lost() noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        if (!std::exchange(isLost_, true))
            owner_.report().write(run_event::kLost, {name_, "the device was lost"});
    });
}

void DeviceStatistics::ranCommand(rewrite::Extension extension) noexcept {
    quietly([&] {
        const std::scoped_lock lock(mutex_);
        ++commands_[static_cast<size_t>(extension)];
        reportUse({extension});
    });
}

void DeviceStatistics::reportUse(rewrite::ExtensionSet used) {
    if (!owner_.report().isOn() || std::ranges::find(reported_, used) != reported_.end()) return;
    reported_.push_back(used);
    owner_.report().write(run_event::kEmulated, {name_, purposeOf(used)});
}

std::vector<std::string> DeviceStatistics::summary() const {
    const std::scoped_lock lock(mutex_);
    if (offer_.empty()) return {name_ + ": emulates nothing, so no shader was scanned"};
    std::vector<std::string> lines = {name_ + ": " + offer_};
    lines.push_back(std::format(
        "  {} seen: {} untouched, {} with emulated capabilities or shapes; scanned "
        "in {:.3f} ms",
        counted(modules_, "module"), untouched_, modules_ - untouched_, milliseconds(scanning_)));
    lines.push_back(
        std::format("  {} rewritten, {} from the cache, {} refused; {:.3f} ms, longest {:.3f} ms",
                    counted(rewritten_, "stage"), cached_, refused_, milliseconds(rewriting_),
                    milliseconds(longest_)));
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const auto i = static_cast<size_t>(info.extension);
        std::string line = std::format("  {}: {}", info.vulkanName, counted(stages_[i], "stage"));
        if (commands_[i] != 0) line += ", " + counted(commands_[i], "command");
        if (stages_[i] + commands_[i] != 0) lines.push_back(std::move(line));
    }
    for (const auto& [path, count] : paths_) {
        lines.push_back(std::format("  {}: {}", path, counted(count, "stage")));
    }
    return lines;
}

// ---------------------------------------------------------------------------------------------

std::unique_ptr<Statistics> Statistics::make(const Settings& settings) {
    std::unique_ptr<Statistics> statistics(new Statistics(settings));
    if (settings.statistics.empty() && !statistics->report_.isOn()) return nullptr;
    statistics->report_.write(run_event::kInstance, {});
    const ProgramNames names = programNames(nullptr);
    statistics->report_.write(run_event::kProgram, {names.exe, names.wine});
    return statistics;
}

Statistics::Statistics(const Settings& settings)
    : report_(runReportPath()), process_(system::processId()) {
    const std::string& setting = settings.statistics;
    if (setting.empty()) return;
    summary_.emplace(LogLevel::kInfo, booleanFromText(setting) ? settings.logFile : setting);
}

Statistics::~Statistics() = default;

void Statistics::decided(const PhysicalDeviceContext& device) noexcept {
    quietly([&] {
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
            const Decision& decision = device.decisions[static_cast<size_t>(info.extension)];
            report_.write(run_event::kDecision,
                          {device.facts.traits.name, info.vulkanName,
                           provisionName(decision.provision), decision.reason});
        }
    });
}

void Statistics::failedDevice(const PhysicalDeviceContext& device,
                              std::string_view message) noexcept {
    quietly([&] { report_.write(run_event::kNoDevice, {device.facts.traits.name, message}); });
}

DeviceStatistics* Statistics::addDevice(const PhysicalDeviceContext& device,
                                        rewrite::ExtensionSet emulated,
                                        rewrite::ExtensionSet native, bool addsShapes) noexcept {
    DeviceStatistics* added = nullptr;
    quietly([&] {
        const std::string& name = device.facts.traits.name;
        report_.write(run_event::kDevice, {name, namesOf(emulated), namesOf(native)});
        auto statistics =
            std::make_unique<DeviceStatistics>(*this, name, offerOf(emulated, addsShapes));
        const std::scoped_lock lock(mutex_);
        devices_.push_back(std::move(statistics));
        added = devices_.back().get();
    });
    return added;
}

void Statistics::writeSummary() noexcept {
    quietly([&] {
        if (!summary_ || system::processId() != process_) return;
        const std::scoped_lock lock(mutex_);
        if (!written_) writeLines();
        written_ = true;
    });
}

void Statistics::writeLines() {
    Log& log = *summary_;
    log.info(std::format("statistics of {} (process {})", system::programName(), process_));
    if (devices_.empty()) log.info("statistics:   no device was created");
    for (const auto& device : devices_) {
        for (const std::string& line : device->summary()) log.info("statistics:   " + line);
    }
}

}  // namespace coopvk::layer
