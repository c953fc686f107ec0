// SPDX-License-Identifier: Apache-2.0
//
// Subgroups: arithmetic over the active lanes, votes, ballots, and values of other lanes (SPIR-V,
// 3.52.24). What comes from a lane that is not active is undefined.

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

using spv::GroupOperation;
using namespace operations;

// What an exclusive scan gives to the first lane (SPIR-V: the identity I): of floating-point
// numbers the number, of integers its low bits, and of signed ones the limits.
enum class Identity : uint8_t { kZero, kOne, kOnes, kHighest, kLowest };

uint64_t bitsOf(Identity identity, const Type& type) {
    static constexpr double kNumbers[] = {0, 1, NAN, INFINITY, -INFINITY};
    if (type.kind == Kind::kFloat)
        return numbers::encodeDouble(numberOf(type), kNumbers[size_t(identity)]);
    const uint64_t ones = lowBits(type.width);
    const uint64_t integers[] = {0, 1, ones, ones >> 1, (ones >> 1) + 1};
    return integers[size_t(identity)];
}

// The lanes of a cluster or quad.
LaneMask clusterOf(uint32_t lane, uint32_t size) {
    const uint32_t first = size == 0 ? 0 : lane / size * size;
    return LaneMask::firstLanes(first + size) & ~LaneMask::firstLanes(first);
}

// Operands: scope, operation, value, size of clusters or ballot of the partition. Lanes are
// combined in their order.
template <auto kCombine, Identity kIdentity>
Step group(Subgroup& s, const Instruction& i) {
    const auto operation = GroupOperation(i[1].word);
    const bool inclusive = operation == GroupOperation::InclusiveScan ||
                           operation == GroupOperation::PartitionedInclusiveScanNV;
    const bool exclusive = operation == GroupOperation::ExclusiveScan ||
                           operation == GroupOperation::PartitionedExclusiveScanNV;
    const uint32_t cluster =
        operation == GroupOperation::ClusteredReduce ? uint32_t(s.uniform(i, 3)) : s.lanes;
    const Value from = s.operand(i, 2), result = s.result(i);
    const Type& type = scalarOf(*i.type);
    const uint64_t identity = bitsOf(kIdentity, type);
    const Combine combine = kCombine;
    const auto setOf = [&](uint32_t lane) {
        const bool partitioned = operation >= GroupOperation::PartitionedReduceNV;
        return s.mask & (partitioned ? ballotAt(s.operand(i, 3), lane) : clusterOf(lane, cluster));
    };
    for (uint32_t c = 0; c < result.components(); ++c) {
        uint64_t running[kMaxLanes];  // of the whole set, where it is the same for many lanes
        LaneMask done;
        s.mask.forEach([&](uint32_t lane) {
            const LaneMask set = setOf(lane);
            const uint32_t first = set.any() ? set.first() : lane;
            if (!done.test(first)) {
                done.set(first);
                uint64_t sum = identity;
                set.forEach([&](uint32_t other) {
                    if (exclusive) running[other] = sum;
                    const uint64_t own = from.at(c, other);
                    sum = other == first ? own : combine(*s.program, type, sum, own);
                    if (inclusive) running[other] = sum;
                });
                if (!inclusive && !exclusive)
                    set.forEach([&](uint32_t other) { running[other] = sum; });
            }
            const LaneMask needed =
                inclusive || exclusive ? set & LaneMask::firstLanes(lane + inclusive) : set;
            result.set(c, lane, {running[lane], (needed & ~from.defined[c]).none()});
        });
    }
    return Step::kNext;
}

// The value: opcodes of SPV_KHR_subgroup_vote and _ballot have no operand of a scope before it.
uint32_t valueOperand(const Instruction& i) {
    const bool isOld = i.opcode >= OpSubgroupBallotKHR && i.opcode <= OpSubgroupReadInvocationKHR &&
                       i.opcode != OpGroupNonUniformRotateKHR;
    return isOld ? 0 : 1;
}

// The active lanes whose value is that of `lane`.
LaneMask lanesLike(Subgroup& s, const Value& value, uint32_t lane) {
    LaneMask same;
    s.mask.forEach([&](uint32_t other) {
        bool equal = true;
        for (uint32_t c = 0; c < value.components(); ++c)
            equal &= value.at(c, lane) == value.at(c, other);
        same.assign(other, equal);
    });
    return same;
}

Step elect(Subgroup& s, const Instruction& i) {
    return setLanes(s, i, [first = s.mask.first()](uint32_t lane) { return lane == first; });
}

// What lanes agree on, of the active lanes with a condition (or the first one's value), in each set
// of `active` lanes.
constexpr auto all = [](LaneMask yes, LaneMask active) { return (active & ~yes).none(); };
constexpr auto any = [](LaneMask yes, LaneMask active) { return (active & yes).any(); };

template <auto kVote, bool kEqual = false>
Step vote(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, valueOperand(i)), result = s.result(i);
    const LaneMask yes =
        kEqual ? lanesLike(s, from, s.mask.first()) : lanesWith(s, from.component(0));
    LaneMask defined = s.mask;
    for (uint32_t c = 0; c < from.components(); ++c) defined &= from.defined[c];
    result.define(0, defined == s.mask ? s.mask : LaneMask{}, s.mask);
    return setLanes(s, i, [agreed = kVote(yes, s.mask)](uint32_t) { return agreed; });
}
template <auto kVote>
Step quadVote(Subgroup& s, const Instruction& i) {
    const LaneMask yes = lanesWith(s, s.operand(i, 0).component(0));
    return setLanes(s, i, [&](uint32_t lane) { return kVote(yes, s.mask & clusterOf(lane, 4)); });
}

// Gives each lane a ballot.
template <typename BallotOf>
Step setBallots(Subgroup& s, const Instruction& i, BallotOf ballotOf) {
    const Value result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        const LaneMask ballot = ballotOf(lane);
        for (uint32_t c = 0; c < result.components(); ++c) result.at(c, lane) = ballot.word(c);
    });
    return Step::kNext;
}
Step ballot(Subgroup& s, const Instruction& i) {
    const LaneMask yes = lanesWith(s, s.operand(i, valueOperand(i)).component(0));
    return setBallots(s, i, [&](uint32_t) { return yes; });
}
// The lanes with the same value.
Step partition(Subgroup& s, const Instruction& i) {
    return setBallots(s, i, [&](uint32_t lane) { return lanesLike(s, s.operand(i, 0), lane); });
}

// Results from each lane's ballot: op(subgroup, instruction, ballot, lane).
template <uint32_t kOperand, auto kOp>
Step fromBallot(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, kOperand);
    return setLanes(s, i, [&](uint32_t lane) { return kOp(s, i, ballotAt(from, lane), lane); });
}
constexpr auto ownBit = [](Subgroup&, const Instruction&, LaneMask ballot, uint32_t lane) {
    return ballot.test(lane);
};
constexpr auto bitAt = [](Subgroup& s, const Instruction& i, LaneMask ballot, uint32_t lane) {
    const uint64_t bit = s.operand(i, 2).at(0, lane);
    return bit < kMaxLanes && ballot.test(uint32_t(bit));
};
// Only the bits of the subgroup's lanes count.
constexpr auto count = [](Subgroup& s, const Instruction& i, LaneMask ballot, uint32_t lane) {
    const auto operation = spv::GroupOperation(i[1].word);
    const uint32_t lanes = operation == spv::GroupOperation::Reduce          ? s.lanes
                           : operation == spv::GroupOperation::InclusiveScan ? lane + 1
                                                                             : lane;
    return (ballot & LaneMask::firstLanes(lanes)).count();
};
template <bool kLast>
constexpr auto findBit = [](Subgroup& s, const Instruction&, LaneMask ballot, uint32_t) {
    const LaneMask bits = ballot & LaneMask::firstLanes(s.lanes);
    return bits.none() ? 0xFFFFFFFFu : kLast ? bits.last() : bits.first();
};

// Gives each lane the value of the lane source(lane).
template <typename Source>
Step exchange(Subgroup& s, const Instruction& i, Source source) {
    const Value from = s.operand(i, valueOperand(i)), result = s.result(i);
    s.mask.forEach([&](uint32_t lane) {
        const uint64_t at = source(lane);
        const bool active = at < s.lanes && s.mask.test(uint32_t(at));
        for (uint32_t c = 0; c < result.components(); ++c)
            result.set(c, lane, active ? from.get(c, uint32_t(at)) : kUndefined);
    });
    return Step::kNext;
}

// The lane is kSource(lane, operand behind the value).
template <auto kSource>
Step subgroupShuffle(Subgroup& s, const Instruction& i) {
    const Value index = s.operand(i, 2);
    return exchange(s, i, [&](uint32_t lane) -> uint64_t {
        return kSource(uint64_t{lane}, index.at(0, lane));
    });
}
// That operand must be the same in all lanes. Directions in quads: 0 horizontal, 1 vertical, 2
// diagonal.
template <auto kSource>
Step uniformShuffle(Subgroup& s, const Instruction& i) {
    const uint64_t index = s.uniform(i, valueOperand(i) + 1);
    return exchange(s, i, [&](uint32_t lane) { return kSource(uint64_t{lane}, index); });
}
Step broadcastFirst(Subgroup& s, const Instruction& i) {
    return exchange(s, i, [first = s.mask.first()](uint32_t) -> uint64_t { return first; });
}
// Operands: scope, value, delta, size of clusters.
Step rotate(Subgroup& s, const Instruction& i) {
    const Value delta = s.operand(i, 2);
    const uint64_t size = i.operands.size() > 3 ? s.uniform(i, 3) : s.lanes;
    return exchange(s, i, [&](uint32_t lane) -> uint64_t {
        return ((lane + delta.at(0, lane)) & (size - 1)) + (lane & ~(size - 1));
    });
}

constexpr auto at = [](uint64_t, uint64_t index) { return index; };
constexpr auto across = [](uint64_t lane, uint64_t mask) { return lane ^ mask; };
constexpr auto below = [](uint64_t lane, uint64_t delta) { return lane - delta; };
constexpr auto above = [](uint64_t lane, uint64_t delta) { return lane + delta; };
constexpr auto ofQuad = [](uint64_t lane, uint64_t index) { return (lane & ~uint64_t{3}) + index; };
constexpr auto swapped = [](uint64_t lane, uint64_t direction) { return lane ^ (direction + 1); };

constexpr OpcodeRow kSubgroupRows[] = {
    row(OpGroupNonUniformIAdd, group<combineBits<add>, Identity::kZero>),
    row(OpGroupNonUniformFAdd, group<combineFloats<add>, Identity::kZero>),
    row(OpGroupNonUniformIMul, group<combineBits<multiply>, Identity::kOne>),
    row(OpGroupNonUniformFMul, group<combineFloats<multiply>, Identity::kOne>),
    row(OpGroupNonUniformSMin, group<combineSigned<least>, Identity::kHighest>),
    row(OpGroupNonUniformUMin, group<combineBits<least>, Identity::kOnes>),
    row(OpGroupNonUniformFMin, group<combineFloats<leastFloat>, Identity::kHighest>),
    row(OpGroupNonUniformSMax, group<combineSigned<most>, Identity::kLowest>),
    row(OpGroupNonUniformUMax, group<combineBits<most>, Identity::kZero>),
    row(OpGroupNonUniformFMax, group<combineFloats<mostFloat>, Identity::kLowest>),
    row(OpGroupNonUniformBitwiseAnd, group<combineBits<bitAnd>, Identity::kOnes>),
    row(OpGroupNonUniformBitwiseOr, group<combineBits<bitOr>, Identity::kZero>),
    row(OpGroupNonUniformBitwiseXor, group<combineBits<bitXor>, Identity::kZero>),
    row(OpGroupNonUniformLogicalAnd, group<combineBits<bitAnd>, Identity::kOne>),
    row(OpGroupNonUniformLogicalOr, group<combineBits<bitOr>, Identity::kZero>),
    row(OpGroupNonUniformLogicalXor, group<combineBits<bitXor>, Identity::kZero>),

    row(OpGroupNonUniformElect, elect, Defined::kAlways),
    row(OpGroupNonUniformAll, vote<all>),
    row(OpGroupNonUniformAny, vote<any>),
    row(OpGroupNonUniformAllEqual, vote<all, true>),
    row(OpGroupNonUniformBroadcast, uniformShuffle<at>),
    row(OpGroupNonUniformBroadcastFirst, broadcastFirst),
    row(OpGroupNonUniformBallot, ballot, Defined::kAlways),
    row(OpGroupNonUniformInverseBallot, fromBallot<1, ownBit>, Defined::kAll),
    row(OpGroupNonUniformBallotBitExtract, fromBallot<1, bitAt>, Defined::kAll),
    row(OpGroupNonUniformBallotBitCount, fromBallot<2, count>, Defined::kAll),
    row(OpGroupNonUniformBallotFindLSB, fromBallot<1, findBit<false>>, Defined::kAll),
    row(OpGroupNonUniformBallotFindMSB, fromBallot<1, findBit<true>>, Defined::kAll),
    row(OpGroupNonUniformShuffle, subgroupShuffle<at>),
    row(OpGroupNonUniformShuffleXor, subgroupShuffle<across>),
    row(OpGroupNonUniformShuffleUp, subgroupShuffle<below>),
    row(OpGroupNonUniformShuffleDown, subgroupShuffle<above>),
    row(OpGroupNonUniformRotateKHR, rotate),
    row(OpGroupNonUniformQuadBroadcast, subgroupShuffle<ofQuad>),
    row(OpGroupNonUniformQuadSwap, uniformShuffle<swapped>),
    row(OpGroupNonUniformQuadAllKHR, quadVote<all>, Defined::kAlways),
    row(OpGroupNonUniformQuadAnyKHR, quadVote<any>, Defined::kAlways),
    row(OpGroupNonUniformPartitionNV, partition, Defined::kAlways),
    row(OpSubgroupBallotKHR, ballot, Defined::kAlways),
    row(OpSubgroupFirstInvocationKHR, broadcastFirst),
    row(OpSubgroupAllKHR, vote<all>),
    row(OpSubgroupAnyKHR, vote<any>),
    row(OpSubgroupAllEqualKHR, vote<all, true>),
    row(OpSubgroupReadInvocationKHR, uniformShuffle<at>),
};

}  // namespace

Rows subgroupRows() { return kSubgroupRows; }

}  // namespace coopvk::reference
