// SPDX-License-Identifier: Apache-2.0
//
// The features of VK_NV_cooperative_matrix2, and its rows of flexible dimensions, of both sides.
#pragma once

#include "compare/cases/matrix_rows.hpp"

namespace coopvk::compare {

struct Matrix2Bit {
    std::string_view name;
    VkBool32 VkPhysicalDeviceCooperativeMatrix2FeaturesNV::* feature;
};
#define COOPVK_MATRIX2_BIT(name) {#name, &VkPhysicalDeviceCooperativeMatrix2FeaturesNV::name}
inline constexpr Matrix2Bit kMatrix2Bits[] = {
    COOPVK_MATRIX2_BIT(cooperativeMatrixWorkgroupScope),
    COOPVK_MATRIX2_BIT(cooperativeMatrixFlexibleDimensions),
    COOPVK_MATRIX2_BIT(cooperativeMatrixReductions),
    COOPVK_MATRIX2_BIT(cooperativeMatrixConversions),
    COOPVK_MATRIX2_BIT(cooperativeMatrixPerElementOperations),
    COOPVK_MATRIX2_BIT(cooperativeMatrixTensorAddressing),
    COOPVK_MATRIX2_BIT(cooperativeMatrixBlockLoads),
};
#undef COOPVK_MATRIX2_BIT
// Places in the table, as masks.
enum : uint32_t {
    kWorkgroupScope = 1,
    kFlexibleDimensions = 2,
    kReductions = 4,
    kConversions = 8,
    kPerElement = 16,
    kTensorAddressing = 32,
    kBlockLoads = 64,
    kAllBits = 127,
};
// Of kMatrix2Bits, those that a side has; none without a side.
uint32_t matrix2Bits(const Gpu* gpu);

// A row with granularities in place of sizes: those that both sides allow, where both list it.
struct FlexibleRows {
    std::vector<MatrixRow> rows;
    uint32_t maxDimension = 0;
    std::map<std::string, size_t> skipped;  // as MatrixRows has it
};
FlexibleRows flexibleRows(const Gpu* native, const Gpu* emulated);

}  // namespace coopvk::compare
