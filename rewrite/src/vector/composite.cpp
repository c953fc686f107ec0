// SPDX-License-Identifier: Apache-2.0
#include "vector/composite.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

namespace {

// Position in `operands` of the index into a vector, on the way from `type`; nullopt if the
// indices lead into no cooperative vector.
std::optional<size_t> findVectorIndex(const VectorContext& context, Id type,
                                      const Operands& operands, size_t first,
                                      const VectorType*& vector) {
    const auto isVector = [&](Id id) { return context.vector(id) != nullptr; };
    const std::optional<size_t> at = findIndexInto(context.module, type, operands, first, isVector);
    vector = context.vector(type);
    return at;
}

bool lowerLiteralIndices(VectorContext& context, Emitter& emit, Instruction& i, Id composite,
                         size_t first) {
    const VectorType* vector = nullptr;
    const std::optional<size_t> at =
        findVectorIndex(context, emit.typeOf(composite), i.operands, first, vector);
    if (!at) return false;
    const uint32_t element = i.word(*at);
    if (element >= vector->count) {
        context.fail(ErrorCode::kInvalidModule, i, "an index is beyond the Component Count");
        return true;
    }
    i.operands[*at].word = element / vector->packWidth;
    if (vector->packWidth > 1) {
        i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                          literal(element % vector->packWidth));
    }
    return false;  // changed in place; the instruction itself stays
}

void lowerChain(VectorContext& context, Emitter& emit, Instruction& i, size_t first) {
    const VectorType* vector = nullptr;
    const Id pointerType = emit.typeOf(i.word(0));
    const std::optional<size_t> at = findVectorIndex(
        context, context.module.def(pointerType).word(1), i.operands, first, vector);
    if (!at || vector->packWidth == 1) return;
    TypeTable& types = context.types;
    const Id element = i.word(*at);
    if (!types.isInteger(emit.typeOf(element))) {
        context.fail(ErrorCode::kInvalidModule, i, "an index is not an integer scalar");
        return;
    }
    // Division by constants wants unsigned numbers; elements are never negative.
    const Id type = types.intType(types.width(emit.typeOf(element)), false);
    const std::optional<uint64_t> known = context.module.constantValue(element);
    const Id e = known ? types.constant(type, *known) : emit.bitcast(type, element);
    const Id width = types.constant(type, vector->packWidth);
    i.operands[*at] = idOperand(emit.divInt(type, e, width));
    i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                      idOperand(emit.modInt(type, e, width)));
}

// Scalars of the constituents in order: scalars, vectors and cooperative vectors.
void flatten(VectorContext& context, Emitter& emit, Id value, std::vector<Id>& out) {
    const Id type = emit.typeOf(value);
    if (const VectorType* vector = context.vector(type)) {
        for (uint32_t e = 0; e < vector->count; ++e) {
            const uint32_t pack = e / vector->packWidth;
            const uint32_t part = e % vector->packWidth;
            out.push_back(vector->packWidth == 1
                              ? emit.extract(vector->component, value, {pack})
                              : emit.extract(vector->component, value, {pack, part}));
        }
        return;
    }
    const uint32_t components = context.types.components(type);
    if (components <= 1) {
        out.push_back(value);
        return;
    }
    for (uint32_t c = 0; c < components; ++c) {
        out.push_back(emit.extract(context.types.scalarOf(type), value, {c}));
    }
}

void lowerConstruct(VectorContext& context, Emitter& emit, const Instruction& i,
                    const VectorType& type) {
    std::vector<Id> scalars;
    for (const Operand& operand : i.operands) flatten(context, emit, operand.word, scalars);
    const bool replicates = i.opcode == spv::Op::OpCompositeConstructReplicateEXT;
    if (scalars.size() != (replicates ? 1 : type.count)) {
        context.fail(ErrorCode::kInvalidModule, i,
                     "the number of constituents is not the vector's Component Count");
        return;
    }
    std::vector<Id> packs;
    for (uint32_t p = 0; p < type.packs(); ++p) {
        if (replicates && p > 0) {
            packs.push_back(packs[0]);
            continue;
        }
        std::vector<Id> parts;
        for (uint32_t c = 0; c < type.packWidth; ++c) {
            const size_t e = std::min<size_t>(p * type.packWidth + c, scalars.size() - 1);
            parts.push_back(scalars[e]);
        }
        packs.push_back(type.packWidth == 1 ? parts[0] : emit.construct(type.pack, parts));
    }
    emit.add(makeInstruction(spv::Op::OpCompositeConstruct, type.id, i.result, idOperands(packs)));
}

// A function that keeps the vector in a variable, since values have no dynamic indices.
Id dynamicAccess(VectorContext& context, const VectorType& type, Id indexType, bool inserts) {
    const auto kind = inserts ? HelperKind::kInsert : HelperKind::kExtract;
    return context.helper({static_cast<uint32_t>(kind), type.id, indexType}, [&] {
        std::vector<Id> parameters = {type.id};
        if (inserts) parameters.push_back(type.component);
        parameters.push_back(indexType);
        VectorFunction f(context, inserts ? "coopvk_vector_insert" : "coopvk_vector_extract",
                         inserts ? type.id : type.component, parameters);
        Emitter& emit = f.emit();
        TypeTable& types = context.types;
        const Id all = f.variable(type.id);
        f.store(all, f.parameter(0));
        const Id u = types.intType(types.width(indexType), false);
        const Id index = emit.bitcast(u, f.parameter(inserts ? 2 : 1));
        std::vector<Id> chain = {all, index};
        if (type.packWidth > 1) {
            const Id width = types.constant(u, type.packWidth);
            chain = {all, emit.divInt(u, index, width), emit.modInt(u, index, width)};
        }
        const Id pointer = types.pointerType(spv::StorageClass::Function, type.component);
        const Id element = emit.op(spv::Op::OpAccessChain, pointer, idOperands(chain));
        if (!inserts) return f.finish(f.load(element));
        f.store(element, f.parameter(1));
        return f.finish(f.load(all));
    });
}

bool lowerDynamic(VectorContext& context, Emitter& emit, const Instruction& i, bool inserts) {
    const VectorType* type = context.vectorOfValue(i.word(0));
    if (type == nullptr) return false;
    const Id index = i.word(inserts ? 2 : 1);
    if (!context.types.isInteger(emit.typeOf(index))) {
        context.fail(ErrorCode::kInvalidModule, i, "the index is not an integer scalar");
        return true;
    }
    Operands operands = {idOperand(dynamicAccess(context, *type, emit.typeOf(index), inserts))};
    operands.insert(operands.end(), i.operands.begin(), i.operands.end());
    emit.add(makeInstruction(spv::Op::OpFunctionCall, i.type, i.result, std::move(operands)));
    return true;
}

}  // namespace

std::vector<Id> vectorPacks(Emitter& emit, const VectorType& type, Id value) {
    std::vector<Id> packs;
    packs.reserve(type.packs());
    for (uint32_t p = 0; p < type.packs(); ++p)
        packs.push_back(emit.extract(type.pack, value, {p}));
    return packs;
}

bool lowerVectorComposite(VectorContext& context, Emitter& emit, Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeConstructReplicateEXT: {
            const VectorType* type = context.vector(i.type);
            if (type == nullptr) return false;
            lowerConstruct(context, emit, i, *type);
            return true;
        }
        case spv::Op::OpCompositeExtract:
            return lowerLiteralIndices(context, emit, i, i.word(0), 1);
        case spv::Op::OpCompositeInsert:
            return lowerLiteralIndices(context, emit, i, i.word(1), 2);
        case spv::Op::OpVectorExtractDynamic:
            return lowerDynamic(context, emit, i, false);
        case spv::Op::OpVectorInsertDynamic:
            return lowerDynamic(context, emit, i, true);
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpPtrAccessChain:
        case spv::Op::OpInBoundsPtrAccessChain:
            lowerChain(context, emit, i, firstChainIndex(i.opcode));
            return false;
        default:
            return false;
    }
}

}  // namespace coopvk::rewrite
