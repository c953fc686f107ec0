// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadKHR.
#include <algorithm>

#include "lowering/number_memory.hpp"
#include "matrix/instructions.hpp"
#include "matrix/memory_access.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// Whole runs, whose memory scalars are reinterpreted as components.
void loadRuns(MatrixWriter& writer, MatrixMemory& memory, const MatrixType& matrix,
              HeldElements& elements) {
    memory.eachRun([&](uint32_t outer, uint32_t first) {
        const std::vector<Slot> components =
            unpackComponents(writer.emit(), *matrix.number, memory.loadRun(outer, first),
                             memory.memoryScalar(), matrix.component);
        for (uint32_t i = 0; i < memory.inner().run(); ++i) {
            elements.at(memory.outerDimension(), outer, first + i) = components[i];
        }
    });
}

// One component at a time, where runs begin or end inside a memory scalar.
void loadComponents(MatrixWriter& writer, MatrixMemory& memory, const MatrixType& matrix,
                    HeldElements& elements) {
    Emitter& emit = writer.emit();
    const uint32_t parts = memory.memoryBits() / memory.componentBits();
    const Axis& inner = memory.inner();
    for (uint32_t outer = 0; outer < memory.outer().count(); ++outer) {
        for (uint32_t local = 0; local < inner.count(); ++local) {
            Id element = emit.constant(inner.base(local));
            if (const Id lane = memory.innerLane(); lane != 0) {
                element = emit.addU32(emit.times(lane, inner.block), element);
            }
            LinePosition position;
            position.lane = emit.over(element, parts);
            position.laneFactor = 1;
            const Id scalar = memory.load(outer, position, 1)[0].value;
            const Id index = emit.modulo(element, parts);
            elements.at(memory.outerDimension(), outer, local) =
                pickComponent(emit, *matrix.number, scalar, index, matrix.component);
        }
    }
}

// Whole words, which lie in memory as the matrix holds them.
void loadWords(Emitter& emit, MatrixMemory& memory, const MatrixType& matrix, Id result) {
    const Fragment& f = matrix.fragment;
    std::vector<Id> packs(f.packs());
    memory.eachRun([&](uint32_t outer, uint32_t first) {
        const std::vector<Id> words =
            toWords(emit, memory.loadRun(outer, first), memory.memoryScalar());
        for (uint32_t w = 0; w < words.size(); ++w) {
            const uint32_t inner = first + w * f.packWidth;
            packs[memory.rowMajor() ? f.packOf(outer, inner) : f.packOf(inner, outer)] = words[w];
        }
    });
    constructFromPacks(emit, matrix, packs, result);
}

// Makes words of components that were loaded one by one.
void constructWords(Emitter& emit, const MatrixType& matrix, HeldElements& elements, Id result) {
    const Fragment& f = matrix.fragment;
    const Id u32 = emit.types().uint32();
    std::vector<std::vector<Slot>> packs(f.packs(), std::vector<Slot>(f.packWidth));
    elements.each([&](uint32_t row, uint32_t column, const Slot& slot) {
        packs[f.packOf(row, column)][f.componentOf(row, column)] = slot;
    });
    std::vector<Id> words;
    for (const std::vector<Slot>& pack : packs) {
        const Slot word = packComponents(emit, *matrix.number, pack, matrix.component, u32)[0];
        words.push_back(scalarOf(emit, u32, word));
    }
    constructFromPacks(emit, matrix, words, result);
}

}  // namespace

void lowerMatrixLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load) {
    const MatrixType* matrix = context.matrix(load.type);
    if (matrix == nullptr) {
        context.fail(ErrorCode::kInvalidModule, load, "Result Type is not a cooperative matrix");
        return;
    }
    MatrixMemory memory(
        context, writer, load, *matrix, load.word(0),
        std::span(load.operands).subspan(std::min<size_t>(1, load.operands.size())));
    if (!memory.valid()) return;
    const bool alongPacks = memory.rowMajor() == (matrix->fragment.packAxis == PackAxis::kColumns);
    if (matrix->words && memory.isDirect() && alongPacks) {
        loadWords(writer.emit(), memory, *matrix, load.result);
        return;
    }
    HeldElements elements(*matrix);
    if (memory.isDirect())
        loadRuns(writer, memory, *matrix, elements);
    else
        loadComponents(writer, memory, *matrix, elements);
    if (matrix->words)
        constructWords(writer.emit(), *matrix, elements, load.result);
    else
        elements.construct(*matrix, writer.emit(), load.result);
}

}  // namespace coopvk::rewrite
