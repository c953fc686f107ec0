// SPDX-License-Identifier: Apache-2.0
//
// Arrays in shared memory that only stage matrices: a shader stores elements there and loads
// matrices from there. Another type may take the place of their elements.
#pragma once

#include <functional>
#include <set>

#include "ir/emitter.hpp"
#include "ir/types.hpp"
#include "ir/users.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

class MatrixUses;

struct StagingArray {
    Id variable = 0;
    Id element = 0;            // a scalar or vector
    uint32_t bytes = 0;        // of an element: a power of two, at most 16
    uint64_t length = 0;       // elements
    std::set<Id> matrices;     // the types of matrices that are loaded
    std::vector<Id> pointers;  // to elements
};

// The arrays from which only matrices of types for which `isWanted` is true are loaded, with a
// constant layout and a stride; at least one.
std::vector<StagingArray> stagingArrays(const TypeTable& types, const Users& users,
                                        const std::function<bool(Id matrixType)>& isWanted);

// Such an array with other elements, its items:
//
//   shared u8vec4 a[n];        shared uvec2 a[n];
//   a[i] = x;                  a[i] = convert(x);
struct RetypedArray {
    StagingArray array;
    Id item = 0;         // a scalar or vector
    uint32_t items = 1;  // in place of each element
    std::function<std::vector<Id>(Emitter& emit, Id element)> convert;
};

// Changes the arrays and all accesses to them, but not the types of matrices. Strides and indices
// count items from then on.
void retypeArrays(TypeTable& types, std::span<const RetypedArray> arrays);

// Shared memory from which a shader only loads f16 matrices for products with f32 sums has f32 in
// their place. Then each element is converted once, when the shader writes it, and not by each
// invocation that multiplies it. All values stay the same. The memory takes twice as many bytes.

// Changes such arrays, and the types of these matrices. Returns whether there were any, on a device
// that is faster so (docs/developers/benchmarks.md) and has room for all of them. `uses` holds no
// more then.
bool holdSharedSingles(TypeTable& types, const PlannedTarget& target, const MatrixUses& uses);

// Shared memory from which a shader only loads matrices of 8-bit floats, all of one format, for
// products has f16 in their place, in the same way.

bool holdSharedHalves(TypeTable& types, const PlannedTarget& target, const MatrixUses& uses);
// An array of 8-bit floats of a format with f16 in their place, in items of at most so many bytes.
RetypedArray withHalves(TypeTable& types, StagingArray array, Id format, uint32_t itemBytes = 16);

}  // namespace coopvk::rewrite
