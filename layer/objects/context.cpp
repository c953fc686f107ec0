// SPDX-License-Identifier: Apache-2.0
#include "objects/context.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace coopvk::layer {
namespace {

void logShownIds(Log& log, const PhysicalDeviceContext& device, const DeviceIds& shown) {
    if (shown.isEmpty()) return;
    log.info(device.facts.traits.name + ": programs see " + shown.text() + ", in place of " +
             device.facts.ids.text());
}

// Of the setting `as`.
void logTakenFor(Log& log, const PhysicalDeviceContext& device, const Settings& settings) {
    if (settings.as == nullptr) return;
    const std::string text = device.facts.traits.name + ": " + takenForText(*settings.as, device);
    device.whyNotTakenFor.empty() ? log.info(text) : log.warn(text);
}

// A profile that is ignored may surprise who made it.
void logTuning(Log& log, const PhysicalDeviceContext& device) {
    if (device.tuning.origin.empty()) return;
    const std::string text = device.facts.traits.name + ": " + textOf(device.tuning);
    device.tuning.ignored.empty() ? log.info(text) : log.warn(text);
}

void logDecisions(Log& log, const PhysicalDeviceContext& device) {
    if (!log.wants(LogLevel::kInfo)) return;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        const Decision& decision = device.decisions[static_cast<size_t>(info.extension)];
        std::string line = device.facts.traits.name;
        line.append(": ").append(info.vulkanName).append(" ");
        line.append(provisionName(decision.provision));
        line.append(" (").append(decision.reason).append(")");
        log.info(line);
    }
}

std::shared_ptr<Log> makeLog(const Settings& settings, LogListener* creator) {
    auto log = std::make_shared<Log>(settings.logLevel, settings.logFile);
    log->setListener(creator);
    return log;
}

// Those of the set that are not offered, since earlier starts failed with them.
rewrite::ExtensionSet keptFrom(const PhysicalDeviceContext& device, rewrite::ExtensionSet set) {
    rewrite::ExtensionSet kept;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
        if (set.contains(info.extension) &&
            device.decision(info.extension).reason.find(kRememberedReason) != std::string::npos)
            kept.insert(info.extension);
    return kept;
}

// What earlier starts of the program keep from it. One line for the same extensions: a program may
// have many shaders.
void logFaults(InstanceContext& instance, const PhysicalDeviceContext& device) {
    const std::string& name = device.facts.traits.name;
    std::set<std::string> told;
    for (const RememberedFault& fault : instance.faults.faults()) {
        if (!isOfDevice(fault, name, device.facts.properties.driverVersion)) continue;
        const std::string kept = namesOf(keptFrom(device, fault.extensions));
        const std::string asked = "COOPVK_EMULATE=auto," + namesOf(fault.extensions);
        if (!kept.empty()) {
            if (told.insert(kept).second)
                instance.log->warn(name + ": this program is not offered " + kept +
                                   ", since in an earlier start " + textOf(fault) + " (" + asked +
                                   " offers it all the same; coopvk config --forget forgets)");
        } else if (fault.kind == FaultKind::kUnfinished && told.insert(asked).second) {
            instance.log->warn(name + ": in an earlier start " + textOf(fault) +
                               "; if that happens again, coopvk no longer offers " +
                               namesOf(fault.extensions) + " to this program");
        }
    }
}

uint32_t applicationVersion(const VkInstanceCreateInfo& info) {
    const VkApplicationInfo* application = info.pApplicationInfo;
    return std::max(application == nullptr ? VK_API_VERSION_1_0 : application->apiVersion,
                    VK_API_VERSION_1_0);
}

}  // namespace

InstanceContext::InstanceContext(Settings loaded, const ProgramNames& names, LogListener* creator)
    : settings(std::move(loaded)),
      log(makeLog(settings, creator)),
      dumps(settings, *log),
      statistics(Statistics::make(settings)),
      faults(settings, names) {}

void InstanceContext::connect(const VkInstanceCreateInfo& info, VkInstance instance,
                              PFN_vkGetInstanceProcAddr getNext,
                              PFN_GetPhysicalDeviceProcAddr getNextPhysical) {
    handle = instance;
    getNextProc = getNext;
    getNextPhysicalDeviceProc = getNextPhysical;
    vkuInitInstanceDispatchTable(instance, &next, getNext);
    messenger.connect(instance, next);
    log->setListener(&messenger);
    queries = loadDeviceQueries(getNext, instance, applicationVersion(info),
                                {info.ppEnabledExtensionNames, info.enabledExtensionCount});
}

// Emulates nothing, and knows only why. It is not kept for the device: a query that failed for lack
// of memory may work the next time.
const PhysicalDeviceContext& InstanceContext::unknownDevice(const DeviceFacts& facts) {
    log->error(std::string("cannot list the extensions of ") + facts.properties.deviceName + ": " +
               string_VkResult(facts.listing));
    const std::unique_lock lock(mutex_);
    const auto [place, isNew] = unknown_.try_emplace(facts.listing);
    if (isNew) place->second.facts.listing = facts.listing;  // which others then read
    return place->second;
}

const PhysicalDeviceContext& InstanceContext::physicalDevice(VkPhysicalDevice device) {
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = devices_.find(device); found != devices_.end()) {
            return *found->second;
        }
    }
    // The device is queried outside the lock. If two threads are first, both query it and get the
    // same answer.
    DeviceFacts facts = queryDevice(queries, device);
    if (facts.listing != VK_SUCCESS) return unknownDevice(facts);
    const rewrite::ExtensionSet avoided =
        avoidedExtensions(faults.faults(), facts.traits.name, facts.properties.driverVersion);
    auto context =
        std::make_unique<PhysicalDeviceContext>(assessDevice(settings, std::move(facts), avoided));
    context->tuning = tuningFor(settings, context->facts);

    const auto [known, isNew] = keep(device, std::move(context));
    if (isNew) tell(known);
    return known;
}

std::pair<const PhysicalDeviceContext&, bool> InstanceContext::keep(
    VkPhysicalDevice device, std::unique_ptr<const PhysicalDeviceContext> context) {
    const std::unique_lock lock(mutex_);
    const auto [place, isNew] = devices_.try_emplace(device, std::move(context));
    return {*place->second, isNew};
}

// Without the lock: the application may hear it, and ask for the device again.
void InstanceContext::tell(const PhysicalDeviceContext& device) {
    logDecisions(*log, device);
    logShownIds(*log, device, settings.shownIds);
    logTakenFor(*log, device, settings);
    logTuning(*log, device);
    logFaults(*this, device);
    if (statistics != nullptr) statistics->decided(device);
}

}  // namespace coopvk::layer
