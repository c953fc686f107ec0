// SPDX-License-Identifier: Apache-2.0
#include "report/traits_json.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "coopvk/device.hpp"

namespace coopvk::layer {
namespace {

using nlohmann::ordered_json;
using rewrite::DeviceTraits;
using rewrite::Error;
using rewrite::ErrorCode;

struct Member {
    const char* name;
    std::variant<std::string DeviceTraits::*, bool DeviceTraits::*, uint32_t DeviceTraits::*,
                 rewrite::ElementLayout DeviceTraits::*>
        field;
};

const Member kMembers[] = {
    {"name", &DeviceTraits::name},
    {"isCpu", &DeviceTraits::isCpu},
    {"lanesInStep", &DeviceTraits::lanesInStep},
    {"spirvVersion", &DeviceTraits::spirvVersion},
    {"subgroupSize", &DeviceTraits::subgroupSize},
    {"minSubgroupSize", &DeviceTraits::minSubgroupSize},
    {"maxSubgroupSize", &DeviceTraits::maxSubgroupSize},
    {"driverSubgroupSize", &DeviceTraits::driverSubgroupSize},
    {"subgroupSizeControl", &DeviceTraits::subgroupSizeControl},
    {"computeFullSubgroups", &DeviceTraits::computeFullSubgroups},
    {"subgroupBasic", &DeviceTraits::subgroupBasic},
    {"subgroupShuffle", &DeviceTraits::subgroupShuffle},
    {"vulkanMemoryModel", &DeviceTraits::vulkanMemoryModel},
    {"shaderFloat16", &DeviceTraits::shaderFloat16},
    {"shaderDenormPreserveFloat16", &DeviceTraits::shaderDenormPreserveFloat16},
    {"shaderFloat64", &DeviceTraits::shaderFloat64},
    {"shaderInt8", &DeviceTraits::shaderInt8},
    {"shaderInt16", &DeviceTraits::shaderInt16},
    {"shaderInt64", &DeviceTraits::shaderInt64},
    {"storageBuffer8BitAccess", &DeviceTraits::storageBuffer8BitAccess},
    {"uniformAndStorageBuffer8BitAccess", &DeviceTraits::uniformAndStorageBuffer8BitAccess},
    {"uniformAndStorageBuffer16BitAccess", &DeviceTraits::uniformAndStorageBuffer16BitAccess},
    {"storagePushConstant8", &DeviceTraits::storagePushConstant8},
    {"storagePushConstant16", &DeviceTraits::storagePushConstant16},
    {"scalarBlockLayout", &DeviceTraits::scalarBlockLayout},
    {"robustBufferAccess", &DeviceTraits::robustBufferAccess},
    {"storageBuffer16BitAccess", &DeviceTraits::storageBuffer16BitAccess},
    {"shaderIntegerDotProduct", &DeviceTraits::shaderIntegerDotProduct},
    {"dot4x8Signed", &DeviceTraits::dot4x8Signed},
    {"dot4x8Unsigned", &DeviceTraits::dot4x8Unsigned},
    {"dot4x8Mixed", &DeviceTraits::dot4x8Mixed},
    {"shaderMixedFloatDotProductFloat16AccFloat32",
     &DeviceTraits::shaderMixedFloatDotProductFloat16AccFloat32},
    {"bufferDeviceAddress", &DeviceTraits::bufferDeviceAddress},
    {"shaderBufferFloat32AtomicAdd", &DeviceTraits::shaderBufferFloat32AtomicAdd},
    {"shaderSharedFloat32AtomicAdd", &DeviceTraits::shaderSharedFloat32AtomicAdd},
    {"subgroupStages", &DeviceTraits::subgroupStages},
    {"shaderSubgroupUniformControlFlow", &DeviceTraits::shaderSubgroupUniformControlFlow},
    {"subgroupVote", &DeviceTraits::subgroupVote},
    {"subgroupBallot", &DeviceTraits::subgroupBallot},
    {"subgroupArithmetic", &DeviceTraits::subgroupArithmetic},
    {"maxComputeSharedMemorySize", &DeviceTraits::maxComputeSharedMemorySize},
    {"splitBarrierSharedMemory", &DeviceTraits::splitBarrierSharedMemory},
    {"maxComputeWorkGroupInvocations", &DeviceTraits::maxComputeWorkGroupInvocations},
    {"shaderBFloat16CooperativeMatrix", &DeviceTraits::shaderBFloat16CooperativeMatrix},
    {"emulatesFloat16", &DeviceTraits::emulatesFloat16},
    {"blockedWeights", &DeviceTraits::blockedWeights},
    {"shaderFloat8CooperativeMatrix", &DeviceTraits::shaderFloat8CooperativeMatrix},
    {"onlyNativeShapes", &DeviceTraits::onlyNativeShapes},
    {"dropsHalfRoundings", &DeviceTraits::dropsHalfRoundings},
    {"scalarRegisters", &DeviceTraits::scalarRegisters},
    {"familyLayout", &DeviceTraits::familyLayout},
    {"shaderCores", &DeviceTraits::shaderCores},
    {"warpsPerShaderCore", &DeviceTraits::warpsPerShaderCore},
    {"shaderCoreBuiltins", &DeviceTraits::shaderCoreBuiltins},
    {"maxTaskSharedMemorySize", &DeviceTraits::maxTaskSharedMemorySize},
    {"maxTaskPayloadAndSharedMemorySize", &DeviceTraits::maxTaskPayloadAndSharedMemorySize},
    {"maxMeshSharedMemorySize", &DeviceTraits::maxMeshSharedMemorySize},
    {"maxMeshPayloadAndSharedMemorySize", &DeviceTraits::maxMeshPayloadAndSharedMemorySize},
};

Error wrongDevice(const std::string& what) {
    return {ErrorCode::kInvalidArgument, "device description: " + what};
}

// Whether the value had the right type.
bool assign(DeviceTraits& traits, std::string DeviceTraits::* field, const ordered_json& value) {
    if (!value.is_string()) return false;
    traits.*field = value.get<std::string>();
    return true;
}
bool assign(DeviceTraits& traits, bool DeviceTraits::* field, const ordered_json& value) {
    if (!value.is_boolean()) return false;
    traits.*field = value.get<bool>();
    return true;
}
bool assign(DeviceTraits& traits, uint32_t DeviceTraits::* field, const ordered_json& value) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > UINT32_MAX) return false;
    traits.*field = value.get<uint32_t>();
    return true;
}

bool assign(DeviceTraits& traits, rewrite::ElementLayout DeviceTraits::* field,
            const ordered_json& value) {
    const auto* text = value.get_ptr<const std::string*>();
    const auto layout = text == nullptr ? std::nullopt : rewrite::elementLayoutFromName(*text);
    traits.*field = layout.value_or(rewrite::ElementLayout::kAuto);
    return layout.has_value();
}

ordered_json valueOf(rewrite::ElementLayout layout) { return rewrite::elementLayoutName(layout); }
template <typename Value>
const Value& valueOf(const Value& value) {
    return value;
}

// A shape is [m, n, k, "a", "b", "c", "result", saturating].
constexpr const char* kNativeShapes = "nativeShapes";

ordered_json toJson(const std::vector<rewrite::MatrixShape>& shapes) {
    ordered_json json = ordered_json::array();
    for (const rewrite::MatrixShape& s : shapes) {
        json.push_back(
            {s.m, s.n, s.k, name(s.a), name(s.b), name(s.c), name(s.result), s.saturating});
    }
    return json;
}

std::optional<rewrite::ComponentType> componentFrom(const ordered_json& value) {
    if (!value.is_string()) return std::nullopt;
    return rewrite::componentType(value.get<std::string>());
}

bool assign(std::vector<rewrite::MatrixShape>& shapes, const ordered_json& value) {
    if (!value.is_array()) return false;
    for (const ordered_json& row : value) {
        if (!row.is_array() || row.size() != 8 || !row[7].is_boolean()) return false;
        for (size_t i = 0; i < 3; ++i) {
            if (!row[i].is_number_unsigned() || row[i].get<uint64_t>() > UINT16_MAX) return false;
        }
        const auto a = componentFrom(row[3]), b = componentFrom(row[4]);
        const auto c = componentFrom(row[5]), result = componentFrom(row[6]);
        if (!a || !b || !c || !result) return false;
        shapes.push_back({row[0].get<uint32_t>(), row[1].get<uint32_t>(), row[2].get<uint32_t>(),
                          *a, *b, *c, *result, row[7].get<bool>()});
    }
    return true;
}

}  // namespace

ordered_json toJson(const DeviceTraits& traits) {
    ordered_json json = ordered_json::object();
    for (const Member& member : kMembers) {
        std::visit([&](auto field) { json[member.name] = valueOf(traits.*field); }, member.field);
    }
    json[kNativeShapes] = toJson(traits.nativeShapes);
    return json;
}

rewrite::Result<DeviceTraits> traitsFromJson(const ordered_json& json) {
    if (!json.is_object()) return wrongDevice("no JSON object");
    if (const auto devices = json.find("devices"); devices != json.end()) {
        if (!devices->is_array() || devices->empty()) return wrongDevice("'devices' has none");
        return traitsFromJson(devices->front());
    }
    if (const auto inner = json.find("traits"); inner != json.end()) return traitsFromJson(*inner);
    DeviceTraits traits;
    for (const auto& [key, value] : json.items()) {
        if (key == kNativeShapes) {
            if (!assign(traits.nativeShapes, value)) {
                return wrongDevice("'" + key + "' is no list of matrix shapes");
            }
            continue;
        }
        const auto* member = std::ranges::find_if(
            kMembers, [&](const Member& candidate) { return key == candidate.name; });
        if (member == std::ranges::end(kMembers))
            return wrongDevice("unknown member '" + key + "'");
        const bool fits =
            std::visit([&](auto field) { return assign(traits, field, value); }, member->field);
        if (!fits) return wrongDevice("'" + key + "' has a value of the wrong type");
    }
    return traits;
}

}  // namespace coopvk::layer
