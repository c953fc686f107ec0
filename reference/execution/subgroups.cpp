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
    if (size == 0) return {};
    const uint32_t first = lane / size * size;
    return LaneMask::firstLanes(first + size) & ~LaneMask::firstLanes(first);
}

// Operands: scope, operation, value, size of clusters or ballot of the partition.
LaneMask groupOf(const Subgroup& s, uint32_t lane) {
    const auto operation = GroupOperation(s.word(1));
    if (operation >= GroupOperation::PartitionedReduceNV)
        return s.mask & ballotAt(s.operand(3), lane);
    const bool isClustered = operation == GroupOperation::ClusteredReduce;
    return s.mask & clusterOf(lane, isClustered ? uint32_t(s.first(3)) : s.lanes);
}

// SPV_NV_shader_subgroup_partitioned: ballots must say which lanes are one part, in each of them.
void checkParts(Subgroup& s) {
    if (!s.checks(kCheckDomain)) return;
    s.mask.forEach([&](uint32_t lane) {
        const LaneMask part = groupOf(s, lane);
        bool is = part.test(lane);
        part.forEach([&](uint32_t other) { is = is && groupOf(s, other) == part; });
        if (!is) s.report(kCheckDomain, lane, "ballots that are no partition");
    });
}

// Lanes are combined in their order.
template <auto kCombine, Identity kIdentity>
void group(Subgroup& s, Out result, Unused, Unused, In from) {
    const auto operation = GroupOperation(s.word(1));
    const bool inclusive = operation == GroupOperation::InclusiveScan ||
                           operation == GroupOperation::PartitionedInclusiveScanNV;
    const bool exclusive = operation == GroupOperation::ExclusiveScan ||
                           operation == GroupOperation::PartitionedExclusiveScanNV;
    if (operation == GroupOperation::ClusteredReduce) {
        (void)s.uniform(3);
        if (s.checks(kCheckDomain) && s.first(3) > s.lanes)
            s.report(kCheckDomain, s.mask.first(), "a cluster is larger than the subgroup");
    }
    if (operation >= GroupOperation::PartitionedReduceNV) checkParts(s);
    const Type& type = scalarOf(s.type());
    const uint64_t identity = bitsOf(kIdentity, type);
    for (uint32_t c = 0; c < result.components(); ++c) {
        uint64_t running[kMaxLanes];  // of the whole set, where it is the same for many lanes
        LaneMask done;
        s.mask.forEach([&](uint32_t lane) {
            const LaneMask set = groupOf(s, lane);
            const uint32_t first = set.any() ? set.first() : lane;
            if (!done.test(first)) {
                done.set(first);
                uint64_t sum = identity;
                set.forEach([&](uint32_t other) {
                    if (exclusive) running[other] = sum;
                    const uint64_t own = from.at(c, other);
                    sum = other == first ? own : kCombine(*s.program, type, sum, own);
                    if (inclusive) running[other] = sum;
                });
                if (!inclusive && !exclusive)
                    set.forEach([&](uint32_t other) { running[other] = sum; });
            }
            const LaneMask needed = contributors(s, lane);
            result.set(c, lane, {running[lane], (needed & ~from.defined[c]).none()});
        });
    }
}

// Opcodes of SPV_KHR_subgroup_vote and _ballot have no operand of a scope before the value: they
// get one.
Status prepareOld(Program&, Instruction& i) {
    i.operands.insert(i.operands.begin(), Operand{});
    return Done{};
}

// The active lanes whose value is that of `lane`.
LaneMask lanesLike(Subgroup& s, const Value& value, uint32_t lane) {
    return lanesWhere(s, [&](uint32_t other) {
        bool equal = true;
        for (uint32_t c = 0; c < value.components(); ++c)
            equal &= value.at(c, lane) == value.at(c, other);
        return equal;
    });
}

void elect(Subgroup& s) {
    setLanes(s, [first = s.mask.first()](uint32_t lane) { return lane == first; });
}

// What lanes agree on, of the active lanes with a condition (or the first one's value), in each set
// of `active` lanes.
constexpr auto all = [](LaneMask yes, LaneMask active) { return (active & ~yes).none(); };
constexpr auto any = [](LaneMask yes, LaneMask active) { return (active & yes).any(); };

template <auto kVote, bool kEqual = false>
void vote(Subgroup& s, Out result, Unused, In from) {
    const LaneMask yes =
        kEqual ? lanesLike(s, from, s.mask.first()) : lanesWith(s, from.component(0));
    const bool defined = (s.mask & ~definedInAll(from)).none();
    result.define(0, defined ? s.mask : LaneMask{}, s.mask);
    setLanes(s, [agreed = kVote(yes, s.mask)](uint32_t) { return agreed; });
}
template <auto kVote>
void quadVote(Subgroup& s, Out result, In from) {
    const LaneMask yes = lanesWith(s, from.component(0));
    s.mask.forEach([&](uint32_t lane) {
        const LaneMask quad = s.mask & clusterOf(lane, 4);
        result.set(0, lane, {kVote(yes, quad), (quad & ~from.defined[0]).none()});
    });
}

// Gives each lane a ballot, which is defined if all that vote are.
template <typename BallotOf>
void setBallots(Subgroup& s, const Value& result, const Value& from, BallotOf ballotOf) {
    const bool defined = (s.mask & ~definedInAll(from)).none();
    for (uint32_t c = 0; c < result.components(); ++c)
        result.define(c, defined ? s.mask : LaneMask{}, s.mask);
    s.mask.forEach([&](uint32_t lane) {
        const LaneMask ballot = ballotOf(lane);
        for (uint32_t c = 0; c < result.components(); ++c) result.at(c, lane) = ballot.word(c);
    });
}
void ballot(Subgroup& s, Out result, Unused, In from) {
    const LaneMask yes = lanesWith(s, from.component(0));
    setBallots(s, result, from, [&](uint32_t) { return yes; });
}
// The lanes with the same value.
void partition(Subgroup& s, Out result, In from) {
    setBallots(s, result, from, [&](uint32_t lane) { return lanesLike(s, from, lane); });
}

// Results from each lane's ballot: op(subgroup, ballot, lane).
template <uint32_t kOperand, auto kOp>
void fromBallot(Subgroup& s) {
    const Value& from = s.operand(kOperand);
    setLanes(s, [&](uint32_t lane) { return kOp(s, ballotAt(from, lane), lane); });
}
constexpr auto ownBit = [](Subgroup&, LaneMask ballot, uint32_t lane) { return ballot.test(lane); };
// Where the specification leaves the result undefined.
void noteUndefined(Subgroup& s, uint32_t lane, const char* what) {
    if (s.checks(kCheckDomain)) s.noteOutside(0, lane, what);
}
constexpr auto bitAt = [](Subgroup& s, LaneMask ballot, uint32_t lane) {
    const uint64_t bit = s.operand(2).at(0, lane);
    if (bit >= s.lanes) noteUndefined(s, lane, "a bit beyond the subgroup");
    return bit < kMaxLanes && ballot.test(uint32_t(bit));
};
// "Value must be the same for all invocations" that execute it.
void inverseBallot(Subgroup& s) {
    (void)s.uniform(1);
    fromBallot<1, ownBit>(s);
}
// Only the bits of the subgroup's lanes count.
constexpr auto count = [](Subgroup& s, LaneMask ballot, uint32_t lane) {
    const auto operation = GroupOperation(s.word(1));
    const bool inclusive = operation == GroupOperation::InclusiveScan;
    const uint32_t lanes = operation == GroupOperation::Reduce ? s.lanes : lane + inclusive;
    return (ballot & LaneMask::firstLanes(lanes)).count();
};
template <bool kLast>
constexpr auto findBit = [](Subgroup& s, LaneMask ballot, uint32_t lane) {
    const LaneMask bits = ballot & LaneMask::firstLanes(s.lanes);
    if (bits.none()) noteUndefined(s, lane, "a search in an empty ballot");
    return bits.none() ? 0xFFFFFFFFu : kLast ? bits.last() : bits.first();
};

// Gives each lane the value of the lane source(lane).
template <typename Source>
void exchange(Subgroup& s, const Value& result, const Value& from, Source source) {
    s.mask.forEach([&](uint32_t lane) {
        const uint64_t at = source(lane);
        const bool active = at < s.lanes && s.mask.test(uint32_t(at));
        for (uint32_t c = 0; c < result.components(); ++c)
            result.set(c, lane, active ? from.get(c, uint32_t(at)) : kUndefined);
    });
}

// The lane is kSource(lane, operand behind the value).
template <auto kSource>
void subgroupShuffle(Subgroup& s, Out result, Unused, In from, In index) {
    exchange(s, result, from, [&](uint32_t l) { return kSource(uint64_t{l}, index.at(0, l)); });
    for (uint32_t c = 0; c < result.components(); ++c)
        result.defined[c] &= index.defined[0] | ~s.mask;
}
// That operand must be the same in all lanes. Directions in quads: 0 horizontal, 1 vertical, 2
// diagonal.
template <auto kSource>
void uniformShuffle(Subgroup& s, Out result, Unused, In from) {
    const uint64_t index = s.uniform(2);
    exchange(s, result, from, [&](uint32_t l) { return kSource(uint64_t{l}, index); });
}
// The index is the same in a quad: "dynamically uniform within the derivative group" (Vulkan,
// subgroupBroadcastDynamicId).
void quadBroadcast(Subgroup& s, Out result, Unused, In from, In index) {
    constexpr uint32_t kQuad = 4;
    s.uses({kEventUniform, 2, kQuad});
    exchange(s, result, from, [&](uint32_t l) {
        const uint64_t at = index.at(0, l);
        return at < kQuad ? (l & ~(kQuad - 1)) + at : kNone;
    });
    for (uint32_t c = 0; c < result.components(); ++c)
        result.defined[c] &= index.defined[0] | ~s.mask;
}
void broadcastFirst(Subgroup& s, Out result, Unused, In from) {
    exchange(s, result, from, [first = s.mask.first()](uint32_t) { return uint64_t{first}; });
}
// The delta "must be dynamically uniform" (SPV_KHR_subgroup_rotate). Behind it: the size of
// clusters.
void rotate(Subgroup& s, Out result, Unused, In from) {
    const uint64_t delta = s.uniform(2), size = s.operands() > 3 ? s.uniform(3) : s.lanes;
    exchange(s, result, from,
             [&](uint32_t lane) { return ((lane + delta) & (size - 1)) + (lane & ~(size - 1)); });
}

constexpr auto byIndex = [](uint64_t, uint64_t index) { return index; };
constexpr auto across = [](uint64_t lane, uint64_t mask) { return lane ^ mask; };
constexpr auto below = [](uint64_t lane, uint64_t delta) { return lane - delta; };
constexpr auto above = [](uint64_t lane, uint64_t delta) { return lane + delta; };
// "Direction must be one of the above values": 0 to 2.
constexpr auto swapped = [](uint64_t lane, uint64_t direction) {
    return direction < 3 ? lane ^ (direction + 1) : uint64_t{kNone};
};

constexpr OpcodeRow kSubgroupRows[] = {
    row<group<combineBits<add>, Identity::kZero>>(OpGroupNonUniformIAdd),
    row<group<combineFloats<add>, Identity::kZero>>(OpGroupNonUniformFAdd),
    row<group<combineBits<multiply>, Identity::kOne>>(OpGroupNonUniformIMul),
    row<group<combineFloats<multiply>, Identity::kOne>>(OpGroupNonUniformFMul),
    row<group<combineSigned<least>, Identity::kHighest>>(OpGroupNonUniformSMin),
    row<group<combineBits<least>, Identity::kOnes>>(OpGroupNonUniformUMin),
    row<group<combineFloats<leastFloat>, Identity::kHighest>>(OpGroupNonUniformFMin),
    row<group<combineSigned<most>, Identity::kLowest>>(OpGroupNonUniformSMax),
    row<group<combineBits<most>, Identity::kZero>>(OpGroupNonUniformUMax),
    row<group<combineFloats<mostFloat>, Identity::kLowest>>(OpGroupNonUniformFMax),
    row<group<combineBits<bitAnd>, Identity::kOnes>>(OpGroupNonUniformBitwiseAnd),
    row<group<combineBits<bitOr>, Identity::kZero>>(OpGroupNonUniformBitwiseOr),
    row<group<combineBits<bitXor>, Identity::kZero>>(OpGroupNonUniformBitwiseXor),
    row<group<combineBits<bitAnd>, Identity::kOne>>(OpGroupNonUniformLogicalAnd),
    row<group<combineBits<bitOr>, Identity::kZero>>(OpGroupNonUniformLogicalOr),
    row<group<combineBits<bitXor>, Identity::kZero>>(OpGroupNonUniformLogicalXor),

    row<elect>(OpGroupNonUniformElect, Defined::kAlways),
    row<vote<all>>(OpGroupNonUniformAll),
    row<vote<any>>(OpGroupNonUniformAny),
    row<vote<all, true>>(OpGroupNonUniformAllEqual),
    row<uniformShuffle<byIndex>>(OpGroupNonUniformBroadcast),
    row<broadcastFirst>(OpGroupNonUniformBroadcastFirst),
    row<ballot>(OpGroupNonUniformBallot),
    row<inverseBallot>(OpGroupNonUniformInverseBallot, Defined::kAll),
    row<fromBallot<1, bitAt>>(OpGroupNonUniformBallotBitExtract, Defined::kAll),
    row<fromBallot<2, count>>(OpGroupNonUniformBallotBitCount, Defined::kAll),
    row<fromBallot<1, findBit<false>>>(OpGroupNonUniformBallotFindLSB, Defined::kAll),
    row<fromBallot<1, findBit<true>>>(OpGroupNonUniformBallotFindMSB, Defined::kAll),
    row<subgroupShuffle<byIndex>>(OpGroupNonUniformShuffle),
    row<subgroupShuffle<across>>(OpGroupNonUniformShuffleXor),
    row<subgroupShuffle<below>>(OpGroupNonUniformShuffleUp),
    row<subgroupShuffle<above>>(OpGroupNonUniformShuffleDown),
    row<rotate>(OpGroupNonUniformRotateKHR),
    row<quadBroadcast>(OpGroupNonUniformQuadBroadcast),
    row<uniformShuffle<swapped>>(OpGroupNonUniformQuadSwap),
    row<quadVote<all>>(OpGroupNonUniformQuadAllKHR),
    row<quadVote<any>>(OpGroupNonUniformQuadAnyKHR),
    row<partition>(OpGroupNonUniformPartitionNV),
    row<ballot>(OpSubgroupBallotKHR, Defined::kHandler, prepareOld),
    row<broadcastFirst>(OpSubgroupFirstInvocationKHR, Defined::kHandler, prepareOld),
    row<vote<all>>(OpSubgroupAllKHR, Defined::kHandler, prepareOld),
    row<vote<any>>(OpSubgroupAnyKHR, Defined::kHandler, prepareOld),
    row<vote<all, true>>(OpSubgroupAllEqualKHR, Defined::kHandler, prepareOld),
    row<uniformShuffle<byIndex>>(OpSubgroupReadInvocationKHR, Defined::kHandler, prepareOld),
};

}  // namespace

LaneMask contributors(const Subgroup& s, uint32_t lane) {
    using enum GroupOperation;
    const auto operation = GroupOperation(s.word(1));
    const bool isInclusive = operation == InclusiveScan || operation == PartitionedInclusiveScanNV;
    const bool isExclusive = operation == ExclusiveScan || operation == PartitionedExclusiveScanNV;
    const LaneMask set = groupOf(s, lane);
    return isInclusive || isExclusive ? set & LaneMask::firstLanes(lane + isInclusive) : set;
}

Rows subgroupRows() { return kSubgroupRows; }

}  // namespace coopvk::reference
