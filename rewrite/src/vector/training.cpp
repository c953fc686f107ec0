// SPDX-License-Identifier: Apache-2.0
#include "vector/training.hpp"

#include "coopvk/vector_matrix.hpp"
#include "lowering/built_ins.hpp"
#include "vector/accumulate.hpp"
#include "vector/arithmetic.hpp"
#include "vector/composite.hpp"

namespace coopvk::rewrite {

namespace {

// A sum of outer products, or of vectors: the outer product with a single one.
struct Gradient {
    const VectorType* lines = nullptr;     // a line of memory for each component; null: one line
    const VectorType* elements = nullptr;  // along a line
    uint32_t bytes = 4;                    // of a number in memory
    std::optional<uint32_t> stride;        // of lines; nullopt: a parameter
    Location target;
};

bool isFloatComponent(const VectorContext& context, const VectorType& type) {
    const uint32_t width = context.types.width(type.component);
    return context.types.isFloat(type.component) && (width == 16 || width == 32);
}

// The components as f32 numbers in a local array.
Id components(VectorFunction& f, const VectorType& type, Id value) {
    Emitter& emit = f.emit();
    TypeTable& types = f.types();
    const Id f32 = types.floatType(32);
    const uint32_t width = type.packWidth;
    const Id array = f.variable(types.arrayType(f32, type.packs() * width));
    const auto put = [&](Id index, Id pack) {
        const Id first = emit.mulInt(types.uint32(), index, types.constantU32(width));
        for (uint32_t c = 0; c < width; ++c) {
            Id number = width == 1 ? pack : emit.extract(type.component, pack, {c});
            if (types.width(type.component) != 32) {
                number = emit.op(spv::Op::OpFConvert, f32, {number});
            }
            f.store(f.element(array, emit.addInt(types.uint32(), first, types.constantU32(c))),
                    number);
        }
    };
    if (type.packs() <= kUnrolledPacks) {
        for (uint32_t p = 0; p < type.packs(); ++p) {
            put(types.constantU32(p), emit.extract(type.pack, value, {p}));
        }
        return array;
    }
    const Id source = f.variable(type.id);
    f.store(source, value);
    f.loop(type.packs(), [&](Id p) { put(p, f.load(f.element(source, p))); });
    return array;
}

class GradientWriter {
 public:
    GradientWriter(VectorFunction& f, const Gradient& g, Id stride)
        : f_(f),
          emit_(f.emit()),
          types_(f.types()),
          g_(g),
          stride_(stride),
          memory_(f, g.target, 0),
          accumulator_(f, memory_, g.bytes) {}

    bool valid() const { return accumulator_.valid(); }

    void run(Id lines, Id elements) {
        if (g_.lines != nullptr) lines_ = components(f_, *g_.lines, lines);
        elements_ = components(f_, *g_.elements, elements);
        if (!canReduce(f_.context())) return addAll(false);
        f_.choose(sameAddress(), [&] { addAll(true); }, [&] { addAll(false); });
    }

 private:
    Id sameAddress() {
        Id same = allEqual(emit_, memory_.start());
        const auto require = [&](Id value) {
            same =
                emit_.op(spv::Op::OpLogicalAnd, types_.boolType(), {same, allEqual(emit_, value)});
        };
        if (!emit_.module().constantValue(stride_)) require(stride_);
        if (g_.target.kind == Location::Kind::kPhysical) {
            const Id pair = types_.vectorType(types_.uint32(), 2);
            const Id address = emit_.op(spv::Op::OpBitcast, pair, {f_.parameter(0)});
            require(emit_.extract(types_.uint32(), address, {0}));
            require(emit_.extract(types_.uint32(), address, {1}));
        } else if (g_.target.kind == Location::Kind::kBuffer && g_.target.place.descriptor != 0) {
            require(f_.parameter(0));
        } else if (g_.target.kind == Location::Kind::kElements) {
            // Pointers cannot be compared everywhere.
            if (g_.target.arguments.size() > 1) return types_.constantBool(false);
        }
        return same;
    }

    void addAll(bool reduced) {
        const Id u32 = types_.uint32();
        if (g_.lines == nullptr) return addLine(memory_.start(), 0, reduced);
        f_.loop(g_.lines->count, [&](Id line) {
            const Id factor = f_.load(f_.element(lines_, line));
            const Id skipped = emit_.mulInt(u32, line, stride_);
            addLine(emit_.addInt(u32, memory_.start(), skipped), factor, reduced);
        });
    }

    void addLine(Id start, Id factor, bool reduced) {
        const uint32_t perWord = accumulator_.perWord();
        const uint32_t words = g_.elements->count / perWord;
        f_.repeat(words, 16, [&](Id word) { addWord(start, word, factor, perWord, reduced); });
        if (g_.elements->count % perWord != 0) {
            addWord(start, types_.constantU32(words), factor, 1, reduced);
        }
    }

    void addWord(Id start, Id word, Id factor, uint32_t count, bool reduced) {
        const Id u32 = types_.uint32();
        const Id f32 = types_.floatType(32);
        const Id first = emit_.mulInt(u32, word, types_.constantU32(accumulator_.perWord()));
        std::vector<Id> values;
        for (uint32_t v = 0; v < count; ++v) {
            const Id index = emit_.addInt(u32, first, types_.constantU32(v));
            Id value = f_.load(f_.element(elements_, index));
            if (factor != 0) value = emit_.op(spv::Op::OpFMul, f32, {factor, value});
            values.push_back(value);
        }
        const Id byte = emit_.addInt(u32, start, emit_.mulInt(u32, word, types_.constantU32(4)));
        if (reduced) {
            accumulator_.addReduced(byte, values);
        } else {
            accumulator_.add(byte, values);
        }
    }

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    const Gradient& g_;
    Id stride_;
    VectorMemory memory_;
    Accumulator accumulator_;
    Id lines_ = 0;
    Id elements_ = 0;
};

// It may change while the shader runs.
Id isHelper(Emitter& emit) {
    return readBuiltIn(emit, spv::BuiltIn::HelperInvocation, emit.types().boolType(),
                       "coopvk_is_helper", true);
}

Id build(VectorContext& context, const Gradient& g, const Instruction& at, std::string_view name) {
    std::vector<Id> types = g.target.argumentTypes;
    const size_t values = types.size();
    if (g.lines != nullptr) types.push_back(g.lines->id);
    types.push_back(g.elements->id);
    if (!g.stride) types.push_back(context.types.uint32());
    VectorFunction f(context, name, 0, types);
    const Id stride =
        g.stride ? context.types.constantU32(*g.stride) : f.parameter(types.size() - 1);
    GradientWriter writer(f, g, stride);
    if (!writer.valid()) {
        context.fail(ErrorCode::kUnsupported, at,
                     "memory of this type cannot be added to atomically");
    }
    const Id lines = g.lines != nullptr ? f.parameter(values) : 0;
    const Id elements = f.parameter(values + (g.lines != nullptr ? 1 : 0));
    if (context.stage == Stage::kFragment) {
        const Id works =
            f.emit().op(spv::Op::OpLogicalNot, context.types.boolType(), {isHelper(f.emit())});
        f.when(works, [&] { writer.run(lines, elements); });
    } else {
        writer.run(lines, elements);
    }
    return f.finish();
}

void call(VectorContext& context, Emitter& emit, const Gradient& g, const Instruction& i,
          HelperKind kind, std::string_view name, std::initializer_list<Id> values, Id stride) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(kind),
                                 g.lines != nullptr ? g.lines->id : 0,
                                 g.elements->id,
                                 g.bytes,
                                 g.stride ? 1u : 0u,
                                 g.stride.value_or(0)};
    g.target.appendKey(key);
    Operands operands = {
        idOperand(context.helper(key, [&] { return build(context, g, i, name); }))};
    for (Id argument : g.target.arguments) operands.push_back(idOperand(argument));
    for (Id value : values) operands.push_back(idOperand(value));
    if (!g.stride) operands.push_back(idOperand(emit.bitcast(context.types.uint32(), stride)));
    emit.op(spv::Op::OpFunctionCall, context.types.voidType(), std::move(operands));
}

}  // namespace

void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* a = context.vectorOfValue(i.word(2));
    const VectorType* b = context.vectorOfValue(i.word(3));
    if (a == nullptr || b == nullptr || !isFloatComponent(context, *a) ||
        !isFloatComponent(context, *b)) {
        context.fail(ErrorCode::kUnsupported, i, "A and B must be f16 or f32 cooperative vectors");
        return;
    }
    const std::optional<uint64_t> layout = context.module.constantValue(i.word(4));
    const auto type = interpretation(context.module.constantValue(i.word(5)));
    const bool isFloat =
        type && (type->type == ComponentType::kFloat16 || type->type == ComponentType::kFloat32);
    if (!layout || *layout > 3 || !isFloat) {
        context.fail(ErrorCode::kUnsupported, i,
                     "MemoryLayout or MatrixInterpretation is not supported");
        return;
    }
    Gradient g;
    const auto order = static_cast<VectorMatrixLayout>(*layout);
    const bool byColumn = order == VectorMatrixLayout::kColumnMajor;
    g.lines = byColumn ? b : a;
    g.elements = byColumn ? a : b;
    g.bytes = type->bytes();
    const Id stride = i.operands.size() > 6 ? i.word(6) : 0;
    if (isOptimal(order)) {
        g.stride =
            static_cast<uint32_t>(placeMatrix(order, a->count, b->count, g.bytes, 0).rowBytes);
    } else if (stride == 0) {
        context.fail(ErrorCode::kInvalidModule, i, "row and column major layouts need a stride");
        return;
    } else if (const auto known = context.module.constantValue(stride)) {
        g.stride = static_cast<uint32_t>(*known);
    }
    g.target = locate(context, emit, i.word(0), i.word(1), i);
    if (!g.target.valid()) return;
    const Id lines = i.word(byColumn ? 3 : 2);
    const Id elements = i.word(byColumn ? 2 : 3);
    call(context, emit, g, i, HelperKind::kOuterProduct,
         std::format("coopvk_outer_product_f{}_{}x{}", 8 * g.bytes, a->count, b->count),
         {lines, elements}, stride);
}

void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* vector = context.vectorOfValue(i.word(2));
    if (vector == nullptr || !isFloatComponent(context, *vector)) {
        context.fail(ErrorCode::kUnsupported, i, "V must be an f16 or f32 cooperative vector");
        return;
    }
    Gradient g;
    g.elements = vector;
    g.bytes = context.types.width(vector->component) / 8;
    g.stride = 0;
    g.target = locate(context, emit, i.word(0), i.word(1), i);
    if (!g.target.valid()) return;
    call(context, emit, g, i, HelperKind::kReduceSum,
         std::format("coopvk_reduce_sum_f{}_{}", 8 * g.bytes, vector->count), {i.word(2)}, 0);
}

}  // namespace coopvk::rewrite
