// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

class HelperRewriter {
 public:
    HelperRewriter(VectorContext& context, Function& function)
        : context_(context), function_(function), users_(usersIn(function)) {}

    PointerHelper run() {
        PointerHelper helper;
        for (const InstructionPtr& parameter : function_.parameters) {
            helper.isPointer.push_back(context_.largeVector(parameter->type) != nullptr &&
                                       takePointer(*parameter));
        }
        helper.isResultPointer =
            context_.largeVector(function_.definition->type) != nullptr && returnThroughPointer();
        std::vector<Id> types;
        for (const InstructionPtr& parameter : function_.parameters) {
            types.push_back(parameter->type);
        }
        Instruction& definition = *function_.definition;
        if (helper.isResultPointer) definition.type = context_.types.voidType();
        definition.operands[1] = idOperand(context_.types.functionType(definition.type, types));
        return helper;
    }

 private:
    const std::vector<const Instruction*>& usersOf(Id id) { return users_[id]; }

    bool isLocal(Id id) const {
        const Instruction& def = context_.module.def(id);
        return def.opcode == spv::Op::OpVariable && def.operands.size() == 1 &&
               static_cast<spv::StorageClass>(def.word(0)) == spv::StorageClass::Function;
    }

    // Whether nothing but one store writes to a variable.
    bool isOnlyRead(Id pointer, const Instruction* store) {
        return std::ranges::all_of(usersOf(pointer), [&](const Instruction* i) {
            if (i == store || i->opcode == spv::Op::OpLoad) return true;
            return i->opcode == spv::Op::OpAccessChain && i->word(0) == pointer &&
                   isOnlyRead(i->result, nullptr);
        });
    }

    // The variable that a parameter is stored to becomes the parameter.
    bool takePointer(Instruction& parameter) {
        if (usersOf(parameter.result).size() != 1) return false;
        const Instruction* store = usersOf(parameter.result)[0];
        const Id variable = store->word(0);
        if (store->opcode != spv::Op::OpStore || store->word(1) != parameter.result ||
            !isLocal(variable) || !isOnlyRead(variable, store)) {
            return false;
        }
        parameter.type = context_.module.def(variable).type;
        takeOut(store);
        takeOut(&context_.module.def(variable));
        context_.module.forget({parameter.result});
        parameter.result = variable;
        context_.module.setDef(&parameter);
        return true;
    }

    // The variable whose value is returned becomes the first parameter.
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
        if (value.opcode != spv::Op::OpLoad || usersOf(value.result).size() != 1 ||
            !isLocal(variable)) {
            return false;
        }
        auto parameter = makeInstruction(spv::Op::OpFunctionParameter,
                                         context_.module.def(variable).type, variable, {});
        takeOut(&value);
        takeOut(&context_.module.def(variable));
        context_.module.setDef(parameter.get());
        function_.parameters.insert(function_.parameters.begin(), std::move(parameter));
        last->body.back() = makeInstruction(spv::Op::OpReturn, 0, 0, {});
        return true;
    }

    void takeOut(const Instruction* instruction) {
        for (const auto& block : function_.blocks) {
            for (InstructionPtr& i : block->body) {
                if (i.get() == instruction) context_.module.retire(std::move(i));
            }
            std::erase(block->body, nullptr);
        }
    }

    VectorContext& context_;
    Function& function_;
    Users users_;
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
