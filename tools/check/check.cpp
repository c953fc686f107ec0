// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>

#include "checker.hpp"

namespace coopvk::check {
namespace {

struct VerdictRow {
    Verdict verdict;
    std::string_view name;
    bool isFault;
};
constexpr VerdictRow kVerdicts[] = {
    {Verdict::kAgrees, "agrees", false},
    {Verdict::kDiffers, "differs", true},
    {Verdict::kReports, "reports", true},
    {Verdict::kInvalid, "invalid", true},
    {Verdict::kRefused, "refused", false},
    {Verdict::kUndefined, "undefined", false},
    {Verdict::kNotExecutable, "not executable", false},
    {Verdict::kNotApplicable, "not applicable", false},
    {Verdict::kNotComparable, "not comparable", false},
    {Verdict::kLayout, "depends on the layout of elements", false},
};

const VerdictRow& rowOf(Verdict verdict) {
    return *std::ranges::find(kVerdicts, verdict, &VerdictRow::verdict);
}

}  // namespace

std::string_view nameOf(Verdict verdict) { return rowOf(verdict).name; }
bool isFault(Verdict verdict) { return rowOf(verdict).isFault; }

std::vector<Outcome> check(const Subject& subject, const Options& options) {
    Checker checker(subject, options);
    std::vector<Outcome> outcomes;
    for (const uint32_t lanes : options.lanes)
        for (Outcome& outcome : checker.checkAt(lanes)) outcomes.push_back(std::move(outcome));
    return outcomes;
}

}  // namespace coopvk::check
