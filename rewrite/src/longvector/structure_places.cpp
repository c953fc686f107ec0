// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/structures.hpp"

namespace coopvk::rewrite {

StructurePlace StructurePlaces::element(const StructurePlace& place, Id index) const {
    StructurePlace part = place;
    part.type = memberType(context_.module, place.type, context_.module.constantValue(index));
    part.indices.push_back(index);
    return part;
}

StructurePlace StructurePlaces::member(const StructurePlace& place, uint32_t number) const {
    if (!place.constant) return element(place, emit().constant(number));
    const Id type = memberType(context_.module, place.type, number);
    const Instruction& def = context_.module.def(*place.constant);
    if (hasNoValue(def.opcode)) return {type, emit().op(def.opcode, type, Operands{})};
    const Id part = constituentOf(def, number);
    return {type, part != 0 ? part : context_.types.constantNull(type)};
}

StructurePlace StructurePlaces::member(const StructurePlace& place,
                                       std::span<const Operand> indices) const {
    StructurePlace part = place;
    for (const Operand& index : indices) part = member(part, index.word);
    return part;
}

uint32_t StructurePlaces::alignmentOf(Id type) const {
    const Module& module = context_.module;
    if (isPointerType(module.def(type).opcode)) return 8;
    if (hasParts(context_, type)) {
        uint32_t largest = 1;
        const bool isArray = module.def(type).opcode == OpTypeArray;
        const auto parts = isArray ? 1 : static_cast<uint32_t>(*memberCount(module, type));
        for (uint32_t m = 0; m < parts; ++m) {
            largest = std::max(largest, alignmentOf(memberType(module, type, m)));
        }
        return largest;
    }
    const Id column = module.def(type).opcode == OpTypeMatrix ? module.def(type).word(0) : type;
    return std::max(context_.types.width(column) / 8, 1u);
}

Id StructurePlaces::pointerTo(const StructurePlace& place) const {
    if (place.indices.empty()) return place.pointer;
    Module& module = context_.module;
    const Instruction& type = module.def(module.def(place.pointer).type);
    Id pointer;
    if (type.opcode == OpTypeUntypedPointerKHR) {
        std::vector<Id> ids = {place.pointee, place.pointer};
        ids.insert(ids.end(), place.indices.begin(), place.indices.end());
        pointer = emit().op(OpUntypedAccessChainKHR, type.result, idOperands(ids));
    } else {
        std::vector<Id> ids = {place.pointer};
        ids.insert(ids.end(), place.indices.begin(), place.indices.end());
        pointer = emit().chain(place.type, ids);
    }
    if (pathTo(module, place.pointer).nonUniform) {
        module.decorate(pointer, spv::Decoration::NonUniform);
    }
    return pointer;
}

Id StructurePlaces::load(const StructurePlace& place, Id type, std::optional<Id> result) const {
    if (place.constant && emit().typeOf(*place.constant) == type) {
        if (!result) return *place.constant;
        return emit().op(OpCopyObject, type, {*place.constant}, result);
    }
    if (!place.constant && place.type == type) {
        Operands operands = {idOperand(pointerTo(place))};
        append(operands, place.memory.forLoad(alignmentOf(type)));
        return emit().op(OpLoad, type, std::move(operands), result);
    }
    std::vector<Id> parts;
    for (uint32_t m = 0; m < memberCount(context_.module, type).value_or(0); ++m) {
        parts.push_back(load(member(place, m), memberType(context_.module, type, m)));
    }
    return emit().construct(type, parts, result);
}

void StructurePlaces::store(const StructurePlace& place, Id value) const {
    const Id type = emit().typeOf(value);
    if (place.type == type) {
        return emit().store(pointerTo(place), value, place.memory.forStore(alignmentOf(type)));
    }
    for (uint32_t m = 0; m < memberCount(context_.module, type).value_or(0); ++m) {
        const Id part = emit().extract(memberType(context_.module, type, m), value, {m});
        store(member(place, m), part);
    }
}

void StructurePlaces::copy(const StructurePlace& to, const StructurePlace& from) const {
    const Module& module = context_.module;
    const spv::Op opcode = module.def(from.constant.value_or(0)).opcode;
    if (hasNoValue(opcode)) return;
    if (!hasParts(context_, to.type)) return store(to, load(from, from.type));
    const auto count = static_cast<uint32_t>(*memberCount(module, to.type));
    const bool isArray = module.def(to.type).opcode == OpTypeArray;
    const bool areAlike = !from.constant || opcode == OpConstantNull;
    if (isArray && areAlike && count > kUnrolledComponents) {
        return writer_.loop(
            count,
            [&](Id index) {
                copy(element(to, index), from.constant ? member(from, 0) : element(from, index));
            },
            loopControl(count));
    }
    for (uint32_t m = 0; m < count; ++m) copy(member(to, m), member(from, m));
}

}  // namespace coopvk::rewrite
