// SPDX-License-Identifier: Apache-2.0
//
// What a check is made of: executions with the same memory and workgroups, natively and rewritten.
#pragma once

#include <bit>
#include <deque>
#include <optional>

#include "check.hpp"
#include "replay.hpp"
#include "rewriting.hpp"

namespace coopvk::check {

// Executions with one memory. What depends on the subgroup size is of the native execution there.
struct Pass {
    std::string name;  // what it changes; empty: nothing
    MemoryChoice choice;
    Memory memory;
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::vector<reference::Choice> schedules;
    Execution exact;  // natively, with sums that are rounded once
    std::optional<Freedom> freedom;
    std::optional<bool> reliesOnReconvergence;  // the module itself, natively
    bool isFilled = false;                      // by the formats in which an execution accessed it
    bool hasRaces = false;  // of its own: one schedule, without the check of races
    // Of results that the specifications leave undefined, outside of the domain of an instruction.
    // Then these are what the reference device computes, on both sides.
    std::vector<reference::Report> outside;

    // Whether it shows less than the execution of a right program.
    bool isLimited() const { return hasRaces || !outside.empty(); }
};

// What a pass changes.
struct Change {
    bool values = false, parameters = false, specials = false;
    std::array<uint32_t, 3> groups = {1, 1, 1};
};
// Devices may contract sums of products: so does that of every other size.
constexpr bool contractsAt(uint32_t lanes) { return std::countr_zero(lanes) % 2 != 0; }
Pass passWith(const Module& module, const Options& options, const Change& change);
// Lists of passes: each is tried where those of the lists ahead of it are not right programs.
std::vector<std::vector<Change>> furtherChanges(const Options& options, const Interface& interface);

class Checker {
 public:
    Checker(const Subject& subject, const Options& options);
    std::vector<Outcome> checkAt(uint32_t lanes);

 private:
    reference::Settings settings(const Pass& pass, reference::Choice schedule,
                                 reference::Choice sums) const;
    reference::Settings exactSettings(const Pass& pass) const;
    reference::Choice sumsFor(reference::Choice schedule) const;
    void keepReplay(Pass& pass, std::span<const uint32_t> words, const Side& side,
                    const Outcome& outcome) const;
    void executeNative(Pass& pass) const;
    void growBuffers(Pass& pass) const;
    void executeDefined(Pass& pass) const;
    std::optional<Verdict> checkNative(Pass& pass, Outcome& outcome);
    std::deque<Pass> furtherPasses();
    std::deque<Pass> otherPasses();
    std::optional<std::vector<uint32_t>> rewritten(rewrite::BackEnd backEnd,
                                                   Outcome& outcome) const;
    Outcome checkFor(rewrite::BackEnd backEnd, std::deque<Pass>& further);
    Outcome checkDevice(Pass& pass, const OnDevice& on);
    void allowFlushes(Pass& pass, const OnDevice& on, Outcome& outcome);
    Outcome checkOnDevice(std::deque<Pass>& further);
    void checkPass(const Side& side, Pass& pass, Outcome& outcome);
    void checkWith(const Side& side, Pass& pass, reference::Choice schedule, Outcome& outcome);
    const Freedom& freedomOf(Pass& pass) const;
    bool reliesOnReconvergence(Pass& pass) const;
    Execution executeAs(const Side& side, Pass& pass, reference::Choice schedule,
                        reference::Settings& with, Outcome& outcome) const;
    void countOf(const Pass& pass, Outcome& outcome) const;
    Verdict verdictOf(const Pass& pass, Outcome& outcome) const;
    std::span<const SpecializationValue> specializationFor() const;

    const Subject subject_;  // with its stage
    const Options options_;
    Module module_;
    std::string entryPoint_;
    Pass first_;  // which changes nothing
    uint32_t lanes_ = 0;
    std::optional<reference::Choice> placement_;  // of elements of matrices, with these lanes
    uint32_t executed_ = 0;                       // subgroup sizes at which the module was executed
    Side native_;
};

}  // namespace coopvk::check
