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
    uint32_t assumptions = 0;  // reference::Assumption, and what follows
    double seconds = 0;
    std::optional<Outcome> shown;  // of kDiffers
    std::vector<ProofParameters> parameters;

    bool isProved() const {
        return verdict == ProofVerdict::kProved || verdict == ProofVerdict::kProvedFor;
    }
};
// Beside reference::Assumption: SubgroupLocalInvocationId follows from LocalInvocationIndex.
inline constexpr uint32_t kLanesInOrder = 1u << 16;
// Elements lie in lanes as the reference device has them.
inline constexpr uint32_t kElementLayout = 1u << 17;
// Bindings share no memory, although they are Aliased; uniform buffers and push constants are those
// of no dispatch.
inline constexpr uint32_t kBindingsApart = 1u << 18, kMadeUpValues = 1u << 19;
// Lanes that part meet at merge blocks, on which the original relies although nothing promises it.
inline constexpr uint32_t kLanesMeet = 1u << 20;
// Optimal layouts are those of the reference device; Volatile memory changes by accesses alone.
inline constexpr uint32_t kOptimalLayouts = 1u << 21, kVolatileMemory = 1u << 22;
// The device has what only the rewritten module's capabilities need; addresses in memory are known.
inline constexpr uint32_t kMoreCapabilities = 1u << 23, kKnownAddresses = 1u << 24;
// Pointers that are Restrict or not Aliased in the rewritten module are so in the original.
inline constexpr uint32_t kRestrictPointers = 1u << 25;
// In words.
std::vector<std::string_view> assumptionsOf(uint32_t assumptions);

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
