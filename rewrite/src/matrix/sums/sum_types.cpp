// SPDX-License-Identifier: Apache-2.0
#include "matrix/sums/sum_types.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

SumTypes::SumTypes(TypeTable& types, const MatrixUses& uses)
    : types_(types), module_(types.module()) {
    for (const auto& [type, d] : uses.types()) {
        if (d.isOfSubgroup() && d.use == Use::kAccumulator) all_.insert(type);
    }
    containers_ = typesWith(module_, {all_.begin(), all_.end()});
}

bool SumTypes::has(Id type) const {
    const Instruction& i = module_.def(type);
    return containers_.contains(i.opcode == OpTypePointer ? i.word(1) : type);
}

bool SumTypes::isPlain(Id type) const {
    const Instruction* i = &module_.def(type);
    if (i->opcode == OpTypePointer) {
        if (storageOf(*i) != spv::StorageClass::Function) return false;
        i = &module_.def(i->word(1));
    }
    while (i->opcode == OpTypeArray) i = &module_.def(i->word(0));
    return isSum(i->result);
}

Id SumTypes::other(Id type) {
    if (const auto known = others_.find(type); known != others_.end()) return known->second;
    const Instruction i = module_.def(type);
    if (i.opcode == OpTypePointer) {
        return others_[type] = types_.pointerType(spv::StorageClass::Function, other(i.word(1)));
    }
    Operands operands = i.operands;
    if (i.opcode == OpTypeArray) operands[0] = idOperand(other(i.word(0)));
    return others_[type] = types_.newType(i.opcode, std::move(operands));
}

namespace {

bool isWhole(spv::Op opcode) {
    return isOneOf(opcode,
                   {OpVariable, OpLoad, OpStore, OpCopyObject, OpPhi, OpSelect, OpUndef,
                    OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpMatrixTimesScalar,
                    OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                    OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixConvertNV}) ||
           isArithmetic(opcode) || isConversion(opcode);
}

// Instructions that the layout of accumulators does not hinder outside of regions.
bool mayNameElements(spv::Op opcode) {
    return firstChainIndex(opcode) != 0 ||
           isOneOf(opcode, {OpCompositeExtract, OpCompositeInsert, OpFunctionCall, OpReturnValue});
}

}  // namespace

SumAccess sumAccessOf(const Module& module, const SumTypes& sums, const Instruction& i) {
    bool touches = sums.has(i.type), arePlain = !touches || sums.isPlain(i.type);
    for (const Operand& o : i.operands) {
        const Id type = o.isId ? module.def(o.word).type : 0;
        if (type == 0 || !sums.has(type)) continue;
        touches = true;
        arePlain &= sums.isPlain(type);
    }
    if (!touches || isNonSemantic(module, i)) return SumAccess::kNone;
    if (mayNameElements(i.opcode)) {
        const bool isCall = isOneOf(i.opcode, {OpFunctionCall, OpReturnValue});
        const bool isInsert = i.opcode == OpCompositeInsert;
        const Id part = isInsert ? module.def(i.word(0)).type : i.type;
        return !isCall && arePlain && sums.has(part) ? SumAccess::kWhole : SumAccess::kNames;
    }
    if (!isWhole(i.opcode)) return SumAccess::kUnlike;
    return arePlain ? SumAccess::kWhole : SumAccess::kNames;
}

}  // namespace coopvk::rewrite
