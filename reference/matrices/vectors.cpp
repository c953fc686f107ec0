// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector: loads, stores, products, and training. Each invocation has vectors of
// its own.
#include <cstring>

#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {

std::optional<VectorMatrix> vectorMatrix(uint32_t componentType, uint32_t layout, uint32_t rows,
                                         uint32_t columns, uint64_t stride) {
    const std::optional<Number> number = numbers::byVulkanType(componentType);
    if (!number || numbers::format(*number).bits % 8 != 0 ||
        layout > uint32_t(VectorLayout::trainingOptimal)) {
        return std::nullopt;
    }
    return VectorMatrix{*number, VectorLayout(layout), rows, columns, stride};
}

bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination) {
    const bool floats =
        numbers::format(from.number).floating() && numbers::format(to.number).floating();
    if (from.rows != to.rows || from.columns != to.columns) return false;
    if (from.number != to.number && !floats) return false;
    const numbers::Conversion conversion(from.number, to.number, numbers::conversionRule(false));
    for (uint32_t row = 0; row < from.rows; ++row) {
        for (uint32_t column = 0; column < from.columns; ++column) {
            uint64_t bits = 0;
            std::memcpy(&bits, source.data() + from.offset(row, column), from.elementSize());
            bits = conversion(bits).bits;
            std::memcpy(destination.data() + to.offset(row, column), &bits, to.elementSize());
        }
    }
    return true;
}

std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to) {
    std::vector<Element> result;
    const size_t joined = from < to ? to / from : 1;
    for (size_t first = 0; first + joined <= elements.size(); first += joined) {
        Element whole = kUndefined;
        for (size_t i = 0; i < joined; ++i) {
            whole.bits |= elements[first + i].bits << (i * from);
            whole.defined |= elements[first + i].defined;
        }
        for (uint32_t bit = 0; bit < joined * from; bit += to)
            result.push_back({whole.bits >> bit & numbers::lowBits(to), whole.defined});
    }
    return result;
}

std::vector<Element> interpretInput(std::span<const Element> input, Number from,
                                    Number interpretation, bool packed, uint32_t k) {
    std::vector<Element> result;
    if (packed) {
        result = regroup(input, numbers::format(from).bits, numbers::format(interpretation).bits);
    } else {
        const numbers::Conversion conversion(from, interpretation, numbers::inputRule());
        for (const Element& element : input)
            result.push_back({conversion(element.bits).bits, element.defined});
    }
    result.resize(k, Element{0, false});
    return result;
}

namespace {

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
        const Numbers memory{i, pointerAndOffset(s, i, 0, lane), access};
        for (uint32_t c = 0; c < vector.components(); ++c)
            if constexpr (kStores)
                memory.write(s, lane, uint64_t(c) * bits, bits, vector.get(c, lane));
            else
                vector.set(c, lane, memory.read(s, lane, uint64_t(c) * bits, bits));
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

Status prepareProduct(Program& program, Instruction& i) {
    using Operands = spv::CooperativeMatrixOperandsMask;
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
    plan->packed =
        constant(1) == numbers::kSigned8Packed || constant(1) == numbers::kUnsigned8Packed;
    plan->matrix = *matrix;
    plan->input = numberOf(*program.slots[i[0].slot].type->element,
                           has(Operands::MatrixBSignedComponentsKHR));
    plan->result = numberOf(*i.type->element, has(Operands::MatrixResultSignedComponentsKHR));
    i.prepared = std::move(plan);
    return Done{};
}

// Operands: Input, InputInterpretation, Matrix, MatrixOffset, MatrixInterpretation, Bias,
// BiasOffset, BiasInterpretation. Invocations often have the same matrix, which is then read once.
Step product(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const ProductPlan&>(*i.prepared);
    const Number biasNumber = plan.bias.value_or(plan.result);
    const uint32_t biasBits = numbers::format(biasNumber).bits;
    const SumRule rule = sumRule(s, i, plan.result);
    VectorMatrix place = plan.matrix;
    std::optional<Matrix> weights;  // M rows of K elements
    Pointer pointer;
    forLanes(s, [&](uint32_t lane) {
        const Pointer at = pointerAndOffset(s, i, 2, lane);
        const uint64_t stride =
            plan.strideOperand != 0 ? s.operand(i, plan.strideOperand).at(0, lane) : 0;
        if (!weights || at.base != pointer.base || at.offset != pointer.offset ||
            place.stride != stride) {
            pointer = at;
            place.stride = stride;
            weights.emplace(place.number, plan.m, plan.k, [&](uint32_t m, uint32_t k) {
                const uint64_t byte = plan.transpose ? place.offset(k, m) : place.offset(m, k);
                return Numbers{i, at}.read(s, lane, byte * 8, uint32_t(place.elementSize()) * 8);
            });
        }
        const auto input = interpretInput(elementsAt(s.operand(i, 0), lane), plan.input,
                                          plan.interpretation, plan.packed, plan.k);
        const Matrix column(plan.interpretation, plan.k, 1,
                            [&](uint32_t k, uint32_t) { return input[k]; });
        const Matrix bias(biasNumber, plan.m, 1, [&](uint32_t m, uint32_t) {
            if (!plan.bias) return Element{};
            const Numbers memory{i, pointerAndOffset(s, i, 5, lane)};
            return memory.read(s, lane, uint64_t(m) * biasBits, biasBits);
        });
        setElements(s.result(i), lane, multiplyAdd(*weights, column, bias, rule).elements);
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

constexpr OpcodeRow kVectorRows[] = {
    row(OpCooperativeVectorLoadNV, access<false>),
    row(OpCooperativeVectorStoreNV, access<true>),
    row(OpCooperativeVectorMatrixMulNV, product, Defined::kHandler, prepareProduct),
    row(OpCooperativeVectorMatrixMulAddNV, product, Defined::kHandler, prepareProduct),
    row(OpCooperativeVectorOuterProductAccumulateNV, accumulateOuterProduct),
    row(OpCooperativeVectorReduceSumAccumulateNV, accumulateSum),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::vectorRows() { return matrices::kVectorRows; }
