// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

bool isConstant(spv::Op opcode) {
    return opcode == spv::Op::OpConstantComposite || opcode == spv::Op::OpConstantNull ||
           opcode == spv::Op::OpSpecConstantComposite;
}

// Walks a function's blocks. A value lies in a variable from where it is loaded from it, or stored
// to it, until something may write to that variable; at the end of the block that knowledge ends.
// The result of a helper lies in a variable of its own, a home, for as long as the value is used:
// the helper alone writes there, and what it wrote before is no longer a value then. Homes of
// values that only their own block uses are used again.
class CallRewriter {
 public:
    CallRewriter(VectorContext& context, Function& function, const PointerHelpers& helpers)
        : context_(context),
          function_(function),
          helpers_(helpers),
          users_(usersIn(function)),
          emit_(context.types, out_) {
        findLocals();
    }

    void run() {
        for (const auto& block : function_.blocks) {
            places_.clear();
            InstructionList body = std::move(block->body);
            positions_.clear();
            for (size_t i = 0; i < body.size(); ++i) positions_[body[i].get()] = i;
            for (size_t i = 0; i < body.size(); ++i) {
                releaseHomes(i);
                next_ = i + 1 < body.size() ? body[i + 1].get() : nullptr;
                takesNext_ = false;
                rewrite(std::move(body[i]));
                if (takesNext_) context_.module.retire(std::move(body[++i]));
            }
            releaseHomes(body.size());
            block->body = std::move(out_);
            out_.clear();
        }
        InstructionList& first = function_.blocks.front()->body;
        first.insert(first.begin(), std::make_move_iterator(variables_.begin()),
                     std::make_move_iterator(variables_.end()));
    }

 private:
    // Variables of this function that hold one large vector. An application may have several equal
    // pointer types; helpers take one.
    void findLocals() {
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (i->opcode != spv::Op::OpVariable) continue;
            const Id type = context_.module.def(i->type).word(1);
            std::vector<Id> chains;
            if (context_.largeVector(type) == nullptr ||
                !isPlainlyUsed(context_.module, users_, i->result, chains)) {
                continue;
            }
            context_.module.edit(i->result)->type = pointerTo(type);
            locals_.insert(i->result);
        }
    }

    bool isLocal(Id id) const { return locals_.contains(id); }

    Id pointerTo(Id type) { return context_.types.pointerType(spv::StorageClass::Function, type); }

    Id newVariable(Id type, Id initializer = 0) {
        Operands operands = {literal(spv::StorageClass::Function)};
        if (initializer != 0) operands.push_back(idOperand(initializer));
        const Id id = context_.module.takeId();
        variables_.push_back(
            makeInstruction(spv::Op::OpVariable, pointerTo(type), id, std::move(operands)));
        context_.module.setDef(variables_.back().get());
        return id;
    }

    // A variable for a value from here on.
    Id home(Id value, Id type) {
        std::vector<Id>& free = freeHomes_[type];
        const Id home = free.empty() ? newVariable(type) : free.back();
        if (!free.empty()) free.pop_back();
        size_t last = 0;
        for (const Instruction* user : users_[value]) {
            const auto position = positions_.find(user);
            if (position == positions_.end()) return home;
            last = std::max(last, position->second);
        }
        taken_.push_back({value, type, home, last});
        return home;
    }

    // Homes of values that the block's instructions from `position` on do not use.
    void releaseHomes(size_t position) {
        std::erase_if(taken_, [&](const TakenHome& taken) {
            if (taken.lastUse >= position) return false;
            freeHomes_[taken.type].push_back(taken.home);
            results_.erase(taken.value);
            return true;
        });
    }

    // The variable that a value lies in; 0 if there is none.
    Id knownPlace(Id value) const {
        if (const auto result = results_.find(value); result != results_.end()) {
            return result->second;
        }
        const auto place = places_.find(value);
        return place == places_.end() ? 0 : place->second;
    }

    Id placeOf(Id value) {
        if (const Id place = knownPlace(value)) return place;
        const Id type = emit_.typeOf(value);
        if (isConstant(context_.module.def(value).opcode)) {
            return results_[value] = newVariable(type, value);
        }
        // Values of other blocks get one in each: it may be a loop.
        const Id variable = newVariable(type);
        emit_.opVoid(spv::Op::OpStore, {idOperand(variable), idOperand(value)});
        places_[value] = variable;
        return variable;
    }

    void written(Id variable) {
        std::erase_if(places_, [&](const auto& entry) { return entry.second == variable; });
    }

    void rewrite(InstructionPtr i) {
        const auto helper =
            i->opcode == spv::Op::OpFunctionCall ? helpers_.find(i->word(0)) : helpers_.end();
        if (helper != helpers_.end()) {
            call(*i, helper->second);
        } else if (i->opcode == spv::Op::OpStore && copies(*i)) {
            // A copy from variable to variable, done.
        } else if (i->opcode == spv::Op::OpCompositeExtract && reads(*i)) {
            // The component alone is loaded, done.
        } else {
            keep(std::move(i));
            return;
        }
        context_.module.retire(std::move(i));
    }

    void keep(InstructionPtr i) {
        const Instruction& kept = *i;
        emit_.add(std::move(i));
        const bool plain = kept.operands.size() == (kept.opcode == spv::Op::OpStore ? 2 : 1);
        if (kept.opcode == spv::Op::OpLoad) {
            if (plain && isLocal(kept.word(0))) places_[kept.result] = kept.word(0);
            return;
        }
        if (isAccessChain(kept.opcode)) return;
        for (const Operand& operand : kept.operands) {
            if (operand.isId) written(rootOf(context_.module, operand.word));
        }
        if (kept.opcode == spv::Op::OpStore && plain && isLocal(kept.word(0))) {
            places_[kept.word(1)] = kept.word(0);
        }
    }

    // A store of what lies in another variable, or of a constant with equal components, is a loop.
    bool copies(const Instruction& store) {
        const Id to = store.word(0);
        if (!isLocal(to) || store.operands.size() != 2) return false;
        const Id from = knownPlace(store.word(1));
        if (from == to) return true;
        const VectorType& type =
            *context_.largeVector(context_.module.def(emit_.typeOf(to)).word(1));
        if (emit_.typeOf(store.word(1)) != type.id) return false;
        if (const Id pack = repeatedConstituent(context_, store.word(1), type.pack)) {
            const Id fill = fillFunction(context_, type);
            emit_.op(spv::Op::OpFunctionCall, context_.types.voidType(), {fill, to, pack});
        } else if (from != 0) {
            const Id copy = copyFunction(context_, type);
            emit_.op(spv::Op::OpFunctionCall, context_.types.voidType(), {copy, to, from});
        } else {
            return false;
        }
        written(to);
        return true;
    }

    bool reads(const Instruction& extract) {
        const Id place = context_.largeVector(emit_.typeOf(extract.word(0))) == nullptr
                             ? 0
                             : knownPlace(extract.word(0));
        if (place == 0) return false;
        Operands chain = {idOperand(place)};
        for (size_t o = 1; o < extract.operands.size(); ++o) {
            chain.push_back(idOperand(context_.types.constantU32(extract.word(o))));
        }
        const Id pointer =
            emit_.op(spv::Op::OpAccessChain, pointerTo(extract.type), std::move(chain));
        emit_.add(
            makeInstruction(spv::Op::OpLoad, extract.type, extract.result, {idOperand(pointer)}));
        return true;
    }

    void call(const Instruction& i, const PointerHelper& helper) {
        Operands operands = {i.operands[0]};
        for (size_t a = 0; a + 1 < i.operands.size(); ++a) {
            const Id argument = i.word(a + 1);
            operands.push_back(idOperand(helper.isPointer[a] ? placeOf(argument) : argument));
        }
        if (!helper.isResultPointer) {
            emit_.add(makeInstruction(i.opcode, i.type, i.result, std::move(operands)));
            return;
        }
        const Id result = resultPlace(i, operands);
        operands.insert(operands.begin() + 1, idOperand(result));
        emit_.op(i.opcode, context_.types.voidType(), std::move(operands));
        written(result);
        if (takesNext_) {
            context_.module.forget({i.result});
            return;
        }
        emit_.add(makeInstruction(spv::Op::OpLoad, i.type, i.result, {idOperand(result)}));
        results_[i.result] = result;
    }

    // The variable that the next instruction stores the result to, if nobody else wants the value
    // and the call does not read the variable; else a home.
    Id resultPlace(const Instruction& i, const Operands& operands) {
        const bool isStored = next_ != nullptr && next_->opcode == spv::Op::OpStore &&
                              next_->operands.size() == 2 && next_->word(1) == i.result &&
                              isLocal(next_->word(0)) && users_[i.result].size() == 1;
        if (!isStored) return home(i.result, i.type);
        const Operand variable = next_->operands[0];
        if (std::ranges::find(operands, variable) != operands.end()) return home(i.result, i.type);
        takesNext_ = true;
        return variable.word;
    }

    struct TakenHome {
        Id value, type, home;
        size_t lastUse;  // position in the block
    };

    VectorContext& context_;
    Function& function_;
    const PointerHelpers& helpers_;
    Users users_;
    InstructionList out_;
    Emitter emit_;
    InstructionList variables_;
    std::unordered_set<Id> locals_;
    std::map<Id, std::vector<Id>> freeHomes_;  // by type of the vector
    std::vector<TakenHome> taken_;
    std::unordered_map<const Instruction*, size_t> positions_;  // in this block
    std::map<Id, Id> results_;  // results of helpers -> their homes, constants -> their variables
    std::map<Id, Id> places_;   // values -> variables, in this block
    const Instruction* next_ = nullptr;
    bool takesNext_ = false;
};

}  // namespace

void passVectorsByPointer(VectorContext& context, Function& function,
                          const PointerHelpers& helpers) {
    if (function.blocks.empty()) return;
    CallRewriter(context, function, helpers).run();
    dropUnusedLoads(context, function);
    forwardCopies(context, function, helpers);
}

}  // namespace coopvk::rewrite
