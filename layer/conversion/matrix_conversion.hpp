// SPDX-License-Identifier: Apache-2.0
//
// vkConvertCooperativeVectorMatrixNV without Vulkan's structures: checks a request, and converts on
// the host. shaders/convert_matrix.comp does the same on the device; the two agree bit for bit.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "coopvk/device.hpp"
#include "coopvk/vector_matrix.hpp"

namespace coopvk::layer {

// A matrix in memory: lines of elements, which are its columns where it is column-major, else its
// rows.
struct MatrixView {
    rewrite::ComponentFormat format;
    bool columnMajor = false;
    bool optimal = false;  // padding belongs to the matrix, and is zero
    uint32_t lines = 0;
    uint32_t lineLength = 0;
    rewrite::MatrixPlacement placement;

    uint64_t lineBytes() const { return columnMajor ? placement.columnBytes : placement.rowBytes; }
    // What a query answers: whole lines.
    uint64_t wholeSize() const { return optimal ? placement.size : lines * lineBytes(); }
};

struct MatrixConversion {
    MatrixView source;
    MatrixView target;
};

// Empty if conversions support the types and layouts, else what is wrong with them. This suffices
// to calculate the destination's size. `blocked`: DeviceTraits::blockedWeights.
std::string planConversion(const VkConvertCooperativeVectorMatrixInfoNV& info, bool blocked,
                           MatrixConversion& conversion);

// Empty if a planned conversion is possible. The caller must check sizes and addresses.
std::string checkStrides(const MatrixConversion& conversion);

// Memory must be as large as the placements say.
void convertOnHost(const MatrixConversion& conversion, const std::byte* source, std::byte* target);

}  // namespace coopvk::layer
