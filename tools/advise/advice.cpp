// SPDX-License-Identifier: Apache-2.0
#include "advise/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <format>
#include <iterator>
#include <regex>

namespace coopvk::tool {
namespace {

// A difference that does not matter, as a part of the smaller median.
constexpr double kSmallest = 0.02;
// No program's runs are closer than this, as the deviation is a part of the mean: few of them may
// be equal by chance.
constexpr double kSmallestDeviation = 0.005;
// Of a program that ran only once on a side, which says nothing of it.
constexpr double kUnknownDeviation = 0.1;
constexpr size_t kMaxLine = 4096;  // std::regex needs stack in proportion to the text's length

// Student's t for 95 % on both sides, by the degrees of freedom.
double student(double degrees) {
    constexpr double kTable[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    const auto row = static_cast<size_t>(std::max(degrees, 1.0)) - 1;
    return row < std::size(kTable) ? kTable[row] : 1.96 + 2.7 / degrees;
}

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

double mean(const std::vector<double>& figures) {
    double sum = 0;
    for (const double figure : figures) sum += figure;
    return sum / static_cast<double>(figures.size());
}

double deviation(const std::vector<double>& figures) {
    const double middle = mean(figures);
    if (figures.size() < 2) return kUnknownDeviation * std::abs(middle);
    double squares = 0;
    for (const double figure : figures) squares += (figure - middle) * (figure - middle);
    return std::max(std::sqrt(squares / static_cast<double>(figures.size() - 1)),
                    kSmallestDeviation * std::abs(middle));
}

double noise(const Side& with, const Side& without) {
    double variance = 0, parts = 0;  // of the means' difference; Welch and Satterthwaite's sum
    for (const Side* side : {&with, &without}) {
        const auto count = static_cast<double>(side->figures.size());
        const double part = std::pow(deviation(side->figures), 2) / count;
        variance += part;
        parts += part * part / std::max(count - 1, 1.0);
    }
    if (variance == 0) return 0;
    // A single run's deviation is assumed, not estimated.
    const bool isAssumed = with.figures.size() < 2 && without.figures.size() < 2;
    return (isAssumed ? 2 : student(variance * variance / parts)) * std::sqrt(variance);
}

double speedup(const Side& with, const Side& without, const Metric& metric) {
    const double ratio = median(with.figures) / median(without.figures);
    return metric.higherIsBetter ? ratio : 1 / ratio;
}

bool differ(const Side& with, const Side& without) {
    const double a = median(with.figures), b = median(without.figures);
    const double difference = mean(with.figures) - mean(without.figures);
    // Where one run far off turns means and medians around, nothing can be said.
    return std::abs(difference) > noise(with, without) && difference * (a - b) > 0 &&
           std::abs(a - b) > kSmallest * std::min(std::abs(a), std::abs(b));
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
        return "either: such a difference may be chance, as runs of the same kind differ; more "
               "runs "
               "(--runs) may show more";
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
