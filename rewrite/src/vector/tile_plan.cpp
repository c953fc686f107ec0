// SPDX-License-Identifier: Apache-2.0
//
// Whether and how a product is computed by a whole subgroup: what is decided while rewriting, and
// what the shader asks.
#include <algorithm>

#include "lowering/built_ins.hpp"
#include "lowering/shared_memory.hpp"
#include "vector/accumulate.hpp"
#include "vector/product_tile.hpp"
#include "vector/workgroup.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kQuads = 8;    // of each vector that are exchanged at once
constexpr uint32_t kColumns = 8;  // vectors a lane computes with, at most

uint32_t divideUp(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

bool hasWorkgroups(Stage stage) {
    return stage == Stage::kCompute || stage == Stage::kTask || stage == Stage::kMesh;
}

}  // namespace

Id exchangeVariable(VectorContext& context, const Tile& tile) {
    const auto [entry, isNew] = context.variables.try_emplace({0xE8C, tile.laneQuads()}, 0);
    if (!isNew) return entry->second;
    const uint64_t invocations = invocationsOfWorkgroup(context);
    const uint64_t subgroups = (invocations + tile.lanes - 1) / tile.lanes;
    const uint64_t quads = subgroups * tile.lanes * tile.laneQuads();
    if (!sharedMemoryHasRoom(context.module, 16 * quads, context.target.device)) return 0;
    TypeTable& types = context.types;
    const Id quad = types.vectorType(types.uint32(), 4);
    const Id array = types.arrayType(quad, static_cast<uint32_t>(quads));
    return entry->second = sharedVariable(types, array, "coopvk_exchange");
}

namespace {

// The index of the first invocation of the subgroup, if they follow each other.
Id firstInvocation(Emitter& emit) {
    const Id u32 = emit.types().uint32();
    const Id index =
        readBuiltIn(emit, spv::BuiltIn::LocalInvocationIndex, u32, "coopvk_invocation");
    const Id lane = readLane(emit);
    return emit.op(spv::Op::OpISub, u32, {index, lane});
}

}  // namespace

Id subgroupNumber(VectorContext& context, Emitter& emit, const Tile& tile) {
    TypeTable& types = context.types;
    context.module.addCapability(spv::Capability::GroupNonUniform);
    // NVIDIA's driver 580 gives wrong numbers in task and mesh shaders.
    if (isMeshStage(context)) {
        return emit.divInt(types.uint32(), firstInvocation(emit), types.constantU32(tile.lanes));
    }
    return readSubgroup(emit);
}

Tile planTile(VectorContext& context, const VectorMatrixMul& product, Sum sum) {
    const DeviceTraits& device = context.target.device;
    const bool votes = device.subgroupVote && device.subgroupBallot &&
                       (device.subgroupStages & static_cast<uint32_t>(context.stage)) != 0;
    // With explicit layouts every shared variable would have to have one.
    const bool explicitLayout =
        context.module.hasCapability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR);
    if (!hasWorkgroups(context.stage) || !votes || explicitLayout || !product.linesAreRows() ||
        product.lineBytes() % 16 != 0 || product.matrix.kind == Location::Kind::kElements ||
        product.m < 4 || invocationsOfWorkgroup(context) < context.target.subgroupSize ||
        !countsLanesRightly(context)) {
        return {};
    }
    Tile tile;
    tile.lanes = context.target.subgroupSize;
    tile.quads = kQuads;
    // Processors with wide subgroups have fewer registers for each lane.
    tile.columnsPerLane = tile.lanes == 32 ? kColumns : tile.lanes >= 8 ? 4 : 2;
    tile.gridColumns = tile.lanes / tile.columnsPerLane;
    tile.gridRows = std::min(tile.lanes / tile.gridColumns, kQuads);
    const uint32_t width = product.result->packWidth;
    tile.rowsPerLane = static_cast<uint32_t>(
        roundUp(std::min(4 * width, divideUp(product.m, tile.gridRows)), width));
    tile.tiles = divideUp(product.m, tile.rowsPerTile());
    // A unit of input must be a word, and chunks whole quads of the matrix.
    const uint32_t ratio = 4 / product.matrixType.bytes() /
                           (sum == Sum::kHalfPairs ? 2
                            : sum == Sum::kDot     ? 4
                                                   : 1);
    if (ratio == 0 || kQuads % ratio != 0) return {};
    return exchangeVariable(context, tile) != 0 ? tile : Tile{};
}

namespace {

// True (a boolean) where all invocations of the subgroup are here.
Id isWhole(VectorContext& context, Emitter& emit, const Tile& tile) {
    TypeTable& types = context.types;
    const Id u32 = types.uint32();
    context.module.addCapability(spv::Capability::GroupNonUniformBallot);
    const Id scope = types.constantU32(static_cast<uint32_t>(spv::Scope::Subgroup));
    const Id quad = types.vectorType(u32, 4);
    const Id ballot =
        emit.op(spv::Op::OpGroupNonUniformBallot, quad, {scope, types.constantBool(true)});
    const Id active =
        emit.op(spv::Op::OpGroupNonUniformBallotBitCount, u32,
                {idOperand(scope), literal(spv::GroupOperation::Reduce), idOperand(ballot)});
    Id whole =
        emit.op(spv::Op::OpIEqual, types.boolType(), {active, types.constantU32(tile.lanes)});
    // Larger subgroups may have as many lanes here that are not the first ones.
    const DeviceTraits& device = context.target.device;
    if (device.minSubgroupSize != device.maxSubgroupSize) {
        context.module.addCapability(spv::Capability::GroupNonUniform);
        const Id size = readBuiltIn(emit, spv::BuiltIn::SubgroupSize, u32, "coopvk_subgroup_size");
        const Id fits =
            emit.op(spv::Op::OpIEqual, types.boolType(), {size, types.constantU32(tile.lanes)});
        whole = emit.op(spv::Op::OpLogicalAnd, types.boolType(), {whole, fits});
    }
    // For subgroupNumber().
    if (isMeshStage(context)) {
        context.module.addCapability(spv::Capability::GroupNonUniform);
        const Id first = firstInvocation(emit);
        const Id rest = emit.modInt(u32, first, types.constantU32(tile.lanes));
        const Id starts =
            emit.op(spv::Op::OpIEqual, types.boolType(), {rest, types.constantU32(0)});
        const Id linear =
            emit.op(spv::Op::OpLogicalAnd, types.boolType(), {starts, allEqual(emit, first)});
        whole = emit.op(spv::Op::OpLogicalAnd, types.boolType(), {whole, linear});
    }
    return whole;
}

}  // namespace

Id mayShare(const ProductWork& work, const Tile& tile) {
    Emitter& emit = work.function.emit();
    TypeTable& types = work.function.types();
    Module& module = work.function.module();
    const Id u32 = types.uint32();
    Id same = isWhole(work.function.context(), emit, tile);
    const auto require = [&](Id value) {
        if (module.constantValue(value)) return;
        same = emit.op(spv::Op::OpLogicalAnd, types.boolType(), {same, allEqual(emit, value)});
    };
    const auto requireLocation = [&](const Location& location, size_t first) {
        require(work.function.parameter(first + location.arguments.size() - 1));
        for (size_t a = 0; a + 1 < location.arguments.size(); ++a) {
            const Id value = work.function.parameter(first + a);
            if (location.kind != Location::Kind::kPhysical) {
                require(value);
                continue;
            }
            const Id pair = types.vectorType(u32, 2);
            const Id address = emit.op(spv::Op::OpBitcast, pair, {value});
            require(emit.extract(u32, address, {0}));
            require(emit.extract(u32, address, {1}));
        }
    };
    requireLocation(work.product.matrix, work.parameters.matrix);
    if (work.product.hasBias) requireLocation(work.product.bias, work.parameters.bias);
    require(work.parameters.stride);
    return same;
}

}  // namespace coopvk::rewrite
