// SPDX-License-Identifier: Apache-2.0
//
// Subgroups: votes, ballots, and values of other lanes (SPIR-V, 3.52.24). What comes from a lane
// that is not active is undefined.
#include <vector>

#include "execution/families.hpp"
#include "execution/frame.hpp"

namespace coopvk::reference {

namespace {

// Rows for opcodes of SPV_KHR_subgroup_vote and _ballot have no operand of a scope.
bool hasScope(const Instruction& i) {
    return i.opcode < spv::Op::OpSubgroupBallotKHR ||
           i.opcode > spv::Op::OpSubgroupReadInvocationKHR ||
           i.opcode == spv::Op::OpGroupNonUniformRotateKHR;
}

LaneMask lanesWith(Subgroup& s, const Value& condition) {
    LaneMask mask;
    forLanes(s, [&](uint32_t lane) {
        if (condition.at(0, lane) != 0) mask.set(lane);
    });
    return mask;
}

void setAll(Subgroup& s, const Value& result, uint32_t component, uint64_t bits, bool defined) {
    forLanes(s, [&](uint32_t lane) { result.at(component, lane) = bits; });
    LaneMask& lanes = result.defined[component];
    lanes = defined ? lanes | s.mask : lanes & ~s.mask;
}

bool allDefined(Subgroup& s, const Value& value) {
    for (uint32_t c = 0; c < value.components(); ++c)
        if ((s.mask & ~value.defined[c]).any()) return false;
    return true;
}

Step elect(Subgroup& s, const Instruction& i) {
    setAll(s, s.result(i), 0, 0, true);
    s.result(i).at(0, s.mask.first()) = 1;
    return Step::kNext;
}

enum class Vote { kAll, kAny };
template <Vote kVote>
Step vote(Subgroup& s, const Instruction& i) {
    const Value condition = s.operand(i, hasScope(i) ? 1 : 0);
    const LaneMask yes = lanesWith(s, condition);
    setAll(s, s.result(i), 0, kVote == Vote::kAll ? yes == s.mask : yes.any(),
           allDefined(s, condition));
    return Step::kNext;
}

Step allEqual(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, hasScope(i) ? 1 : 0);
    const uint32_t first = s.mask.first();
    bool same = true;
    for (uint32_t c = 0; c < from.components(); ++c)
        s.mask.forEach([&](uint32_t lane) { same &= from.at(c, lane) == from.at(c, first); });
    setAll(s, s.result(i), 0, same, allDefined(s, from));
    return Step::kNext;
}

void setBallot(const Value& result, uint32_t lane, LaneMask ballot) {
    const uint64_t words[] = {ballot.low & 0xFFFFFFFFu, ballot.low >> 32, ballot.high & 0xFFFFFFFFu,
                              ballot.high >> 32};
    for (uint32_t c = 0; c < result.components() && c < 4; ++c) {
        result.at(c, lane) = words[c];
        result.defined[c].set(lane);
    }
}
LaneMask ballotAt(const Value& ballot, uint32_t lane) {
    return {ballot.at(0, lane) | ballot.at(1, lane) << 32, ballot.at(2, lane) | ballot.at(3, lane)
                                                                                    << 32};
}

Step ballot(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const LaneMask yes = lanesWith(s, s.operand(i, hasScope(i) ? 1 : 0));
    s.mask.forEach([&](uint32_t lane) { setBallot(result, lane, yes); });
    return Step::kNext;
}

Step inverseBallot(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) { result.at(0, lane) = ballotAt(from, lane).test(lane); });
    return Step::kNext;
}

Step ballotBit(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 1), index = s.operand(i, 2), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const uint64_t bit = index.at(0, lane);
        result.at(0, lane) =
            bit < kMaxLanes && ballotAt(from, lane).test(static_cast<uint32_t>(bit));
    });
    return Step::kNext;
}

// Only the bits of the subgroup's lanes count.
Step ballotCount(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 2), result = s.result(i);
    const auto operation = static_cast<spv::GroupOperation>(i[1].word);
    forLanes(s, [&](uint32_t lane) {
        const uint32_t lanes = operation == spv::GroupOperation::Reduce          ? s.lanes
                               : operation == spv::GroupOperation::InclusiveScan ? lane + 1
                                                                                 : lane;
        result.at(0, lane) = (ballotAt(from, lane) & LaneMask::firstLanes(lanes)).count();
    });
    return Step::kNext;
}

template <bool kLast>
Step ballotFind(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const LaneMask bits = ballotAt(from, lane) & LaneMask::firstLanes(s.lanes);
        result.at(0, lane) = bits.none() ? 0xFFFFFFFFu : kLast ? bits.last() : bits.first();
    });
    return Step::kNext;
}

// Gives each lane the value of the lane source(lane).
template <typename Source>
Step exchange(Subgroup& s, const Instruction& i, const Value& from, Source source) {
    const Value result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        const uint64_t at = source(lane);
        const bool active = at < s.lanes && s.mask.test(static_cast<uint32_t>(at));
        for (uint32_t c = 0; c < result.components(); ++c) {
            const auto other = static_cast<uint32_t>(active ? at : lane);
            result.at(c, lane) = active ? from.at(c, other) : 0;
            result.defined[c].assign(lane, active && from.isDefined(c, other));
        }
    });
    return Step::kNext;
}

Step broadcast(Subgroup& s, const Instruction& i) {
    const uint32_t first = hasScope(i) ? 1 : 0;
    const uint64_t lane = s.uniform(i, first + 1);
    return exchange(s, i, s.operand(i, first), [lane](uint32_t) { return lane; });
}
Step broadcastFirst(Subgroup& s, const Instruction& i) {
    const uint64_t lane = s.mask.first();
    return exchange(s, i, s.operand(i, hasScope(i) ? 1 : 0), [lane](uint32_t) { return lane; });
}
template <auto kSource>
Step shuffle(Subgroup& s, const Instruction& i) {
    const Value index = s.operand(i, 2);
    return exchange(s, i, s.operand(i, 1), [&](uint32_t lane) -> uint64_t {
        return kSource(uint64_t{lane}, index.at(0, lane));
    });
}
// Operands: scope, value, delta, size of clusters.
Step rotate(Subgroup& s, const Instruction& i) {
    const Value delta = s.operand(i, 2);
    const uint64_t size = i.operands.size() > 3 ? s.uniform(i, 3) : s.lanes;
    return exchange(s, i, s.operand(i, 1), [&](uint32_t lane) -> uint64_t {
        return ((lane + delta.at(0, lane)) & (size - 1)) + (lane & ~(size - 1));
    });
}
// Direction: 0 horizontal, 1 vertical, 2 diagonal.
Step quadSwap(Subgroup& s, const Instruction& i) {
    const uint64_t direction = s.uniform(i, 2);
    return exchange(s, i, s.operand(i, 1), [&](uint32_t lane) { return lane ^ (direction + 1); });
}
template <Vote kVote>
Step quadVote(Subgroup& s, const Instruction& i) {
    const Value condition = s.operand(i, 0), result = s.result(i);
    const LaneMask yes = lanesWith(s, condition);
    s.mask.forEach([&](uint32_t lane) {
        const uint32_t first = lane & ~3u;
        const LaneMask quad =
            s.mask & LaneMask::firstLanes(first + 4) & ~LaneMask::firstLanes(first);
        result.at(0, lane) = kVote == Vote::kAll ? (quad & ~yes).none() : (quad & yes).any();
        result.defined[0].set(lane);
    });
    return Step::kNext;
}

// The lanes with the same value.
Step partition(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        LaneMask same;
        s.mask.forEach([&](uint32_t other) {
            bool equal = true;
            for (uint32_t c = 0; c < from.components(); ++c)
                equal &= from.at(c, lane) == from.at(c, other);
            if (equal) same.set(other);
        });
        setBallot(result, lane, same);
    });
    return Step::kNext;
}

constexpr auto at = [](uint64_t, uint64_t index) { return index; };
constexpr auto across = [](uint64_t lane, uint64_t mask) { return lane ^ mask; };
constexpr auto below = [](uint64_t lane, uint64_t delta) { return lane - delta; };
constexpr auto above = [](uint64_t lane, uint64_t delta) { return lane + delta; };
constexpr auto ofQuad = [](uint64_t lane, uint64_t index) { return (lane & ~uint64_t{3}) + index; };

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpGroupNonUniformElect, elect),
    row(spv::Op::OpGroupNonUniformAll, vote<Vote::kAll>),
    row(spv::Op::OpGroupNonUniformAny, vote<Vote::kAny>),
    row(spv::Op::OpGroupNonUniformAllEqual, allEqual),
    row(spv::Op::OpGroupNonUniformBroadcast, broadcast),
    row(spv::Op::OpGroupNonUniformBroadcastFirst, broadcastFirst),
    row(spv::Op::OpGroupNonUniformBallot, ballot),
    row(spv::Op::OpGroupNonUniformInverseBallot, inverseBallot, Defined::kAll),
    row(spv::Op::OpGroupNonUniformBallotBitExtract, ballotBit, Defined::kAll),
    row(spv::Op::OpGroupNonUniformBallotBitCount, ballotCount, Defined::kAll),
    row(spv::Op::OpGroupNonUniformBallotFindLSB, ballotFind<false>, Defined::kAll),
    row(spv::Op::OpGroupNonUniformBallotFindMSB, ballotFind<true>, Defined::kAll),
    row(spv::Op::OpGroupNonUniformShuffle, shuffle<at>),
    row(spv::Op::OpGroupNonUniformShuffleXor, shuffle<across>),
    row(spv::Op::OpGroupNonUniformShuffleUp, shuffle<below>),
    row(spv::Op::OpGroupNonUniformShuffleDown, shuffle<above>),
    row(spv::Op::OpGroupNonUniformRotateKHR, rotate),
    row(spv::Op::OpGroupNonUniformQuadBroadcast, shuffle<ofQuad>),
    row(spv::Op::OpGroupNonUniformQuadSwap, quadSwap),
    row(spv::Op::OpGroupNonUniformQuadAllKHR, quadVote<Vote::kAll>),
    row(spv::Op::OpGroupNonUniformQuadAnyKHR, quadVote<Vote::kAny>),
    row(spv::Op::OpGroupNonUniformPartitionNV, partition),
    row(spv::Op::OpSubgroupBallotKHR, ballot),
    row(spv::Op::OpSubgroupFirstInvocationKHR, broadcastFirst),
    row(spv::Op::OpSubgroupAllKHR, vote<Vote::kAll>),
    row(spv::Op::OpSubgroupAnyKHR, vote<Vote::kAny>),
    row(spv::Op::OpSubgroupAllEqualKHR, allEqual),
    row(spv::Op::OpSubgroupReadInvocationKHR, broadcast),
};

}  // namespace

Rows voteRows() { return kRows; }

}  // namespace coopvk::reference
