// SPDX-License-Identifier: Apache-2.0
#include "matrix/workgroup_exchange.hpp"

#include <algorithm>

#include "ir/function_builder.hpp"
#include "matrix/workgroup_memory.hpp"

namespace coopvk::rewrite {

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

    std::vector<Id> allAtOnce(Id writes, std::span<const NumberedWord> written,
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

    std::vector<Id> inParts(uint32_t parts, Id writes, std::span<const NumberedWord> written,
                            std::span<const Id> read) {
        const Id u32 = emit_.types().uint32();
        std::vector<Id> variables;
        for (size_t i = 0; i < read.size(); ++i) variables.push_back(f_.variable(u32));
        f_.loop(parts, [&](Id part) {
            const Id start = emit_.times(part, words_);
            memory_.barrier();
            for (const auto& [number, word] : written) {
                const Id place = emit_.op(spv::Op::OpISub, u32, {number, start});
                f_.when(emit_.both(writes, isInPart(place)),
                        [&] { memory_.store(place, 0, word); });
            }
            memory_.barrier();
            for (size_t i = 0; i < read.size(); ++i) {
                const Id place = emit_.op(spv::Op::OpISub, u32, {read[i], start});
                f_.when(isInPart(place), [&] { f_.store(variables[i], memory_.load(place)); });
            }
        });
        std::vector<Id> result;
        for (const Id variable : variables) result.push_back(f_.load(variable));
        return result;
    }

 private:
    Id isInPart(Id place) {
        return emit_.compare(spv::Op::OpULessThan, place, emit_.constant(words_));
    }

    FunctionBuilder& f_;
    Emitter& emit_;
    WorkgroupMemory memory_;
    uint32_t words_;
};

// Words with the numbers `read`, of `total` numbers. One invocation writes each: of those that have
// it, the one where `writes` is true (0: each is). Empty with context.error.
std::vector<Id> exchangeWords(MatrixContext& context, FunctionBuilder& function,
                              const Instruction& at, uint32_t total, Id writes,
                              std::span<const NumberedWord> written, std::span<const Id> read) {
    constexpr uint32_t kLeastWords = 256;
    const uint32_t available = workgroupWords(context, at, std::min(total, kLeastWords));
    if (available == 0) return {};
    const uint32_t words = std::min(available, total);
    WordExchange exchange(context, function, words);
    const uint32_t parts = (total + words - 1) / words;
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
    const Id writes = position.isNoDuplicate(emit, x.computed);
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
