// SPDX-License-Identifier: Apache-2.0
//
// Which choices `coopvk tune` takes: those with which nothing measured gets slower, something gets
// faster by more than chance explains, and every result is right.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"

namespace coopvk::tune {

// A work with two tunings: seconds of each, and whether its results are right.
struct WorkFigures {
    std::string name;
    bool isRight = false, baseIsRight = false;
    tool::Side base, candidate;
    double operations = 0;  // of which the seconds are
};
struct Measured {
    std::string failure;  // why there are no figures: its process crashed, hung, or was refused
    std::vector<WorkFigures> works;
};

inline constexpr double kLeastGain = 1.05, kMostLoss = 0.98;

enum class Gain { kFailed, kWrong, kSlower, kSame, kFaster };
std::string_view nameOf(Gain gain);
struct Judgement {
    Gain gain = Gain::kFailed;
    double times = 1;  // as fast as the base: the geometric mean
    std::string why;   // the failure, or the work that decided
};
Judgement judge(const Measured& measured);

struct Choice {
    std::string name;
    std::vector<std::string> values;
};
// The tuning's text with a choice set to a value.
std::string withChoice(const std::string& tuning, const std::string& name,
                       const std::string& value);

struct Trial {
    std::string base, candidate;
    int repeat = 0;  // how often these were measured before; the last one of all: kFinal
    Judgement judgement;
};
inline constexpr int kFinal = -1;

struct Search {
    std::vector<Choice> choices;
    // Whether two tunings make the same of every work: then there is nothing to measure.
    std::function<bool(const std::string& base, const std::string& candidate)> areAlike;
    // Null: the time is up; not where `repeat` is kFinal.
    std::function<std::optional<Measured>(const Trial& trial)> measure;
    // Before (false) and after each trial.
    std::function<void(const Trial& trial, bool isDone)> tell;
};

struct Found {
    std::string tuning;   // empty: the usual choices
    Measured final;       // against the usual choices; no works: nothing was taken
    bool isWhole = true;  // all was tried before the time was up
};
Found search(const Search& how);

}  // namespace coopvk::tune
