// SPDX-License-Identifier: Apache-2.0
//
// Proofs: both sides are executed with symbols in memory, and what they leave there is compared for
// all contents of memory.
#pragma once

#include <optional>

#include "check.hpp"

namespace coopvk::check {

enum class ProofVerdict {
    kProved,
    kProvedFor,      // the values that bytes of memory have: the outcome's parameters
    kDiffers,        // an execution shows it
    kNotProvable,    // the message says what is in the way
    kRefused,        // by the rewriter
    kNotApplicable,  // as Verdict
    kNotExecutable,  // natively
};
std::string_view nameOf(ProofVerdict verdict);

// Bytes that have the value of this memory, not any.
struct ProofParameters {
    std::string range;  // of a buffer, in words
    std::vector<std::byte> values;
    bool isMadeUp = false;  // no dispatch had them
    bool operator==(const ProofParameters&) const = default;
};

struct ProofOutcome {
    uint32_t lanes = 0;
    std::string deviceClass;  // empty: the subject's own device
    rewrite::BackEnd backEnd = rewrite::BackEnd::kCore;
    ProofVerdict verdict = ProofVerdict::kProved;
    std::string message;
    uint64_t numbers = 0;      // that are proved
    uint64_t cases = 0;        // of bits that decide where the shader goes
    uint64_t terms = 0;        // of both sides
    uint32_t assumptions = 0;  // reference::Assumption, and those of assumptions.hpp
    double seconds = 0;
    std::optional<Outcome> shown;  // of kDiffers
    std::vector<ProofParameters> parameters;

    bool isProved() const {
        return verdict == ProofVerdict::kProved || verdict == ProofVerdict::kProvedFor;
    }
};
struct ProofOptions {
    Options check;           // lanes, back-ends, workgroups, memory
    bool hasDevice = false;  // false: each class of devices in turn
    bool tries = true;       // executions that show a difference, where nothing is proved
    // So many bytes of memory that decide addresses, sizes or branches may count as known.
    uint32_t parameters = 0;
};

// Throws std::bad_alloc.
std::vector<ProofOutcome> prove(const Subject& subject, const ProofOptions& options);

}  // namespace coopvk::check
