// SPDX-License-Identifier: Apache-2.0
#include "check/command/capabilities.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace coopvk::tool {
namespace {

// One of these suffices: a version, an extension, a feature, or an operation on subgroups.
struct CapabilityRow {
    std::string_view name;
    uint32_t version = 0;
    std::string_view extension = {};
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;
    std::string_view feature = {};
    size_t offset = 0;  // of the feature
    VkSubgroupFeatureFlags operation = 0;
};
constexpr CapabilityRow kCapabilities[] = {
#include "capabilities.inc"
};

bool holds(const CapabilityRow& row, const vulkan::ComputeDevice& device) {
    if (row.version != 0) return device.properties.apiVersion >= row.version;
    if (!row.extension.empty()) return device.lists(row.extension);
    if (row.operation != 0)
        return (device.properties11.subgroupSupportedOperations & row.operation) != 0;
    return device.hasFeature(row.type, row.offset);
}

std::string missingCapability(std::string_view name, const vulkan::ComputeDevice& device) {
    const CapabilityRow* first = nullptr;
    for (const CapabilityRow& row : kCapabilities) {
        if (row.name != name) continue;
        if (holds(row, device)) return "";
        if (first == nullptr) first = &row;
    }
    if (first == nullptr) return "";  // the registry does not know it
    const std::string_view what = first->feature.empty() ? first->extension : first->feature;
    return "the capability " + std::string(name) +
           (what.empty() ? std::string() : " (" + std::string(what) + ")");
}

// Execution modes for floats of one width.
struct FloatControlRow {
    spv::ExecutionMode mode;
    std::string_view property;
    VkBool32 VkPhysicalDeviceVulkan12Properties::*of16, VkPhysicalDeviceVulkan12Properties::*of32,
        VkPhysicalDeviceVulkan12Properties::*of64;
};
using Properties = VkPhysicalDeviceVulkan12Properties;
constexpr FloatControlRow kFloatControls[] = {
    {spv::ExecutionMode::DenormPreserve, "shaderDenormPreserveFloat",
     &Properties::shaderDenormPreserveFloat16, &Properties::shaderDenormPreserveFloat32,
     &Properties::shaderDenormPreserveFloat64},
    {spv::ExecutionMode::DenormFlushToZero, "shaderDenormFlushToZeroFloat",
     &Properties::shaderDenormFlushToZeroFloat16, &Properties::shaderDenormFlushToZeroFloat32,
     &Properties::shaderDenormFlushToZeroFloat64},
    {spv::ExecutionMode::SignedZeroInfNanPreserve, "shaderSignedZeroInfNanPreserveFloat",
     &Properties::shaderSignedZeroInfNanPreserveFloat16,
     &Properties::shaderSignedZeroInfNanPreserveFloat32,
     &Properties::shaderSignedZeroInfNanPreserveFloat64},
    {spv::ExecutionMode::RoundingModeRTE, "shaderRoundingModeRTEFloat",
     &Properties::shaderRoundingModeRTEFloat16, &Properties::shaderRoundingModeRTEFloat32,
     &Properties::shaderRoundingModeRTEFloat64},
    {spv::ExecutionMode::RoundingModeRTZ, "shaderRoundingModeRTZFloat",
     &Properties::shaderRoundingModeRTZFloat16, &Properties::shaderRoundingModeRTZFloat32,
     &Properties::shaderRoundingModeRTZFloat64},
};

// Of OpExecutionMode: the entry point, the mode, the width.
std::string missingFloatControl(std::span<const uint32_t> operands, const Properties& has) {
    if (operands.size() < 3) return "";
    const auto* const row = std::ranges::find(
        kFloatControls, static_cast<spv::ExecutionMode>(operands[1]), &FloatControlRow::mode);
    if (row == std::end(kFloatControls)) return "";
    const uint32_t width = operands[2];
    const auto member = width == 16 ? row->of16 : width == 64 ? row->of64 : row->of32;
    return has.*member ? "" : std::string(row->property) + std::to_string(width);
}

}  // namespace

std::string whyUnsupported(std::span<const uint32_t> words, const vulkan::ComputeDevice& device) {
    constexpr size_t kHeader = 5;
    for (size_t at = kHeader; at < words.size();) {
        const auto opcode = static_cast<spv::Op>(words[at] & spv::OpCodeMask);
        const size_t count = std::max<size_t>(words[at] >> spv::WordCountShift, 1);
        if (opcode == spv::Op::OpFunction || at + count > words.size()) break;
        const auto operands = words.subspan(at + 1, count - 1);
        std::string lacks;
        if (opcode == spv::Op::OpCapability && !operands.empty())
            lacks = missingCapability(
                spv::CapabilityToString(static_cast<spv::Capability>(operands[0])), device);
        if (opcode == spv::Op::OpExecutionMode)
            lacks = missingFloatControl(operands, device.properties12);
        if (!lacks.empty()) return lacks;
        at += count;
    }
    return "";
}

}  // namespace coopvk::tool
