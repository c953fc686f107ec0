// SPDX-License-Identifier: Apache-2.0
#include "int4_matrix.hpp"

#include "block.hpp"

namespace coopvk::test::int4 {

uint32_t pointeeBytes(const std::string& type) {
    if (type.starts_with("u4x")) return static_cast<uint32_t>(std::stoul(type.substr(3))) / 2;
    return typeBytes(type);
}

uint32_t tightStride(const NibbleMemory& memory, uint32_t rows, uint32_t columns) {
    const uint32_t nibbles = memory.columnMajor ? rows : columns;
    const uint32_t each = pointeeBytes(memory.pointee) * 2;
    return (nibbles + each - 1) / each;
}

size_t bytesOf(const NibbleMemory& memory, uint32_t rows, uint32_t columns) {
    return size_t{memory.columnMajor ? columns : rows} * memory.stride *
           pointeeBytes(memory.pointee);
}

size_t nibbleAt(const NibbleMemory& memory, uint32_t row, uint32_t column) {
    const uint32_t outer = memory.columnMajor ? column : row;
    const uint32_t inner = memory.columnMajor ? row : column;
    return size_t{outer} * memory.stride * pointeeBytes(memory.pointee) * 2 + inner;
}

void scatter(Nibbles& matrix, const NibbleMemory& memory, Bytes& bytes) {
    for (uint32_t r = 0; r < matrix.rows; ++r) {
        for (uint32_t c = 0; c < matrix.columns; ++c) {
            const size_t n = nibbleAt(memory, r, c);
            auto& byte = bytes[n / 2];
            const auto old = static_cast<uint32_t>(byte);
            const uint32_t shift = n % 2 * 4;
            byte = static_cast<std::byte>((old & ~(15u << shift)) | matrix.at(r, c) << shift);
        }
    }
}

Nibbles randomNibbles(Rng& rng, uint32_t rows, uint32_t columns, bool isSigned) {
    Nibbles matrix(rows, columns, isSigned);
    for (uint32_t& b : matrix.bits) b = static_cast<uint32_t>(rng.range(0, 15));
    return matrix;
}

Bytes wordBytes(const std::vector<int32_t>& words) {
    const auto view = std::as_bytes(std::span(words));
    return {view.begin(), view.end()};
}

std::string nibbleType(bool isSigned) { return isSigned ? "%s4" : "%u4"; }

std::string matrixOf(const char* id, const std::string& component, uint32_t rows, uint32_t columns,
                     uint32_t use) {
    return std::string("%") + id + " = OpTypeCooperativeMatrixKHR " + component + " %c_3 " +
           constant(rows) + " " + constant(columns) + " " + constant(use) + "\n";
}

Assembly withNibbles(const std::vector<std::pair<std::string, std::string>>& buffers) {
    Assembly a;
    a.capabilities = {"Int4CooperativeMatrixINTEL", "Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    for (const auto& [name, type] : buffers) a.buffers.push_back({name, type, pointeeBytes(type)});
    a.types =
        "%s4 = OpTypeInt 4 1\n%u4 = OpTypeInt 4 0\n%u4x2 = OpTypeVector %u4 2\n"
        "%u4x4 = OpTypeVector %u4 4\n%u4x8 = OpTypeVector %u4 8\n"
        "%u4x16 = OpTypeVector %u4 16\n";
    return a;
}

std::string load(const std::string& id, const std::string& type, const std::string& buffer,
                 const NibbleMemory& memory) {
    return "%p_" + id + " = OpAccessChain %sb_" + memory.pointee + " %" + buffer + " %c_0 %c_0\n%" +
           id + " = OpCooperativeMatrixLoadKHR " + type + " %p_" + id +
           (memory.columnMajor ? " %c_1 " : " %c_0 ") + constant(memory.stride) + "\n";
}

std::string store(const std::string& id, const std::string& buffer, const NibbleMemory& memory) {
    return "%q_" + buffer + " = OpAccessChain %sb_" + memory.pointee + " %" + buffer +
           " %c_0 %c_0\nOpCooperativeMatrixStoreKHR %q_" + buffer + " %" + id +
           (memory.columnMajor ? " %c_1 " : " %c_0 ") + constant(memory.stride) + "\n";
}

NibbleMemory memoryOf(const char* pointee, bool columnMajor, uint32_t rows, uint32_t columns,
                      uint32_t padding) {
    NibbleMemory memory{pointee, columnMajor, 0};
    memory.stride = tightStride(memory, rows, columns) + padding;
    return memory;
}

}  // namespace coopvk::test::int4
