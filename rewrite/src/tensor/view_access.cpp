// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/place.hpp"
#include "lowering/words.hpp"
#include "tensor/decode.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint64_t kMaxElements = 1024;  // of an array

// The memory operands of a part that is `offset` bytes behind the start of a value.
MemoryOperands atOffset(const MemoryOperands& memory, uint32_t offset) {
    if (memory.alignment() == 0 || offset == 0) return memory;
    return memory.withAlignment(std::min(memory.alignment(), powerOfTwoIn(offset)));
}

}  // namespace

bool ViewAccess::copy(const Instruction& i, const PointerFlow& flow, const Cloner& copies) {
    const auto leads = [&](size_t operand) { return flow.isPointer(i.word(operand)); };
    if (i.opcode == OpLoad && leads(0)) {
        const MemoryOperands memory(operandsBehind(i, 1));
        const Value value = access(i.type, copies(i.word(0)), memory);
        if (value) emit_.op(OpCopyObject, i.type, {*value}, copies(i.result));
        return true;
    }
    if (i.opcode == OpStore && leads(0) && !leads(1)) {
        const MemoryOperands memory(operandsBehind(i, 2));
        access(context_.module.def(i.word(1)).type, copies(i.word(0)), memory, copies(i.word(1)));
        return true;
    }
    if (i.opcode == OpCopyMemory && (leads(0) || leads(1))) {
        copyMemory(i, flow, copies);
        return true;
    }
    const auto takesPointer = [&](const Operand& o) { return o.isId && flow.isPointer(o.word); };
    if (!isAtomic(i.opcode) || !leads(0) ||
        std::ranges::any_of(operandsBehind(i, 1), takesPointer)) {
        return false;
    }
    copyAtomic(i, copies);
    return true;
}

// One or both pointers lead into the buffer.
void ViewAccess::copyMemory(const Instruction& i, const PointerFlow& flow, const Cloner& copies) {
    const Id to = i.word(0), from = i.word(1);
    const Id typed = context_.module.pointee(from);
    const Id type = typed != 0 ? typed : context_.module.pointee(to);
    const auto [target, source] = copyOperands(i);
    const Value value = flow.isPointer(from)
                            ? access(type, copies(from), source)
                            : emit_.load(type, copies(from), source.forLoad(kAnyAlignment));
    if (!value) return;
    if (flow.isPointer(to)) {
        access(type, copies(to), target, value);
    } else {
        emit_.store(copies(to), *value, target.forStore(kAnyAlignment));
    }
}

void ViewAccess::copyAtomic(const Instruction& i, const Cloner& copies) {
    const Id type = i.result != 0 ? i.type : context_.module.def(i.operands.back().word).type;
    const Value at = pointer(type, copies(i.word(0)), i.opcode != OpAtomicLoad);
    if (!at) return;
    Operands operands = copies(i.operands);
    operands[0] = idOperand(*at);
    const Id result = i.result == 0 ? 0 : copies(i.result);
    emit_.add(makeInstruction(i.opcode, i.type, result, std::move(operands)));
}

ViewAccess::Value ViewAccess::refuse(std::string_view what) {
    context_.unsupported(at_, what);
    return std::nullopt;
}

ViewAccess::Value ViewAccess::access(Id type, Id bytes, const MemoryOperands& memory,
                                     Value stored) {
    if (context_.error) return std::nullopt;
    declareNumbersIn(types_, context_.target.device, type);
    const spv::Op opcode = context_.module.def(type).opcode;
    if (opcode == OpTypeStruct) return structure(type, bytes, memory, stored);
    if (opcode == OpTypeArray) return array(type, bytes, memory, stored);
    if (opcode == OpTypePointer) return address(type, bytes, memory, stored);
    if (types_.width(type) >= 8 && types_.components(type) != 0) {
        return numeric(type, bytes, memory, stored);
    }
    return refuse("DecodeFunc accesses other values than numbers, pointers, arrays and structures");
}

// A physical pointer in the buffer, as two words.
ViewAccess::Value ViewAccess::address(Id type, Id bytes, const MemoryOperands& memory,
                                      Value stored) {
    const Id words = types_.vectorType(types_.uint32(), 2);
    if (stored) stored = emit_.bitcast(words, *stored);
    const Value loaded = numeric(words, bytes, memory, stored);
    return loaded ? Value(emit_.bitcast(type, *loaded)) : std::nullopt;
}

ViewAccess::Value ViewAccess::members(Id type, std::span<const Part> parts, Id bytes,
                                      const MemoryOperands& memory, Value stored) {
    std::vector<Id> values;
    for (uint32_t m = 0; m < parts.size(); ++m) {
        const auto& [member, offset] = parts[m];
        const Value part = stored ? Value(emit_.extract(member, *stored, {m})) : std::nullopt;
        const Id at = emit_.plus(bytes, offset);
        values.push_back(access(member, at, atOffset(memory, offset), part).value_or(0));
    }
    return whole(stored, [&] { return emit_.construct(type, values); });
}

ViewAccess::Value ViewAccess::structure(Id type, Id bytes, const MemoryOperands& memory,
                                        Value stored) {
    const Module& module = context_.module;
    const Instruction& structure = module.def(type);
    std::vector<Part> parts;
    for (uint32_t m = 0; m < structure.operands.size(); ++m) {
        const auto offset = module.memberDecoration(type, m, spv::Decoration::Offset);
        if (!offset) return refuse("DecodeFunc accesses a structure without a layout");
        parts.push_back({structure.word(m), *offset});
    }
    return members(type, parts, bytes, memory, stored);
}

ViewAccess::Value ViewAccess::array(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
    const Module& module = context_.module;
    const Id element = module.def(type).word(0);
    const uint64_t count = module.constantValue(module.def(type).word(1)).value_or(0);
    const auto stride = module.decoration(type, spv::Decoration::ArrayStride);
    if (!stride || count == 0 || count > kMaxElements) {
        return refuse("DecodeFunc accesses an array that is too long, or without a layout");
    }
    std::vector<Part> parts;
    for (uint32_t e = 0; e < count; ++e) parts.push_back({element, e * *stride});
    return members(type, parts, bytes, memory, stored);
}

ViewAccess::Value ViewAccess::numeric(Id type, Id bytes, const MemoryOperands& memory,
                                      Value stored) {
    const Id scalar = types_.scalarOf(type);
    const uint32_t scalarBytes = types_.width(type) / 8, count = types_.components(type);
    const uint32_t alignment = memory.alignment() == 0 ? scalarBytes : memory.alignment();
    const bool isWhole = std::has_single_bit(count) && alignment >= scalarBytes * count;
    if (isWhole) return element(type, bytes, memory, stored);
    std::vector<Id> values;
    for (uint32_t c = 0; c < count; ++c) {
        const Id at = emit_.plus(bytes, c * scalarBytes);
        const Value part = stored && count != 1 ? emit_.extract(scalar, *stored, {c}) : stored;
        const Value loaded = alignment >= scalarBytes ? element(scalar, at, memory, part)
                                                      : pieces(scalar, at, alignment, memory, part);
        values.push_back(loaded.value_or(0));
    }
    return whole(stored, [&] { return emit_.join(type, values); });
}

ViewAccess::Value ViewAccess::pointer(Id type, Id bytes, bool writes) {
    if (writes && context_.views.isNonWritable(place_)) {
        return refuse("DecodeFunc writes to a buffer that is NonWritable");
    }
    const uint32_t width = types_.width(type);
    constexpr auto kStorage = spv::StorageClass::StorageBuffer;
    if (!missingForAccess(context_.target.device, kStorage, width).empty()) {
        return refuse(
            "DecodeFunc accesses numbers of 8 or 16 bits in a descriptor's buffer: that needs "
            "storageBuffer8BitAccess or storageBuffer16BitAccess");
    }
    declareAccess(context_.module, kStorage, width);
    const uint32_t size = width / 8 * types_.components(type);
    return context_.views.pointer(emit_, place_, type, emit_.over(bytes, size));
}

// A scalar or a vector whose alignment is its size.
ViewAccess::Value ViewAccess::element(Id type, Id bytes, const MemoryOperands& memory,
                                      Value stored) {
    const Value at = pointer(type, bytes, stored.has_value());
    if (!at) return std::nullopt;
    const MemoryOperands aligned = memory.withAlignment(0);
    const uint32_t size = bytesOf(types_, type);
    if (!stored) return emit_.load(type, *at, aligned.forLoad(size));
    emit_.store(*at, *stored, aligned.forStore(size));
    return std::nullopt;
}

// A scalar as pieces of a size that is its alignment.
ViewAccess::Value ViewAccess::pieces(Id type, Id bytes, uint32_t pieceBytes,
                                     const MemoryOperands& memory, Value stored) {
    const Id piece = types_.intType(pieceBytes * 8, false);
    types_.declareArithmetic(piece);
    std::vector<Slot> parts, slots;
    if (stored) parts = regroup(emit_, slotsOf(emit_, {&*stored, 1}), type, piece);
    for (uint32_t at = 0; at < types_.width(type) / 8; at += pieceBytes) {
        Value part;
        if (stored) part = scalarOf(emit_, piece, parts[at / pieceBytes]);
        slots.push_back({element(piece, emit_.plus(bytes, at), memory, part).value_or(0), 0});
    }
    return whole(stored,
                 [&] { return scalarOf(emit_, type, regroup(emit_, slots, piece, type)[0]); });
}

PointerFlow::PointerFlow(const Module& module, const Function& function,
                         std::span<const ArgumentKind> parameters)
    : module_(module) {
    for (size_t p = 0; p < parameters.size() && p < function.parameters.size(); ++p) {
        const Id parameter = function.parameters[p]->result;
        if (parameters[p] == ArgumentKind::kPointer) add(pointers_, parameter);
        if (parameters[p] == ArgumentKind::kVariable) add(variables_, parameter);
    }
    const Users users(function);
    while (!pending_.empty()) {
        const Id one = pending_.back();
        pending_.pop_back();
        for (const Usage& use : users.of(one)) visit(*use.user);
    }
}

bool PointerFlow::anyIsPointer(const Instruction& i) const {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && isPointer(o.word); });
}

bool PointerFlow::takesPointers(const Instruction& i) const {
    return std::ranges::any_of(i.operands, [&](const Operand& o) {
        return o.isId && kindOf(o.word) != ArgumentKind::kOther;
    });
}

bool PointerFlow::isAddressType(Id id) const {
    const Instruction& type = module_.def(id);
    return isPointerType(type.opcode) || (type.opcode == OpTypeInt && type.word(0) == 64);
}

void PointerFlow::add(std::set<Id>& known, Id value) {
    if (known.insert(value).second) pending_.push_back(value);
}

// Adds the instruction's result or target if it is a pointer, too.
void PointerFlow::visit(const Instruction& i) {
    switch (i.opcode) {
        case OpStore:
            if (isPointer(i.word(1)) && module_.def(i.word(0)).opcode == OpVariable) {
                add(variables_, i.word(0));
            }
            return;
        case OpLoad:
            if (isVariable(i.word(0))) add(pointers_, i.result);
            return;
        case OpFunctionCall:
            if (isPointerType(module_.def(i.type).opcode)) add(pointers_, i.result);
            return;
        case OpBitcast:
        case OpCopyObject:
        case OpSelect:
        case OpPhi:
        case OpConvertPtrToU:
        case OpConvertUToPtr:
        case OpIAdd:
        case OpISub:
            if (isAddressType(i.type) && anyIsPointer(i)) add(pointers_, i.result);
            return;
        default:
            if (firstChainIndex(i.opcode) != 0 && isPointer(chainBase(i))) add(pointers_, i.result);
            return;
    }
}

ArgumentKind PointerFlow::kindOf(Id value) const {
    if (isPointer(value)) return ArgumentKind::kPointer;
    return isVariable(value) ? ArgumentKind::kVariable : ArgumentKind::kOther;
}

}  // namespace coopvk::rewrite
