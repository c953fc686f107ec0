// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "ir/users.hpp"
#include "lowering/memory.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/words.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint64_t kMaxElements = 1024;  // of an array

// The memory operands of a part that is `offset` bytes behind the start of a value.
MemoryOperands atOffset(const MemoryOperands& memory, uint32_t offset) {
    if (offset == 0) return memory;
    return memory.withAlignment(std::min(memory.alignment(), powerOfTwoIn(offset)));
}

// What an argument of a function is.
enum class ArgumentKind : uint32_t {
    kOther,
    kPointer,   // a physical pointer into the buffer
    kVariable,  // a pointer to a variable that holds such a pointer
};

// Which values of a function are computed of physical pointers that it takes as arguments:
// pointers, and addresses as integers.
class PointerFlow {
 public:
    PointerFlow(const Module& module, const Function& function,
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

    bool isPointer(Id value) const { return pointers_.contains(value); }
    bool isVariable(Id value) const { return variables_.contains(value); }

    ArgumentKind kindOf(Id value) const {
        if (isPointer(value)) return ArgumentKind::kPointer;
        return isVariable(value) ? ArgumentKind::kVariable : ArgumentKind::kOther;
    }

    // Whether an operand is a pointer, or a variable that holds one.
    bool takesPointers(const Instruction& i) const {
        return std::ranges::any_of(i.operands, [&](const Operand& o) {
            return o.isId && kindOf(o.word) != ArgumentKind::kOther;
        });
    }

 private:
    void add(std::set<Id>& known, Id value) {
        if (known.insert(value).second) pending_.push_back(value);
    }

    // Adds the instruction's result or target if it is a pointer, too.
    void visit(const Instruction& i) {
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
                if (firstChainIndex(i.opcode) != 0 && isPointer(chainBase(i)))
                    add(pointers_, i.result);
                return;
        }
    }

    bool anyIsPointer(const Instruction& i) const {
        return std::ranges::any_of(i.operands,
                                   [&](const Operand& o) { return o.isId && isPointer(o.word); });
    }

    bool isAddressType(Id type) const;

    const Module& module_;
    std::set<Id> pointers_, variables_;
    std::vector<Id> pending_;  // whose uses are not visited yet
};

// Loads and stores of values of any type with an explicit layout, and atomics, by bytes from the
// start of a buffer.
class ViewAccess {
 public:
    // `place`: the buffer's variable and descriptor. `at`: the instruction for errors.
    ViewAccess(LoweringContext& context, Emitter& emit, const Instruction& at,
               const BufferPlace& place)
        : context_(context), types_(context.types), emit_(emit), at_(at), place_(place) {}

    // Copies an instruction that accesses memory through a pointer into the buffer, which became
    // bytes (bufferIndexType()). False if it is not one, or does more with the pointer.
    bool copy(const Instruction& i, const PointerFlow& flow, const Cloner& copies) {
        const auto leads = [&](size_t operand) { return flow.isPointer(i.word(operand)); };
        if (i.opcode == OpLoad && leads(0)) {
            const MemoryOperands memory(operandsBehind(i, 1));
            const Value value = access(i.type, copies(i.word(0)), memory);
            if (value) emit_.op(OpCopyObject, i.type, {*value}, copies(i.result));
            return true;
        }
        if (i.opcode == OpStore && leads(0) && !leads(1)) {
            const MemoryOperands memory(operandsBehind(i, 2));
            access(context_.module.def(i.word(1)).type, copies(i.word(0)), memory,
                   copies(i.word(1)));
            return true;
        }
        if (i.opcode == OpCopyMemory && (leads(0) || leads(1))) {
            copyMemory(i, flow, copies);
            return true;
        }
        const auto takesPointer = [&](const Operand& o) {
            return o.isId && flow.isPointer(o.word);
        };
        if (!isAtomic(i.opcode) || !leads(0) ||
            std::ranges::any_of(operandsBehind(i, 1), takesPointer)) {
            return false;
        }
        copyAtomic(i, copies);
        return true;
    }

 private:
    struct Part {
        Id type;
        uint32_t offset;
    };

    // One or both pointers lead into the buffer.
    void copyMemory(const Instruction& i, const PointerFlow& flow, const Cloner& copies) {
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

    void copyAtomic(const Instruction& i, const Cloner& copies) {
        const Id type = i.result != 0 ? i.type : context_.module.def(i.operands.back().word).type;
        if (!mayAccess(type, i.opcode != OpAtomicLoad)) return;
        Operands operands = copies(i.operands);
        const Id index = emit_.over(copies(i.word(0)), bytesOf(types_, type));
        operands[0] = idOperand(Memory(context_, place_).pointer(emit_, type, index));
        emit_.add(makeInstruction(i.opcode, i.type, copies(i.result), std::move(operands)));
    }

    // Stores a value at `bytes`; or loads one, without `stored`: nullopt with an error. The address
    // has the alignment of `memory`; without one, that of the type's parts.
    using Value = std::optional<Id>;

    Value access(Id type, Id bytes, const MemoryOperands& memory, Value stored = {}) {
        if (context_.error) return std::nullopt;
        declareNumbersIn(types_, context_.target.device, type);
        const spv::Op opcode = context_.module.def(type).opcode;
        if (opcode == OpTypeStruct) return structure(type, bytes, memory, stored);
        if (opcode == OpTypeArray) return array(type, bytes, memory, stored);
        if (opcode == OpTypePointer) return address(type, bytes, memory, stored);
        if (types_.width(type) >= 8 && types_.components(type) != 0) {
            return numeric(type, bytes, memory, stored);
        }
        return refuse(
            "DecodeFunc accesses other values than numbers, pointers, arrays and structures");
    }

    // A physical pointer in the buffer, as two words.
    Value address(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
        const Id words = types_.vectorType(types_.uint32(), 2);
        if (stored) stored = emit_.bitcast(words, *stored);
        const Value loaded = numeric(words, bytes, memory, stored);
        return loaded ? Value(emit_.bitcast(type, *loaded)) : std::nullopt;
    }

    Value members(Id type, std::span<const Part> parts, Id bytes, const MemoryOperands& memory,
                  Value stored) {
        std::vector<Id> values;
        for (uint32_t m = 0; m < parts.size(); ++m) {
            const auto& [member, offset] = parts[m];
            const Value part = stored ? Value(emit_.extract(member, *stored, {m})) : std::nullopt;
            const Id at = emit_.plus(bytes, offset);
            values.push_back(access(member, at, atOffset(memory, offset), part).value_or(0));
        }
        return whole(stored, [&] { return emit_.construct(type, values); });
    }

    Value structure(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
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

    Value array(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
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

    Value numeric(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
        const Id scalar = types_.scalarOf(type);
        const uint32_t scalarBytes = types_.width(type) / 8, count = types_.components(type);
        // Accesses by physical pointers have an alignment in all valid modules.
        const uint32_t alignment = std::max(1u, memory.alignment());
        const bool isWhole = std::has_single_bit(count) && alignment >= scalarBytes * count;
        if (isWhole) return element(type, bytes, memory, stored);
        std::vector<Id> values;
        for (uint32_t c = 0; c < count; ++c) {
            const Id at = emit_.plus(bytes, c * scalarBytes);
            const Value part = stored && count != 1 ? emit_.extract(scalar, *stored, {c}) : stored;
            const Value loaded = alignment >= scalarBytes
                                     ? element(scalar, at, memory, part)
                                     : pieces(scalar, at, alignment, memory, part);
            values.push_back(loaded.value_or(0));
        }
        return whole(stored, [&] { return emit_.join(type, values); });
    }

    // A scalar or a vector whose alignment is its size.
    Value element(Id type, Id bytes, const MemoryOperands& memory, Value stored) {
        if (!mayAccess(type, stored.has_value())) return std::nullopt;
        Memory at(context_, place_, memory.withAlignment(0));
        const Id index = emit_.over(bytes, bytesOf(types_, type));
        if (!stored) return at.load(emit_, type, index);
        at.store(emit_, type, index, *stored);
        return std::nullopt;
    }

    // A scalar as pieces of a size that is its alignment.
    Value pieces(Id type, Id bytes, uint32_t pieceBytes, const MemoryOperands& memory,
                 Value stored) {
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

    // What members() and the like return: the whole of the parts that were loaded.
    template <typename Make>
    Value whole(Value stored, Make make) {
        return context_.error || stored ? Value() : make();
    }

    // False, with an error, if scalars or vectors of the type may not be accessed.
    bool mayAccess(Id type, bool writes) {
        if (writes && context_.views.isNonWritable(place_)) {
            refuse("DecodeFunc writes to a buffer that is NonWritable");
        } else if (!canAccess(context_.module, context_.target.device,
                              spv::StorageClass::StorageBuffer, types_.width(type))) {
            refuse(
                "DecodeFunc accesses numbers of 8 or 16 bits in a descriptor's buffer: that needs "
                "storageBuffer8BitAccess or storageBuffer16BitAccess");
        }
        return !context_.error;
    }

    Value refuse(std::string_view what) {
        context_.unsupported(at_, what);
        return std::nullopt;
    }

    LoweringContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& at_;
    const BufferPlace& place_;
};

bool PointerFlow::isAddressType(Id id) const {
    const Instruction& type = module_.def(id);
    return isPointerType(type.opcode) || (type.opcode == OpTypeInt && type.word(0) == 64);
}

constexpr uint32_t kMaxCallDepth = 32;  // of calls

struct CloneRequest {
    const Instruction& at;  // the load of the matrix, for errors
    const BufferPlace& place;
    uint32_t depth = 0;  // of calls
};

// Copies one function. Pointers into the buffer become bytes from its start (bufferIndexType()).
class Clone {
 public:
    Clone(LoweringContext& context, const CloneRequest& request, const Function& original,
          std::span<const ArgumentKind> kinds)
        : context_(context),
          module_(context.module),
          types_(context.types),
          bytesType_(bufferIndexType(types_)),
          request_(request),
          original_(original),
          returnsPointer_(isPointerType(module_.def(original.definition->type).opcode)),
          flow_(module_, original, kinds),
          emit_(types_, unused_),
          memory_(context, emit_, request.at, place_),
          copies_(module_) {}

    // The copy; 0, with an error, where it is not possible.
    Id run();

 private:
    bool refuse(std::string_view what) {
        return context_.fail(ErrorCode::kUnsupported, request_.at, what);
    }
    void declareParameters();
    void copyBlock(const Block& block);
    bool usesPointers(const Instruction& i) const;
    void copyPointerUse(const Instruction& i);
    void copyChain(const Instruction& i);
    void copySum(const Instruction& i);
    void copyCall(const Instruction& i);
    void copyAs(const Instruction& i, Id type);
    Id copied(Id id) const { return copies_(id); }
    Id variableType() { return types_.pointerType(spv::StorageClass::Function, bytesType_); }

    LoweringContext& context_;
    Module& module_;
    TypeTable& types_;
    const Id bytesType_;
    const CloneRequest& request_;
    const Function& original_;
    const bool returnsPointer_;  // into the buffer
    PointerFlow flow_;
    std::vector<Id> arguments_;  // of the place: parameters of the copy
    BufferPlace place_;          // in the copy
    std::unique_ptr<Function> clone_ = std::make_unique<Function>();
    InstructionList unused_;
    Emitter emit_;
    ViewAccess memory_;
    Cloner copies_;
};

Id cloneFunction(LoweringContext& context, const CloneRequest& request, Id function,
                 std::span<const ArgumentKind> kinds) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(OpFunction), function};
    request.place.appendKey(context.module, key);
    for (const ArgumentKind kind : kinds) key.push_back(static_cast<uint32_t>(kind));
    const Function* original = context.functions().find(function);
    if (original == nullptr || request.depth > kMaxCallDepth) {
        context.invalid(
            request.at,
            "DecodeFunc and what it calls must be functions that do not call themselves");
        return 0;
    }
    return context.helper(key, [&] { return Clone(context, request, *original, kinds).run(); });
}

Id Clone::run() {
    for (const auto& block : original_.blocks) {
        copies_.set(block->id(), module_.takeId());
        for (const InstructionPtr& i : block->body) {
            if (i->result != 0) copies_.set(i->result, module_.takeId());
        }
    }
    const Id type = returnsPointer_ ? bytesType_ : original_.definition->type;
    clone_->definition =
        makeInstruction(OpFunction, type, module_.takeId(), original_.definition->operands);
    module_.setDef(clone_->definition.get());
    declareParameters();
    for (const auto& block : original_.blocks) copyBlock(*block);
    if (context_.error) return 0;
    clone_->end = makeInstruction(OpFunctionEnd, 0, 0, {});
    const Id id = clone_->id();
    module_.addName(id, "coopvk_decode");
    context_.newFunctions.push_back(std::move(clone_));
    return id;
}

void Clone::declareParameters() {
    std::vector<Id> parameterTypes;
    const auto declare = [&](Id type) {
        parameterTypes.push_back(type);
        clone_->parameters.push_back(
            makeInstruction(OpFunctionParameter, type, module_.takeId(), {}));
        module_.setDef(clone_->parameters.back().get());
        return clone_->parameters.back()->result;
    };
    for (const Id given : request_.place.arguments(module_)) {
        arguments_.push_back(declare(emit_.typeOf(given)));
    }
    for (const InstructionPtr& parameter : original_.parameters) {
        Id type = parameter->type;
        if (flow_.isPointer(parameter->result)) type = bytesType_;
        if (flow_.isVariable(parameter->result)) type = variableType();
        copies_.set(parameter->result, declare(type));
    }
    const Id type = types_.functionType(clone_->definition->type, parameterTypes);
    clone_->definition->operands[1] = idOperand(type);
}

void Clone::copyBlock(const Block& block) {
    clone_->blocks.push_back(std::make_unique<Block>());
    Block& target = *clone_->blocks.back();
    target.label = makeInstruction(OpLabel, 0, copied(block.id()), {});
    module_.setDef(target.label.get());
    emit_.setOut(target.body);
    for (const InstructionPtr& i : block.body) {
        if (context_.error) return;
        if (isDebugLine(i->opcode) || isNonSemantic(module_, *i)) continue;
        if (place_.root == 0 && i->opcode != OpVariable) {
            place_ = request_.place.inFunction(emit_, arguments_);
        }
        const bool returns = i->opcode == OpReturnValue && returnsPointer_;
        if (usesPointers(*i) || returns) {
            copyPointerUse(*i);
        } else {
            emit_.add(copies_.copy(*i));
        }
    }
}

bool Clone::usesPointers(const Instruction& i) const {
    return flow_.kindOf(i.result) != ArgumentKind::kOther || flow_.takesPointers(i);
}

// Copies an instruction with another result type.
void Clone::copyAs(const Instruction& i, Id type) {
    emit_.add(makeInstruction(i.opcode, type, copied(i.result), copies_(i.operands)));
}

void Clone::copyPointerUse(const Instruction& i) {
    const auto isBytes = [&](Id id) { return flow_.isPointer(id); };
    if (firstChainIndex(i.opcode) != 0 && isBytes(chainBase(i))) return copyChain(i);
    if (memory_.copy(i, flow_, copies_)) return;
    switch (i.opcode) {
        case OpVariable:
            if (i.operands.size() == 1) return copyAs(i, variableType());
            break;
        case OpLoad:
            return copyAs(i, bytesType_);
        case OpStore:
            if (isBytes(i.word(1)) && flow_.isVariable(i.word(0))) return copyAs(i, 0);
            break;
        case OpIAdd:
        case OpISub:
            if (isBytes(i.word(0)) != isBytes(i.word(1)) &&
                (isBytes(i.word(0)) || i.opcode == OpIAdd)) {
                return copySum(i);
            }
            break;
        case OpBitcast:
        case OpCopyObject:
        case OpConvertPtrToU:
        case OpConvertUToPtr:
            if (!isBytes(i.result)) break;
            emit_.add(makeInstruction(OpCopyObject, bytesType_, copied(i.result),
                                      {idOperand(copied(i.word(0)))}));
            return;
        case OpSelect:
            if (isBytes(i.word(1)) && isBytes(i.word(2))) return copyAs(i, bytesType_);
            break;
        case OpPhi: {
            bool all = true;
            for (size_t o = 0; o < i.operands.size(); o += 2) all = all && isBytes(i.word(o));
            if (all) return copyAs(i, bytesType_);
            break;
        }
        case OpFunctionCall:
            return copyCall(i);
        case OpReturnValue:
            if (returnsPointer_ && isBytes(i.word(0))) return copyAs(i, 0);
            break;
        default:
            break;
    }
    refuse(
        "DecodeFunc computes with the bits of its pointer, and the tensor is in a descriptor's "
        "buffer, whose address is not known");
}

// The sum of an address and an integer.
void Clone::copySum(const Instruction& i) {
    const auto narrow = [&](Id id) {
        return flow_.isPointer(id) ? copied(id) : emit_.toUnsigned(bytesType_, copied(id));
    };
    const Id a = narrow(i.word(0)), b = narrow(i.word(1));
    emit_.op(i.opcode, bytesType_, {a, b}, copied(i.result));
}

void Clone::copyChain(const Instruction& i) {
    const Id base = chainBase(i);
    const ChainStep step = chainStep(module_, i);
    Id bytes = copied(base);
    if (!isAccessChain(i.opcode) && !isUntypedChain(i.opcode)) {
        const auto stride =
            module_.decoration(module_.def(base).type, spv::Decoration::ArrayStride);
        const uint32_t size = stride.value_or(sizeOfType(types_, step.type));
        const Id operand = i.word(firstChainIndex(i.opcode) - 1);
        const Id element = emit_.toUnsigned(bytesType_, copied(operand));
        bytes = emit_.sum(bytes, emit_.times(element, size));
    }
    std::vector<Id> indices;
    for (const Operand& index : step.indices) indices.push_back(copied(index.word));
    const std::optional<Id> inside = bytesTo(emit_, step.type, indices);
    if (inside) {
        emit_.op(OpIAdd, bytesType_, {bytes, *inside}, copied(i.result));
    } else {
        refuse("DecodeFunc goes through memory without a layout");
    }
}

void Clone::copyCall(const Instruction& i) {
    std::vector<ArgumentKind> kinds;
    for (const Operand& argument : operandsBehind(i, 1)) {
        kinds.push_back(flow_.kindOf(argument.word));
    }
    const CloneRequest inner = {request_.at, place_, request_.depth + 1};
    const Id function = cloneFunction(context_, inner, i.word(0), kinds);
    if (function == 0) return;
    Operands operands = {idOperand(function)};
    append(operands, idOperands(place_.arguments(module_)));
    for (const Operand& argument : operandsBehind(i, 1)) {
        operands.push_back(idOperand(copied(argument.word)));
    }
    const Id type = isPointerType(module_.def(i.type).opcode) ? bytesType_ : i.type;
    emit_.add(makeInstruction(i.opcode, type, copied(i.result), std::move(operands)));
}

}  // namespace

Id cloneDecode(LoweringContext& context, const Instruction& at, Id function,
               const BufferPlace& place) {
    const Instruction& type = context.module.def(context.module.def(function).word(1));
    std::vector<ArgumentKind> kinds(std::max<size_t>(type.operands.size(), 1) - 1,
                                    ArgumentKind::kOther);
    if (!kinds.empty()) kinds[0] = ArgumentKind::kPointer;
    return cloneFunction(context, {at, place}, function, kinds);
}

}  // namespace coopvk::rewrite
