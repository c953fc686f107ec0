// SPDX-License-Identifier: Apache-2.0
//
// Matrices that a module stores, element by element, as both executions of a verdict leave them:
// for pictures.
#pragma once

#include "coopvk_reference/debugger.hpp"
#include "replay.hpp"

namespace coopvk::check {

struct StoredElement {
    std::optional<uint64_t> byte = {};  // in the buffer; nothing: it was not stored
    reference::ShownNumber native, rewritten;
    // The invocation that stored it: its number in the workgroup. Nothing: none.
    std::optional<uint32_t> nativeInvocation = {}, rewrittenInvocation = {};

    bool differs() const { return byte && native.bits != rewritten.bits; }
};

struct StoredMatrix {
    size_t buffer = 0;
    std::string type;  // "16 x 16 matrix of f32 (accumulator)"
    std::array<uint32_t, 3> workgroup = {};
    uint32_t subgroup = 0;  // of a matrix of a subgroup
    uint32_t word = 0;      // of the instruction that stored it, natively
    uint32_t rows = 0, columns = 0;
    std::vector<StoredElement> elements;  // row by row
    size_t differing() const {
        size_t count = 0;
        for (const StoredElement& element : elements) count += element.differs() ? 1 : 0;
        return count;
    }
};

// Those of which an element differs, at most so many. Throws std::bad_alloc.
std::vector<StoredMatrix> differingMatrices(const Replay& replay, size_t most);

}  // namespace coopvk::check
