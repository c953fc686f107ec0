// SPDX-License-Identifier: Apache-2.0
//
// Vulkan extensions for two SPIR-V extensions that no registered Vulkan extension enables:
//
//   VK_COOPVK_shader_int4          SPV_INTEL_int4: 4-bit integers, and cooperative matrices of them
//   VK_COOPVK_shader_2d_block_io   SPV_INTEL_2d_block_io: blocks of 2D memory, loaded by a subgroup
//
// Both are device extensions of the coopvk layer (VK_LAYER_COOPVK_emulation). Use them like any other
// extension: look for the name in vkEnumerateDeviceExtensionProperties, query the features with the
// structure in the chain of vkGetPhysicalDeviceFeatures2, and enable extension and features in
// VkDeviceCreateInfo. Get the queries from vkGetInstanceProcAddr. The driver sees nothing of this.
//
// As with any extension, modules with these capabilities work only on devices that were created with
// it. The layer then also enables the device features that its output needs (shaderInt8, shaderInt16,
// shaderInt64, 8- and 16-bit storage, scalarBlockLayout), if the device has them.
//
// The numbers in this file are not registered. VkStructureType values of extensions are
// 1000000000 + 1000 * (extension number - 1); those of this file begin at 0x70C00000, far above any
// that Khronos has assigned. Drivers and other layers skip structures that they do not know.
#ifndef COOPVK_VULKAN_COOPVK_H_
#define COOPVK_VULKAN_COOPVK_H_

#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// VK_COOPVK_shader_int4
//
// SPIR-V: capabilities Int4TypeINTEL and Int4CooperativeMatrixINTEL.
// - Scalars and vectors of 4-bit integers are possible in every place that SPV_INTEL_int4 allows.
//   Vectors of 8 and 16 components need the Vector16 capability, which is accepted for them only.
// - In StorageBuffer, PhysicalStorageBuffer, Uniform, PushConstant and Workgroup memory, vectors of
//   2, 4, 8 or 16 components take 1, 2, 4 or 8 bytes, with the lower component in the lower bits. On
//   devices with scalarBlockLayout they may be at any byte. A module is faster if they are at
//   multiples of their size and are stored as a whole.
// - A store of one component changes only its own byte, so other invocations may store to the rest of
//   the vector. Two components that share a byte share the memory location, which has 8 bits (Vulkan
//   specification, "Memory Model", "Memory Location"). To store to both, or to store to one and load
//   the other, without synchronization is a data race.
// - A pointer to one component has no address of its own. An access chain can make it, and it can be
//   loaded from, stored to and copied, but not passed to a function, selected or stored.
// - A specialization constant of a 4-bit type takes one byte, of which the low four bits count.
// - Matrices with 4-bit components are loaded and stored with two components in a byte, the lower row
//   or column in the lower bits. Stride counts elements of the type that Pointer points to. A pointer
//   to vectors of 16 is possible only if all such vectors of the module are at multiples of four
//   bytes.

#define VK_COOPVK_shader_int4 1
#define VK_COOPVK_SHADER_INT4_SPEC_VERSION 1
#define VK_COOPVK_SHADER_INT4_EXTENSION_NAME "VK_COOPVK_shader_int4"

#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK ((VkStructureType)0x70C00001)
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_INT4_PROPERTIES_COOPVK ((VkStructureType)0x70C00002)

// Chain it to VkPhysicalDeviceFeatures2 or VkDeviceCreateInfo.
typedef struct VkPhysicalDeviceShaderInt4FeaturesCOOPVK {
    VkStructureType sType;
    void* pNext;
    VkBool32 shaderInt4;                   // Int4TypeINTEL
    VkBool32 shaderInt4CooperativeMatrix;  // Int4CooperativeMatrixINTEL
} VkPhysicalDeviceShaderInt4FeaturesCOOPVK;

// A product A x B + C with 4-bit A and B. Like VkCooperativeMatrixPropertiesKHR, but with the signs
// of A and B instead of their types, since VkComponentTypeKHR has no 4-bit values.
typedef struct VkCooperativeMatrixInt4PropertiesCOOPVK {
    VkStructureType sType;
    void* pNext;
    uint32_t MSize;
    uint32_t NSize;
    uint32_t KSize;
    VkBool32 ASigned;
    VkBool32 BSigned;
    VkComponentTypeKHR CType;
    VkComponentTypeKHR ResultType;
    VkBool32 saturatingAccumulation;
    VkScopeKHR scope;
} VkCooperativeMatrixInt4PropertiesCOOPVK;

// Lists the shapes that the device can run, the best ones first. If pProperties is null, returns
// their number; else writes up to *pPropertyCount of them, and returns VK_INCOMPLETE if there are
// more.
typedef VkResult(VKAPI_PTR* PFN_vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK)(
    VkPhysicalDevice physicalDevice, uint32_t* pPropertyCount,
    VkCooperativeMatrixInt4PropertiesCOOPVK* pProperties);

// ---------------------------------------------------------------------------------------------
// VK_COOPVK_shader_2d_block_io
//
// SPIR-V: capabilities Subgroup2DBlockIOINTEL, Subgroup2DBlockTransformINTEL and
// Subgroup2DBlockTransposeINTEL.
// - Where SPV_INTEL_2d_block_io requires a CrossWorkgroup pointer, PhysicalStorageBuffer and
//   StorageBuffer pointers are possible, too. A module's CrossWorkgroup pointers become
//   PhysicalStorageBuffer pointers. All may be typed or untyped. If a type that a CrossWorkgroup
//   pointer points to has no layout, it has that of OpenCL C.
// - Memory Width and Memory Height go up to 2^24; the "224" of the text has lost its superscript.
// - Coordinates are signed, whatever their type says: a negative one is out of bounds. So are
//   elements that are only partly within Memory Width.
// - Block b of several starts b * Block Width elements right of the first one.
// - If the subgroup handles several rows at once and the last group is incomplete, the missing rows
//   are padding: zero when loaded, ignored when stored.
// - Subgroups must be full. The layer gives compute stages a fixed subgroup size.
// - Cache control decorations (SPV_INTEL_cache_controls) are ignored, and so are prefetches.

#define VK_COOPVK_shader_2d_block_io 1
#define VK_COOPVK_SHADER_2D_BLOCK_IO_SPEC_VERSION 1
#define VK_COOPVK_SHADER_2D_BLOCK_IO_EXTENSION_NAME "VK_COOPVK_shader_2d_block_io"

#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK \
    ((VkStructureType)0x70C00101)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_PROPERTIES_COOPVK \
    ((VkStructureType)0x70C00102)
#define VK_STRUCTURE_TYPE_SHADER_2D_BLOCK_SIZES_COOPVK ((VkStructureType)0x70C00103)

// Chain it to VkPhysicalDeviceFeatures2 or VkDeviceCreateInfo.
typedef struct VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK {
    VkStructureType sType;
    void* pNext;
    VkBool32 shader2DBlockIO;         // Subgroup2DBlockIOINTEL
    VkBool32 shader2DBlockTransform;  // Subgroup2DBlockTransformINTEL
    VkBool32 shader2DBlockTranspose;  // Subgroup2DBlockTransposeINTEL
} VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK;

// Chain it to VkPhysicalDeviceProperties2.
typedef struct VkPhysicalDeviceShader2DBlockIOPropertiesCOOPVK {
    VkStructureType sType;
    void* pNext;
    VkShaderStageFlags supportedStages;
    // Elements that all blocks of one instruction may have in each invocation, padding included.
    uint32_t maxElementsPerInvocation;
} VkPhysicalDeviceShader2DBlockIOPropertiesCOOPVK;

typedef enum VkShader2DBlockOperationCOOPVK {
    VK_SHADER_2D_BLOCK_OPERATION_LOAD_COOPVK = 0,
    VK_SHADER_2D_BLOCK_OPERATION_LOAD_TRANSPOSE_COOPVK = 1,
    VK_SHADER_2D_BLOCK_OPERATION_LOAD_TRANSFORM_COOPVK = 2,
    VK_SHADER_2D_BLOCK_OPERATION_PREFETCH_COOPVK = 3,
    VK_SHADER_2D_BLOCK_OPERATION_STORE_COOPVK = 4,
    VK_SHADER_2D_BLOCK_OPERATION_MAX_ENUM_COOPVK = 0x7FFFFFFF
} VkShader2DBlockOperationCOOPVK;

// The blocks that one operation takes for one element size: every width from widthGranularity to
// maxWidth that is a multiple of widthGranularity, every height and count from 1 on, within
// maxElementsPerInvocation.
typedef struct VkShader2DBlockSizesCOOPVK {
    VkStructureType sType;
    void* pNext;
    VkShader2DBlockOperationCOOPVK operation;
    uint32_t elementSize;
    uint32_t widthGranularity;
    uint32_t maxWidth;
    uint32_t maxHeight;
    uint32_t maxCount;
} VkShader2DBlockSizesCOOPVK;

// Counts and VK_INCOMPLETE as above.
typedef VkResult(VKAPI_PTR* PFN_vkGetPhysicalDeviceShader2DBlockSizesCOOPVK)(
    VkPhysicalDevice physicalDevice, uint32_t* pSizeCount, VkShader2DBlockSizesCOOPVK* pSizes);

#ifdef __cplusplus
}
#endif

#endif  // COOPVK_VULKAN_COOPVK_H_
