// SPDX-License-Identifier: Apache-2.0
#include "lowering/packed.hpp"

#include <algorithm>

#include "ir/composites.hpp"
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
        if (touches || !operand.isId) continue;
        const Id type = module.def(operand.word).type;  // 0: it may be a type itself
        touches = packed(type != 0 ? type : operand.word) != nullptr;
    }
    if (touches) fail(ErrorCode::kUnsupported, instruction, std::format("takes no {}", kind_));
}

void PackedContext::dropValueDecorations() {
    module.removeDecorations([&](const Instruction& i) {
        return i.opcode == OpDecorate && isOfParts(spv::Decoration{i.word(1)}) &&
               packedOfValue(i.word(0)) != nullptr;
    });
}

void PackedContext::dropUniformDecorations() {
    std::unordered_set<Id> containing;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (packed(i->result) != nullptr) containing.insert(i->result);
    }
    containing = typesWith(module, std::move(containing));
    module.removeDecorations([&](const Instruction& i) {
        return isOneOf(i.opcode, {OpDecorate, OpDecorateId}) &&
               isUniform(spv::Decoration{i.word(1)}) &&
               containing.contains(module.def(i.word(0)).type);
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

namespace {

bool multipliesByScalar(spv::Op opcode) {
    return opcode == OpMatrixTimesScalar || opcode == OpVectorTimesScalar;
}

// Whether an operand is one scalar for all elements.
bool isScalar(const PackedContext& context, const Instruction& i, const PackedType& result,
              size_t operand) {
    const Id type = context.module.def(i.word(operand)).type;
    if (i.opcode == OpSelect) {
        return operand == 0 && context.module.def(type).opcode == OpTypeBool;
    }
    return multipliesByScalar(i.opcode) && operand == 1 && type == result.component;
}

bool fits(const PackedContext& context, const PackedType* operand, const PackedType& result,
          bool converts) {
    return operand != nullptr && operand->shape == result.shape &&
           (converts ||
            context.types.width(operand->component) == context.types.width(result.component));
}

}  // namespace

const PackedType& ElementWise::source() const {
    return **std::ranges::find_if(types, [](const PackedType* type) { return type != nullptr; });
}

std::optional<ElementWise> elementWise(PackedContext& context, const Instruction& i, size_t head) {
    const PackedType* result = context.packed(i.type);
    if (result == nullptr) return std::nullopt;
    ElementWise map = {
        i.opcode, {i.operands.begin(), i.operands.begin() + static_cast<std::ptrdiff_t>(head)},
        result,   {},
        {},       {context.module, i.result}};
    const bool converts = isConversion(i.opcode);
    bool fit = true, areScalars = true;
    for (size_t o = head; o < i.operands.size(); ++o) {
        const PackedType* type = context.packedOfValue(i.word(o));
        fit = fit && (isScalar(context, i, *result, o) || fits(context, type, *result, converts));
        areScalars = areScalars && type == nullptr;
        map.types.push_back(type);
        map.operands.push_back(i.word(o));
    }
    if (!fit || areScalars) {
        context.invalid(i, "operand types do not fit Result Type");
        return std::nullopt;
    }
    if (multipliesByScalar(i.opcode) && !packsAreMatrices(context.types, *result)) {
        map.opcode = context.types.isFloat(result->component) ? OpFMul : OpIMul;
    }
    return map;
}

std::vector<Id> mapPacks(Emitter& emit, const ElementWise& map, uint32_t count,
                         const std::vector<std::vector<Id>>& operands) {
    TypeTable& types = emit.types();
    PackedType from = map.source();
    PackedType to = *map.result;
    from.count = to.count = count;
    const bool samePlaces = from.hasPlacesOf(to);
    // If the widths of packs differ, computes in packs of the source's width.
    const Id type = samePlaces ? to.pack : types.vectorType(to.component, from.packWidth);
    std::vector<std::vector<Id>> values = operands;
    for (size_t o = 0; o < values.size(); ++o) {
        if (map.types[o] != nullptr) continue;
        Id value = values[o][0];
        if (!packsAreMatrices(types, from)) {
            value = emit.splat(types.vectorType(emit.typeOf(value), from.packWidth), value);
        }
        values[o].assign(from.packs(), value);
    }
    std::vector<Id> packs;
    for (uint32_t p = 0; p < from.packs(); ++p) {
        Operands ids = map.head;
        for (const std::vector<Id>& value : values) ids.push_back(idOperand(value[p]));
        packs.push_back(emit.op(map.opcode, type, std::move(ids)));
        map.decorations.addTo(packs.back());
    }
    return samePlaces ? packs : gatherPacks(emit, to, slotsOf(from, packs));
}

void mapPacks(PackedContext& context, Emitter& emit, const ElementWise& map, Id result) {
    std::vector<std::vector<Id>> operands;
    for (size_t o = 0; o < map.operands.size(); ++o) {
        const PackedType* type = map.types[o];
        operands.push_back(type == nullptr ? std::vector<Id>{map.operands[o]}
                                           : context.packsOf(emit, *type, map.operands[o]));
    }
    context.fromPacks(emit, *map.result, mapPacks(emit, map, map.result->count, operands), result);
}

bool lowerElementWise(PackedContext& context, Emitter& emit, const Instruction& i) {
    // From SPIR-V 1.4 on OpSelect may select arrays.
    if (i.opcode == OpSelect && context.module.version() >= 0x00010400) return false;
    const std::optional<ElementWise> map = elementWise(context, i);
    if (map) mapPacks(context, emit, *map, i.result);
    return map.has_value();
}

}  // namespace coopvk::rewrite
