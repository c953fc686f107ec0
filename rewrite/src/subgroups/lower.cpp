// SPDX-License-Identifier: Apache-2.0
//
// Helper functions through which the invocations of an emulated subgroup exchange values.
#include "subgroups/lower.hpp"

#include <algorithm>
#include <iterator>

#include "ir/entry_point.hpp"

namespace coopvk::rewrite {

namespace {

// Of GLSL.std.450.
enum : uint32_t { kFMin = 37, kUMin = 38, kSMin = 39, kFMax = 40, kUMax = 41, kSMax = 42 };

enum class Neutral { kZero, kOne, kAllOnes, kHighest, kLowest };

// How two lanes' values are combined: by an opcode, or an instruction of GLSL.std.450.
struct CombinationRow {
    spv::Op operation;
    spv::Op opcode;
    Neutral neutral;
    uint32_t glsl = {};
    bool isSigned = false;  // of minima and maxima
};

// Booleans are held as 0 and 1.
constexpr CombinationRow kCombinations[] = {
    {OpGroupNonUniformIAdd, OpIAdd, Neutral::kZero},
    {OpGroupNonUniformFAdd, OpFAdd, Neutral::kZero},
    {OpGroupNonUniformIMul, OpIMul, Neutral::kOne},
    {OpGroupNonUniformFMul, OpFMul, Neutral::kOne},
    {OpGroupNonUniformSMin, OpExtInst, Neutral::kHighest, kSMin, true},
    {OpGroupNonUniformUMin, OpExtInst, Neutral::kHighest, kUMin},
    {OpGroupNonUniformFMin, OpExtInst, Neutral::kHighest, kFMin},
    {OpGroupNonUniformSMax, OpExtInst, Neutral::kLowest, kSMax, true},
    {OpGroupNonUniformUMax, OpExtInst, Neutral::kLowest, kUMax},
    {OpGroupNonUniformFMax, OpExtInst, Neutral::kLowest, kFMax},
    {OpGroupNonUniformBitwiseAnd, OpBitwiseAnd, Neutral::kAllOnes},
    {OpGroupNonUniformBitwiseOr, OpBitwiseOr, Neutral::kZero},
    {OpGroupNonUniformBitwiseXor, OpBitwiseXor, Neutral::kZero},
    {OpGroupNonUniformLogicalAnd, OpBitwiseAnd, Neutral::kOne},
    {OpGroupNonUniformLogicalOr, OpBitwiseOr, Neutral::kZero},
    {OpGroupNonUniformLogicalXor, OpBitwiseXor, Neutral::kZero},
};

const CombinationRow* combinationRow(spv::Op operation) {
    const auto* row = std::ranges::find(kCombinations, operation, &CombinationRow::operation);
    return row == std::end(kCombinations) ? nullptr : row;
}

// IEEE 754: all bits of the exponent, or its bias.
uint64_t floatBits(uint32_t width, Neutral neutral) {
    const uint32_t mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    const uint64_t infinity = (uint64_t{1} << (width - 1 - mantissa)) - 1;
    switch (neutral) {
        case Neutral::kOne:
            return (infinity >> 1) << mantissa;
        case Neutral::kHighest:
            return infinity << mantissa;
        case Neutral::kLowest:
            return (infinity << mantissa) | uint64_t{1} << (width - 1);
        default:
            return 0;
    }
}

uint64_t integerBits(uint32_t width, Neutral neutral, bool isSigned) {
    const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const uint64_t sign = uint64_t{1} << (width - 1);
    switch (neutral) {
        case Neutral::kOne:
            return 1;
        case Neutral::kAllOnes:
            return all;
        case Neutral::kHighest:
            return isSigned ? all ^ sign : all;
        case Neutral::kLowest:
            return isSigned ? sign : 0;
        default:
            return 0;
    }
}

Id neutralOf(TypeTable& types, Id type, const CombinationRow& row) {
    const Id scalar = types.scalarOf(type);
    const uint32_t width = types.width(scalar);
    const uint64_t bits = types.isFloat(scalar) ? floatBits(width, row.neutral)
                                                : integerBits(width, row.neutral, row.isSigned);
    return types.constantSplat(type, types.constant(scalar, bits));
}

Id apply(Emitter& emit, const CombinationRow& row, Id a, Id b) {
    const Id type = emit.typeOf(a);
    return row.opcode == OpExtInst ? emit.glsl(row.glsl, type, {a, b})
                                   : emit.op(row.opcode, type, {a, b});
}

}  // namespace

struct SubgroupFunctions::Combination {
    spv::Op operation;
    Id type;
    spv::GroupOperation scan;
    uint32_t cluster;
};

bool SubgroupFunctions::combines(spv::Op operation) { return combinationRow(operation) != nullptr; }

Id SubgroupFunctions::heldType(TypeTable& types, Id type) {
    const bool isBoolean = types.scalarOf(type) == types.boolType();
    return isBoolean ? types.vectorType(types.uint32(), types.components(type)) : type;
}

Id SubgroupFunctions::held(Emitter& emit, Id value) {
    TypeTable& types = emit.types();
    const Id type = emit.typeOf(value), held = heldType(types, type);
    if (held == type) return value;
    const auto all = [&](uint32_t bit) {
        return types.constantSplat(held, types.constantU32(bit));
    };
    return emit.select(value, all(1), all(0));
}

Id SubgroupFunctions::given(Emitter& emit, Id type, Id held) {
    TypeTable& types = emit.types();
    if (emit.typeOf(held) == type) return held;
    const Id zero = types.constantSplat(emit.typeOf(held), types.constantU32(0));
    return emit.op(OpINotEqual, type, {held, zero});
}

Id SubgroupFunctions::lane(Emitter& emit) { return emit.modulo(readInvocation(emit), lanes()); }

// Stores the function's parameter 0 where others read it, and calls read() between two barriers.
void SubgroupFunctions::exchange(FunctionBuilder& f, Id type,
                                 const std::function<void(AreaAccess&)>& read) {
    AreaAccess area(f.emit(), staging_.area(type), spv::Scope::Workgroup);
    area.store(readInvocation(f.emit()), f.parameter(0));
    area.barrier();
    read(area);
    area.barrier();
}

Id SubgroupFunctions::exchangeFunction(Id type) {
    return context_.helper({static_cast<uint32_t>(OpGroupNonUniformShuffle), type}, [&] {
        const Id u32 = context_.types.uint32();
        FunctionBuilder f(context_.types, context_.newFunctions, "coopvk_from_lane", type,
                          std::array{type, u32});
        Id value = 0;
        exchange(f, type, [&](AreaAccess& area) {
            Emitter& emit = f.emit();
            Id at = emit.addU32(first(emit, lanes()), emit.modulo(f.parameter(1), lanes()));
            // "the resulting value is undefined" of a lane that does not exist, but not the access.
            if (const uint32_t all = invocationsOf(context_.module); all % lanes() != 0)
                at = emit.glsl(kUMin, u32, {at, emit.constant(all - 1)});
            value = area.load(at);
        });
        return f.finish(value);
    });
}

Id SubgroupFunctions::fromLane(Emitter& emit, Id value, Id lane) {
    const Id own = held(emit, value), type = emit.typeOf(own);
    const Id other = emit.call(type, exchangeFunction(type), std::array{own, emit.toU32(lane)});
    return given(emit, emit.typeOf(value), other);
}

// LocalInvocationIndex of the first invocation of a cluster.
Id SubgroupFunctions::first(Emitter& emit, uint32_t cluster) {
    const Id invocation = readInvocation(emit);
    return emit.op(OpISub, emit.types().uint32(), {invocation, emit.modulo(invocation, cluster)});
}

// How many lanes, from the first one on, are combined.
Id SubgroupFunctions::count(Emitter& emit, Id first, const Combination& combination) {
    const Id u32 = emit.types().uint32();
    const uint32_t all = invocationsOf(context_.module), cluster = combination.cluster;
    if (combination.scan == spv::GroupOperation::Reduce) {
        if (all % cluster == 0 || all < cluster) return emit.constant(std::min(all, cluster));
        const Id rest = emit.op(OpISub, u32, {emit.constant(all), first});
        return emit.glsl(kUMin, u32, {emit.constant(cluster), rest});
    }
    const Id before = emit.op(OpISub, u32, {readInvocation(emit), first});
    const bool isInclusive = combination.scan == spv::GroupOperation::InclusiveScan;
    return emit.plus(before, isInclusive ? 1 : 0);
}

Id SubgroupFunctions::combineFunction(const Combination& combination) {
    const auto& [operation, type, scan, cluster] = combination;
    const CombinationRow& row = *combinationRow(operation);
    FunctionBuilder f(context_.types, context_.newFunctions, "coopvk_combine_lanes", type,
                      std::array{type});
    const Id sum = f.variable(type);
    exchange(f, type, [&](AreaAccess& area) {
        Emitter& emit = f.emit();
        const Id start = first(emit, cluster), lanes = count(emit, start, combination);
        const auto laneValue = [&](Id at) { return area.load(emit.addU32(start, at)); };
        const uint32_t skipped = scan == spv::GroupOperation::ExclusiveScan ? 0 : 1;
        f.store(sum,
                skipped == 0 ? neutralOf(context_.types, type, row) : laneValue(emit.constant(0)));
        const uint32_t most = std::min(cluster, invocationsOf(context_.module)) - skipped;
        f.loop(most, [&](Id index) {
            const Id at = emit.plus(index, skipped);
            const auto add = [&] { f.store(sum, apply(emit, row, f.load(sum), laneValue(at))); };
            const bool isConstant = context_.module.constantValue(lanes).has_value();
            isConstant ? add() : f.when(emit.compare(OpULessThan, at, lanes), add);
        });
    });
    return f.finish(f.load(sum));
}

Id SubgroupFunctions::combined(Emitter& emit, spv::Op operation, Id value, spv::GroupOperation scan,
                               uint32_t cluster) {
    const Id own = held(emit, value), type = emit.typeOf(own);
    if (scan == spv::GroupOperation::Reduce && cluster == 1) return value;
    const Combination combination = {operation, type, scan, cluster};
    const Id function = context_.helper(
        {static_cast<uint32_t>(operation), type, static_cast<uint32_t>(scan), cluster},
        [&] { return combineFunction(combination); });
    return given(emit, emit.typeOf(value), emit.call(type, function, std::array{own}));
}

Id SubgroupFunctions::ballot(Emitter& emit, Id boolean) {
    const Id bit =
        emit.op(OpShiftLeftLogical, emit.types().uint32(), {emit.constant(1), lane(emit)});
    const Id own = emit.select(boolean, bit, emit.constant(0));
    return combined(emit, OpGroupNonUniformBitwiseOr, own, spv::GroupOperation::Reduce, lanes());
}

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
