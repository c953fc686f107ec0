// SPDX-License-Identifier: Apache-2.0
//
// The setting RECONVERGENCE: lanes that part stay apart until something promises that they come
// together again. The lanes that execute together are a tangle (SPIR-V, 2.2.5). What promises:
//
//   - "Uniform Control Flow" (SPIR-V, 2.2.5): a construct that all invocations of the workgroup
//     enter together and leave by its merge block; with SubgroupUniformControlFlowKHR, all of the
//     subgroup
//   - the return from a function that all of them call together and return from
//   - MaximallyReconvergesKHR: then the lanes meet at merge blocks, as in control.cpp.
#pragma once

#include "execution/frame.hpp"

namespace coopvk::reference {

// Some of the lanes that execute go along an edge.
struct Parting {
    const Edge* edge = nullptr;
    LaneMask mask;
};

// Where the lanes that enter a construct or a function may be together again.
struct Join {
    size_t depth = 0;         // frames; of a call: with that of the function
    uint32_t header = kNone;  // blocks of the frame; of a call: none
    uint32_t merge = kNone, continueTarget = kNone;
    uint32_t expected = 0, arrived = 0;  // invocations
    bool isPromised = false;             // else nobody waits
    bool mayLeave = false;               // it holds for those that come, if others do not
    bool ofWorkgroup = false;

    bool isComplete() const { return isPromised && arrived == expected; }
};

// Lanes that do not execute now.
struct Tangle {
    LaneMask mask;
    std::vector<Frame> frames;
    std::vector<uint32_t> iterations;
    std::vector<std::shared_ptr<Join>> joins;
    std::shared_ptr<Join> awaited;         // null: it can go on
    const Instruction* barrier = nullptr;  // at which it waits for the other lanes

    bool canGoOn() const {
        const bool isReady = awaited == nullptr || awaited->isComplete() || !awaited->isPromised;
        return isReady && barrier == nullptr;
    }
};

// The tangles of a subgroup, beside that which executes.
struct Tangles {
    bool isUniform = true;  // all invocations of the workgroup are at the same dynamic instance
    std::vector<std::shared_ptr<Join>> joins;  // around what executes, the innermost last
    std::vector<Tangle> others;
    bool isTogether = false;    // all lanes that reach this barrier are there
    bool haveReturned = false;  // some met because they returned from one call

    // What all subgroups decide together where control flow is uniform.
    uint32_t target = kNone;  // the block to which all lanes go; none: they part
    bool staysUniform = true;
    std::shared_ptr<Join> together;  // of what they enter
};

// What happens on the way to a block.
void pass(Subgroup& s, const Edge& edge, LaneMask mask);

// Whether the subgroup is at an instruction where control flow may stop to be uniform, and not at a
// barrier; then what all subgroups do there.
bool isAtDecision(const Subgroup& s);
void decide(Workgroup& group);

// Branches, calls, returns, and the ends of lanes, in place of those of control.cpp.
Step branchApart(Subgroup& s, std::span<const Parting> parts);
Step callApart(Subgroup& s, const Function& function);
Step returnApart(Subgroup& s);
Step endApart(Subgroup& s);
// Lanes reach a barrier of the workgroup. Step::kNext: all are there, or nothing brings the others.
Step waitApart(Subgroup& s);
// The next tangle that can go on. Step::kWait: others of the workgroup have to come first.
Step resumeApart(Subgroup& s);
bool canGoOn(const Subgroup& s);

}  // namespace coopvk::reference
