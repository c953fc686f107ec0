// SPDX-License-Identifier: Apache-2.0
#include "matrix/workgroup_exchange.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

class Turns {
 public:
    Turns(MatrixContext& context, FunctionBuilder& function, uint32_t words)
        : f_(function), emit_(function.emit()), memory_(context, emit_), words_(words) {
        memory_.use(words);
    }

    std::vector<Id> runOnce(Id writes, std::span<const NumberedWord> written,
                            std::span<const Id> read) {
        memory_.barrier();
        const auto store = [&] {
            for (const auto& [number, word] : written) memory_.store(number, word);
        };
        writes == 0 ? store() : f_.when(writes, store);
        memory_.barrier();
        std::vector<Id> result;
        for (const Id number : read) result.push_back(memory_.load(number));
        return result;
    }

    std::vector<Id> run(uint32_t count, Id writes, std::span<const NumberedWord> written,
                        std::span<const Id> read) {
        const Id u32 = emit_.types().uint32();
        std::vector<Id> variables;
        for (size_t i = 0; i < read.size(); ++i) variables.push_back(f_.variable(u32));
        f_.loop(count, [&](Id turn) {
            const Id start = emit_.times(turn, words_);
            memory_.barrier();
            for (const auto& [number, word] : written) {
                const Id place = emit_.op(spv::Op::OpISub, u32, {number, start});
                f_.when(emit_.both(writes, isInTurn(place)), [&] { memory_.store(place, word); });
            }
            memory_.barrier();
            for (size_t i = 0; i < read.size(); ++i) {
                const Id place = emit_.op(spv::Op::OpISub, u32, {read[i], start});
                f_.when(isInTurn(place), [&] { f_.store(variables[i], memory_.load(place)); });
            }
        });
        std::vector<Id> result;
        for (const Id variable : variables) result.push_back(f_.load(variable));
        return result;
    }

 private:
    Id isInTurn(Id place) {
        return emit_.compare(spv::Op::OpULessThan, place, emit_.constant(words_));
    }

    FunctionBuilder& f_;
    Emitter& emit_;
    WorkgroupMemory memory_;
    uint32_t words_;
};

}  // namespace

std::vector<Id> exchangeWords(MatrixContext& context, FunctionBuilder& function,
                              const Instruction& at, uint32_t total, Id writes,
                              std::span<const NumberedWord> written, std::span<const Id> read) {
    constexpr uint32_t kLeast = 256;
    const uint32_t room = workgroupWords(context, at, std::min(total, kLeast));
    if (room == 0) return {};
    const uint32_t words = std::min(room, total);
    Turns turns(context, function, words);
    const uint32_t count = (total + words - 1) / words;
    return count == 1 ? turns.runOnce(writes, written, read)
                      : turns.run(count, writes, written, read);
}

std::vector<Id> elementNumbers(Emitter& emit, GridPosition& position, const Fragment& f,
                               uint32_t width, bool exchanged) {
    const Id rowLane = position.rowLane(f.rows.lanes);
    const Id columnLane = position.columnLane(f.columns.lanes);
    const auto scaled = [&](Id index, bool byWidth) {
        return byWidth ? emit.times(index, width) : index;
    };
    std::vector<Id> numbers;
    for (uint32_t row = 0; row < f.rows.count(); ++row) {
        const Id rowPart = scaled(indexOn(emit, f.rows, rowLane, row), !exchanged);
        for (uint32_t column = 0; column < f.columns.count(); ++column) {
            const Id columnPart = scaled(indexOn(emit, f.columns, columnLane, column), exchanged);
            numbers.push_back(emit.addU32(rowPart, columnPart));
        }
    }
    return numbers;
}

}  // namespace coopvk::rewrite
