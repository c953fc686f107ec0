// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/cooperative_types.hpp"
#include "lowering/packed.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// coopvk advertises 1,024. This limit bounds the code that drivers must compile.
constexpr uint64_t kMostComponents = 16384;

std::string_view problem(const VectorContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    if (context.types.encoding(type.word(0)))
        return "components with an FP Encoding are not emulated";
    if (numberOf(context.types, type.word(0)) == nullptr) {
        return "components of this format are not emulated";
    }
    const std::optional<uint64_t> count = context.module.constantValue(type.word(1));
    if (!count || *count == 0 || *count > kMostComponents) {
        return "Component Count must be a constant from 1 to 16384";
    }
    return {};
}

// Redefines each cooperative vector type as an array of packs and adds it to the context.
void lowerVectorTypes(VectorContext& context) {
    Module& module = context.module;
    const std::set<Id> types = cooperativeVectorTypes(module);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (!types.contains(type.result)) continue;
        if (const std::string_view what = problem(context, type); !what.empty()) {
            return context.unsupported(type, what);
        }
        VectorType vector;
        vector.id = type.result;
        vector.component = type.word(0);
        vector.count = static_cast<uint32_t>(*module.constantValue(type.word(1)));
        vector.packWidth = std::max(1u, 32 / context.types.width(vector.component));
        vector.pack = context.types.vectorType(vector.component, vector.packWidth);
        vector.shape = {vector.count, 0, 0};
        context.types.declareArithmetic(vector.component);
        const Id length = context.types.constantU32(vector.packs());
        type.opcode = spv::Op::OpTypeArray;
        type.operands = {idOperand(vector.pack), idOperand(length)};
        context.vectors.emplace(vector.id, vector);
    }
}

using VectorLowering = FunctionLowering<VectorContext>;

OpcodeTable<VectorLowering> vectorTable() {
    using enum spv::Op;
    OpcodeTable<VectorLowering> table;
    table.add<lowerVectorLoad>({OpCooperativeVectorLoadNV});
    table.add<lowerVectorStore>({OpCooperativeVectorStoreNV});
    table.add<lowerVectorMultiply>(
        {OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV});
    table.add<lowerOuterProduct>({OpCooperativeVectorOuterProductAccumulateNV});
    table.add<lowerReduceSum>({OpCooperativeVectorReduceSumAccumulateNV});
    addPackedComposites(table);
    table.add<lowerDynamicIndex>({OpVectorExtractDynamic, OpVectorInsertDynamic});
    table.add<lowerVectorElementWise>(kArithmetic);
    table.add<lowerVectorElementWise>(kConversions);
    table.add<lowerVectorElementWise>(kCooperativeElementWise);
    table.add<lowerExtended>({OpExtInst});
    return table;
}

void passLargeVectorsByPointer(VectorContext& context) {
    if (!context.hasLargeVectors()) return;
    makePrivateVectorsLocal(context);
    const PointerHelpers helpers = takeVectorsByPointer(context);
    for (const auto& function : context.module.functions()) {
        passVectorsByPointer(context, *function, helpers);
    }
    // By index: a copy function may be added meanwhile.
    for (size_t f = 0; f < context.newFunctions.size(); ++f) {
        passVectorsByPointer(context, *context.newFunctions[f], helpers);
    }
}

}  // namespace

std::optional<Error> lowerVectors(VectorContext& context) {
    Module& module = context.module;
    lowerVectorTypes(context);
    lowerPackedConstants(context);
    if (context.error) return context.error;
    const OpcodeTable<VectorLowering> table = vectorTable();
    for (const auto& function : module.functions()) {
        lowerLargeConstructs(context, *function);
        readComponentsAlone(context, *function);
        VectorLowering lowering(context, *function);
        table.lower(lowering, *function);
        if (context.error) return context.error;
    }
    if (context.error) return context.error;
    passLargeVectorsByPointer(context);
    context.dropValueDecorations(false);
    context.addNewFunctions();
    initialiseLock(context);
    module.removeCapability(spv::Capability::CooperativeVectorNV);
    module.removeCapability(spv::Capability::CooperativeVectorTrainingNV);
    module.removeExtension("SPV_NV_cooperative_vector");
    return context.error;
}

// Element-wise instructions that only vectors have, dynamic indices, and loops for large vectors.

namespace {

// A function with the vector in a variable: arrays as values have no dynamic indices.
Id dynamicAccess(VectorContext& context, const VectorType& type, Id indexType, bool inserts) {
    return context.helper({inserts ? kInsertHelper : kExtractHelper, type.id, indexType}, [&] {
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
        const auto [pack, part] = locate(emit, type, index);
        std::vector<Id> chain = {all, pack};
        if (part != 0) chain.push_back(part);
        const Id element = emit.chain(type.component, chain);
        if (!inserts) return f.finish(f.load(element));
        f.store(element, f.parameter(1));
        return f.finish(f.load(all));
    });
}

// A function for an element-wise instruction, with a loop over groups of elements. A group consists
// of whole packs of each vector type. Parameters of other types are equal for all groups: scalars,
// and the packs of constants.
class MapFunction {
 public:
    MapFunction(VectorContext& context, const ElementWise& map, std::span<const Id> parameters)
        : map_(map),
          parameters_(parameters.begin(), parameters.end()),
          types_(context.types),
          f_(context, "coopvk_vector_map", map.result->id, parameters),
          size_(map.result->packWidth) {
        for (const PackedType* type : map.types) {
            if (type != nullptr) size_ = std::max(size_, type->packWidth);
        }
    }

    Id build() {
        for (size_t o = 0; o < parameters_.size(); ++o) {
            sources_.push_back(isVector(o) ? f_.variable(parameters_[o]) : f_.parameter(o));
            if (isVector(o)) f_.store(sources_[o], f_.parameter(o));
        }
        result_ = f_.variable(map_.result->id);
        const uint32_t groups = map_.result->count / size_;
        f_.loop(groups, [&](Id group) { mapAt(group, 0, true); });
        if (map_.result->count % size_ != 0) mapAt(types_.constantU32(groups), groups, false);
        return f_.finish(f_.load(result_));
    }

 private:
    bool isVector(size_t o) const {
        return map_.types[o] != nullptr && parameters_[o] == map_.types[o]->id;
    }

    Id place(Id array, const VectorType& type, Id group, uint32_t p) {
        const Id first = f_.emit().times(group, size_ / type.packWidth);
        return f_.element(array, f_.emit().plus(first, p));
    }

    // The packs of an operand in a group. The loop has whole groups; after it, group `known` may
    // have fewer packs.
    std::vector<Id> packsAt(size_t o, Id group, uint32_t known, bool whole) {
        const VectorType* type = map_.types[o];
        const uint32_t count = type == nullptr ? 1 : size_ / type->packWidth;
        if (!isVector(o)) return std::vector<Id>(count, sources_[o]);
        std::vector<Id> packs;
        for (uint32_t p = 0; p < count; ++p) {
            const bool inside = whole || known * count + p < type->packs();
            packs.push_back(inside ? f_.load(place(sources_[o], *type, group, p)) : packs[0]);
        }
        return packs;
    }

    void mapAt(Id group, uint32_t known, bool whole) {
        std::vector<std::vector<Id>> parts;
        for (size_t o = 0; o < parameters_.size(); ++o) {
            parts.push_back(packsAt(o, group, known, whole));
        }
        const std::vector<Id> packs = mapPacks(f_.emit(), map_, size_, parts);
        for (uint32_t p = 0; p < packs.size(); ++p) {
            if (!whole && known * packs.size() + p >= map_.result->packs()) break;
            f_.store(place(result_, *map_.result, group, p), packs[p]);
        }
    }

    const ElementWise& map_;
    std::vector<Id> parameters_;  // types
    TypeTable& types_;
    VectorFunction f_;
    uint32_t size_;  // elements in a group
    std::vector<Id> sources_;
    Id result_ = 0;
};

Id mapLoop(VectorContext& context, const ElementWise& map, std::span<const Id> operands) {
    std::vector<uint32_t> key = {kMapHelper, map.result->id, static_cast<uint32_t>(map.opcode)};
    for (const Operand& operand : map.head) key.push_back(operand.word);
    map.decorations.appendTo(key);
    std::vector<Id> parameters;
    for (Id operand : operands) parameters.push_back(context.module.def(operand).type);
    key.insert(key.end(), parameters.begin(), parameters.end());
    return context.helper(key, [&] { return MapFunction(context, map, parameters).build(); });
}

// `head`: operands before the values.
bool lower(VectorContext& context, Emitter& emit, const Instruction& i, size_t head) {
    const std::optional<ElementWise> map = elementWise(context, i, head);
    if (!map) return false;
    if (!isLarge(*map->result)) {
        mapPacks(context, emit, *map, i.result);
        return true;
    }
    std::vector<Id> operands = map->operands;
    for (size_t o = 0; o < operands.size(); ++o) {
        if (map->types[o] == nullptr) continue;
        const Id pack = repeatedConstituent(context, operands[o], map->types[o]->pack);
        if (pack != 0) operands[o] = pack;
    }
    emit.call(i.type, mapLoop(context, *map, operands), operands, i.result);
    return true;
}

}  // namespace

bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* type = context.packedOfValue(i.word(0));
    if (type == nullptr) return false;
    const bool inserts = i.opcode == spv::Op::OpVectorInsertDynamic;
    const Id indexType = emit.typeOf(i.word(inserts ? 2 : 1));
    if (!context.types.isInteger(indexType) || context.types.components(indexType) != 1) {
        context.invalid(i, "the index is not an integer scalar");
        return true;
    }
    std::vector<Id> arguments;
    for (const Operand& operand : i.operands) arguments.push_back(operand.word);
    emit.call(i.type, dynamicAccess(context, *type, indexType, inserts), arguments, i.result);
    return true;
}

bool lowerVectorElementWise(VectorContext& context, Emitter& emit, const Instruction& i) {
    return lower(context, emit, i, 0);
}

bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& i) {
    const auto found = std::ranges::find(kCooperativeExtended, static_cast<GLSLstd450>(i.word(1)));
    return context.packed(i.type) != nullptr && found != std::end(kCooperativeExtended) &&
           stringFromOperands(context.module.def(i.word(0)), 0) == "GLSL.std.450" &&
           lower(context, emit, i, 2);
}

}  // namespace coopvk::rewrite
