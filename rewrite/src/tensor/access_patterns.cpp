// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

void appendTo(std::vector<uint32_t>& key, std::initializer_list<uint32_t> words) {
    key.insert(key.end(), words);
}

}  // namespace

bool isTensorStore(const Instruction& i) { return i.opcode == OpCooperativeMatrixStoreTensorNV; }

AccessPatterns::AccessPatterns(Module& module) : module_(module) {
    module_.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpTensorViewSetClipNV) clipped_.insert(i.type);
    });
}

bool AccessPatterns::isConstant(Id id) const {
    const Instruction& def = module_.def(id);
    return isDeclaration(def) || def.opcode == OpFunction;
}

bool AccessPatterns::isPhysical(const Instruction& access) const {
    return module_.storage(access.word(0)) == spv::StorageClass::PhysicalStorageBuffer;
}

// The pointer is a chain into a variable of the module; or a physical one, which may be an
// argument.
bool AccessPatterns::has(const Instruction& access) const {
    if (!isTensorLoad(access) && !isTensorStore(access)) return false;
    const Instruction& pointer = module_.def(access.word(0));
    if (module_.def(pointer.type).opcode != OpTypePointer) return false;
    for (const Instruction* note : module_.annotationsOf(pointer.result)) {
        if (note->opcode != OpName) return false;
    }
    if (isPhysical(access)) return true;
    if (!isAccessChain(pointer.opcode)) return false;
    // A parameter of the function would not have the decoration.
    for (const Operand& index : operandsBehind(pointer, 1)) {
        if (module_.decoration(index.word, spv::Decoration::NonUniform)) return false;
    }
    const Instruction& base = module_.def(pointer.word(0));
    return base.opcode == OpVariable && storageOf(base) != spv::StorageClass::Function;
}

bool AccessPatterns::readsObject(const Instruction& access) const {
    if (isTensorStore(access)) return true;
    return std::ranges::any_of(operandsBehind(access, 3), [&](const Operand& o) {
        return o.isId && clipped_.contains(module_.def(o.word).type);
    });
}

// Whether an access stores what a conversion without decorations makes of another matrix.
bool AccessPatterns::isConverted(const Instruction& access) const {
    const Instruction& object = module_.def(access.word(1));
    return isTensorStore(access) && object.opcode == OpFConvert &&
           !module_.isDecorated(object.result);
}

Id AccessPatterns::objectOf(const Instruction& access) const {
    return isConverted(access) ? module_.def(access.word(1)).word(0) : access.word(1);
}

// Visits the ids that a function needs of an access, in the order of its parameters.
void AccessPatterns::visitIds(const Instruction& access,
                              const std::function<void(Id id)>& visit) const {
    if (isPhysical(access)) {
        visit(access.word(0));
    } else {
        for (const Operand& o : operandsBehind(module_.def(access.word(0)), 1)) visit(o.word);
    }
    visit(access.word(2));
    if (readsObject(access)) visit(objectOf(access));
    for (const Operand& o : operandsBehind(access, 3)) {
        if (o.isId) visit(o.word);
    }
}

AccessPattern AccessPatterns::of(const Instruction& access) const {
    AccessPattern pattern;
    const Instruction& pointer = module_.def(access.word(0));
    pattern.key = {static_cast<uint32_t>(access.opcode), access.type, pointer.type};
    if (!isPhysical(access)) {
        appendTo(pattern.key, {static_cast<uint32_t>(pointer.opcode), pointer.word(0)});
    }
    for (const Operand& o : operandsBehind(access, 3)) {
        appendTo(pattern.key, {o.isId ? 1u : 0u, o.isId ? 0u : o.word});
    }
    if (isTensorStore(access)) appendTo(pattern.key, {module_.def(access.word(1)).type});
    visitIds(access, [&](Id id) {
        const bool isShared = isConstant(id);
        appendTo(pattern.key, {isShared ? id : 0, module_.def(id).type});
        if (!isShared) pattern.arguments.push_back(id);
    });
    return pattern;
}

std::optional<Id> AccessPatterns::emitIn(Emitter& emit, const Instruction& access,
                                         const std::function<Id(Id argument)>& parameter) const {
    std::vector<Operand> ids;
    visitIds(access, [&](Id id) { ids.push_back(idOperand(isConstant(id) ? id : parameter(id))); });
    size_t next = 0;
    const auto take = [&] { return ids[next++]; };
    Operands operands = access.operands;
    if (isPhysical(access)) {
        operands[0] = take();
    } else {
        const Instruction& chain = module_.def(access.word(0));
        Operands indices = chain.operands;
        for (size_t i = 1; i < indices.size(); ++i) indices[i] = take();
        operands[0] = idOperand(emit.op(chain.opcode, chain.type, std::move(indices)));
    }
    operands[2] = take();
    operands[1] =
        readsObject(access) ? take() : idOperand(emit.op(OpUndef, access.type, Operands()));
    if (isConverted(access)) {
        const Id type = module_.def(access.word(1)).type;
        operands[1] = idOperand(emit.op(OpFConvert, type, Operands{operands[1]}));
    }
    for (size_t o = 3; o < operands.size(); ++o) {
        if (operands[o].isId) operands[o] = take();
    }
    if (isTensorLoad(access)) return emit.op(access.opcode, access.type, std::move(operands));
    emit.opVoid(access.opcode, std::move(operands));
    return std::nullopt;
}

std::vector<Id> typesOf(const Module& module, std::span<const Id> values) {
    std::vector<Id> types;
    for (const Id value : values) types.push_back(module.def(value).type);
    return types;
}

void decoratePointers(FunctionBuilder& function, std::span<const Id> arguments) {
    if (arguments.empty()) return;
    Module& module = function.module();
    const Instruction& type = module.def(module.def(arguments.front()).type);
    if (type.opcode == OpTypePointer &&
        storageOf(type) == spv::StorageClass::PhysicalStorageBuffer) {
        module.decorate(function.parameter(0), spv::Decoration::Aliased);
    }
}

}  // namespace coopvk::rewrite
