// SPDX-License-Identifier: Apache-2.0
//
// How `coopvk advise` evaluates its runs of a program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

// The runs of one side, with coopvk or without.
struct Side {
    std::vector<double> figures;  // seconds, or the program's own figures; of successful runs
    std::string failure;  // how the first failed run ended: "status 1"; empty if none failed
};

// What a figure means, and whether higher ones are better.
struct Metric {
    std::string_view unit;  // " s", or empty for the program's own
    bool higherIsBetter = false;
};

// With an even number of figures, the mean of the middle two. There is at least one.
double median(std::vector<double> figures);

// The standard deviation, estimated from the figures; of a single one, a tenth of it.
double deviation(const std::vector<double>& figures);

// The least difference of the sides' means that chance does not explain: a 95 % interval of
// Student's t by Welch, for sides with different deviations.
double noise(const Side& with, const Side& without);

// How many times as fast the program is with coopvk, by the medians.
double speedup(const Side& with, const Side& without, const Metric& metric);

// Whether the sides differ by more than noise, and their medians by more than two percent.
bool differ(const Side& with, const Side& without);

// One line: what to do, and why. `rewritten` are the extensions for which shaders were rewritten;
// empty: none were.
std::string adviceOf(const Side& with, const Side& without, const Metric& metric,
                     std::string_view rewritten);

// The program's own figure: the first group of the last match in its output, as a number. `pattern`
// is an ECMAScript expression; if it is not valid, throws std::regex_error. Matches each line by
// itself, of which it uses the first 4096 characters.
std::optional<double> findFigure(std::string_view output, const std::string& pattern);

}  // namespace coopvk::tool
