// SPDX-License-Identifier: Apache-2.0
//
// Moves elements of matrices of scope Workgroup to other invocations, through shared memory.
#pragma once

#include <functional>

#include "matrix/matrix_writer.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

// An instruction whose result has elements that other invocations compute. A helper function takes
// its first operand, and returns the result.
struct WorkgroupExchange {
    std::string_view name;      // of the helper function
    std::vector<uint32_t> key;  // of the helper function
    const MatrixType& from;
    const MatrixType& to;
    // What each invocation computes: the elements of a matrix that is distributed like this, which
    // is the result, or its transpose. element(...) returns one of them, by local row and column.
    Fragment computed;
    bool isTranspose = false;
    std::function<Slot(Emitter& emit, HeldElements& operand, uint32_t row, uint32_t column)>
        element;
};

// Calls the helper function, which defines at.result.
void lowerWorkgroupExchange(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                            const WorkgroupExchange& exchange);

}  // namespace coopvk::rewrite
