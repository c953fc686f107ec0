// SPDX-License-Identifier: Apache-2.0
//
// The table of choices of MatrixTuning: reads them from text such as
// "grid-rows=8,row-block=1,pairs=k", writes them, and checks them.
#include <algorithm>
#include <bit>
#include <charconv>
#include <format>

#include "api/passes.hpp"

namespace coopvk::rewrite {

namespace {

// A choice is a number or one of two words.
struct TuningRow {
    TuningInfo info;
    std::optional<uint32_t> MatrixTuning::* number = nullptr;
    uint32_t least = 0, most = ~0u;
    bool isPowerOfTwo = false;
    std::optional<bool> MatrixTuning::* flag = nullptr;
    std::string_view words[2] = {};  // of false and true
};

constexpr TuningRow kRows[] = {
    {.info = {"grid-rows", "2,4,8,16", "rows of the grid of a subgroup's lanes"},
     .number = &MatrixTuning::gridRows,
     .least = 1,
     .isPowerOfTwo = true},
    {.info = {"row-block", "", "adjacent rows that a lane holds together; 0: all that it holds"},
     .number = &MatrixTuning::rowBlock,
     .isPowerOfTwo = true},
    {.info = {"column-block", "", "the same for columns"},
     .number = &MatrixTuning::columnBlock,
     .isPowerOfTwo = true},
    {.info = {"pairs", "n,k", "16-bit components of B are in pairs along N or along K"},
     .flag = &MatrixTuning::halfPairsAlongK,
     .words = {"n", "k"}},
    {.info = {"unroll", "0,256,1024,4096",
              "most products of an invocation for which loops stay unrolled"},
     .number = &MatrixTuning::unrolledProducts},
    {.info = {"slice", "0,2,4,8,16",
              "columns of A, with their rows of B, that are loaded at once, where that is "
              "possible; 0: all"},
     .number = &MatrixTuning::sliceDepth,
     .isPowerOfTwo = true},
    {.info = {"slices", "unrolled,rolled",
              "the driver may unroll the loop over slices, or it stays a loop"},
     .flag = &MatrixTuning::rollSlices,
     .words = {"unrolled", "rolled"}},
    {.info = {"shared", "f16,f32",
              "shared memory that has f16 only for products with f32 sums keeps them, or has f32"},
     .flag = &MatrixTuning::sharedSingles,
     .words = {"f16", "f32"}},
    {.info = {"loops", "apart,joined",
              "equal loops that multiply, one behind the other, stay apart, or become one"},
     .flag = &MatrixTuning::joinLoops,
     .words = {"apart", "joined"}},
    {.info = {"tails", "apart,joined",
              "equal products at the end of both branches of a selection stay there, or one goes "
              "behind them"},
     .flag = &MatrixTuning::joinTails,
     .words = {"apart", "joined"}},
    {.info = {"sums", "closed,open",
              "f16 sums are complete after each product, or may be open until another instruction "
              "reads them"},
     .flag = &MatrixTuning::openSums,
     .words = {"closed", "open"}},
    {.info = {"alone", "0,256,1024,4096",
              "vectors: most multiplications of a product that each invocation computes alone"},
     .number = &MatrixTuning::smallProduct},
    {.info = {"lines", "2,4", "vectors: rows of weights that an invocation multiplies at once"},
     .number = &MatrixTuning::linesAtOnce,
     .least = 2,
     .most = 4,
     .isPowerOfTwo = true},
    {.info = {"tile-columns", "2,4,8", "vectors: vectors of a lane, where lanes multiply together"},
     .number = &MatrixTuning::tileColumns,
     .least = 2,
     .most = 8,
     .isPowerOfTwo = true},
    {.info = {"rows", "indexed,shifted",
              "vectors: loops store rows of a result by their number, or shift them in"},
     .flag = &MatrixTuning::shiftsRows,
     .words = {"indexed", "shifted"}},
};

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
    const auto* const row =
        std::ranges::find(kRows, name, [](const TuningRow& one) { return one.info.name; });
    if (row == std::end(kRows)) return false;
    if (row->number != nullptr) return setNumber(*row, value, tuning);
    const auto* const word = std::ranges::find(row->words, value);
    tuning.*row->flag = word == std::begin(row->words) + 1;
    return word != std::end(row->words);
}

// "slice=N, slices=unrolled|rolled"
std::string allChoices() {
    std::string text;
    for (const TuningRow& row : kRows) {
        const std::string value = row.number == nullptr
                                      ? std::format("{}|{}", row.words[0], row.words[1])
                                  : row.most == ~0u ? std::string("N")
                                                    : std::format("{}..{}", row.least, row.most);
        text += std::format("{}{}={}", text.empty() ? "" : ", ", row.info.name, value);
    }
    return text;
}

}  // namespace

std::span<const TuningInfo> tuningTable() {
    static constexpr auto kInfos = [] {
        std::array<TuningInfo, std::size(kRows)> infos;
        std::ranges::transform(kRows, infos.begin(), &TuningRow::info);
        return infos;
    }();
    return kInfos;
}

std::string tuningText(const MatrixTuning& tuning) {
    std::string text;
    for (const TuningRow& row : kRows) {
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
    const bool fit = std::ranges::all_of(kRows, [&](const TuningRow& row) {
        return row.number == nullptr || !(tuning.*row.number) || fits(row, *(tuning.*row.number));
    });
    if (fit && tuning.gridRows.value_or(0) <= target.subgroupSize) return std::nullopt;
    return Error{ErrorCode::kInvalidArgument,
                 "a choice of the tuning does not fit: " + allChoices() +
                     "; all but unroll and alone are powers of two, and grid-rows at most the "
                     "subgroup size"};
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
                     std::format("'{}' is none of {}; all but unroll and alone are powers of two",
                                 pair, allChoices())};
    }
    return tuning;
}

}  // namespace coopvk::rewrite
