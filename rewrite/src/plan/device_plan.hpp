// SPDX-License-Identifier: Apache-2.0
//
// What is decided by the device alone: made from DeviceTraits once for each rewrite, before any
// pass. Passes read the plan and cannot see DeviceTraits. report.cpp has the reason of each
// decision; `coopvk info --plan` prints both.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coopvk/device.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// What shaders for a device may contain, and how much of it: the part of DeviceTraits that decides
// whether code is valid, and not how it is made. Passes cannot see the rest.
struct DeviceFeatures : private DeviceTraits {
    DeviceFeatures(const DeviceTraits& traits) : DeviceTraits(traits) {}  // NOLINT: a device has it

    using Feature = bool DeviceTraits::*;
    using DeviceTraits::has, DeviceTraits::hasFloat16;

    using DeviceTraits::blockedWeights, DeviceTraits::nativeShapes;
    using DeviceTraits::familyLayout, DeviceTraits::shaderCores, DeviceTraits::warpsPerShaderCore,
        DeviceTraits::shaderCoreBuiltins;
    using DeviceTraits::maxComputeSharedMemorySize, DeviceTraits::splitBarrierSharedMemory,
        DeviceTraits::maxTaskSharedMemorySize, DeviceTraits::maxTaskPayloadAndSharedMemorySize,
        DeviceTraits::maxMeshSharedMemorySize, DeviceTraits::maxMeshPayloadAndSharedMemorySize;
    using DeviceTraits::shaderBufferFloat32AtomicAdd, DeviceTraits::shaderSharedFloat32AtomicAdd;
    using DeviceTraits::shaderFloat16, DeviceTraits::shaderDenormPreserveFloat16,
        DeviceTraits::shaderFloat64, DeviceTraits::shaderInt8, DeviceTraits::shaderInt16,
        DeviceTraits::shaderInt64, DeviceTraits::emulatesFloat16;
    using DeviceTraits::storageBuffer8BitAccess, DeviceTraits::storageBuffer16BitAccess,
        DeviceTraits::uniformAndStorageBuffer8BitAccess,
        DeviceTraits::uniformAndStorageBuffer16BitAccess, DeviceTraits::storagePushConstant8,
        DeviceTraits::storagePushConstant16, DeviceTraits::scalarBlockLayout,
        DeviceTraits::robustBufferAccess;
    using DeviceTraits::subgroupBasic, DeviceTraits::subgroupShuffle, DeviceTraits::subgroupVote,
        DeviceTraits::subgroupBallot, DeviceTraits::subgroupArithmetic,
        DeviceTraits::subgroupStages, DeviceTraits::shaderSubgroupUniformControlFlow,
        DeviceTraits::driverSubgroupSize;
};

// What slices depend on (matrix/slices): a product of matrices that are loaded from shared memory.
struct SlicedProduct {
    uint32_t lanes;       // of a subgroup
    uint32_t factorBits;  // of a component of A or B in memory: of the narrower one
    uint32_t sumBits;
    uint32_t depth;       // columns of A
    uint64_t sums;        // most components of accumulators that a variable has in each lane
    bool areFloats;       // the sums
    bool areOpen;         // the sums
    bool haveDuplicates;  // there are fewer sums than lanes
    bool arePairsAlongK;  // f16 of B
    bool haveMixedDots;   // the device
    bool haveLayout;      // of elements (ElementLayout) in which a lane has one column
};

struct Slices {
    uint32_t depth = 0;  // columns of A in a slice; 0: no slices
    bool rolled = false;
};

// The first row counts whose test a product passes. A product that passes none has no slices.
struct SliceRow {
    std::string_view products;
    bool (*are)(const SlicedProduct& product);
    Slices slices;
};

// How a lane holds the components of an accumulator while products are added.
enum class SumForm {
    kClosed,   // as themselves
    kHalves,   // each as two f16, whose sum is the component
    kSingles,  // each as f32
};

// How loops store rows of a result to a local array.
enum class RowStores {
    kIndexed,  // at a dynamic index: GPUs keep such an array in memory, or branch
    kShifted,  // at the end of the array, after shifting it: all indices are constant
};

// What a class of devices chooses. The defaults are those of a GPU of no other class. report.cpp
// has the reasons.
struct DeviceChoices {
    // Products of matrices (matrix/)
    bool packsHalves = true;            // f16 arithmetic in pairs; false: in f32
    bool computesSingleHalves = false;  // f16 that are not in pairs, in f16
    bool multipliesBytesAsFloats = true;
    bool prefersByteDots = true;  // dot products of four bytes, also some that are not accelerated
    bool forbidsContraction = false;
    bool multipliesRowByRow = false;
    bool opensSingles = false;  // open sums of f16 accumulators are f32
    uint32_t maxOpenSums = 32;  // of a lane
    bool hasOneColumnOfLanes = false;
    bool hasTallGridForSingles = false;
    bool stagesSingles = false;       // f16 in shared memory becomes f32
    bool dividesConversions = false;  // of 8-bit floats that several lanes load
    // Each register counts in loops that multiply f16 straight from buffers.
    bool countsLoopRegisters = false;
    // Loads from buffers are in words where the address allows it: a set of components' bits. And
    // those of which the shader tests the address, where it is not known before.
    uint32_t bitsLoadedInWords = 16 | 32 | 64;
    uint32_t bitsTestedForWords = 0;
    uint32_t unrolledInLane = 4096;    // multiplications of a product without a loop over rows
    uint32_t unrolledProducts = 1024;  // multiplications of a lane in a loop without DontUnroll
    std::span<const SliceRow> slices = {};
    // The size of the code
    // Loops over arrays in memory, also for calls for each element; a function for tensor accesses
    // that are alike, and one loop for the rare ones; each value is computed once in a function,
    // not only in a block.
    bool prefersShortCode = false;
    // Equal loops around products, one behind the other, also where they decode elements. Others,
    // and all where matrices are the driver's, are joined anyway.
    bool joinsDecodingLoops = true;
    bool joinsTails = true;       // equal products at the end of both branches of a selection
    uint32_t maxDecodeCalls = 4;  // of decode functions, without a loop
    // Words of the functions that are called for each element, that a loop may be unrolled to.
    uint32_t unrolledCallWords = 65536;
    uint32_t maxElementCalls = ~0u;  // of functions called for each element, without a loop
    // Accesses of tensors without a loop: of loads and of stores by separable addresses, and of
    // any, where there are no others.
    uint32_t maxTensorLoads = 512;
    uint32_t maxTensorStores = 4;
    uint32_t maxTensorStoresOfTiles = 512;  // where matrices are tiles of the driver's
    uint32_t maxTensorPlaces = 16;
    uint32_t maxRareAccesses = 16;  // single ones, where runs are possible by other layouts
    // Of a workgroup
    bool opensWorkgroupSums = false;    // pairs along K, if registers suffice
    uint32_t workgroupProducts = 1024;  // multiplications of a lane in an iteration
    uint32_t workgroupSteps = ~0u;      // columns or pairs of columns of A in one, at most
    uint32_t writtenProducts = ~0u;     // of these, without an inner loop that drivers unroll
    bool rollsWorkgroupSteps = false;   // drivers must not unroll the iterations
    uint32_t registersOfLane = 256;
    uint32_t registersOfWorkgroup = 65536;
    // Exchanges between lanes
    uint32_t slowShuffleLanes = 64;        // so many lanes shuffle slowly by an index of each lane
    uint32_t maxShuffles = 512;            // of an exchange; more go through shared memory
    uint32_t maxShuffledLine = 8;          // elements of a line, where shuffles are slow
    uint32_t maxMovedThroughMemory = ~0u;  // components of a lane

    // Products of vectors (vector/)
    bool usesDriverMatrices = true;       // with the back-end auto
    bool sharesScalars = false;           // what is uniform in the subgroup takes one register
    bool fusesSingles = true;             // multiply-adds of f32
    bool indexingHoldsRegisters = false;  // a dynamically indexed array does, all the time
    bool storesPairsAsWords = true;       // in local arrays
    bool readsPairs = true;               // f16 stay in pairs in local arrays that are read as f32
    uint32_t linesAtOnce = 4;             // that are rows
    uint32_t rowsAtOnce = 32;             // of lines that are columns
    uint32_t unrolledUnits = 64;          // of a line that is a row
    uint32_t shiftedRows = 64;            // of a result, without slow shuffles
    // Multiplications of a small product: each invocation computes it alone.
    uint32_t smallProduct = 0;
    uint32_t unrolledWords = 16;              // of a line that is added to memory
    bool callsSmallFunctions = false;         // those of small products are not inlined
    std::optional<RowStores> rowStores = {};  // nullopt: by the two choices above

    // Numbers (numbers/)
    bool roundsHalvesInIntegers = false;  // f32 to f16
};

// A kind of device. The first one of a list counts whose test holds.
struct DeviceClass {
    std::string_view name;
    std::string_view reason;
    bool (*has)(const DeviceTraits& device);
    DeviceChoices choices;
};

// The last one has every device.
std::span<const DeviceClass> deviceClasses();

struct DevicePlan : DeviceFeatures, DeviceChoices {
    explicit DevicePlan(const Target& target,
                        std::span<const DeviceClass> classes = deviceClasses());

    std::string_view className, classReason;
    bool lanesInStep = false;         // subgroup barriers are dropped
    bool hasSameNumerics = false;     // Numerics::kSame: choices that change bits are those of all
    bool variesSubgroupSize = false;  // subgroups of other sizes may run
    bool roundsOnceInIntegers = false;  // sums that a program wants rounded once (NoContraction)
    bool hasMixedDots = false;          // two f16 products and an f32 sum
    bool pairsMixedDots = false;        // which issue twice as fast as f16 arithmetic in pairs
    bool hasSlowShuffles = false;
    bool hasDividedSubgroups = false;  // two halves, between which a shuffle is many instructions
    SumForm openSums = SumForm::kClosed;  // of f16 accumulators
    uint32_t tileColumns = 0;             // of a lane, where lanes multiply vectors together
    uint32_t reservedSharedMemory = 0;
    std::vector<MatrixShape> vectorShapes;  // of the driver, for products of vectors
    std::vector<MatrixShape> addedShapes;   // with Target::addsShapes
    bool addsCoreShapes = false;            // which may become core SPIR-V

    // Whether dot products of four bytes, of which each may be signed, are accelerated.
    bool acceleratesDots(bool aSigned, bool bSigned) const {
        return dots_[aSigned != bSigned ? 2 : aSigned ? 1 : 0];
    }
    Slices slicesFor(const SlicedProduct& product) const;

 private:
    void chooseSameNumerics();
    void chooseEmulatedSubgroups();

    bool dots_[3] = {};  // unsigned, signed, mixed
};

// Target with its device's plan.
struct PlannedTarget {
    explicit PlannedTarget(const Target& target);

    DevicePlan device;
    uint32_t subgroupSize;
    ExtensionSet emulated;
    ExtensionFeatures nativeFeatures;
    bool addsShapes;
    bool indexes64Bits;
    bool needsFullSubgroups;
    BackEnd backEnd;
    ElementLayout elementLayout, programLayout;
    bool replacesLayout;
    MatrixTuning tuning;
};

// Of vectors and results, in 16 bytes each: what lanes exchange at once (vector/).
inline constexpr uint32_t kExchangeQuads = 8;

// Whether B has the rows of a block of weights as columns, and 16 bytes of each: then it lies in
// one piece (vector_matrix.hpp).
bool holdsBlock(const MatrixShape& shape);

}  // namespace coopvk::rewrite
