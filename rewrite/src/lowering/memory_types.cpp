// SPDX-License-Identifier: Apache-2.0
#include "lowering/memory_types.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Limits the scalars and vectors that one load or store converts, each by instructions.
constexpr uint64_t kMostMembers = 1024;

bool isAggregate(spv::Op opcode) { return opcode == OpTypeStruct || isArrayType(opcode); }

// The number of an aggregate's operands that are types of members; they come first.
size_t memberTypes(const Instruction& type) {
    return isArrayType(type.opcode) ? 1 : type.operands.size();
}

}  // namespace

Id MemoryTypes::copied(const Instruction& copy) const {
    const Id target = module_.pointee(copy.word(0));
    return target != 0 ? target : module_.pointee(copy.word(1));
}

void MemoryTypes::addRoots(const Instruction& i, std::unordered_set<Id>& roots) const {
    switch (i.opcode) {
        case OpTypePointer:
            if (isPointer(i.result)) roots.insert(i.word(1));
            return;
        case OpUntypedVariableKHR:
            if (isPointer(i.type)) roots.insert(i.word(1));
            return;
        case OpLoad:
            if (isMemory(i.word(0))) roots.insert(i.type);
            return;
        case OpStore:
            if (isMemory(i.word(0))) roots.insert(module_.def(i.word(1)).type);
            return;
        case OpCopyMemory:
            if (isMemory(i.word(0)) || isMemory(i.word(1))) roots.insert(copied(i));
            return;
        default:
            if (namesType(i)) roots.insert(i.word(0));
            return;
    }
}

std::unordered_set<Id> MemoryTypes::roots() const {
    std::unordered_set<Id> roots;
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) addRoots(*i, roots);
    module_.visitBlocks([&](const Instruction& i) { addRoots(i, roots); });
    return roots;
}

void MemoryTypes::make() {
    std::unordered_set<Id> wanted = roots();
    // In the order of declaration: members' types come before the aggregate.
    std::vector<const Instruction*> aggregates;
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (!isAggregate(i->opcode)) continue;
        aggregates.push_back(i.get());
        parts_[i->result] = partsOf(*i);
    }
    for (size_t a = aggregates.size(); a-- > 0;) {
        const Instruction& type = *aggregates[a];
        if (!wanted.contains(type.result)) continue;
        for (size_t m = 0; m < memberTypes(type); ++m) wanted.insert(type.word(m));
    }
    for (const Instruction* type : aggregates) {
        if (wanted.contains(type->result)) inMemory_[type->result] = makeCopy(*type);
    }
}

uint64_t MemoryTypes::partsOf(const Instruction& type) const {
    uint64_t parts = 0;
    for (size_t m = 0; m < memberTypes(type); ++m) {
        const auto found = parts_.find(type.word(m));
        parts = std::min(parts + (found == parts_.end() ? 1 : found->second), kMostMembers + 1);
    }
    if (type.opcode == OpTypeStruct) return parts;
    const uint64_t length = memberCount(module_, type.result).value_or(kMostMembers + 1);
    return parts * std::min(length, kMostMembers + 1);
}

Id MemoryTypes::makeCopy(const Instruction& type) {
    Operands operands = type.operands;
    for (Operand& member : std::span(operands).first(memberTypes(type)))
        member.word = inMemory(member.word);
    if (operands == type.operands && hasLayout(type)) return type.result;
    const Id copy = module_.takeId();
    module_.append(Section::kGlobals, makeInstruction(type.opcode, 0, copy, std::move(operands)));
    module_.copyNamesAndDecorations(type.result, copy);
    if (!hasLayout(type)) addLayout(type, copy);
    return copy;
}

Id MemoryTypes::inMemory(Id type) const {
    const auto found = inMemory_.find(type);
    return found == inMemory_.end() ? scalarInMemory(type) : found->second;
}

bool MemoryTypes::namesType(const Instruction& i) const {
    if (i.opcode == OpUntypedArrayLengthKHR) return isMemory(i.word(1));
    return namesChainType(i.opcode) && isPointer(i.type);
}

void MemoryTypes::retypeChain(Instruction& i) const {
    if (namesType(i) && !i.operands.empty()) i.operands[0].word = inMemory(i.word(0));
}

void MemoryTypes::retypePointers() {
    InstructionList& globals = module_.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        const Id type = module_.pointee(i.result);
        if (i.opcode == OpVariable && isPointer(i.type) && i.operands.size() > 1 &&
            inMemory(type) != type) {
            i.operands[1].word = context_.types.constantNull(inMemory(type));
        }
    }
    for (const InstructionPtr& i : globals) {
        const bool pointer = i->opcode == OpTypePointer && isPointer(i->result);
        const bool variable = i->opcode == OpUntypedVariableKHR && isPointer(i->type);
        if ((pointer || variable) && i->operands.size() > 1) {
            i->operands[1].word = inMemory(i->word(1));
        }
    }
}

bool MemoryTypes::mayConvert(const Instruction& at, Id type) {
    const auto found = parts_.find(type);
    if (found == parts_.end() || found->second <= kMostMembers) return true;
    return context_.fail(ErrorCode::kUnsupported, at,
                         std::format("loads, stores or copies more than {} numbers that have "
                                     "another form in memory",
                                     kMostMembers));
}

Id MemoryTypes::convert(Emitter& emit, Id value, Id type) const {
    const Id from = emit.typeOf(value);
    if (from == type) return value;
    if (!isAggregate(module_.def(type).opcode) || !isAggregate(module_.def(from).opcode)) {
        return convertScalar(emit, value, type);
    }
    const uint64_t count = memberCount(module_, type).value_or(0);
    std::vector<Id> members;
    for (uint32_t m = 0; m < count; ++m) {
        const Id member = emit.extract(memberType(module_, from, m), value, {m});
        members.push_back(convert(emit, member, memberType(module_, type, m)));
    }
    return emit.construct(type, members);
}

bool MemoryTypes::access(Emitter& emit, Instruction& i) {
    if (i.opcode == OpCopyMemory) return copy(emit, i);
    const bool load = i.opcode == OpLoad;
    const Id type = load ? i.type : emit.typeOf(i.word(1));
    const Id other = inMemory(type);
    if (!isMemory(i.word(0)) || other == type || !mayConvert(i, type)) return false;
    if (!load) {
        i.operands[1].word = convert(emit, i.word(1), other);
        return false;
    }
    const Id value = convert(emit, emit.op(i.opcode, other, i.operands), type);
    emit.op(OpCopyObject, type, {value}, i.result);
    return true;
}

bool MemoryTypes::copy(Emitter& emit, const Instruction& i) {
    const Id target = i.word(0), source = i.word(1), type = copied(i);
    if (isMemory(target) == isMemory(source) || inMemory(type) == type || !mayConvert(i, type)) {
        return false;
    }
    const CopyOperands memory = copyOperands(i);
    const auto typeAt = [&](Id pointer) { return isMemory(pointer) ? inMemory(type) : type; };
    const Id value = emit.load(typeAt(source), source, memory.source.forLoad(kAnyAlignment));
    emit.store(target, convert(emit, value, typeAt(target)), memory.target.forStore(kAnyAlignment));
    return true;
}

namespace {

void declareNumbersIn(TypeTable& types, const DeviceFeatures& device, Id id, std::set<Id>& seen) {
    const Instruction& type = types.module().def(id);
    if (!seen.insert(id).second) return;
    if (type.opcode == OpTypeStruct) {
        const Operands members = type.operands;
        for (const Operand& m : members) declareNumbersIn(types, device, m.word, seen);
    } else if (isArrayType(type.opcode)) {
        declareNumbersIn(types, device, type.word(0), seen);
    } else if (types.width(id) == 8 || types.width(id) == 16) {
        const bool has16 = types.isFloat(id) ? device.hasFloat16() : device.shaderInt16;
        const bool has = types.width(id) == 8 ? device.shaderInt8 : has16;
        if (has) types.declareArithmetic(types.scalarOf(id));
    }
}

}  // namespace

void declareNumbersIn(TypeTable& types, const DeviceFeatures& device, Id type) {
    std::set<Id> seen;
    declareNumbersIn(types, device, type, seen);
}

}  // namespace coopvk::rewrite
