// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorOuterProductAccumulateNV and OpCooperativeVectorReduceSumAccumulateNV.
#include "lowering/built_ins.hpp"
#include "vector/composite.hpp"
#include "vector/instructions.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

// A sum of outer products, or of vectors: the outer product with a single one.
struct Gradient {
    const VectorType* lines = nullptr;     // a line of memory for each component; null: one line
    const VectorType* elements = nullptr;  // along a line
    const Number* number = nullptr;        // in memory
    std::optional<uint32_t> stride;        // of lines; nullopt: a parameter
    Location target;
};

bool isSummed(const Number* number) {
    return number != nullptr &&
           (number->type == ComponentType::kFloat16 || number->type == ComponentType::kFloat32);
}

// The float components of a vector; null where they are not summed.
const Number* componentOf(const VectorContext& context, const VectorType* type) {
    const Number* number = type == nullptr ? nullptr : numberOf(context.types, type->component);
    return isSummed(number) ? number : nullptr;
}

class GradientWriter : private VectorCode {
 public:
    GradientWriter(VectorFunction& f, const Gradient& g, Id stride)
        : VectorCode(f),
          g_(g),
          stride_(stride),
          memory_(f, g.target, 0),
          accumulator_(f, memory_, *g.number) {}

    bool valid() const { return accumulator_.valid(); }

    void run(Id lines, Id elements) {
        if (g_.lines != nullptr) lines_ = components(*g_.lines, lines);
        elements_ = components(*g_.elements, elements);
        if (!canReduce(f_.context())) return addAll(false);
        f_.choose(sameAddress(), [&] { addAll(true); }, [&] { addAll(false); });
    }

 private:
    // The components as f32 numbers in a local array.
    Id components(const VectorType& type, Id value) {
        const uint32_t width = type.packWidth;
        const Id array = f_.variable(types_.arrayType(f32(), type.packs() * width));
        const auto put = [&](Id index, Id pack) {
            const Id first = times(index, width);
            for (uint32_t i = 0; i < width; ++i) {
                Id number = width == 1 ? pack : emit_.extract(type.component, pack, {i});
                if (type.component != f32()) {
                    number = emit_.op(spv::Op::OpFConvert, f32(), {number});
                }
                f_.store(f_.element(array, plus(first, i)), number);
            }
        };
        if (!isLarge(type)) {
            for (uint32_t p = 0; p < type.packs(); ++p) {
                put(c(p), emit_.extract(type.pack, value, {p}));
            }
            return array;
        }
        const Id source = f_.variable(type.id);
        f_.store(source, value);
        f_.loop(type.packs(), [&](Id p) { put(p, f_.load(f_.element(source, p))); });
        return array;
    }

    Id sameAddress() {
        Agreement agreement(f_);
        agreement.require(memory_.start());
        agreement.require(stride_);
        // Pointers cannot be compared everywhere.
        if (g_.target.kind == Location::Kind::kElements && g_.target.arguments.size() > 1) {
            return types_.constantBool(false);
        }
        agreement.requireArguments(g_.target, 0);
        return agreement.all();
    }

    void addAll(bool reduced) {
        if (g_.lines == nullptr) return addLine(memory_.start(), 0, reduced);
        f_.loop(g_.lines->count, [&](Id line) {
            const Id factor = f_.load(f_.element(lines_, line));
            addLine(memory_.behind(mulU32(line, stride_)).bytes(), factor, reduced);
        });
    }

    void addLine(Id start, Id factor, bool reduced) {
        const uint32_t perWord = accumulator_.perWord();
        const uint32_t words = g_.elements->count / perWord;
        f_.repeat(words, 16, [&](Id word) { addWord(start, word, factor, perWord, reduced); });
        if (g_.elements->count % perWord != 0) addWord(start, c(words), factor, 1, reduced);
    }

    void addWord(Id start, Id word, Id factor, uint32_t count, bool reduced) {
        const Id first = times(word, accumulator_.perWord());
        std::vector<Id> values;
        for (uint32_t v = 0; v < count; ++v) {
            values.push_back(f_.load(f_.element(elements_, plus(first, v))));
            if (factor != 0) {
                values[v] = emit_.op(spv::Op::OpFMul, f32(), {factor, values[v]});
            }
        }
        const Id byte = addU32(start, times(word, 4));
        if (reduced) {
            accumulator_.addReduced(byte, values);
        } else {
            accumulator_.add(byte, values);
        }
    }

    const Gradient& g_;
    Id stride_;
    VectorMemory memory_;
    Accumulator accumulator_;
    Id lines_ = 0;
    Id elements_ = 0;
};

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
    if (context.stage != Stage::kFragment) {
        writer.run(lines, elements);
        return f.finish();
    }
    // Volatile: an invocation may become a helper while the shader runs.
    const Id boolean = context.types.boolType();
    const Id isHelper =
        readBuiltIn(f.emit(), spv::BuiltIn::HelperInvocation, boolean, "coopvk_is_helper", true);
    const Id works = f.emit().op(spv::Op::OpLogicalNot, boolean, {isHelper});
    f.when(works, [&] { writer.run(lines, elements); });
    return f.finish();
}

void call(VectorContext& context, Emitter& emit, const Gradient& g, const Instruction& i,
          HelperKind kind, std::string_view name, std::initializer_list<Id> values, Id stride) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(kind),
                                 g.lines != nullptr ? g.lines->id : 0,
                                 g.elements->id,
                                 g.number->bits,
                                 g.stride ? 1u : 0u,
                                 g.stride.value_or(0)};
    g.target.appendKey(key);
    const Id helper = context.helper(key, [&] { return build(context, g, i, name); });
    std::vector<Id> arguments = g.target.arguments;
    arguments.insert(arguments.end(), values);
    if (!g.stride) arguments.push_back(emit.bitcast(context.types.uint32(), stride));
    callFunction(emit, context.types.voidType(), helper, arguments);
}

}  // namespace

void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* a = context.vectorOfValue(i.word(2));
    const VectorType* b = context.vectorOfValue(i.word(3));
    if (componentOf(context, a) == nullptr || componentOf(context, b) == nullptr) {
        context.fail(ErrorCode::kUnsupported, i, "A and B must be f16 or f32 cooperative vectors");
        return;
    }
    const std::optional<uint64_t> layout = context.module.constantValue(i.word(4));
    const std::optional<uint64_t> type = context.module.constantValue(i.word(5));
    Gradient g;
    if (type) g.number = findNumber(static_cast<ComponentType>(*type));
    if (!layout || *layout > 3 || !isSummed(g.number)) {
        context.fail(ErrorCode::kUnsupported, i,
                     "MemoryLayout or MatrixInterpretation is not supported");
        return;
    }
    const auto order = static_cast<VectorMatrixLayout>(*layout);
    const bool byColumn = order == VectorMatrixLayout::kColumnMajor;
    g.lines = byColumn ? b : a;
    g.elements = byColumn ? a : b;
    const Id stride = i.operands.size() > 6 ? i.word(6) : 0;
    if (isOptimal(order)) {
        const auto placement = placeMatrix(order, a->count, b->count, g.number->bytes(), 0);
        g.stride = static_cast<uint32_t>(placement.rowBytes);
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
         std::format("coopvk_outer_product_f{}_{}x{}", g.number->bits, a->count, b->count),
         {lines, elements}, stride);
}

void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& i) {
    Gradient g;
    g.elements = context.vectorOfValue(i.word(2));
    g.number = componentOf(context, g.elements);
    if (g.number == nullptr) {
        context.fail(ErrorCode::kUnsupported, i, "V must be an f16 or f32 cooperative vector");
        return;
    }
    g.stride = 0;
    g.target = locate(context, emit, i.word(0), i.word(1), i);
    if (!g.target.valid()) return;
    call(context, emit, g, i, HelperKind::kReduceSum,
         std::format("coopvk_reduce_sum_f{}_{}", g.number->bits, g.elements->count), {i.word(2)},
         0);
}

}  // namespace coopvk::rewrite
