// SPDX-License-Identifier: Apache-2.0
#include "least_features.hpp"

#include <algorithm>
#include <cstdlib>
#include <spirv/unified1/spirv.hpp11>

namespace coopvk::test {
namespace {

// What Vulkan's "List of SPIR-V Capabilities and corresponding Vulkan features, ..." demands.
struct FeatureRow {
    spv::Capability capability;
    VkBool32& (*feature)(Features&);
    std::string_view extension = {};
};
constexpr std::string_view kMicroscaling = VK_EXT_SHADER_OCP_MICROSCALING_TYPES_EXTENSION_NAME;
constexpr std::string_view kBlocks = VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME;
constexpr std::string_view kVectors = VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME;
constexpr std::string_view kFloat8 = VK_EXT_SHADER_FLOAT8_EXTENSION_NAME;
constexpr std::string_view kBfloat16 = VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME;
constexpr std::string_view kMixedDots = VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME;
constexpr FeatureRow kFeatureRows[] = {
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
     [](Features& f) -> VkBool32& { return f.cooperativeVector.cooperativeVector; }, kVectors},
    {spv::Capability::CooperativeVectorTrainingNV,
     [](Features& f) -> VkBool32& { return f.cooperativeVector.cooperativeVectorTraining; },
     kVectors},
    {spv::Capability::BFloat16TypeKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16Type; }, kBfloat16},
    {spv::Capability::BFloat16DotProductKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16DotProduct; }, kBfloat16},
    {spv::Capability::BFloat16CooperativeMatrixKHR,
     [](Features& f) -> VkBool32& { return f.bfloat16.shaderBFloat16CooperativeMatrix; },
     kBfloat16},
    {static_cast<spv::Capability>(5425),  // LongVectorEXT
     [](Features& f) -> VkBool32& { return f.longVector.longVector; },
     VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME},
    {static_cast<spv::Capability>(4229),  // Float4EXT
     [](Features& f) -> VkBool32& { return f.microscaling.shaderFloat4; }, kMicroscaling},
    {static_cast<spv::Capability>(4228),  // Float6EXT
     [](Features& f) -> VkBool32& { return f.microscaling.shaderFloat6; }, kMicroscaling},
    {static_cast<spv::Capability>(4230),  // Float8UnsignedE8M0EXT
     [](Features& f) -> VkBool32& { return f.microscaling.shaderFloat8UnsignedE8M0; },
     kMicroscaling},
    {static_cast<spv::Capability>(4231),  // MXInt8EXT
     [](Features& f) -> VkBool32& { return f.microscaling.shaderMXInt8; }, kMicroscaling},
    {static_cast<spv::Capability>(6912),  // DotProductFloat16AccFloat32VALVE
     [](Features& f) -> VkBool32& {
         return f.mixedDots.shaderMixedFloatDotProductFloat16AccFloat32;
     },
     kMixedDots},
    {static_cast<spv::Capability>(6913),  // DotProductFloat16AccFloat16VALVE
     [](Features& f) -> VkBool32& {
         return f.mixedDots.shaderMixedFloatDotProductFloat16AccFloat16;
     },
     kMixedDots},
    {static_cast<spv::Capability>(6914),  // DotProductBFloat16AccVALVE
     [](Features& f) -> VkBool32& { return f.mixedDots.shaderMixedFloatDotProductBFloat16Acc; },
     kMixedDots},
    {static_cast<spv::Capability>(6915),  // DotProductFloat8AccFloat32VALVE
     [](Features& f) -> VkBool32& {
         return f.mixedDots.shaderMixedFloatDotProductFloat8AccFloat32;
     },
     kMixedDots},
    {spv::Capability::Float8EXT, [](Features& f) -> VkBool32& { return f.float8.shaderFloat8; },
     kFloat8},
    {spv::Capability::Float8CooperativeMatrixEXT,
     [](Features& f) -> VkBool32& { return f.float8.shaderFloat8CooperativeMatrix; }, kFloat8},
    {spv::Capability::DemoteToHelperInvocation,
     [](Features& f) -> VkBool32& { return f.v13.shaderDemoteToHelperInvocation; }},
    {spv::Capability::Geometry,
     [](Features& f) -> VkBool32& { return f.core.features.geometryShader; }},
    {spv::Capability::Tessellation,
     [](Features& f) -> VkBool32& { return f.core.features.tessellationShader; }},
    {spv::Capability::MeshShadingEXT,
     [](Features& f) -> VkBool32& { return f.meshShader.meshShader; },
     VK_EXT_MESH_SHADER_EXTENSION_NAME},
    {spv::Capability::RayTracingKHR,
     [](Features& f) -> VkBool32& { return f.rayTracing.rayTracingPipeline; },
     VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME},
    {spv::Capability::RayTracingKHR,
     [](Features& f) -> VkBool32& { return f.accelerationStructure.accelerationStructure; },
     VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME},
    {spv::Capability::RayTracingKHR,
     [](Features& f) -> VkBool32& { return f.v12.bufferDeviceAddress; },
     VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME},
    {spv::Capability::Int4TypeINTEL, [](Features& f) -> VkBool32& { return f.int4.shaderInt4; },
     VK_COOPVK_SHADER_INT4_EXTENSION_NAME},
    {spv::Capability::Int4CooperativeMatrixINTEL,
     [](Features& f) -> VkBool32& { return f.int4.shaderInt4CooperativeMatrix; },
     VK_COOPVK_SHADER_INT4_EXTENSION_NAME},
    {spv::Capability::Subgroup2DBlockIOINTEL,
     [](Features& f) -> VkBool32& { return f.blockIo.shader2DBlockIO; }, kBlocks},
    {spv::Capability::Subgroup2DBlockTransformINTEL,
     [](Features& f) -> VkBool32& { return f.blockIo.shader2DBlockTransform; }, kBlocks},
    {spv::Capability::Subgroup2DBlockTransposeINTEL,
     [](Features& f) -> VkBool32& { return f.blockIo.shader2DBlockTranspose; }, kBlocks},
};

// glslang declares no capability for the storage of these.
void addStorage(spv::Capability capability, const Features& supported, Features& least) {
    constexpr uint32_t kBytes[] = {static_cast<uint32_t>(spv::Capability::Float8EXT),
                                   4230 /* Float8UnsignedE8M0EXT */, 4231 /* MXInt8EXT */};
    if (capability == spv::Capability::BFloat16TypeKHR) {
        least.v11.storageBuffer16BitAccess = supported.v11.storageBuffer16BitAccess;
        least.v11.uniformAndStorageBuffer16BitAccess =
            supported.v11.uniformAndStorageBuffer16BitAccess;
        least.v11.storagePushConstant16 = supported.v11.storagePushConstant16;
    } else if (std::ranges::find(kBytes, static_cast<uint32_t>(capability)) != std::end(kBytes)) {
        least.v12.storageBuffer8BitAccess = supported.v12.storageBuffer8BitAccess;
        least.v12.uniformAndStorageBuffer8BitAccess =
            supported.v12.uniformAndStorageBuffer8BitAccess;
        least.v12.storagePushConstant8 = supported.v12.storagePushConstant8;
    }
}

void addCapability(spv::Capability capability, Features supported, Least& least) {
    for (const FeatureRow& row : kFeatureRows) {
        if (row.capability != capability) continue;
        row.feature(least.features) = row.feature(supported);
        if (!row.extension.empty()) least.extensions.insert(row.extension);
    }
    if (capability == spv::Capability::GroupNonUniformPartitionedNV)
        least.extensions.insert(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME);
    addStorage(capability, supported, least.features);
}

// The tests' shaders of all stages write to buffers.
struct FeatureStage {
    spv::ExecutionModel model;
    VkBool32& (*feature)(Features&);
};
VkBool32& vertexStores(Features& f) { return f.core.features.vertexPipelineStoresAndAtomics; }
constexpr FeatureStage kFeatureStages[] = {
    {spv::ExecutionModel::Vertex, vertexStores},
    {spv::ExecutionModel::TessellationControl, vertexStores},
    {spv::ExecutionModel::TessellationEvaluation, vertexStores},
    {spv::ExecutionModel::Geometry, vertexStores},
    {spv::ExecutionModel::Fragment,
     [](Features& f) -> VkBool32& { return f.core.features.fragmentStoresAndAtomics; }},
    {spv::ExecutionModel::TaskEXT,
     [](Features& f) -> VkBool32& { return f.meshShader.taskShader; }},
};

void addStage(spv::ExecutionModel model, Least& least) {
    for (const FeatureStage& row : kFeatureStages)
        if (row.model == model) row.feature(least.features) = VK_TRUE;
    const bool isMesh =
        model == spv::ExecutionModel::TaskEXT || model == spv::ExecutionModel::MeshEXT;
    if (isMesh || model <= spv::ExecutionModel::Fragment) {
        least.features.v13.dynamicRendering = VK_TRUE;
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
    std::set<uint32_t> singles;          // types
    for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
        const auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
        if (opcode == spv::Op::OpCapability) {
            addCapability(static_cast<spv::Capability>(words[at + 1]), supported, least);
        }
        // Its capabilities are those of VK_NV_cooperative_matrix2.
        const auto* text = reinterpret_cast<const char*>(words.data() + at + 1);
        if (opcode == spv::Op::OpExtension &&
            std::string_view(text) == "SPV_EXT_cooperative_matrix_maintenance1") {
            auto& features = least.features.matrixMaintenance1;
            features = supported.matrixMaintenance1;
            features.pNext = nullptr;
            least.extensions.insert("VK_EXT_cooperative_matrix_maintenance1");
        }
        if (opcode == spv::Op::OpEntryPoint) {
            addStage(static_cast<spv::ExecutionModel>(words[at + 1]), least);
        }
        const bool isMode = opcode == spv::Op::OpExecutionModeId;
        if (isMode && words[at + 2] == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            least.features.v13.maintenance4 = VK_TRUE;
        }
        // Atomics of floats other than additions have no capability.
        if (opcode == spv::Op::OpTypeFloat && words[at + 2] == 32) singles.insert(words[at + 1]);
        if ((opcode == spv::Op::OpAtomicLoad || opcode == spv::Op::OpAtomicExchange) &&
            singles.contains(words[at + 1])) {
            least.features.atomicFloat.shaderBufferFloat32Atomics = VK_TRUE;
            least.extensions.insert(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
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
    if (least.extensions.contains(VK_QCOM_COOPERATIVE_MATRIX_CONVERSION_EXTENSION_NAME)) {
        least.extensions.insert(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);  // it depends on this
    }
    // Tests of VK_NV_cooperative_matrix2 have matrices of all sizes.
    if (least.extensions.contains(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)) {
        least.features.matrix2.cooperativeMatrixFlexibleDimensions = VK_TRUE;
    }
    return least;
}

}  // namespace coopvk::test
