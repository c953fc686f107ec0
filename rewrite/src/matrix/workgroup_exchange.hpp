// SPDX-License-Identifier: Apache-2.0
//
// Elements of matrices of scope Workgroup on their way to other invocations, through shared memory.
#pragma once

#include "ir/function_builder.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

// An element's bits, and its number among all that travel; both u32.
struct NumberedWord {
    Id number;
    Id word;
};

// Writes elements by number and reads others: `total` numbers, of which each has one writer. Only
// lanes where `writes` is true write (0: all). What has no room at once goes in several turns.
// All ids are defined in the function's first block. Empty with context.error.
std::vector<Id> exchangeWords(MatrixContext& context, FunctionBuilder& function,
                              const Instruction& at, uint32_t total, Id writes,
                              std::span<const NumberedWord> written, std::span<const Id> read);

// The numbers (u32) of a lane's elements by rows of `width` numbers: element (row, column) of the
// matrix has number row * width + column, or with them exchanged, column * width + row. By local
// row, then local column.
std::vector<Id> elementNumbers(Emitter& emit, GridPosition& position, const Fragment& fragment,
                               uint32_t width, bool exchanged);

}  // namespace coopvk::rewrite
