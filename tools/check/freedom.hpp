// SPDX-License-Identifier: Apache-2.0
//
// What the specifications leave open in a module's results, from native executions that make
// different choices, and the comparison that allows for it.
#pragma once

#include <set>

#include "side.hpp"

namespace coopvk::check {

struct Difference {
    std::string buffer;
    uint64_t byte = 0;  // offset in the buffer
    std::string native, rewritten;
    uint64_t count = 0;  // numbers of the buffer that differ; this is the first one
    Watch place;         // of the number
    // The last writes to it: instruction, values, place in the dispatch. Empty: nothing wrote it.
    std::string nativeWrite, rewrittenWrite;
};

struct Comparison {
    std::vector<Difference> differences;  // at most one for each buffer
    uint64_t inexact = 0;                 // numbers that differ as far as the specifications allow
    uint64_t unknown = 0;                 // numbers that differ, and may be anything
};

// Numbers that the native execution wrote, and those of them that may be anything.
struct WrittenCount {
    uint64_t all = 0, open = 0;
    uint64_t unknown = 0;  // of the others: of which the native execution knows no interval
    std::string why = "";  // of the first one
    uint64_t compared() const { return all - open - unknown; }
};

// Of one buffer.
struct BufferFreedom {
    // Of each byte what else may be there in place of `contents`.
    std::vector<reference::Deviation> deviations;
    std::vector<std::byte> contents;
    // Offsets of numbers that depend on which invocation holds which element: they may be anything.
    std::vector<bool> isOpen;
};

struct Freedom {
    std::vector<BufferFreedom> buffers;
    uint32_t checks = 0;  // those that reported something
    // Lines of source of stores that are in a race with themselves where functions are called again
    // for an element, as SPV_NV_cooperative_matrix2 allows.
    std::set<std::string> repeated;
    std::shared_ptr<const reference::Intervals> intervals;  // null: none, all floats are exact
    std::string decision;  // what depends on a float that may be another: then all may differ

    bool allows(const reference::Report& report) const;
};

// `native`: with lines, as the rewritten module. `exact`: native, with sums that are rounded once.
// `settings`: those of that execution.
Freedom findFreedom(const Module& module, const Memory& memory, const Side& native,
                    std::array<uint32_t, 3> groups, const reference::Settings& settings,
                    const Execution& exact, reference::Functions functions);

// Numbers have the formats in which `native` wrote them, if that is kept.
Comparison compare(const Module& module, const Memory& memory, const Execution& native,
                   const Execution& rewritten, const Freedom& freedom);

// What `got` has, but where it has a number of `other`, that of `native`.
Execution asNative(const Module& module, const Memory& memory, const Execution& native,
                   const Execution& other, const Execution& got);

// `native` with its writers. Without freedom nothing is open.
WrittenCount countWritten(const Module& module, const Memory& memory, const Execution& native,
                          const Freedom* freedom);

}  // namespace coopvk::check
