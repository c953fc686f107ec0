// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "ir/type_sizes.hpp"
#include "tensor/decode.hpp"

namespace coopvk::rewrite {

namespace {

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
    const Id result = i.result == 0 ? 0 : copied(i.result);
    emit_.add(makeInstruction(i.opcode, type, result, copies_(i.operands)));
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
