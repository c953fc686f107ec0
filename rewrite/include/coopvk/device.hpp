// SPDX-License-Identifier: Apache-2.0
//
// The facts about a device that the rewriter uses: plain data, no Vulkan handle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::rewrite {

// Values equal VkComponentTypeKHR's.
enum class ComponentType : uint32_t {
    kFloat16 = 0,
    kFloat32 = 1,
    kFloat64 = 2,
    kSint8 = 3,
    kSint16 = 4,
    kSint32 = 5,
    kSint64 = 6,
    kUint8 = 7,
    kUint16 = 8,
    kUint32 = 9,
    kUint64 = 10,
    kBFloat16 = 1000141000,
    kSint8Packed = 1000491000,  // for cooperative vectors: four in a 32-bit component
    kUint8Packed = 1000491001,
    kFloatE4M3 = 1000491002,
    kFloatE5M2 = 1000491003,
};

std::string_view name(ComponentType type);  // "f16", "s8", ...
// The type with this name; nullopt also for packed types.
std::optional<ComponentType> componentType(std::string_view name);

// How the bits of a component are a number. The mantissa is lowest, the sign highest.
struct ComponentFormat {
    uint32_t bits = 0;
    uint32_t exponentBits = 0;  // 0: an integer
    uint32_t mantissaBits = 0;
    uint32_t bias = 0;
    bool hasInfinity = false;  // else all bits below the sign set is NaN, and no other number
    bool operator==(const ComponentFormat&) const = default;
};
// nullopt for packed and unknown types.
std::optional<ComponentFormat> componentFormat(ComponentType type);

// One row of vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR; the scope is always Subgroup.
struct MatrixShape {
    uint32_t m, n, k;
    ComponentType a, b, c, result;
    bool saturating;
    bool operator==(const MatrixShape&) const = default;
};

// Whether multiply-adds of the shape `tile` can compute one of `shape`: the types are equal, and M,
// N and K are multiples of the tile's. Several steps of K need a result that each step may take as
// its C: of C's type, and not saturating.
bool isMadeOf(const MatrixShape& shape, const MatrixShape& tile);

// Which lane holds which element of a matrix of scope Subgroup, as which element number, and so
// what OpCooperativeMatrixLengthKHR gives. No specification says so; some programs assume what a
// GPU does (docs/developers/element-layouts.md).
enum class ElementLayout : uint32_t {
    kAuto,    // a GPU's for modules whose result depends on it, else free
    kFree,    // the one that is fastest
    kNvidia,  // NVIDIA's since Turing
    kRdna3,
    kRdna4,
};
// "auto", "free", "nvidia", "rdna3", "rdna4"
std::optional<ElementLayout> elementLayoutFromName(std::string_view name);
std::string_view elementLayoutName(ElementLayout layout);

// As an NVIDIA GPU of the Ada generation with few SMs.
inline constexpr uint32_t kUnknownShaderCores = 16;
inline constexpr uint32_t kUnknownWarpsPerShaderCore = 48;

// The layer fills it from vkGetPhysicalDevice*, the tool also from a file. The names are those of
// Vulkan's features and properties.
struct DeviceTraits {
    std::string name;
    bool isCpu = false;  // VK_PHYSICAL_DEVICE_TYPE_CPU
    // The driver executes each instruction for all invocations of a subgroup before the next one,
    // and treats a subgroup barrier as a workgroup barrier, as lavapipe does.
    bool lanesInStep = false;
    uint32_t spirvVersion = 0x00010600;  // newest SPIR-V version that the driver accepts
    uint32_t subgroupSize = 32;          // VkPhysicalDeviceSubgroupProperties::subgroupSize
    uint32_t minSubgroupSize = 32;       // VkPhysicalDeviceSubgroupSizeControlProperties
    uint32_t maxSubgroupSize = 32;
    // The driver's subgroups are of this narrower size alone: shaders get those of subgroupSize by
    // emulation. 0: there is none.
    uint32_t driverSubgroupSize = 0;
    bool subgroupSizeControl = false;  // and compute in requiredSubgroupSizeStages
    bool computeFullSubgroups = false;
    bool subgroupBasic = true;    // SUBGROUP_FEATURE_BASIC in compute
    bool subgroupShuffle = true;  // SUBGROUP_FEATURE_SHUFFLE in compute
    bool vulkanMemoryModel = true;
    bool shaderFloat16 = true;
    bool shaderDenormPreserveFloat16 = true;  // VkPhysicalDeviceFloatControlsProperties
    bool shaderFloat64 = false;
    bool shaderInt8 = true;
    bool shaderInt16 = true;
    bool shaderInt64 = false;
    bool storageBuffer8BitAccess = true;
    bool storageBuffer16BitAccess = true;
    bool uniformAndStorageBuffer8BitAccess = true;
    bool uniformAndStorageBuffer16BitAccess = true;
    bool storagePushConstant8 = true;
    bool storagePushConstant16 = true;
    bool scalarBlockLayout = true;
    bool robustBufferAccess = false;  // or by pipelines: reading beyond a buffer's end is valid
    bool shaderIntegerDotProduct = false;
    bool dot4x8Signed = false;    // integerDotProduct4x8BitPackedSignedAccelerated
    bool dot4x8Unsigned = false;  // integerDotProduct4x8BitPackedUnsignedAccelerated
    bool dot4x8Mixed = false;     // integerDotProduct4x8BitPackedMixedSignednessAccelerated
    // VK_VALVE_shader_mixed_float_dot_product: two f16 products and an f32 sum in one instruction
    bool shaderMixedFloatDotProductFloat16AccFloat32 = false;
    bool bufferDeviceAddress = false;
    bool shaderBufferFloat32AtomicAdd = false;  // VK_EXT_shader_atomic_float
    bool shaderSharedFloat32AtomicAdd = false;
    uint32_t subgroupStages = 0x20;  // VkPhysicalDeviceSubgroupProperties::supportedStages
    bool shaderSubgroupUniformControlFlow = false;
    bool subgroupVote = false;  // SUBGROUP_FEATURE_VOTE, in supportedStages
    bool subgroupBallot = false;
    bool subgroupArithmetic = false;
    uint32_t maxComputeSharedMemorySize = 16384;
    // What the driver takes of it for modules with SplitBarrierEXT.
    uint32_t splitBarrierSharedMemory = 0;
    uint32_t maxComputeWorkGroupInvocations = 1024;
    // The invocations of a subgroup share scalar registers: a value that all of them load from one
    // address takes one register. From VkPhysicalDeviceShaderCorePropertiesAMD.
    bool scalarRegisters = false;
    // What programs assume that were made for GPUs of the device's family; kAuto: nothing is known.
    // Matrices of the driver have it.
    ElementLayout familyLayout = ElementLayout::kAuto;
    // The units of the device that run workgroups, and how many subgroups each holds at a time:
    // what VK_NV_shader_sm_builtins calls SMs and warps. The defaults are for devices that do not
    // say.
    uint32_t shaderCores = kUnknownShaderCores;
    uint32_t warpsPerShaderCore = kUnknownWarpsPerShaderCore;
    bool shaderCoreBuiltins = false;  // VK_ARM_shader_core_builtins
    // VkPhysicalDeviceMeshShaderPropertiesEXT; the defaults are the required minima.
    uint32_t maxTaskSharedMemorySize = 32768;
    uint32_t maxTaskPayloadAndSharedMemorySize = 32768;
    uint32_t maxMeshSharedMemorySize = 28672;
    uint32_t maxMeshPayloadAndSharedMemorySize = 28672;
    // Shapes of the driver's VK_KHR_cooperative_matrix with scope Subgroup; empty if it lacks it.
    // Matrices of scope Workgroup may become tiles of bfloat16, if that is the driver's own.
    std::vector<MatrixShape> nativeShapes;
    // Formats whose matrices are emulated: their shapes are advertised.
    bool shaderBFloat16CooperativeMatrix = false;
    bool shaderFloat8CooperativeMatrix = false;
    // Half floats are emulated, in f32: shaders may have them, but f16 arithmetic is slow.
    bool emulatesFloat16 = false;
    // Matrices of the inferencing-optimal layout lie in blocks of rows (vector_matrix.hpp). Shaders
    // and conversions must agree.
    bool blockedWeights = false;
    // The driver's compiler drops the rounding of a number that becomes f16 and then f32 again.
    bool dropsHalfRoundings = false;
    // Only shapes that tiles of nativeShapes can compute are advertised.
    bool onlyNativeShapes = false;

    // Whether shaders may have half floats.
    bool hasFloat16() const { return shaderFloat16 || emulatesFloat16; }
    // One of the features above, or its emulation.
    bool has(bool DeviceTraits::* feature) const {
        return this->*feature || (feature == &DeviceTraits::shaderFloat16 && emulatesFloat16);
    }
};

}  // namespace coopvk::rewrite
