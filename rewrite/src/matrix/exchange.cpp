// SPDX-License-Identifier: Apache-2.0
#include "matrix/exchange.hpp"

#include <algorithm>
#include <ranges>

#include "ir/control_flow.hpp"
#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// All, a half, a quarter, and so on of the reserved words: the most that the module leaves.
uint32_t wordsLeft(const MatrixContext& context) {
    const DevicePlan& device = context.target.device;
    for (uint32_t words = device.reservedSharedMemory / 4; words != 0; words /= 2) {
        if (sharedMemoryHasRoom(context.module, uint64_t{words} * 4, device)) return words;
    }
    return 0;
}

// Bytes that no other variable may take.
uint64_t workgroupMemoryBytes(const MatrixContext& context) {
    const bool any = std::ranges::any_of(context.matrices, [](const auto& matrix) {
        return matrix.second.fragment.scope == LaneScope::kWorkgroup;
    });
    if (!any) return 0;
    return std::max(context.target.device.reservedSharedMemory, context.shared.used * 4);
}

}  // namespace

uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least) {
    SharedWords& shared = context.shared;
    if (!shared.available) shared.available = wordsLeft(context);
    if (*shared.available >= least) return *shared.available;
    context.unsupported(
        at, std::format("a matrix of scope Workgroup needs {} bytes of shared memory, and the "
                        "module leaves {} "
                        "(cooperativeMatrixWorkgroupScopeReservedSharedMemory)",
                        uint64_t{least} * 4, uint64_t{*shared.available} * 4));
    return 0;
}

uint32_t deepSliceWords(const MatrixContext& context) {
    constexpr uint32_t kMostBytes = 48 * 1024, kStep = 1024;
    const DevicePlan& device = context.target.device;
    const uint32_t most = std::min(device.maxComputeSharedMemorySize, kMostBytes) / kStep;
    const auto steps = std::views::iota(1u, most + 1);
    const auto tooMany = std::ranges::partition_point(steps, [&](uint32_t count) {
        return sharedMemoryHasRoom(context.module, uint64_t{count} * kStep, device);
    });
    return static_cast<uint32_t>(tooMany - steps.begin()) * kStep / 4;
}

std::optional<SubgroupArea> subgroupArea(MatrixContext& context, std::string_view name, Id element,
                                         uint64_t elements) {
    const auto key = std::tuple(name, element, static_cast<uint32_t>(elements));
    const auto found = context.areas.find(key);
    if (found != context.areas.end()) return found->second;
    const uint32_t subgroups = subgroupsOf(context.module, context.target.subgroupSize);
    const uint64_t bytes = subgroups * elements * bytesOf(context.types, element);
    if (bytes == 0 || !context.module.hasCapability(spv::Capability::VulkanMemoryModel) ||
        !sharedMemoryHasRoom(context.module, bytes + workgroupMemoryBytes(context),
                             context.target.device)) {
        return std::nullopt;
    }
    return context.areas[key] =
               declareArea(context.types, name, element, std::get<2>(key), subgroups);
}

std::optional<SubgroupArea> LaneItems::area(MatrixContext& context) {
    const Id words = context.types.vectorType(context.types.uint32(), kWords);
    return subgroupArea(context, "coopvk_lanes", words, context.target.subgroupSize);
}

namespace {

// The variable is declared later.
Memory fourWords(MatrixContext& context) {
    if (!context.shared.variable) context.shared.variable = context.module.takeId();
    const Operands access = nonPrivateAccess(context.module);
    return {context,
            ElementPointer(context, spv::StorageClass::Workgroup,
                           context.types.vectorType(context.types.uint32(), 4),
                           {*context.shared.variable}, false, false),
            MemoryOperands(access)};
}

}  // namespace

WorkgroupMemory::WorkgroupMemory(MatrixContext& context, Emitter& emit)
    : context_(context), emit_(emit), memory_(fourWords(context)) {}

void WorkgroupMemory::use(uint32_t words) {
    context_.shared.used = std::max(context_.shared.used, words);
}

std::vector<Id> WorkgroupMemory::loadWords(Id first, uint32_t offset, uint32_t count) {
    const Id u32 = context_.types.uint32(), begin = emit_.constant(0);
    return scalarsOf(emit_, u32, memory_.loadScalars(emit_, begin, {offset, first, count}, count));
}

void WorkgroupMemory::storeWords(Id first, uint32_t offset, std::span<const Id> words) {
    const auto count = static_cast<uint32_t>(words.size());
    memory_.storeScalars(emit_, emit_.constant(0), {offset, first, count}, slotsOf(emit_, words));
}

void WorkgroupMemory::barrier() { sharedBarrier(emit_, spv::Scope::Workgroup); }

void declareWorkgroupMemory(MatrixContext& context) {
    const SharedWords& shared = context.shared;
    if (!shared.variable) return;
    TypeTable& types = context.types;
    const Id array =
        types.arrayType(types.vectorType(types.uint32(), 4), (std::max(1u, shared.used) + 3) / 4);
    const Id pointer = types.pointerType(spv::StorageClass::Workgroup, array);
    context.module.append(Section::kGlobals,
                          makeInstruction(OpVariable, pointer, *shared.variable,
                                          {literal(spv::StorageClass::Workgroup)}));
    context.module.addName(*shared.variable, "coopvk_matrices");
}

Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component) {
    const Id u32 = emit.types().uint32();
    return scalarOf(emit, u32, regroupFilled(emit, {&component, 1}, matrix.component, u32)[0]);
}

Id componentOf(Emitter& emit, const MatrixType& matrix, Id word) {
    const Slot one[] = {{word, 0}};
    const std::vector<Slot> parts = regroup(emit, one, emit.types().uint32(), matrix.component);
    return scalarOf(emit, matrix.component, parts[0]);
}

bool requireShuffles(MatrixContext& context, const Instruction& at) {
    if (context.target.device.subgroupShuffle) return true;
    return context.fail(ErrorCode::kUnsupported, at,
                        "moving elements of a matrix between lanes needs subgroup shuffles");
}

Id SubgroupExchange::shuffle(spv::Op opcode, Id word, Id lane) {
    context_.module.addCapability(spv::Capability::GroupNonUniformShuffle);
    return emit_.op(opcode, types_.uint32(), {emit_.scope(spv::Scope::Subgroup), word, lane});
}

Slot SubgroupExchange::fromLane(const Slot& slot, Id lane) {
    return shuffled(OpGroupNonUniformShuffle, slot, lane);
}

Slot SubgroupExchange::fromLaneXor(const Slot& slot, uint32_t mask) {
    return shuffled(OpGroupNonUniformShuffleXor, slot, emit_.constant(mask));
}

Slot SubgroupExchange::shuffled(spv::Op opcode, const Slot& slot, Id lane) {
    Id& result = shuffled_[{opcode, slot.value, lane}];
    if (result != 0) return {result, slot.index};
    const Id u32 = types_.uint32();
    const std::vector<Slot> parts = slotsOf(emit_, {&slot.value, 1});
    std::vector<Slot> words;
    for (const Slot& part : regroupFilled(emit_, parts, component_, u32)) {
        words.push_back({shuffle(opcode, scalarOf(emit_, u32, part), lane), 0});
    }
    const std::vector<Slot> back = regroup(emit_, words, u32, component_);
    result = gather(emit_, component_, back);
    return {result, slot.index};
}

Slot SubgroupExchange::pick(std::span<const Slot> candidates, Id index) {
    if (candidates.size() == 1) return candidates[0];
    const bool whole = std::ranges::all_of(candidates, [&](const Slot& slot) {
        return slot.index == candidates[0].index &&
               emit_.typeOf(slot.value) == emit_.typeOf(candidates[0].value);
    });
    std::vector<Id> key = {index};
    for (const Slot& slot : candidates) {
        key.push_back(whole ? slot.value : scalarOf(emit_, component_, slot));
    }
    const uint32_t place = whole ? candidates[0].index : 0;
    Id& result = picked_[key];
    if (result != 0) return {result, place};
    Id value = key[1];
    for (uint32_t k = 1; k < candidates.size(); ++k) {
        const Id isK = emit_.compare(OpIEqual, index, emit_.constant(k));
        value = emit_.select(isK, key[k + 1], value);
    }
    result = value;
    return {result, place};
}

Id SubgroupExchange::laneAt(Dimension d, Id along, Id other) {
    const LaneGrid lanes = context_.lanesOf(matrix_.fragment);
    const Id row = d == Dimension::kRows ? along : other;
    const Id column = d == Dimension::kRows ? other : along;
    return lanes.isByColumns ? emit_.addU32(emit_.times(column, lanes.grid.rows), row)
                             : emit_.addU32(emit_.times(row, lanes.grid.columns), column);
}

uint32_t SubgroupExchange::laneStep(Dimension d) {
    const LaneGrid lanes = context_.lanesOf(matrix_.fragment);
    const bool isByColumns = d == Dimension::kColumns;
    if (lanes.isByColumns == isByColumns) return isByColumns ? lanes.grid.rows : lanes.grid.columns;
    return 1;
}

HeldElements SubgroupExchange::gatherAxis(HeldElements& from, Dimension d) {
    const Axis& axis = from.axis(d);
    if (axis.lanes == 1) return from;
    HeldElements all = from.emptyWith(d, wholeAxis(axis.size));
    const Id coordinate = gridCoordinate(other(d));
    for (uint32_t i = 0; i < axis.size; ++i) {
        Id& lane = gridLanes_[{axis.laneOf(i), coordinate}];
        if (lane == 0) lane = laneAt(d, types_.constantU32(axis.laneOf(i)), coordinate);
        for (uint32_t o = 0; o < from.axis(other(d)).count(); ++o) {
            all.at(d, i, o) = fromLane(from.at(d, axis.localOf(i), o), lane);
        }
    }
    return all;
}

HeldElements SubgroupExchange::distributeAxis(HeldElements& from, Dimension d, const Axis& to) {
    if (to.lanes == 1) return from;
    HeldElements part = from.emptyWith(d, to);
    const Id lane = laneOn(d, to);
    part.each([&](uint32_t row, uint32_t column, Slot& slot) {
        const bool isRow = d == Dimension::kRows;
        std::vector<Slot> candidates;
        for (uint32_t k = 0; k < to.lanes; ++k) {
            const uint32_t i = to.index(k, isRow ? row : column);
            candidates.push_back(from.at(d, i, isRow ? column : row));
        }
        slot = pick(candidates, lane);
    });
    return part;
}

namespace {

// An element's bits, and its number among all elements; both u32.
struct NumberedWord {
    Id number;
    Id word;
};

// Writes elements by number and reads others, `words` at a time.
class WordExchange {
 public:
    WordExchange(MatrixContext& context, FunctionBuilder& function, uint32_t words)
        : f_(function), emit_(function.emit()), memory_(context, emit_), words_(words) {
        memory_.use(words);
    }

    std::vector<Id> allAtOnce(Condition writes, std::span<const NumberedWord> written,
                              std::span<const Id> read) {
        memory_.barrier();
        f_.when(writes, [&] {
            for (const auto& [number, word] : written) memory_.store(number, 0, word);
        });
        memory_.barrier();
        std::vector<Id> result;
        for (const Id number : read) result.push_back(memory_.load(number));
        return result;
    }

    std::vector<Id> inParts(uint32_t parts, Condition writes, std::span<const NumberedWord> written,
                            std::span<const Id> read) {
        const Id u32 = emit_.types().uint32();
        std::vector<Id> variables;
        for (size_t i = 0; i < read.size(); ++i) variables.push_back(f_.variable(u32));
        f_.loop(parts, [&](Id part) {
            const Id start = emit_.times(part, words_);
            memory_.barrier();
            for (const auto& [number, word] : written) {
                const Id place = emit_.op(OpISub, u32, {number, start});
                f_.when(emit_.both(writes, isInPart(place)),
                        [&] { memory_.store(place, 0, word); });
            }
            memory_.barrier();
            for (size_t i = 0; i < read.size(); ++i) {
                const Id place = emit_.op(OpISub, u32, {read[i], start});
                f_.when(isInPart(place), [&] { f_.store(variables[i], memory_.load(place)); });
            }
        });
        std::vector<Id> result;
        for (const Id variable : variables) result.push_back(f_.load(variable));
        return result;
    }

 private:
    Condition isInPart(Id place) {
        return emit_.compare(OpULessThan, place, emit_.constant(words_));
    }

    FunctionBuilder& f_;
    Emitter& emit_;
    WorkgroupMemory memory_;
    uint32_t words_;
};

// Words with the numbers `read`, of `total` numbers. One invocation writes each: of those that have
// it, the one where `writes` is true. Empty with context.error.
std::vector<Id> exchangeWords(MatrixContext& context, FunctionBuilder& function,
                              const Instruction& at, uint32_t total, Condition writes,
                              std::span<const NumberedWord> written, std::span<const Id> read) {
    constexpr uint32_t kLeastWords = 256;
    const uint32_t available = workgroupWords(context, at, std::min(total, kLeastWords));
    if (available == 0) return {};
    const uint32_t words = std::min(available, total);
    WordExchange exchange(context, function, words);
    const uint32_t parts = divideUp(total, words);
    return parts == 1 ? exchange.allAtOnce(writes, written, read)
                      : exchange.inParts(parts, writes, written, read);
}

// The numbers (u32) of a lane's elements, by local row, then local column: row * width + column; of
// a transpose, column * width + row.
std::vector<Id> elementNumbers(Emitter& emit, GridPosition& position, const Fragment& f,
                               uint32_t width, bool isTranspose) {
    const Id rowLane = position.laneOn(Dimension::kRows, f.rows);
    const Id columnLane = position.laneOn(Dimension::kColumns, f.columns);
    const auto scaled = [&](Id index, bool byWidth) {
        return byWidth ? emit.times(index, width) : index;
    };
    std::vector<Id> numbers;
    for (uint32_t row = 0; row < f.rows.count(); ++row) {
        const Id rowPart = scaled(indexOn(emit, f.rows, rowLane, row), !isTranspose);
        for (uint32_t column = 0; column < f.columns.count(); ++column) {
            const Id columnPart = scaled(indexOn(emit, f.columns, columnLane, column), isTranspose);
            numbers.push_back(emit.addU32(rowPart, columnPart));
        }
    }
    return numbers;
}

// The helper function; 0 with an error.
Id build(MatrixContext& context, const Instruction& at, const WorkgroupExchange& x) {
    const Id parameters[] = {x.from.id};
    FunctionBuilder function(context.types, context.newFunctions, x.name, x.to.id, parameters);
    Emitter& emit = function.emit();
    GridPosition position = context.position(emit.out(), LaneScope::kWorkgroup);
    HeldElements operand(x.from, emit, function.parameter(0));
    const uint32_t width = x.computed.columns.size, columns = x.computed.columns.count();
    const std::vector<Id> numbers = elementNumbers(emit, position, x.computed, width, false);
    std::vector<NumberedWord> written;
    for (uint32_t i = 0; i < numbers.size(); ++i) {
        const Slot element = x.element(emit, operand, i / columns, i % columns);
        written.push_back({numbers[i], wordOf(emit, x.to, element)});
    }
    const std::vector<Id> read =
        elementNumbers(emit, position, x.to.fragment, width, x.isTranspose);
    const Condition writes = position.isNoDuplicate(emit, x.computed);
    const std::vector<Id> words =
        exchangeWords(context, function, at, x.to.rows * x.to.columns, writes, written, read);
    if (words.empty()) return 0;
    HeldElements result(x.to);
    for (uint32_t i = 0; i < words.size(); ++i) {
        result.slots[i] = {componentOf(emit, x.to, words[i]), 0};
    }
    return function.finish(result.construct(x.to, emit));
}

}  // namespace

void lowerWorkgroupExchange(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                            const WorkgroupExchange& exchange) {
    const Id function = context.helper(exchange.key, [&] { return build(context, at, exchange); });
    if (function == 0) return;
    writer.emit().call(at.type, function, std::array{at.word(0)}, at.result);
}

}  // namespace coopvk::rewrite
