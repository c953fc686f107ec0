// SPDX-License-Identifier: Apache-2.0
//
// The body of the helper function of a multiply-add: function(a, b, c).
#pragma once

#include "ir/control_flow.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Whether integer components are sign extended, rather than zero extended (Cooperative Matrix
// Operands).
struct Signs {
    bool a = false, b = false, c = false, result = false;
};

struct MulAdd {
    const MatrixType* a = nullptr;
    const MatrixType* b = nullptr;
    const MatrixType* c = nullptr;
    const MatrixType* result = nullptr;
    Signs signs;
    bool saturating = false;
    uint32_t operands = 0;  // Cooperative Matrix Operands
};

// Each of these emits the body, finishes the function and returns its id.
// Scope Subgroup: each lane multiplies its rows of A by its columns of B.
Id emitProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product);
// Scope Workgroup: for each slice of K, the invocations store A and B to shared memory, each
// component converted once to the type of the sums. Then each invocation multiplies its rows of A
// by its columns of B. 0 with context.error.
Id emitWorkgroupProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                        const Instruction& at);
// Scope Workgroup, with accumulators in tiles (tiles/tile_grid.hpp): the same, but each subgroup
// loads its rows of A and columns of B as tiles, and multiplies these. 0 with context.error.
Id emitTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                   const Instruction& at);
// The same in two parts: function(a, b, c) up to the last slice in shared memory, and
// function(sums) that multiplies this slice.
Id emitOpenedTileProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                         const Instruction& at);
Id emitTileProductEnd(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                      const Instruction& at);

}  // namespace coopvk::rewrite
