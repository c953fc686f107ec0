// SPDX-License-Identifier: Apache-2.0
//
// A valid conversion of a matrix on the host, which tests make invalid.
#pragma once

#include <vulkan/vulkan_core.h>

namespace coopvk::test {

struct HostConversion {
    float source[8] = {1, 2, 3, 4, 5, 6, 7, 8}, target[8] = {};
    size_t size = sizeof target;
    VkConvertCooperativeVectorMatrixInfoNV info = {
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};

    HostConversion() {
        info.srcSize = sizeof source;
        info.srcData.hostAddress = source;
        info.pDstSize = &size;
        info.dstData.hostAddress = target;
        info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_FLOAT32_KHR;
        info.numRows = 2;
        info.numColumns = 4;
        info.srcStride = info.dstStride = 16;
        info.srcLayout = info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
    }
    HostConversion(const HostConversion&) = delete;
    HostConversion& operator=(const HostConversion&) = delete;
};

}  // namespace coopvk::test
