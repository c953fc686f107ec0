// SPDX-License-Identifier: Apache-2.0
#include "matrix/lower.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/array_conversion.hpp"
#include "matrix/composite.hpp"
#include "matrix/elementwise.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/memory.hpp"
#include "matrix/mul_add.hpp"
#include "matrix/role_conversion.hpp"
#include "matrix/row_conversion.hpp"

namespace coopvk::rewrite {

namespace {

bool touchesMatrix(const MatrixContext& context, const Instruction& i) {
    if (isNonSemantic(context.module, i)) return false;
    if (context.matrix(i.type) != nullptr) return true;
    for (const Operand& operand : i.operands) {
        if (operand.isId && (context.matrixOfValue(operand.word) != nullptr ||
                             context.matrix(operand.word) != nullptr)) {
            return true;
        }
    }
    return false;
}

class FunctionLowering {
 public:
    FunctionLowering(MatrixContext& context, Function& function)
        : context_(context), function_(function), writer_(context, function) {}

    void run() {
        for (const auto& block : function_.blocks) {
            writer_.beginBlock(*block);
            for (InstructionPtr& instruction : block->body) {
                if (context_.error) return;
                lower(std::move(instruction));
            }
            writer_.endBlock();
        }
        writer_.finish();
    }

 private:
    void lower(InstructionPtr instruction) {
        switch (instruction->opcode) {
            case spv::Op::OpCooperativeMatrixLoadKHR:
                lowerMatrixLoad(context_, writer_, *instruction);
                break;
            case spv::Op::OpCooperativeMatrixStoreKHR:
                lowerMatrixStore(context_, writer_, *instruction);
                break;
            case spv::Op::OpCooperativeMatrixMulAddKHR:
                lowerMulAdd(context_, writer_.emit(), *instruction);
                break;
            case spv::Op::OpCooperativeMatrixConvertNV:
                lowerRoleConversion(context_, writer_, *instruction);
                break;
            case spv::Op::OpCompositeConstructCoopMatQCOM:
                lowerConstructFromRows(context_, writer_, *instruction);
                break;
            case spv::Op::OpCompositeExtractCoopMatQCOM:
                lowerExtractRows(context_, writer_, *instruction);
                break;
            case spv::Op::OpBitCastArrayQCOM:
                lowerBitCastArray(context_, writer_.emit(), *instruction);
                break;
            case spv::Op::OpExtractSubArrayQCOM:
                lowerExtractSubArray(context_, writer_.emit(), *instruction);
                break;
            case spv::Op::OpCooperativeMatrixLengthKHR:
                lowerLength(std::move(instruction));
                return;
            default:
                lowerOther(std::move(instruction));
                return;
        }
        context_.module.retire(std::move(instruction));
    }

    // A constant: it keeps its id and moves to the globals.
    void lowerLength(InstructionPtr instruction) {
        const MatrixType* matrix = context_.matrix(instruction->word(0));
        if (matrix == nullptr) {
            context_.fail(ErrorCode::kInvalidModule, *instruction,
                          "Type is not a cooperative matrix");
            return;
        }
        context_.module.append(Section::kGlobals,
                               makeInstruction(spv::Op::OpConstant, instruction->type,
                                               instruction->result, {literal(matrix->length())}));
    }

    void lowerOther(InstructionPtr instruction) {
        Emitter& emit = writer_.emit();
        if (lowerComposite(context_, emit, *instruction) ||
            lowerElementwise(context_, emit, *instruction)) {
            context_.module.retire(std::move(instruction));
            return;
        }
        if (!movesValues(instruction->opcode) && touchesMatrix(context_, *instruction)) {
            context_.fail(ErrorCode::kUnsupported, *instruction, "takes no cooperative matrix");
            return;
        }
        writer_.keep(std::move(instruction));
    }

    MatrixContext& context_;
    Function& function_;
    MatrixWriter writer_;
};

}  // namespace

namespace {

// A matrix has become an array, of which these decorations say nothing; some drivers reject them.
void dropDecorations(MatrixContext& context) {
    std::erase_if(context.module.section(Section::kAnnotations), [&](const InstructionPtr& i) {
        const auto decoration = static_cast<spv::Decoration>(i->word(1));
        return i->opcode == spv::Op::OpDecorate &&
               (decoration == spv::Decoration::RelaxedPrecision ||
                ArithmeticDecorations::contain(decoration)) &&
               context.matrixOfValue(i->word(0)) != nullptr;
    });
}

}  // namespace

std::optional<Error> lowerMatrices(MatrixContext& context) {
    Module& module = context.module;
    lowerMatrixTypes(context);
    if (context.error) return context.error;
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        lowerMatrixConstant(context, *globals[g]);
    }
    for (const auto& function : module.functions()) {
        if (context.error) return context.error;
        FunctionLowering(context, *function).run();
    }
    if (context.error) return context.error;
    dropDecorations(context);
    context.addNewFunctions();
    module.removeCapability(spv::Capability::CooperativeMatrixKHR);
    module.removeCapability(spv::Capability::CooperativeMatrixConversionQCOM);
    module.removeExtension("SPV_KHR_cooperative_matrix");
    module.removeExtension("SPV_QCOM_cooperative_matrix_conversion");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
