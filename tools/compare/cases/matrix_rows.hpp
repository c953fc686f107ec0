// SPDX-License-Identifier: Apache-2.0
//
// Property rows of the cooperative matrix extensions, of both sides.
#pragma once

#include <map>

#include "compare/run/gpu.hpp"
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

struct MatrixRow {
    uint32_t m = 0, n = 0, k = 0;
    Component a, b, c, result;
    bool saturating = false;
    uint32_t workgroup = 0;  // invocations that share the matrices; 0: a subgroup does
    bool native = false, emulated = false;  // which sides list it

    bool sameAs(const MatrixRow& other) const {
        return m == other.m && n == other.n && k == other.k && a == other.a && b == other.b &&
               c == other.c && result == other.result && saturating == other.saturating &&
               workgroup == other.workgroup;
    }
};
// "16x8x16 f16 * f16 + f32 = f32", if needed with "saturating" after it and "workgroup of 128: "
// before it.
std::string nameOf(const MatrixRow& row);
std::string nameOf(const MatrixRow& row, const MatrixType& type);

// Whether shaders of this side may have matrices of the row's components. Those of bf16 and of
// 8-bit floats are features of other extensions.
bool mayHave(const Gpu& gpu, const MatrixRow& row);

struct MatrixRows {
    std::vector<MatrixRow> rows;  // the native side's first, in its order
    // How many rows are left out, by the reason.
    std::map<std::string, size_t> skipped;
};
// One of the sides may be missing.
MatrixRows matrixRows(Dialect dialect, const Gpu* native, const Gpu* emulated);

}  // namespace coopvk::compare
