// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector: matrices in memory, and inputs of products.
#pragma once

#include <cstddef>
#include <optional>

#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices {

// VkCooperativeVectorMatrixLayoutNV, "Cooperative Vector Matrix Layout".
enum class VectorLayout : uint32_t { rowMajor, columnMajor, inferencingOptimal, trainingOptimal };

// A matrix in memory. Optimal layouts are arrays of its elements, row by row without gaps, so that
// those for training are what Vulkan promises: "the application can reinterpret the data as an
// array of elements".
struct VectorMatrix {
    Number number = Number::f16;
    VectorLayout layout = VectorLayout::rowMajor;
    uint32_t rows = 0, columns = 0;  // as it lies in memory: before a transposition
    uint64_t stride = 0;             // bytes between rows (columns); ignored for optimal layouts

    uint64_t elementSize() const { return numbers::format(number).bits / 8; }
    // Bytes from the start of the matrix.
    uint64_t offset(uint32_t row, uint32_t column) const;
    // Bytes of the whole matrix.
    uint64_t size() const;
};

// A matrix from VkComponentTypeKHR and VkCooperativeVectorMatrixLayoutNV; nothing if one is
// unknown.
std::optional<VectorMatrix> vectorMatrix(uint32_t componentType, uint32_t layout, uint32_t rows,
                                         uint32_t columns, uint64_t stride);

// vkConvertCooperativeVectorMatrixNV: floating-point numbers are rounded to nearest even. The spans
// must be as long as size() says. False: rows and columns differ, or the formats are not both
// floating-point and differ.
bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination);

// Bits of elements of `from` bits each, as elements of `to` bits: lower-numbered ones in lower
// bits. The same for OpBitCastArrayQCOM.
std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to);

// "Input is converted to the type indicated by InputInterpretation": the K components that a
// product takes from a vector whose components have the format `from`. `packed`: the interpretation
// is a packed type.
std::vector<Element> interpretInput(std::span<const Element> input, Number from,
                                    Number interpretation, bool packed, uint32_t k);

}  // namespace coopvk::reference::matrices
