// SPDX-License-Identifier: Apache-2.0
//
// What a shader with cooperative matrices does, as data. matrix_spirv.cpp makes the shader of it,
// with VK_KHR_cooperative_matrix, with VK_NV_cooperative_matrix, or with VK_KHR_cooperative_matrix
// and VK_NV_cooperative_matrix2.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compare/numbers/block.hpp"
#include "compare/shaders/instruction.hpp"
#include "compare/shaders/matrix2_steps.hpp"
#include "compare/shaders/storage.hpp"

namespace coopvk::compare {

enum class Dialect { kKhr, kNv, kNv2 };

// The scope of the matrices.
enum class MatrixScope { kSubgroup, kWorkgroup };
// The number of invocations that share matrices; 0: a subgroup.
inline MatrixScope scopeOf(uint32_t workgroup) {
    return workgroup ? MatrixScope::kWorkgroup : MatrixScope::kSubgroup;
}

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

// Loads matrices from buffers (or addresses) 0, 1, ... and stores the result of a step to the next
// one; if `storage` is Workgroup, they go through shared memory.
struct MatrixProgram {
    // A matrix, and the array that contains it; a line consists of whole elements of the array.
    struct Operand {
        Operand(const MatrixType& matrix, const Block& where)
            : Operand(matrix, where, Element(where.component)) {}
        Operand(const MatrixType& matrix, const Block& where, const Element& in)
            : type(matrix), block(where), element(in) {}
        MatrixType type;
        Block block;
        Element element;

        // Of the array, in its elements.
        uint32_t length() const { return inElements(block.end()); }
        uint32_t first() const { return inElements(block.offset); }
        uint32_t stride() const { return inElements(block.stride); }

     private:
        uint32_t inElements(size_t bytes) const {
            return static_cast<uint32_t>(bytes / element.bytes());
        }
    };

    struct Copy {};
    struct MultiplyAdd {  // of inputs A, B and C
        bool saturating = false;
    };
    struct DoubleEach {};  // each element that an invocation has, added to itself
    using Step = std::variant<Copy, MultiplyAdd, DoubleEach, Instruction, Reduce, PerElement,
                              TensorLoad, TensorStore>;

    Dialect dialect;
    Storage storage;
    uint32_t workgroupSize;
    std::vector<Operand> inputs;
    Operand result;
    Step step;
    MatrixScope scope = MatrixScope::kSubgroup;
};

}  // namespace coopvk::compare
