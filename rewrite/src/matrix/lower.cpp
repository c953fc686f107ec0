// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "lowering/packed.hpp"
#include "lowering/words.hpp"
#include "matrix/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/tensor_elements.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

using MatrixFunction = FunctionLowering<MatrixContext, MatrixWriter>;

// OpCooperativeMatrixLengthKHR: a constant, or of tiles the driver's length times their number.
void lowerLength(MatrixFunction& f, const Instruction& length) {
    const MatrixType* matrix = f.context.matrix(length.word(0));
    if (matrix == nullptr) return f.context.invalid(length, "Type is not a cooperative matrix");
    if (matrix->tiles) {
        const Id one = f.emit().op(OpCooperativeMatrixLengthKHR, length.type, {matrix->pack});
        const Id count = f.context.types.constant(length.type, matrix->count);
        f.emit().op(OpIMul, length.type, {one, count}, length.result);
        return;
    }
    f.context.module.append(
        Section::kGlobals,
        makeInstruction(OpConstant, length.type, length.result, {literal(matrix->length())}));
}

bool lowerRemainder(MatrixContext& context, Emitter& emit, const Instruction& i) {
    const MatrixType* matrix = context.matrix(i.type);
    if (matrix != nullptr && matrix->tiles) {
        return context.fail(ErrorCode::kUnsupported, i,
                            "the driver's matrices have no remainders of divisions");
    }
    return lowerElementWise(context, emit, i);
}

void lowerTensorSetting(MatrixContext& context, Emitter& emit, const Instruction& i) {
    lowerTensorValue(context, context.tensors, emit, i);
}

// Removes the extensions whose instructions are lowered, and their capabilities.
void dropDeclarations(const MatrixContext& context) {
    using enum spv::Capability;
    Module& module = context.module;
    for (const spv::Capability capability :
         {TensorAddressingNV, CooperativeMatrixTensorAddressingNV, CooperativeMatrixBlockLoadsNV,
          CooperativeMatrixDecodeVectorNV, CooperativeMatrixConversionQCOM}) {
        module.removeCapability(capability);
    }
    for (const char* extension :
         {"SPV_NV_tensor_addressing", "SPV_NV_cooperative_matrix_decode_vector",
          "SPV_QCOM_cooperative_matrix_conversion"}) {
        module.removeExtension(extension);
    }
    // The formats stay; other passes lower them.
    const bool hasTiles = context.tiles.hasTiles() || !context.driver.empty();
    const bool hasBFloat16Tiles =
        hasTiles && !context.target.emulated.contains(Extension::kKhrShaderBfloat16);
    for (const auto& [ofMatrices, ofType, stays] :
         {std::tuple(Float8CooperativeMatrixEXT, Float8EXT, false),
          std::tuple(BFloat16CooperativeMatrixKHR, BFloat16TypeKHR, hasBFloat16Tiles)}) {
        if (stays || !module.hasCapability(ofMatrices)) continue;
        module.removeCapability(ofMatrices);
        module.addCapability(ofType);
    }
    if (hasTiles) return;
    module.removeCapability(CooperativeMatrixKHR);
    module.removeExtension("SPV_KHR_cooperative_matrix");
}

OpcodeTable<MatrixFunction> matrixTable() {
    OpcodeTable<MatrixFunction> table;
    table.add<lowerMatrixLoad>({OpCooperativeMatrixLoadKHR});
    table.add<lowerMatrixStore>({OpCooperativeMatrixStoreKHR});
    table.add<lowerTensorLoad>({OpCooperativeMatrixLoadTensorNV});
    table.add<lowerLoadCondition>({OpUndef});
    table.add<lowerTensorStore>({OpCooperativeMatrixStoreTensorNV});
    table.add<lowerTensorSetting>(kTensorValues);
    table.add<lowerMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<lowerProductEnd>({OpCopyObject});
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
    table.add<lowerMatrixChain>(kTypedChains);
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerRemainder>(kRemainders);
    table.add<lowerElementWise>({OpMatrixTimesScalar, OpSelect});
    table.add<lowerConversion>(kConversions);
    return table;
}

// Lowers callbacks first: where a load copies its decode function, the copy is not lowered again.
void lowerFunctions(MatrixContext& context, const std::unordered_set<Id>& callbacks) {
    const OpcodeTable<MatrixFunction> table = matrixTable();
    for (const bool isCallback : {true, false}) {
        for (const auto& function : context.module.functions()) {
            if (callbacks.contains(function->id()) != isCallback) continue;
            if (context.error) return;
            MatrixFunction lowering(context, *function);
            table.lower(lowering, *function);
        }
    }
    for (auto& function : std::exchange(context.sharedLoads.waiting, {})) {
        if (context.error) return;
        MatrixFunction lowering(context, *function);
        table.lower(lowering, *function);
        context.newFunctions.push_back(std::move(function));
    }
}

bool hasMatrixLoads(const Module& module) {
    bool has = false;
    module.visitBlocks(
        [&](const Instruction& i) { has |= i.opcode == OpCooperativeMatrixLoadKHR; });
    return has;
}

}  // namespace

bool MatrixContext::isOfOthers(const Instruction& i) const {
    if (driver.empty() ||
        isOneOf(i.opcode, {OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV})) {
        return false;
    }
    const auto isDriver = [&](const Operand& o) {
        return o.isId && (driver.contains(o.word) || driver.contains(module.def(o.word).type));
    };
    return driver.contains(i.type) || std::ranges::any_of(i.operands, isDriver);
}

std::optional<Error> lowerMatrices(MatrixContext& context) {
    Module& module = context.module;
    const bool hasTiles = context.tiles.hasTiles();
    const DevicePlan& device = context.target.device;
    if (!hasTiles) shareTensorAccesses(context.types, device.prefersShortCode);
    lowerMatrixTypes(context);
    if (!hasTiles) forwardTensorValues(module);
    context.tensors = lowerTensorTypes(context, !hasTiles);
    const std::unordered_set<Id> callbacks = callbacksOf(context);
    if (context.error) return context.error;
    lowerMatrixConstants(context);
    if (!hasTiles) findStoredConversions(context);
    if (!hasTiles && !device.prefersShortCode) findSharedLoads(context);
    if (hasTiles) {
        context.openedProducts = prefetchTensorLoads(context.types, context.tensors);
    }
    if (!context.tensors.layouts.empty()) context.followedLoads = gatherTensorLoads(module);
    if (hasTiles) {
        context.loadVersions = duplicateLoads(context.types, context.followedLoads);
    }
    if (device.bitsLoadedInWords != 0 && hasMatrixLoads(module)) context.multiples.emplace(module);
    lowerFunctions(context, callbacks);
    if (context.error) return context.error;
    tellElements(context);
    std::unordered_set<Id> stored;  // nothing defines them any more
    for (const auto& conversion : context.storedConversions) stored.insert(conversion.first);
    module.forget(stored);
    context.dropValueDecorations();
    context.dropUniformDecorations();
    module.removeDecorations([](const Instruction& i) {
        return decorates(i, spv::Decoration::CooperativeMatrixTransposeEXT);
    });
    declareWorkgroupMemory(context);
    context.addNewFunctions();
    dropDeclarations(context);
    return context.error;
}

bool canReduceInSubgroups(const Module& module, const PlannedTarget& target) {
    const uint32_t width = localSize(module)[0];
    if (width == 0 || width % target.subgroupSize != 0 || !target.device.subgroupShuffle) {
        return false;
    }
    bool reduces = false;
    module.visitBlocks(
        [&](const Instruction& i) { reduces |= i.opcode == OpCooperativeMatrixReduceNV; });
    return reduces;
}

}  // namespace coopvk::rewrite
