// SPDX-License-Identifier: Apache-2.0
#include "advise/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <format>
#include <regex>

namespace coopvk::tool {
namespace {

constexpr double kSmallest =
    0.02;  // a difference that does not matter, as a part of the smaller median
constexpr size_t kMaxLine = 4096;  // std::regex needs stack in proportion to the text's length

std::string compared(double speedup) {
    return speedup >= 1 ? std::format("{:.2f} times as fast with it", speedup)
                        : std::format("{:.2f} times as fast without it", 1 / speedup);
}

}  // namespace

double median(std::vector<double> figures) {
    std::ranges::sort(figures);
    const size_t half = figures.size() / 2;
    return figures.size() % 2 == 1 ? figures[half] : (figures[half - 1] + figures[half]) / 2;
}

double spread(const std::vector<double>& figures) {
    const double middle = median(figures);
    std::vector<double> distances;
    for (const double figure : figures) distances.push_back(std::abs(figure - middle));
    return median(std::move(distances));
}

double speedup(const Side& with, const Side& without, const Metric& metric) {
    const double ratio = median(with.figures) / median(without.figures);
    return metric.higherIsBetter ? ratio : 1 / ratio;
}

bool differ(const Side& with, const Side& without) {
    const double a = median(with.figures), b = median(without.figures);
    const double noise = 2 * std::max(spread(with.figures), spread(without.figures));
    return std::abs(a - b) > std::max(noise, kSmallest * std::min(std::abs(a), std::abs(b)));
}

std::string adviceOf(const Side& with, const Side& without, const Metric& metric,
                     std::string_view rewritten) {
    if (!with.failure.empty() && !without.failure.empty()) {
        return std::format("none: the program fails without coopvk, too ({}, and {} with it)",
                           without.failure, with.failure);
    }
    if (!with.failure.empty()) {
        return "leave coopvk off: the program fails with it (" + with.failure + ")";
    }
    if (!without.failure.empty()) {
        return "use coopvk: the program fails without it (" + without.failure + ")";
    }
    if (rewritten.empty()) {
        return "leave coopvk off: no shader was rewritten, so coopvk cannot help";
    }
    const double times = speedup(with, without, metric);
    if (!differ(with, without)) {
        return "either: the difference is no larger than the difference between runs of the same "
               "kind; more runs (--runs) may show more";
    }
    return times > 1 ? "use coopvk: the program is " + compared(times)
                     : "leave coopvk off: the program is " + compared(times) +
                           "; its own shaders without emulated extensions are faster";
}

std::optional<double> findFigure(std::string_view output, const std::string& pattern) {
    const std::regex expression(pattern);
    std::optional<double> figure;
    while (!output.empty()) {
        const std::string_view whole = output.substr(0, output.find('\n'));
        output.remove_prefix(std::min(whole.size() + 1, output.size()));
        const std::string line(whole.substr(0, kMaxLine));
        for (std::sregex_iterator match(line.begin(), line.end(), expression), end; match != end;
             ++match) {
            const std::string text = match->size() > 1 ? match->str(1) : match->str();
            char* rest = nullptr;
            const double value = std::strtod(text.c_str(), &rest);
            if (rest != text.c_str() && std::isfinite(value)) figure = value;
        }
    }
    return figure;
}

}  // namespace coopvk::tool
