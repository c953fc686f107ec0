// SPDX-License-Identifier: Apache-2.0
//
// Large vectors in variables: Private variables become Function variables, and parameters and
// results of helper functions become pointers.
#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

Function* entryFunction(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.size() != 1) return nullptr;
    const auto found = std::ranges::find(module.functions(), entries[0]->word(1),
                                         [](const auto& function) { return function->id(); });
    const bool hasBody = found != module.functions().end() && !(*found)->blocks.empty();
    return hasBody ? found->get() : nullptr;
}

bool isPlainlyUsed(const Module& module, const Users& users, Id pointer, std::vector<Id>& chains) {
    std::unordered_set<Id> known = {pointer};
    std::vector<Id> pointers = {pointer};  // chains may be too long for recursion
    const auto isPlainUse = [&](const Usage& use) {
        const Instruction& i = *use.user;
        if (isNonSemantic(module, i)) return true;
        if (use.operand != 0) return false;
        if (i.opcode == spv::Op::OpLoad || i.opcode == spv::Op::OpStore) return true;
        // In malformed modules a chain's base may be the chain.
        if (!isAccessChain(i.opcode) || !known.insert(i.result).second) return false;
        chains.push_back(i.result);
        pointers.push_back(i.result);
        return true;
    };
    while (!pointers.empty()) {
        const Id next = pointers.back();
        pointers.pop_back();
        if (!users.all(next, isPlainUse)) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Private variables

namespace {

// A large vector, or an array of them.
bool holdsLargeVectors(const VectorContext& context, Id type) {
    const VectorType* vector = context.packed(type);
    if (vector != nullptr) return isLarge(*vector);
    const Instruction& def = context.module.def(type);
    return def.opcode == spv::Op::OpTypeArray && holdsLargeVectors(context, def.word(0));
}

}  // namespace

void makePrivateVectorsLocal(VectorContext& context) {
    Module& module = context.module;
    Function* entry = entryFunction(module);
    if (entry == nullptr) return;
    const Users all(module), users(*entry);
    InstructionList locals;
    std::vector<Id> pointers;
    for (InstructionPtr& i : module.section(Section::kGlobals)) {
        std::vector<Id> chains;
        if (i->opcode != spv::Op::OpVariable ||
            i->word(0) != static_cast<uint32_t>(spv::StorageClass::Private) ||
            !holdsLargeVectors(context, module.def(i->type).word(1)) ||
            users.of(i->result).size() != all.of(i->result).size() ||
            !isPlainlyUsed(module, users, i->result, chains)) {
            continue;
        }
        i->operands[0] = literal(spv::StorageClass::Function);
        pointers.push_back(i->result);
        pointers.insert(pointers.end(), chains.begin(), chains.end());
        for (const InstructionPtr& entryPoint : module.section(Section::kEntryPoints)) {
            std::erase(entryPoint->operands, idOperand(i->result));
        }
        locals.push_back(std::move(i));
    }
    std::erase(module.section(Section::kGlobals), nullptr);
    for (Id pointer : pointers) {
        Id& type = module.edit(pointer)->type;
        type = context.types.pointerType(spv::StorageClass::Function, module.def(type).word(1));
    }
    insertAt(entry->blocks.front()->body, 0, std::move(locals));
}

// ---------------------------------------------------------------------------------------------
// Parameters and results

namespace {

class HelperRewriter {
 public:
    HelperRewriter(VectorContext& context, Function& function)
        : context_(context), function_(function), users_(function) {}

    PointerHelper run() {
        PointerHelper helper;
        for (const InstructionPtr& parameter : function_.parameters) {
            helper.isPointer.push_back(context_.largeVector(parameter->type) != nullptr &&
                                       takePointer(*parameter));
        }
        Instruction& definition = *function_.definition;
        if (context_.largeVector(definition.type) != nullptr && returnThroughPointer()) {
            helper.isResultPointer = true;
            definition.type = context_.types.voidType();
        }
        std::vector<Id> types;
        for (const InstructionPtr& parameter : function_.parameters) {
            types.push_back(parameter->type);
        }
        definition.operands[1] = idOperand(context_.types.functionType(definition.type, types));
        return helper;
    }

 private:
    bool isLocal(Id id) const {
        const Instruction& def = context_.module.def(id);
        return def.opcode == spv::Op::OpVariable &&
               def.operands == Operands{literal(spv::StorageClass::Function)};
    }

    // Whether nothing except `store` writes to a variable.
    bool isOnlyRead(Id pointer, const Instruction* store) {
        return users_.all(pointer, [&](const Usage& use) {
            const Instruction& i = *use.user;
            if (&i == store || i.opcode == spv::Op::OpLoad) return true;
            return i.opcode == spv::Op::OpAccessChain && use.operand == 0 &&
                   isOnlyRead(i.result, nullptr);
        });
    }

    // If a parameter is only stored to a variable, the variable becomes the parameter.
    bool takePointer(Instruction& parameter) {
        if (users_.of(parameter.result).size() != 1) return false;
        const Instruction* store = users_.of(parameter.result)[0].user;
        const Id variable = store->word(0);
        if (store->opcode != spv::Op::OpStore || store->word(1) != parameter.result ||
            !isLocal(variable) || !isOnlyRead(variable, store)) {
            return false;
        }
        parameter.type = context_.module.def(variable).type;
        remove({store, &context_.module.def(variable)});
        context_.module.forget({parameter.result});
        parameter.result = variable;
        context_.module.setDef(&parameter);
        return true;
    }

    // If the value returned is loaded from a variable, the variable becomes the first parameter.
    bool returnThroughPointer() {
        Block* last = nullptr;
        for (const auto& block : function_.blocks) {
            if (block->body.back()->opcode != spv::Op::OpReturnValue) continue;
            if (last != nullptr) return false;
            last = block.get();
        }
        if (last == nullptr) return false;
        const Instruction& value = context_.module.def(last->body.back()->word(0));
        const Id variable = value.word(0);
        if (value.opcode != spv::Op::OpLoad || users_.of(value.result).size() != 1 ||
            !isLocal(variable)) {
            return false;
        }
        auto parameter = makeInstruction(spv::Op::OpFunctionParameter,
                                         context_.module.def(variable).type, variable, {});
        remove({&value, &context_.module.def(variable)});
        context_.module.setDef(parameter.get());
        function_.parameters.insert(function_.parameters.begin(), std::move(parameter));
        last->body.back() = makeInstruction(spv::Op::OpReturn, 0, 0, {});
        return true;
    }

    void remove(std::initializer_list<const Instruction*> gone) {
        for (const auto& block : function_.blocks) {
            context_.module.takeOut(block->body, [&](const Instruction& i) {
                return std::ranges::find(gone, &i) != gone.end();
            });
        }
    }

    VectorContext& context_;
    Function& function_;
    const Users users_;
};

}  // namespace

PointerHelpers takeVectorsByPointer(VectorContext& context) {
    PointerHelpers helpers;
    for (const auto& function : context.newFunctions) {
        PointerHelper helper = HelperRewriter(context, *function).run();
        const bool any = helper.isResultPointer ||
                         std::ranges::find(helper.isPointer, true) != helper.isPointer.end();
        if (any) helpers[function->id()] = std::move(helper);
    }
    return helpers;
}

}  // namespace coopvk::rewrite
