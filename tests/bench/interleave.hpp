// SPDX-License-Identifier: Apache-2.0
//
// Comparisons that are reliable also on busy machines: contenders run alternately, and a ratio is
// the median of the ratios of all rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace coopvk::bench {

struct Contender {
    std::string name;
    std::function<double()> seconds;  // measures once
};

// One row per contender, one column per round.
using Samples = std::vector<std::vector<double>>;

// The first round does not count.
Samples interleave(std::span<const Contender> contenders, uint32_t rounds);

double median(std::vector<double> values);
double best(const std::vector<double>& values);
// How many times faster than `base`: above 1 is faster.
double speedup(const std::vector<double>& of, const std::vector<double>& base);

// How often to repeat work that takes `once`, so that a sample takes `wanted`; from 1 to 1000
// times.
uint32_t repetitions(double once, double wanted);

}  // namespace coopvk::bench
