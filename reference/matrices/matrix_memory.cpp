// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of matrices by layout and stride.
#include "execution/opcode_table.hpp"
#include "matrices/element_memory.hpp"

namespace coopvk::reference::matrices {
namespace {

// Where elements lie: SPV_KHR_cooperative_matrix, "Cooperative Matrix Layout".
struct Lines {
    bool columnMajor = false;
    int64_t stride = 0;  // bytes between lines
    uint32_t bits = 8;   // of an element

    uint64_t bitOffset(uint32_t row, uint32_t column) const {
        const int64_t line = columnMajor ? column : row;
        const uint64_t place = columnMajor ? row : column;
        return uint64_t(line * stride) * 8 + place * bits;
    }
};

// Bytes of what a stride counts: the pointee; for untyped pointers (SPV_KHR_untyped_pointers)
// bytes.
int64_t strideUnit(const Subgroup& s, uint32_t slot) {
    const Pointee& pointee = s.program->slots[slot].pointee;
    const Type& pointer = *s.value(slot).type;
    const Type* type = pointee.type != nullptr ? pointee.type : pointer.element;
    if (pointer.untyped || type == nullptr) return 1;
    while (type->kind == Kind::kArray || type->kind == Kind::kRuntimeArray) type = type->element;
    return int64_t(sizeOf({type}));
}

// Operands of the KHR instructions behind the pointer (and object): layout, stride, memory
// operands; of the NV ones: stride, whether columns are contiguous, memory operands.
struct Form {
    uint32_t layout, stride, memory;
};
constexpr Form kLoadKhr{1, 2, 3}, kStoreKhr{2, 3, 4}, kLoadNv{2, 1, 3}, kStoreNv{3, 2, 4};

Lines linesOf(Subgroup& s, const Instruction& i, const Form& form, const Type& matrix) {
    Lines lines;
    lines.bits = matrix.element->width;
    lines.columnMajor = uniformInteger(s, i, form.layout) != 0;
    if (i.operands.size() > form.stride) {
        lines.stride = uniformInteger(s, i, form.stride) * strideUnit(s, i[0].slot);
    }
    return lines;
}

template <const Form& kForm>
Step load(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Lines lines = linesOf(s, i, kForm, *i.type);
    const ElementMemory memory{i, uniformPointer(s, i, 0), accessOf(*s.program, i, kForm.memory),
                               lines.bits};
    const Value result = s.result(i);
    clear(s, i.result);
    forElements(s, *i.type, [&](uint32_t lane, uint32_t c, uint32_t row, uint32_t column) {
        const Element element = memory.read(s, lane, lines.bitOffset(row, column));
        result.at(c, lane) = element.bits;
        result.defined[c].assign(lane, element.defined);
    });
    return Step::kNext;
}

template <const Form& kForm>
Step store(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Value object = s.operand(i, 1);
    const Lines lines = linesOf(s, i, kForm, *object.type);
    const ElementMemory memory{i, uniformPointer(s, i, 0), accessOf(*s.program, i, kForm.memory),
                               lines.bits};
    forElements(s, *object.type, [&](uint32_t lane, uint32_t c, uint32_t row, uint32_t column) {
        memory.write(s, lane, lines.bitOffset(row, column),
                     {object.at(c, lane), object.isDefined(c, lane)});
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeMatrixLoadKHR, load<kLoadKhr>),
    row(spv::Op::OpCooperativeMatrixStoreKHR, store<kStoreKhr>),
    row(spv::Op::OpCooperativeMatrixLoadNV, load<kLoadNv>),
    row(spv::Op::OpCooperativeMatrixStoreNV, store<kStoreNv>),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::matrixMemoryRows() { return matrices::kRows; }
