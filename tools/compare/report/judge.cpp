// SPDX-License-Identifier: Apache-2.0
#include "compare/report/judge.hpp"

#include <algorithm>

namespace coopvk::compare {
namespace {

SideVerdict againstReference(const Plan& plan, const Outcome* outcome, std::vector<bool>& differs) {
    SideVerdict verdict;
    if (!outcome) return verdict;
    verdict.present = true;
    verdict.error = outcome->error;
    if (!outcome->result) return verdict;
    const Component type = plan.result.component;
    for (size_t i = 0; i < plan.expected.size(); ++i) {
        const uint64_t bits = outcome->result->elements[i];
        const Expected& expected = plan.expected[i];
        verdict.maxUlps = std::max(verdict.maxUlps, ulpsBetween(type, bits, expected.bits));
        if (allowed(type, expected, bits)) {
            verdict.maxShare = std::max(verdict.maxShare, shareOfFreedom(type, expected, bits));
        } else {
            ++verdict.off;
            differs[i] = true;
        }
    }
    return verdict;
}

std::vector<ElementRecord> record(const Plan& plan, const Outcome* native,
                                  const Outcome* emulated) {
    std::vector<ElementRecord> records(plan.expected.size());
    const Component type = plan.result.component;
    for (size_t i = 0; i < records.size(); ++i) {
        ElementRecord& r = records[i];
        const auto side = [&](const Outcome* outcome, uint64_t& bits, bool& off) {
            bits = outcome && outcome->result ? outcome->result->elements[i] : r.reference;
            off = !allowed(type, plan.expected[i], bits);
        };
        r.reference = plan.expected[i].bits;
        side(native, r.native, r.nativeOff);
        side(emulated, r.emulated, r.emulatedOff);
        r.ulps = ulpsBetween(type, r.native, r.emulated);
    }
    return records;
}

}  // namespace

std::string_view nameOf(Status status) {
    constexpr std::string_view kNames[] = {"agree", "differ", "error"};
    return kNames[static_cast<size_t>(status)];
}

Verdict judge(const Plan& plan, const Outcome* native, const Outcome* emulated,
              const Tolerance& tolerance) {
    Verdict verdict;
    verdict.rows = plan.result.rows;
    verdict.columns = plan.result.columns;
    verdict.component = plan.result.component;
    std::vector<bool> differs(plan.expected.size());
    verdict.native = againstReference(plan, native, differs);
    verdict.emulated = againstReference(plan, emulated, differs);
    const Component type = plan.result.component;
    for (size_t i = 0; i < differs.size(); ++i) {
        const auto side = [&](const Outcome* outcome) {
            return outcome && outcome->result ? outcome->result->elements[i]
                                              : plan.expected[i].bits;
        };
        const double ulps = ulpsBetween(type, side(native), side(emulated));
        verdict.maxUlps = std::max(verdict.maxUlps, ulps);
        // Integers must be exact, so a difference is already marked.
        if (info(type).isFloat() && ulps > tolerance.maxUlps) differs[i] = true;
        if (differs[i]) verdict.differing.push_back(static_cast<uint32_t>(i));
    }
    if (!verdict.differing.empty()) {
        verdict.status = Status::kDiffer;
        verdict.elements = record(plan, native, emulated);
    }
    if (!verdict.native.error.empty() || !verdict.emulated.error.empty())
        verdict.status = Status::kError;
    return verdict;
}

std::string_view culprit(const Verdict& verdict) {
    const bool native = verdict.native.off != 0, emulated = verdict.emulated.off != 0;
    if (native) return emulated ? "both" : "native";
    return emulated ? "emulated" : "";
}

}  // namespace coopvk::compare
