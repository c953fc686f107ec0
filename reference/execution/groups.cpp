// SPDX-License-Identifier: Apache-2.0
//
// Subgroups: arithmetic over the active lanes (SPIR-V, 3.52.24). Lanes are combined in their order.
#include <vector>

#include "execution/combine.hpp"
#include "execution/families.hpp"

namespace coopvk::reference {

namespace {

using namespace combine;

// What an exclusive scan gives to the first lane (SPIR-V: the identity I).
enum class Identity : uint8_t { kZero, kOne, kOnes, kHighest, kLowest, kInfinity, kMinusInfinity };

uint64_t bitsOf(Identity identity, const Type& type) {
    const uint64_t ones = widthMask(type.width);
    const auto number = [&](double value) { return numbers::encodeDouble(numberOf(type), value); };
    switch (identity) {
        case Identity::kZero:
            return 0;
        case Identity::kOne:
            return type.kind == Kind::kFloat ? number(1.0) : 1;
        case Identity::kOnes:
            return ones;
        case Identity::kHighest:
            return ones >> 1;
        case Identity::kLowest:
            return (ones >> 1) + 1;
        case Identity::kInfinity:
            return number(INFINITY);
        case Identity::kMinusInfinity:
            return number(-INFINITY);
    }
    return 0;
}

// The lanes that are combined with a lane.
std::vector<LaneMask> setsOf(Subgroup& s, const Instruction& i, spv::GroupOperation operation) {
    std::vector<LaneMask> sets(s.lanes, s.mask);
    if (operation == spv::GroupOperation::ClusteredReduce) {
        const auto size = static_cast<uint32_t>(s.uniform(i, 3));
        for (uint32_t lane = 0; lane < s.lanes; ++lane) {
            const uint32_t first = size == 0 ? 0 : lane / size * size;
            sets[lane] = s.mask & LaneMask::firstLanes(first + size) & ~LaneMask::firstLanes(first);
        }
    } else if (operation >= spv::GroupOperation::PartitionedReduceNV) {
        const Value ballot = s.operand(i, 3);
        s.mask.forEach([&](uint32_t lane) {
            sets[lane] = s.mask & LaneMask{ballot.at(0, lane) | ballot.at(1, lane) << 32,
                                           ballot.at(2, lane) | ballot.at(3, lane) << 32};
        });
    }
    return sets;
}

bool isInclusive(spv::GroupOperation operation) {
    return operation == spv::GroupOperation::InclusiveScan ||
           operation == spv::GroupOperation::PartitionedInclusiveScanNV;
}
bool isExclusive(spv::GroupOperation operation) {
    return operation == spv::GroupOperation::ExclusiveScan ||
           operation == spv::GroupOperation::PartitionedExclusiveScanNV;
}

// Operands: scope, operation, value, size of clusters or ballot of the partition.
template <auto kCombine, Identity kIdentity>
Step group(Subgroup& s, const Instruction& i) {
    const auto operation = static_cast<spv::GroupOperation>(i[1].word);
    const std::vector<LaneMask> sets = setsOf(s, i, operation);
    const Value from = s.operand(i, 2), result = s.result(i);
    const Type& type = scalarOf(*i.type);
    const uint64_t identity = bitsOf(kIdentity, type);
    const Combine combine = kCombine;
    for (uint32_t c = 0; c < result.components(); ++c) {
        uint64_t running[kMaxLanes];  // of the whole set, where it is the same for many lanes
        LaneMask done;
        s.mask.forEach([&](uint32_t lane) {
            const uint32_t first = sets[lane].any() ? sets[lane].first() : lane;
            if (!done.test(first)) {
                done.set(first);
                uint64_t sum = 0;
                bool any = false;
                sets[lane].forEach([&](uint32_t other) {
                    if (isExclusive(operation)) running[other] = any ? sum : identity;
                    sum =
                        any ? combine(*s.program, type, sum, from.at(c, other)) : from.at(c, other);
                    any = true;
                    if (isInclusive(operation)) running[other] = sum;
                });
                if (!isInclusive(operation) && !isExclusive(operation))
                    sets[lane].forEach([&](uint32_t other) { running[other] = sum; });
            }
            result.at(c, lane) = running[lane];
            const LaneMask needed =
                isInclusive(operation) || isExclusive(operation)
                    ? sets[lane] & LaneMask::firstLanes(lane + isInclusive(operation))
                    : sets[lane];
            result.defined[c].assign(lane, (needed & ~from.defined[c]).none());
        });
    }
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpGroupNonUniformIAdd, group<onBits<add>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformFAdd, group<onFloats<add>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformIMul, group<onBits<multiply>, Identity::kOne>),
    row(spv::Op::OpGroupNonUniformFMul, group<onFloats<multiply>, Identity::kOne>),
    row(spv::Op::OpGroupNonUniformSMin, group<onSigned<least>, Identity::kHighest>),
    row(spv::Op::OpGroupNonUniformUMin, group<onBits<least>, Identity::kOnes>),
    row(spv::Op::OpGroupNonUniformFMin, group<onFloats<leastFloat>, Identity::kInfinity>),
    row(spv::Op::OpGroupNonUniformSMax, group<onSigned<most>, Identity::kLowest>),
    row(spv::Op::OpGroupNonUniformUMax, group<onBits<most>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformFMax, group<onFloats<mostFloat>, Identity::kMinusInfinity>),
    row(spv::Op::OpGroupNonUniformBitwiseAnd, group<onBits<bitAnd>, Identity::kOnes>),
    row(spv::Op::OpGroupNonUniformBitwiseOr, group<onBits<bitOr>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformBitwiseXor, group<onBits<bitXor>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformLogicalAnd, group<onBits<bitAnd>, Identity::kOne>),
    row(spv::Op::OpGroupNonUniformLogicalOr, group<onBits<bitOr>, Identity::kZero>),
    row(spv::Op::OpGroupNonUniformLogicalXor, group<onBits<bitXor>, Identity::kZero>),
};

}  // namespace

Rows groupRows() { return kRows; }

}  // namespace coopvk::reference
