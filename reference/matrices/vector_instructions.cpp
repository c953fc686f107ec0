// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector: loads, stores and products. Each invocation has vectors of its own.
#include "execution/opcode_table.hpp"
#include "matrices/element_memory.hpp"
#include "matrices/vector_matrix.hpp"
#include "matrices/vector_product.hpp"

namespace coopvk::reference::matrices {
namespace {

using Operands = spv::CooperativeMatrixOperandsMask;

// A pointer and an offset in bytes behind it.
Pointer pointerBehind(const Subgroup& s, const Instruction& i, uint32_t pointer, uint32_t offset,
                      uint32_t lane) {
    Pointer at = pointerAt(s.operand(i, pointer), lane);
    at.offset += s.operand(i, offset).at(0, lane);
    return at;
}

Step load(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const uint32_t bits = i.type->element->width;
    const Access access = accessOf(*s.program, i, 2);
    forLanes(s, [&](uint32_t lane) {
        const ElementMemory memory{i, pointerBehind(s, i, 0, 1, lane), access, bits};
        for (uint32_t c = 0; c < result.components(); ++c) {
            const Element element = memory.read(s, lane, uint64_t(c) * bits);
            result.at(c, lane) = element.bits;
            result.defined[c].assign(lane, element.defined);
        }
    });
    return Step::kNext;
}

Step store(Subgroup& s, const Instruction& i) {
    const Value object = s.operand(i, 2);
    const uint32_t bits = object.type->element->width;
    const Access access = accessOf(*s.program, i, 3);
    forLanes(s, [&](uint32_t lane) {
        const ElementMemory memory{i, pointerBehind(s, i, 0, 1, lane), access, bits};
        for (uint32_t c = 0; c < object.components(); ++c) {
            memory.write(s, lane, uint64_t(c) * bits,
                         {object.at(c, lane), object.isDefined(c, lane)});
        }
    });
    return Step::kNext;
}

// The constant operands of OpCooperativeVectorMatrixMulNV and MulAddNV, once for each program.
struct ProductPlan final : Prepared {
    VectorFormats formats;
    Number result = Number::f32;
    VectorMatrix matrix;  // as it lies in memory
    uint32_t m = 0, k = 0;
    bool transpose = false;
    bool hasBias = false;
    uint32_t strideOperand = 0;  // 0: no operand
};

constexpr uint32_t kSigned8Packed = 1000491000;
constexpr uint32_t kUnsigned8Packed = 1000491001;

bool isPacked(uint32_t componentType) {
    return componentType == kSigned8Packed || componentType == kUnsigned8Packed;
}

Error unknown(const char* what, uint32_t value) {
    return {ErrorCode::kUnsupported, std::string("OpCooperativeVectorMatrixMulNV: unknown ") +
                                         what + " " + std::to_string(value)};
}

Status prepareProduct(const Program& program, Instruction& i) {
    auto plan = std::make_shared<ProductPlan>();
    plan->hasBias = i.opcode == spv::Op::OpCooperativeVectorMatrixMulAddNV;
    const uint32_t next = plan->hasBias ? 8 : 5;  // M, K, MemoryLayout, Transpose, MatrixStride
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
    if (!interpretation) return unknown("InputInterpretation", constant(1));
    if (!matrix) return unknown("MatrixInterpretation or MemoryLayout", constant(4));
    plan->matrix = *matrix;
    const Type& input = *program.slots[i[0].slot].type->element;
    plan->formats = {numberOf(input, has(Operands::MatrixBSignedComponentsKHR)), *interpretation,
                     isPacked(constant(1)), matrix->number, Number::f32};
    plan->result = numberOf(*i.type->element, has(Operands::MatrixResultSignedComponentsKHR));
    if (plan->hasBias) {
        const auto bias = numbers::byVulkanType(constant(7));
        if (!bias) return unknown("BiasInterpretation", constant(7));
        plan->formats.bias = *bias;
    }
    i.prepared = std::move(plan);
    return Done{};
}

// The matrix that invocations multiply by: M rows of K elements. Invocations often have the same
// one, which is then read once.
class Weights {
 public:
    Weights(Subgroup& s, const Instruction& i, const ProductPlan& plan)
        : s_(s), i_(i), plan_(plan), matrix_(plan.matrix) {}

    const std::vector<Element>& at(uint32_t lane) {
        const Pointer pointer = pointerBehind(s_, i_, 2, 3, lane);
        const uint64_t stride =
            plan_.strideOperand != 0 ? s_.operand(i_, plan_.strideOperand).at(0, lane) : 0;
        if (!elements_.empty() && pointer.base == pointer_.base &&
            pointer.offset == pointer_.offset && stride == matrix_.stride) {
            return elements_;
        }
        pointer_ = pointer;
        matrix_.stride = stride;
        elements_.clear();
        const ElementMemory memory{i_, pointer, {}, uint32_t(matrix_.elementSize()) * 8};
        for (uint32_t m = 0; m < plan_.m; ++m) {
            for (uint32_t k = 0; k < plan_.k; ++k) {
                const uint64_t offset =
                    plan_.transpose ? matrix_.offset(k, m) : matrix_.offset(m, k);
                elements_.push_back(memory.read(s_, lane, offset * 8));
            }
        }
        return elements_;
    }

 private:
    Subgroup& s_;
    const Instruction& i_;
    const ProductPlan& plan_;
    VectorMatrix matrix_;
    Pointer pointer_;
    std::vector<Element> elements_;
};

Step product(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const ProductPlan&>(*i.prepared);
    const Value result = s.result(i);
    SumRule rule = sumRule(s, plan.result);
    Weights weights(s, i, plan);
    forLanes(s, [&](uint32_t lane) {
        const auto input =
            interpretInput(componentsAt(s.operand(i, 0), lane), plan.formats, plan.k);
        const std::span<const Element> elements = weights.at(lane);
        std::optional<ElementMemory> biases;
        const uint32_t biasBits = numbers::format(plan.formats.bias).bits;
        if (plan.hasBias) biases.emplace(i, pointerBehind(s, i, 5, 6, lane), Access{}, biasBits);
        for (uint32_t m = 0; m < plan.m && m < result.components(); ++m) {
            std::optional<Element> bias;
            if (biases) bias = biases->read(s, lane, uint64_t(m) * biasBits);
            rule.seed = seedOf(s, i) + m;
            const Element sum = rowProduct(elements.subspan(size_t(m) * plan.k, plan.k), input,
                                           bias, plan.formats, rule);
            result.at(m, lane) = sum.bits;
            result.defined[m].assign(lane, sum.defined);
        }
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeVectorLoadNV, load),
    row(spv::Op::OpCooperativeVectorStoreNV, store),
    row(spv::Op::OpCooperativeVectorMatrixMulNV, product, Defined::kHandler, prepareProduct),
    row(spv::Op::OpCooperativeVectorMatrixMulAddNV, product, Defined::kHandler, prepareProduct),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::vectorRows() { return matrices::kRows; }
