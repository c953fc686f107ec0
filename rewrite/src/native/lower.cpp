// SPDX-License-Identifier: Apache-2.0
#include "native/lower.hpp"

#include <algorithm>

#include "lowering/array_conversion.hpp"
#include "native/conversions.hpp"
#include "native/elements.hpp"
#include "native/lengths.hpp"
#include "native/memory.hpp"
#include "native/tiles.hpp"

namespace coopvk::rewrite {

namespace {

bool lowerMulAdd(NativeFunction& f, const Instruction& mulAdd) {
    const TiledType* types[] = {f.plan.type(mulAdd.type), f.typeOf(mulAdd.word(0)),
                                f.typeOf(mulAdd.word(1)), f.typeOf(mulAdd.word(2))};
    if (std::ranges::find(types, nullptr) != std::end(types)) {
        f.context.fail(ErrorCode::kInvalidModule, mulAdd, "operands are not cooperative matrices");
        return true;
    }
    if (std::ranges::none_of(types, &TiledType::isTiled)) return false;
    multiplyTiles(f.writer.emit(), f.plan, mulAdd);
    return true;
}

// False where the instruction stays, perhaps changed in place.
bool lowerInstruction(NativeFunction& f, Instruction& i) {
    Emitter& emit = f.writer.emit();
    switch (i.opcode) {
        case spv::Op::OpCooperativeMatrixLoadKHR:
            return lowerNativeLoad(f, i);
        case spv::Op::OpCooperativeMatrixStoreKHR:
            return lowerNativeStore(f, i);
        case spv::Op::OpCooperativeMatrixMulAddKHR:
            return lowerMulAdd(f, i);
        case spv::Op::OpCooperativeMatrixLengthKHR:
            return lowerNativeLength(f, i);
        case spv::Op::OpCooperativeMatrixConvertNV:
            lowerNativeRole(f, i);
            return true;
        case spv::Op::OpCompositeConstructCoopMatQCOM:
            lowerConstructFromLines(f, i);
            return true;
        case spv::Op::OpCompositeExtractCoopMatQCOM:
            lowerExtractLines(f, i);
            return true;
        case spv::Op::OpBitCastArrayQCOM:
            lowerBitCastArray(f.context, emit, i);
            return true;
        case spv::Op::OpExtractSubArrayQCOM:
            lowerExtractSubArray(f.context, emit, i);
            return true;
        case spv::Op::OpCopyMemory:
            return lowerNativeCopy(f, i);
        case spv::Op::OpUndef:
            return lowerNativeUndef(f, i);
        case spv::Op::OpCompositeExtract:
            return lowerNativeExtract(f, i);
        case spv::Op::OpCompositeInsert:
            return lowerNativeInsert(f, i);
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
            lowerNativeChain(f, i);
            return false;
        default:
            return mapTiles(emit, f.plan, i);
    }
}

void lowerFunction(NativeFunction f, LengthValues lengths, Function& function) {
    for (const auto& block : function.blocks) {
        f.writer.beginBlock(*block);
        for (InstructionPtr& i : block->body) {
            if (f.context.error) return;
            lengths.name(*i);
            if (lowerInstruction(f, *i)) {
                f.context.module.retire(std::move(i));
            } else {
                f.writer.keep(std::move(i));
            }
        }
        f.writer.endBlock();
    }
    f.writer.finish();
    if (function.blocks.empty()) return;
    lengths.finish(function);
    InstructionList& entry = function.blocks.front()->body;
    entry.insert(entry.begin(), std::make_move_iterator(f.variables.begin()),
                 std::make_move_iterator(f.variables.end()));
}

// Redefines tiled types as arrays of new tile types, and their constants with them.
void lowerTypes(LoweringContext& context, NativePlan& plan) {
    TypeTable& types = context.types;
    Module& module = context.module;
    for (auto& [id, type] : plan.types) {
        type.tile = id;
        if (!type.isTiled()) continue;
        Instruction& own = *module.edit(id);
        Operands tile = own.operands;
        tile[2] = idOperand(types.constantU32(type.tileRows));
        tile[3] = idOperand(types.constantU32(type.tileColumns));
        type.tile = types.matrixType(std::move(tile));
        own.opcode = spv::Op::OpTypeArray;
        own.operands = {idOperand(type.tile), idOperand(types.constantU32(type.tiles()))};
    }
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        const bool replicate = i.opcode == spv::Op::OpConstantCompositeReplicateEXT ||
                               i.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT;
        const bool composite = replicate || i.opcode == spv::Op::OpConstantComposite ||
                               i.opcode == spv::Op::OpSpecConstantComposite;
        const auto matrix = plan.types.find(i.type);
        if (!composite || matrix == plan.types.end() || !matrix->second.isTiled()) continue;
        const Id tile = module.takeId();
        Operands constituent = i.operands;
        const spv::Op opcode = i.opcode;
        i.operands.assign(replicate ? 1 : matrix->second.tiles(), idOperand(tile));
        module.append(Section::kGlobals,
                      makeInstruction(opcode, matrix->second.tile, tile, std::move(constituent)));
    }
}

}  // namespace

std::optional<Error> lowerToNative(LoweringContext& context, const NativePlan& plan,
                                   uint32_t subgroups) {
    NativePlan own = plan;
    Staging staging(context, subgroups);
    reserveStaging(context, own, staging);
    if (!staging.fits()) {
        return Error{ErrorCode::kUnsupported,
                     "matrices change their form in more shared memory than the device has beside "
                     "the shader's own"};
    }
    lowerTypes(context, own);
    const LengthConstants lengths = takeLengths(context);
    for (const auto& function : context.module.functions()) {
        if (context.error) return context.error;
        lowerFunction({context, context.types, own, staging, FunctionWriter(context, *function)},
                      {context, own, lengths}, *function);
    }
    if (context.error) return context.error;
    Module& module = context.module;
    context.addNewFunctions();
    module.removeCapability(spv::Capability::CooperativeMatrixConversionQCOM);
    module.removeExtension("SPV_QCOM_cooperative_matrix_conversion");
    module.addCapability(spv::Capability::CooperativeMatrixKHR);
    module.addExtension("SPV_KHR_cooperative_matrix");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
