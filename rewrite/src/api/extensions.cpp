// SPDX-License-Identifier: Apache-2.0
//
// The table of the extensions that coopvk emulates, and scan().
#include <algorithm>
#include <array>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"
#include "ir/opcodes.hpp"
#include "numbers/lower.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// `features`: bit i is the i-th feature of the extension's structure.
constexpr ExtensionCapability capability(spv::Capability c, uint32_t features = 1) {
    return {static_cast<uint32_t>(c), features};
}

constexpr ExtensionCapability kKhrMatrixCapabilities[] = {
    capability(spv::Capability::CooperativeMatrixKHR)};
constexpr ExtensionCapability kNvMatrixCapabilities[] = {
    capability(spv::Capability::CooperativeMatrixNV)};
constexpr ExtensionCapability kQcomConversionCapabilities[] = {
    capability(spv::Capability::CooperativeMatrixConversionQCOM)};

// No capability declares matrices of this scope: see scan().
constexpr uint32_t kWorkgroupScope = 1u << 0;

// Capabilities of reductions and per-element operations have the same values in both extensions.
constexpr ExtensionCapability kNvMatrix2Capabilities[] = {
    capability(spv::Capability::CooperativeMatrixReductionsNV, 1u << 2),
    capability(spv::Capability::CooperativeMatrixConversionsNV, 1u << 3),
    capability(spv::Capability::CooperativeMatrixPerElementOperationsNV, 1u << 4),
    capability(spv::Capability::TensorAddressingNV, 1u << 5),
    capability(spv::Capability::CooperativeMatrixTensorAddressingNV, 1u << 5),
    capability(spv::Capability::CooperativeMatrixBlockLoadsNV, 1u << 6)};
constexpr ExtensionCapability kExtMaintenance1Capabilities[] = {
    capability(spv::Capability::CooperativeMatrixReductionsNV, 1u << 1),
    capability(kMatrixConversions, 1u << 2),
    capability(spv::Capability::CooperativeMatrixPerElementOperationsNV, 1u << 3),
    capability(kMatrixGetCoordinate, 1u << 4)};
constexpr ExtensionCapability kNvDecodeVectorCapabilities[] = {capability(kMatrixDecodeVector)};

constexpr ExtensionCapability kNvVectorCapabilities[] = {
    capability(spv::Capability::CooperativeVectorNV),
    capability(spv::Capability::CooperativeVectorTrainingNV, 1u << 1)};

constexpr ExtensionCapability kReplicatedCompositesCapabilities[] = {
    capability(spv::Capability::ReplicatedCompositesEXT)};

// Atomic loads, stores and exchanges of floats have no capability: see scan().
constexpr ExtensionCapability kAtomicFloatCapabilities[] = {
    capability(spv::Capability::AtomicFloat32AddEXT, kFloat32AtomicAdds)};

constexpr ExtensionCapability kInt4Capabilities[] = {
    capability(spv::Capability::Int4TypeINTEL),
    capability(spv::Capability::Int4CooperativeMatrixINTEL, 1u << 1)};

constexpr ExtensionCapability kBlockIoCapabilities[] = {
    capability(spv::Capability::Subgroup2DBlockIOINTEL),
    capability(spv::Capability::Subgroup2DBlockTransformINTEL, 1u << 1),
    capability(spv::Capability::Subgroup2DBlockTransposeINTEL, 1u << 2)};

constexpr ExtensionCapability kBfloat16Capabilities[] = {
    capability(spv::Capability::BFloat16TypeKHR),
    capability(spv::Capability::BFloat16DotProductKHR, 1u << 1),
    capability(spv::Capability::BFloat16CooperativeMatrixKHR, 1u << 2)};
constexpr ExtensionCapability kFloat8Capabilities[] = {
    capability(spv::Capability::Float8EXT),
    capability(spv::Capability::Float8CooperativeMatrixEXT, 1u << 1)};

// For shaderFloat16 alone: shaderInt8 stays the driver's.
constexpr ExtensionCapability kFloat16Capabilities[] = {capability(spv::Capability::Float16)};

constexpr ExtensionCapability kLongVectorCapabilities[] = {capability(kLongVector)};

constexpr ExtensionCapability kMicroscalingCapabilities[] = {
    capability(kFloat4, kFloat4Feature), capability(kFloat6, kFloat6Feature),
    capability(kUnsignedE8M0, kE8M0Feature), capability(kMxInt8Type, kMxInt8Feature),
    capability(kBitcastExtract, kFloat4Feature | kFloat6Feature)};
constexpr ExtensionCapability kMixedDotCapabilities[] = {
    capability(kDotHalvesToSingle, kHalvesToSingle), capability(kDotHalvesToHalf, kHalvesToHalf),
    capability(kDotBfloat16, kBfloat16Dots), capability(kDotFloat8, kFloat8Dots)};

constexpr ExtensionCapability kSmBuiltinsCapabilities[] = {
    capability(spv::Capability::ShaderSMBuiltinsNV)};

std::string nothingMissing(const DeviceTraits&) { return {}; }

std::string missingForMixedDots(const DeviceTraits& device) {
    return device.hasFloat16() ? "" : "needs shaderFloat16";
}

// Components lie without gaps, also in uniform buffers.
std::string missingForLongVectors(const DeviceTraits& device) {
    return device.scalarBlockLayout ? "" : "needs scalarBlockLayout";
}

// For both formats of 16 bits.
std::string missingForHalfWords(const DeviceTraits& device) {
    return device.shaderInt16 ? "" : "needs shaderInt16";
}

// For formats of 8 bits and less.
std::string missingForBytes(const DeviceTraits& device) {
    return device.shaderInt8 ? "" : "needs shaderInt8";
}

std::string missingForSubgroups(const DeviceTraits& device) {
    if (!device.subgroupBasic) return "needs basic subgroup operations in compute shaders";
    if (device.subgroupSize < 4 || device.subgroupSize > 128) {
        return "needs a subgroup size from 4 to 128";
    }
    if (device.minSubgroupSize != device.maxSubgroupSize && !device.subgroupSizeControl) {
        return "needs subgroupSizeControl, since the subgroup size varies";
    }
    return {};
}

std::string missingForMatrices(const DeviceTraits& device) {
    if (!device.vulkanMemoryModel) return "needs vulkanMemoryModel";
    return missingForSubgroups(device);
}

std::string missingForVectors(const DeviceTraits& device) {
    if (!device.vulkanMemoryModel) return "needs vulkanMemoryModel";
    if (!device.bufferDeviceAddress) return "needs bufferDeviceAddress";
    if (!device.hasFloat16()) return "needs shaderFloat16";
    return {};
}

std::string missingForBlockLoads(const DeviceTraits& device) {
    std::string missing = missingForMatrices(device);
    return missing.empty() && !device.bufferDeviceAddress ? "needs bufferDeviceAddress" : missing;
}

std::string missingForConversion(const DeviceTraits& device) {
    std::string missing = missingForMatrices(device);
    return missing.empty() && !device.subgroupShuffle ? "needs subgroup shuffles in compute shaders"
                                                      : missing;
}

constexpr ExtensionInfo kTable[] = {
    {Extension::kKhrCooperativeMatrix, "VK_KHR_cooperative_matrix", 2, "SPV_KHR_cooperative_matrix",
     kKhrMatrixCapabilities, missingForMatrices},
    {Extension::kNvCooperativeMatrix, "VK_NV_cooperative_matrix", 1, "SPV_NV_cooperative_matrix",
     kNvMatrixCapabilities, missingForMatrices},
    {Extension::kQcomCooperativeMatrixConversion, "VK_QCOM_cooperative_matrix_conversion", 1,
     "SPV_QCOM_cooperative_matrix_conversion", kQcomConversionCapabilities, missingForConversion},
    {Extension::kNvCooperativeMatrix2, "VK_NV_cooperative_matrix2", 1, "SPV_NV_cooperative_matrix2",
     kNvMatrix2Capabilities, missingForMatrices},
    {Extension::kExtCooperativeMatrixMaintenance1, "VK_EXT_cooperative_matrix_maintenance1", 1,
     "SPV_EXT_cooperative_matrix_maintenance1", kExtMaintenance1Capabilities, missingForMatrices},
    {Extension::kNvCooperativeMatrixDecodeVector, "VK_NV_cooperative_matrix_decode_vector", 1,
     "SPV_NV_cooperative_matrix_decode_vector", kNvDecodeVectorCapabilities, missingForBlockLoads},
    {Extension::kNvCooperativeVector, "VK_NV_cooperative_vector", 4, "SPV_NV_cooperative_vector",
     kNvVectorCapabilities, missingForVectors},
    {Extension::kExtShaderReplicatedComposites, "VK_EXT_shader_replicated_composites", 1,
     "SPV_EXT_replicated_composites", kReplicatedCompositesCapabilities, nothingMissing, false},
    {Extension::kExtShaderAtomicFloat, "VK_EXT_shader_atomic_float", 1,
     "SPV_EXT_shader_atomic_float_add", kAtomicFloatCapabilities, nothingMissing, false},
    {Extension::kIntelInt4, "VK_COOPVK_shader_int4", 1, "SPV_INTEL_int4", kInt4Capabilities,
     missingForBytes},
    {Extension::kIntel2dBlockIo, "VK_COOPVK_shader_2d_block_io", 1, "SPV_INTEL_2d_block_io",
     kBlockIoCapabilities, missingForSubgroups},
    {Extension::kKhrShaderBfloat16, "VK_KHR_shader_bfloat16", 1, "SPV_KHR_bfloat16",
     kBfloat16Capabilities, missingForHalfWords, false},
    {Extension::kExtShaderFloat8, "VK_EXT_shader_float8", 1, "SPV_EXT_float8", kFloat8Capabilities,
     missingForBytes, false},
    {Extension::kKhrShaderFloat16Int8, "VK_KHR_shader_float16_int8", 1, "", kFloat16Capabilities,
     missingForHalfWords, false},
    {Extension::kExtShaderLongVector, "VK_EXT_shader_long_vector", 1, "SPV_EXT_long_vector",
     kLongVectorCapabilities, missingForLongVectors, false},
    {Extension::kExtShaderOcpMicroscalingTypes, "VK_EXT_shader_ocp_microscaling_types", 1,
     "SPV_EXT_ocp_microscaling_types", kMicroscalingCapabilities, missingForBytes, false},
    {Extension::kValveShaderMixedFloatDotProduct, "VK_VALVE_shader_mixed_float_dot_product", 1,
     "SPV_VALVE_mixed_float_dot_product", kMixedDotCapabilities, missingForMixedDots, false},
    {Extension::kNvShaderSmBuiltins, "VK_NV_shader_sm_builtins", 1, "SPV_NV_shader_sm_builtins",
     kSmBuiltinsCapabilities, nothingMissing, false, true},
    {Extension::kNvCudaKernelLaunch,
     "VK_NV_cuda_kernel_launch",
     2,
     "",
     {},
     nothingMissing,
     false,
     true},
};
static_assert(std::size(kTable) == kExtensionCount);

// Adds the emulated extensions that have a capability, unless native features of one of them allow
// it.
void addEmulated(spv::Capability declared, ExtensionSet emulated, const ExtensionFeatures& native,
                 ExtensionSet& found) {
    ExtensionSet all = found;
    for (const ExtensionInfo& row : kTable) {
        if (!emulated.contains(row.extension)) continue;
        for (const ExtensionCapability& one : row.capabilities) {
            if (one.capability != static_cast<uint32_t>(declared)) continue;
            const uint32_t lacking = one.features & ~native[row.extension];
            // OpBitcastExtractEXT is of formats that have capabilities of their own.
            const bool anySuffices = declared == kBitcastExtract;
            if (lacking == 0 || (anySuffices && lacking != one.features)) return;
            all.insert(row.extension);
        }
    }
    found = all;
}

bool isSubgroup(std::span<const uint32_t> instructions, uint32_t id) {
    const auto defines = [&](spv::Op opcode, std::span<const uint32_t> i) {
        return opcode == OpConstant && i.size() == 4 && i[2] == id &&
               i[3] == static_cast<uint32_t>(spv::Scope::Subgroup);
    };
    return anyInstruction(instructions, defines, OpFunction);
}

// Whether a module may have matrices of scope Workgroup: of any scope but a constant that is
// Subgroup. Modules have one such constant, or a few; of more the rest is not looked at.
bool mayHaveWorkgroupMatrices(std::span<const uint32_t> words) {
    const std::span<const uint32_t> all = instructionWords(words);
    std::array<uint32_t, 8> subgroups = {};
    size_t count = 0;
    const auto isSubgroupMatrix = [&](uint32_t scope) {
        if (std::ranges::count(std::span(subgroups).first(count), scope) != 0) return true;
        if (count == subgroups.size() || !isSubgroup(all, scope)) return false;
        subgroups[count++] = scope;
        return true;
    };
    const auto isType = [&](spv::Op opcode, std::span<const uint32_t> i) {
        return opcode == OpTypeCooperativeMatrixKHR && i.size() > 3 && !isSubgroupMatrix(i[3]);
    };
    return anyInstruction(all, isType, OpFunction);
}

}  // namespace

std::span<const ExtensionInfo> extensionTable() { return kTable; }

const ExtensionInfo& info(Extension extension) { return kTable[static_cast<size_t>(extension)]; }

std::optional<Extension> extensionFromVulkanName(std::string_view name) {
    for (const ExtensionInfo& row : kTable) {
        if (row.vulkanName == name) return row.extension;
    }
    return std::nullopt;
}

ExtensionSet scan(std::span<const uint32_t> words, ExtensionSet emulated,
                  const ExtensionFeatures& native) {
    ExtensionSet found;
    anyCapability(words, [&](spv::Capability declared) {
        addEmulated(declared, emulated, native, found);
        return false;
    });
    constexpr auto kMatrix2 = Extension::kNvCooperativeMatrix2;
    if (emulated.contains(kMatrix2) && (native[kMatrix2] & kWorkgroupScope) == 0 &&
        !found.contains(kMatrix2) && declares(words, spv::Capability::CooperativeMatrixKHR) &&
        mayHaveWorkgroupMatrices(words)) {
        found.insert(kMatrix2);
    }
    constexpr auto kAtomics = Extension::kExtShaderAtomicFloat;
    if (!emulated.contains(kAtomics)) return found;
    // The capability alone does not tell whether the module needs more than native features.
    if (native[kAtomics] != 0) found.erase(kAtomics);
    if (!found.contains(kAtomics) && hasFloatAtomics(words, native[kAtomics])) {
        found.insert(kAtomics);
    }
    return found;
}

}  // namespace coopvk::rewrite
