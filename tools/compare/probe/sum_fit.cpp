// SPDX-License-Identifier: Apache-2.0
#include "compare/probe/sum_fit.hpp"

#include <algorithm>
#include <format>

namespace coopvk::compare {
namespace {

using reference::Factor;
using reference::numbers::Number;

constexpr uint64_t kSample = 512;  // sums of each run, by which rules are chosen
constexpr uint64_t kFirst = 64;    // of these: rules that explain less than half of them are out
constexpr size_t kMostFits = 6;

// Every rule that differs from others somewhere.
std::vector<SumRuleGuess> guesses(const MatrixRow& row) {
    const bool isNarrow = row.result != VK_COMPONENT_TYPE_FLOAT32_KHR;
    const int32_t mantissa = info(row.result).mantissaBits;
    std::vector<SumRuleGuess> all;
    std::vector<int32_t> bits{reference::kAllBits};
    for (int32_t b = 8; b <= 36; ++b) bits.push_back(b);
    struct End {
        bool cuts;
        int32_t mantissa;
        bool inSingle;
    };
    const std::vector<End> ends =
        isNarrow ? std::vector<End>{{false, mantissa, false},
                                    {true, mantissa, false},
                                    {false, 23, true},
                                    {true, 23, true}}
                 : std::vector<End>{{false, 23, false}, {true, 23, false}, {true, 13, false}};
    const auto add = [&](const SumModel& model) {
        all.push_back({model, false});
        if (model.block > 1 && model.block < row.k) all.push_back({model, true});
    };
    for (uint32_t block = 1; block <= row.k; block *= 2) {
        for (const int32_t kept : bits) {
            for (const End& end : ends) {
                // Exact steps of the reference's sums round to nearest.
                if (kept == reference::kAllBits && end.cuts) continue;
                SumModel model{block, kept, end.cuts, end.mantissa, -133};
                model.inSingle = end.inSingle;
                for (const bool down : {false, true}) {
                    model.dropsDown = down;
                    if (!down || kept != reference::kAllBits) add(model);
                }
                if (2 * block != row.k || kept == reference::kAllBits) continue;
                model.dropsDown = false;
                model.stages = reference::Stages::kPairsApart;
                all.push_back({model, false});
            }
        }
    }
    for (const reference::Stages stages :
         {reference::Stages::kProductsFirst, reference::Stages::kHalvesFirst})
        for (uint32_t block = 2; block <= row.k; block *= 2)
            add({block, 24, false, 23, -999, stages, false, isNarrow});
    return all;
}

void count(std::span<const SumRun> runs, const SumRuleGuess& guess, uint64_t first, uint64_t end,
           SumCount& counted) {
    for (const SumRun& run : runs) {
        const uint64_t last = std::min(end, run.sums());
        // Spread over all products of the run.
        const uint64_t step = std::max<uint64_t>(run.sums() / std::max<uint64_t>(last, 1), 1) | 1;
        for (uint64_t i = first; i < last; ++i) {
            const uint64_t sum = i * step % run.sums();
            counted.add(run.row(), run.predict(guess, sum), run.seen(sum));
        }
    }
}

}  // namespace

Number numberOf(Component type) {
    return *reference::numbers::byVulkanType(static_cast<uint32_t>(type));
}

std::string textOf(const SumRuleGuess& guess) {
    const SumModel& m = guess.model;
    std::string text = m.block == 0 ? "all products" : std::format("{} products", m.block);
    if (guess.strided) text += ", not neighbours,";
    text += " at once";
    if (m.stages == reference::Stages::kProductsFirst) text += ", the products first";
    if (m.stages == reference::Stages::kHalvesFirst) text += ", halves of the products first";
    if (m.stages == reference::Stages::kPairsApart)
        text += ", of each four the first two, then the others, then the sum";
    text += m.bits == reference::kAllBits
                ? ", exactly"
                : std::format(", {} bits below the largest exponent, rest dropped {}", m.bits,
                              m.dropsDown ? "down" : "toward zero");
    text += m.cuts ? std::format(", result cut to {} bits", m.mantissa)
                   : std::string(", result rounded to nearest");
    return text + (m.inSingle ? ", in f32 until the last" : "");
}

void SumCount::add(const MatrixRow& row, uint64_t predicted, uint64_t seen) {
    ++sums;
    const uint64_t magnitude = maskBits(~uint64_t{0}, info(row.result).bits - 1);
    if (predicted == seen)
        ++equal;
    else if (isNan(row.result, predicted) && isNan(row.result, seen))
        ++otherNan;
    else if (((predicted | seen) & magnitude) == 0)
        ++otherZero;
}

SumRun::SumRun(const Products& products, const std::vector<uint64_t>& results)
    : products_(products), results_(results) {
    const MatrixRow& row = products.row;
    const Number a = numberOf(row.a), b = numberOf(row.b);
    for (const uint64_t bits : products.a) a_.push_back(reference::factorOf(a, bits));
    b_.resize(products.b.size());
    const size_t size = size_t{row.k} * row.n;
    for (size_t e = 0; e < products.b.size(); ++e) {
        const size_t within = e % size, k = within / row.n, column = within % row.n;
        b_[e - within + column * row.k + k] = reference::factorOf(b, products.b[e]);
    }
}

SumRun::Place SumRun::placeOf(uint64_t sum) const {
    const uint32_t m = row().m, n = row().n;
    return {size_t(sum / (m * n)), uint32_t(sum / n % m), uint32_t(sum % n)};
}

uint64_t SumRun::predict(const SumRuleGuess& guess, uint64_t sum) const {
    const auto [product, r, c] = placeOf(sum);
    const uint32_t k = row().k;
    const auto a = std::span(a_).subspan((product * row().m + r) * k, k);
    const auto b = std::span(b_).subspan((product * row().n + c) * k, k);
    const Number result = numberOf(row().result);
    if (!guess.strided) return reference::addProducts(guess.model, a, b, addend(sum), result);
    std::vector<Factor> left, right;
    const uint32_t step = k / guess.model.block;
    for (uint32_t first = 0; first < step; ++first) {
        for (uint32_t i = first; i < k; i += step) {
            left.push_back(a[i]);
            right.push_back(b[i]);
        }
    }
    return reference::addProducts(guess.model, left, right, addend(sum), result);
}

std::string SumRun::operandsOf(uint64_t sum) const {
    const auto [product, r, c] = placeOf(sum);
    const uint32_t m = row().m, n = row().n, k = row().k;
    std::string a, b;
    for (uint32_t i = 0; i < k; ++i) {
        a += std::format("{}{:x}", i ? " " : "", products_.a[(product * m + r) * k + i]);
        b += std::format("{}{:x}", i ? " " : "", products_.b[(product * k + i) * n + c]);
    }
    return std::format("a=[{}] b=[{}] c={:x}", a, b, addend(sum));
}

std::vector<SumFit> fitSums(std::span<const SumRun> runs) {
    std::vector<SumFit> fits;
    for (const SumRuleGuess& guess : guesses(runs.front().row())) {
        SumFit fit{.guess = guess, .sample = {}, .all = {}};
        count(runs, guess, 0, kFirst, fit.sample);
        if (2 * fit.sample.alike() < fit.sample.sums) continue;
        count(runs, guess, kFirst, kSample, fit.sample);
        fits.push_back(fit);
    }
    std::ranges::stable_sort(
        fits, [](const SumFit& a, const SumFit& b) { return a.sample.alike() > b.sample.alike(); });
    if (fits.size() > kMostFits) fits.resize(kMostFits);
    for (SumFit& fit : fits) {
        if (fit.sample.alike() != fit.sample.sums) continue;
        for (const SumRun& run : runs) count(std::span(&run, 1), fit.guess, 0, run.sums(), fit.all);
    }
    std::ranges::stable_sort(
        fits, [](const SumFit& a, const SumFit& b) { return a.all.alike() > b.all.alike(); });
    return fits;
}

}  // namespace coopvk::compare
