// SPDX-License-Identifier: Apache-2.0
//
// Subgroups: arithmetic over the active lanes (SPIR-V, 3.52.24). Lanes are combined in their order.
#include <vector>

#include "execution/opcode_table.hpp"
#include "execution/operations.hpp"

namespace coopvk::reference {

namespace {

using enum spv::Op;
using spv::GroupOperation;
using namespace operations;

// What an exclusive scan gives to the first lane (SPIR-V: the identity I): of floating-point
// numbers the number, of integers its low bits, and of signed ones the limits.
enum class Identity : uint8_t { kZero, kOne, kOnes, kHighest, kLowest };

uint64_t bitsOf(Identity identity, const Type& type) {
    static constexpr double kNumbers[] = {0, 1, NAN, INFINITY, -INFINITY};
    if (type.kind == Kind::kFloat)
        return numbers::encodeDouble(numberOf(type), kNumbers[static_cast<size_t>(identity)]);
    const uint64_t ones = widthMask(type.width);
    const uint64_t integers[] = {0, 1, ones, ones >> 1, (ones >> 1) + 1};
    return integers[static_cast<size_t>(identity)];
}

// The lanes that are combined with a lane.
std::vector<LaneMask> setsOf(Subgroup& s, const Instruction& i, GroupOperation operation) {
    std::vector<LaneMask> sets(s.lanes, s.mask);
    if (operation == GroupOperation::ClusteredReduce) {
        const auto size = static_cast<uint32_t>(s.uniform(i, 3));
        for (uint32_t lane = 0; lane < s.lanes; ++lane) {
            const uint32_t first = size == 0 ? 0 : lane / size * size;
            sets[lane] = s.mask & LaneMask::firstLanes(first + size) & ~LaneMask::firstLanes(first);
        }
    } else if (operation >= GroupOperation::PartitionedReduceNV) {
        const Value ballot = s.operand(i, 3);
        s.mask.forEach([&](uint32_t lane) { sets[lane] = s.mask & ballotAt(ballot, lane); });
    }
    return sets;
}

// Operands: scope, operation, value, size of clusters or ballot of the partition.
template <auto kCombine, Identity kIdentity>
Step group(Subgroup& s, const Instruction& i) {
    const auto operation = static_cast<GroupOperation>(i[1].word);
    const bool inclusive = operation == GroupOperation::InclusiveScan ||
                           operation == GroupOperation::PartitionedInclusiveScanNV;
    const bool exclusive = operation == GroupOperation::ExclusiveScan ||
                           operation == GroupOperation::PartitionedExclusiveScanNV;
    const std::vector<LaneMask> sets = setsOf(s, i, operation);
    const Value from = s.operand(i, 2), result = s.result(i);
    const Type& type = scalarOf(*i.type);
    const uint64_t identity = bitsOf(kIdentity, type);
    const Combine combine = kCombine;
    for (uint32_t c = 0; c < result.components(); ++c) {
        uint64_t running[kMaxLanes];  // of the whole set, where it is the same for many lanes
        LaneMask done;
        s.mask.forEach([&](uint32_t lane) {
            const LaneMask set = sets[lane];
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
            result.at(c, lane) = running[lane];
            const LaneMask needed =
                inclusive || exclusive ? set & LaneMask::firstLanes(lane + inclusive) : set;
            result.defined[c].assign(lane, (needed & ~from.defined[c]).none());
        });
    }
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
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
};

}  // namespace

Rows groupRows() { return kRows; }

}  // namespace coopvk::reference
