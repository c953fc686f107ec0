// SPDX-License-Identifier: Apache-2.0
#include "longvector/values.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

void LongVectorValues::each(const LongVector& vector,
                            const std::function<void(ComponentIndex)>& body) {
    if (vector.isLooped()) {
        return writer_.loop(
            vector.count, [&](Id counter) { body({counter, std::nullopt}); },
            loopControl(vector.count));
    }
    for (uint32_t c = 0; c < vector.count; ++c) body(index(c));
}

// Only blocks that nothing reaches read a value before it is defined.
Id LongVectorValues::variableOf(Id value) {
    const auto [found, isNew] = variables_.try_emplace(value, 0);
    if (isNew) found->second = slots_.declare(context_.module.def(value).type);
    return found->second;
}

Id LongVectorValues::newVariableFor(Id value) {
    const auto [found, isNew] = variables_.try_emplace(value, 0);
    if (isNew) {
        found->second = slots_.take(value, context_.module.def(value).type);
        owned_.insert(value);
    }
    return found->second;
}

void LongVectorValues::passVariable(Id from, Id to) {
    const Id variable = variables_.at(from);
    variables_[to] = variable;
    owned_.insert(to);
    slots_.pass(variable, to);
}

void LongVectorValues::own(Id value) {
    const Id slot = slots_.take(value, context_.module.def(value).type);
    copy(value, slot);
    variables_[value] = slot;
    owned_.insert(value);
}

bool LongVectorValues::isPlainConstant(Id value) const {
    const Instruction& def = context_.module.def(value);
    return isDeclaration(def) || hasNoValue(def.opcode);
}

Id LongVectorValues::pointerTo(Id value) {
    if (isPlaced(value) || !isPlainConstant(value)) {
        const Id variable = variableOf(value);
        const spv::Op opcode = context_.module.def(variable).opcode;
        const bool isArgument = (opcode == OpVariable || opcode == OpFunctionParameter) &&
                                context_.module.storage(variable) == spv::StorageClass::Function;
        if (isArgument) return variable;
    }
    const Id pointer = slots_.temporary(context_.vectorOfValue(value)->id);
    copy(value, pointer);
    return pointer;
}

Id LongVectorValues::constantVariable(const Instruction& constant) {
    Id& variable = context_.constants[constant.result];
    if (variable != 0) return variable;
    variable = globalVariable(context_.types, spv::StorageClass::Private, constant.type,
                              "coopvk_constant");
    context_.module.edit(variable)->operands.push_back(idOperand(constant.result));
    return variable;
}

Id LongVectorValues::constantComponent(const Instruction& constant, ComponentIndex at) {
    const LongVector& vector = *context_.vector(constant.type);
    if (constant.opcode == OpConstantNull) {
        return context_.types.constantNull(vector.component);
    }
    const Id first = constituentOf(constant, 0);
    if (at.known) return constituentOf(constant, *at.known);
    const bool areEqual =
        std::ranges::all_of(constant.operands, [&](const Operand& o) { return o.word == first; });
    if (areEqual) return first;
    const Id variable = constantVariable(constant);
    return emit().load(vector.component, emit().chain(vector.component, {variable, at.id}));
}

Id LongVectorValues::component(Id value, ComponentIndex at) {
    const Instruction& def = context_.module.def(value);
    const LongVector& vector = *context_.vector(def.type);
    if (hasNoValue(def.opcode)) return emit().op(def.opcode, vector.component, Operands{});
    if (isDeclaration(def)) return constantComponent(def, at);
    if (!vector.isCooperative) {
        const Id pointer = emit().chain(vector.component, {variableOf(value), at.id});
        return emit().load(vector.component, pointer);
    }
    if (at.known) return emit().extract(vector.component, value, {*at.known});
    return emit().op(OpVectorExtractDynamic, vector.component, {value, at.id});
}

std::vector<Id> LongVectorValues::components(Id value) {
    std::vector<Id> parts;
    for (uint32_t c = 0; c < context_.vectorOfValue(value)->count; ++c) {
        parts.push_back(component(value, index(c)));
    }
    return parts;
}

void LongVectorValues::store(Id value, ComponentIndex at, Id component) {
    const Id type = emit().typeOf(component);
    emit().store(emit().chain(type, {newVariableFor(value), at.id}), component);
}

void LongVectorValues::copy(Id value, Id pointer) {
    const Instruction& def = context_.module.def(value);
    if (hasNoValue(def.opcode)) return;
    const LongVector& vector = *context_.vector(def.type);
    each(vector, [&](ComponentIndex at) {
        const Id part = component(value, at);
        emit().store(emit().chain(vector.component, {pointer, at.id}), part);
    });
}

void LongVectorValues::defineByPointee(Id value, Id pointer) {
    const LongVector& vector = *context_.vectorOfValue(value);
    each(vector, [&](ComponentIndex at) {
        const Id from = emit().chain(vector.component, {pointer, at.id});
        store(value, at, emit().load(vector.component, from));
    });
}

void LongVectorValues::define(Id value, Id type, std::span<const Id> components) {
    if (context_.vector(type)->isCooperative) {
        emit().construct(type, components, value);
        return;
    }
    for (uint32_t c = 0; c < components.size(); ++c) store(value, index(c), components[c]);
}

Id LongVectorValues::componentPointer(Id pointer, const LongVector& vector, ComponentIndex at) {
    Module& module = context_.module;
    const Instruction& type = module.def(module.def(pointer).type);
    Id result;
    if (type.opcode == OpTypeUntypedPointerKHR) {
        result = emit().op(OpUntypedAccessChainKHR, type.result,
                           {context_.memoryType(vector), pointer, at.id});
    } else {
        result = emit().chain(vector.component, {pointer, at.id});
    }
    if (pathTo(module, pointer).nonUniform) {
        module.decorate(result, spv::Decoration::NonUniform);
    }
    return result;
}

Id LongVectorValues::whole(Id value, Id type) {
    const LongVector& vector = *context_.vectorOfValue(value);
    const spv::Op opcode = context_.module.def(value).opcode;
    if (hasNoValue(opcode)) return emit().op(opcode, type, Operands{});
    const bool isValue = vector.isCooperative || isPlainConstant(value);
    if (isValue && type == vector.id) return value;
    if (type == vector.id) return emit().load(type, variableOf(value));
    return emit().construct(type, components(value));
}

void LongVectorValues::defineByWhole(Id value, Id constituent) {
    const Id type = context_.module.def(value).type;
    if (emit().typeOf(constituent) == type) {
        return emit().store(newVariableFor(value), constituent);
    }
    define(value, type, emit().parts(constituent));
}

}  // namespace coopvk::rewrite
