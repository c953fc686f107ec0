// SPDX-License-Identifier: Apache-2.0
//
// What Vulkan headers lack that are older than these extensions.
#pragma once

#include <vulkan/vulkan.h>

#ifndef VK_EXT_cooperative_matrix_maintenance1

inline constexpr auto
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT =
        static_cast<VkStructureType>(1000659000);
inline constexpr VkFlags VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT = 1;

struct VkCooperativeMatrixProperties2EXT {
    VkStructureType sType;
    void* pNext;
    uint32_t MGranularity;
    uint32_t NGranularity;
    uint32_t KGranularity;
    VkComponentTypeKHR AType;
    VkComponentTypeKHR BType;
    VkComponentTypeKHR CType;
    VkComponentTypeKHR ResultType;
};

struct VkPhysicalDeviceCooperativeMatrixInfo2EXT {
    VkStructureType sType;
    const void* pNext;
    VkScopeKHR scope;
    uint32_t invocations;
    uint32_t subgroupSize;
    VkFlags flags;
};

struct VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT {
    VkStructureType sType;
    void* pNext;
    VkBool32 cooperativeMatrixProperties2;
    VkBool32 cooperativeMatrixReductions;
    VkBool32 cooperativeMatrixConversions;
    VkBool32 cooperativeMatrixPerElementOperations;
    VkBool32 cooperativeMatrixGetCoordinate;
};

using PFN_vkGetPhysicalDeviceCooperativeMatrixProperties2EXT =
    VkResult(VKAPI_PTR*)(VkPhysicalDevice, const VkPhysicalDeviceCooperativeMatrixInfo2EXT*,
                         uint32_t*, VkCooperativeMatrixProperties2EXT*);

#endif

#ifndef VK_NV_cooperative_matrix_decode_vector

inline constexpr auto
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV =
        static_cast<VkStructureType>(1000689000);

struct VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV {
    VkStructureType sType;
    void* pNext;
    VkBool32 cooperativeMatrixDecodeVector;
};

#endif

#ifndef VK_EXT_shader_long_vector

inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT =
    static_cast<VkStructureType>(1000635000);
inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_PROPERTIES_EXT =
    static_cast<VkStructureType>(1000635001);

struct VkPhysicalDeviceShaderLongVectorFeaturesEXT {
    VkStructureType sType;
    void* pNext;
    VkBool32 longVector;
};

struct VkPhysicalDeviceShaderLongVectorPropertiesEXT {
    VkStructureType sType;
    void* pNext;
    uint32_t maxVectorComponents;
};

#endif

#ifndef VK_VALVE_shader_mixed_float_dot_product

#define VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME \
    "VK_VALVE_shader_mixed_float_dot_product"
inline constexpr auto
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE =
        static_cast<VkStructureType>(1000673000);

struct VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
    VkStructureType sType;
    void* pNext;
    VkBool32 shaderMixedFloatDotProductFloat16AccFloat32;
    VkBool32 shaderMixedFloatDotProductFloat16AccFloat16;
    VkBool32 shaderMixedFloatDotProductBFloat16Acc;
    VkBool32 shaderMixedFloatDotProductFloat8AccFloat32;
};

#endif

#ifndef VK_EXT_shader_ocp_microscaling_types

inline constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT =
    static_cast<VkStructureType>(1000672000);

struct VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
    VkStructureType sType;
    void* pNext;
    VkBool32 shaderFloat4;
    VkBool32 shaderFloat6;
    VkBool32 shaderFloat8UnsignedE8M0;
    VkBool32 shaderMXInt8;
};

#endif
