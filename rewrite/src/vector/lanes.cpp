// SPDX-License-Identifier: Apache-2.0
//
// Which invocations (lanes) of a subgroup compute together: static conditions, and those that the
// shader tests.
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

namespace {

bool isMeshStage(const VectorContext& context) {
    return context.stage == Stage::kTask || context.stage == Stage::kMesh;
}

// In task and mesh shaders, NVIDIA's driver 580 seems to treat the last subgroup as full where it
// is not.
bool hasReliableLanes(const VectorContext& context) {
    return !isMeshStage(context) ||
           invocationsOf(context.module) % context.target.subgroupSize == 0;
}

bool hasSubgroups(const VectorContext& context) {
    return (context.target.device.subgroupStages & static_cast<uint32_t>(context.stage)) != 0;
}

}  // namespace

std::vector<Id> wordsOf(Emitter& emit, Id value) {
    const Id type = emit.typeOf(value);
    const bool isPointer = emit.module().def(type).opcode == OpTypePointer;
    if (!isPointer && emit.types().width(type) != 64) return {value};
    return emit.parts(emit.bitcast(emit.types().vectorType(emit.types().uint32(), 2), value));
}

Id mapWords(Emitter& emit, Id value, const std::function<Id(Id word)>& change) {
    std::vector<Id> words = wordsOf(emit, value);
    for (Id& word : words) word = change(word);
    if (words.size() == 1) return words[0];
    const Id pair = emit.construct(emit.types().vectorType(emit.types().uint32(), 2), words);
    return emit.op(OpBitcast, emit.typeOf(value), {pair});
}

bool hasVotes(const VectorContext& context) {
    const DevicePlan& device = context.target.device;
    return device.subgroupVote && device.subgroupBallot && hasSubgroups(context);
}

bool callsSmallFunctions(const VectorContext& context) {
    return context.target.device.callsSmallFunctions && context.stage == Stage::kCompute;
}

bool canReduce(const VectorContext& context) {
    const DevicePlan& device = context.target.device;
    return device.subgroupVote && device.subgroupArithmetic && hasReliableLanes(context) &&
           hasSubgroups(context);
}

void UniformityTest::require(Id value) {
    if (f_.module().constantValue(value)) return;
    f_.module().addCapability(spv::Capability::GroupNonUniformVote);
    for (const Id word : wordsOf(emit_, value)) {
        const Condition same =
            emit_.compare(OpGroupNonUniformAllEqual, emit_.scope(spv::Scope::Subgroup), word);
        all_ = emit_.both(all_, same);
    }
}

void UniformityTest::requireArguments(const Location& location, size_t first) {
    for (size_t a = 0; a + 1 < location.arguments.size(); ++a) require(f_.parameter(first + a));
}

// ---------------------------------------------------------------------------------------------
// Tiles

namespace {

// LocalInvocationIndex of the subgroup's first invocation, if those indices are consecutive.
Id firstInvocation(Emitter& emit) {
    const Id invocation = readInvocation(emit);
    return emit.op(OpISub, emit.types().uint32(), {invocation, readLane(emit)});
}

}  // namespace

Id isSubgroupFull(VectorFunction& f, uint32_t lanes) {
    Emitter& emit = f.emit();
    const Id u32 = emit.types().uint32(), subgroup = emit.scope(spv::Scope::Subgroup);
    f.module().addCapability(spv::Capability::GroupNonUniformBallot);
    const Id ballot = emit.op(OpGroupNonUniformBallot, emit.types().vectorType(u32, 4),
                              {subgroup, emit.types().constantBool(true)});
    const Id active =
        emit.op(OpGroupNonUniformBallotBitCount, u32,
                {idOperand(subgroup), literal(spv::GroupOperation::Reduce), idOperand(ballot)});
    Id full = emit.compare(OpIEqual, active, emit.constant(lanes));
    // A larger subgroup may have as many active lanes, but not the first ones.
    if (f.context().target.device.variesSubgroupSize) {
        const Id size = readSubgroupSize(emit);
        full = emit.both(full, emit.compare(OpIEqual, size, emit.constant(lanes)));
    }
    // subgroupNumber() needs consecutive indices there.
    if (isMeshStage(f.context())) {
        const Id first = firstInvocation(emit), rest = emit.modulo(first, lanes);
        UniformityTest linear(f, emit.compare(OpIEqual, rest, emit.constant(0)));
        linear.require(first);
        full = emit.both(full, emit.boolean(linear.result()));
    }
    return full;
}

Id subgroupNumber(VectorContext& context, Emitter& emit, const VectorExchange& exchange) {
    context.module.addCapability(spv::Capability::GroupNonUniform);
    // NVIDIA's driver 580 has a wrong SubgroupId in task and mesh shaders.
    if (!isMeshStage(context)) return readSubgroup(emit);
    return emit.divInt(context.types.uint32(), firstInvocation(emit),
                       emit.constant(exchange.lanes));
}

bool canExchange(const VectorContext& context, const VectorMatrixMul& product) {
    // Logical pointers cannot be compared.
    const bool isBiasPointer = product.hasBias && product.bias.passesPointer();
    const bool hasWorkgroups = context.stage == Stage::kCompute || isMeshStage(context);
    return hasWorkgroups && hasVotes(context) && product.linesAreRows() &&
           product.lineBytes() % kWidestAccess == 0 && product.matrix.alignment >= kWidestAccess &&
           product.matrix.kind != Location::Kind::kElements && product.m >= 4 &&
           invocationsOf(context.module) >= context.target.subgroupSize && !isBiasPointer &&
           hasReliableLanes(context);
}

std::optional<VectorExchange> planExchange(VectorContext& context) {
    std::optional<VectorExchange>& exchange = context.exchange;
    if (exchange) return exchange;
    const uint32_t lanes = context.target.subgroupSize, quads = lanes * VectorExchange::kLaneQuads;
    const uint32_t subgroups = subgroupsOf(context.module, lanes);
    if (sharedMemoryHasRoom(context.module, uint64_t{16} * quads * subgroups,
                            context.target.device)) {
        const Id quad = context.types.vectorType(context.types.uint32(), 4);
        exchange = {lanes, declareArea(context.types, "coopvk_exchange", quad, quads, subgroups)};
    }
    return exchange;
}

std::optional<Tile> planTile(VectorContext& context, const VectorMatrixMul& product, Sum sum) {
    if (!canExchange(context, product)) return std::nullopt;
    Tile tile;
    const uint32_t lanes = context.target.subgroupSize;
    tile.columnsPerLane = context.target.device.tileColumns;
    tile.gridColumns = lanes / tile.columnsPerLane;
    tile.gridRows = std::min(lanes / tile.gridColumns, kExchangeQuads);
    const uint32_t width = product.result->packWidth;
    tile.rowsPerLane = static_cast<uint32_t>(
        roundUp(std::min(4 * width, divideUp(product.m, tile.gridRows)), width));
    tile.tiles = divideUp(product.m, tile.rowsPerTile());
    // A unit of input is a word; exchanged parts belong to whole quads of the matrix.
    const uint32_t unitsPerWord = 4 / product.matrixType.bytes() / unitComponents(sum);
    if (unitsPerWord == 0 || kExchangeQuads % unitsPerWord != 0) return std::nullopt;
    const std::optional<VectorExchange> exchange = planExchange(context);
    if (!exchange) return std::nullopt;
    tile.exchange = *exchange;
    return tile;
}

Id isProductShared(const ProductWork& work, const VectorExchange& exchange) {
    VectorFunction& f = work.function;
    UniformityTest uniform(f, isSubgroupFull(f, exchange.lanes));
    const auto requireLocation = [&](const Location& location, size_t first) {
        uniform.require(f.parameter(first + location.arguments.size() - 1));
        uniform.requireArguments(location, first);
    };
    requireLocation(work.product.matrix, work.parameters.matrix);
    if (work.product.hasBias) requireLocation(work.product.bias, work.parameters.bias);
    uniform.require(work.parameters.stride);
    return f.emit().boolean(uniform.result());
}

// ---------------------------------------------------------------------------------------------
// Uniform weights

bool asksForUniformWeights(const VectorContext& context, const VectorMatrixMul& product) {
    // Logical pointers cannot be broadcast.
    const bool isBroadcast = product.matrix.kind != Location::Kind::kElements &&
                             (!product.hasBias || product.bias.kind != Location::Kind::kElements);
    return context.target.device.sharesScalars && hasVotes(context) && isBroadcast &&
           !product.hasConstantLocation;
}

namespace {

// The value of the first active lane.
Id firstLanes(Emitter& emit, Id value) {
    const Id subgroup = emit.scope(spv::Scope::Subgroup);
    return mapWords(emit, value, [&](Id word) {
        return emit.op(OpGroupNonUniformBroadcastFirst, emit.typeOf(word), {subgroup, word});
    });
}

}  // namespace

Id multiplyByUniformWeights(VectorContext& context, std::string_view name, Id resultType,
                            std::span<const Id> parameterTypes, Id alone) {
    VectorFunction f(context, name, resultType, parameterTypes);
    f.module().addCapability(spv::Capability::GroupNonUniformBallot);
    UniformityTest uniform(f);
    std::vector<Id> own = f.arguments(), first = own;
    for (size_t p = 1; p < own.size(); ++p) uniform.require(own[p]);
    const Id result = f.result();
    f.choose(
        uniform.result(),
        [&] {
            for (size_t p = 1; p < first.size(); ++p) first[p] = firstLanes(f.emit(), first[p]);
            f.store(result, f.call(alone, first));
        },
        [&] { f.store(result, f.call(alone, own)); });
    return f.finishResult();
}

}  // namespace coopvk::rewrite
