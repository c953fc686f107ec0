// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 4-bit integers on the host, in memory of any pointee, and in shaders.
#pragma once

#include <string>
#include <vector>

#include "assembly.hpp"
#include "compute.hpp"
#include "random.hpp"

namespace coopvk::test::int4 {

// A matrix of 4-bit values, and its layout in memory.
struct Nibbles {
    uint32_t rows, columns;
    bool isSigned;
    std::vector<uint32_t> bits;  // row by row

    Nibbles(uint32_t rowCount, uint32_t columnCount, bool sign)
        : rows(rowCount), columns(columnCount), isSigned(sign), bits(rowCount * columnCount) {}
    uint32_t& at(uint32_t row, uint32_t column) { return bits[row * columns + column]; }
    int32_t value(uint32_t row, uint32_t column, bool asSigned) const {
        const uint32_t b = bits[row * columns + column];
        return asSigned && b >= 8 ? static_cast<int32_t>(b) - 16 : static_cast<int32_t>(b);
    }
};

struct NibbleMemory {
    std::string pointee = "u8";
    bool columnMajor = false;
    uint32_t stride = 0;  // pointees
};

uint32_t pointeeBytes(const std::string& type);
uint32_t tightStride(const NibbleMemory& memory, uint32_t rows, uint32_t columns);
size_t bytesOf(const NibbleMemory& memory, uint32_t rows, uint32_t columns);
// A layout with `padding` pointees between its lines.
NibbleMemory memoryOf(const char* pointee, bool columnMajor, uint32_t rows, uint32_t columns,
                      uint32_t padding = 0);
// The nibble of a byte array that contains an element.
size_t nibbleAt(const NibbleMemory& memory, uint32_t row, uint32_t column);
void scatter(Nibbles& matrix, const NibbleMemory& memory, Bytes& bytes);
Nibbles randomNibbles(Rng& rng, uint32_t rows, uint32_t columns, bool isSigned);
Bytes wordBytes(const std::vector<int32_t>& words);

std::string nibbleType(bool isSigned);
// "%ID = OpTypeCooperativeMatrixKHR ..." of subgroup scope.
std::string matrixOf(const char* id, const std::string& component, uint32_t rows, uint32_t columns,
                     uint32_t use);
// A module with 4-bit types, and the named buffers with the types of their elements.
Assembly withNibbles(const std::vector<std::pair<std::string, std::string>>& buffers);
// %ID from a buffer; to a buffer.
std::string load(const std::string& id, const std::string& type, const std::string& buffer,
                 const NibbleMemory& memory);
std::string store(const std::string& id, const std::string& buffer, const NibbleMemory& memory);

}  // namespace coopvk::test::int4
