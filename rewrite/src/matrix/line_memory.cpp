// SPDX-License-Identifier: Apache-2.0
#include "matrix/line_memory.hpp"

#include <algorithm>

#include "ir/memory_model.hpp"
#include "ir/workgroup_size.hpp"
#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMaxShuffled = 8;  // elements of a line

// Elements from one line to the next: odd, so that lanes access different banks of shared memory.
uint32_t strideOf(const MatrixLines& lines) { return lines.length | 1u; }

uint64_t elementsOf(const MatrixContext& context, const MatrixLines& lines) {
    const uint32_t lanes = context.target.subgroupSize;
    return uint64_t{subgroupsOf(context.module, lanes)} * lanes * strideOf(lines);
}

std::vector<uint32_t> keyOf(const MatrixLines& lines, Id component) {
    return {static_cast<uint32_t>(spv::Op::OpCompositeConstructCoopMatQCOM), component,
            strideOf(lines)};
}

class LineMemory {
 public:
    LineMemory(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
               const MatrixLines& lines)
        : context_(context), writer_(writer), matrix_(matrix), lines_(lines) {
        memory_ = variable();
        first_ = firstLine();
    }

    void put(Id place, const Slot& slot) {
        const Id value = scalarOf(emit_, matrix_.component, slot);
        emit_.store(pointer(place), value, nonPrivateAccess(context_.module));
    }
    Slot get(Id place) {
        return {emit_.load(matrix_.component, pointer(place), nonPrivateAccess(context_.module)),
                0};
    }

    // The places (u32) of a line's first element, and of an element that this lane holds.
    Id start(Id line) { return emit_.times(emit_.addU32(first_, line), strideOf(lines_)); }
    Id placeOf(uint32_t localRow, uint32_t localColumn) {
        const Id row = writer_.rowOf(matrix_, localRow);
        const Id column = writer_.columnOf(matrix_, localColumn);
        return emit_.addU32(start(lines_.areColumns ? column : row),
                            lines_.areColumns ? row : column);
    }

    void barrier() { sharedBarrier(emit_, spv::Scope::Subgroup); }

 private:
    Id pointer(Id place) { return emit_.chain(matrix_.component, {memory_, place}); }

    Id variable() {
        Id& memory = context_.helpers[keyOf(lines_, matrix_.component)];
        if (memory != 0) return memory;
        const auto count = static_cast<uint32_t>(elementsOf(context_, lines_));
        const Id array = types_.arrayType(matrix_.component, count);
        return memory = globalVariable(types_, spv::StorageClass::Workgroup, array, "coopvk_lines");
    }

    // The number of the subgroup's first line in the variable.
    Id firstLine() { return emit_.times(readSubgroup(emit_), context_.target.subgroupSize); }

    MatrixContext& context_;
    MatrixWriter& writer_;
    const MatrixType& matrix_;
    const MatrixLines& lines_;
    TypeTable& types_ = context_.types;
    Emitter& emit_ = writer_.emit();
    Id memory_ = 0;
    Id first_ = 0;
};

}  // namespace

bool usesLineMemory(const MatrixContext& context, const MatrixLines& lines, Id component) {
    const DeviceTraits& device = context.target.device;
    const bool slowShuffles =
        !device.isCpu && (device.scalarRegisters || context.target.subgroupSize >= 64);
    if (!slowShuffles || lines.length <= kMaxShuffled ||
        !context.module.hasCapability(spv::Capability::VulkanMemoryModel)) {
        return false;
    }
    if (context.helpers.contains(keyOf(lines, component))) return true;
    const uint64_t bytes = elementsOf(context, lines) * context.types.width(component) / 8;
    return bytes != 0 &&
           sharedMemoryHasRoom(context.module, bytes + workgroupMemoryBytes(context), device);
}

void constructThroughMemory(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
                            const MatrixLines& lines, std::span<const Slot> line, Id result) {
    LineMemory memory(context, writer, matrix, lines);
    const Id start = memory.start(writer.lane());
    for (uint32_t x = 0; x < lines.length; ++x) memory.put(writer.emit().plus(start, x), line[x]);
    memory.barrier();
    HeldElements held(matrix);
    held.each([&](uint32_t row, uint32_t column, Slot& slot) {
        slot = memory.get(memory.placeOf(row, column));
    });
    memory.barrier();
    held.construct(matrix, writer.emit(), result);
}

std::vector<Slot> extractThroughMemory(MatrixContext& context, MatrixWriter& writer,
                                       const MatrixType& matrix, const MatrixLines& lines,
                                       Id value) {
    LineMemory memory(context, writer, matrix, lines);
    Emitter& emit = writer.emit();
    HeldElements held(matrix, emit, value);
    writer.guarded(writer.isNoDuplicate(matrix), [&] {
        held.each([&](uint32_t row, uint32_t column, const Slot& slot) {
            memory.put(memory.placeOf(row, column), slot);
        });
    });
    memory.barrier();
    const Id start = memory.start(emit.modulo(writer.lane(), lines.count));
    std::vector<Slot> elements;
    for (uint32_t x = 0; x < lines.length; ++x) elements.push_back(memory.get(emit.plus(start, x)));
    memory.barrier();
    return elements;
}

}  // namespace coopvk::rewrite
