// SPDX-License-Identifier: Apache-2.0
#include "int4/int4_composites.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Position of the operand that is an index into a 4-bit vector, on the way from `type`.
std::optional<size_t> findVectorIndex(const Int4Context& context, Id& type, const Instruction& i,
                                      size_t first) {
    const auto isVector = [&](Id id) { return context.vector(id) != nullptr; };
    return findIndexInto(context.module, type, i.operands, first, isVector);
}

class Composites {
 public:
    Composites(Int4Context& context, Emitter& emit, const Instruction& i)
        : context_(context), types_(context.types), emit_(emit), i_(i), values_(context, emit) {}

    bool lower() {
        switch (i_.opcode) {
            case spv::Op::OpCompositeExtract:
                return extract();
            case spv::Op::OpCompositeInsert:
                return insert();
            case spv::Op::OpCompositeConstruct:
            case spv::Op::OpCompositeConstructReplicateEXT:
                return construct();
            case spv::Op::OpVectorExtractDynamic:
                return extractDynamic();
            case spv::Op::OpVectorInsertDynamic:
                return insertDynamic();
            case spv::Op::OpVectorShuffle:
                return shuffle();
            case spv::Op::OpSelect:
                return select();
            default:
                return false;
        }
    }

 private:
    // The vector that literal indices from operand `first` lead to, inside `composite`.
    std::optional<size_t> findVector(Id composite, size_t first, Id& type, Id& vector) {
        type = emit_.typeOf(composite);
        const auto at = findVectorIndex(context_, type, i_, first);
        if (!at) return std::nullopt;
        vector = composite;
        if (*at > first) {
            Operands operands(i_.operands.begin() + static_cast<std::ptrdiff_t>(first),
                              i_.operands.begin() + static_cast<std::ptrdiff_t>(*at));
            operands.insert(operands.begin(), idOperand(composite));
            vector = emit_.op(spv::Op::OpCompositeExtract, type, std::move(operands));
        }
        return at;
    }

    Id constantIndex(size_t operand) { return types_.constantU32(i_.word(operand)); }

    // A component, extended by its type's sign, as the result.
    void defineScalar(bool isSigned, Id component) {
        values_.scalar(i_.type, isSigned, component, i_.result);
    }

    bool extract() {
        Id type = 0;
        Id vector = 0;
        const auto at = findVector(i_.word(0), 1, type, vector);
        if (!at) return false;
        const Int4Type& int4 = *context_.type(type);
        defineScalar(int4.isSigned,
                     values_.component(vector, int4, constantIndex(*at), int4.isSigned));
        return true;
    }

    bool insert() {
        Id type = 0;
        Id vector = 0;
        const auto at = findVector(i_.word(1), 2, type, vector);
        if (!at) return false;
        const Int4Type& int4 = *context_.type(type);
        const Id changed =
            values_.withComponent(vector, int4, constantIndex(*at), wordOf(i_.word(0)));
        if (*at == 2) {
            values_.define(i_.result, int4.id, changed);
            return true;
        }
        Operands operands(i_.operands.begin(),
                          i_.operands.begin() + static_cast<std::ptrdiff_t>(*at));
        operands[0] = idOperand(changed);
        emit_.add(
            makeInstruction(spv::Op::OpCompositeInsert, i_.type, i_.result, std::move(operands)));
        return true;
    }

    // A 4-bit scalar as a u32.
    Id wordOf(Id scalar) {
        const Int4Type* type = context_.typeOf(scalar);
        if (type == nullptr || type->components != 1) {
            context_.fail(ErrorCode::kInvalidModule, i_, "a component must be a 4-bit integer");
            return types_.constantU32(0);
        }
        return values_.component(scalar, *type, types_.constantU32(0), false);
    }

    bool construct() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr) return false;
        std::vector<Id> components;
        if (i_.opcode == spv::Op::OpCompositeConstructReplicateEXT) {
            components.assign(type->components, wordOf(i_.word(0)));
        }
        for (const Operand& operand : i_.operands) {
            if (components.size() >= type->components) break;
            const Int4Type* part = context_.typeOf(operand.word);
            if (part == nullptr) break;
            const std::vector<Id> more = values_.components(operand.word, *part, false);
            components.insert(components.end(), more.begin(), more.end());
        }
        if (components.size() != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_,
                          "constituents are not as many 4-bit integers as the result");
            return true;
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    bool extractDynamic() {
        const Int4Type* type = context_.typeOf(i_.word(0));
        if (type == nullptr) return false;
        defineScalar(type->isSigned,
                     values_.component(i_.word(0), *type, i_.word(1), type->isSigned));
        return true;
    }

    bool insertDynamic() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr) return false;
        const Id changed = values_.withComponent(i_.word(0), *type, i_.word(2), wordOf(i_.word(1)));
        values_.define(i_.result, type->id, changed);
        return true;
    }

    bool shuffle() {
        const Int4Type* type = context_.vector(i_.type);
        const Int4Type* a = context_.typeOf(i_.word(0));
        const Int4Type* b = context_.typeOf(i_.word(1));
        if (type == nullptr || a == nullptr || b == nullptr) return false;
        std::vector<Id> from = values_.components(i_.word(0), *a, false);
        const std::vector<Id> more = values_.components(i_.word(1), *b, false);
        from.insert(from.end(), more.begin(), more.end());
        std::vector<Id> components;
        for (size_t o = 2; o < i_.operands.size(); ++o) {
            // 0xFFFFFFFF: any value.
            components.push_back(i_.word(o) < from.size() ? from[i_.word(o)] : from[0]);
        }
        if (components.size() != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_, "one literal for each component");
            return true;
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    // By a vector of booleans; one boolean for the whole vector needs no change.
    bool select() {
        const Int4Type* type = context_.vector(i_.type);
        const uint32_t conditions = types_.components(emit_.typeOf(i_.word(0)));
        if (type == nullptr || conditions == 1) return false;
        if (conditions != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_, "one condition for each component");
            return true;
        }
        const std::vector<Id> yes = values_.components(i_.word(1), *type, false);
        const std::vector<Id> no = values_.components(i_.word(2), *type, false);
        std::vector<Id> components;
        for (uint32_t c = 0; c < conditions; ++c) {
            const Id condition = emit_.extract(types_.boolType(), i_.word(0), {c});
            components.push_back(
                emit_.op(spv::Op::OpSelect, types_.uint32(), {condition, yes[c], no[c]}));
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    Int4Context& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& i_;
    Int4Values values_;
};

}  // namespace

bool lowerInt4Composite(Int4Context& context, Emitter& emit, const Instruction& instruction) {
    return Composites(context, emit, instruction).lower();
}

namespace {

bool isUntyped(spv::Op opcode) {
    return opcode == spv::Op::OpUntypedAccessChainKHR ||
           opcode == spv::Op::OpUntypedInBoundsAccessChainKHR;
}

// Ends the chain at the vector and remembers the component.
bool lowerChain(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                const Instruction& i, size_t first) {
    const Module& module = context.module;
    const bool untyped = isUntyped(i.opcode);
    const Id base = i.word(untyped ? 1 : 0);
    const Instruction& pointer = module.def(emit.typeOf(base));
    Id type = untyped ? i.word(0) : pointer.word(1);
    const auto at = findVectorIndex(context, type, i, first);
    if (!at) return false;
    Id vector = base;
    if (*at > first || first > 1) {
        const auto storage = static_cast<spv::StorageClass>(pointer.word(0));
        const Id vectorPointer = untyped ? i.type : context.types.pointerType(storage, type);
        vector = emit.op(
            i.opcode, vectorPointer,
            Operands(i.operands.begin(), i.operands.begin() + static_cast<std::ptrdiff_t>(*at)));
    }
    pointers[i.result] = {vector, i.word(*at), type};
    return true;
}

// Memory operands of a store for the load that goes ahead of it.
Operands withoutAvailability(const Instruction& i, size_t first) {
    if (i.operands.size() <= first) return {};
    constexpr uint32_t kVolatile = 1, kAligned = 2;
    const uint32_t mask = i.word(first) & (kVolatile | kAligned);
    Operands operands = {literal(mask)};
    if ((mask & kAligned) != 0) operands.push_back(i.operands[first + 1]);
    return operands;
}

void appendTo(Operands& operands, const Operands& more) {
    operands.insert(operands.end(), more.begin(), more.end());
}

// A component's load and a component's store.
bool lowerCopy(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
               const Instruction& i) {
    const auto vectorAt = [&](size_t operand) {
        const auto found = pointers.find(i.word(operand));
        return found == pointers.end() ? Id{0} : found->second.type;
    };
    const Id vector = vectorAt(0) != 0 ? vectorAt(0) : vectorAt(1);
    if (vector == 0 || i.operands.size() > 2) return false;
    const Id scalar = context.module.def(vector).word(0);
    const Id value = context.module.takeId();
    const auto access = [&](InstructionPtr one) {
        if (lowerInt4Access(context, emit, pointers, *one)) return;
        checkInt4Access(context, *one);
        emit.add(std::move(one));
    };
    access(makeInstruction(spv::Op::OpLoad, scalar, value, {idOperand(i.word(1))}));
    access(makeInstruction(spv::Op::OpStore, 0, 0, {idOperand(i.word(0)), idOperand(value)}));
    return true;
}

}  // namespace

bool lowerInt4Access(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                     const Instruction& i) {
    if (const size_t first = firstChainIndex(i.opcode)) {
        return lowerChain(context, emit, pointers, i, first);
    }
    if (i.opcode == spv::Op::OpCopyMemory) return lowerCopy(context, emit, pointers, i);
    if (i.opcode == spv::Op::OpCopyObject) {
        const auto original = pointers.find(i.word(0));
        if (original == pointers.end()) return false;
        const auto same = original->second;
        pointers[i.result] = same;
        return true;
    }
    const bool load = i.opcode == spv::Op::OpLoad;
    if (!load && i.opcode != spv::Op::OpStore) return false;
    const auto found = pointers.find(i.word(0));
    if (found == pointers.end()) return false;
    const auto& [vector, index, typeId] = found->second;
    const Int4Type& type = *context.type(typeId);
    Int4Values values(context, emit);
    Operands from = {idOperand(vector)};
    if (load) {
        from.insert(from.end(), i.operands.begin() + 1, i.operands.end());
        const Id whole = emit.op(spv::Op::OpLoad, typeId, std::move(from));
        values.scalar(i.type, type.isSigned, values.component(whole, type, index, type.isSigned),
                      i.result);
        return true;
    }
    appendTo(from, withoutAvailability(i, 2));
    const Id whole = emit.op(spv::Op::OpLoad, typeId, std::move(from));
    const Int4Type* stored = context.typeOf(i.word(1));
    if (stored == nullptr) {
        context.fail(ErrorCode::kInvalidModule, i, "the object is no 4-bit integer");
        return true;
    }
    const Id word = values.component(i.word(1), *stored, context.types.constantU32(0), false);
    Operands to = {idOperand(vector), idOperand(values.withComponent(whole, type, index, word))};
    to.insert(to.end(), i.operands.begin() + 2, i.operands.end());
    emit.opVoid(spv::Op::OpStore, std::move(to));
    return true;
}

}  // namespace coopvk::rewrite
