// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector.
#pragma once

#include "memory.hpp"

namespace coopvk::test {

using MatrixType = VkComponentTypeKHR;
using MatrixLayout = VkCooperativeVectorMatrixLayoutNV;

inline constexpr MatrixLayout kRowMajor = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
inline constexpr MatrixLayout kColumnMajor = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;
inline constexpr MatrixLayout kInferencing =
    VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
inline constexpr MatrixLayout kTraining = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;

size_t matrixElementBytes(MatrixType type);

// Floating-point types only.
double decodeElement(MatrixType type, uint32_t bits);
uint32_t encodeElement(MatrixType type, double value);      // to nearest even
bool sameElement(MatrixType type, uint32_t a, uint32_t b);  // any two NaNs are the same

uint32_t readElement(const Bytes& bytes, size_t offset, MatrixType type);
void writeElement(Bytes& bytes, size_t offset, MatrixType type, uint32_t bits);

struct MatrixSide {
    MatrixType type;
    MatrixLayout layout;
    size_t stride = 0;

    bool isOptimal() const { return layout != kRowMajor && layout != kColumnMajor; }
    // Row-major and column-major matrices only.
    size_t offset(uint32_t row, uint32_t column) const;
};

struct ConversionRequest {
    MatrixSide from, to;
    uint32_t rows = 0;
    uint32_t columns = 0;

    // Without addresses: a query of the size.
    VkConvertCooperativeVectorMatrixInfoNV info(size_t sourceSize, size_t* targetSize) const;
};

size_t querySize(const ConversionRequest& request);
// `target` is the memory's contents before. Returns the contents afterwards.
Bytes convertOnHost(const ConversionRequest& request, const Bytes& source, Bytes target);
Bytes convertOnDevice(const ConversionRequest& request, const Bytes& source, const Bytes& target);
// Whether matrices in the inferencing-optimal layout lie in blocks (rewrite::placeMatrix()) on this
// device.
bool hasBlockedWeights();
// Records one conversion between two buffers of a Memory.
void recordConversion(VkCommandBuffer commands, const ConversionRequest& request,
                      const Memory& memory, size_t source, size_t sourceSize, size_t target,
                      size_t targetSize);

// Makes what `from` did visible to `to`.
void barrier2(VkCommandBuffer commands, VkPipelineStageFlags2 fromStages, VkAccessFlags2 from,
              VkPipelineStageFlags2 toStages, VkAccessFlags2 to);
// Between two conversions.
void conversionBarrier(VkCommandBuffer commands);

}  // namespace coopvk::test
