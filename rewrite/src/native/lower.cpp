// SPDX-License-Identifier: Apache-2.0
#include "native/lower.hpp"

#include "ir/opcodes.hpp"
#include "lowering/packed.hpp"
#include "lowering/words.hpp"
#include "native/context.hpp"

namespace coopvk::rewrite {

std::vector<Id> NativeContext::packsOf(Emitter& emit, const PackedType& type, Id value) {
    if (packed(type.id) == nullptr) return {value};
    return PackedContext::packsOf(emit, type, value);
}

void NativeContext::fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> tiles,
                              Id result) {
    if (packed(type.id) != nullptr) return PackedContext::fromPacks(emit, type, tiles, result);
    emit.op(spv::Op::OpCopyObject, type.id, idOperands(tiles), result);
}

namespace {

bool lowerTiledMulAdd(NativeContext& context, Emitter& emit, const Instruction& mulAdd) {
    const TiledType* a = context.matrixOfValue(mulAdd.word(0));
    const TiledType* b = context.matrixOfValue(mulAdd.word(1));
    const TiledType* c = context.matrixOfValue(mulAdd.word(2));
    const TiledType* result = context.plan.type(mulAdd.type);
    if (a == nullptr || b == nullptr || c == nullptr || result == nullptr) {
        context.invalid(mulAdd, "operands are not cooperative matrices");
        return true;
    }
    if (!a->isTiled() && !b->isTiled() && !c->isTiled()) return false;
    const std::vector<Id> as = context.packsOf(emit, *a, mulAdd.word(0));
    const std::vector<Id> bs = context.packsOf(emit, *b, mulAdd.word(1));
    std::vector<Id> sums = context.packsOf(emit, *c, mulAdd.word(2));
    // K is the outer loop, so that consecutive products do not depend on each other.
    for (uint32_t k = 0; k < a->gridColumns(); ++k) {
        for (uint32_t t = 0; t < sums.size(); ++t) {
            const uint32_t row = t / result->gridColumns();
            const uint32_t column = t % result->gridColumns();
            Operands operands = {idOperand(as[row * a->gridColumns() + k]),
                                 idOperand(bs[k * b->gridColumns() + column]), idOperand(sums[t])};
            append(operands, operandsBehind(mulAdd, 3));
            sums[t] =
                emit.op(spv::Op::OpCooperativeMatrixMulAddKHR, result->pack, std::move(operands));
        }
    }
    context.fromPacks(emit, *result, sums, mulAdd.result);
    return true;
}

OpcodeTable<NativeFunction> nativeTable() {
    using enum spv::Op;
    OpcodeTable<NativeFunction> table;
    table.add<lowerNativeLoad>({OpCooperativeMatrixLoadKHR});
    table.add<lowerNativeStore>({OpCooperativeMatrixStoreKHR});
    table.add<lowerTiledMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<lowerNativeLength>({OpCooperativeMatrixLengthKHR});
    table.add<lowerNativeUse>({OpCooperativeMatrixConvertNV});
    table.add<lowerConstructFromLines>({OpCompositeConstructCoopMatQCOM});
    table.add<lowerExtractLines>({OpCompositeExtractCoopMatQCOM});
    table.add<lowerBitCastArray>({OpBitCastArrayQCOM});
    table.add<lowerExtractSubArray>({OpExtractSubArrayQCOM});
    table.add<lowerNativeCopy>({OpCopyMemory});
    table.add<lowerNativeUndef>({OpUndef, kOpPoison});
    addPackedComposites(table);
    table.add<lowerNativeExtract>({OpCompositeExtract});
    table.add<lowerNativeInsert>({OpCompositeInsert});
    table.add<lowerNativeChain>(kAccessChains);
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerElementWise>(kConversions);
    table.add<lowerElementWise>({OpMatrixTimesScalar});
    return table;
}

// Redefines types of several tiles as arrays of new types.
void lowerTypes(NativeContext& context) {
    TypeTable& types = context.types;
    for (auto& [id, type] : context.plan.types) {
        type.pack = id;
        type.count = type.gridRows() * type.gridColumns();
        type.shape = {type.rows, type.columns, static_cast<uint32_t>(type.use)};
        type.hasOpenCount = true;
        if (!type.isTiled()) continue;
        Instruction& definition = *context.module.edit(id);
        Operands tile = definition.operands;
        tile[2] = idOperand(types.constantU32(type.tileRows));
        tile[3] = idOperand(types.constantU32(type.tileColumns));
        type.pack = types.matrixType(std::move(tile));
        definition.opcode = spv::Op::OpTypeArray;
        definition.operands = {idOperand(type.pack), idOperand(types.constantU32(type.count))};
    }
}

}  // namespace

std::optional<Error> lowerToNative(TypeTable& types, const PlannedTarget& target, NativePlan plan,
                                   uint32_t subgroups) {
    NativeContext context(types, target, std::move(plan), subgroups);
    Module& module = context.module;
    reserveStaging(context);
    if (!context.staging.fits()) {
        return Error{ErrorCode::kUnsupported,
                     "conversions of matrices need more shared memory than the shader leaves"};
    }
    lowerTypes(context);
    lowerPackedConstants(context);
    const LengthConstants lengths = takeLengths(context);
    const OpcodeTable<NativeFunction> table = nativeTable();
    for (const auto& function : module.functions()) {
        if (!context.error) readLengths(context, lengths, *function);
        if (context.error) return context.error;
        NativeFunction lowering(context, *function);
        table.lower(lowering, *function);
    }
    if (context.error) return context.error;
    context.dropValueDecorations(false);
    context.addNewFunctions();
    module.removeCapability(spv::Capability::CooperativeMatrixConversionQCOM);
    module.removeExtension("SPV_QCOM_cooperative_matrix_conversion");
    if (context.plan.types.empty()) return context.error;
    module.addCapability(spv::Capability::CooperativeMatrixKHR);
    module.addExtension("SPV_KHR_cooperative_matrix");
    return context.error;
}

}  // namespace coopvk::rewrite
