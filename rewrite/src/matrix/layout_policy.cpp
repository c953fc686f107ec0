// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "ir/entry_point.hpp"
#include "lowering/number.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/layout.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// What the policy depends on.
struct Survey {
    // Accesses in row major order minus those in column major order; of loads by use.
    int rowMajorLoads[3] = {0, 0, 0};
    int rowMajorStores = 0;
    bool loadsColumnsOfB = false;  // loads a B in column major order
    bool loadsShared[3] = {};      // loads from shared memory of the shader, by use
    bool multipliesIntoHalf = false;
    bool multipliesHalfIntoSingle = false;
    bool multipliesBytes = false;   // and nothing else
    bool multipliesHalves = false;  // the same of f16
    uint32_t rows = ~0u;       // largest power of two that divides the height of A and accumulators
    uint32_t columns = ~0u;    // largest power of two that divides the width of B
    uint32_t storedBits = 32;  // of the narrowest component that is stored
};

// 1: row major; -1: column major, or a tensor in an order that is not known; 0: not known.
int direction(const MatrixAccess& access) {
    if (!access.along) return access.isTensor ? -1 : 0;
    return access.along == Dimension::kColumns ? 1 : -1;
}

Survey surveyOf(const MatrixUses& uses, const TypeTable& types) {
    const Module& module = types.module();
    const auto component = [&](Id matrix) { return module.def(matrix).word(0); };
    Survey survey;
    for (const auto& [type, d] : uses.types()) {
        if (!d.isOfSubgroup()) continue;
        uint32_t& divisor = d.use == Use::kB ? survey.columns : survey.rows;
        divisor = std::min(divisor, powerOfTwoIn(d.use == Use::kB ? d.columns : d.rows));
    }
    for (const MatrixAccess& load : uses.loads()) {
        const auto d = matrixDimensions(module, module.def(load.type));
        if (!d) continue;
        const auto use = static_cast<size_t>(d->use);
        survey.rowMajorLoads[use] += direction(load);
        survey.loadsShared[use] |=
            module.storage(load.instruction->word(0)) == spv::StorageClass::Workgroup;
        survey.loadsColumnsOfB |= d->use == Use::kB && direction(load) < 0;
    }
    for (const MatrixAccess& store : uses.stores()) {
        survey.rowMajorStores += direction(store);
        const uint32_t bits = heldBits(types, component(store.type));
        if (bits != 0) survey.storedBits = std::min(survey.storedBits, bits);
    }
    survey.multipliesBytes = survey.multipliesHalves = !uses.products().empty();
    for (const MatrixProduct& product : uses.products()) {
        const Id sum = component(product.instruction->type);
        survey.multipliesBytes &= !types.isFloat(sum) && types.width(component(product.b)) == 8;
        survey.multipliesHalves &=
            types.isHalf(component(product.a)) && types.isHalf(component(product.b));
        if (!types.isFloat(sum)) continue;
        survey.multipliesIntoHalf |= types.isHalf(sum);
        survey.multipliesHalfIntoSingle |=
            types.width(sum) == 32 && heldBits(types, component(product.a)) == 16;
    }
    return survey;
}

// On CPUs a subgroup is a vector register. A load becomes one load for each lane if lanes load from
// different addresses. With all lanes in one grid column, all lanes load the same element of B,
// which is one load. More lanes than a matrix has rows would be duplicates.
Grid oneColumnGrid(uint32_t subgroupSize, const Survey& survey) {
    const uint32_t rows = std::min(subgroupSize, survey.rows);
    return {rows, subgroupSize / rows};
}

// For B in row major order with pairs along K: where a lane has one column, a GPU loads both halves
// of a pair to their places in a register. With more columns in a lane, it would load pairs along N
// and split them. A grid of more columns has fewer rows, and so more of A in each lane than
// registers hold.
Grid gridOfColumns(uint32_t subgroupSize, const Survey& survey) {
    constexpr uint32_t kMaxColumns = 16;
    const uint32_t columns = std::min({subgroupSize, survey.columns, kMaxColumns});
    return {subgroupSize / columns, columns};
}

// From B in row major order, lanes load words of bytes of a row. One that has fewer columns loads
// bytes that it does not multiply. RDNA 1 and 2 are faster with fewer registers for B.
bool prefersWordsOfRows(const Survey& survey, const PlannedTarget& target) {
    const bool loadsRows = survey.rowMajorLoads[static_cast<size_t>(Use::kB)] > 0;
    return survey.multipliesBytes && loadsRows &&
           (target.device.pairsMixedDots || !target.device.sharesScalars);
}

bool readsColumnsOfHalves(const Survey& survey) {
    const bool isShared = survey.loadsShared[static_cast<size_t>(Use::kA)] ||
                          survey.loadsShared[static_cast<size_t>(Use::kB)];
    return survey.multipliesHalves && survey.loadsColumnsOfB && !isShared;
}

// RDNA 3 issues two dot products at once if their registers suit: more of them, the more columns of
// B there are for each row of A. In slices, of shared memory, they suit anyway.
bool pairsMoreDots(const Survey& survey, const PlannedTarget& target) {
    return target.device.pairsMixedDots && readsColumnsOfHalves(survey);
}

// Loops with a grid of their own have many sums here (separate_sums.cpp). They hold A of all of
// them, and B of a few at a time: more rows of lanes leave registers for the conversions, too.
bool holdsLessOfA(const Survey& survey, const PlannedTarget& target) {
    return !target.device.countsLoopRegisters && readsColumnsOfHalves(survey);
}

// With f16 in pairs along N, A takes fewer registers than B: more rows of lanes share B. Where
// products are sliced along K (chooseSlices()), f32 sums are faster so, too, and f16 sums are not.
bool prefersTallGrid(const Survey& survey, const LayoutPolicy& policy,
                     const PlannedTarget& target) {
    if (prefersWordsOfRows(survey, target)) return true;
    if (policy.halfPairsAlongK) return pairsMoreDots(survey, target);
    if (!target.device.hasTallGridForSingles) return survey.multipliesIntoHalf;
    constexpr uint32_t kPairsOfColumns = 16;  // of a grid that is not tall
    return survey.multipliesIntoHalf ? survey.columns < kPairsOfColumns
                                     : survey.multipliesHalfIntoSingle;
}

void tune(LayoutPolicy& policy, const MatrixTuning& tuning, uint32_t subgroupSize) {
    if (tuning.gridRows) policy.grid = {*tuning.gridRows, subgroupSize / *tuning.gridRows};
    policy.rowBlock = tuning.rowBlock.value_or(policy.rowBlock);
    policy.columnBlock = tuning.columnBlock.value_or(policy.columnBlock);
}

// A grid of a power of two of invocations; one invocation where their number is not known.
Grid workgroupGrid(const Module& module) {
    const uint64_t invocations = invocationsOf(module);
    return invocations == 0 ? Grid{}
                            : makeGrid(std::bit_floor(static_cast<uint32_t>(invocations)), false);
}

Grid cellOf(const Grid& workgroup, uint32_t subgroupSize) {
    return makeGrid(std::min(subgroupSize, workgroup.rows * workgroup.columns), false);
}

// Sums of products that have a grid of their own are converted to the layout's. Neighbours that a
// lane has on both sides go through shared memory at once. In shared memory of the shader, lines
// that lanes read at the same time stay neighbours.
void takeBlocks(LayoutPolicy& policy, const Survey& survey, const MappedLanes& sums) {
    const auto take = [&](uint32_t& block, uint32_t wanted, Use use) {
        if (block != 0 && !survey.loadsShared[static_cast<size_t>(use)])
            block = std::max(block, wanted);
    };
    take(policy.rowBlock, sums.rowBlock, Use::kA);
    take(policy.columnBlock, sums.columnBlock, Use::kB);
}

// Without `heldSums`, all accumulators lie as the layout says, so products want the rows of A and
// the columns of B that go with them. A and B whose elements the module names lie as the layout
// says, too; products convert them.
void followMap(LayoutPolicy& policy, const MatrixUses& uses, const TypeTable& types,
               ElementLayout layout, uint32_t subgroupSize, const std::set<Id>& heldSums) {
    const Module& module = types.module();
    const auto sums = mappedLanes(layout, subgroupSize, Use::kAccumulator, 32);
    if (!sums) return;
    if (heldSums.empty()) {
        policy.elementLayout = layout;
        policy.grid = sums->grid;
        policy.rowBlock = sums->rowBlock;
        policy.columnBlock = sums->columnBlock;
    }
    for (const Id type : heldSums) policy.mapped.emplace(type, *sums);
    for (const auto& [type, d] : uses.types()) {
        const bool isNamed = (uses.facts(type) & (kHasElements | kAsksLength)) != 0;
        const Number* number = numberOf(types, module.def(type).word(0));
        if (!d.isOfSubgroup() || d.use == Use::kAccumulator || !isNamed || !number) continue;
        policy.mapped.emplace(type, *mappedLanes(layout, subgroupSize, d.use, number->bits));
    }
}

// Whether multiply-adds of pairs of f16 are twice as fast as others. On Apple's M1 they are not,
// and the two sums of each pair along K spill registers.
bool gainsByPairs(const DevicePlan& device) {
    return device.sharesScalars || device.forbidsContraction;
}

// Large matrices of use A and B: a lane holds all columns of its rows of A, and all rows of its
// columns of B, as products want it; several lanes hold the same component. Compilers of drivers
// fail at the code for thousands of components in each lane, or at the branches through which they
// go.

// Components in a lane. Of a 32x32 matrix, a lane of a GPU has 256. NVIDIA's driver takes minutes
// for code that moves a few such matrices through the branches of a loop, and fails at 4,096
// components.
constexpr uint32_t kMany = 64;

// Two buffers that take turns, and a load ahead of a loop, are fewer moves. These stay as products
// want them, without a conversion in each iteration.
constexpr uint32_t kManyMoves = 4;

// The types to distribute as accumulators are, since else a lane would have too many components:
// no product of the module reads a matrix of their size and use, or the module moves their values
// through many branches. Products convert the latter. `policy` without likeAccumulators.
std::set<Id> largeTypes(const MatrixUses& uses, const TypeTable& types,
                        const LayoutPolicy& policy) {
    const Module& module = types.module();
    using SizeAndUse = std::tuple<uint32_t, uint32_t, Use>;
    std::set<SizeAndUse> factors;  // that products read
    for (const MatrixProduct& product : uses.products()) {
        for (const Id factor : {product.a, product.b}) {
            const auto d = matrixDimensions(module, module.def(factor));
            if (d && d->isOfSubgroup()) factors.emplace(d->rows, d->columns, d->use);
        }
    }
    std::set<Id> large;
    for (const auto& [type, d] : uses.types()) {
        if (!d.isOfSubgroup() || d.use == Use::kAccumulator) continue;
        if (factors.contains({d.rows, d.columns, d.use}) && uses.moves(type) <= kManyMoves)
            continue;
        const std::optional<uint32_t> length = matrixLength(types, policy, type);
        if (length && *length > kMany) large.insert(type);
    }
    return large;
}

}  // namespace

LayoutPolicy choosePolicy(const MatrixUses& uses, const TypeTable& types,
                          const PlannedTarget& target, ElementLayout layout,
                          const std::set<Id>& heldSums) {
    const Survey survey = surveyOf(uses, types);
    // Accesses in row major order minus others.
    const int ofA = survey.rowMajorLoads[static_cast<size_t>(Use::kA)];
    const int ofB = survey.rowMajorLoads[static_cast<size_t>(Use::kB)];
    const int ofAccumulators =
        survey.rowMajorLoads[static_cast<size_t>(Use::kAccumulator)] + survey.rowMajorStores;
    LayoutPolicy policy;
    policy.workgroup = workgroupGrid(types.module());
    policy.cell = cellOf(policy.workgroup, target.subgroupSize);
    // Mixed dot products read A and B in pairs along K.
    const bool dots = (survey.multipliesHalfIntoSingle && target.device.hasMixedDots) ||
                      (survey.multipliesIntoHalf && target.device.pairsMixedDots);
    policy.halfPairsAlongK = target.tuning.halfPairsAlongK.value_or(ofB < 0 || dots);
    // With blocks of 1, neighbouring lanes read neighbouring lines of A and B, which lie in
    // different banks of shared memory. Along a line, a lane reads at once what it holds together.
    policy.rowBlock = (ofA != 0 ? ofA : ofAccumulators) > 0 ? 1 : 0;
    if (ofB < 0) policy.columnBlock = survey.rowMajorStores > 0 ? 32 / survey.storedBits : 1;
    const bool isTall = prefersTallGrid(survey, policy, target) ||
                        (!heldSums.empty() && holdsLessOfA(survey, target));
    policy.grid = makeGrid(target.subgroupSize, isTall);
    if (target.device.hasOneColumnOfLanes)
        policy.grid = oneColumnGrid(target.subgroupSize, survey);
    else if (dots && ofB > 0 && !survey.loadsColumnsOfB)
        policy.grid = gridOfColumns(target.subgroupSize, survey);
    const auto sums = mappedLanes(layout, target.subgroupSize, Use::kAccumulator, 32);
    if (sums && !heldSums.empty()) takeBlocks(policy, survey, *sums);
    tune(policy, target.tuning, target.subgroupSize);
    if (layout != ElementLayout::kFree) {
        followMap(policy, uses, types, layout, target.subgroupSize, heldSums);
        policy.derivesLanes =
            !heldSums.empty() && target.device.countsLoopRegisters && !target.device.sharesScalars;
        // f16 sums of a lane with one column have no pairs along N.
        const bool hasOneColumn = heldSums.empty() && survey.columns <= policy.grid.columns;
        const bool wantsPairs =
            survey.multipliesIntoHalf && hasOneColumn && gainsByPairs(target.device);
        policy.halfPairsAlongK =
            target.tuning.halfPairsAlongK.value_or(policy.halfPairsAlongK || wantsPairs);
    }
    policy.likeAccumulators = largeTypes(uses, types, policy);
    policy.likeAccumulators.merge(typesLikeAccumulators(uses));
    for (const auto& [type, map] : policy.mapped) policy.likeAccumulators.erase(type);
    return policy;
}

std::set<Id> typesLikeAccumulators(const MatrixUses& uses) {
    std::set<Id> found;
    const std::map<Id, MatrixDimensions> types(uses.types().begin(), uses.types().end());
    for (const auto& [to, from] : uses.elementCopies()) {
        const auto a = types.find(to), b = types.find(from);
        if (a == types.end() || b == types.end()) continue;
        const MatrixDimensions &target = a->second, &source = b->second;
        const bool areAlike = target.isOfSubgroup() && source.isOfSubgroup() &&
                              target.rows == source.rows && target.columns == source.columns;
        if (!areAlike || target.use == source.use) continue;
        if (target.use != Use::kAccumulator) found.insert(to);
        if (source.use != Use::kAccumulator) found.insert(from);
    }
    return found;
}

}  // namespace coopvk::rewrite
