// SPDX-License-Identifier: Apache-2.0
//
// One object per Vulkan handle whose state the layer keeps.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "coopvk/rewrite.hpp"
#include "device/physical_device.hpp"
#include "objects/command_state.hpp"
#include "objects/deferred.hpp"
#include "objects/rewrite_cache.hpp"
#include "objects/shader_modules.hpp"
#include "objects/shader_objects.hpp"
#include "report/dump.hpp"
#include "report/fault_memory.hpp"
#include "report/log.hpp"
#include "report/messenger.hpp"
#include "report/statistics.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer {

namespace inputs {
class DispatchInputs;
}
class ConversionKernel;

class InstanceContext {
 public:
    // `creator` hears the log until connect().
    InstanceContext(Settings loaded, const ProgramNames& names, LogListener* creator);

    // After the instance exists.
    void connect(const VkInstanceCreateInfo& info, VkInstance instance,
                 PFN_vkGetInstanceProcAddr getNext, PFN_GetPhysicalDeviceProcAddr getNextPhysical);

    // Queries the device once; the result stays valid as long as the instance.
    const PhysicalDeviceContext& physicalDevice(VkPhysicalDevice device);

    const Settings settings;
    Messenger messenger;
    const std::shared_ptr<Log> log;
    ShaderDumps dumps;
    const std::unique_ptr<Statistics> statistics;  // null unless asked for
    FaultMemory faults;
    VkInstance handle = VK_NULL_HANDLE;
    VkuInstanceDispatchTable next = {};
    PFN_vkGetInstanceProcAddr getNextProc = nullptr;
    PFN_GetPhysicalDeviceProcAddr getNextPhysicalDeviceProc = nullptr;
    DeviceQueries queries;
    std::map<std::string_view, PFN_vkVoidFunction>
        nextQueries;  // by name; null: the next layer has none

 private:
    const PhysicalDeviceContext& unknownDevice(const DeviceFacts& facts);
    // The one that is kept, and whether it is this one.
    std::pair<const PhysicalDeviceContext&, bool> keep(
        VkPhysicalDevice device, std::unique_ptr<const PhysicalDeviceContext> context);
    void tell(const PhysicalDeviceContext& device);

    std::shared_mutex mutex_;
    std::unordered_map<VkPhysicalDevice, std::unique_ptr<const PhysicalDeviceContext>> devices_;
    std::map<VkResult, PhysicalDeviceContext> unknown_;  // see unknownDevice
};

struct DeviceContext {
    VkDevice handle = VK_NULL_HANDLE;
    std::shared_ptr<InstanceContext> instance;
    VkPhysicalDevice physicalHandle = VK_NULL_HANDLE;
    const PhysicalDeviceContext* physical = nullptr;
    DeviceFacts facts;  // of this device: see enabled_facts.hpp
    // The extensions that this device emulates: those for its physical device that the application
    // enabled.
    rewrite::ExtensionSet emulated;
    // See rewrite::Target::addsShapes.
    bool addsShapes = false;
    uint32_t requiredSubgroupSize = 0;  // see PhysicalDeviceContext
    // See rewrite::Target::replacesLayout.
    bool replacesLayout = false;
    rewrite::MatrixTuning tuning;
    PFN_vkGetDeviceProcAddr getNextProc = nullptr;
    VkuDeviceDispatchTable next = {};
    ShaderModules modules;
    ShaderObjects shaderObjects;
    RewriteCache cache;
    DeferredHolds deferred;
    std::shared_ptr<ConversionKernel> conversions;   // null unless conversions are emulated
    CommandStates states;                            // empty then
    std::shared_ptr<inputs::DispatchInputs> inputs;  // null unless the setting is on
    DeviceStatistics* statistics = nullptr;          // the instance's; null unless asked for
    std::unique_ptr<DeviceFaults> faults;            // null unless they are remembered

    bool emulates(rewrite::Extension extension) const { return emulated.contains(extension); }
    bool rewrites() const {
        return !emulated.empty() || addsShapes || replacesLayout || requiredSubgroupSize != 0 ||
               facts.traits.driverSubgroupSize != 0;
    }
    Log& log() const { return *instance->log; }
};

}  // namespace coopvk::layer
