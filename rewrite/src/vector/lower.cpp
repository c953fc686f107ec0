// SPDX-License-Identifier: Apache-2.0
//
// The order in which cooperative vectors are lowered, and the functions that take their operations.

#include "ir/component_kinds.hpp"
#include "ir/opcodes.hpp"
#include "longvector/types.hpp"
#include "lowering/cooperative_types.hpp"
#include "lowering/packed.hpp"
#include "passes/whole_module.hpp"
#include "vector/context.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

// OpCooperativeVectorLoadNV and OpCooperativeVectorStoreNV: calls of functions that access 16 bytes
// at once, by views of the buffer.
//
//   %v = OpCooperativeVectorLoadNV %vector %p %offset
//
//   %v = OpFunctionCall %vector %coopvk_vector_load_f16x64 %offset

namespace {

class VectorTransfer : private VectorCode {
 public:
    VectorTransfer(VectorFunction& f, const VectorType& type, const Location& location,
                   const MemoryOperands& access)
        : VectorCode(f),
          type_(type),
          memory_(f, location, 0, access),
          bytes_(types_.width(type.component) / 8 * type.count),
          wordsPerPack_(types_.width(type.component) == 64 ? 2 : 1) {}

    Id load() {
        if (!type_.isLarge) {
            auto line = memory_.line(memory_.start());
            return f_.finish(emit_.construct(type_.id, packsOf(line.load(0, bytes_))));
        }
        const Id result = f_.result();
        forEachQuad([&](Id first, VectorMemory::Line& line, uint32_t bytes) {
            const std::vector<Id> packs = packsOf(line.load(0, bytes));
            for (uint32_t p = 0; p < packs.size(); ++p) {
                storePack(type_, result, plus(first, p), packs[p]);
            }
        });
        return f_.finishResult();
    }

    Id store(Id value) {
        if (!type_.isLarge) {
            auto line = memory_.line(memory_.start());
            line.store(0, bytes_, wordsOf(f_.context().packsOf(emit_, type_, value)));
            return f_.finish();
        }
        forEachQuad([&](Id first, VectorMemory::Line& line, uint32_t bytes) {
            std::vector<Id> packs;
            for (uint32_t p = 0; p < divideUp(bytes, 4 * wordsPerPack_); ++p) {
                packs.push_back(loadPack(type_, value, plus(first, p)));
            }
            line.store(0, bytes, wordsOf(packs));
        });
        return f_.finish();
    }

 private:
    // Calls visit(index of the first pack (u32), line at its start, its bytes) for each quad, 16
    // bytes, in a loop, then for the rest.
    template <typename Visit>
    void forEachQuad(Visit visit) {
        const auto visitAt = [&](Id quad, uint32_t bytes) {
            auto line = memory_.fromStart(times(quad, 16));
            visit(times(quad, 4 / wordsPerPack_), line, bytes);
        };
        f_.loop(bytes_ / 16, [&](Id quad) { visitAt(quad, 16); });
        if (bytes_ % 16 != 0) visitAt(c(bytes_ / 16), bytes_ % 16);
    }

    std::vector<Id> packsOf(std::span<const Id> words) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> packs;
        for (size_t w = 0; w < words.size(); w += wordsPerPack_) {
            const Id whole = emit_.join(type, words.subspan(w, wordsPerPack_));
            packs.push_back(emit_.bitcast(type_.pack, whole));
        }
        return packs;
    }

    std::vector<Id> wordsOf(std::span<const Id> packs) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> words;
        for (Id pack : packs) {
            for (Id word : emit_.parts(emit_.bitcast(type, pack))) words.push_back(word);
        }
        return words;
    }

    const VectorType& type_;
    VectorMemory memory_;
    uint32_t bytes_;  // of the vector
    uint32_t wordsPerPack_;
};

std::string helperName(const VectorContext& context, const VectorType& type, bool isLoad) {
    const Number& number = *numberOf(context.types, type.component);
    return std::format("coopvk_vector_{}_{}x{}", isLoad ? "load" : "store", name(number.type),
                       type.count);
}

// Calls the helper function of a load, or of the store of an object.
void transfer(VectorContext& context, Emitter& emit, const Instruction& i, const VectorType& type,
              std::optional<Id> object = {}) {
    Location location = locate(context, emit, i.word(0), i.word(1), i);
    if (!location.valid()) return;
    obeyAlignment(context, location, kVectorRule);
    const bool isLoad = !object;
    const auto access = MemoryOperands(operandsBehind(i, isLoad ? 2 : 3)).withAlignment(0);
    std::vector<uint32_t> key = {isLoad ? kLoadHelper : kStoreHelper, type.id};
    location.appendKey(context.module, key);
    access.appendKey(key);
    const Id helper = context.helper(key, [&] {
        std::vector<Id> parameters = location.argumentTypes;
        if (!isLoad) parameters.push_back(type.id);
        VectorFunction f(context, helperName(context, type, isLoad), isLoad ? type.id : 0,
                         parameters);
        VectorTransfer code(f, type, location, access);
        return isLoad ? code.load() : code.store(f.parameter(location.arguments.size()));
    });
    std::vector<Id> arguments = location.arguments;
    if (!isLoad) arguments.push_back(*object);
    emit.call(isLoad ? i.type : context.types.voidType(), helper, arguments,
              isLoad ? std::optional(i.result) : std::nullopt);
}

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.vector(i.type)) {
        transfer(context, emit, i, *type);
    } else {
        context.invalid(i, "Result Type is not a cooperative vector");
    }
}

void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.vectorOfValue(i.word(2))) {
        transfer(context, emit, i, *type, i.word(2));
    } else {
        context.invalid(i, "Object is not a cooperative vector");
    }
}

std::string_view problem(const VectorContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    if (context.types.encoding(type.word(0)))
        return "components with an FP Encoding are not emulated";
    if (numberOf(context.types, type.word(0)) == nullptr) {
        return "components of this format are not emulated";
    }
    return componentCount(context.module, type) ? "" : kBadCount;
}

// Drivers compile up to this many packs as straight code. Some fail on a few values with 1,024
// components.
constexpr uint32_t kUnrolledPacks = 128;

uint32_t componentsInPack(const TypeTable& types, Id component) {
    const uint32_t width = types.width(component);
    return width == 0 || width > 32 ? 1 : 32 / width;
}

// How many components large vectors have. All vectors of such a count are large, since conversions
// keep it.
std::set<uint32_t> largeCounts(const VectorContext& context, const std::set<Id>& types) {
    std::set<uint32_t> counts;
    for (const Id id : types) {
        const Instruction& type = context.module.def(id);
        const uint32_t count = componentCount(context.module, type).value_or(0);
        if (count > kUnrolledPacks * componentsInPack(context.types, type.word(0))) {
            counts.insert(count);
        }
    }
    return counts;
}

// Redefines each cooperative vector type as an array, of packs or of components, and adds it to the
// context.
void lowerVectorTypes(VectorContext& context) {
    Module& module = context.module;
    const std::set<Id> types = cooperativeVectorTypes(module);
    const std::set<uint32_t> large = largeCounts(context, types);
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
        vector.count = *componentCount(module, type);
        vector.isLarge = large.contains(vector.count);
        vector.packWidth = componentsInPack(context.types, vector.component);
        vector.pack = context.types.vectorType(vector.component, vector.packWidth);
        vector.shape = {vector.count, 0, 0};
        context.types.declareArithmetic(vector.component);
        const Id length = context.types.constantU32(vector.elements());
        type.opcode = OpTypeArray;
        type.operands = {idOperand(vector.element()), idOperand(length)};
        context.vectors.emplace(vector.id, vector);
    }
}

using VectorLowering = FunctionLowering<VectorContext>;

OpcodeTable<VectorLowering> vectorTable() {
    OpcodeTable<VectorLowering> table;
    table.add<lowerVectorLoad>({OpCooperativeVectorLoadNV});
    table.add<lowerVectorStore>({OpCooperativeVectorStoreNV});
    table.add<lowerVectorMultiply>(
        {OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV});
    table.add<lowerOuterProduct>({OpCooperativeVectorOuterProductAccumulateNV});
    table.add<lowerReduceSum>({OpCooperativeVectorReduceSumAccumulateNV});
    addPackedComposites(table);
    table.add<lowerDynamicIndex>({OpVectorExtractDynamic, OpVectorInsertDynamic});
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerElementWise>(kRemainders);
    table.add<lowerElementWise>(kConversions);
    table.add<lowerElementWise>(kCooperativeElementWise);
    table.add<lowerExtended>({OpExtInst});
    return table;
}

// The rest of the lowering of large vectors.
std::optional<Error> lowerLargeVectors(VectorContext& context) {
    LongVectorContext large(context.types, context.target);
    for (const auto& [id, vector] : context.vectors) {
        if (vector.isLarge) large.vectors[id] = {id, vector.component, vector.count};
    }
    if (large.vectors.empty()) return std::nullopt;
    separateContinueTargets(context.types);
    return lowerLongVectors(large);
}

}  // namespace

std::optional<Error> lowerVectors(VectorContext& context) {
    Module& module = context.module;
    lowerVectorTypes(context);
    lowerPackedConstants(context);
    if (context.error) return context.error;
    context.claimed.emplace(module, Multiples::Unknown::kMultiples);
    const OpcodeTable<VectorLowering> table = vectorTable();
    for (const auto& function : module.functions()) {
        lowerLargeConstructs(context, *function);
        VectorLowering lowering(context, *function);
        table.lower(lowering, *function);
        if (context.error) return context.error;
    }
    context.dropValueDecorations();
    context.addNewFunctions();
    initialiseLock(context);
    module.removeDeclarations(info(Extension::kNvCooperativeVector));
    return lowerLargeVectors(context);
}

// Instructions that only vectors have: dynamic indices and extended instructions.

namespace {

// A function with the vector in a variable: arrays as values have no dynamic indices.
Id dynamicAccess(VectorContext& context, const PackedType& type, Id indexType, bool inserts) {
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
        const auto [pack, part] = packIndices(emit, type, index);
        std::vector<Id> chain = {all, pack};
        if (part) chain.push_back(*part);
        const Id element = emit.chain(type.component, chain);
        if (!inserts) return f.finish(f.load(element));
        f.store(element, f.parameter(1));
        return f.finish(f.load(all));
    });
}

}  // namespace

bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& i) {
    const PackedType* type = context.packedOfValue(i.word(0));
    if (type == nullptr) return false;
    const bool inserts = i.opcode == OpVectorInsertDynamic;
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

bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (context.packed(i.type) == nullptr || !isComponentWise(static_cast<GLSLstd450>(i.word(1))) ||
        stringFromOperands(context.module.def(i.word(0)), 0) != "GLSL.std.450") {
        return false;
    }
    const std::optional<ElementWise> map = elementWise(context, i, 2);
    if (map) mapPacks(context, emit, *map, i.result);
    return map.has_value();
}

// Helper functions whose parameters or results may be large vectors.

namespace {

// The types of a helper function's parameters, with those that are pointers.
std::vector<Id> withPointers(const VectorContext& context, Id resultType,
                             std::span<const Id> parameterTypes) {
    std::vector<Id> types(parameterTypes.begin(), parameterTypes.end());
    if (context.isLarge(resultType)) types.push_back(resultType);
    for (Id& type : types) {
        if (context.isLarge(type)) {
            type = context.types.pointerType(spv::StorageClass::Function, type);
        }
    }
    return types;
}

}  // namespace

VectorFunction::VectorFunction(VectorContext& context, std::string_view name, Id resultType,
                               std::span<const Id> parameterTypes)
    : FunctionBuilder(
          context.types, context.newFunctions, name,
          resultType == 0 || context.isLarge(resultType) ? std::nullopt : std::optional(resultType),
          withPointers(context, resultType, parameterTypes)),
      context_(context),
      arguments_(parameterTypes.size()),
      resultType_(resultType) {
    if (context.isLarge(resultType)) result_ = parameter(arguments_);
}

std::vector<Id> VectorFunction::arguments() const {
    std::vector<Id> arguments;
    for (size_t p = 0; p < arguments_; ++p) arguments.push_back(parameter(p));
    return arguments;
}

Id VectorFunction::result() {
    if (!result_) result_ = variable(resultType_);
    return *result_;
}

Id VectorFunction::call(Id function, std::vector<Id> arguments) {
    if (!context_.isLarge(resultType_)) return emit().call(resultType_, function, arguments);
    const Id into = variable(resultType_);
    arguments.push_back(into);
    emit().call(types().voidType(), function, arguments);
    return load(into);
}

Id VectorFunction::finishResult() {
    return context_.isLarge(resultType_) ? finish() : finish(load(result()));
}

}  // namespace coopvk::rewrite
