// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative matrices, in the words of VK_KHR_cooperative_matrix or of
// VK_NV_cooperative_matrix.
#pragma once

#include "block.hpp"
#include "matrix_rows.hpp"
#include "module_text.hpp"

namespace coopvk::compare {

// Values equal the KHR extension's.
enum class Use : uint32_t { kA, kB, kAccumulator };
std::string_view nameOf(Use use);  // "A", "B", "C"

struct MatrixType {
    Component component;
    uint32_t rows, columns;
    Use use;
    bool operator==(const MatrixType&) const = default;
};
std::string nameOf(const MatrixType& type);  // "A 16x8 f16"

// A shader that loads matrices from buffers 0, 1, ... and stores one; where `storage` is Workgroup
// they make the way through shared memory.
class MatrixShader {
 public:
    MatrixShader(Dialect dialect, Storage storage, uint32_t subgroupSize);

    // Binding (or address) 0, 1, ... in the order of calls, and then the result's.
    struct Operand {
        Block block;
        ModuleText::Array memory, used;
    };
    Operand operand(const Block& block) { return operand(block, block.component); }
    // In an array of other elements; lines must be whole numbers of them.
    Operand operand(const Block& block, const Element& element);
    // After all operands: shared memory is filled.
    void begin();

    std::string type(const MatrixType& type);
    std::string load(const Operand& from, const MatrixType& type);
    // The last thing in the shader.
    std::string store(const Operand& to, const std::string& matrix);

    std::string multiplyAdd(const MatrixRow& row, const std::string& a, const std::string& b,
                            const std::string& c);
    // "%r = OPCODE %T OPERANDS"
    std::string apply(std::string_view opcode, const MatrixType& type, std::string_view operands);
    // Every element that an invocation has, by OPCODE with itself as both operands.
    std::string eachElement(std::string_view opcode, const MatrixType& type,
                            const std::string& matrix);

    ModuleText& text() { return text_; }
    uint32_t operandCount() const { return static_cast<uint32_t>(operands_.size()); }

 private:
    std::string place(const Operand& operand);
    std::string layoutOperands(const Operand& operand);

    Dialect dialect_;
    Storage storage_;
    ModuleText text_;
    std::vector<Operand> operands_;
};

}  // namespace coopvk::compare
