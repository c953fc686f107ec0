// SPDX-License-Identifier: Apache-2.0
//
// Branches that depend on data: lanes go both ways, one after the other, and where these meet each
// value is a choice. Only values of ids and of variables of one invocation may change on the way.
#pragma once

#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {

class Forks {
 public:
    explicit Forks(Computation& all) : all_(all) {}

    bool isInside() const { return !taken_.empty(); }
    // On which a lane is.
    Path pathOf(uint32_t lane) const;
    // Whether an instruction may execute on one of the ways.
    static bool isAllowed(const Subgroup& s);
    // At a conditional branch; nothing: the ways do not meet, or do more than compute.
    std::optional<Step> fork(Subgroup& s);

 private:
    // What a subgroup has computed, and where it is.
    struct State {
        std::vector<uint64_t> storage, privateData;
        std::vector<LaneMask> storageDefined, privateDefined;
        std::vector<Deviation> storageDeviations, privateDeviations;
        std::vector<uint32_t> iterations;
        std::vector<Frame> frames;
        LaneMask mask;
    };
    // The ways from a branch to a block of its function, or, with kNone, to the function's end.
    struct Ways {
        State before;
        std::vector<TermId> conditions;  // by lane; 0: known
        LaneMask both, first, second;    // lanes that go both ways, or one of them
        uint32_t meeting = kNone;
    };

    static State saved(const Subgroup& s);
    static void restore(Subgroup& s, const State& state);
    std::optional<Step> forkTo(Subgroup& s, uint32_t meeting);
    bool go(Subgroup& s, const Ways& ways, bool isFirst);
    void merge(Subgroup& s, const Ways& ways, const State& first);
    void mergeComponent(Subgroup& s, const Ways& ways, const State& first, uint64_t component,
                        uint32_t width, bool isPrivate);

    static constexpr uint32_t kMostDepth = 64, kMostForks = 1u << 14;
    Computation& all_;
    std::vector<std::pair<const Ways*, bool>> taken_;  // true: the first way
    uint32_t count_ = 0;
};

}  // namespace coopvk::reference::symbols
