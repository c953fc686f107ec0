// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV as loads and stores of each
// lane's own elements.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

// What makes tensor layouts and views.
void lowerTensorSetting(MatrixContext& context, Emitter& emit, const Instruction& i);

// Takes out what the module declares of the extensions.
void dropTensorDeclarations(Module& module);

}  // namespace coopvk::rewrite
