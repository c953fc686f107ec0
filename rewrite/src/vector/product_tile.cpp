// SPDX-License-Identifier: Apache-2.0
//
// Computes the products of a subgroup's invocations together, in tiles, and chooses between that
// and other ways.
#include "vector/shared_vectors.hpp"

namespace coopvk::rewrite {

// Which invocations (lanes) of a subgroup compute together: static conditions, and those that the
// shader tests.

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

// Whether invocations of the stage can use subgroup votes and ballots.
bool hasVotes(const VectorContext& context) {
    const DevicePlan& device = context.target.device;
    return device.subgroupVote && device.subgroupBallot && hasSubgroups(context);
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

// The index of the subgroup in its workgroup (u32), if isProductShared().
Id subgroupNumber(VectorContext& context, Emitter& emit, const VectorExchange& exchange) {
    context.module.addCapability(spv::Capability::GroupNonUniform);
    // NVIDIA's driver 580 has a wrong SubgroupId in task and mesh shaders.
    if (!isMeshStage(context)) return readSubgroup(emit);
    return emit.divInt(context.types.uint32(), firstInvocation(emit),
                       emit.constant(exchange.lanes));
}

// nullopt if the stage, the device or the shape does not allow tiles.
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

namespace {

class VectorTileProduct : SharedVectors {
 public:
    VectorTileProduct(const ProductWork& work, const Tile& tile)
        : SharedVectors(work, tile.exchange), tile_(tile) {}

    void run() {
        begin();
        gridRow_ = over(lane_, tile_.gridColumns);
        gridColumn_ = modulo(lane_, tile_.gridColumns);
        columns_ = listOf(tile_.columnsPerLane, [&](uint32_t j) {
            return laneBase(plus(gridColumn_, tile_.gridColumns * j));
        });
        sums_ = listOf(tile_.rowsPerLane * tile_.columnsPerLane,
                       [&](uint32_t) { return f_.variable(work_.arithmetic.sumType()); });
        f_.loopAbove(1, tile_.tiles, [&](Id t) { computeTile(t); });
    }

 private:
    void computeTile(Id t) {
        const Id firstRow =
            addU32(times(t, tile_.rowsPerTile()), times(gridRow_, tile_.rowsPerLane));
        rows_.clear();
        lines_.clear();
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            Id row = plus(firstRow, r);
            if (p_.m % tile_.rowsPerTile() != 0) row = atMost(emit_, row, p_.m - 1);
            rows_.push_back(row);
            const Id start = startOfLine(emit_, p_.inBlocks, work_.parameters.stride, row);
            const Id bytes = work_.matrix.fromStart(start).bytes();
            lines_.push_back(over(bytes, 16));
        }
        for (Id sum : sums_) f_.store(sum, work_.arithmetic.zero());
        forEachChunk(1, [&](Id firstQuad, uint32_t quads) { addChunk(firstQuad, quads); });
        shareResults(t);
    }

    // Adds the products with the chunks of this lane's columns.
    void addChunk(Id firstQuad, uint32_t quads) {
        f_.loop(
            quads, [&](Id q) { addQuad(addU32(firstQuad, q), q); }, spv::LoopControlMask::MaskNone);
    }

    // Indices of a quad in the line and in the chunk.
    void addQuad(Id matrixQuad, Id chunkQuad) {
        const uint32_t ratio = inputQuadsPerMatrixQuad();
        std::vector<std::vector<Id>> inputs(tile_.columnsPerLane);
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            const Id first = addU32(columns_[j], times(chunkQuad, ratio));
            for (uint32_t q = 0; q < ratio; ++q) {
                for (Id word : emit_.parts(area_.load(plus(first, q)))) {
                    inputs[j].push_back(emit_.bitcast(work_.arithmetic.unitType(), word));
                }
            }
        }
        for (uint32_t r = 0; r < tile_.rowsPerLane; ++r) {
            const Id quad =
                work_.matrix.quadAt(emit_.sum(lines_[r], times(matrixQuad, p_.quadBytes() / 16)));
            const std::vector<Id> weights = work_.arithmetic.units(emit_.parts(quad));
            for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
                const Id variable = sums_[r * tile_.columnsPerLane + j];
                const Id sum = f_.load(variable);
                f_.store(variable, work_.arithmetic.addProducts(weights, inputs[j], sum));
            }
        }
    }

    // A quad holds one lane's rows for one vector.
    void shareResults(Id t) {
        const auto biases = listFor(rows_, [&](Id row) { return work_.result.biasOf(row); });
        const uint32_t width = p_.result->packWidth;
        for (uint32_t j = 0; j < tile_.columnsPerLane; ++j) {
            std::vector<Id> words = listOf(tile_.rowsPerLane / width, [&](uint32_t pack) {
                const std::vector<Id> parts = listOf(width, [&](uint32_t r) {
                    const uint32_t row = pack * width + r;
                    const Id sum = f_.load(sums_[row * tile_.columnsPerLane + j]);
                    const Id total = work_.arithmetic.total(sum, p_.hasBias);
                    return work_.result.finish(total, biases[row]);
                });
                return emit_.bitcast(u32(), emit_.join(p_.result->pack, parts));
            });
            words.resize(4, words.front());  // what fills a quad is not read
            area_.store(addU32(columns_[j], gridRow_), emit_.construct(quad_, words));
        }
        area_.barrier();
        const uint32_t packs = tile_.rowsPerLane / width;
        std::vector<Id> results;
        for (uint32_t l = 0; l < tile_.gridRows; ++l) {
            const std::vector<Id> words = emit_.parts(area_.load(plus(laneQuads_, l)));
            for (uint32_t p = 0; p < packs; ++p) {
                results.push_back(emit_.bitcast(p_.result->pack, words[p]));
            }
        }
        work_.result.storePacks(times(t, tile_.gridRows * packs), results, tile_.rows() / width);
        area_.barrier();
    }

    const Tile& tile_;
    Id gridRow_ = 0;
    Id gridColumn_ = 0;
    std::vector<Id> columns_;  // first quad of each vector that this lane multiplies
    std::vector<Id> rows_;     // of this lane in the current tile
    std::vector<Id> lines_;    // the quad in the matrix at which each row starts
    std::vector<Id> sums_;
};

}  // namespace

void multiplyAsTile(const ProductWork& work, const Tile& tile) {
    VectorTileProduct(work, tile).run();
}

ProductPlan planProduct(VectorContext& context, const VectorMatrixMul& product) {
    const DevicePlan& device = context.target.device;
    ProductPlan plan;
    plan.driver = planDriverProduct(context, product);
    if (plan.driver || device.sharesScalars) return plan;
    if (product.linesAreRows() && product.m * product.k <= device.smallProduct) {
        plan.isCalled = callsSmallFunctions(context);
        return plan;
    }
    plan.tile = planTile(context, product, sumFor(context, product));
    return plan;
}

void SharedVectors::begin() {
    lane_ = readLane(emit_);
    const Id subgroup = subgroupNumber(f_.context(), emit_, exchange_);
    base_ = times(subgroup, exchange_.area.elements);
    laneQuads_ = laneBase(lane_);
}

void SharedVectors::forEachChunk(uint32_t multiple, const std::function<void(Id, uint32_t)>& add) {
    const uint32_t perChunk = matrixQuadsPerChunk();
    const uint32_t whole = matrixQuads() / perChunk;
    const auto addChunk = [&](Id chunk, uint32_t quads) {
        const uint32_t inputs = quads * inputQuadsPerMatrixQuad();
        const auto padded = static_cast<uint32_t>(roundUp(inputs, multiple));
        shareChunk(chunk, inputs, padded - inputs, whole);
        area_.barrier();
        add(times(chunk, perChunk), quads);
        area_.barrier();
    };
    f_.loopAbove(1, whole, [&](Id chunk) { addChunk(chunk, perChunk); });
    if (const uint32_t rest = matrixQuads() % perChunk; rest != 0) addChunk(c(whole), rest);
}

// `whole`: the number of chunks if `chunk` is not constant.
void SharedVectors::shareChunk(Id chunk, uint32_t quads, uint32_t zeros, uint32_t whole) {
    const bool known = emit_.module().constantValue(chunk).has_value();
    if (known || !work_.input.hasValues()) {
        shareInput(chunk, quads);
    } else {
        // Values have no dynamic indices.
        for (uint32_t k = 0; k < whole; ++k) {
            const Id isThis = emit_.compare(OpIEqual, chunk, c(k));
            f_.when(isThis, [&] { shareInput(c(k), quads); });
        }
    }
    for (uint32_t z = 0; z < zeros; ++z) {
        area_.store(plus(laneQuads_, quads + z), types_.constantNull(quad_));
    }
}

void SharedVectors::shareInput(Id chunk, uint32_t quads) {
    const Id firstUnit = times(chunk, 4 * kExchangeQuads);
    const std::optional<uint64_t> known = emit_.module().constantValue(firstUnit);
    for (uint32_t q = 0; q < quads; ++q) {
        const std::vector<Id> words = listOf(4, [&](uint32_t u) {
            const Id unit = plus(firstUnit, 4 * q + u);
            const bool beyond = known && *known + 4 * q + u >= work_.input.units();
            return beyond ? c(0) : emit_.bitcast(u32(), work_.input.unitAt(unit));
        });
        area_.store(plus(laneQuads_, q), emit_.construct(quad_, words));
    }
}

}  // namespace coopvk::rewrite
