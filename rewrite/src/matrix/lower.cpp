// SPDX-License-Identifier: Apache-2.0
#include "matrix/lower.hpp"

#include "ir/opcodes.hpp"
#include "lowering/array_conversion.hpp"
#include "lowering/packed_composites.hpp"
#include "lowering/packed_elementwise.hpp"
#include "matrix/elements.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/memory.hpp"
#include "matrix/mul_add.hpp"
#include "matrix/open_sums.hpp"
#include "matrix/per_element.hpp"
#include "matrix/reduction.hpp"
#include "matrix/role_conversion.hpp"
#include "matrix/row_conversion.hpp"
#include "matrix/tensor_memory.hpp"
#include "matrix/transposition.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

namespace {

using MatrixFunction = FunctionLowering<MatrixContext, MatrixWriter>;

// A constant, which keeps its id and moves to the globals, but for tiles of the driver's.
void lowerLength(MatrixFunction& f, const Instruction& length) {
    const MatrixType* matrix = f.context.matrix(length.word(0));
    if (matrix == nullptr) {
        f.context.fail(ErrorCode::kInvalidModule, length, "Type is not a cooperative matrix");
        return;
    }
    if (matrix->tiles) {
        const Id one =
            f.emit().op(spv::Op::OpCooperativeMatrixLengthKHR, length.type, {matrix->pack});
        const Id count = f.context.types.constant(length.type, matrix->count);
        f.emit().add(makeInstruction(spv::Op::OpIMul, length.type, length.result,
                                     {idOperand(one), idOperand(count)}));
        return;
    }
    f.context.module.append(Section::kGlobals,
                            makeInstruction(spv::Op::OpConstant, length.type, length.result,
                                            {literal(matrix->length())}));
}

OpcodeTable<MatrixFunction> matrixTable() {
    using enum spv::Op;
    OpcodeTable<MatrixFunction> table;
    table.add<lowerMatrixLoad>({OpCooperativeMatrixLoadKHR});
    table.add<lowerMatrixStore>({OpCooperativeMatrixStoreKHR});
    table.add<lowerTensorLoad>({OpCooperativeMatrixLoadTensorNV});
    table.add<lowerTensorStore>({OpCooperativeMatrixStoreTensorNV});
    table.add<lowerTensorSetting>(kTensorValues);
    table.add<lowerMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<lowerLength>({OpCooperativeMatrixLengthKHR});
    table.add<lowerRoleConversion>({OpCooperativeMatrixConvertNV});
    table.add<lowerTransposition>({OpCooperativeMatrixTransposeNV});
    table.add<lowerReduction>({OpCooperativeMatrixReduceNV});
    table.add<lowerPerElement>({OpCooperativeMatrixPerElementOpNV});
    table.add<lowerGetCoordinate>({OpCooperativeMatrixGetCoordinateEXT});
    table.add<lowerConstructFromRows>({OpCompositeConstructCoopMatQCOM});
    table.add<lowerExtractRows>({OpCompositeExtractCoopMatQCOM});
    table.add<lowerBitCastArray>({OpBitCastArrayQCOM});
    table.add<lowerExtractSubArray>({OpExtractSubArrayQCOM});
    table.add<lowerSumAccess>({OpLoad, OpStore});
    addPackedComposites(table);
    table.add<lowerMatrixIndices>({OpCompositeExtract, OpCompositeInsert});
    table.add<lowerMatrixChain>(kAccessChains);
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerElementWise>({OpMatrixTimesScalar, OpSelect});
    table.add<lowerConversion>(kConversions);
    return table;
}

}  // namespace

std::optional<Error> lowerMatrices(MatrixContext& context) {
    Module& module = context.module;
    lowerMatrixTypes(context);
    context.tensors = lowerTensorTypes(context);
    if (context.error) return context.error;
    lowerMatrixConstants(context);
    const OpcodeTable<MatrixFunction> table = matrixTable();
    for (const auto& function : module.functions()) {
        if (context.error) return context.error;
        MatrixFunction lowering(context, *function);
        table.lower(lowering, *function);
    }
    if (context.error) return context.error;
    context.dropArithmeticDecorations();
    std::erase_if(module.section(Section::kAnnotations), [](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpDecorate &&
               spv::Decoration(i->word(1)) == spv::Decoration::CooperativeMatrixTransposeEXT;
    });
    declareWorkgroupMemory(context);
    context.addNewFunctions();
    dropTensorDeclarations(module);
    if (context.tiles.types.empty()) {
        module.removeCapability(spv::Capability::CooperativeMatrixKHR);
        module.removeExtension("SPV_KHR_cooperative_matrix");
    }
    module.removeCapability(spv::Capability::CooperativeMatrixConversionQCOM);
    module.removeExtension("SPV_QCOM_cooperative_matrix_conversion");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
