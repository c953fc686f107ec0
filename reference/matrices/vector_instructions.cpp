// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector: loads, stores, products, and training. Each invocation has vectors of
// its own.
#include "matrices/cooperation.hpp"
#include "matrices/vectors.hpp"
#include "memory/atomics.hpp"

namespace coopvk::reference::matrices {
namespace {

using enum spv::Op;

// A pointer, and the operand behind it: an offset in bytes.
Pointer pointerAndOffset(const Subgroup& s, const Instruction& i, uint32_t pointer, uint32_t lane) {
    Pointer at = pointerAt(s.operand(i, pointer), lane);
    at.offset += s.operand(i, pointer + 1).at(0, lane);
    return at;
}

// Operands: pointer, offset, the object of a store, memory operands.
template <bool kStores>
Step access(Subgroup& s, const Instruction& i) {
    const Value vector = kStores ? s.operand(i, 2) : s.result(i);
    const uint32_t bits = vector.type->element->width;
    const Access access = accessOf(*s.program, i, kStores ? 3 : 2);
    forLanes(s, [&](uint32_t lane) {
        const ElementMemory memory{i, pointerAndOffset(s, i, 0, lane), bits, access};
        for (uint32_t c = 0; c < vector.components(); ++c) {
            if constexpr (kStores) {
                memory.write(s, lane, uint64_t(c) * bits, elementAt(vector, c, lane));
            } else {
                setElement(vector, c, lane, memory.read(s, lane, uint64_t(c) * bits));
            }
        }
    });
    return Step::kNext;
}

// The constant operands of OpCooperativeVectorMatrixMulNV and MulAddNV, once for each program.
struct ProductPlan final : Prepared {
    Number input = Number::f16, interpretation = Number::f16, result = Number::f32;
    std::optional<Number> bias;
    VectorMatrix matrix;  // as it lies in memory
    uint32_t m = 0, k = 0;
    bool packed = false, transpose = false;
    uint32_t strideOperand = 0;  // 0: no operand
};

Status prepareProduct(const Program& program, Instruction& i) {
    using Operands = spv::CooperativeMatrixOperandsMask;
    constexpr uint32_t kSigned8Packed = 1000491000, kUnsigned8Packed = 1000491001;
    auto plan = std::make_shared<ProductPlan>();
    const bool hasBias = i.opcode == OpCooperativeVectorMatrixMulAddNV;
    const uint32_t next = hasBias ? 8 : 5;  // M, K, MemoryLayout, Transpose, MatrixStride
    const auto constant = [&](uint32_t operand) {
        return uint32_t(program.constantAt(i[operand].slot));
    };
    plan->m = constant(next);
    plan->k = constant(next + 1);
    plan->transpose = constant(next + 3) != 0;
    if (i.operands.size() > next + 4) plan->strideOperand = next + 4;
    const uint32_t mask = i.operands.size() > next + 5 ? i[next + 5].word : 0;
    const auto has = [&](Operands bit) { return (mask & uint32_t(bit)) != 0; };

    const auto interpretation = numbers::byVulkanType(constant(1));
    const uint32_t rows = plan->transpose ? plan->k : plan->m;
    const uint32_t columns = plan->transpose ? plan->m : plan->k;
    const auto matrix = vectorMatrix(constant(4), constant(next + 2), rows, columns, 0);
    if (hasBias) plan->bias = numbers::byVulkanType(constant(7));
    if (!interpretation || !matrix || (hasBias && !plan->bias)) {
        return Error{ErrorCode::kUnsupported,
                     "OpCooperativeVectorMatrixMulNV: unknown interpretation or layout"};
    }
    plan->interpretation = *interpretation;
    plan->packed = constant(1) == kSigned8Packed || constant(1) == kUnsigned8Packed;
    plan->matrix = *matrix;
    plan->input = numberOf(*program.slots[i[0].slot].type->element,
                           has(Operands::MatrixBSignedComponentsKHR));
    plan->result = numberOf(*i.type->element, has(Operands::MatrixResultSignedComponentsKHR));
    i.prepared = std::move(plan);
    return Done{};
}

// The matrix that invocations multiply by: M rows of K elements.
Matrix weightsAt(Subgroup& s, const Instruction& i, const ProductPlan& plan, uint32_t lane,
                 const Pointer& pointer, uint64_t stride) {
    VectorMatrix place = plan.matrix;
    place.stride = stride;
    const ElementMemory memory{i, pointer, uint32_t(place.elementSize()) * 8};
    Matrix weights(place.number, plan.m, plan.k);
    for (uint32_t m = 0; m < plan.m; ++m) {
        for (uint32_t k = 0; k < plan.k; ++k) {
            const uint64_t offset = plan.transpose ? place.offset(k, m) : place.offset(m, k);
            weights.at(m, k) = memory.read(s, lane, offset * 8);
        }
    }
    return weights;
}

// Operands: Input, InputInterpretation, Matrix, MatrixOffset, MatrixInterpretation, Bias,
// BiasOffset, BiasInterpretation. Invocations often have the same matrix, which is then read once.
Step product(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const ProductPlan&>(*i.prepared);
    const Number biasNumber = plan.bias.value_or(plan.result);
    const uint32_t biasBits = numbers::format(biasNumber).bits;
    const SumRule rule = sumRule(s, i, plan.result);
    std::optional<Matrix> weights;
    Pointer pointer;
    uint64_t stride = 0;
    forLanes(s, [&](uint32_t lane) {
        const Pointer at = pointerAndOffset(s, i, 2, lane);
        const uint64_t own =
            plan.strideOperand != 0 ? s.operand(i, plan.strideOperand).at(0, lane) : 0;
        if (!weights || at.base != pointer.base || at.offset != pointer.offset || own != stride) {
            pointer = at;
            stride = own;
            weights = weightsAt(s, i, plan, lane, pointer, stride);
        }
        Matrix input(plan.interpretation, plan.k, 1), bias(biasNumber, plan.m, 1);
        const auto interpreted = interpretInput(elementsAt(s.operand(i, 0), lane), plan.input,
                                                plan.interpretation, plan.packed, plan.k);
        for (uint32_t k = 0; k < plan.k; ++k) input.at(k, 0) = interpreted[k];
        for (uint32_t m = 0; plan.bias && m < plan.m; ++m) {
            const ElementMemory memory{i, pointerAndOffset(s, i, 5, lane), biasBits};
            bias.at(m, 0) = memory.read(s, lane, uint64_t(m) * biasBits);
        }
        setElements(s.result(i), lane, multiplyAdd(*weights, input, bias, rule).elements());
    });
    return Step::kNext;
}

// Training: "behaves as if it were a Relaxed atomic add with Device scope".
void addTo(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
           uint64_t offset, Number number, double addend, bool defined) {
    if (!defined) s.report(kCheckUndefined, i, lane, "adds an undefined value to memory");
    atomicMemory(s, i, lane, pointer, offset, numbers::format(number).bits / 8, spv::Scope::Device,
                 [&](uint64_t old) {
                     return numbers::encodeDouble(number,
                                                  numbers::decodeDouble(number, old) + addend);
                 });
}

// Operands: Pointer, Offset, A, B, MemoryLayout, MatrixInterpretation, MatrixStride.
Step accumulateOuterProduct(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 2), b = s.operand(i, 3);
    const auto constant = [&](uint32_t operand) {
        return uint32_t(s.program->constantAt(i[operand].slot));
    };
    auto matrix = vectorMatrix(constant(5), constant(4), a.components(), b.components(), 0);
    if (!matrix) return Step::kStop;
    const Number components = numberOf(*a.type->element);
    s.mask.forEach([&](uint32_t lane) {
        if (i.operands.size() > 6) matrix->stride = s.operand(i, 6).at(0, lane);
        const Pointer pointer = pointerAndOffset(s, i, 0, lane);
        for (uint32_t row = 0; row < matrix->rows; ++row) {
            for (uint32_t column = 0; column < matrix->columns; ++column) {
                const double product = numbers::decodeDouble(components, a.at(row, lane)) *
                                       numbers::decodeDouble(components, b.at(column, lane));
                const uint64_t rounded = numbers::encodeDouble(matrix->number, product);
                addTo(s, i, lane, pointer, matrix->offset(row, column), matrix->number,
                      numbers::decodeDouble(matrix->number, rounded),
                      a.isDefined(row, lane) && b.isDefined(column, lane));
            }
        }
    });
    return Step::kNext;
}

// Operands: Pointer, Offset, V.
Step accumulateSum(Subgroup& s, const Instruction& i) {
    const Value v = s.operand(i, 2);
    const Number number = numberOf(*v.type->element);
    s.mask.forEach([&](uint32_t lane) {
        const Pointer pointer = pointerAndOffset(s, i, 0, lane);
        for (uint32_t c = 0; c < v.components(); ++c) {
            addTo(s, i, lane, pointer, uint64_t(c) * v.type->element->width / 8, number,
                  numbers::decodeDouble(number, v.at(c, lane)), v.isDefined(c, lane));
        }
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(OpCooperativeVectorLoadNV, access<false>),
    row(OpCooperativeVectorStoreNV, access<true>),
    row(OpCooperativeVectorMatrixMulNV, product, Defined::kHandler, prepareProduct),
    row(OpCooperativeVectorMatrixMulAddNV, product, Defined::kHandler, prepareProduct),
    row(OpCooperativeVectorOuterProductAccumulateNV, accumulateOuterProduct),
    row(OpCooperativeVectorReduceSumAccumulateNV, accumulateSum),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::vectorRows() { return matrices::kRows; }
