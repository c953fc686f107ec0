// SPDX-License-Identifier: Apache-2.0
//
// The pass that lowers matrices: to core SPIR-V, or to the driver's.
#include <algorithm>

#include "api/passes.hpp"
#include "ir/composites.hpp"
#include "ir/entry_point.hpp"
#include "matrix/context.hpp"
#include "matrix/driver/driver_matrices.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/slices/segments.hpp"
#include "matrix/staging_arrays.hpp"
#include "matrix/sums/sum_types.hpp"
#include "matrix/tiles/tile_grid.hpp"
#include "native/lower.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

using Failure = std::optional<Error>;

Error dependsOn(ElementLayout layout) {
    return {ErrorCode::kUnsupported,
            std::format("depends on the layout of elements: {}", elementLayoutName(layout))};
}

// Whether subgroups of this size have a map of the layout; if not, asks for others, and warns.
bool hasMapOf(Rewriting& r, ElementLayout layout) {
    const uint32_t size = r.target.subgroupSize;
    const bool has = hasMap(layout, size);
    r.out.wantedSubgroupSize = has ? size : subgroupSizeOf(layout);
    if (has) return true;
    std::string warning =
        std::format("depends on the layout of elements: {}, which subgroups of {} cannot have",
                    elementLayoutName(layout), size);
    std::vector<std::string>& warnings = r.out.warnings;
    const bool isNew = std::ranges::find(warnings, warning) == warnings.end();
    if (isNew) warnings.push_back(std::move(warning));
    return false;
}

// The driver's matrices lie as the driver wants, which is as its device's family has them. Where
// these subgroups have no map of the layout, core SPIR-V would not help; other subgroups may.
Failure refuseElementLayout(Rewriting& r) {
    const MatrixUses uses(r.module);
    const ElementLayout layout =
        chooseElementLayout(r.module, uses, r.target, ElementLayout::kAuto);
    const bool canBeCore = usesMatrices(r.out.used) ||
                           usesFormatMatrices(r.request.words, r.target) ||
                           allowsFlexibleSizes(r.target.emulated, r.target.nativeFeatures);
    if (layout == ElementLayout::kFree || !canBeCore) return std::nullopt;
    if (r.target.elementLayout == ElementLayout::kAuto && !hasMapOf(r, layout)) return std::nullopt;
    return dependsOn(layout);
}

// The layout of the core back-end. An error if the user wants one that these subgroups cannot have.
Result<ElementLayout> elementLayoutFor(Rewriting& r, const MatrixUses& uses) {
    const ElementLayout family = r.native ? ElementLayout::kAuto : r.target.device.familyLayout;
    const ElementLayout layout = chooseElementLayout(r.module, uses, r.target, family);
    if (layout == ElementLayout::kFree) return layout;
    const std::string_view name = elementLayoutName(layout);
    const uint32_t size = r.target.subgroupSize;
    if (hasMapOf(r, layout)) {
        r.out.notes.push_back(std::format("depends on the layout of elements: {}", name));
        r.out.elementLayout = layout;
        return layout;
    }
    if (r.target.elementLayout == ElementLayout::kAuto) return ElementLayout::kFree;
    return Error{ErrorCode::kUnsupported,
                 std::format("the layout of elements '{}' has no map for subgroups of {} "
                             "invocations (setting element_layout)",
                             name, size)};
}

void noteSlices(Rewriting& r, const ProductSlices& slices) {
    std::set<uint32_t> depths;
    for (const auto& [type, depth] : slices.depths) depths.insert(depth);
    const bool areOfB = !slices.firstColumns.empty();
    for (const uint32_t depth : depths) {
        r.out.notes.push_back(areOfB ? std::format("products in slices of {} rows of B", depth)
                                     : std::format("products in slices of {}", depth));
    }
}

// Invocations then convert what they write to shared memory, in place of what they multiply.
void holdSharedFactors(Rewriting& r, std::optional<MatrixUses>& uses) {
    if (holdSharedHalves(r.types, r.target, *uses)) {
        uses.emplace(r.module);
        r.out.notes.push_back("8-bit floats in shared memory are f16");
    }
    if (holdSharedSingles(r.types, r.target, *uses)) {
        uses.emplace(r.module);
        r.out.notes.push_back("f16 matrices in shared memory are f32");
    }
}

// The accumulators that keep the layout, if those of products do not; else none.
std::set<Id> holdSums(Rewriting& r, std::optional<MatrixUses>& uses, ElementLayout layout) {
    if (layout == ElementLayout::kFree) return {};
    std::set<Id> held = separateSums(r.types, *uses, r.target, layout);
    if (held.empty()) return held;
    uses.emplace(r.module);
    r.out.notes.push_back("products have a grid of their own");
    return held;
}

Failure lowerToCore(Rewriting& r) {
    const PlannedTarget& target = r.target;
    joinProducts(r.types, target, r.native, r.out.notes);
    TilePlan tiles;
    if (r.native) {
        tiles = planTiles(r.module, r.types, target, invocationsOf(r.module));
        if (tiles.grids.empty()) {
            return Error{ErrorCode::kUnsupported,
                         "SPV_NV_cooperative_matrix2: the module has no accumulators of scope "
                         "Workgroup that can be tiles of the driver's matrices"};
        }
        convertAroundTiles(r.types, tiles);
    }
    std::optional<MatrixUses> uses(r.module);
    if (!r.native) holdSharedFactors(r, uses);
    Result<ElementLayout> layout = elementLayoutFor(r, *uses);
    if (!layout) return layout.error();
    const size_t separated =
        *layout == ElementLayout::kFree ? 0 : separateUnnamedFactors(r.types, *uses);
    if (separated != 0) {
        uses.emplace(r.module);
        r.out.notes.push_back(std::format("types of A and B outside of the layout: {}", separated));
    }
    const std::set<Id> heldSums = holdSums(r, uses, *layout);
    LayoutPolicy policy = choosePolicy(*uses, r.types, target, *layout, heldSums);
    policy.runs = chooseRuns(r.types, tiles);
    foldSpecConstants(r.types, [&](Id type) { return matrixLength(r.types, policy, type); });
    keepProductLoopsRolled(r.module, target.subgroupSize,
                           target.tuning.unrolledProducts.value_or(target.device.unrolledProducts));
    ProductSlices slices = sliceProducts(r.types, target, policy, *uses);
    if (slices.depths.empty() && !r.native) slices = sliceFactors(r.types, target, policy, *uses);
    MatrixContext context(r.types, target);
    context.policy = policy;
    context.slices = std::move(slices);
    context.invocations = invocationsOf(r.module);
    context.cellsAreSubgroups = canReduceInSubgroups(r.module, target);
    context.tiles = std::move(tiles);
    if (Failure error = lowerMatrices(context)) return error;
    removeWholeMatrixDeclarations(r.module);
    r.out.notes.push_back(
        std::format("{}, lane grid {}x{}, row blocks {}, column blocks {}",
                    r.native ? "native back-end, in tiles of workgroups" : "core back-end",
                    policy.grid.rows, policy.grid.columns, policy.rowBlock, policy.columnBlock));
    noteSlices(r, context.slices);
    r.out.paths.push_back(r.native ? "matrices: native, in tiles of workgroups" : "matrices: core");
    return std::nullopt;
}

// Lowers what the driver's matrices of scope Subgroup do not have (SPV_NV_cooperative_matrix2).
Failure lowerBesideDriver(Rewriting& r, uint32_t subgroups) {
    const Result<NativePlan> plan = planNative(r.module, r.types, r.target);
    if (!plan) return plan.error();
    if (r.target.backEnd == BackEnd::kAuto && MatrixUses(r.module).products().empty()) {
        return Error{ErrorCode::kUnsupported, "no products, for which the driver's matrices are"};
    }
    Result<DriverMatrices> driver = convertAroundDriver(r.types, r.target);
    if (!driver) return driver.error();
    MatrixContext context(r.types, r.target);
    context.policy = choosePolicy(MatrixUses(r.module), r.types, r.target, ElementLayout::kFree);
    context.policy.likeAccumulators.insert(driver->distributed.begin(), driver->distributed.end());
    context.invocations = invocationsOf(r.module);
    context.driver = std::move(driver->types);
    context.staging.emplace(context, subgroups);
    if (!reserveForDriver(context)) {
        return Error{ErrorCode::kUnsupported,
                     "conversions of matrices need more shared memory than the shader leaves"};
    }
    if (Failure error = lowerMatrices(context)) return error;
    removeWholeMatrixDeclarations(r.module);
    r.types.rescan();
    r.out.notes.push_back(
        std::format("conversions around what the driver's matrices lack: {}", driver->conversions));
    return std::nullopt;
}

Failure lowerToDriver(Rewriting& r) {
    if (Failure error = refuseElementLayout(r)) return error;
    const bool needsMore = needsWholeMatrices(r.module);
    if (needsMore && hasMatricesOfWorkgroup(r.module)) return lowerToCore(r);
    const uint32_t count = std::max(subgroupsOf(r.module, r.target.subgroupSize), 1u);
    if (needsMore && distributesSmallFloats(r.types)) {
        return Error{ErrorCode::kUnsupported,
                     "8-bit floats are operands of what the driver's matrices lack"};
    }
    if (Failure error = holdInDriverMatrices(r.types, r.target, count)) return error;
    if (needsMore) {
        if (Failure error = lowerBesideDriver(r, count)) return error;
    }
    Result<NativePlan> plan = planNative(r.module, r.types, r.target);
    if (!plan) return plan.error();
    if (Failure error = lowerToNative(r.types, r.target, *plan, count)) return error;
    r.out.paths.push_back(plan->isTiled() ? "matrices: native, in tiles" : "matrices: native");
    r.out.notes.push_back(plan->note);
    return std::nullopt;
}

}  // namespace

// Whether a module whose matrices may stay the driver's must not keep them.
bool needsOtherLayout(Rewriting& r) {
    if (!r.target.replacesLayout ||
        !r.module.hasCapability(spv::Capability::CooperativeMatrixKHR)) {
        return false;
    }
    const MatrixUses uses(r.module);
    const ElementLayout layout =
        chooseElementLayout(r.module, uses, r.target, ElementLayout::kAuto);
    return layout != ElementLayout::kFree && !whyDependsOnLanes(uses).empty() &&
           hasMapOf(r, layout);
}

Error dependsOnLayout(const Rewriting& r) {
    return dependsOn(
        chooseElementLayout(r.module, MatrixUses(r.module), r.target, ElementLayout::kAuto));
}

bool hasMatricesOfWorkgroup(const Module& module) {
    constexpr auto kWorkgroup = static_cast<uint64_t>(spv::Scope::Workgroup);
    return anyMatrixType(module, [&](const Instruction& type) {
        return module.constantValue(type.word(1)) == kWorkgroup;
    });
}

std::optional<Error> lowerAnyMatrices(Rewriting& r) {
    if (!r.lowersMatrices) return std::nullopt;
    return r.native ? lowerToDriver(r) : lowerToCore(r);
}

}  // namespace coopvk::rewrite
