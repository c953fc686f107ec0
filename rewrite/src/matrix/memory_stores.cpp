// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixStoreKHR.
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/memory_access.hpp"

namespace coopvk::rewrite {

namespace {

void storeRuns(MatrixWriter& writer, MatrixMemory& memory, const MatrixType& matrix,
               HeldElements& elements) {
    memory.eachRun([&](uint32_t outer, uint32_t first) {
        std::vector<Slot> components;
        for (uint32_t i = 0; i < memory.inner().neighbours(); ++i) {
            components.push_back(elements.at(memory.outerDimension(), outer, first + i));
        }
        const std::vector<Slot> scalars = packComponents(writer.emit(), *matrix.number, components,
                                                         matrix.component, memory.memoryScalar());
        memory.store(outer, memory.runPosition(first), scalars);
    });
}

// Stores where several lanes hold components of one memory scalar: each lane shuffles the
// components of its lines together, and the first lane of each line stores whole memory scalars.
class SharedScalarStore : private MatrixCode {
 public:
    SharedScalarStore(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
                      const MatrixType& matrix, HeldElements& elements)
        : MatrixCode(context, writer), memory_(memory), matrix_(matrix), elements_(elements) {}

    void run(const Instruction& at) {
        if (matrix_.fragment.scope == LaneScope::kWorkgroup) {
            return context_.unsupported(
                at,
                "four neighbours of a matrix of scope Workgroup are narrower than the "
                "scalars that Pointer points to");
        }
        const bool shuffles = memory_.inner().lanes > 1;
        if (shuffles && !requireShuffles(context_, at)) return;
        if (shuffles) context_.module.addCapability(spv::Capability::GroupNonUniformShuffle);
        // Outside of control flow, since all lanes take part in shuffles.
        std::vector<std::vector<Scalar>> lines;
        for (uint32_t outer = 0; outer < memory_.outer().count(); ++outer) {
            lines.push_back(assembleLine(outer));
        }
        const uint32_t rowLanes = memory_.rowMajor() ? memory_.outer().lanes : 1;
        const uint32_t columnLanes = memory_.rowMajor() ? 1 : memory_.outer().lanes;
        const Condition leader =
            writer_.position(LaneScope::kSubgroup).isNoDuplicate(emit_, rowLanes, columnLanes);
        writer_.when(leader, [&] {
            for (uint32_t outer = 0; outer < lines.size(); ++outer) writeLine(outer, lines[outer]);
        });
    }

 private:
    // One memory scalar as words of 32 bits, and the bits of these that are the matrix's.
    struct Scalar {
        std::vector<Id> words;
        std::vector<uint32_t> masks;
    };

    Id fromLane(Id word, uint32_t innerLane) {
        if (memory_.inner().lanes == 1) return word;
        const uint32_t columns = context_.policy.grid.columns;
        const Id line = writer_.position(LaneScope::kSubgroup).coordinate(memory_.outerDimension());
        const Id lane = memory_.rowMajor() ? emit_.plus(emit_.times(line, columns), innerLane)
                                           : emit_.plus(line, innerLane * columns);
        return emit_.op(OpGroupNonUniformShuffle, emit_.types().uint32(),
                        {emit_.scope(spv::Scope::Subgroup), word, lane});
    }

    std::vector<Scalar> assembleLine(uint32_t outer) {
        const Axis& inner = memory_.inner();
        const uint32_t bits = memory_.componentBits();
        const uint32_t parts = memory_.memoryBits() / bits;
        std::vector<Scalar> line;
        for (uint32_t first = 0; first < inner.size; first += parts) {
            Scalar scalar;
            scalar.words.assign((memory_.memoryBytes() + 3) / 4, emit_.constant(0));
            scalar.masks.assign(scalar.words.size(), 0);
            for (uint32_t x = first; x < std::min(first + parts, inner.size); ++x) {
                const Slot& element =
                    elements_.at(memory_.outerDimension(), outer, inner.localOf(x));
                const Id word =
                    fromLane(componentBits(emit_, *matrix_.number, element, matrix_.component),
                             inner.laneOf(x));
                const uint32_t position = (x - first) * bits;
                Id& target = scalar.words[position / 32];
                const bool isFirst = scalar.masks[position / 32] == 0;
                const auto before = isFirst ? std::nullopt : std::optional(target);
                target = withPart(emit_, before, word, position % 32);
                scalar.masks[position / 32] |= (~0u >> (32 - bits)) << position % 32;
            }
            line.push_back(std::move(scalar));
        }
        return line;
    }

    void writeLine(uint32_t outer, std::vector<Scalar>& line) {
        const Id u32 = emit_.types().uint32(), type = memory_.memoryScalar();
        const uint32_t full = memory_.memoryBytes() < 4 ? ~0u >> (32 - memory_.memoryBits()) : ~0u;
        for (uint32_t s = 0; s < line.size(); ++s) {
            LinePosition position;
            position.constant = s;
            Scalar& scalar = line[s];
            std::vector<Id> old;
            for (size_t w = 0; w < scalar.words.size(); ++w) {
                if (scalar.masks[w] == full) continue;
                // The last memory scalar of a line may have bits behind the matrix: these stay.
                if (old.empty()) {
                    const std::vector<Slot> loaded = memory_.load(outer, position, 1);
                    old = scalarsOf(emit_, u32, regroupFilled(emit_, loaded, type, u32));
                }
                const U32 kept = U32(emit_, old[w]) & ~scalar.masks[w];
                scalar.words[w] = kept | U32(emit_, scalar.words[w]);
            }
            const std::vector<Slot> whole = regroup(emit_, slotsOf(emit_, scalar.words), u32, type);
            memory_.store(outer, position, std::span(whole).first(1));
        }
    }

    MatrixMemory& memory_;
    const MatrixType& matrix_;
    HeldElements& elements_;
};

}  // namespace

void lowerMatrixStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = context.matrixOfValue(store.word(1));
    if (matrix == nullptr || store.operands.size() < 2) {
        return context.invalid(store, "Object is not a cooperative matrix");
    }
    MatrixMemory memory(context, writer, store, *matrix, store.word(0),
                        std::span(store.operands).subspan(2));
    if (!memory.valid()) return;
    HeldElements elements(*matrix, writer.emit(), store.word(1));
    if (!memory.isDirect()) {
        SharedScalarStore(context, writer, memory, *matrix, elements).run(store);
        return;
    }
    writer.when(writer.isNoDuplicate(*matrix),
                [&] { storeRuns(writer, memory, *matrix, elements); });
}

}  // namespace coopvk::rewrite
