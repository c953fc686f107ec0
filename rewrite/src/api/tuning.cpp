// SPDX-License-Identifier: Apache-2.0
//
// Reads MatrixTuning from text such as "grid-rows=8,row-block=1,pairs=k", and checks it.
#include <algorithm>
#include <bit>
#include <charconv>
#include <format>

#include "api/passes.hpp"

namespace coopvk::rewrite {

namespace {

using TuningNumber = std::optional<uint32_t> MatrixTuning::*;

struct TuningRow {
    std::string_view name;
    TuningNumber number;
    bool isPowerOfTwo;
    bool mayBeZero;
};

constexpr TuningRow kTuningRows[] = {
    {"grid-rows", &MatrixTuning::gridRows, true, false},
    {"row-block", &MatrixTuning::rowBlock, true, true},
    {"column-block", &MatrixTuning::columnBlock, true, true},
    {"unroll", &MatrixTuning::unrolledProducts, false, true},
    {"slice", &MatrixTuning::sliceDepth, true, true},
};

bool fits(const TuningRow& row, uint32_t number) {
    if (number == 0) return row.mayBeZero;
    return !row.isPowerOfTwo || std::has_single_bit(number);
}

struct TuningChoice {
    std::string_view name, value;
    std::optional<bool> MatrixTuning::* choice;
    bool chosen;
};

constexpr TuningChoice kChoices[] = {
    {"pairs", "k", &MatrixTuning::halfPairsAlongK, true},
    {"pairs", "n", &MatrixTuning::halfPairsAlongK, false},
    {"slices", "rolled", &MatrixTuning::rollSlices, true},
    {"slices", "unrolled", &MatrixTuning::rollSlices, false},
    {"shared", "f32", &MatrixTuning::sharedSingles, true},
    {"shared", "f16", &MatrixTuning::sharedSingles, false},
    {"loops", "joined", &MatrixTuning::joinLoops, true},
    {"loops", "apart", &MatrixTuning::joinLoops, false},
    {"tails", "joined", &MatrixTuning::joinTails, true},
    {"tails", "apart", &MatrixTuning::joinTails, false},
    {"sums", "open", &MatrixTuning::openSums, true},
    {"sums", "closed", &MatrixTuning::openSums, false},
};

// False if there is no such name or the value does not fit it.
bool apply(std::string_view name, std::string_view value, MatrixTuning& tuning) {
    for (const TuningChoice& row : kChoices) {
        if (row.name != name || row.value != value) continue;
        tuning.*row.choice = row.chosen;
        return true;
    }
    for (const TuningRow& row : kTuningRows) {
        if (row.name != name) continue;
        uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        tuning.*row.number = number;
        return error == std::errc() && end == value.data() + value.size() && fits(row, number);
    }
    return false;
}

}  // namespace

std::optional<Error> checkTuning(const PlannedTarget& target) {
    const MatrixTuning& tuning = target.tuning;
    const bool fit = std::ranges::all_of(kTuningRows, [&](const TuningRow& row) {
        return !(tuning.*row.number) || fits(row, *(tuning.*row.number));
    });
    if (fit && tuning.gridRows.value_or(0) <= target.subgroupSize) return std::nullopt;
    return Error{
        ErrorCode::kInvalidArgument,
        "grid-rows, row-block, column-block and slice must be powers of two, and grid-rows "
        "at most the subgroup size"};
}

Result<MatrixTuning> matrixTuningFromText(std::string_view text) {
    MatrixTuning tuning;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        const size_t equals = std::min(pair.find('='), pair.size());
        const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        if (apply(pair.substr(0, equals), value, tuning)) continue;
        return Error{
            ErrorCode::kInvalidArgument,
            std::format(
                "'{}' is none of grid-rows=, row-block=, column-block=, slice= with a power "
                "of two, unroll= with a number, pairs=k, pairs=n, slices=rolled, "
                "slices=unrolled, shared=f32, shared=f16, loops=joined, loops=apart, "
                "tails=joined, tails=apart, sums=open and sums=closed",
                pair)};
    }
    return tuning;
}

}  // namespace coopvk::rewrite
