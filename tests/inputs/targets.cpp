// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "report/traits_json.hpp"

namespace coopvk::test {
namespace {

namespace fs = std::filesystem;

struct NamedDevice {
    std::string name;
    rewrite::DeviceTraits traits;
};

NamedDevice readDevice(const fs::path& path) {
    std::ifstream file(path);
    const auto traits = layer::traitsFromJson(nlohmann::ordered_json::parse(file));
    if (!traits) throw std::runtime_error(path.string() + ": " + traits.error().message);
    return {path.stem(), *traits};
}

std::vector<NamedDevice> allDevices() {
    std::vector<NamedDevice> devices;
    for (const fs::directory_entry& entry : fs::directory_iterator(COOPVK_DEVICES))
        devices.push_back(readDevice(entry.path()));
    rewrite::DeviceTraits any;
    any.minSubgroupSize = 4;
    any.maxSubgroupSize = 128;
    any.subgroupSizeControl = any.computeFullSubgroups = true;
    devices.push_back({"any", any});
    rewrite::DeviceTraits cpu = any;
    cpu.isCpu = cpu.lanesInStep = true;
    cpu.maxSubgroupSize = 16;
    devices.push_back({"cpu", cpu});
    std::ranges::sort(devices, {}, &NamedDevice::name);
    return devices;
}

std::vector<NamedTarget> targetsOf(const std::vector<NamedDevice>& devices) {
    std::vector<NamedTarget> targets;
    for (const NamedDevice& device : devices) {
        const rewrite::DeviceTraits& traits = device.traits;
        for (uint32_t lanes = traits.minSubgroupSize; lanes <= traits.maxSubgroupSize; lanes *= 2) {
            NamedTarget core;
            core.name = device.name + ", core, " + std::to_string(lanes) + " lanes";
            core.target.device = traits;
            core.target.subgroupSize = lanes;
            core.target.backEnd = rewrite::BackEnd::kCore;
            if (traits.shaderMixedFloatDotProductFloat16AccFloat32)
                core.target.emulated.erase(rewrite::Extension::kValveShaderMixedFloatDotProduct);
            targets.push_back(core);
            if (traits.nativeShapes.empty()) continue;
            NamedTarget native = core;
            native.name = device.name + ", native, " + std::to_string(lanes) + " lanes";
            native.target.backEnd = rewrite::BackEnd::kAuto;
            native.target.emulated.erase(rewrite::Extension::kKhrCooperativeMatrix);
            targets.push_back(native);
        }
    }
    return targets;
}

}  // namespace

const std::vector<NamedTarget>& allTargets() {
    static const std::vector<NamedTarget> targets = targetsOf(allDevices());
    return targets;
}

}  // namespace coopvk::test
