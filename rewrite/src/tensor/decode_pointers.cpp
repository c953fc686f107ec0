// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "lowering/narrow_access.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/words.hpp"
#include "tensor/decode.hpp"

namespace coopvk::rewrite {

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
    return isPointerType(type.opcode) || (type.opcode == spv::Op::OpTypeInt && type.word(0) == 64);
}

void PointerFlow::add(std::set<Id>& known, Id value) {
    if (known.insert(value).second) pending_.push_back(value);
}

// Adds the instruction's result or target if it is a pointer, too.
void PointerFlow::visit(const Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpStore:
            if (isPointer(i.word(1)) && module_.def(i.word(0)).opcode == spv::Op::OpVariable) {
                add(variables_, i.word(0));
            }
            return;
        case spv::Op::OpLoad:
            if (isVariable(i.word(0))) add(pointers_, i.result);
            return;
        case spv::Op::OpFunctionCall:
            if (isPointerType(module_.def(i.type).opcode)) add(pointers_, i.result);
            return;
        case spv::Op::OpBitcast:
        case spv::Op::OpCopyObject:
        case spv::Op::OpSelect:
        case spv::Op::OpPhi:
        case spv::Op::OpConvertPtrToU:
        case spv::Op::OpConvertUToPtr:
        case spv::Op::OpIAdd:
        case spv::Op::OpISub:
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

namespace {

constexpr uint64_t kMaxElements = 1024;  // of an array

// The memory operands of a part that is `offset` bytes behind the start of a value.
MemoryOperands atOffset(const MemoryOperands& memory, uint32_t offset) {
    if (memory.alignment() == 0 || offset == 0) return memory;
    return memory.withAlignment(std::min(memory.alignment(), offset & (~offset + 1)));
}

}  // namespace

Id ViewLoads::refuse(std::string_view what) {
    context_.fail(ErrorCode::kUnsupported, at_, what);
    return 0;
}

Id ViewLoads::load(Id type, Id bytes, const MemoryOperands& memory) {
    if (context_.error) return 0;
    declareNumbersIn(types_, context_.target.device, type);
    const spv::Op opcode = context_.module.def(type).opcode;
    if (opcode == spv::Op::OpTypeStruct) return structure(type, bytes, memory);
    if (opcode == spv::Op::OpTypeArray) return array(type, bytes, memory);
    if (types_.width(type) >= 8 && types_.components(type) != 0) {
        return numeric(type, bytes, memory);
    }
    return refuse("DecodeFunc loads other values than numbers, arrays and structures");
}

Id ViewLoads::structure(Id type, Id bytes, const MemoryOperands& memory) {
    const Module& module = context_.module;
    const Operands members = module.def(type).operands;
    std::vector<Id> values;
    for (uint32_t m = 0; m < members.size(); ++m) {
        const auto offset = module.memberDecoration(type, m, spv::Decoration::Offset);
        if (!offset) return refuse("DecodeFunc loads a structure without a layout");
        values.push_back(
            load(members[m].word, emit_.plus(bytes, *offset), atOffset(memory, *offset)));
    }
    return context_.error ? 0 : emit_.construct(type, values);
}

Id ViewLoads::array(Id type, Id bytes, const MemoryOperands& memory) {
    const Module& module = context_.module;
    const Id element = module.def(type).word(0);
    const uint64_t count = module.constantValue(module.def(type).word(1)).value_or(0);
    const auto stride = module.decoration(type, spv::Decoration::ArrayStride);
    if (!stride || count == 0 || count > kMaxElements) {
        return refuse("DecodeFunc loads an array that is too long, or without a layout");
    }
    std::vector<Id> values;
    for (uint32_t e = 0; e < count; ++e) {
        const uint32_t offset = e * *stride;
        values.push_back(load(element, emit_.plus(bytes, offset), atOffset(memory, offset)));
    }
    return context_.error ? 0 : emit_.construct(type, values);
}

Id ViewLoads::numeric(Id type, Id bytes, const MemoryOperands& memory) {
    const Id scalar = types_.scalarOf(type);
    const uint32_t scalarBytes = types_.width(type) / 8, count = types_.components(type);
    const uint32_t alignment = memory.alignment() == 0 ? scalarBytes : memory.alignment();
    const bool isWhole = std::has_single_bit(count) && alignment >= scalarBytes * count;
    if (isWhole) return element(type, bytes, memory);
    std::vector<Id> values;
    for (uint32_t c = 0; c < count; ++c) {
        const Id at = emit_.plus(bytes, c * scalarBytes);
        values.push_back(alignment >= scalarBytes ? element(scalar, at, memory)
                                                  : pieces(scalar, at, alignment, memory));
    }
    if (context_.error) return 0;
    return count == 1 ? values[0] : emit_.construct(type, values);
}

// Loads a scalar or a vector whose alignment is its size.
Id ViewLoads::element(Id type, Id bytes, const MemoryOperands& memory) {
    const uint32_t scalarBytes = types_.width(type) / 8;
    const uint32_t size = scalarBytes * types_.components(type);
    constexpr auto kStorage = spv::StorageClass::StorageBuffer;
    if (!missingForAccess(context_.target.device, kStorage, 8 * scalarBytes).empty()) {
        return refuse(
            "DecodeFunc loads numbers of 8 or 16 bits from a descriptor: that needs "
            "storageBuffer8BitAccess or storageBuffer16BitAccess");
    }
    declareAccess(context_.module, kStorage, 8 * scalarBytes);
    const Id pointer = context_.views.pointer(emit_, place_, type, emit_.over(bytes, size));
    return emit_.load(type, pointer, memory.withAlignment(0).forLoad(size));
}

// Loads a scalar as pieces of a size that is its alignment.
Id ViewLoads::pieces(Id type, Id bytes, uint32_t pieceBytes, const MemoryOperands& memory) {
    const Id piece = types_.intType(pieceBytes * 8, false);
    types_.declareArithmetic(piece);
    std::vector<Slot> slots;
    for (uint32_t at = 0; at < types_.width(type) / 8; at += pieceBytes) {
        slots.push_back({element(piece, emit_.plus(bytes, at), memory), 0});
    }
    if (context_.error) return 0;
    return scalarOf(emit_, type, regroup(emit_, slots, piece, type)[0]);
}

}  // namespace coopvk::rewrite
