// SPDX-License-Identifier: Apache-2.0
//
// Functions that lower one instruction each. They define the instruction's result, or set
// context.error. Those that return a boolean return false where the instruction stays, perhaps
// changed in place.
#pragma once

#include "matrix/matrix_writer.hpp"

namespace coopvk::rewrite {

// OpCooperativeMatrixLoadKHR and OpCooperativeMatrixStoreKHR.
void lowerMatrixLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
void lowerMatrixStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

// OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load);
bool lowerLoadCondition(MatrixContext& context, MatrixWriter& writer, const Instruction& i);
void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store);

// OpCooperativeMatrixMulAddKHR: a call of a helper function, one for each combination of types.
void lowerMulAdd(MatrixContext& context, MatrixWriter& writer, const Instruction& mulAdd);
// OpCopyObject that ends an opened product (tensor/load_prefetch.hpp).
bool lowerProductEnd(MatrixContext& context, MatrixWriter& writer, const Instruction& copy);

// OpCooperativeMatrixConvertNV: changes the use (A, B, accumulator) of a matrix.
void lowerRoleConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);
// The same where one of both types is an array of tiles (tiles/tile_grid.hpp).
void lowerTileConversion(MatrixContext& context, MatrixWriter& writer,
                         const Instruction& conversion);
// OpFConvert and the other conversions. They may also change the use, from an accumulator to A or B
// (SPV_NV_cooperative_matrix2).
bool lowerConversion(MatrixContext& context, MatrixWriter& writer, Instruction& conversion);

// OpCooperativeMatrixTransposeNV and OpCooperativeMatrixReduceNV.
void lowerTransposition(MatrixContext& context, MatrixWriter& writer, const Instruction& transpose);
void lowerReduction(MatrixContext& context, MatrixWriter& writer, const Instruction& reduce);

// OpCooperativeMatrixPerElementOpNV and OpCooperativeMatrixGetCoordinateEXT.
void lowerPerElement(MatrixContext& context, MatrixWriter& writer, const Instruction& call);
void lowerGetCoordinate(MatrixContext& context, MatrixWriter& writer, const Instruction& query);

// OpCompositeConstructCoopMatQCOM and OpCompositeExtractCoopMatQCOM: each invocation has an array;
// that of invocation i is row i of A or of an accumulator, or column i of B.
void lowerConstructFromRows(MatrixContext& context, MatrixWriter& writer,
                            const Instruction& construct);
void lowerExtractRows(MatrixContext& context, MatrixWriter& writer, const Instruction& extract);

// Composites and element-wise instructions, as those of other packed types; and what only matrices
// have of these: open sums (open_sums.hpp) and components of 4 bits.
// OpCompositeExtract and OpCompositeInsert.
bool lowerMatrixIndices(MatrixContext& context, Emitter& emit, Instruction& instruction);
bool lowerMatrixChain(MatrixContext& context, Emitter& emit, Instruction& chain);
bool lowerMatrixConversion(MatrixContext& context, Emitter& emit, const Instruction& conversion);
void lowerMatrixConstants(MatrixContext& context);

}  // namespace coopvk::rewrite
