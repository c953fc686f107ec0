// SPDX-License-Identifier: Apache-2.0
//
// Types of A and B for values that are only loaded, moved, stored and multiplied, beside equal
// types of others.
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/opcodes.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// Values of some types, and the variables of functions that hold them. Those between which values
// move belong together: all of them get another type, or none.
class FactorValues {
 public:
    FactorValues(TypeTable& types, const std::set<Id>& wanted, const AccessTest& mayAccess)
        : types_(types), module_(types.module()), wanted_(wanted), mayAccess_(mayAccess) {}

    // The types that were added.
    std::set<Id> separate() {
        for (const auto& function : module_.functions()) {
            for (const InstructionPtr& i : function->parameters) keep(i->result);
        }
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        while (!pending_.empty()) {
            const Id id = pending_.back();
            pending_.pop_back();
            for (const Id other : linked_[id]) keep(other);
        }
        for (const Id id : values_) {
            if (!kept_.contains(id)) retype(*module_.edit(id));
        }
        if (!added_.empty()) module_.visitBlocks([&](Instruction& i) { retypeZeros(i); });
        std::set<Id> all;
        for (const auto& [type, other] : added_) all.insert(other);
        return all;
    }

 private:
    // The matrix type of a value, or of what a variable holds; 0: none of these types.
    Id typeOf(Id id) const {
        const Instruction& i = module_.def(id);
        const bool isHeld =
            i.opcode == OpVariable && module_.storage(id) == spv::StorageClass::Function;
        const Id type = isHeld ? module_.pointee(id) : i.type;
        return wanted_.contains(type) ? type : 0;
    }
    bool hasZeros(Id id) const { return isZero(module_, id); }

    void visit(const Instruction& i) {
        if (typeOf(i.result) != 0) values_.push_back(i.result);
        if (isNonSemantic(module_, i)) return;
        switch (i.opcode) {
            case OpVariable:
                if (i.operands.size() > 1 && !hasZeros(i.word(1))) keep(i.result);
                return;
            case OpCooperativeMatrixLoadKHR:
                if (!mayAccess_(i)) keep(i.result);
                return;
            case OpCooperativeMatrixStoreKHR:
                if (!mayAccess_(i)) keep(i.word(1));
                return;
            case OpUndef:
            case OpCooperativeMatrixMulAddKHR:
                return;
            case OpLoad:
                return link(i.result, i.word(0));
            case OpStore:
                return link(i.word(1), i.word(0));
            case OpCopyObject:
            case OpPhi:
            case OpSelect:
                for (const Operand& o : i.operands) {
                    if (o.isId && typeOf(o.word) != 0) link(i.result, o.word);
                }
                return;
            default:
                keep(i.result);
                for (const Operand& o : i.operands) {
                    if (o.isId) keep(o.word);
                }
        }
    }

    // A value moves between both. Zeros have the type that the others want.
    void link(Id a, Id b) {
        if (hasZeros(a) || hasZeros(b)) return;
        if (typeOf(a) == 0 || typeOf(b) == 0 || isDeclaration(module_.def(a)) ||
            isDeclaration(module_.def(b))) {
            keep(a);
            return keep(b);
        }
        linked_[a].push_back(b);
        linked_[b].push_back(a);
    }

    void keep(Id id) {
        if (typeOf(id) != 0 && !hasZeros(id) && kept_.insert(id).second) pending_.push_back(id);
    }

    Id added(Id type) {
        Id& other = added_[type];
        if (other == 0)
            other = types_.newType(OpTypeCooperativeMatrixKHR, module_.def(type).operands);
        return other;
    }

    void retype(Instruction& i) {
        const Id type = added(typeOf(i.result));
        i.type =
            i.opcode == OpVariable ? types_.pointerType(spv::StorageClass::Function, type) : type;
    }

    // Zeros that go where the type has changed.
    void retypeZeros(Instruction& i) {
        const bool isStore = i.opcode == OpStore;
        if (!isStore && !isOneOf(i.opcode, {OpVariable, OpCopyObject, OpPhi, OpSelect})) return;
        const Instruction& target = module_.def(isStore ? i.word(0) : i.result);
        const Id type = target.opcode == OpVariable ? module_.pointee(target.result) : target.type;
        for (Operand& o : i.operands) {
            if (!o.isId || !hasZeros(o.word)) continue;
            const auto other = added_.find(module_.def(o.word).type);
            if (other != added_.end() && other->second == type) o.word = types_.constantNull(type);
        }
    }

    TypeTable& types_;
    Module& module_;
    const std::set<Id>& wanted_;
    const AccessTest& mayAccess_;
    std::vector<Id> values_;
    std::unordered_map<Id, std::vector<Id>> linked_;
    std::unordered_set<Id> kept_;
    std::vector<Id> pending_;
    std::map<Id, Id> added_;  // by the type that others keep
};

}  // namespace

size_t separateUnnamedFactors(TypeTable& types, const MatrixUses& uses) {
    std::set<Id> named;
    for (const auto& [type, d] : uses.types()) {
        if (!d.isOfSubgroup() || d.use == Use::kAccumulator) continue;
        if ((uses.facts(type) & (kHasElements | kAsksLength)) != 0) named.insert(type);
    }
    return separateFactors(types, named, [](const Instruction&) { return true; }).size();
}

std::set<Id> separateFactors(TypeTable& types, const std::set<Id>& wanted,
                             const AccessTest& mayAccess) {
    return wanted.empty() ? wanted : FactorValues(types, wanted, mayAccess).separate();
}

}  // namespace coopvk::rewrite
