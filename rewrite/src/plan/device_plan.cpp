// SPDX-License-Identifier: Apache-2.0
#include "plan/device_plan.hpp"

#include <algorithm>

#include "coopvk/plan.hpp"
#include "coopvk/vector_matrix.hpp"

namespace coopvk::rewrite {

namespace {

const DeviceClass& classOf(const DeviceTraits& device, std::span<const DeviceClass> classes) {
    const auto found =
        std::ranges::find_if(classes, [&](const DeviceClass& row) { return row.has(device); });
    return found == classes.end() ? deviceClasses().back() : *found;
}

SumForm openSumsFor(const DeviceTraits& device, bool opensSingles) {
    if (opensSingles || device.emulatesFloat16) return SumForm::kSingles;
    if (!device.shaderFloat16) return SumForm::kClosed;
    return device.shaderMixedFloatDotProductFloat16AccFloat32 ? SumForm::kSingles
                                                              : SumForm::kHalves;
}

// What products of vectors choose otherwise than their class does.
void tuneVectors(const MatrixTuning& tuning, DevicePlan& plan, uint32_t lanes) {
    plan.smallProduct = tuning.smallProduct.value_or(plan.smallProduct);
    plan.linesAtOnce = tuning.linesAtOnce.value_or(plan.linesAtOnce);
    // A tile has two columns of lanes at least.
    if (tuning.tileColumns) plan.tileColumns = std::min(*tuning.tileColumns, lanes / 2);
    if (tuning.shiftsRows)
        plan.rowStores = *tuning.shiftsRows ? RowStores::kShifted : RowStores::kIndexed;
}

// Whether products of vectors may use the driver's matrices. Unless the user asks for them, only
// where they were measured to be faster, and not if the driver's matrices are to be replaced.
bool mayUseDriverMatrices(const Target& target, const DeviceChoices& choices) {
    if (target.numerics == Numerics::kSame) return false;
    if (target.backEnd != BackEnd::kAuto) return target.backEnd == BackEnd::kNative;
    return choices.usesDriverMatrices &&
           !target.emulated.contains(Extension::kKhrCooperativeMatrix);
}

// Whether lanes can exchange what matrices of a shape hold: half floats, or bytes for dot products.
bool isDivided(const MatrixShape& shape, uint32_t lanes) {
    using enum ComponentType;
    const bool areHalves = shape.a == kFloat16;
    const uint32_t quads = shape.k * (areHalves ? 2 : 1) / 16;  // of a line
    if (!(areHalves || shape.a == kSint8 || shape.a == kUint8)) return false;
    if (shape.m == 0 || shape.n == 0 || quads == 0 || shape.k % (areHalves ? 8 : 16) != 0) {
        return false;
    }
    return lanes % shape.m == 0 && lanes % shape.n == 0 && shape.n % 8 == 0 &&
           4 * kExchangeQuads % shape.n == 0 && kExchangeQuads % quads == 0;
}

}  // namespace

DevicePlan::DevicePlan(const Target& target, std::span<const DeviceClass> classes)
    : DeviceFeatures(target.device) {
    const auto& traits = target.device;
    const uint32_t lanes = target.subgroupSize;
    const DeviceClass& row = classOf(traits, classes);
    DeviceChoices& choices = *this;
    choices = row.choices;
    className = row.name;
    classReason = row.reason;
    lanesInStep = traits.lanesInStep;
    variesSubgroupSize = traits.minSubgroupSize != traits.maxSubgroupSize;
    hasMixedDots = traits.shaderMixedFloatDotProductFloat16AccFloat32;
    // AMD's have dot products of bytes of mixed signs since RDNA 3.
    pairsMixedDots = hasMixedDots && sharesScalars && traits.dot4x8Mixed;
    roundsOnceInIntegers = traits.dropsHalfRoundings && traits.shaderInt16;
    hasSlowShuffles = lanes >= slowShuffleLanes;
    hasDividedSubgroups = sharesScalars && lanes > traits.minSubgroupSize;
    openSums = openSumsFor(traits, opensSingles);
    packsHalves &= shaderFloat16;
    computesSingleHalves &= shaderFloat16;
    stagesSingles &= !hasMixedDots;
    opensWorkgroupSums &= !variesSubgroupSize;
    if (!rowStores && hasSlowShuffles) rowStores = RowStores::kShifted;
    const bool dots[] = {traits.dot4x8Unsigned, traits.dot4x8Signed, traits.dot4x8Mixed};
    std::ranges::transform(dots, dots_,
                           [&](bool dot) { return dot && traits.shaderIntegerDotProduct; });
    constexpr uint32_t kLanesOfDots = 64;  // each computes few dot products
    prefersByteDots &= traits.shaderIntegerDotProduct && (std::ranges::count(dots, true) != 0 ||
                                                          traits.maxSubgroupSize >= kLanesOfDots);
    tileColumns = lanes == 32 ? 8 : lanes >= 8 ? 4 : 2;
    tuneVectors(target.tuning, *this, lanes);
    reservedSharedMemory = rewrite::reservedSharedMemory(traits);
    hasSameNumerics = target.numerics == Numerics::kSame;
    if (hasSameNumerics) chooseSameNumerics();
    if (driverSubgroupSize != 0) chooseEmulatedSubgroups();
    if (target.addsShapes) addedShapes = addedMatrixShapes(traits);
    addsCoreShapes = !addedShapes.empty() && !traits.onlyNativeShapes;
    if (!mayUseDriverMatrices(target, choices)) return;
    std::ranges::copy_if(nativeShapes, std::back_inserter(vectorShapes),
                         [&](const MatrixShape& shape) { return isDivided(shape, lanes); });
}

// Sums are f32 along K, and rounded once for each instruction, whatever the device and its
// subgroups are. Arithmetic of f16 would round each step; open sums depend on how many there are in
// a lane.
void DevicePlan::chooseSameNumerics() {
    packsHalves = computesSingleHalves = false;
    hasMixedDots = pairsMixedDots = false;
    openSums = SumForm::kClosed;
    opensWorkgroupSums = false;
    stagesSingles = false;  // products of f16 are exact
    forbidsContraction = true;
    roundsHalvesInIntegers = true;
}

// What lanes exchange costs two barriers, and must not be in code that only some of them run, as
// products of vectors are.
void DevicePlan::chooseEmulatedSubgroups() {
    subgroupBasic = subgroupShuffle = true;
    subgroupVote = subgroupBallot = subgroupArithmetic = false;
    maxShuffles = 0;
}

Slices DevicePlan::slicesFor(const SlicedProduct& product) const {
    // The product of each slice would round to 16 bits.
    if (hasSameNumerics && product.areFloats && product.sumBits == 16) return {};
    const auto row =
        std::ranges::find_if(slices, [&](const SliceRow& r) { return r.are(product); });
    return row == slices.end() ? Slices{} : row->slices;
}

bool holdsBlock(const MatrixShape& shape) {
    using enum ComponentType;
    return shape.a == kFloat16 && shape.b == kFloat16 && shape.n == kBlockRows &&
           shape.k * 2 == kOptimalLineAlignment;
}

PlannedTarget::PlannedTarget(const Target& target)
    : device(target),
      subgroupSize(target.subgroupSize),
      emulated(target.emulated),
      nativeFeatures(target.nativeFeatures),
      addsShapes(target.addsShapes),
      indexes64Bits(target.indexes64Bits),
      needsFullSubgroups(target.needsFullSubgroups),
      backEnd(target.backEnd),
      elementLayout(target.elementLayout),
      programLayout(target.programLayout),
      replacesLayout(target.replacesLayout),
      tuning(target.tuning) {}

bool prefersBlockedWeights(const Target& target) {
    return target.emulated.contains(Extension::kNvCooperativeVector) &&
           mayUseDriverMatrices(target, classOf(target.device, deviceClasses()).choices) &&
           std::ranges::any_of(target.device.nativeShapes, holdsBlock);
}

// What the rewriter does because of faults of drivers. docs/developers/conformance.md, "Faults of
// drivers that the tests found", has more of each. To see whether a version still needs a row, take
// it out of its file, and run its test on the driver.

namespace {

constexpr DriverWorkaround kWorkarounds[] = {
    {"lavapipe", "Mesa 26.1", "a subgroup barrier waits for the whole workgroup",
     "memory barriers, where lanes run in step", "passes/finish.cpp",
     "ControlFlow.*SubgroupsPartAroundBarriers"},
    {"lavapipe", "LLVM 21.1.8", "sums that do not fit registers are overwritten",
     "16 rows at once on CPUs", "plan/classes.cpp", "Columns/VectorMultiply.Matches"},
    {"lavapipe, RADV", "Mesa 26.1", "no OpCopyMemory and OpUndef of matrices",
     "a load and a store; null", "native/lower.cpp", "Pointers.CopyOneMatrix"},
    {"NVIDIA", "580.159.04", "the last subgroup of task and mesh shaders counts as full",
     "each invocation alone, unless all subgroups are full", "vector/product_tile.cpp",
     "StageSubgroups.AreCounted"},
    {"NVIDIA", "580.159.04", "SubgroupId is wrong in task and mesh shaders",
     "LocalInvocationIndex divided by the subgroup size", "vector/product_tile.cpp",
     "StageSubgroups.AreCounted"},
    {"NVIDIA", "580.159.04",
     "functions with DontInline add nothing to memory in shaders for ray tracing, tasks and meshes",
     "inlined outside of compute shaders", "vector/product_tile.cpp", "VectorStages.Match"},
    {"NVIDIA", "580.159.04", "wrong elements of a shifted array that is undefined at first",
     "zeros first", "vector/product.cpp", "VectorMultiply.Matches"},
    {"NVIDIA", "580.159.04", "stores to shared memory are lost where a lane's range is unknown",
     "the lane's number is masked", "matrix/layout.cpp", "Matrix2Product.MatchesReference"},
    {"NVIDIA, lavapipe with 16 lanes", "580.159.04, Mesa 26.1",
     "f32 that become f16 and f32 again are not rounded",
     "sums that the program wants rounded once are, in integers", "matrix/product_rows.cpp",
     "SameNumerics.AreThoseOfPreciseProducts"},
    {"NVIDIA", "580.159.04", "minutes for large matrices that move through many branches",
     "they lie like accumulators", "matrix/layout_policy.cpp", "LargeMatrixValues.OfUseB"},
};

}  // namespace

std::span<const DriverWorkaround> driverWorkarounds() { return kWorkarounds; }

}  // namespace coopvk::rewrite
