// SPDX-License-Identifier: Apache-2.0
#include "lowering/packed.hpp"

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

std::vector<Id> PackedContext::packsOf(Emitter& emit, const PackedType&, Id value) {
    return emit.parts(value);
}

void PackedContext::fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                              Id result) {
    emit.construct(type.id, packs, result);
}

void PackedContext::checkKept(const Instruction& instruction) {
    if (movesValues(instruction.opcode) || isNonSemantic(module, instruction)) return;
    bool touches = packed(instruction.type) != nullptr;
    for (const Operand& operand : instruction.operands) {
        touches = touches || (operand.isId && (packedOfValue(operand.word) != nullptr ||
                                               packed(operand.word) != nullptr));
    }
    if (touches) fail(ErrorCode::kUnsupported, instruction, std::format("takes no {}", kind_));
}

namespace {

// The packed types, and the arrays and structures that contain them.
std::unordered_set<Id> typesWithPacks(const PackedContext& context) {
    std::unordered_set<Id> found;
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        const bool contains = isArrayType(i->opcode) || i->opcode == spv::Op::OpTypeStruct;
        const auto isFound = [&](const Operand& o) { return o.isId && found.contains(o.word); };
        if (context.packed(i->result) != nullptr ||
            (contains && std::ranges::any_of(i->operands, isFound))) {
            found.insert(i->result);
        }
    }
    return found;
}

}  // namespace

void PackedContext::dropValueDecorations(bool invocationsDiffer) {
    const std::unordered_set<Id> containing = typesWithPacks(*this);
    module.removeDecorations([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpDecorate && i.opcode != spv::Op::OpDecorateId) return false;
        const auto decoration = static_cast<spv::Decoration>(i.word(1));
        const Id type = module.def(i.word(0)).type;
        return (isOfParts(decoration) && packed(type) != nullptr) ||
               (invocationsDiffer && isUniform(decoration) && containing.contains(type));
    });
}

Id splatPack(Emitter& emit, const PackedType& type, Id scalar) {
    if (packsAreMatrices(emit.types(), type)) return emit.construct(type.pack, {&scalar, 1});
    return emit.splat(type.pack, scalar);
}

std::vector<Slot> slotsOf(const PackedType& type, std::span<const Id> packs) {
    std::vector<Slot> elements;
    elements.reserve(type.count);
    for (uint32_t e = 0; e < type.count; ++e) {
        const auto [pack, part] = type.place(e);
        elements.push_back({packs[pack], part});
    }
    return elements;
}

std::vector<Id> gatherPacks(Emitter& emit, const PackedType& type, std::span<const Slot> elements) {
    std::vector<Slot> slots(size_t{type.packs()} * type.packWidth, elements.back());
    for (uint32_t e = 0; e < type.count; ++e) {
        const auto [pack, part] = type.place(e);
        slots[size_t{pack} * type.packWidth + part] = elements[e];
    }
    std::vector<Id> packs;
    packs.reserve(type.packs());
    for (uint32_t p = 0; p < type.packs(); ++p) {
        packs.push_back(
            gather(emit, type.component,
                   std::span(slots).subspan(size_t{p} * type.packWidth, type.packWidth)));
    }
    return packs;
}

}  // namespace coopvk::rewrite
