// SPDX-License-Identifier: Apache-2.0
//
// Accumulators with two layouts. In a module with a layout of elements (element_maps.hpp), they lie
// as the layout says where the module names their elements. Products may want another grid of
// lanes. So in regions, parts of functions around the loops that add products, accumulators have
// other types, which lie as products want. They are converted where a region begins and ends:
//
//   before:  sums = 0; for (...) sums = product(a, b, sums)
//            sums[e] += bias
//   after:   sums' = 0; for (...) sums' = product(a, b, sums'); sums = convert(sums')
//            sums[e] += bias
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// The accumulators of subgroups, and the types that have them.
class SumTypes {
 public:
    SumTypes(TypeTable& types, const MatrixUses& uses) : types_(types), module_(types.module()) {
        for (const auto& [type, d] : uses.types()) {
            if (d.isOfSubgroup() && d.use == Use::kAccumulator) all_.insert(type);
        }
        containers_ = typesWith(module_, {all_.begin(), all_.end()});
    }

    const std::set<Id>& all() const { return all_; }
    bool isSum(Id type) const { return all_.contains(type); }
    // Whether values of a type have accumulators, or point to some.
    bool has(Id type) const {
        const Instruction& i = module_.def(type);
        return containers_.contains(i.opcode == OpTypePointer ? i.word(1) : type);
    }

    // Whether it is an accumulator, an array of some, or a pointer of storage class Function to
    // one: other() knows such a type with the accumulators of products.
    bool isPlain(Id type) const {
        const Instruction* i = &module_.def(type);
        if (i->opcode == OpTypePointer) {
            if (storageOf(*i) != spv::StorageClass::Function) return false;
            i = &module_.def(i->word(1));
        }
        while (i->opcode == OpTypeArray) i = &module_.def(i->word(0));
        return isSum(i->result);
    }

    Id other(Id type) {
        if (const auto known = others_.find(type); known != others_.end()) return known->second;
        const Instruction i = module_.def(type);
        if (i.opcode == OpTypePointer) {
            return others_[type] =
                       types_.pointerType(spv::StorageClass::Function, other(i.word(1)));
        }
        Operands operands = i.operands;
        if (i.opcode == OpTypeArray) operands[0] = idOperand(other(i.word(0)));
        return others_[type] = types_.newType(i.opcode, std::move(operands));
    }

 private:
    TypeTable& types_;
    Module& module_;
    std::set<Id> all_;
    std::unordered_set<Id> containers_;
    std::map<Id, Id> others_;
};

inline bool isWhole(spv::Op opcode) {
    return isOneOf(opcode,
                   {OpVariable, OpLoad, OpStore, OpCopyObject, OpPhi, OpSelect, OpUndef,
                    OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpMatrixTimesScalar,
                    OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                    OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixConvertNV}) ||
           isArithmetic(opcode) || isConversion(opcode);
}

// Instructions that the layout of accumulators does not hinder outside of regions.
inline bool mayNameElements(spv::Op opcode) {
    return firstChainIndex(opcode) != 0 ||
           isOneOf(opcode, {OpCompositeExtract, OpCompositeInsert, OpFunctionCall, OpReturnValue});
}

// What an instruction does with accumulators.
enum class SumAccess {
    kNone,    // nothing
    kWhole,   // moves or computes whole ones: any layout suits it
    kNames,   // names elements, or leaves the function
    kUnlike,  // anything else, in which no other layout is known to work
};
inline SumAccess sumAccessOf(const Module& module, const SumTypes& sums, const Instruction& i) {
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

// Finds the regions and changes the types there, if all products of the module are in some, and
// their loops gain more than the conversions take. Returns the types of accumulators that keep the
// layout; none: nothing has changed.
std::set<Id> separateSums(TypeTable& types, const MatrixUses& uses, const PlannedTarget& target,
                          ElementLayout layout);

}  // namespace coopvk::rewrite
