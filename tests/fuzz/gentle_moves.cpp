// SPDX-License-Identifier: Apache-2.0
//
// Changes that keep a valid module valid: pass a value through other instructions, replace it by
// another value of its type, change constants, split blocks.
#include <algorithm>

#include "edit.hpp"

namespace coopvk::fuzz {
namespace {

using spv::Op;

// The number type of which a value consists, if it consists of numbers.
const Instruction* componentOf(const Facts& facts, uint32_t type) {
    const Instruction* found = facts.find(type);
    for (int depth = 0; found != nullptr && depth < 4; ++depth) {
        switch (found->opcode()) {
            case Op::OpTypeFloat:
            case Op::OpTypeInt:
                return found;
            case Op::OpTypeVector:
            case Op::OpTypeCooperativeMatrixKHR:
            case Op::OpTypeCooperativeMatrixNV:
            case Op::OpTypeCooperativeVectorNV:
                found = facts.find(found->operand(0));
                break;
            default:
                return nullptr;
        }
    }
    return nullptr;
}

// A use of a value that may be stored and selected, unlike pointers and images.
std::optional<Use> findDataUse(const Module& module, const Facts& facts, Random& random) {
    for (int tries = 0; tries < 8; ++tries) {
        const auto use = findUse(module, facts, random);
        if (!use) return std::nullopt;
        const Instruction* type = facts.find(use->type);
        if (type == nullptr) continue;
        switch (type->opcode()) {
            case Op::OpTypePointer:
            case Op::OpTypeUntypedPointerKHR:
            case Op::OpTypeImage:
            case Op::OpTypeSampler:
            case Op::OpTypeSampledImage:
            case Op::OpTypeAccelerationStructureKHR:
                continue;
            default:
                return use;
        }
    }
    return std::nullopt;
}

// --- Another value -----------------------------------------------------------------------------

bool swapValue(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    std::vector<uint32_t> others = facts.valuesAt(use->place, use->type);
    if (others.empty()) return false;
    module.instructions[use->place].words[use->word].value = random.from(others);
    return true;
}

bool useNothing(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findDataUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    switch (random.below(3)) {
        case 0:
            edit.apply(edit.emit(Op::OpUndef, use->type, {}));
            break;
        case 1:
            edit.apply(edit.global(Op::OpUndef, use->type, {}));
            break;
        default:
            edit.apply(edit.global(Op::OpConstantNull, use->type, {}));
    }
    return true;
}

// Bfloat16 and 8-bit floats have conversions in place of arithmetic.
bool hasEncoding(const Instruction& type) {
    return type.opcode() == Op::OpTypeFloat && type.words.size() > 3;
}

// A scalar or vector of floats becomes one of another format, and comes back.
bool convertFloats(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    const Instruction* component = componentOf(facts, use->type);
    if (component == nullptr || component->opcode() != Op::OpTypeFloat) return false;
    const Instruction* type = facts.find(use->type);
    std::vector<uint32_t> others;
    for (const Instruction& other : module.instructions) {
        if (other.opcode() != type->opcode() || other.result() == use->type) continue;
        const Instruction* part = componentOf(facts, other.result());
        const bool isAlike = type == component || other.operand(1) == type->operand(1);
        if (part != nullptr && part->opcode() == Op::OpTypeFloat && isAlike) {
            others.push_back(other.result());
        }
    }
    if (others.empty()) return false;
    Edit edit(module, facts, *use);
    const uint32_t there = edit.emit(Op::OpFConvert, random.from(others), {id(use->value)});
    edit.apply(edit.emit(Op::OpFConvert, use->type, {id(there)}));
    return true;
}

bool compute(Module& module, Random& random) {
    constexpr Op kFloats[] = {Op::OpFAdd, Op::OpFSub, Op::OpFMul, Op::OpFDiv, Op::OpFNegate};
    constexpr Op kIntegers[] = {Op::OpIAdd, Op::OpISub,    Op::OpIMul, Op::OpSDiv,
                                Op::OpUDiv, Op::OpSNegate, Op::OpNot,  Op::OpBitwiseAnd};
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    const Instruction* component = componentOf(facts, use->type);
    if (component == nullptr) return false;
    const bool isFloat = component->opcode() == Op::OpTypeFloat;
    if (hasEncoding(*component)) return false;
    const Op op = isFloat ? random.from(kFloats) : random.from(kIntegers);
    std::vector<uint32_t> others = facts.valuesAt(use->place, use->type);
    const uint32_t other = others.empty() ? use->value : random.from(others);
    Edit edit(module, facts, *use);
    const bool isUnary = op == Op::OpFNegate || op == Op::OpSNegate || op == Op::OpNot;
    edit.apply(isUnary ? edit.emit(op, use->type, {id(use->value)})
                       : edit.emit(op, use->type, {id(use->value), id(other)}));
    return true;
}

bool changeElement(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    const Instruction* type = facts.find(use->type);
    if (type == nullptr || componentOf(facts, use->type) == nullptr) return false;
    if (type->opcode() == Op::OpTypeFloat || type->opcode() == Op::OpTypeInt) return false;
    const uint32_t component = type->operand(0);
    Edit edit(module, facts, *use);
    const auto from = literal(random.below(3)), to = literal(random.below(3));
    const uint32_t element = edit.emit(Op::OpCompositeExtract, component, {id(use->value), from});
    edit.apply(edit.emit(Op::OpCompositeInsert, use->type, {id(element), id(use->value), to}));
    return true;
}

// --- A way round -------------------------------------------------------------------------------

bool copy(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    edit.apply(edit.emit(Op::OpCopyObject, use->type, {id(use->value)}));
    return true;
}

bool select(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findDataUse(module, facts, random);
    if (!use) return false;
    std::vector<uint32_t> others = facts.valuesAt(use->place, use->type);
    const uint32_t other = others.empty() ? use->value : random.from(others);
    Edit edit(module, facts, *use);
    edit.apply(edit.emit(Op::OpSelect, use->type,
                         {id(edit.truth(random.oneOf(2))), id(use->value), id(other)}));
    return true;
}

bool throughVariable(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findDataUse(module, facts, random);
    if (!use) return false;
    const Instruction* component = componentOf(facts, use->type);
    Edit edit(module, facts, *use);
    const uint32_t variable = edit.variable(use->type);
    edit.emit(Op::OpStore, 0, {id(variable), id(use->value)});
    if (component != nullptr && component->result() != use->type && random.oneOf(2)) {
        const uint32_t element = facts.find(use->type)->operand(0);
        const uint32_t pointer =
            edit.global(Op::OpTypePointer, 0, {literal(spv::StorageClass::Function), id(element)});
        const uint32_t chain = edit.emit(Op::OpAccessChain, pointer,
                                         {id(variable), id(edit.number(random.word() & 3u))});
        const uint32_t loaded = edit.emit(Op::OpLoad, element, {id(chain)});
        edit.emit(Op::OpStore, 0, {id(chain), id(loaded)});
    }
    if (random.oneOf(3)) {
        const uint32_t second = edit.variable(use->type);
        edit.emit(Op::OpCopyMemory, 0, {id(second), id(variable)});
        edit.apply(edit.emit(Op::OpLoad, use->type, {id(second)}));
    } else {
        edit.apply(edit.emit(Op::OpLoad, use->type, {id(variable)}));
    }
    return true;
}

bool throughComposite(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findDataUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    uint32_t holder = 0;
    if (random.oneOf(2)) {
        holder = edit.global(Op::OpTypeStruct, 0, {id(use->type), id(use->type)});
    } else {
        holder = edit.global(Op::OpTypeArray, 0, {id(use->type), id(edit.number(2))});
    }
    uint32_t held = 0;
    if (random.oneOf(2)) {
        held = edit.emit(Op::OpCompositeConstruct, holder, {id(use->value), id(use->value)});
    } else {
        const uint32_t empty = edit.emit(Op::OpUndef, holder, {});
        held = edit.emit(Op::OpCompositeInsert, holder, {id(use->value), id(empty), literal(1)});
    }
    if (random.oneOf(3)) {
        const uint32_t variable = edit.variable(holder);
        edit.emit(Op::OpStore, 0, {id(variable), id(held)});
        const uint32_t pointer = edit.global(Op::OpTypePointer, 0,
                                             {literal(spv::StorageClass::Function), id(use->type)});
        const uint32_t chain =
            edit.emit(Op::OpAccessChain, pointer, {id(variable), id(edit.number(1))});
        edit.apply(edit.emit(Op::OpLoad, use->type, {id(chain)}));
    } else {
        edit.apply(edit.emit(Op::OpCompositeExtract, use->type, {id(held), literal(1)}));
    }
    return true;
}

bool throughFunction(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findDataUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    const uint32_t function = edit.identityFunction(use->type);
    edit.apply(edit.emit(Op::OpFunctionCall, use->type, {id(function), id(use->value)}));
    return true;
}

// --- Control flow --------------------------------------------------------------------------------

// Of a block that may be cut in two.
std::optional<Use> findCuttableUse(const Module& module, const Facts& facts, Random& random) {
    const auto use = findDataUse(module, facts, random);
    if (!use) return std::nullopt;
    for (size_t at = use->place; at < module.instructions.size(); ++at) {
        if (module.instructions[at].opcode() == Op::OpLoopMerge) return std::nullopt;
        if (isTerminator(module.instructions[at].opcode())) break;
    }
    return use;
}

bool splitBlock(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findCuttableUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    const uint32_t next = edit.freshId();
    edit.emit(Op::OpBranch, 0, {id(next)});
    edit.place(next);
    edit.blockContinuesAt(next);
    edit.apply(use->value);
    return true;
}

bool throughBranch(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findCuttableUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    const uint32_t from = module.instructions[facts.blockOf(use->place)].result();
    const uint32_t merge = edit.freshId(), taken = edit.freshId();
    edit.emit(Op::OpSelectionMerge, 0, {id(merge), literal(0)});
    edit.emit(Op::OpBranchConditional, 0, {id(edit.truth(random.oneOf(2))), id(taken), id(merge)});
    edit.place(taken);
    const uint32_t other = random.oneOf(2)
                               ? edit.emit(Op::OpCopyObject, use->type, {id(use->value)})
                               : edit.emit(Op::OpUndef, use->type, {});
    edit.emit(Op::OpBranch, 0, {id(merge)});
    edit.place(merge);
    edit.blockContinuesAt(merge);
    edit.apply(edit.emit(Op::OpPhi, use->type, {id(use->value), id(from), id(other), id(taken)}));
    return true;
}

bool throughLoop(Module& module, Random& random) {
    const Facts facts(module);
    const auto use = findCuttableUse(module, facts, random);
    if (!use) return false;
    Edit edit(module, facts, *use);
    const uint32_t from = module.instructions[facts.blockOf(use->place)].result();
    const uint32_t head = edit.freshId(), body = edit.freshId(), next = edit.freshId(),
                   merge = edit.freshId(), phi = edit.freshId(), changed = edit.freshId();
    edit.emit(Op::OpBranch, 0, {id(head)});
    edit.place(head);
    edit.emitWithId(Op::OpPhi, use->type, phi, {id(use->value), id(from), id(changed), id(next)});
    edit.emit(Op::OpLoopMerge, 0, {id(merge), id(next), literal(0)});
    edit.emit(Op::OpBranch, 0, {id(body)});
    edit.place(body);
    edit.emitWithId(Op::OpCopyObject, use->type, changed, {id(phi)});
    edit.emit(Op::OpBranchConditional, 0, {id(edit.truth(false)), id(next), id(merge)});
    edit.place(next);
    edit.emit(Op::OpBranch, 0, {id(head)});
    edit.place(merge);
    edit.blockContinuesAt(merge);
    edit.apply(random.oneOf(2) ? phi : changed);
    return true;
}

// --- Globals -------------------------------------------------------------------------------------

bool changeConstant(Module& module, Random& random) {
    constexpr uint32_t kValues[] = {1, 1, 2, 3, 4, 5, 7, 8, 8, 12, 15, 16, 16, 24, 31, 32, 33, 64};
    std::vector<size_t> constants;
    for (size_t at = 0; at < module.instructions.size(); ++at) {
        const Op op = module.instructions[at].opcode();
        if ((op == Op::OpConstant || op == Op::OpSpecConstant) &&
            module.instructions[at].words.size() > 3)
            constants.push_back(at);
    }
    if (constants.empty()) return false;
    Instruction& i = module.instructions[random.from(constants)];
    if (random.oneOf(6)) {
        i.setOpcode(i.opcode() == Op::OpConstant ? Op::OpSpecConstant : Op::OpConstant);
    } else {
        i.words[3].value = random.from(kValues);
    }
    return true;
}

// Another constant, or another type of the same kind, for one that a global names.
bool changeGlobalOperand(Module& module, Random& random) {
    const Facts facts(module);
    for (int tries = 0; tries < 24; ++tries) {
        Instruction& i = module.instructions[random.below(facts.firstFunction())];
        if (i.words.size() < 2 || i.result() == 0) continue;
        Word& word = i.words[1 + random.below(i.words.size() - 1)];
        if (word.kind != Kind::kId && !(word.kind == Kind::kTypeId && random.oneOf(4))) continue;
        const Instruction* now = facts.find(word.value);
        if (now == nullptr) continue;
        std::vector<uint32_t> others;
        for (size_t at = 0; at < facts.firstFunction(); ++at) {
            const Instruction& other = module.instructions[at];
            const bool isNumber =
                now->opcode() == Op::OpTypeInt || now->opcode() == Op::OpTypeFloat;
            if (other.result() == 0 || other.type() != now->type()) continue;
            if (other.opcode() == now->opcode() ||
                (isNumber &&
                 (other.opcode() == Op::OpTypeInt || other.opcode() == Op::OpTypeFloat)))
                others.push_back(other.result());
        }
        if (others.size() < 2) continue;
        word.value = random.from(others);
        return true;
    }
    return false;
}

bool decorate(Module& module, Random& random) {
    constexpr spv::Decoration kDecorations[] = {
        spv::Decoration::RelaxedPrecision,
        spv::Decoration::NoContraction,
        spv::Decoration::NonUniform,
        spv::Decoration::RestrictPointer,
        spv::Decoration::AliasedPointer,
        spv::Decoration::NonWritable,
        spv::Decoration::Coherent,
        spv::Decoration::Volatile,
        spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT};
    const Facts facts(module);
    const auto use = findUse(module, facts, random);
    if (!use) return false;
    size_t at = 0;
    while (at < facts.firstFunction()) {
        const Op op = module.instructions[at].opcode();
        if (module.instructions[at].result() != 0 && op != Op::OpExtInstImport &&
            op != Op::OpString && op != Op::OpDecorationGroup)
            break;
        ++at;
    }
    Instruction made = makeInstruction(Op::OpDecorate, 0, 0);
    made << id(use->value) << literal(random.from(kDecorations));
    module.instructions.insert(module.instructions.begin() + static_cast<std::ptrdiff_t>(at), made);
    return true;
}

bool addCapability(Module& module, Random& random) {
    constexpr spv::Capability kCapabilities[] = {
        spv::Capability::Float16,
        spv::Capability::Float64,
        spv::Capability::Int8,
        spv::Capability::Int16,
        spv::Capability::Int64,
        spv::Capability::GroupNonUniform,
        spv::Capability::VariablePointers,
        spv::Capability::PhysicalStorageBufferAddresses,
        spv::Capability::StorageBuffer8BitAccess,
        spv::Capability::StorageBuffer16BitAccess,
        spv::Capability::CooperativeMatrixKHR,
        spv::Capability::CooperativeMatrixNV,
        spv::Capability::CooperativeVectorNV,
        spv::Capability::CooperativeMatrixConversionQCOM,
        spv::Capability::ReplicatedCompositesEXT,
        spv::Capability::AtomicFloat32AddEXT,
        spv::Capability::Int4TypeINTEL,
        spv::Capability::Subgroup2DBlockIOINTEL,
        spv::Capability::BFloat16TypeKHR,
        spv::Capability::Float8EXT,
    };
    Instruction made = makeInstruction(Op::OpCapability, 0, 0);
    made << literal(random.from(kCapabilities));
    module.instructions.insert(module.instructions.begin(), made);
    return true;
}

constexpr Move kGentleMoves[] = {
    swapValue,       swapValue,       swapValue,       swapValue,           useNothing,
    compute,         compute,         compute,         changeElement,       copy,
    select,          throughVariable, throughVariable, throughComposite,    throughComposite,
    throughFunction, splitBlock,      throughBranch,   throughBranch,       throughLoop,
    changeConstant,  changeConstant,  changeConstant,  changeGlobalOperand, changeGlobalOperand,
    decorate,        addCapability,   convertFloats,
};

}  // namespace

std::span<const Move> gentleMoves() { return kGentleMoves; }

}  // namespace coopvk::fuzz
