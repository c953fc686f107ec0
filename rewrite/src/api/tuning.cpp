// SPDX-License-Identifier: Apache-2.0
//
// Reads MatrixTuning from text such as "grid-rows=8,row-block=1,pairs=k", writes it, and checks it.
#include <algorithm>
#include <bit>
#include <charconv>
#include <format>

#include "api/passes.hpp"
#include "plan/tuning_rows.hpp"

namespace coopvk::rewrite {

namespace {

bool fits(const TuningRow& row, uint32_t number) {
    if (number < row.least || number > row.most) return false;
    return !row.isPowerOfTwo || number == 0 || std::has_single_bit(number);
}

bool setNumber(const TuningRow& row, std::string_view value, MatrixTuning& tuning) {
    uint32_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), end, number);
    tuning.*row.number = number;
    return error == std::errc() && at == end && fits(row, number);
}

// False if there is no such name or the value does not fit it.
bool apply(std::string_view name, std::string_view value, MatrixTuning& tuning) {
    const auto rows = tuningRows();
    const auto row =
        std::ranges::find(rows, name, [](const TuningRow& one) { return one.info.name; });
    if (row == rows.end()) return false;
    if (row->number != nullptr) return setNumber(*row, value, tuning);
    const auto* const word = std::ranges::find(row->words, value);
    tuning.*row->flag = word == std::begin(row->words) + 1;
    return word != std::end(row->words);
}

// "slice=N slices=unrolled|rolled"
std::string allChoices() {
    std::string text;
    for (const TuningRow& row : tuningRows()) {
        const std::string value = row.number == nullptr
                                      ? std::format("{}|{}", row.words[0], row.words[1])
                                  : row.most == ~0u ? std::string("N")
                                                    : std::format("{}..{}", row.least, row.most);
        if (!text.empty()) text += ' ';
        text += std::format("{}={}", row.info.name, value);
    }
    return text;
}

}  // namespace

std::string tuningText(const MatrixTuning& tuning) {
    std::string text;
    for (const TuningRow& row : tuningRows()) {
        std::string value;
        if (row.number != nullptr && tuning.*row.number)
            value = std::to_string(*(tuning.*row.number));
        if (row.flag != nullptr && tuning.*row.flag) value = row.words[*(tuning.*row.flag) ? 1 : 0];
        if (!value.empty())
            text += std::format("{}{}={}", text.empty() ? "" : ",", row.info.name, value);
    }
    return text;
}

std::optional<Error> checkTuning(const PlannedTarget& target) {
    const MatrixTuning& tuning = target.tuning;
    const bool fit = std::ranges::all_of(tuningRows(), [&](const TuningRow& row) {
        return row.number == nullptr || !(tuning.*row.number) || fits(row, *(tuning.*row.number));
    });
    if (fit && tuning.gridRows.value_or(0) <= target.subgroupSize) return std::nullopt;
    return Error{ErrorCode::kInvalidArgument,
                 std::format("a choice is none of {} with powers of two, but for unroll and alone, "
                             "or grid-rows is more than the subgroup size",
                             allChoices())};
}

Result<MatrixTuning> matrixTuningFromText(std::string_view text) {
    MatrixTuning tuning;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        const size_t equals = std::min(pair.find('='), pair.size());
        const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        if (apply(pair.substr(0, equals), value, tuning)) continue;
        return Error{ErrorCode::kInvalidArgument,
                     std::format("'{}' is none of {} with powers of two, but for unroll and alone",
                                 pair, allChoices())};
    }
    return tuning;
}

}  // namespace coopvk::rewrite
