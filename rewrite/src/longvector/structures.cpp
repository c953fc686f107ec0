// SPDX-License-Identifier: Apache-2.0
#include "longvector/structures.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/structure_function.hpp"

namespace coopvk::rewrite {

namespace {

// The members of a structure, or the elements of an array.
std::span<const Operand> partsOf(const Instruction& type) {
    return std::span(type.operands).first(type.opcode == OpTypeArray ? 1 : type.operands.size());
}

// Whether a type is, or has in it, one for which test(type) is true. `known`: of types so far,
// since structures may have the same part many times.
bool contains(const LongVectorContext& context, std::unordered_map<Id, bool>& known, Id type,
              const std::function<bool(Id)>& test) {
    if (test(type)) return true;
    if (!hasParts(context, type)) return false;
    if (const auto found = known.find(type); found != known.end()) return found->second;
    return known[type] = std::ranges::any_of(
               partsOf(context.module.def(type)),
               [&](const Operand& o) { return contains(context, known, o.word, test); });
}

}  // namespace

bool hasParts(const LongVectorContext& context, Id type) {
    if (context.vector(type) != nullptr) return false;
    const Instruction& def = context.module.def(type);
    return def.opcode == OpTypeStruct ||
           (def.opcode == OpTypeArray && context.module.constantValue(def.word(1)).has_value());
}

SplitTypes::SplitTypes(LongVectorContext& context) : context_(context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (!hasParts(context, i->result)) continue;
        if (hasCooperativeVector(i->result)) exclude(i->result);
        if (!isLaidOut(context.module, *i)) declared_.try_emplace(keyOf(*i), i->result);
    }
}

void SplitTypes::exclude(Id type) {
    if (!hasParts(context_, type) || !split_.try_emplace(type, false).second) return;
    for (const Operand& o : partsOf(context_.module.def(type))) exclude(o.word);
}

bool SplitTypes::hasLongVector(Id type) const {
    return contains(context_, hasLong_, type, [&](Id part) {
        const LongVector* vector = context_.lowered(part);
        return vector != nullptr && vector->isLooped();
    });
}

bool SplitTypes::hasCooperativeVector(Id type) const {
    return contains(context_, hasCooperative_, type, [&](Id part) {
        const LongVector* vector = context_.vector(part);
        return vector != nullptr && vector->isCooperative;
    });
}

bool SplitTypes::isSplit(Id type) const {
    const auto [found, isNew] = split_.try_emplace(type, false);
    if (isNew) {
        found->second = type != 0 && hasParts(context_, type) && hasLongVector(type);
    }
    return found->second;
}

std::vector<Id> SplitTypes::keyOf(const Instruction& type) const {
    std::vector<Id> key = {static_cast<uint32_t>(type.opcode)};
    for (const Operand& o : type.operands) key.push_back(o.word);
    if (type.opcode == OpTypeArray) {
        key[2] = static_cast<Id>(*context_.module.constantValue(type.word(1)));
    }
    return key;
}

Id SplitTypes::plain(Id type) {
    Module& module = context_.module;
    if (!hasParts(context_, type)) return type;
    if (const auto found = plain_.find(type); found != plain_.end()) return found->second;
    Instruction copy = module.def(type);
    const size_t parts = copy.opcode == OpTypeArray ? 1 : copy.operands.size();
    bool isPlain = !isLaidOut(module, copy);
    for (size_t m = 0; m < parts; ++m) {
        const Id part = plain(copy.word(m));
        isPlain &= part == copy.word(m);
        copy.operands[m].word = part;
    }
    Id& known = isPlain ? plain_[type] = type : declared_[keyOf(copy)];
    if (known == 0) {
        known = module.takeId();
        module.append(Section::kGlobals, makeInstruction(copy.opcode, 0, known, copy.operands));
    }
    return plain_[type] = known;
}

bool canSplitStructures(const SplitTypes& types, const Module& module) {
    std::unordered_set<Id> functions;  // with such parameters or results
    for (const auto& function : module.functions()) {
        const bool isOne = types.isSplit(function->definition->type) ||
                           std::ranges::any_of(function->parameters, [&](const InstructionPtr& p) {
                               return types.isSplit(p->type);
                           });
        if (isOne) functions.insert(function->id());
    }
    bool areKnown = true;
    module.visitBlocks([&](const Instruction& i) {
        const bool isCall = i.opcode == OpFunctionCall;
        bool isOnSplit = types.isSplit(i.type) && i.opcode != OpVariable;
        for (size_t o = 0; o < i.operands.size(); ++o) {
            if (!i.operands[o].isId) continue;
            isOnSplit |= types.isSplitValue(i.word(o));
            // Other instructions call functions, too.
            if (functions.contains(i.word(o)) && !(isCall && o == 0) && !isNonSemantic(module, i)) {
                areKnown = false;
            }
        }
        if (isOnSplit && !StructureFunction::lowers(module, i)) areKnown = false;
    });
    return areKnown;
}

void splitStructures(LongVectorContext& context) {
    Module& module = context.module;
    SplitTypes types(context);
    if (!canSplitStructures(types, module)) return;
    // Parameters have the types of the module's variables, which need no copies then.
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypePointer && storageOf(*i) == spv::StorageClass::Function &&
            types.isSplit(i->word(1))) {
            context.pointers.try_emplace(i->word(1), i->result);
        }
    }
    lowerFunctions(
        context, [&](Id type) { return types.isSplit(type); },
        [&](Function& function) { StructureFunction(context, types, function).lower(); });
}

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
