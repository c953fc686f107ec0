// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadKHR and OpCooperativeMatrixStoreKHR.
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/memory_access.hpp"

namespace coopvk::rewrite {

namespace {

// Loads and stores alone need no arithmetic of the pointee's type, but bit casts to other types do.
void declareCasts(MatrixContext& context, const MatrixType& matrix, Id scalar) {
    TypeTable& types = context.types;
    const auto declare = [&](Id type) {
        const Number* number = numberOf(types, type);
        // Half floats that the device lacks become integers (numbers/lower.hpp).
        if (number == nullptr || number->isHalf() || number->isSupportedBy(context.target.device)) {
            types.declareArithmetic(type);
        }
    };
    if (scalar == matrix.component || types.encoding(scalar)) return;
    declare(scalar);
    if (matrix.hasFourBits()) declare(types.intType(types.width(scalar), false));
}

}  // namespace

MatrixMemory::MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                           const MatrixType& matrix, Id pointer, std::span<const Operand> operands)
    : MatrixMemory(context, writer, at, matrix,
                   // At scope Workgroup an invocation stores four neighbours, of 32 bits at least.
                   ElementPointer(context, writer.emit(), pointer, at, matrix.format,
                                  matrix.fragment.scope == LaneScope::kWorkgroup ? 4 : 8),
                   operands) {}

MatrixMemory::MatrixMemory(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                           const MatrixType& matrix, ElementPointer pointer,
                           std::span<const Operand> operands)
    : MatrixCode(context, writer),
      matrix_(matrix),
      place_(MatrixPlace::of(context, emit_, at, std::move(pointer), operands)),
      componentBits_(matrix.number->bits) {
    if (!valid()) return;
    declareCasts(context, matrix, memoryScalar());
    if (context.slices.depths.contains(matrix.id)) slice_ = sliceStart();
}

// A slice is a part of each line, or consists of whole lines. It consists of whole lines for A in
// column major order and for B in row major order.
Id MatrixMemory::sliceStart() {
    TypeTable& types = context_.types;
    const uint32_t depth = context_.slices.depths.at(matrix_.id);
    const Id number = emit_.load(types.uint32(), context_.slices.number);
    const bool acrossLines = rowMajor() == (matrix_.use == Use::kB);
    const uint32_t bits = memoryBits() * pointer().components();
    const uint32_t step = acrossLines ? depth : depth * componentBits_ / bits;
    const Id index = pointer().asIndex(emit_, emit_.times(number, step));
    return acrossLines ? place_->ahead(emit_, index) : index;
}

bool MatrixMemory::isDirect() const {
    return inner().neighbours() * componentBits_ % memoryBits() == 0;
}

ScalarIndex MatrixMemory::runPosition(uint32_t local) {
    ScalarIndex position;
    position.constant = inner().base(local) * componentBits_ / memoryBits();
    if (inner().lanes == 1) return position;
    const Id lane = writer_.laneOn(matrix_, other(outerDimension()));
    position.dynamic = emit_.times(lane, inner().block * componentBits_ / memoryBits());
    return position;
}

Id MatrixMemory::innerIndex(uint32_t local) {
    const Dimension d = other(outerDimension());
    return indexOn(emit_, inner(), inner().lanes == 1 ? 0 : writer_.laneOn(matrix_, d), local);
}

Id MatrixMemory::start() {
    const Id origin = pointer().origin();
    return slice_ ? emit_.addInt(pointer().indexType(), origin, *slice_) : origin;
}

Id MatrixMemory::lineIndexOf(Id outerLocal) {
    const Id type = pointer().indexType();
    const Id lane = outer().lanes == 1 ? 0 : writer_.laneOn(matrix_, outerDimension());
    const Id line = pointer().asIndex(emit_, indexOfValue(emit_, outer(), lane, outerLocal));
    return emit_.addInt(type, start(), place_->ahead(emit_, line));
}

Id MatrixMemory::lineIndex(uint32_t outerLocal) {
    const Id type = pointer().indexType();
    if (!firstLine_) {
        firstLine_ = start();
        if (outer().lanes != 1) {
            const Id line = emit_.times(writer_.laneOn(matrix_, outerDimension()), outer().block);
            const Id offset = place_->ahead(emit_, pointer().asIndex(emit_, line));
            firstLine_ = emit_.addInt(type, *firstLine_, offset);
        }
    }
    const Id line = context_.types.constant(type, outer().base(outerLocal));
    return emit_.addInt(type, *firstLine_, place_->ahead(emit_, line));
}

namespace {

// Whole runs, whose memory scalars are reinterpreted as components.
void loadRuns(MatrixWriter& writer, MatrixMemory& memory, const MatrixType& matrix,
              HeldElements& elements) {
    memory.eachRun([&](uint32_t outer, uint32_t first) {
        const std::vector<Slot> components =
            unpackComponents(writer.emit(), *matrix.number, memory.loadRun(outer, first),
                             memory.memoryScalar(), matrix.component);
        for (uint32_t i = 0; i < memory.inner().neighbours(); ++i) {
            elements.at(memory.outerDimension(), outer, first + i) = components[i];
        }
    });
}

// One component at a time, where runs begin or end inside a memory scalar.
void loadComponents(MatrixWriter& writer, MatrixMemory& memory, const MatrixType& matrix,
                    HeldElements& elements) {
    Emitter& emit = writer.emit();
    const uint32_t parts = memory.memoryBits() / memory.componentBits();
    for (uint32_t outer = 0; outer < memory.outer().count(); ++outer) {
        for (uint32_t local = 0; local < memory.inner().count(); ++local) {
            const Id element = memory.innerIndex(local);
            ScalarIndex position;
            position.dynamic = emit.over(element, parts);
            const Id scalar = memory.load(outer, position, 1)[0].value;
            const Id index = emit.modulo(element, parts);
            elements.at(memory.outerDimension(), outer, local) =
                pickComponent(emit, *matrix.number, scalar, index, matrix.component);
        }
    }
}

// Whole words, which lie in memory as the matrix holds them.
Id loadWords(Emitter& emit, MatrixMemory& memory, const MatrixType& matrix, Id result) {
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
    return constructFromPacks(emit, matrix, packs, result);
}

// Makes words of components that were loaded one by one.
Id constructWords(Emitter& emit, const MatrixType& matrix, HeldElements& elements, Id result) {
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
    return constructFromPacks(emit, matrix, words, result);
}

// Defines `result`, or with 0 a new id, as what lies in memory.
Id loadFrom(MatrixContext& context, MatrixWriter& writer, MatrixMemory& memory,
            const MatrixType& matrix, Id result) {
    const bool alongPacks = memory.rowMajor() == (matrix.fragment.packAxis == PackAxis::kColumns);
    if (matrix.isInWords && memory.isDirect() && alongPacks) {
        return loadWords(writer.emit(), memory, matrix, result);
    }
    HeldElements elements(matrix);
    if (isDividedLoad(context, memory, matrix))
        loadDivided(context, writer, memory, matrix, elements);
    else if (memory.isDirect())
        loadRuns(writer, memory, matrix, elements);
    else
        loadComponents(writer, memory, matrix, elements);
    return matrix.isInWords ? constructWords(writer.emit(), matrix, elements, result)
                            : elements.construct(matrix, writer.emit(), result);
}

// The widest vectors of words of which each run of a lane consists, up to 16 bytes.
uint32_t bytesAtOnce(const MatrixType& matrix, bool rowMajor) {
    const Axis& inner = rowMajor ? matrix.fragment.columns : matrix.fragment.rows;
    return std::min(powerOfTwoIn(inner.neighbours() * matrix.number->bits) / 8, 16u);
}

// The memory in words, if the address may allow that (ElementPointer::inWords()).
std::optional<MatrixMemory> inWords(MatrixContext& context, MatrixWriter& writer,
                                    const Instruction& load, const MatrixType& matrix) {
    const DevicePlan& device = context.target.device;
    const uint32_t bits = matrix.number->bits;
    const std::span<const Operand> operands = operandsBehind(load, 1);
    const std::optional<uint64_t> layout = context.module.constantValue(load.word(1));
    if (!context.multiples || (bits & device.bitsLoadedInWords) == 0 || !layout ||
        operands.size() < 2 || context.slices.depths.contains(matrix.id)) {
        return std::nullopt;
    }
    const uint32_t bytes = bytesAtOnce(matrix, *layout == 0);
    if (bytes < 4) return std::nullopt;
    // A test is worth it for loads of eight components and more.
    const bool isTested = (bits & device.bitsTestedForWords) != 0 && bytes * 8 / bits >= 8;
    const WordAccess access = {*context.multiples, bytes, isTested, operands[1].word,
                               MemoryOperands(operands.subspan(2)).alignment()};
    std::optional<ElementPointer> pointer =
        ElementPointer::inWords(context, writer.emit(), load.word(0), matrix.format, access);
    if (!pointer) return std::nullopt;
    return MatrixMemory(context, writer, load, matrix, std::move(*pointer), operands);
}

}  // namespace

void lowerMatrixLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load) {
    const MatrixType* matrix = context.matrix(load.type);
    if (matrix == nullptr) return context.invalid(load, "Result Type is not a cooperative matrix");
    std::optional<MatrixMemory> words = inWords(context, writer, load, *matrix);
    if (words && !words->valid()) return;
    if (words && words->reaches().isAlways()) {
        loadFrom(context, writer, *words, *matrix, load.result);
        return;
    }
    MatrixMemory memory(context, writer, load, *matrix, load.word(0), operandsBehind(load, 1));
    if (!memory.valid()) return;
    if (!words) {
        loadFrom(context, writer, memory, *matrix, load.result);
        return;
    }
    const Id loaded = writer.variable(matrix->id);
    const auto store = [&](MatrixMemory& from) {
        writer.emit().store(loaded, loadFrom(context, writer, from, *matrix, 0));
    };
    writer.choose(words->reaches(), [&] { store(*words); }, [&] { store(memory); });
    writer.emit().add(makeInstruction(OpLoad, matrix->id, load.result, {idOperand(loaded)}));
}

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
        : MatrixCode(context, writer),
          memory_(memory),
          matrix_(matrix),
          elements_(elements),
          exchange_(context, writer, matrix) {}

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
            writer_.position(matrix_).isNoDuplicate(emit_, rowLanes, columnLanes);
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
        const Dimension d = memory_.outerDimension();
        const Id lane = exchange_.laneAt(d, exchange_.gridCoordinate(d), emit_.constant(innerLane));
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
            ScalarIndex position;
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
    SubgroupExchange exchange_;
};

}  // namespace

void lowerMatrixStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = context.matrixOfValue(store.word(1));
    if (matrix == nullptr) {
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
