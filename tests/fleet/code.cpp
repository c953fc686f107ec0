// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>

namespace coopvk::fleet {
namespace {

struct Range {
    size_t begin, end;  // of instructions
    bool contains(const Range& other) const {
        return begin <= other.begin && other.end <= end && end - begin != other.end - other.begin;
    }
};

const Row& rowOf(const Instruction& instruction, std::span<const Row> rows) {
    static constexpr Row kNone{"", Kind::kNotVector};
    const auto fits = [&](const Row& row) { return instruction.name.starts_with(row.prefix); };
    const auto row = std::ranges::find_if(rows, fits);
    return row == rows.end() ? kNone : *row;
}

Counts count(const Code& code, const Range& range, std::span<const Row> rows) {
    Counts counts;
    for (size_t i = range.begin; i < range.end; ++i) {
        const Instruction& instruction = code.instructions[i];
        const Row& row = rowOf(instruction, rows);
        if (row.kind == Kind::kNotVector) continue;
        counts.multiplyAdds += uint64_t{row.multiplyAdds} * instruction.times;
        if (!instruction.issued) continue;
        counts.vector += instruction.times;
        if (row.kind == Kind::kMultiplyAdd) counts.multiplyAddInstructions += instruction.times;
        if (row.kind == Kind::kConversion) counts.conversions += instruction.times;
    }
    return counts;
}

// From a label to each branch back to it.
std::vector<Range> loopsOf(const Code& code) {
    std::vector<Range> loops;
    for (size_t i = 0; i < code.instructions.size(); ++i) {
        const auto label = code.labels.find(code.instructions[i].target);
        if (label != code.labels.end() && label->second <= i)
            loops.push_back({label->second, i + 1});
    }
    return loops;
}

}  // namespace

double Counts::useful() const {
    return vector == 0
               ? 0
               : 100.0 * static_cast<double>(multiplyAddInstructions) / static_cast<double>(vector);
}

double Counts::perInstruction() const {
    return vector == 0 ? 0 : static_cast<double>(multiplyAdds) / static_cast<double>(vector);
}

HotCode countHotCode(const Code& code, std::span<const Row> rows) {
    const std::vector<Range> loops = loopsOf(code);
    std::vector<Counts> all;
    for (const Range& loop : loops) all.push_back(count(code, loop, rows));
    HotCode hot;
    for (size_t i = 0; i < loops.size(); ++i) {
        bool innermost = all[i].multiplyAdds > 0;
        for (size_t j = 0; j < loops.size(); ++j)
            if (loops[i].contains(loops[j]) && all[j].multiplyAdds * 8 > all[i].multiplyAdds)
                innermost = false;
        if (innermost && all[i].multiplyAdds > hot.counts.multiplyAdds) hot = {true, all[i]};
    }
    if (!hot.isLoop) hot.counts = count(code, {0, code.instructions.size()}, rows);
    return hot;
}

}  // namespace coopvk::fleet
