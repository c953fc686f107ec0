// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats on their way through shared memory (small_floats.hpp).
#pragma once

#include "ir/memory_model.hpp"
#include "lowering/number_memory.hpp"
#include "lowering/shared_memory.hpp"
#include "matrix/matrix_types.hpp"
#include "native/staging.hpp"
#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

struct HalvesContext : SmallFloatContext {
    HalvesContext(TypeTable& theTypes, const Target& theTarget, uint32_t subgroups)
        : SmallFloatContext(theTypes, theTarget), staging(*this, subgroups) {}

    Staging staging;

    // The type of the driver's matrices that hold those of a type; the type itself if it has no
    // 8-bit floats.
    Id held(Id matrix) {
        if (!isMatrix(matrix)) return matrix;
        Operands operands = module.def(matrix).operands;
        operands[0] = idOperand(types.floatType(16));
        return types.matrixType(std::move(operands));
    }
    // The type of the elements of a matrix type, as they are held.
    Id elementOf(Id matrix) { return heldType(types, module.def(matrix).word(0)); }
};

struct HalvesFunction : FunctionLowering<HalvesContext> {
    using FunctionLowering::FunctionLowering;
};

// A matrix in shared memory, its lines one after the other. Each invocation accesses units of
// neighbours in a line. Barriers follow all accesses.
class StagedElements {
 public:
    StagedElements(HalvesFunction& f, Id matrixType, bool columnMajor)
        : f_(f), emit_(f.emit()), type_(matrixType), columnMajor_(columnMajor) {
        const MatrixDimensions d =
            *matrixDimensions(f.context.module, f.context.module.def(matrixType));
        lines_ = columnMajor ? d.columns : d.rows;
        length_ = columnMajor ? d.rows : d.columns;
        element_ = f.context.elementOf(matrixType);
    }

    uint32_t length() const { return length_; }
    Id element() const { return element_; }

    void writeAll(Id value) {
        Operands operands = {idOperand(at(emit_.constant(0))), idOperand(value)};
        append(operands, access());
        emit_.opVoid(spv::Op::OpCooperativeMatrixStoreKHR, std::move(operands));
        barrier();
    }
    void readAll(Id result) {
        barrier();
        Operands operands = {idOperand(at(emit_.constant(0)))};
        append(operands, access());
        emit_.op(spv::Op::OpCooperativeMatrixLoadKHR, type_, std::move(operands), result);
        barrier();
    }
    // Visits this invocation's units of `size` elements: visit(line, inner, first), each a u32: the
    // first element's line, its place in the line, and its place in shared memory.
    template <typename Visit>
    void eachUnit(uint32_t size, Visit visit) {
        const uint32_t units = lines_ * length_ / size;
        const uint32_t lanes = f_.context.target.subgroupSize;
        for (uint32_t first = 0; first < units; first += lanes) {
            const Id unit = emit_.plus(f_.writer.lane(), first);
            const Id inside = first + lanes <= units ? 0
                                                     : emit_.compare(spv::Op::OpULessThan, unit,
                                                                     emit_.constant(units));
            f_.writer.guarded(inside, [&] {
                const Id line = emit_.over(unit, length_ / size);
                visit(line, emit_.times(emit_.modulo(unit, length_ / size), size),
                      emit_.times(unit, size));
            });
        }
    }
    void write(Id first, std::span<const Slot> elements) {
        for (uint32_t i = 0; i < elements.size(); ++i) {
            emit_.store(at(emit_.plus(first, i)), scalarOf(emit_, element_, elements[i]),
                        nonPrivateAccess(f_.context.module));
        }
    }
    std::vector<Slot> read(Id first, uint32_t count) {
        std::vector<Slot> elements;
        for (uint32_t i = 0; i < count; ++i) {
            elements.push_back({emit_.load(element_, at(emit_.plus(first, i)),
                                           nonPrivateAccess(f_.context.module)),
                                0});
        }
        return elements;
    }
    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

 private:
    Id at(Id index) { return f_.context.staging.at(emit_, element_, index); }
    Operands access() {
        Operands operands = {idOperand(emit_.constant(columnMajor_ ? 1 : 0)),
                             idOperand(emit_.constant(length_))};
        append(operands, nonPrivateAccess(f_.context.module));
        return operands;
    }

    HalvesFunction& f_;
    Emitter& emit_;
    Id type_, element_ = 0;
    bool columnMajor_;
    uint32_t lines_ = 0, length_ = 0;
};

}  // namespace coopvk::rewrite
