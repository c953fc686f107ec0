// SPDX-License-Identifier: Apache-2.0
//
// Instructions on structures that are split.
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/structure_function.hpp"

namespace coopvk::rewrite {

// Only blocks that nothing reaches read a value before it is defined.
StructurePlace StructureFunction::placeOf(Id value) {
    if (const auto found = placed_.find(value); found != placed_.end()) return found->second;
    const Instruction& def = module_.def(value);
    if (isDeclaration(def) || hasNoValue(def.opcode)) return places_.constant(value);
    const Id type = types_.plain(def.type);
    return placed_[value] = places_.behind(slots_.declare(type), type);
}

StructurePlace StructureFunction::slotFor(Id value) {
    const Id type = types_.plain(module_.def(value).type);
    const StructurePlace slot = places_.behind(slots_.take(value, type), type);
    placed_[value] = slot;
    owned_.insert(value);
    return slot;
}

StructurePlace StructureFunction::newPlaceFor(Id value) {
    const auto target = targets_.find(value);
    if (target == targets_.end()) return slotFor(value);
    const Id variable =
        locals_.isLocal(target->second) ? locals_.slotOf(target->second) : target->second;
    ownLoads([&](const Load& load) { return load.root == variable; });
    return placed_[value] = inVariable(variable);
}

void StructureFunction::setVariable(Id value, Id pointer) { placed_[value] = inVariable(pointer); }

void StructureFunction::own(Id value) {
    const StructurePlace from = placeOf(value);
    places_.copy(slotFor(value), from);
}

void StructureFunction::copyTo(Id value, Id pointer) {
    const StructurePlace place = placeOf(value);
    if (place.pointer != pointer) places_.copy(inVariable(pointer), place);
}

void StructureFunction::defineFrom(Id value, Id pointer) {
    places_.copy(slotFor(value), inVariable(pointer));
}

void StructureFunction::put(const StructurePlace& to, Id value) {
    if (types_.isSplitValue(value)) {
        places_.copy(to, placeOf(value));
    } else {
        places_.store(to, value);
    }
}

// A value is where another one is, or a part of that.
void StructureFunction::setAlias(Id value, const StructurePlace& place, Id of) {
    placed_[value] = place;
    const auto load = std::ranges::find(loads_, of, &Load::value);
    const bool isLoad = load != loads_.end();
    if (isLoad) {
        Load part = *load;
        part.value = value;
        loads_.push_back(part);
        slots_.pass(part.root, value);
    }
    const bool isParameter = module_.def(of).opcode == OpFunctionParameter;
    if (isLoad || isParameter || place.constant) return;
    // Copies to phis change the variables of these.
    if (!slots_.pass(place.pointer, value)) own(value);
}

Id StructureFunction::pointerTo(Id value) {
    const StructurePlace place = placeOf(value);
    const Id type = types_.plain(module_.def(value).type);
    const bool isWhole =
        !place.constant && place.indices.empty() &&
        isOneOf(module_.def(place.pointer).opcode, {OpVariable, OpFunctionParameter}) &&
        module_.def(place.pointer).type == context_.functionPointer(type);
    if (isWhole) return place.pointer;
    const Id variable = slots_.temporary(type);
    places_.copy(places_.behind(variable, type), place);
    return variable;
}

void StructureFunction::lowerLoad(const Instruction& i) {
    const MemoryOperands memory(operandsBehind(i, 1));
    placed_[i.result] = places_.behind(i.word(0), i.type, memory);
    if (isVolatile(operandsBehind(i, 1))) return own(i.result);
    readInPlace(i);
}

void StructureFunction::lowerStore(const Instruction& i) {
    const Id type = module_.pointee(i.word(0));
    const MemoryOperands memory(operandsBehind(i, 2));
    if (targets_.contains(i.word(1))) return;  // it was made there
    put(places_.behind(i.word(0), type != 0 ? type : emit().typeOf(i.word(1)), memory), i.word(1));
}

void StructureFunction::lowerExtract(const Instruction& i) {
    const StructurePlace part = places_.member(placeOf(i.word(0)), operandsBehind(i, 1));
    if (types_.isSplit(i.type)) return setAlias(i.result, part, i.word(0));
    places_.load(part, i.type, i.result);
}

// A value that nothing else needs gives its variable to the result.
void StructureFunction::lowerInsert(const Instruction& i) {
    const Id composite = i.word(1);
    const StructurePlace from = placeOf(composite);
    const bool isLast = liveness_.uses(composite) == 1 && isFromHere(composite) &&
                        owned_.contains(composite) && !slots_.isShared(from.pointer, composite);
    if (isLast) {
        placed_[i.result] = from;
        owned_.insert(i.result);
        slots_.pass(from.pointer, i.result);
    } else {
        places_.copy(slotFor(i.result), from);
    }
    put(places_.member(placeOf(i.result), operandsBehind(i, 2)), i.word(0));
}

void StructureFunction::lowerConstruct(const Instruction& i) {
    const StructurePlace whole = newPlaceFor(i.result);
    const auto count = static_cast<uint32_t>(*memberCount(module_, i.type));
    const bool repeats = i.opcode == OpCompositeConstructReplicateEXT;
    for (uint32_t m = 0; m < count; ++m) put(places_.member(whole, m), i.word(repeats ? 0 : m));
}

void StructureFunction::lowerCopy(const Instruction& i) {
    setAlias(i.result, placeOf(i.word(0)), i.word(0));
}

void StructureFunction::lowerSelect(const Instruction& i) {
    const StructurePlace whole = slotFor(i.result);
    const StructurePlace then = placeOf(i.word(1)), otherwise = placeOf(i.word(2));
    writer_.choose(
        i.word(0), [&] { places_.copy(whole, then); }, [&] { places_.copy(whole, otherwise); });
}

void StructureFunction::lowerPair(const Instruction& i) {
    const Id pair = module_.takeId();
    emit().op(i.opcode, i.type, Operands(i.operands), pair);
    module_.copyNamesAndDecorations(i.result, pair);
    context_.takenApart.insert(pair);
    const StructurePlace whole = slotFor(i.result);
    for (uint32_t m = 0; m < 2; ++m) {
        const Id part = emit().op(OpCompositeExtract, memberType(module_, i.type, m),
                                  {idOperand(pair), literal(m)});
        places_.store(places_.member(whole, m), part);
    }
}

void StructureFunction::lowerCopyMemory(const Instruction& i) {
    const CopyOperands operands = copyOperands(i);
    places_.copy(places_.behind(i.word(0), module_.pointee(i.word(0)), operands.target),
                 places_.behind(i.word(1), module_.pointee(i.word(1)), operands.source));
}

void StructureFunction::lowerNothing(const Instruction&) {}

}  // namespace coopvk::rewrite
