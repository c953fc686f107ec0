// SPDX-License-Identifier: Apache-2.0
//
// Matrices of scope Subgroup that stay the driver's, in modules with instructions that the driver's
// do not have: reductions, per-element calls, loads and stores by tensor addresses. These depend on
// which invocation holds which element. So they take and give matrices that are distributed as
// layout.hpp says, and conversions through shared memory are around them:
//
//   C s = product(a, b, c)          C s = product(a, b, c); D t = convert(s)
//   C r = reduce(s)                 D u = reduce(t); C r = convert(u)
//
// The core back-end lowers D and the conversions, the native one then C.
#pragma once

#include "matrix/context.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

struct DriverMatrices {
    std::set<Id> types;        // that stay the driver's
    std::set<Id> distributed;  // in place of which others are distributed: the type of each
    uint32_t conversions = 0;
};

// Adds the conversions. A conversion of components that changes the use, too, becomes two.
// kUnsupported, with the reason, where the module depends on the elements of the driver's matrices.
Result<DriverMatrices> convertAroundDriver(TypeTable& types, const PlannedTarget& target);

// Whether such instructions take or give 8-bit floats, which the driver's matrices hold as f16.
bool distributesSmallFloats(const TypeTable& types);

// Reserves shared memory for all conversions. False: there is not enough.
bool reserveForDriver(MatrixContext& context);

// Whether a conversion is from or to one of the driver's matrices.
bool convertsDriver(const MatrixContext& context, const Instruction& conversion);
// OpCooperativeMatrixConvertNV and OpCooperativeMatrixTransposeNV of these.
void lowerDriverConversion(MatrixContext& context, MatrixWriter& writer, const Instruction& at);

}  // namespace coopvk::rewrite
