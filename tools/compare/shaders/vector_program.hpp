// SPDX-License-Identifier: Apache-2.0
//
// What a shader with cooperative vectors does, as data. vector_spirv.cpp makes the shader of it.
// Each invocation has its own vectors, which are in buffers one after the other.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "compare/numbers/block.hpp"
#include "compare/shaders/instruction.hpp"
#include "compare/shaders/storage.hpp"

namespace coopvk::compare {

using Layout = VkCooperativeVectorMatrixLayoutNV;

// One workgroup with this number of invocations runs each case.
inline constexpr uint32_t kInvocations = 32;

// `count` components for each of so many invocations, at 16 bytes' alignment.
Block vectorsOf(Component type, uint32_t count, uint32_t invocations = kInvocations);

// If invocations diverge, these take part: two of three.
inline constexpr uint32_t kDivergingCycle = 3, kDivergingOut = 1;
inline bool takesPart(uint32_t invocation) { return invocation % kDivergingCycle != kDivergingOut; }

struct VectorProgram {
    // An array of components; Workgroup ones are copies of a buffer in shared memory.
    struct Array {
        Storage storage;
        uint32_t binding, address;  // whichever it has
        Component component;
    };
    // Vectors in an array.
    struct Operand {
        Array array;
        uint32_t count;
        Block block;

        uint32_t length() const {  // of the array, in components
            return static_cast<uint32_t>(block.end() / info(block.component).bytes());
        }
    };
    // Numbers in an array that all invocations use.
    struct Shared {
        Array array;
        size_t offset;  // in bytes
        Component type;
    };

    struct Copy {};
    struct TurnRound {};  // the last component first
    // Of a matrix and the input, with a bias or without one.
    struct Product {
        Component interpretation;  // of the input
        Shared matrix;
        std::optional<Shared> bias;
        uint32_t m, k;
        Layout layout;
        bool transpose;
        size_t stride;
    };
    // The outer product of two inputs added to a matrix, or one input added to a vector.
    struct Accumulation {
        Shared sum;
        Layout layout;  // of the matrix
    };
    using Step = std::variant<Copy, TurnRound, Instruction, Product, Accumulation>;

    std::vector<Operand> inputs;
    std::optional<Operand> result;  // none where the step writes to memory
    Step step;
    bool diverging = false;  // invocations that take no part have zeros as their result
};

}  // namespace coopvk::compare
