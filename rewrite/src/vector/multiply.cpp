// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorMatrixMulNV and OpCooperativeVectorMatrixMulAddNV: what an instruction says,
// and the helper function that it calls.
#include <algorithm>

#include "vector/instructions.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr bool has(uint32_t operands, spv::CooperativeMatrixOperandsMask bit) {
    return (operands & static_cast<uint32_t>(bit)) != 0;
}

std::optional<bool> constantBool(const Module& module, Id id) {
    switch (module.def(id).opcode) {
        case spv::Op::OpConstantTrue:
            return true;
        case spv::Op::OpConstantFalse:
        case spv::Op::OpConstantNull:
            return false;
        default:
            return std::nullopt;
    }
}

// Operands of the instruction by name; the bias ones are only in MulAdd.
struct Reader {
    const Module& module;
    const Instruction& i;
    size_t afterMatrix;  // index of M

    explicit Reader(const Module& m, const Instruction& instruction)
        : module(m), i(instruction), afterMatrix(hasBias() ? 8 : 5) {}

    bool hasBias() const { return i.opcode == spv::Op::OpCooperativeVectorMatrixMulAddNV; }
    std::optional<uint64_t> constant(size_t index) const {
        return module.constantValue(i.word(index));
    }
    Id stride() const {
        const size_t at = afterMatrix + 4;
        return at < i.operands.size() && i.operands[at].isId ? i.word(at) : 0;
    }
    uint32_t mask() const {
        const Operand last = i.operands.empty() ? Operand{} : i.operands.back();
        return i.operands.size() > afterMatrix + 4 && !last.isId ? last.word : 0;
    }
};

std::string_view checkTypes(const VectorContext& context, const VectorMatrixMul& p) {
    const TypeTable& types = context.types;
    if (p.inputType.isFloat() != p.matrixType.isFloat()) {
        return "InputInterpretation and MatrixInterpretation are of different kinds";
    }
    if (p.inputType.isPacked &&
        (!types.isInteger(p.input->component) || types.width(p.input->component) != 32)) {
        return "a packed input must have components of type u32";
    }
    const uint32_t held = p.inputType.isPacked ? 4 * p.input->count : p.input->count;
    if (p.inputType.isPacked ? held < p.k : held != p.k) {
        return "Input has not K components";
    }
    if (p.result->count != p.m) return "Result Type has not M components";
    if (types.width(p.input->component) > 32 || types.width(p.result->component) > 32 ||
        types.width(p.result->component) < 16) {
        return "components of this width are not multiplied";
    }
    if (!p.inputType.isPacked && p.inputType.bytes() == 4 && !p.inputType.isFloat()) {
        return "an InputInterpretation of 32-bit integers is not supported";
    }
    return {};
}

bool describe(VectorContext& context, Emitter& emit, const Instruction& i, VectorMatrixMul& p) {
    const Reader read(context.module, i);
    const auto fail = [&](ErrorCode code, std::string_view what) {
        context.fail(code, i, what);
        return false;
    };
    p.result = context.vector(i.type);
    p.input = context.vectorOfValue(i.word(0));
    if (p.result == nullptr || p.input == nullptr) {
        return fail(ErrorCode::kInvalidModule, "Result Type and Input must be cooperative vectors");
    }
    p.hasBias = read.hasBias();
    const auto input = interpretation(read.constant(1));
    const auto matrix = interpretation(read.constant(4));
    const auto bias = p.hasBias ? interpretation(read.constant(7)) : Interpretation{};
    if (!input || !matrix || !bias || matrix->isPacked || bias->isPacked ||
        (p.hasBias && bias->bytes() == 1)) {
        return fail(ErrorCode::kUnsupported, "an interpretation is not supported");
    }
    p.inputType = *input;
    p.matrixType = *matrix;
    p.biasType = *bias;
    const auto m = read.constant(read.afterMatrix);
    const auto k = read.constant(read.afterMatrix + 1);
    const auto layout = read.constant(read.afterMatrix + 2);
    const auto transpose = constantBool(context.module, i.word(read.afterMatrix + 3));
    if (!m || !k || !layout || !transpose || *layout > 3) {
        return fail(ErrorCode::kInvalidModule,
                    "M, K, MemoryLayout and Transpose must be constants");
    }
    p.m = static_cast<uint32_t>(*m);
    p.k = static_cast<uint32_t>(*k);
    p.layout = static_cast<VectorMatrixLayout>(*layout);
    p.transpose = *transpose;
    using Mask = spv::CooperativeMatrixOperandsMask;
    p.inputSigned = has(read.mask(), Mask::MatrixBSignedComponentsKHR);
    if (const std::string_view what = checkTypes(context, p); !what.empty()) {
        return fail(ErrorCode::kUnsupported, what);
    }
    if (read.stride() != 0) {
        if (const auto stride = context.module.constantValue(read.stride())) {
            p.stride = static_cast<uint32_t>(*stride);
        }
    } else if (!isOptimal(p.layout)) {
        return fail(ErrorCode::kInvalidModule, "row and column major layouts need a MatrixStride");
    }
    p.matrix = locate(context, emit, i.word(2), i.word(3), i);
    if (!p.matrix.valid()) return false;
    if (p.hasBias) p.bias = locate(context, emit, i.word(5), i.word(6), i);
    const auto isConstant = [&](Id id) { return context.module.constantValue(id).has_value(); };
    p.isPlaced = sharesWeightsItself(context.target.device) && p.lineStride().has_value() &&
                 std::ranges::all_of(p.matrix.arguments, isConstant) &&
                 std::ranges::all_of(p.bias.arguments, isConstant);
    return !p.hasBias || p.bias.valid();
}

std::vector<uint32_t> keyOf(const VectorMatrixMul& p) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(HelperKind::kMultiply),
                                 p.result->id,
                                 p.input->id,
                                 static_cast<uint32_t>(p.inputType.type),
                                 static_cast<uint32_t>(p.matrixType.type),
                                 static_cast<uint32_t>(p.biasType.type),
                                 (p.inputType.isPacked ? 1u : 0u) | (p.hasBias ? 2u : 0u) |
                                     (p.inputSigned ? 4u : 0u) | (p.transpose ? 8u : 0u) |
                                     (p.stride ? 16u : 0u) | (p.isPlaced ? 32u : 0u),
                                 p.m,
                                 p.k,
                                 static_cast<uint32_t>(p.layout),
                                 p.stride.value_or(0)};
    p.matrix.appendKey(key);
    if (p.hasBias) p.bias.appendKey(key);
    return key;
}

std::string helperName(const VectorMatrixMul& p) {
    constexpr std::string_view kLayouts[] = {"rows", "columns", "inference", "training"};
    return std::format("coopvk_vector_{}_{}_{}_{}x{}_{}{}", p.hasBias ? "muladd" : "mul",
                       name(p.inputType.type), name(p.matrixType.type), p.m, p.k,
                       kLayouts[static_cast<size_t>(p.layout)], p.transpose ? "_transposed" : "");
}

bool takesStride(const VectorMatrixMul& p) { return !p.lineStride().has_value(); }

std::vector<Id> parameterTypes(VectorContext& context, const VectorMatrixMul& p) {
    std::vector<Id> types = {p.input->id};
    types.insert(types.end(), p.matrix.argumentTypes.begin(), p.matrix.argumentTypes.end());
    types.insert(types.end(), p.bias.argumentTypes.begin(), p.bias.argumentTypes.end());
    if (takesStride(p)) types.push_back(context.types.uint32());
    return types;
}

Id buildProduct(VectorContext& context, const VectorMatrixMul& p, const std::string& name) {
    const std::vector<Id> types = parameterTypes(context, p);
    VectorFunction f(context, name, p.result->id, types);
    ProductParameters parameters;
    parameters.input = f.parameter(0);
    parameters.matrix = 1;
    parameters.bias = 1 + p.matrix.arguments.size();
    parameters.stride =
        takesStride(p) ? f.parameter(types.size() - 1) : context.types.constantU32(*p.lineStride());
    const Sum sum = sumFor(context, p);
    const Tile tile =
        sharesWeightsItself(context.target.device) ? Tile{} : planTile(context, p, sum);
    const Sum sumAlone = sumAloneFor(sum, p);
    Arithmetic arithmetic(f, sum, p.inputType, p.matrixType);
    Arithmetic arithmeticAlone(f, sumAlone, p.inputType, p.matrixType);
    // The operands are the same for both; how they are summed is not.
    ProductInput input(f, arithmeticAlone, p, parameters.input);
    VectorMemory matrix(f, p.matrix, parameters.matrix);
    ProductResult result(f, p, sum, parameters, std::max(rowsAlone(p), tile.rows()));
    ProductResult resultAlone = result.summedAs(sumAlone);
    prepareAlone(context.target.device, p, input);
    const ProductWork work = {f, p, parameters, arithmetic, input, matrix, result};
    const ProductWork alone = {f, p, parameters, arithmeticAlone, input, matrix, resultAlone};
    context.paths.insert(tile.isUsed() ? "vectors: tiles" : "vectors: alone");
    if (tile.isUsed()) {
        f.choose(
            mayShare(work, tile), [&] { multiplyAsTile(work, tile); },
            [&] { multiplyAlone(alone); });
    } else {
        multiplyAlone(alone);
    }
    return f.finish(result.value());
}

Id build(VectorContext& context, const VectorMatrixMul& p) {
    const std::string name = helperName(p);
    if (!mayShareWeights(context, p)) return buildProduct(context, p, name);
    const Id alone = buildProduct(context, p, name + "_alone");
    return shareWeights(context, name, p.result->id, parameterTypes(context, p), alone);
}

}  // namespace

void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& i) {
    VectorMatrixMul p;
    if (!describe(context, emit, i, p)) return;
    const Id helper = context.helper(keyOf(p), [&] { return build(context, p); });
    std::vector<Id> arguments = {i.word(0)};
    arguments.insert(arguments.end(), p.matrix.arguments.begin(), p.matrix.arguments.end());
    arguments.insert(arguments.end(), p.bias.arguments.begin(), p.bias.arguments.end());
    if (takesStride(p)) {
        const Id stride = Reader(context.module, i).stride();
        arguments.push_back(emit.bitcast(context.types.uint32(), stride));
    }
    callFunction(emit, i.type, helper, arguments, i.result);
}

}  // namespace coopvk::rewrite
