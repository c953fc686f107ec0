// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadKHR and OpCooperativeMatrixStoreKHR as loads and stores of each lane's own
// elements.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// Both append to the writer's current block. The load defines load.result.
void lowerMatrixLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
void lowerMatrixStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

}  // namespace coopvk::rewrite
