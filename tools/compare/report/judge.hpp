// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a case: compares native with emulated, and each of them with the reference.
#pragma once

#include <limits>

#include "compare/cases/plan.hpp"
#include "compare/run/side.hpp"

namespace coopvk::compare {

// The results of one side, compared with the reference.
struct SideVerdict {
    bool present = false;  // it took part
    std::string error;     // why there is no result
    size_t off = 0;        // elements that the specification does not allow
    double maxUlps = 0;    // from the reference's rounded result
    double maxShare = 0;   // of the allowed difference that is used
};

// One element of a case that does not agree, for reports.
struct ElementRecord {
    uint64_t native = 0, emulated = 0, reference = 0;
    bool nativeOff = false, emulatedOff = false;
    double ulps = 0;  // between the sides
};

enum class Status { kAgree, kDiffer, kError };
std::string_view nameOf(Status status);  // "agree", ...

struct Verdict {
    size_t number = 0;  // of the case, in the whole grid
    const Case* subject = nullptr;
    Status status = Status::kAgree;
    SideVerdict native, emulated;
    // Between the sides; if one is missing, between the other and the reference.
    double maxUlps = 0;
    uint32_t rows = 0, columns = 0;
    Component component = VK_COMPONENT_TYPE_FLOAT32_KHR;
    std::vector<uint32_t> differing;      // places of elements, row by row
    std::vector<ElementRecord> elements;  // all of them, where some differ
};

struct Tolerance {
    // Floats that are further apart differ, whatever the specification says.
    double maxUlps = std::numeric_limits<double>::infinity();
};

// Sides that do not take part are null.
Verdict judge(const Plan& plan, const Outcome* native, const Outcome* emulated,
              const Tolerance& tolerance);
// Which side is off the reference: "native", "emulated", "both" or "".
std::string_view culprit(const Verdict& verdict);

}  // namespace coopvk::compare
