// SPDX-License-Identifier: Apache-2.0
#include "subgroups/lower.hpp"

#include <algorithm>
#include <iterator>

#include "ir/entry_point.hpp"
#include "subgroups/operations.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kReduce = spv::GroupOperation::Reduce;

struct Lowering {
    SubgroupFunctions& functions;
    Emitter& emit;
    uint32_t lanes;

    Id u32() { return emit.types().uint32(); }
    Id lane() { return functions.lane(emit); }
    Id op(spv::Op opcode, Id a, Id b) { return emit.op(opcode, u32(), {a, b}); }
    // Of a ballot: those of the lanes that a subgroup has.
    Id bits(Id ballot) { return emit.extract(u32(), ballot, {0}); }
    Id all(Id boolean, uint32_t cluster) {
        return functions.combined(emit, OpGroupNonUniformLogicalAnd, boolean, kReduce, cluster);
    }
    Id any(Id boolean, uint32_t cluster) {
        return functions.combined(emit, OpGroupNonUniformLogicalOr, boolean, kReduce, cluster);
    }
    // A count or a number, of any width.
    Id counted(Id type, Id value) {
        const bool isWord = emit.types().width(type) == 32;
        return isWord ? emit.bitcast(type, value) : emit.op(OpUConvert, type, {value});
    }
    // The lane that is `lane` away in a ring of `size` lanes.
    Id turned(Id lane, Id by, uint32_t size) {
        const Id start = op(OpISub, lane, emit.modulo(lane, size));
        return emit.addU32(start, emit.modulo(emit.addU32(lane, by), size));
    }
};

// `value`: the operand that comes from lanes; `argument`: the one behind it.
using Row = Id (*)(Lowering& l, const Instruction& i, Id value, Id argument);

Id elect(Lowering& l, const Instruction&, Id, Id) {
    return l.emit.compare(OpIEqual, l.lane(), l.emit.constant(0));
}

Id allEqual(Lowering& l, const Instruction&, Id value, Id) {
    TypeTable& types = l.emit.types();
    const Id type = l.emit.typeOf(value), scalar = types.scalarOf(type);
    const Id other = l.functions.fromLane(l.emit, value, l.emit.constant(0));
    const spv::Op compares = types.isFloat(type)          ? OpFOrdEqual
                             : scalar == types.boolType() ? OpLogicalEqual
                                                          : OpIEqual;
    const uint32_t components = types.components(type);
    const Id equal =
        l.emit.op(compares, types.vectorType(types.boolType(), components), {value, other});
    const Id whole = components == 1 ? equal : l.emit.op(OpAll, types.boolType(), {equal});
    return l.all(whole, l.lanes);
}

Id ballot(Lowering& l, const Instruction& i, Id value, Id) {
    const Id zero = l.emit.constant(0);
    return l.emit.construct(i.type,
                            std::array{l.functions.ballot(l.emit, value), zero, zero, zero});
}

Id bitOf(Lowering& l, Id ballot, Id lane) {
    const Id bit =
        l.op(OpBitwiseAnd, l.op(OpShiftRightLogical, l.bits(ballot), lane), l.emit.constant(1));
    return l.emit.compare(OpINotEqual, bit, l.emit.constant(0));
}

// Of the lanes up to this one, or below it, or of all.
Id bitCount(Lowering& l, const Instruction& i, Id, Id) {
    Id bits = l.bits(i.word(2));
    const auto scan = static_cast<spv::GroupOperation>(i.word(1));
    if (scan != kReduce) {
        const bool isInclusive = scan == spv::GroupOperation::InclusiveScan;
        const Id least = l.emit.constant(isInclusive ? 2 : 1);
        const Id below =
            l.op(OpISub, l.op(OpShiftLeftLogical, least, l.lane()), l.emit.constant(1));
        bits = l.op(OpBitwiseAnd, bits, below);
    }
    return l.counted(i.type, l.emit.op(OpBitCount, l.u32(), {bits}));
}

enum : uint32_t { kFindILsb = 73, kFindUMsb = 75 };

template <uint32_t kInstruction>
Id findBit(Lowering& l, const Instruction& i, Id value, Id) {
    return l.counted(i.type, l.emit.glsl(kInstruction, l.u32(), {l.bits(value)}));
}

Id combine(Lowering& l, const Instruction& i, Id value, Id) {
    auto scan = static_cast<spv::GroupOperation>(i.word(1));
    uint32_t cluster = l.lanes;
    if (scan == spv::GroupOperation::ClusteredReduce) {
        const auto size = l.emit.module().constantValue(i.word(3)).value_or(l.lanes);
        cluster = static_cast<uint32_t>(std::min<uint64_t>(size, l.lanes));
        scan = kReduce;
    }
    return l.functions.combined(l.emit, i.opcode, value, scan, cluster);
}

Id quadSwap(Lowering& l, const Instruction&, Id value, Id direction) {
    const auto number = static_cast<uint32_t>(l.emit.module().constantValue(direction).value_or(0));
    const Id other = l.op(OpBitwiseXor, l.lane(), l.emit.constant(number + 1));
    return l.functions.fromLane(l.emit, value, other);
}

Id rotate(Lowering& l, const Instruction& i, Id value, Id delta) {
    const auto size = l.emit.module().constantValue(i.word(3)).value_or(l.lanes);
    const auto ring = static_cast<uint32_t>(std::min<uint64_t>(size, l.lanes));
    return l.functions.fromLane(l.emit, value, l.turned(l.lane(), l.emit.toU32(delta), ring));
}

Id fromOther(Lowering& l, Id value, spv::Op opcode, Id by) {
    return l.functions.fromLane(l.emit, value, l.op(opcode, l.lane(), l.emit.toU32(by)));
}

constexpr struct {
    spv::Op opcode;
    Row lower;
} kRows[] = {
    {OpGroupNonUniformElect, elect},
    {OpGroupNonUniformAll,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.all(value, l.lanes); }},
    {OpGroupNonUniformAny,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.any(value, l.lanes); }},
    {OpGroupNonUniformAllEqual, allEqual},
    {OpSubgroupAllKHR,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.all(value, l.lanes); }},
    {OpSubgroupAnyKHR,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.any(value, l.lanes); }},
    {OpSubgroupAllEqualKHR, allEqual},
    {OpGroupNonUniformBallot, ballot},
    {OpSubgroupBallotKHR, ballot},
    {OpGroupNonUniformInverseBallot,
     [](Lowering& l, const Instruction&, Id value, Id) { return bitOf(l, value, l.lane()); }},
    {OpGroupNonUniformBallotBitExtract,
     [](Lowering& l, const Instruction&, Id value, Id index) {
         return bitOf(l, value, l.emit.modulo(l.emit.toU32(index), l.lanes));
     }},
    {OpGroupNonUniformBallotBitCount, bitCount},
    {OpGroupNonUniformBallotFindLSB, findBit<kFindILsb>},
    {OpGroupNonUniformBallotFindMSB, findBit<kFindUMsb>},
    {OpGroupNonUniformBroadcast, [](Lowering& l, const Instruction&, Id value,
                                    Id lane) { return l.functions.fromLane(l.emit, value, lane); }},
    {OpSubgroupReadInvocationKHR,
     [](Lowering& l, const Instruction&, Id value, Id lane) {
         return l.functions.fromLane(l.emit, value, lane);
     }},
    // All lanes run it, so the first one is the lowest.
    {OpGroupNonUniformBroadcastFirst,
     [](Lowering& l, const Instruction&, Id value, Id) {
         return l.functions.fromLane(l.emit, value, l.emit.constant(0));
     }},
    {OpSubgroupFirstInvocationKHR,
     [](Lowering& l, const Instruction&, Id value, Id) {
         return l.functions.fromLane(l.emit, value, l.emit.constant(0));
     }},
    {OpGroupNonUniformShuffle, [](Lowering& l, const Instruction&, Id value,
                                  Id lane) { return l.functions.fromLane(l.emit, value, lane); }},
    {OpGroupNonUniformShuffleXor, [](Lowering& l, const Instruction&, Id value,
                                     Id mask) { return fromOther(l, value, OpBitwiseXor, mask); }},
    {OpGroupNonUniformShuffleUp, [](Lowering& l, const Instruction&, Id value,
                                    Id delta) { return fromOther(l, value, OpISub, delta); }},
    {OpGroupNonUniformShuffleDown, [](Lowering& l, const Instruction&, Id value,
                                      Id delta) { return fromOther(l, value, OpIAdd, delta); }},
    {OpGroupNonUniformRotateKHR, rotate},
    {OpGroupNonUniformQuadBroadcast,
     [](Lowering& l, const Instruction&, Id value, Id index) {
         const Id lane = l.lane(), start = l.op(OpISub, lane, l.emit.modulo(lane, 4));
         return l.functions.fromLane(l.emit, value, l.emit.addU32(start, l.emit.toU32(index)));
     }},
    {OpGroupNonUniformQuadSwap, quadSwap},
    {OpGroupNonUniformQuadAllKHR,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.all(value, 4); }},
    {OpGroupNonUniformQuadAnyKHR,
     [](Lowering& l, const Instruction&, Id value, Id) { return l.any(value, 4); }},
};

Row loweringOf(spv::Op opcode) {
    if (SubgroupFunctions::combines(opcode)) return combine;
    for (const auto& row : kRows) {
        if (row.opcode == opcode) return row.lower;
    }
    return nullptr;
}

// Shared memory for all that goes through it: what lanes exchange, and the booleans of votes.
void reserve(const LoweringContext& context, Staging& staging) {
    TypeTable& types = context.types;
    context.module.visitBlocks([&](const Instruction& i) {
        if (!isSubgroupOperation(i.opcode)) return;
        const Id type = context.module.def(i.word(valueOperand(i.opcode))).type;
        const uint32_t lanes = context.target.subgroupSize;
        if (exchangesValue(i.opcode) && types.components(type) != 0)
            staging.reserve(SubgroupFunctions::heldType(types, type), lanes);
        if (exchangesBits(i.opcode)) staging.reserve(types.uint32(), lanes);
    });
}

}  // namespace

bool hasSubgroupLowering(spv::Op opcode) { return loweringOf(opcode) != nullptr; }

std::optional<Error> lowerSubgroups(LoweringContext& context) {
    Module& module = context.module;
    const uint32_t lanes = context.target.subgroupSize;
    Staging staging(context, subgroupsOf(module, lanes));
    reserve(context, staging);
    if (!staging.fits()) {
        return Error{ErrorCode::kUnsupported,
                     "the module's shared memory leaves too little for what subgroups of 32 lanes, "
                     "which the device does not have, exchange"};
    }
    SubgroupFunctions functions(context, staging);
    for (const auto& function : module.functions()) {
        replaceInBlocks(context.types, *function, [&](Emitter& emit, Instruction& i) {
            const Row row = isSubgroupOperation(i.opcode) ? loweringOf(i.opcode) : nullptr;
            if (row == nullptr) return false;
            Lowering lowering = {functions, emit, lanes};
            const size_t value = valueOperand(i.opcode);
            const Id result = row(lowering, i, i.word(value), i.word(value + 1));
            emit.op(OpCopyObject, i.type, {result}, i.result);
            return true;
        });
    }
    context.addNewFunctions();
    if (auto error = replaceSubgroupBuiltIns(context.types, lanes)) return error;
    widenScopes(context.types);
    removeSubgroupCapabilities(module);
    return context.error;
}

}  // namespace coopvk::rewrite
