// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixMulAddKHR.
#include "matrix/instructions.hpp"
#include "matrix/packs.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

namespace {

constexpr bool has(uint32_t operands, spv::CooperativeMatrixOperandsMask bit) {
    return (operands & static_cast<uint32_t>(bit)) != 0;
}

std::string componentName(const TypeTable& types, Id type, bool isSigned) {
    const char* kind = types.isFloat(type) ? "f" : isSigned ? "s" : "u";
    return std::format("{}{}", kind, types.width(type));
}

std::string helperName(const MatrixContext& context, const MulAdd& p) {
    const TypeTable& t = context.types;
    return std::format(
        "coopvk_muladd_{}_{}_{}_{}x{}x{}{}", componentName(t, p.result->component, p.signs.result),
        componentName(t, p.a->component, p.signs.a), componentName(t, p.b->component, p.signs.b),
        p.result->rows, p.result->columns, p.a->columns, p.saturating ? "_sat" : "");
}

// What is wrong with the types; empty: nothing.
std::string_view mismatch(const MulAdd& p, const TypeTable& types) {
    if (p.a->use != Use::kA || p.b->use != Use::kB || p.c->use != Use::kAccumulator ||
        p.result->use != Use::kAccumulator) {
        return "operands must have the uses A, B and accumulator";
    }
    const LaneScope scope = p.result->fragment.scope;
    if (p.a->fragment.scope != scope || p.b->fragment.scope != scope ||
        p.c->fragment.scope != scope) {
        return "operands have different scopes";
    }
    if (p.a->columns != p.b->rows || p.a->rows != p.result->rows ||
        p.b->columns != p.result->columns || p.c->rows != p.result->rows ||
        p.c->columns != p.result->columns) {
        return "M, N and K of the operands differ";
    }
    const bool isFloat = types.isFloat(p.result->component);
    for (const MatrixType* operand : {p.a, p.b, p.c}) {
        if (types.isFloat(operand->component) != isFloat) {
            return "operands mix integer and floating-point components";
        }
    }
    return {};
}

}  // namespace

void lowerMulAdd(MatrixContext& context, Emitter& emit, const Instruction& mulAdd) {
    MulAdd product;
    product.a = context.matrixOfValue(mulAdd.word(0));
    product.b = context.matrixOfValue(mulAdd.word(1));
    product.c = context.matrixOfValue(mulAdd.word(2));
    product.result = context.matrix(mulAdd.type);
    if (!product.a || !product.b || !product.c || !product.result) {
        context.fail(ErrorCode::kInvalidModule, mulAdd, "operands are not cooperative matrices");
        return;
    }
    if (const std::string_view what = mismatch(product, context.types); !what.empty()) {
        context.fail(ErrorCode::kInvalidModule, mulAdd, what);
        return;
    }
    using Mask = spv::CooperativeMatrixOperandsMask;
    product.operands = mulAdd.word(3);
    product.signs = {has(product.operands, Mask::MatrixASignedComponentsKHR),
                     has(product.operands, Mask::MatrixBSignedComponentsKHR),
                     has(product.operands, Mask::MatrixCSignedComponentsKHR),
                     has(product.operands, Mask::MatrixResultSignedComponentsKHR)};
    product.saturating = has(product.operands, Mask::SaturatingAccumulationKHR);
    if (product.c->isConverted() || product.result->isConverted()) {
        context.fail(ErrorCode::kUnsupported, mulAdd, "4-bit components are for A and B only");
        return;
    }
    const Id a = withSign(context, emit, *product.a, mulAdd.word(0), product.signs.a);
    const Id b = withSign(context, emit, *product.b, mulAdd.word(1), product.signs.b);

    const std::vector<uint32_t> key = {static_cast<uint32_t>(mulAdd.opcode),
                                       product.a->id,
                                       product.b->id,
                                       product.c->id,
                                       product.result->id,
                                       product.operands};
    const Id helper = context.helper(key, [&] {
        const Id parameters[] = {product.a->id, product.b->id, product.c->id};
        FunctionBuilder function(context.types, context.newFunctions, helperName(context, product),
                                 product.result->id, parameters);
        if (product.result->fragment.scope == LaneScope::kWorkgroup) {
            const auto emitWhole = product.result->tiles ? emitTileProduct : emitWorkgroupProduct;
            return emitWhole(context, function, product, mulAdd);
        }
        return emitProduct(context, function, product);
    });
    if (helper == 0) return;
    emit.call(mulAdd.type, helper, std::array{a, b, mulAdd.word(2)}, mulAdd.result);
}

}  // namespace coopvk::rewrite
