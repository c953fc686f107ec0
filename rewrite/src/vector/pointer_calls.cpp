// SPDX-License-Identifier: Apache-2.0
//
// Passes large vectors by pointer in calls of helper functions.
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

// Rewrites a function's blocks in order, and tracks which variables hold which values. A variable
// holds a value after a load or a store of it, until something may write to the variable, or the
// block ends. For the result of a helper there is a result variable, to which only helpers write.
// It is free for the next result after the last use of the value, if all uses are in one block.
class CallRewriter {
 public:
    CallRewriter(VectorContext& context, Function& function, const PointerHelpers& helpers)
        : context_(context),
          function_(function),
          helpers_(helpers),
          users_(function),
          emit_(context.types, out_) {
        findLocals();
    }

    void run() {
        for (block_ = 0; block_ < function_.blocks.size(); ++block_) {
            holders_.clear();
            InstructionList body = std::move(function_.blocks[block_]->body);
            for (size_t i = 0; i < body.size(); ++i) {
                releaseVariables(i);
                next_ = i + 1 < body.size() ? body[i + 1].get() : nullptr;
                takesNext_ = false;
                rewrite(std::move(body[i]));
                if (takesNext_) context_.module.retire(std::move(body[++i]));
            }
            releaseVariables(body.size());
            function_.blocks[block_]->body = std::move(out_);
            out_.clear();
        }
        insertAt(function_.blocks.front()->body, 0, std::move(variables_));
    }

 private:
    // Finds the variables of this function that hold one large vector, and gives them the pointer
    // type that helpers take: applications may declare several equal ones.
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

    // A plain store to a variable of this function.
    bool isLocalStore(const Instruction& i) const {
        return i.opcode == spv::Op::OpStore && i.operands.size() == 2 && isLocal(i.word(0));
    }

    Id pointerTo(Id type) { return context_.types.pointerType(spv::StorageClass::Function, type); }

    void callVoid(Id function, std::initializer_list<Id> arguments) {
        emit_.call(context_.types.voidType(), function,
                   std::span(arguments.begin(), arguments.size()));
    }

    Id newVariable(Id type, Id initializer = 0) {
        Operands operands = {literal(spv::StorageClass::Function)};
        if (initializer != 0) operands.push_back(idOperand(initializer));
        const Id id = context_.module.takeId();
        variables_.push_back(
            makeInstruction(spv::Op::OpVariable, pointerTo(type), id, std::move(operands)));
        context_.module.setDef(variables_.back().get());
        return id;
    }

    // A free variable for a helper's result.
    Id resultVariable(Id value, Id type) {
        std::vector<Id>& free = freeVariables_[type];
        const Id variable = free.empty() ? newVariable(type) : free.back();
        if (!free.empty()) free.pop_back();
        size_t last = 0;
        for (const Usage& use : users_.of(value)) {
            if (use.position.block != block_) return variable;
            last = std::max(last, use.position.at);
        }
        taken_.push_back({value, type, variable, last});
        return variable;
    }

    // Frees the variables of values without uses from `position` in the block on.
    void releaseVariables(size_t position) {
        std::erase_if(taken_, [&](const TakenVariable& taken) {
            if (taken.lastUse >= position) return false;
            freeVariables_[taken.type].push_back(taken.variable);
            results_.erase(taken.value);
            return true;
        });
    }

    // The variable that holds a value; 0: none.
    Id knownHolder(Id value) const {
        for (const auto* known : {&results_, &holders_}) {
            if (const auto found = known->find(value); found != known->end()) return found->second;
        }
        return 0;
    }

    Id holderOf(Id value) {
        if (const Id holder = knownHolder(value)) return holder;
        const Id type = emit_.typeOf(value);
        if (isOneOf(context_.module.def(value).opcode,
                    {spv::Op::OpConstantComposite, spv::Op::OpConstantNull})) {
            return results_[value] = newVariable(type, value);
        }
        // For this block only: a loop may store another value to the variable.
        const Id variable = newVariable(type);
        emit_.store(variable, value);
        return holders_[value] = variable;
    }

    void forgetContents(Id variable) {
        std::erase_if(holders_, [&](const auto& entry) { return entry.second == variable; });
    }

    void rewrite(InstructionPtr i) {
        const auto helper =
            i->opcode == spv::Op::OpFunctionCall ? helpers_.find(i->word(0)) : helpers_.end();
        const bool isReplaced =
            helper != helpers_.end() ? replaceCall(*i, helper->second) : replaceAccess(*i);
        if (isReplaced) {
            context_.module.retire(std::move(i));
        } else {
            keep(std::move(i));
        }
    }

    bool replaceAccess(const Instruction& i) {
        if (i.opcode == spv::Op::OpCompositeExtract) return replaceExtract(i);
        if (i.opcode == spv::Op::OpLoad) return replaceLoad(i);
        return i.opcode == spv::Op::OpStore && replaceStore(i);
    }

    void keep(InstructionPtr i) {
        const Instruction& kept = *i;
        emit_.add(std::move(i));
        if (kept.opcode == spv::Op::OpLoad) {
            if (kept.operands.size() == 1 && isLocal(kept.word(0))) {
                holders_[kept.result] = kept.word(0);
            }
            return;
        }
        if (isAccessChain(kept.opcode)) return;
        for (const Operand& operand : kept.operands) {
            if (operand.isId) forgetContents(rootOf(context_.module, operand.word));
        }
        if (isLocalStore(kept)) holders_[kept.word(1)] = kept.word(0);
    }

    // Whether calls may pass a pointer to a variable that is not local.
    bool isElsewhere(Id pointer) const {
        return !isLocal(pointer) && isOneOf(context_.module.def(pointer).opcode,
                                            {spv::Op::OpVariable, spv::Op::OpFunctionParameter});
    }

    void copy(Id to, Id from, Id vector) {
        const VectorType& type = *context_.largeVector(vector);
        callVoid(copyFunction(context_, type, emit_.typeOf(to), emit_.typeOf(from)), {to, from});
        forgetContents(to);
    }

    // Stores a value that another variable holds, or a constant with equal components, in a loop.
    bool replaceStore(const Instruction& store) {
        const Id to = store.word(0), value = store.word(1);
        const VectorType* type = context_.largeVector(emit_.typeOf(value));
        if (store.operands.size() != 2 || type == nullptr || !(isLocal(to) || isElsewhere(to))) {
            return false;
        }
        const Id from = knownHolder(value);
        if (from == to) return true;
        const Id pack = isLocal(to) ? repeatedConstituent(context_, value, type->pack) : 0;
        if (pack != 0) {
            callVoid(fillFunction(context_, *type), {to, pack});
            forgetContents(to);
        } else if (from != 0) {
            copy(to, from, type->id);
        }
        return pack != 0 || from != 0;
    }

    // Copies a vector in a loop to a variable, if a call or a store takes it whole.
    bool replaceLoad(const Instruction& load) {
        const auto takesWhole = [](const Usage& use) {
            return isOneOf(use.user->opcode, {spv::Op::OpFunctionCall, spv::Op::OpStore});
        };
        if (context_.largeVector(load.type) == nullptr || load.operands.size() != 1 ||
            !isElsewhere(load.word(0)) || !users_.any(load.result, takesWhole)) {
            return false;
        }
        const Id variable = resultVariable(load.result, load.type);
        copy(variable, load.word(0), load.type);
        emit_.op(spv::Op::OpLoad, load.type, {variable}, load.result);
        results_[load.result] = variable;
        return true;
    }

    // Loads only the component from the variable that holds the composite.
    bool replaceExtract(const Instruction& extract) {
        if (context_.largeVector(emit_.typeOf(extract.word(0))) == nullptr) {
            return false;
        }
        const Id holder = knownHolder(extract.word(0));
        if (holder == 0) return false;
        std::vector<Id> chain = {holder};
        for (size_t o = 1; o < extract.operands.size(); ++o) {
            chain.push_back(emit_.constant(extract.word(o)));
        }
        emit_.op(spv::Op::OpLoad, extract.type, {emit_.chain(extract.type, chain)}, extract.result);
        return true;
    }

    bool replaceCall(const Instruction& i, const PointerHelper& helper) {
        std::vector<Id> arguments;
        for (size_t a = 0; a + 1 < i.operands.size(); ++a) {
            const Id argument = i.word(a + 1);
            arguments.push_back(helper.isPointer[a] ? holderOf(argument) : argument);
        }
        if (!helper.isResultPointer) {
            emit_.call(i.type, i.word(0), arguments, i.result);
            return true;
        }
        const Id result = resultPointer(i, arguments);
        arguments.insert(arguments.begin(), result);
        emit_.call(context_.types.voidType(), i.word(0), arguments);
        forgetContents(result);
        if (takesNext_) {
            context_.module.forget({i.result});
            return true;
        }
        emit_.op(spv::Op::OpLoad, i.type, {result}, i.result);
        results_[i.result] = result;
        return true;
    }

    // The target of the next instruction, if that stores the result, which has no other use, and
    // the call does not read the target; else a result variable.
    Id resultPointer(const Instruction& i, std::span<const Id> arguments) {
        takesNext_ = next_ != nullptr && isLocalStore(*next_) && next_->word(1) == i.result &&
                     users_.of(i.result).size() == 1 && next_->word(0) != i.word(0) &&
                     std::ranges::find(arguments, next_->word(0)) == arguments.end();
        return takesNext_ ? next_->word(0) : resultVariable(i.result, i.type);
    }

    struct TakenVariable {
        Id value, type, variable;
        size_t lastUse;  // position in the block
    };

    VectorContext& context_;
    Function& function_;
    const PointerHelpers& helpers_;
    const Users users_;
    InstructionList out_;
    Emitter emit_;
    InstructionList variables_;
    std::unordered_set<Id> locals_;
    std::map<Id, std::vector<Id>> freeVariables_;  // by type of the vector
    std::vector<TakenVariable> taken_;
    size_t block_ = 0;          // number of this block
    std::map<Id, Id> results_;  // variables of helpers' results and of constants, in the function
    std::map<Id, Id> holders_;  // variables that hold values, in this block
    const Instruction* next_ = nullptr;
    bool takesNext_ = false;  // the replacement of an instruction replaces the next one, too
};

}  // namespace

void passVectorsByPointer(VectorContext& context, Function& function,
                          const PointerHelpers& helpers) {
    if (function.blocks.empty()) return;
    CallRewriter(context, function, helpers).run();
    removeUnused(context.module, function, [&](const Instruction& i) {
        return i.opcode == spv::Op::OpLoad && context.largeVector(i.type) != nullptr &&
               i.operands.size() == 1;
    });
    forwardCopies(context, function, helpers);
}

}  // namespace coopvk::rewrite
