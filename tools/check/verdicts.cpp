// SPDX-License-Identifier: Apache-2.0
#include "checker.hpp"

namespace coopvk::check {

void Checker::countOf(const Pass& pass, Outcome& outcome) const {
    const Freedom* freedom = pass.freedom ? &*pass.freedom : nullptr;
    outcome.written = countWritten(module_, pass.memory, pass.exact, freedom);
    if (outcome.verdict != Verdict::kAgrees || outcome.written.all == 0) return;
    if (outcome.written.compared() != 0) return;
    if (outcome.written.unknown != 0) outcome.message = outcome.written.why;
    outcome.verdict = outcome.written.unknown != 0 ? Verdict::kNotComparable : Verdict::kLayout;
}

// Of differences.
Verdict Checker::verdictOf(const Pass& pass, Outcome& outcome) const {
    if (!pass.outside.empty()) outcome.native = pass.outside;
    if (pass.isLimited() || (pass.freedom->checks & reference::kCheckRaces) != 0)
        return Verdict::kUndefined;
    if (pass.freedom->decision.empty()) return Verdict::kDiffers;
    outcome.message =
        "a branch or an address depends on a float that may be another: " + pass.freedom->decision;
    return Verdict::kNotComparable;
}

}  // namespace coopvk::check
