// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector, training: outer products and sums that are added to memory.
#include "execution/opcode_table.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/vector_matrix.hpp"
#include "matrices/vector_product.hpp"
#include "memory/atomics.hpp"

namespace coopvk::reference::matrices {
namespace {

// "behaves as if it were a Relaxed atomic add with Device scope".
struct Accumulator {
    Subgroup& s;
    const Instruction& i;
    Number number;

    void add(uint32_t lane, const Pointer& pointer, uint64_t offset, const Element& addend) const {
        const uint32_t size = numbers::format(number).bits / 8;
        if (!addend.defined)
            s.report(kCheckUndefined, i, lane, "adds an undefined value to memory");
        const double value = numbers::decodeDouble(number, addend.bits);
        atomicMemory(s, i, lane, pointer, offset, size, spv::Scope::Device, [&](uint64_t old) {
            return numbers::encodeDouble(number, numbers::decodeDouble(number, old) + value);
        });
    }
};

Pointer pointerBehind(const Subgroup& s, const Instruction& i, uint32_t lane) {
    Pointer at = pointerAt(s.operand(i, 0), lane);
    at.offset += s.operand(i, 1).at(0, lane);
    return at;
}

// Operands: Pointer, Offset, A, B, MemoryLayout, MatrixInterpretation, MatrixStride.
Step outerProducts(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 2), b = s.operand(i, 3);
    const auto constant = [&](uint32_t operand) {
        return uint32_t(s.program->constantAt(i[operand].slot));
    };
    const auto matrix = vectorMatrix(constant(5), constant(4), a.components(), b.components(), 0);
    if (!matrix) return Step::kStop;
    const Number components = numberOf(*a.type->element);
    const Accumulator accumulator{s, i, matrix->number};
    s.mask.forEach([&](uint32_t lane) {
        VectorMatrix own = *matrix;
        if (i.operands.size() > 6) own.stride = s.operand(i, 6).at(0, lane);
        const Pointer pointer = pointerBehind(s, i, lane);
        for (uint32_t row = 0; row < own.rows; ++row) {
            for (uint32_t column = 0; column < own.columns; ++column) {
                const uint64_t product =
                    outerProduct(components, a.at(row, lane), b.at(column, lane), own.number);
                accumulator.add(lane, pointer, own.offset(row, column),
                                {product, a.isDefined(row, lane) && b.isDefined(column, lane)});
            }
        }
    });
    return Step::kNext;
}

// Operands: Pointer, Offset, V.
Step sums(Subgroup& s, const Instruction& i) {
    const Value v = s.operand(i, 2);
    const Accumulator accumulator{s, i, numberOf(*v.type->element)};
    const uint32_t size = v.type->element->width / 8;
    s.mask.forEach([&](uint32_t lane) {
        const Pointer pointer = pointerBehind(s, i, lane);
        for (uint32_t c = 0; c < v.components(); ++c) {
            accumulator.add(lane, pointer, uint64_t(c) * size,
                            {v.at(c, lane), v.isDefined(c, lane)});
        }
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeVectorOuterProductAccumulateNV, outerProducts),
    row(spv::Op::OpCooperativeVectorReduceSumAccumulateNV, sums),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::trainingRows() { return matrices::kRows; }
