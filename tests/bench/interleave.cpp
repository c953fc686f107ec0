// SPDX-License-Identifier: Apache-2.0
#include "interleave.hpp"

#include <algorithm>
#include <cmath>

namespace coopvk::bench {

Samples interleave(std::span<const Contender> contenders, uint32_t rounds) {
    Samples samples(contenders.size());
    for (const Contender& contender : contenders) contender.seconds();
    for (uint32_t round = 0; round < rounds; ++round)
        for (size_t i = 0; i < contenders.size(); ++i)
            samples[i].push_back(contenders[i].seconds());
    return samples;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double best(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double speedup(const std::vector<double>& of, const std::vector<double>& base) {
    std::vector<double> ratios;
    for (size_t i = 0; i < of.size(); ++i) ratios.push_back(base[i] / of[i]);
    return median(ratios);
}

uint32_t repetitions(double once, double wanted) {
    return static_cast<uint32_t>(std::clamp(std::ceil(wanted / std::max(once, 1e-9)), 1.0, 1000.0));
}

}  // namespace coopvk::bench
