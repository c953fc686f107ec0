// SPDX-License-Identifier: Apache-2.0
//
// The Vulkan face of two SPIR-V extensions that no registered Vulkan extension enables:
//
//   VK_COOPVK_shader_int4          SPV_INTEL_int4: 4-bit integers, and cooperative matrices of them
//   VK_COOPVK_shader_2d_block_io   SPV_INTEL_2d_block_io: blocks of 2D memory, loaded by a subgroup
//
// Both are device extensions of the coopvk layer (VK_LAYER_COOPVK_emulation). Use them like any
// other: look for the name in vkEnumerateDeviceExtensionProperties, ask for the features by chaining
// the structure to vkGetPhysicalDeviceFeatures2, enable both in VkDeviceCreateInfo. The queries are
// found with vkGetInstanceProcAddr. Nothing of this reaches the driver.
//
// As with any extension, modules with these capabilities work only on devices that were created with
// it. The layer then also turns on the device features that its output needs (shaderInt8,
// shaderInt16, shaderInt64, 8- and 16-bit storage, scalarBlockLayout), as far as the device has them.
//
// The numbers of this file are no registered ones: VkStructureType values of extensions lie at
// 1000000000 + 1000 * (extension number - 1), these at 0x70C00000, far beyond any that Khronos has
// given out. Drivers and other layers skip structures that they do not know.
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
// - Scalars and vectors of 4-bit integers, in every place that SPV_INTEL_int4 allows. Vectors of 8
//   and 16 components are declared with the Vector16 capability, which is accepted for them only.
// - In StorageBuffer, PhysicalStorageBuffer, Uniform, PushConstant and Workgroup memory vectors of
//   2, 4, 8 or 16 components take 1, 2, 4 or 8 bytes, the lower component in the lower bits. They
//   may lie at any byte on devices with scalarBlockLayout. A module is faster where they lie at
//   multiples of their size and are stored whole.
// - Storing one component changes no byte but its own, so that other invocations may store to the
//   rest of the vector. Two components that share a byte share the memory location, which is 8 bits
//   (Vulkan specification, "Memory Model", "Memory Location"): to store to both, or to one and load
//   the other, without synchronization is a data race.
// - A pointer to one component has no address of its own. It can be loaded, stored, copied and made
//   by an access chain, but not passed to a function, selected or stored.
// - A specialization constant of a 4-bit type takes one byte, of which the low four bits count.
// - Matrices with 4-bit components are loaded from and stored to memory with two components a byte,
//   the lower row or column in the lower bits; Stride counts what Pointer points to. Through a pointer
//   to vectors of 16 only where all of these in the module lie at multiples of four bytes.

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

// A product A x B + C with 4-bit A and B. As VkCooperativeMatrixPropertiesKHR, but that A and B are
// told by their signs, since VkComponentTypeKHR has no 4-bit values.
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

// The shapes that run, the best for the device first. With pProperties null, the number of them;
// else up to *pPropertyCount are written, and VK_INCOMPLETE tells that there are more.
typedef VkResult(VKAPI_PTR* PFN_vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK)(
    VkPhysicalDevice physicalDevice, uint32_t* pPropertyCount,
    VkCooperativeMatrixInt4PropertiesCOOPVK* pProperties);

// ---------------------------------------------------------------------------------------------
// VK_COOPVK_shader_2d_block_io
//
// SPIR-V: capabilities Subgroup2DBlockIOINTEL, Subgroup2DBlockTransformINTEL and
// Subgroup2DBlockTransposeINTEL.
// - Where SPV_INTEL_2d_block_io asks for a CrossWorkgroup pointer, PhysicalStorageBuffer and
//   StorageBuffer ones are taken too; a module's CrossWorkgroup pointers become
//   PhysicalStorageBuffer ones. All may be typed or untyped. What lies behind CrossWorkgroup
//   pointers has the layout that OpenCL C gives it where its types do not say one.
// - Memory Width and Memory Height go up to 2^24; the "224" of the text has lost its superscript.
// - Coordinates are signed, whatever their type says: a negative one is out of bounds. So are
//   elements that are only partly within Memory Width.
// - Block b of several starts b * Block Width elements right of the first one.
// - Rows that are missing because several rows are dealt to the subgroup at once are padding: zero
//   when loaded, ignored when stored.
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
