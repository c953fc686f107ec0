// SPDX-License-Identifier: Apache-2.0
#include "int4/int4_sixteen.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

Id partType(TypeTable& types) { return types.vectorType(types.intType(8, false), kPartBytes); }

Operands slice(const Instruction& i, size_t first, size_t last) {
    return {i.operands.begin() + static_cast<std::ptrdiff_t>(first),
            i.operands.begin() + static_cast<std::ptrdiff_t>(last)};
}

class Sixteen {
 public:
    Sixteen(Int4Context& context, Emitter& emit)
        : context_(context), module_(context.module), types_(context.types), emit_(emit) {}

    bool lower(const Instruction& i) {
        switch (i.opcode) {
            case spv::Op::OpLoad:
                return load(i);
            case spv::Op::OpStore:
                return store(i);
            case spv::Op::OpCopyMemory:
                return copyMemory(i);
            case spv::Op::OpCompositeExtract:
                return extract(i);
            case spv::Op::OpCompositeInsert:
                return insert(i);
            case spv::Op::OpCompositeConstruct:
            case spv::Op::OpCompositeConstructReplicateEXT:
                return construct(i);
            case spv::Op::OpCopyLogical:
                return copyLogical(i);
            case spv::Op::OpCooperativeMatrixLoadKHR:
            case spv::Op::OpCooperativeMatrixStoreKHR:
                refuseMatrix(i);
                return false;
            default:
                return false;
        }
    }

    // The vector that is a member of a value with a layout, from the member or a load.
    Id fromParts(const Int4Type& type, const Id (&parts)[kParts], Id result) {
        Id words[kParts];
        for (uint32_t p = 0; p < kParts; ++p) words[p] = emit_.bitcast(types_.uint32(), parts[p]);
        if (result == 0) result = module_.takeId();
        emit_.add(
            makeInstruction(spv::Op::OpCompositeConstruct, type.id, result, idOperands(words)));
        return result;
    }
    Id fromMember(const Int4Type& type, Id member, Id result) {
        const Id part = partType(types_);
        return fromParts(type, {emit_.extract(part, member, {0}), emit_.extract(part, member, {1})},
                         result);
    }
    Id toMember(const Int4Type& type, Id vector) {
        Id parts[kParts];
        for (uint32_t p = 0; p < kParts; ++p) parts[p] = partOf(vector, p);
        return emit_.construct(type.laidOut, parts);
    }

    // The type of what the literals ahead of the one at `last` lead to.
    Id typeAt(Id composite, const Instruction& i, size_t first, size_t last) {
        Id type = emit_.typeOf(composite);
        for (size_t o = first; o < last; ++o) type = memberType(module_, type, i.word(o));
        return type;
    }

 private:
    Id partOf(Id vector, uint32_t part) {
        return emit_.bitcast(partType(types_), emit_.extract(types_.uint32(), vector, {part}));
    }

    // Of a pointer to memory with a layout, that is.
    const Instruction* laidOutPointer(Id pointer) const {
        const Instruction& type = module_.def(module_.def(pointer).type);
        return context_.isLaidOut(static_cast<spv::StorageClass>(type.word(0))) ? &type : nullptr;
    }

    Id pointerTo(const Int4Type& type, Id pointer, const Instruction& pointerType, uint32_t part) {
        const Id index = types_.constantU32(part);
        if (pointerType.opcode == spv::Op::OpTypeUntypedPointerKHR) {
            return emit_.op(spv::Op::OpUntypedAccessChainKHR, pointerType.result,
                            {type.laidOut, pointer, index});
        }
        const auto storage = static_cast<spv::StorageClass>(pointerType.word(0));
        return emit_.op(spv::Op::OpAccessChain, types_.pointerType(storage, partType(types_)),
                        {pointer, index});
    }

    bool load(const Instruction& i) {
        const Int4Type* type = context_.sixteen(i.type);
        const Instruction* pointer = laidOutPointer(i.word(0));
        if (type == nullptr || pointer == nullptr) return false;
        const MemoryOperands memory(operandsBehind(i, 1));
        Id parts[kParts];
        for (uint32_t p = 0; p < kParts; ++p) {
            Operands operands = {idOperand(pointerTo(*type, i.word(0), *pointer, p))};
            append(operands, memory.forLoad(kPartBytes));
            parts[p] = emit_.op(spv::Op::OpLoad, partType(types_), std::move(operands));
        }
        fromParts(*type, parts, i.result);
        return true;
    }

    bool store(const Instruction& i) {
        const Int4Type* type = context_.sixteen(emit_.typeOf(i.word(1)));
        const Instruction* pointer = laidOutPointer(i.word(0));
        if (type == nullptr || pointer == nullptr) return false;
        const MemoryOperands memory(operandsBehind(i, 2));
        for (uint32_t p = 0; p < kParts; ++p) {
            Operands operands = {idOperand(pointerTo(*type, i.word(0), *pointer, p)),
                                 idOperand(partOf(i.word(1), p))};
            append(operands, memory.forStore(kPartBytes));
            emit_.opVoid(spv::Op::OpStore, std::move(operands));
        }
        return true;
    }

    // A load and a store, of which the one side may be without a layout.
    bool copyMemory(const Instruction& i) {
        Id pointee = 0;
        for (const size_t operand : {size_t{0}, size_t{1}}) {
            const Instruction& type = module_.def(module_.def(i.word(operand)).type);
            if (type.opcode == spv::Op::OpTypePointer) pointee = type.word(1);
        }
        if (context_.sixteen(pointee) == nullptr) return false;
        const CopyOperands memory = copyOperands(i);
        const uint32_t bytes = kParts * kPartBytes;
        const Id value = module_.takeId();
        Operands from = {idOperand(i.word(1))}, to = {idOperand(i.word(0)), idOperand(value)};
        append(from, memory.source.forLoad(bytes));
        append(to, memory.target.forStore(bytes));
        access(makeInstruction(spv::Op::OpLoad, pointee, value, std::move(from)));
        access(makeInstruction(spv::Op::OpStore, 0, 0, std::move(to)));
        return true;
    }

    void access(InstructionPtr one) {
        checkInt4Access(context_, *one);
        if (lower(*one)) {
            module_.retire(std::move(one));
        } else {
            emit_.add(std::move(one));
        }
    }

    bool extract(const Instruction& i) {
        const Int4Type* type = context_.sixteen(i.type);
        if (type == nullptr || i.operands.size() < 2) return false;
        const size_t last = i.operands.size() - 1;
        if (!hasLayout(module_, typeAt(i.word(0), i, 1, last))) return false;
        const Id member =
            emit_.op(spv::Op::OpCompositeExtract, type->laidOut, slice(i, 0, i.operands.size()));
        fromMember(*type, member, i.result);
        return true;
    }

    bool insert(const Instruction& i) {
        const Int4Type* type = context_.sixteen(emit_.typeOf(i.word(0)));
        if (type == nullptr || i.operands.size() < 3) return false;
        const size_t last = i.operands.size() - 1;
        if (!hasLayout(module_, typeAt(i.word(1), i, 2, last))) return false;
        Operands operands = slice(i, 0, i.operands.size());
        operands[0] = idOperand(toMember(*type, i.word(0)));
        emit_.add(makeInstruction(i.opcode, i.type, i.result, std::move(operands)));
        return true;
    }

    bool construct(const Instruction& i) {
        if (!hasLayout(module_, i.type)) return false;
        Operands operands = slice(i, 0, i.operands.size());
        bool changed = false;
        for (Operand& operand : operands) {
            const Int4Type* type = context_.sixteen(emit_.typeOf(operand.word));
            if (type == nullptr) continue;
            operand = idOperand(toMember(*type, operand.word));
            changed = true;
        }
        if (changed) emit_.add(makeInstruction(i.opcode, i.type, i.result, std::move(operands)));
        return changed;
    }

    bool holds(Id type) {
        if (context_.sixteen(type) != nullptr) return true;
        if (const auto known = holds_.find(type); known != holds_.end()) return known->second;
        const Instruction& def = module_.def(type);
        bool found = isArrayType(def.opcode) && holds(def.word(0));
        if (def.opcode == spv::Op::OpTypeStruct) {
            found = std::ranges::any_of(def.operands,
                                        [&](const Operand& member) { return holds(member.word); });
        }
        return holds_[type] = found;
    }

    // Types with and without a layout match no longer: member by member.
    bool copyLogical(const Instruction& i) {
        if (!holds(i.type)) return false;
        copyMembers(i, i.word(0), i.type, i.result);
        return true;
    }

    Id copyMembers(const Instruction& i, Id value, Id to, Id result) {
        constexpr uint64_t kMost = 1024;
        const Id from = emit_.typeOf(value);
        const std::optional<uint64_t> count = memberCount(module_, to);
        copied_ += count.value_or(kMost + 1);
        if (!count || memberCount(module_, from) != count || copied_ > kMost) {
            context_.fail(ErrorCode::kUnsupported, i,
                          std::format("copies more than {} members with vectors of sixteen 4-bit "
                                      "integers, or of types that do not match",
                                      kMost));
            return value;
        }
        std::vector<Id> members;
        for (uint32_t m = 0; m < *count; ++m) {
            const Id type = memberType(module_, from, m);
            const Int4Type* vector = context_.sixteen(type);
            const bool wasLaidOut = vector != nullptr && hasLayout(module_, from);
            Id member = emit_.extract(wasLaidOut ? vector->laidOut : type, value, {m});
            if (wasLaidOut) member = fromMember(*vector, member, 0);
            if (vector != nullptr && hasLayout(module_, to)) member = toMember(*vector, member);
            if (vector == nullptr && holds(type)) {
                member = copyMembers(i, member, memberType(module_, to, m), 0);
            } else if (const Id other = memberType(module_, to, m); other != type) {
                member = emit_.op(spv::Op::OpCopyLogical, other, {member});
            }
            members.push_back(member);
        }
        if (result == 0) result = module_.takeId();
        emit_.add(makeInstruction(spv::Op::OpCompositeConstruct, to, result, idOperands(members)));
        return result;
    }

    void refuseMatrix(const Instruction& i) {
        const Id pointer = i.word(0);
        const Instruction& type = module_.def(module_.def(pointer).type);
        if (laidOutPointer(pointer) == nullptr || context_.sixteen(type.word(1)) == nullptr) {
            return;
        }
        context_.fail(ErrorCode::kUnsupported, i,
                      "matrices behind a pointer to sixteen 4-bit integers need all such vectors "
                      "of the module at multiples of four bytes");
    }

    Int4Context& context_;
    Module& module_;
    TypeTable& types_;
    Emitter& emit_;
    std::map<Id, bool> holds_;  // by type: such vectors
    uint64_t copied_ = 0;
};

}  // namespace

bool lowerLaidOut(Int4Context& context, Emitter& emit, const Instruction& instruction) {
    return context.anyLaidOut() && Sixteen(context, emit).lower(instruction);
}

Id extractVector(Int4Context& context, Emitter& emit, Id composite, const Instruction& instruction,
                 size_t first, size_t at, Id vectorType) {
    if (at == first) return composite;
    Sixteen lowering(context, emit);
    const Int4Type* type = context.sixteen(vectorType);
    const Id parent = lowering.typeAt(composite, instruction, first, at - 1);
    const bool isMember = type != nullptr && hasLayout(context.module, parent);
    Operands operands = slice(instruction, first, at);
    operands.insert(operands.begin(), idOperand(composite));
    const Id value = emit.op(spv::Op::OpCompositeExtract, isMember ? type->laidOut : vectorType,
                             std::move(operands));
    return isMember ? lowering.fromMember(*type, value, 0) : value;
}

Id asMember(Int4Context& context, Emitter& emit, Id vector, Id composite,
            const Instruction& instruction, size_t first, size_t at) {
    const Int4Type* type = context.sixteen(emit.typeOf(vector));
    if (type == nullptr || at == first) return vector;
    Sixteen lowering(context, emit);
    const Id parent = lowering.typeAt(composite, instruction, first, at - 1);
    return hasLayout(context.module, parent) ? lowering.toMember(*type, vector) : vector;
}

}  // namespace coopvk::rewrite
