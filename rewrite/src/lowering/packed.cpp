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

namespace {

// Whether packs are the driver's matrices: a scalar operand then applies to a whole pack.
inline bool packsAreMatrices(const TypeTable& types, const PackedType& type) {
    return types.components(type.pack) == 0;
}

// A pack with all elements equal to the scalar.
Id splatPack(Emitter& emit, const PackedType& type, Id scalar) {
    if (packsAreMatrices(emit.types(), type)) return emit.construct(type.pack, {&scalar, 1});
    return emit.splat(type.pack, scalar);
}

}  // namespace

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

namespace {

bool replicates(spv::Op opcode) {
    return opcode == OpCompositeConstructReplicateEXT ||
           opcode == OpConstantCompositeReplicateEXT ||
           opcode == OpSpecConstantCompositeReplicateEXT;
}

bool hasOneConstituent(const PackedType& type, const Instruction& i) {
    return type.hasOpenCount || replicates(i.opcode);
}

void failOfConstituents(PackedContext& context, const Instruction& at, bool one) {
    context.invalid(at, one ? "takes one constituent, a scalar of the component type"
                            : "the constituents are not as many components of the type as it has");
}

// The elements of scalars, vectors and values of packed types, in order. Empty if one of the values
// has another component type.
std::vector<Slot> elementsOf(PackedContext& context, Emitter& emit, const PackedType& type,
                             const Operands& values) {
    std::vector<Slot> elements;
    for (const Operand& value : values) {
        const PackedType* part = context.packedOfValue(value.word);
        const Id component =
            part ? part->component : context.types.scalarOf(emit.typeOf(value.word));
        if (component != type.component) return {};
        const std::vector<Slot> more =
            part ? slotsOf(*part, context.packsOf(emit, *part, value.word))
                 : slotsOf(emit, {&value.word, 1});
        elements.insert(elements.end(), more.begin(), more.end());
    }
    return elements;
}

// For an index beyond the count, which the module could not know: the result is undefined, but the
// output must be valid.
void dropBeyondCount(Emitter& emit, const Instruction& i) {
    if (i.opcode == OpCompositeExtract) {
        emit.add(makeInstruction(OpUndef, i.type, i.result, {}));
    } else {
        emit.add(makeInstruction(OpCopyObject, i.type, i.result, {i.operands[1]}));
    }
}

void insertAfter(Instruction& i, size_t at, Operand operand) {
    i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(at) + 1, operand);
}

// A constant of the pack type. It is a specialization constant if a part may be one.
Id constantPack(PackedContext& context, const PackedType& type, std::span<const Id> parts,
                bool isSpec) {
    if (type.pack == type.component) return parts[0];
    if (!isSpec) return context.types.constantComposite(type.pack, parts);
    const Id id = context.module.takeId();
    context.module.append(Section::kGlobals, makeInstruction(OpSpecConstantComposite, type.pack, id,
                                                             idOperands(parts)));
    return id;
}

void lowerConstant(PackedContext& context, const PackedType& type, Instruction& constant,
                   bool isSpec) {
    const bool one = hasOneConstituent(type, constant);
    const bool fit = std::ranges::all_of(constant.operands, [&](const Operand& o) {
        return context.module.def(o.word).type == type.component;
    });
    if (!fit || constant.operands.size() != (one ? 1 : type.count)) {
        return failOfConstituents(context, constant, one);
    }
    // Elements beyond the count repeat the last one: zeros could be divided by.
    const uint32_t packs = one ? 1 : type.packs();
    std::vector<Id> parts(size_t{packs} * type.packWidth, constant.operands.back().word);
    for (uint32_t e = 0; e < type.count && !one; ++e) {
        const auto [pack, part] = type.place(e);
        parts[size_t{pack} * type.packWidth + part] = constant.word(e);
    }
    Operands constituents;
    for (uint32_t p = 0; p < packs; ++p) {
        const auto some =
            std::span<const Id>(parts).subspan(size_t{p} * type.packWidth, type.packWidth);
        constituents.push_back(idOperand(constantPack(context, type, some, isSpec)));
    }
    if (one) constituents.assign(type.packs(), Operand(constituents[0]));
    constant.opcode = isSpec ? OpSpecConstantComposite : OpConstantComposite;
    constant.operands = std::move(constituents);
}

}  // namespace

bool lowerPackedConstruct(PackedContext& context, Emitter& emit, const Instruction& i) {
    const PackedType* type = context.packed(i.type);
    if (type == nullptr) return false;
    std::vector<Id> packs;
    const bool one = hasOneConstituent(*type, i);
    if (one) {
        if (i.operands.size() == 1 && emit.typeOf(i.word(0)) == type->component) {
            packs.assign(type->packs(), splatPack(emit, *type, i.word(0)));
        }
    } else {
        const std::vector<Slot> elements = elementsOf(context, emit, *type, i.operands);
        if (elements.size() == type->count) packs = gatherPacks(emit, *type, elements);
    }
    if (packs.empty()) {
        failOfConstituents(context, i, one);
    } else {
        context.fromPacks(emit, *type, packs, i.result);
    }
    return true;
}

PackedIndex findPackedIndex(const PackedContext& context, const Instruction& i) {
    const auto isPacked = [&](Id type) { return context.packed(type) != nullptr; };
    const std::optional<IndexInto> index = indexInto(context.module, i, isPacked);
    return index ? PackedIndex{context.packed(index->type), index->operand} : PackedIndex{};
}

bool lowerPackedIndices(PackedContext& context, Emitter& emit, Instruction& i) {
    const auto [type, at] = findPackedIndex(context, i);
    if (type == nullptr) return false;
    if (i.word(at) >= type->count) {
        if (!type->hasOpenCount) {
            context.invalid(i, "an index is beyond the Component Count");
        }
        dropBeyondCount(emit, i);
        return true;
    }
    const auto [pack, part] = type->place(type->elementOf(i.word(at)));
    i.operands[at] = literal(pack);
    if (type->packWidth > 1) insertAfter(i, at, literal(part));
    return false;
}

Id elementIndex(PackedContext& context, Emitter& emit, const Instruction& chain,
                const PackedIndex& index) {
    TypeTable& types = context.types;
    const Id element = chain.word(index.at);
    if (!types.isInteger(emit.typeOf(element))) {
        context.invalid(chain, "an index is not an integer scalar");
        return 0;
    }
    // An index is never negative, and packIndices() divides unsigned integers.
    const Id type = types.intType(types.width(emit.typeOf(element)), false);
    const std::optional<uint64_t> known = context.module.constantValue(element);
    if (known) {
        const auto inside = static_cast<uint32_t>(*known % index.type->count);
        return types.constant(type, index.type->elementOf(inside));
    }
    const Id number = emit.bitcast(type, element);
    const uint32_t length = index.type->columnLength;
    if (length == 0) return number;
    const Id rows = types.constant(type, length);
    const Id columns = types.constant(type, index.type->count / length);
    return emit.addInt(type, emit.mulInt(type, emit.modInt(type, number, rows), columns),
                       emit.divInt(type, number, rows));
}

PackIndices packIndices(Emitter& emit, const PackedType& type, Id element) {
    const Id u = emit.typeOf(element);
    const auto constant = [&](uint32_t value) { return emit.types().constant(u, value); };
    if (type.packWidth == 1) return {element, std::nullopt};
    const Id line = emit.divInt(u, element, constant(type.packStep));
    const Id rest = emit.modInt(u, element, constant(type.packStep));
    const Id pack = emit.divInt(u, line, constant(type.packWidth));
    return {emit.addInt(u, emit.mulInt(u, pack, constant(type.packStep)), rest),
            emit.modInt(u, line, constant(type.packWidth))};
}

bool lowerPackedChain(PackedContext& context, Emitter& emit, Instruction& i) {
    const PackedIndex index = findPackedIndex(context, i);
    if (index.type == nullptr) return false;
    const std::optional<uint64_t> known = context.module.constantValue(i.word(index.at));
    const bool isInside = !known || *known < index.type->count;
    if (index.type->packWidth == 1 && index.type->columnLength == 0 && isInside) return false;
    const Id element = elementIndex(context, emit, i, index);
    if (element == 0) return false;
    const auto [pack, part] = packIndices(emit, *index.type, element);
    i.operands[index.at] = idOperand(pack);
    if (part) insertAfter(i, index.at, idOperand(*part));
    return false;
}

PackIndices tileIndices(Emitter& emit, const PackedType& type, Id element) {
    const Id u32 = emit.types().uint32();
    const Id length = emit.op(OpCooperativeMatrixLengthKHR, u32, {type.pack});
    return {emit.divInt(u32, element, length), emit.modInt(u32, element, length)};
}

bool lowerTileChain(PackedContext& context, Emitter& emit, Instruction& i) {
    const PackedIndex index = findPackedIndex(context, i);
    if (index.type == nullptr) return false;
    if (!context.types.isInteger(emit.typeOf(i.word(index.at)))) {
        return context.fail(ErrorCode::kInvalidModule, i, "an index is not an integer scalar");
    }
    const auto [tile, part] = tileIndices(emit, *index.type, emit.toU32(i.word(index.at)));
    i.operands[index.at] = idOperand(tile);
    insertAfter(i, index.at, idOperand(*part));
    return false;
}

void lowerPackedConstants(PackedContext& context) {
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        Instruction& constant = *globals[g];
        const bool isSpec = constant.opcode == OpSpecConstantComposite ||
                            constant.opcode == OpSpecConstantCompositeReplicateEXT;
        const bool isPlain = constant.opcode == OpConstantComposite ||
                             constant.opcode == OpConstantCompositeReplicateEXT;
        const PackedType* type = isSpec || isPlain ? context.packed(constant.type) : nullptr;
        if (type != nullptr) lowerConstant(context, *type, constant, isSpec);
    }
}

}  // namespace coopvk::rewrite
