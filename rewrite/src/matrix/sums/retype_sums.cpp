// SPDX-License-Identifier: Apache-2.0
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "matrix/sums/sum_moves.hpp"

namespace coopvk::rewrite {

namespace {

class SumRetyper {
 public:
    SumRetyper(TypeTable& types, SumTypes& sums, Function& function)
        : types_(types), module_(types.module()), sums_(sums), function_(function) {}

    void run(const SumMoves& m) {
        inside_.clear();
        outside_.clear();
        for (const Id constant : m.constants) inside_[constant] = otherConstant(constant);
        for (const Id variable : m.variables) inside_[variable] = otherVariable(variable);
        InstructionList before = movesIn(m), behind = movesOut(m);
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) {
                const bool isInside = m.inside.contains(i.get());
                if (isInside && sums_.has(i->type)) i->type = sums_.other(i->type);
                replaceOperands(*i, isInside ? inside_ : outside_);
            }
        }
        insert({m.region.merge, endOfPhis(*function_.blocks[m.region.merge])}, std::move(behind));
        insert(m.region.begin, std::move(before));
    }

    // Each variable is behind the other one: the order tells drivers which registers to take.
    void finish() {
        InstructionList& body = function_.blocks[0]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            const auto found = variables_.find(body[at]->result);
            if (found == variables_.end() || !found->second) continue;
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(at + 1),
                        std::move(found->second));
        }
    }

 private:
    using Replacements = std::unordered_map<Id, Id>;

    static void replaceOperands(Instruction& i, const Replacements& by) {
        for (Operand& o : i.operands) {
            const auto found = o.isId ? by.find(o.word) : by.end();
            if (found != by.end()) o.word = found->second;
        }
    }

    void insert(Position at, InstructionList list) {
        InstructionList& body = function_.blocks[at.block]->body;
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(at.at),
                    std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
    }

    // Each matrix of a value, or of a variable, in a composite of the type `to`.
    Id converted(Emitter& emit, Id value, Id from, Id to) {
        const Instruction& type = module_.def(to);
        if (type.opcode != OpTypeArray) return emit.op(OpCooperativeMatrixConvertNV, to, {value});
        const Id part = module_.def(from).word(0), otherPart = type.word(0);
        const uint64_t count = module_.constantValue(type.word(1)).value_or(0);
        std::vector<Id> parts;
        for (uint32_t i = 0; i < count; ++i) {
            parts.push_back(converted(emit, emit.extract(part, value, {i}), part, otherPart));
        }
        return emit.construct(to, parts);
    }

    struct Variable {
        Id id, type;  // of what it holds
    };
    void copy(Emitter& emit, Variable from, Variable to, const std::vector<Id>& indices) {
        const Instruction type = module_.def(from.type);
        if (type.opcode == OpTypeArray) {
            const uint64_t count = module_.constantValue(type.word(1)).value_or(0);
            const Id part = type.word(0), otherPart = module_.def(to.type).word(0);
            for (uint32_t i = 0; i < count; ++i) {
                std::vector<Id> further = indices;
                further.push_back(emit.constant(i));
                copy(emit, {from.id, part}, {to.id, otherPart}, further);
            }
            return;
        }
        const auto pointer = [&](const Variable& variable) {
            std::vector<Id> ids = {variable.id};
            ids.insert(ids.end(), indices.begin(), indices.end());
            return indices.empty() ? variable.id : emit.chain(variable.type, ids);
        };
        const Id value = emit.load(from.type, pointer(from));
        emit.store(pointer(to), converted(emit, value, from.type, to.type));
    }

    InstructionList movesIn(const SumMoves& m) {
        InstructionList list;
        Emitter emit(types_, list);
        for (const Id value : m.valuesIn) {
            const Id type = emit.typeOf(value);
            inside_[value] = converted(emit, value, type, sums_.other(type));
        }
        for (const Id id : m.variablesIn) {
            const Id type = module_.pointee(id);
            // In the first turn of a loop around the region it may have no value yet.
            Instruction& variable = *module_.edit(id);
            if (variable.operands.size() == 1)
                variable.operands.push_back(idOperand(types_.constantNull(type)));
            copy(emit, {id, type}, {inside_.at(id), sums_.other(type)}, {});
        }
        return list;
    }

    InstructionList movesOut(const SumMoves& m) {
        InstructionList list;
        Emitter emit(types_, list);
        for (const Id value : m.valuesOut) {
            const Id type = emit.typeOf(value);
            outside_[value] = converted(emit, value, sums_.other(type), type);
        }
        for (const Id id : m.variablesOut) {
            const Id type = module_.pointee(id);
            copy(emit, {inside_.at(id), sums_.other(type)}, {id, type}, {});
        }
        return list;
    }

    Id otherConstant(Id constant) {
        Instruction i = module_.def(constant);
        const Id type = sums_.other(i.type);
        if (i.opcode == OpConstantNull) return types_.constantNull(type);
        for (Operand& o : i.operands) {
            if (o.isId && sums_.has(module_.def(o.word).type)) o.word = otherConstant(o.word);
        }
        const Id id = module_.takeId();
        module_.append(Section::kGlobals,
                       makeInstruction(i.opcode, type, id, std::move(i.operands)));
        return id;
    }

    // One for all regions of the function.
    Id otherVariable(Id variable) {
        InstructionPtr& other = variables_[variable];
        if (other) return other->result;
        other = makeInstruction(OpVariable, sums_.other(module_.def(variable).type),
                                module_.takeId(), {literal(spv::StorageClass::Function)});
        module_.setDef(other.get());
        return other->result;
    }

    TypeTable& types_;
    Module& module_;
    SumTypes& sums_;
    Function& function_;
    Replacements inside_, outside_;
    std::unordered_map<Id, InstructionPtr> variables_;  // by that of the layout
};

}  // namespace

void retypeSums(TypeTable& types, SumTypes& sums, Function& function,
                std::span<const SumMoves> moves) {
    SumRetyper retyper(types, sums, function);
    for (const SumMoves& m : moves) retyper.run(m);
    retyper.finish();
}

}  // namespace coopvk::rewrite
