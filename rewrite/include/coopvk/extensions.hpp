// SPDX-License-Identifier: Apache-2.0
//
// The table of the extensions that coopvk emulates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "coopvk/device.hpp"

namespace coopvk::rewrite {

enum class Extension : uint32_t {
    kKhrCooperativeMatrix,
    kNvCooperativeMatrix,
    kQcomCooperativeMatrixConversion,
    kNvCooperativeMatrix2,
    kExtCooperativeMatrixMaintenance1,
    kNvCooperativeMatrixDecodeVector,
    kNvCooperativeVector,
    kExtShaderReplicatedComposites,
    kExtShaderAtomicFloat,
    kIntelInt4,
    kIntel2dBlockIo,
    kKhrShaderBfloat16,
    kExtShaderFloat8,
    kKhrShaderFloat16Int8,  // shaderFloat16 alone
    kExtShaderLongVector,
    kExtShaderOcpMicroscalingTypes,
    kValveShaderMixedFloatDotProduct,
    kNvShaderSmBuiltins,
    kNvCudaKernelLaunch,
    kCount,
};

inline constexpr size_t kExtensionCount = static_cast<size_t>(Extension::kCount);

class ExtensionSet {
 public:
    constexpr ExtensionSet() = default;
    constexpr ExtensionSet(std::initializer_list<Extension> list) {
        for (Extension extension : list) insert(extension);
    }
    // All but half floats, which devices that have them keep.
    static constexpr ExtensionSet all() {
        ExtensionSet set;
        set.bits_ = (1u << kExtensionCount) - 1u;
        set.erase(Extension::kKhrShaderFloat16Int8);
        return set;
    }
    constexpr void insert(Extension e) { bits_ |= 1u << static_cast<uint32_t>(e); }
    constexpr void erase(Extension e) { bits_ &= ~(1u << static_cast<uint32_t>(e)); }
    constexpr bool contains(Extension e) const { return bits_ >> static_cast<uint32_t>(e) & 1u; }
    constexpr bool containsAny(ExtensionSet of) const { return (bits_ & of.bits_) != 0; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr bool operator==(const ExtensionSet&) const = default;

 private:
    uint32_t bits_ = 0;
};

// A set of features: bit i of an extension's number is the i-th VkBool32 of its Vulkan feature
// structure.
class ExtensionFeatures {
 public:
    constexpr uint32_t& operator[](Extension e) { return bits_[static_cast<size_t>(e)]; }
    constexpr uint32_t operator[](Extension e) const { return bits_[static_cast<size_t>(e)]; }
    constexpr bool operator==(const ExtensionFeatures&) const = default;

 private:
    std::array<uint32_t, kExtensionCount> bits_ = {};
};

// A SPIR-V capability of an extension, which a device has if it has any of these features.
struct ExtensionCapability {
    uint32_t capability;
    uint32_t features;  // bits as in ExtensionFeatures
};

struct ExtensionInfo {
    Extension extension;
    std::string_view vulkanName;  // "VK_KHR_cooperative_matrix"
    uint32_t specVersion;         // VK_..._SPEC_VERSION
    std::string_view spirvName;   // "SPV_KHR_cooperative_matrix"; empty: core SPIR-V
    std::span<const ExtensionCapability> capabilities;
    // Returns why the device cannot carry the emulation ("needs shaderFloat16"); empty if it can.
    std::string (*missing)(const DeviceTraits& device);
    // Whether rewritten shaders depend on the subgroup size that they were rewritten for.
    bool fixesSubgroupSize = true;
    // Programs ask for it and hardly use it: it is offered by name only, and never in place of the
    // driver's own.
    bool isByNameOnly = false;
};

// One row per Extension, in the order of the enum.
std::span<const ExtensionInfo> extensionTable();
const ExtensionInfo& info(Extension extension);
// nullopt if coopvk emulates no extension of this name.
std::optional<Extension> extensionFromVulkanName(std::string_view name);

}  // namespace coopvk::rewrite
