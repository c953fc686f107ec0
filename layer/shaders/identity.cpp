// SPDX-License-Identifier: Apache-2.0
#include "shaders/identity.hpp"

#include <algorithm>

#include "objects/context.hpp"

namespace coopvk::layer {
namespace {

// The layer's requests to the rewriter decide what the same words become.
std::string_view layerVersion() {
    return
#include "source_version.inc"
        ;
}

Sha256 start(const Settings& settings, const rewrite::MatrixTuning& tuning,
             const DeviceFacts& facts, rewrite::ExtensionSet emulated, bool addsShapes,
             bool replacesLayout) {
    Sha256 hash;
    hash.addText("coopvk").addText(rewrite::version()).addText(layerVersion());
    hash.addText(settings.emulateText);
    hash.addValue(settings.backEnd);
    hash.addValue(settings.elementLayout);
    hash.addValue(settings.programLayout);
    if (settings.as != nullptr) hash.addText(settings.as->name);
    hash.addValue(settings.numerics);
    hash.addValue(settings.rewriteLimit);
    hash.addText(rewrite::tuningText(tuning));
    if (settings.lines) hash.addText("lines");
    hash.addText(facts.traits.name);
    hash.addValue(facts.properties.driverVersion);
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (emulated.contains(info.extension)) hash.addText(info.vulkanName);
    }
    if (addsShapes) hash.addText("shapes");
    if (replacesLayout) hash.addText("layout");
    return hash;
}

// Whether coopvk may add anything of its own to the driver's data.
bool changesData(const PhysicalDeviceContext& device) {
    return !device.emulated.empty() || !device.addedShapes.empty() ||
           device.requiredSubgroupSize != 0 || device.facts.traits.driverSubgroupSize != 0;
}

// Data that the driver made without coopvk must not be used under these settings, nor the other way
// round.
bool standsApart(const Settings& settings, const PhysicalDeviceContext& device) {
    const bool asDefault = settings.emulate.mode == EmulatePolicy::Mode::kAuto &&
                           settings.backEnd == rewrite::BackEnd::kAuto;
    return !asDefault || !replacedSet(device.decisions, device.facts).empty();
}

}  // namespace

Sha256 startIdentity(const Settings& settings, const PhysicalDeviceContext& device) {
    return start(settings, device.tuning.choices, device.facts, device.emulated,
                 !device.addedShapes.empty(), device.replacesLayout);
}

Sha256 startIdentity(const DeviceContext& device) {
    Sha256 hash = start(device.instance->settings, device.tuning, device.facts, device.emulated,
                        device.addsShapes, device.replacesLayout);
    hash.addText(device.facts.features.to_string());
    return hash;
}

Sha256 startIdentifier(const Settings& settings, const PhysicalDeviceContext& device) {
    Sha256 hash;
    if (standsApart(settings, device)) hash = startIdentity(settings, device);
    hash.addText("coopvk shader module");
    return hash;
}

void mixIdentity(const DeviceContext& device, VkPipelineBinaryKeyKHR& key) {
    static_assert(sizeof(Digest) <= VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR);
    const size_t size = std::min<size_t>(key.keySize, sizeof(key.key));
    Sha256 hash = startIdentity(device);
    const Digest digest = hash.add(std::as_bytes(std::span(key.key, size))).finish();
    key.keySize = static_cast<uint32_t>(digest.size());
    std::ranges::copy(digest, key.key);
}

void mixIdentity(const Settings& settings, const PhysicalDeviceContext& device, UuidOf kind,
                 uint8_t (&uuid)[VK_UUID_SIZE]) {
    static_assert(sizeof(Digest) >= VK_UUID_SIZE);
    if (!changesData(device)) return;
    Sha256 hash = kind == UuidOf::kModuleIdentifiers ? startIdentifier(settings, device)
                                                     : startIdentity(settings, device);
    const Digest digest = hash.add(std::as_bytes(std::span(uuid))).finish();
    std::copy_n(digest.begin(), VK_UUID_SIZE, uuid);
}

}  // namespace coopvk::layer
