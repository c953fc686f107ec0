// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/packed.hpp"

namespace coopvk::rewrite {

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
