// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorMatrixMulNV and OpCooperativeVectorMatrixMulAddNV: their operands, and the
// helper functions that they become. What the functions do not depend on are arguments:
//
//   %y = OpCooperativeVectorMatrixMulNV %out %x ... %buffer %offset ... %m %k %layout ...
//
//   %y = OpFunctionCall %out %coopvk_vector_mul_f16_f16_64x64_rows %x %offset
#include <algorithm>

#include "vector/context.hpp"
#include "vector/product.hpp"
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

// A matrix-vector product by one invocation. Loops bound the size of the code: over groups of rows,
// and along lines of more than DevicePlan::unrolledUnits units.

namespace {

constexpr uint32_t kRowsAlone = 4;  // of which results have multiples

class InvocationProduct : private VectorCode {
 public:
    explicit InvocationProduct(const ProductWork& work)
        : VectorCode(work.function), work_(work), p_(work.product), arithmetic_(work.arithmetic) {}

    void byRows() {
        // Where loads are in loops, compilers move none of whole lines to the front.
        const uint32_t rows = work_.input.hasValues() ? device().linesAtOnce : kRowsAlone;
        const uint32_t blocks = divideUp(p_.m, rows);
        f_.loopAbove(1, blocks, [&](Id block) {
            const Id first = times(block, rows);
            std::vector<VectorMemory::Line> lines = listOf(rows, [&](uint32_t r) {
                const Id row = plus(first, r);
                return lineAt(p_.m % rows != 0 ? atMost(emit_, row, p_.m - 1) : row);
            });
            const std::vector<Id> totals =
                listFor(work_.input.hasValues() ? sumLines(lines) : sumLongLines(lines),
                        [&](Id sum) { return arithmetic_.total(sum, p_.hasBias); });
            work_.result.store(first, totals, blocks * rows);
        });
    }

    void byColumns() {
        const uint32_t perQuad = 16 / p_.matrixType.bytes();
        const uint32_t rows = std::max(device().rowsAtOnce, perQuad);
        const uint32_t whole = p_.m / rows;
        f_.loopAbove(1, whole, [&](Id block) {
            const Id first = times(block, rows);
            work_.result.store(first, sumColumns(first, rows * p_.matrixType.bytes(), rows),
                               whole * rows);
        });
        const uint32_t rest = p_.m % rows;
        if (rest == 0) return;
        const uint32_t bytes = p_.lineBytes() - whole * rows * p_.matrixType.bytes();
        std::vector<Id> totals = sumColumns(c(whole * rows), bytes, rest);
        totals.resize(divideUp(rest, kRowsAlone) * kRowsAlone, totals.back());
        work_.result.store(c(whole * rows), totals, 0);
    }

 private:
    VectorMemory::Line lineAt(Id index) {
        return work_.matrix.fromStart(
            startOfLine(emit_, p_.inBlocks, work_.parameters.stride, index), p_.quadBytes());
    }

    std::vector<Id> sumLines(std::vector<VectorMemory::Line>& lines) {
        std::vector<Id> sums(lines.size(), arithmetic_.zero());
        const uint32_t bytes = p_.lineBytes();
        for (uint32_t at = 0; at < bytes; at += 16) {
            addPiece(lines, at, std::min(16u, bytes - at), sums);
        }
        return sums;
    }

    // Adds the products with up to 16 bytes of each line from byte `at` on.
    void addPiece(std::vector<VectorMemory::Line>& lines, uint32_t at, uint32_t bytes,
                  std::vector<Id>& sums) {
        const uint32_t first = at / 4 * arithmetic_.unitsPerWord();
        for (size_t r = 0; r < lines.size(); ++r) {
            const std::vector<Id> words = lines[r].load(at, bytes);
            const auto units = static_cast<uint32_t>(words.size()) * arithmetic_.unitsPerWord();
            const uint32_t all = work_.input.units();
            const uint32_t inner = std::min(units, all - std::min(all, first));
            const std::vector<Id> inputs =
                listOf(work_.addsPadding ? units : inner,
                       [&](uint32_t u) { return work_.input.unitAt(c(first + u)); });
            sums[r] = arithmetic_.addProducts(arithmetic_.units(words), inputs, sums[r]);
        }
    }

    std::vector<Id> sumLongLines(std::vector<VectorMemory::Line>& lines) {
        const std::vector<Id> variables = sumVariables(lines.size());
        // The loop has the quads without padding.
        const uint32_t quads = p_.k * p_.matrixType.bytes() / 16;
        const uint32_t unitsPerQuad = 4 * arithmetic_.unitsPerWord();
        f_.loop(quads, [&](Id q) {
            const Id bytes = times(q, p_.quadBytes());
            const Id firstUnit = times(q, unitsPerQuad);
            const std::vector<Id> inputs = listOf(
                unitsPerQuad, [&](uint32_t u) { return work_.input.unitAt(plus(firstUnit, u)); });
            for (size_t r = 0; r < lines.size(); ++r) {
                auto piece = work_.matrix.line(emit_.sum(lines[r].bytes(), bytes));
                const std::vector<Id> words = piece.load(0, 16);
                const Id sum = f_.load(variables[r]);
                f_.store(variables[r],
                         arithmetic_.addProducts(arithmetic_.units(words), inputs, sum));
            }
        });
        std::vector<Id> sums = f_.loadAll(variables);
        if (const uint32_t at = 16 * quads; at < p_.lineBytes()) {
            addPiece(lines, at, p_.lineBytes() - at, sums);
        }
        return sums;
    }

    std::vector<Id> sumVariables(size_t count) {
        return listOf(count, [&](uint32_t) {
            const Id variable = f_.variable(arithmetic_.sumType());
            f_.store(variable, arithmetic_.zero());
            return variable;
        });
    }

    // Totals of `rows` rows from `first` on, which take `bytes` bytes of each column.
    std::vector<Id> sumColumns(Id first, uint32_t bytes, uint32_t rows) {
        const uint32_t perWord = 4 / p_.matrixType.bytes();
        const std::vector<Id> variables = sumVariables(rows);
        // A multiple of 16 bytes of the column.
        const Id firstByte = times(first, p_.matrixType.bytes() * p_.quadBytes() / 16);
        f_.loop(p_.k, [&](Id k) {
            const Id x = work_.input.unitAt(k);
            const Id start = emit_.sum(lineAt(k).bytes(), firstByte);
            const std::vector<Id> words = work_.matrix.line(start, p_.quadBytes()).load(0, bytes);
            for (uint32_t w = 0; w < words.size(); ++w) {
                const std::vector<Id> weights = arithmetic_.units({&words[w], 1});
                for (uint32_t u = 0; u < weights.size(); ++u) {
                    const uint32_t v = w * perWord + u;
                    if (v >= variables.size()) continue;
                    const Id sum = f_.load(variables[v]);
                    f_.store(variables[v], arithmetic_.multiplyAdd(weights[u], x, sum));
                }
            }
        });
        return f_.loadAll(variables);
    }

    const ProductWork& work_;
    const VectorMatrixMul& p_;
    Arithmetic& arithmetic_;
};

// Computes a product by one invocation, with a loop over the lines.
void multiplyAlone(const ProductWork& work) {
    InvocationProduct product(work);
    if (work.product.linesAreRows()) {
        product.byRows();
    } else {
        product.byColumns();
    }
}

// Makes the units of the input that multiplyAlone() takes.
void prepareAlone(const DevicePlan& device, const VectorMatrixMul& product, ProductInput& input) {
    if (product.linesAreRows()) {
        input.makeUnits(input.units() <= device.unrolledUnits);
    } else {
        input.makeScalars();
    }
}

// The number of rows that multiplyAlone() stores.
uint32_t rowsAlone(const VectorMatrixMul& product) {
    return divideUp(product.m, kRowsAlone) * kRowsAlone;
}

// Reads an instruction's operands. Errors go to the context.
class ProductReader {
 public:
    ProductReader(VectorContext& context, const Instruction& i)
        : context_(context), i_(i), afterMatrix_(hasBias() ? 8 : 5) {}

    // MatrixStride, if there is one.
    std::optional<Id> stride() const {
        const size_t at = afterMatrix_ + 4;
        const bool has = at < i_.operands.size() && i_.operands[at].isId;
        return has ? std::optional(i_.word(at)) : std::nullopt;
    }

    bool read(Emitter& emit, VectorMatrixMul& p) const {
        p.result = context_.vector(i_.type);
        p.input = context_.vectorOfValue(i_.word(0));
        if (p.result == nullptr || p.input == nullptr) {
            return fail(ErrorCode::kInvalidModule,
                        "Result Type and Input must be cooperative vectors");
        }
        if (!readInterpretations(p) || !readShape(p)) return false;
        if (const std::string_view what = typeProblem(p); !what.empty()) {
            return fail(ErrorCode::kUnsupported, what);
        }
        if (!stride() && !isOptimal(p.layout)) {
            return fail(ErrorCode::kInvalidModule,
                        "row and column major layouts need a MatrixStride");
        }
        if (stride() && !context_.isWord(*stride())) {
            return fail(ErrorCode::kInvalidModule, "MatrixStride is not a 32-bit integer scalar");
        }
        if (const auto known = context_.module.constantValue(stride().value_or(0))) {
            p.stride = static_cast<uint32_t>(*known);
        }
        return readLocations(emit, p);
    }

 private:
    bool hasBias() const { return i_.opcode == OpCooperativeVectorMatrixMulAddNV; }
    std::optional<uint64_t> constant(size_t operand) const {
        return context_.module.constantValue(i_.word(operand));
    }
    bool fail(ErrorCode code, std::string_view what) const { return context_.fail(code, i_, what); }

    bool readInterpretations(VectorMatrixMul& p) const {
        p.hasBias = hasBias();
        const auto input = interpretation(constant(1));
        const auto matrix = interpretation(constant(4));
        const auto bias = p.hasBias ? interpretation(constant(7)) : Interpretation{};
        if (!input || !matrix || !bias || matrix->isPacked || bias->isPacked ||
            (p.hasBias && bias->bytes() == 1)) {
            return fail(ErrorCode::kUnsupported, "an interpretation is not supported");
        }
        p.inputType = *input;
        p.matrixType = *matrix;
        p.biasType = *bias;
        return true;
    }

    bool readShape(VectorMatrixMul& p) const {
        const auto m = constant(afterMatrix_), k = constant(afterMatrix_ + 1);
        const auto layout = constant(afterMatrix_ + 2);
        const auto transpose = context_.module.constantBool(i_.word(afterMatrix_ + 3));
        if (!m || !k || !layout || !transpose || *layout > 3) {
            return fail(ErrorCode::kInvalidModule,
                        "M, K, MemoryLayout and Transpose must be constants");
        }
        p.m = static_cast<uint32_t>(*m);
        p.k = static_cast<uint32_t>(*k);
        p.layout = static_cast<VectorMatrixLayout>(*layout);
        p.inBlocks = context_.target.device.blockedWeights &&
                     p.layout == VectorMatrixLayout::kInferencingOptimal;
        p.transpose = *transpose;
        const Operand last = i_.operands.back();
        constexpr auto kSigned = spv::CooperativeMatrixOperandsMask::MatrixBSignedComponentsKHR;
        p.inputSigned = !last.isId && (last.word & static_cast<uint32_t>(kSigned)) != 0;
        return true;
    }

    std::string_view typeProblem(const VectorMatrixMul& p) const {
        const TypeTable& types = context_.types;
        const uint32_t width = types.width(p.input->component);
        const bool isPacked = p.inputType.isPacked;
        if (p.inputType.isFloat() != p.matrixType.isFloat()) {
            return "InputInterpretation and MatrixInterpretation mix integers and floats";
        }
        if (isPacked && (!types.isInteger(p.input->component) || width != 32)) {
            return "a packed input must have components of 32-bit integers";
        }
        if (p.k == 0 || (isPacked ? 4 * p.input->count < p.k : p.input->count != p.k)) {
            return "Input does not have K components";
        }
        if (p.result->count != p.m) return "Result Type does not have M components";
        const uint32_t resultWidth = types.width(p.result->component);
        if (width > 32 || resultWidth > 32 || resultWidth < 16) {
            return "products of components of this width are not emulated";
        }
        if (!isPacked && p.inputType.bytes() == 4 && !p.inputType.isFloat()) {
            return "an InputInterpretation of 32-bit integers is not supported";
        }
        return {};
    }

    bool readLocations(Emitter& emit, VectorMatrixMul& p) const {
        p.matrix = locate(context_, emit, i_.word(2), i_.word(3), i_);
        if (!p.matrix.valid()) return false;
        obeyAlignment(context_, p.matrix, kMatrixRule);
        if (stride() && !isOptimal(p.layout)) {
            obeyAlignment(context_, p.matrix, *stride(), kStrideRule);
        }
        if (p.hasBias) p.bias = locate(context_, emit, i_.word(5), i_.word(6), i_);
        if (p.hasBias) obeyAlignment(context_, p.bias, kBiasRule);
        const auto isConstant = [&](Id id) {
            return context_.module.constantValue(id).has_value();
        };
        p.hasConstantLocation = context_.target.device.sharesScalars &&
                                p.lineStride().has_value() &&
                                std::ranges::all_of(p.matrix.arguments, isConstant) &&
                                std::ranges::all_of(p.bias.arguments, isConstant);
        return !p.hasBias || p.bias.valid();
    }

    VectorContext& context_;
    const Instruction& i_;
    size_t afterMatrix_;  // position of M
};

std::vector<uint32_t> keyOf(const Module& module, const VectorMatrixMul& p) {
    std::vector<uint32_t> key = {kMultiplyHelper,
                                 p.result->id,
                                 p.input->id,
                                 static_cast<uint32_t>(p.inputType.type),
                                 static_cast<uint32_t>(p.matrixType.type),
                                 static_cast<uint32_t>(p.biasType.type),
                                 (p.inputType.isPacked ? 1u : 0u) | (p.hasBias ? 2u : 0u) |
                                     (p.inputSigned ? 4u : 0u) | (p.transpose ? 8u : 0u) |
                                     (p.stride ? 16u : 0u) | (p.hasConstantLocation ? 32u : 0u),
                                 p.m,
                                 p.k,
                                 static_cast<uint32_t>(p.layout),
                                 p.stride.value_or(0)};
    p.matrix.appendKey(module, key);
    if (p.hasBias) p.bias.appendKey(module, key);
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

// A helper function, and its parameters.
struct Helper {
    Helper(VectorContext& context, const VectorMatrixMul& p, std::string_view name,
           std::span<const Id> types)
        : function(context, name, p.result->id, types),
          parameters{.input = function.parameter(0),
                     .stride = takesStride(p) ? function.parameter(types.size() - 1)
                                              : context.types.constantU32(*p.lineStride()),
                     .matrix = 1,
                     .bias = 1 + p.matrix.arguments.size()},
          matrix(function, p.matrix, parameters.matrix) {}

    VectorFunction function;
    ProductParameters parameters;
    VectorMemory matrix;
};

// The product by the driver's matrices; locations must be uniform in the subgroup.
Id buildByDriver(VectorContext& context, const VectorMatrixMul& p, const DriverProduct& plan,
                 const std::string& name) {
    Helper helper(context, p, name, parameterTypes(context, p));
    VectorFunction& f = helper.function;
    Arithmetic arithmetic(f, plan.sum(), p.inputType, p.matrixType);
    ProductInput input(f, arithmetic, p, helper.parameters.input);
    prepareAlone(context.target.device, p, input);
    constexpr bool isOneOfTwoForms = true;  // lanes alone compute the other
    ProductResult result(f, p, plan.sum(), helper.parameters, plan.rows,
                         rowStoresFor(context, *p.result, plan.rows, isOneOfTwoForms));
    multiplyByDriver({f, p, helper.parameters, arithmetic, input, helper.matrix, result}, plan);
    return result.finishFunction();
}

// The product by each invocation alone, or by tiles where these are used and locations uniform.
Id buildProduct(VectorContext& context, const VectorMatrixMul& p, const ProductPlan& plan,
                const std::string& name) {
    Helper helper(context, p, name, parameterTypes(context, p));
    VectorFunction& f = helper.function;
    if (plan.isCalled) f.dontInline();
    const ProductParameters& parameters = helper.parameters;
    const Sum sum = plan.tile ? sumFor(context, p) : sumAloneFor(context, p);
    Arithmetic arithmetic(f, sum, p.inputType, p.matrixType);
    ProductInput input(f, arithmetic, p, parameters.input);
    const uint32_t rows = std::max(rowsAlone(p), plan.tile ? plan.tile->rows() : 0);
    ProductResult result(
        f, p, sum, parameters, rows,
        rowStoresFor(context, *p.result, rows, plan.hasTwoForms() || plan.isCalled));
    const bool addsPadding = plan.tile && p.inputType.isFloat();
    const ProductWork work = {f,      p,          parameters, arithmetic, input, helper.matrix,
                              result, addsPadding};
    prepareAlone(context.target.device, p, input);
    if (plan.tile) {
        f.choose(
            isProductShared(work, plan.tile->exchange), [&] { multiplyAsTile(work, *plan.tile); },
            [&] { multiplyAlone(work); });
    } else {
        multiplyAlone(work);
    }
    return result.finishFunction();
}

Id build(VectorContext& context, const VectorMatrixMul& p) {
    const std::string name = helperName(p);
    const ProductPlan plan = planProduct(context, p);
    context.paths.insert(plan.path());
    const bool asks = !plan.hasTwoForms() && asksForUniformWeights(context, p);
    if (!plan.driver && !asks) return buildProduct(context, p, plan, name);
    const Id alone = buildProduct(context, p, plan, name + "_alone");
    const std::vector<Id> types = parameterTypes(context, p);
    if (asks) return multiplyByUniformWeights(context, name, p.result->id, types, alone);
    const Id together = buildByDriver(context, p, *plan.driver, name + "_together");
    return multiplyInGroups(context, name, p.result->id, types, {together, alone},
                            plan.driver->exchange.lanes);
}

}  // namespace

void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& i) {
    VectorMatrixMul p;
    const ProductReader reader(context, i);
    if (!reader.read(emit, p)) return;
    const Id helper = context.helper(keyOf(context.module, p), [&] { return build(context, p); });
    std::vector<Id> arguments = {i.word(0)};
    arguments.insert(arguments.end(), p.matrix.arguments.begin(), p.matrix.arguments.end());
    arguments.insert(arguments.end(), p.bias.arguments.begin(), p.bias.arguments.end());
    if (takesStride(p)) {
        arguments.push_back(emit.bitcast(context.types.uint32(), *reader.stride()));
    }
    emit.call(i.type, helper, arguments, i.result);
}

}  // namespace coopvk::rewrite
