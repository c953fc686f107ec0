// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk advise` makes of its runs of a program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

// The runs of one side, with coopvk or without.
struct Side {
    std::vector<double> figures;  // seconds, or what the program says of itself; of good runs
    std::string failure;          // how the first bad run ended: "status 1"; empty if none did
};

// What a figure is, and which ones are good.
struct Metric {
    std::string_view unit;  // " s", or empty for the program's own
    bool higherIsBetter = false;
};

// Of the middle two, their mean. There is at least one.
double median(std::vector<double> figures);

// How far figures lie from their median, as a rule: the median of the distances. One run that was
// slower than the others, as the first is which fills caches, does not change it much.
double spread(const std::vector<double>& figures);

// How many times as fast the program is with coopvk, by the medians.
double speedup(const Side& with, const Side& without, const Metric& metric);

// Whether the medians differ by more than the runs of a side do, and than two of a hundred.
bool differ(const Side& with, const Side& without);

// One line: what to do, and why. `rewritten` are the extensions for which shaders were rewritten;
// empty: none were.
std::string adviceOf(const Side& with, const Side& without, const Metric& metric,
                     std::string_view rewritten);

// What a program says of itself: the first group of the last match in its output, as a number.
// `pattern` is an ECMAScript expression, which std::regex_error says if it is none. Looks at each
// line by itself, of which it takes the first 4096 characters.
std::optional<double> findFigure(std::string_view output, const std::string& pattern);

}  // namespace coopvk::tool
