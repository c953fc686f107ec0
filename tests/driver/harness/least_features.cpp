// SPDX-License-Identifier: Apache-2.0
#include "least_features.hpp"

#include <cstdlib>
#include <spirv/unified1/spirv.hpp11>

namespace coopvk::test {
namespace {

// The features that capabilities need: Vulkan's "List of SPIR-V Capabilities and corresponding
// Vulkan features, extensions, or core version".
struct Row {
    spv::Capability capability;
    VkBool32& (*feature)(Features&);
    std::string_view extension = {};
};
constexpr Row kRows[] = {
    {spv::Capability::Float16, [](Features& f) -> VkBool32& { return f.v12.shaderFloat16; }},
    {spv::Capability::Float64,
     [](Features& f) -> VkBool32& { return f.core.features.shaderFloat64; }},
    {spv::Capability::Int8, [](Features& f) -> VkBool32& { return f.v12.shaderInt8; }},
    {spv::Capability::Int16, [](Features& f) -> VkBool32& { return f.core.features.shaderInt16; }},
    {spv::Capability::Int64, [](Features& f) -> VkBool32& { return f.core.features.shaderInt64; }},
    {spv::Capability::StorageBuffer16BitAccess,
     [](Features& f) -> VkBool32& { return f.v11.storageBuffer16BitAccess; }},
    {spv::Capability::UniformAndStorageBuffer16BitAccess,
     [](Features& f) -> VkBool32& { return f.v11.uniformAndStorageBuffer16BitAccess; }},
    {spv::Capability::StoragePushConstant16,
     [](Features& f) -> VkBool32& { return f.v11.storagePushConstant16; }},
    {spv::Capability::StorageBuffer8BitAccess,
     [](Features& f) -> VkBool32& { return f.v12.storageBuffer8BitAccess; }},
    {spv::Capability::UniformAndStorageBuffer8BitAccess,
     [](Features& f) -> VkBool32& { return f.v12.uniformAndStorageBuffer8BitAccess; }},
    {spv::Capability::StoragePushConstant8,
     [](Features& f) -> VkBool32& { return f.v12.storagePushConstant8; }},
    {spv::Capability::VulkanMemoryModel,
     [](Features& f) -> VkBool32& { return f.v12.vulkanMemoryModel; }},
    {spv::Capability::VulkanMemoryModelDeviceScope,
     [](Features& f) -> VkBool32& { return f.v12.vulkanMemoryModelDeviceScope; }},
    {spv::Capability::PhysicalStorageBufferAddresses,
     [](Features& f) -> VkBool32& { return f.v12.bufferDeviceAddress; }},
    {spv::Capability::VariablePointersStorageBuffer,
     [](Features& f) -> VkBool32& { return f.v11.variablePointersStorageBuffer; }},
    {spv::Capability::VariablePointers,
     [](Features& f) -> VkBool32& { return f.v11.variablePointers; }},
    {spv::Capability::VariablePointers,
     [](Features& f) -> VkBool32& { return f.v11.variablePointersStorageBuffer; }},
    {spv::Capability::StorageBufferArrayDynamicIndexing,
     [](Features& f) -> VkBool32& {
         return f.core.features.shaderStorageBufferArrayDynamicIndexing;
     }},
    {spv::Capability::StorageBufferArrayNonUniformIndexing,
     [](Features& f) -> VkBool32& { return f.v12.shaderStorageBufferArrayNonUniformIndexing; }},
    {spv::Capability::DotProduct,
     [](Features& f) -> VkBool32& { return f.v13.shaderIntegerDotProduct; }},
    {spv::Capability::WorkgroupMemoryExplicitLayoutKHR,
     [](Features& f) -> VkBool32& { return f.workgroupLayout.workgroupMemoryExplicitLayout; },
     VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME},
    {spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
     [](Features& f) -> VkBool32& {
         return f.workgroupLayout.workgroupMemoryExplicitLayout8BitAccess;
     },
     VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME},
    {spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
     [](Features& f) -> VkBool32& {
         return f.workgroupLayout.workgroupMemoryExplicitLayout16BitAccess;
     },
     VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME},
    {spv::Capability::ReplicatedCompositesEXT,
     [](Features& f) -> VkBool32& { return f.replicatedComposites.shaderReplicatedComposites; },
     VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME},
    {spv::Capability::AtomicFloat32AddEXT,
     [](Features& f) -> VkBool32& { return f.atomicFloat.shaderBufferFloat32AtomicAdd; },
     VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixKHR,
     [](Features& f) -> VkBool32& { return f.cooperativeMatrix.cooperativeMatrix; },
     VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixNV,
     [](Features& f) -> VkBool32& { return f.nvCooperativeMatrix.cooperativeMatrix; },
     VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixConversionQCOM,
     [](Features& f) -> VkBool32& { return f.qcomConversion.cooperativeMatrixConversion; },
     VK_QCOM_COOPERATIVE_MATRIX_CONVERSION_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixReductionsNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixReductions; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixConversionsNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixConversions; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixPerElementOperationsNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixPerElementOperations; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixTensorAddressingNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixTensorAddressing; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::TensorAddressingNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixTensorAddressing; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::CooperativeMatrixBlockLoadsNV,
     [](Features& f) -> VkBool32& { return f.matrix2.cooperativeMatrixBlockLoads; },
     VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    {spv::Capability::CooperativeVectorNV,
     [](Features& f) -> VkBool32& { return f.cooperativeVector.cooperativeVector; },
     VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME},
    {spv::Capability::CooperativeVectorTrainingNV,
     [](Features& f) -> VkBool32& { return f.cooperativeVector.cooperativeVectorTraining; },
     VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME},
    {spv::Capability::BFloat16TypeKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16Type; },
     VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {spv::Capability::BFloat16DotProductKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16DotProduct; },
     VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {spv::Capability::BFloat16CooperativeMatrixKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16CooperativeMatrix; },
     VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {spv::Capability::Float8EXT, [](Features& f) -> VkBool32& { return f.float8.shaderFloat8; },
     VK_EXT_SHADER_FLOAT8_EXTENSION_NAME},
    {spv::Capability::Float8CooperativeMatrixEXT,
     [](Features& f) -> VkBool32& { return f.float8.shaderFloat8CooperativeMatrix; },
     VK_EXT_SHADER_FLOAT8_EXTENSION_NAME},
    // glslang declares no capability for their storage.
    {spv::Capability::BFloat16TypeKHR,
     [](Features& f) -> VkBool32& { return f.v11.storageBuffer16BitAccess; }},
    {spv::Capability::BFloat16TypeKHR,
     [](Features& f) -> VkBool32& { return f.v11.uniformAndStorageBuffer16BitAccess; }},
    {spv::Capability::BFloat16TypeKHR,
     [](Features& f) -> VkBool32& { return f.v11.storagePushConstant16; }},
    {spv::Capability::Float8EXT,
     [](Features& f) -> VkBool32& { return f.v12.storageBuffer8BitAccess; }},
    {spv::Capability::Float8EXT,
     [](Features& f) -> VkBool32& { return f.v12.uniformAndStorageBuffer8BitAccess; }},
    {spv::Capability::Float8EXT,
     [](Features& f) -> VkBool32& { return f.v12.storagePushConstant8; }},
};

void addCapability(spv::Capability capability, Features supported, Least& least) {
    for (const Row& row : kRows) {
        if (row.capability != capability) continue;
        row.feature(least.features) = row.feature(supported);
        if (!row.extension.empty()) least.extensions.insert(row.extension);
    }
}

}  // namespace

bool wantsLeastFeatures() {
    const char* value = std::getenv("COOPVK_TEST_FEATURES");
    return value != nullptr && std::string_view(value) == "least";
}

Least leastFeatures(const Words& words, const Features& supported) {
    Least least;
    // The tests' buffers have scalar layouts.
    least.features.v12.scalarBlockLayout = supported.v12.scalarBlockLayout;
    std::set<uint32_t> workgroupScopes;  // constants
    for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
        const auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
        if (opcode == spv::Op::OpCapability) {
            addCapability(static_cast<spv::Capability>(words[at + 1]), supported, least);
        }
        const bool isMode = opcode == spv::Op::OpExecutionModeId;
        if (isMode && words[at + 2] == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            least.features.v13.maintenance4 = VK_TRUE;
        }
        if (opcode == spv::Op::OpConstant && words[at + 3] == uint32_t(spv::Scope::Workgroup)) {
            workgroupScopes.insert(words[at + 2]);
        }
        if (opcode == spv::Op::OpTypeCooperativeMatrixKHR &&
            workgroupScopes.contains(words[at + 3])) {
            least.features.matrix2.cooperativeMatrixWorkgroupScope = VK_TRUE;
            least.extensions.insert(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
        }
    }
    // Tests of VK_NV_cooperative_matrix2 have matrices of all sizes.
    if (least.extensions.contains(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)) {
        least.features.matrix2.cooperativeMatrixFlexibleDimensions = VK_TRUE;
    }
    return least;
}

}  // namespace coopvk::test
