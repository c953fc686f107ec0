// SPDX-License-Identifier: Apache-2.0
//
// The classes of devices, with what each chooses. A new class is a new row of kClasses, and of
// tools/check/traits.cpp, so that tests execute its code.
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kManyLanes = 64;

bool isCpu(const DeviceTraits& device) { return device.isCpu; }
bool hasScalarRegisters(const DeviceTraits& device) { return device.scalarRegisters; }
bool isWide(const DeviceTraits& device) { return device.maxSubgroupSize >= kManyLanes; }
bool hasByteDots(const DeviceTraits& device) {
    return device.dot4x8Signed || device.dot4x8Unsigned || device.dot4x8Mixed;
}
bool isAny(const DeviceTraits&) { return true; }

// Slices are deeper where an instruction multiplies several columns at once.
// docs/developers/lab/2026-11-fleet.md and docs/developers/benchmarks.md have the measurements.

using Product = SlicedProduct;
constexpr Slices kNone = {};

// With 8 lanes or more, the registers of a loop over slices suffice for the sums.
constexpr SliceRow kSlicesOfCpu[] = {
    {"f16 with f32 or open sums, by 8 lanes or more",
     [](const Product& p) {
         return p.areFloats && (p.sumBits == 32 || p.areOpen) && p.factorBits == 16 && p.lanes >= 8;
     },
     {2, true}},
};

// The product of each slice would end with the addition of both halves of a pair.
constexpr SliceRow kClosedPairs = {"f16 sums of pairs along K, not open",
                                   [](const Product& p) {
                                       return p.areFloats && p.sumBits == 16 && p.arePairsAlongK &&
                                              !p.areOpen;
                                   },
                                   kNone};

// Their conversions are long code, which unrolled exceeds the cache of instructions: a quarter of
// the speed on an H200. A slice is a word.
constexpr SliceRow kSmallFloatFactors = {
    "8-bit floats", [](const Product& p) { return p.areFloats && p.factorBits == 8; }, {4, true}};

constexpr bool areIntegers(const Product& p) { return !p.areFloats; }
constexpr bool haveHalfSums(const Product& p) { return p.areFloats && p.sumBits == 16; }
constexpr bool areAll(const Product&) { return true; }

constexpr SliceRow kSlicesOfFewRegisters[] = {
    kClosedPairs,
    kSmallFloatFactors,
    {"integers, by more than 64 lanes",
     [](const Product& p) { return !p.areFloats && p.lanes > 64; },
     {8, true}},
    {"integers", areIntegers, {16, true}},
    {"f32 sums, or fewer sums than lanes, by more than 64 lanes",
     [](const Product& p) { return p.lanes > 64 && (p.sumBits == 32 || p.haveDuplicates); },
     {2, true}},
    {"others", areAll, {4, true}},
};

constexpr SliceRow kSlicesOfScalarRegisters[] = {
    kClosedPairs,
    kSmallFloatFactors,
    {"integers", areIntegers, kNone},
    {"f16 sums", haveHalfSums, {8, false}},
    {"f32 sums by mixed dot products, by more than 32 lanes",
     [](const Product& p) { return p.haveMixedDots && p.lanes > 32; },
     {8, false}},
    {"others", areAll, {4, false}},
};

// 65 sums leave few registers for A and B.
constexpr SliceRow kSlicesOfManyRegisters[] = {
    kClosedPairs,
    kSmallFloatFactors,
    {"integers", areIntegers, kNone},
    // A lane has many rows of A.
    {"f32 sums in a layout of elements",
     [](const Product& p) { return p.sumBits == 32 && p.haveLayout; },
     {4, true}},
    {"f32 sums, 65 or more of a lane",
     [](const Product& p) { return p.sumBits == 32 && p.sums >= 65; },
     {4, true}},
    {"pairs along K, of 16 columns of A at most",
     [](const Product& p) { return p.arePairsAlongK && p.depth <= 16; }, kNone},
    {"pairs along K", [](const Product& p) { return p.arePairsAlongK; }, {16, true}},
    {"f16 sums", haveHalfSums, {8, false}},
    {"factors of 16 bits", [](const Product& p) { return p.factorBits == 16; }, {4, true}},
    {"others of more than 16 columns of A",
     [](const Product& p) { return p.depth > 16; },
     {16, true}},
};

constexpr SliceRow kSlicesOfOthers[] = {
    kClosedPairs,
    kSmallFloatFactors,
    {"factors of 4 bits", [](const Product& p) { return p.factorBits == 4; }, {8, false}},
    {"others", areAll, {4, false}},
};

const DeviceClass kClasses[] = {
    {"CPU",
     "A subgroup is a vector register, and a lane a part of it: accesses of lanes to different "
     "addresses are one after the other.",
     isCpu,
     {.packsHalves = false,
      .multipliesBytesAsFloats = false,
      .prefersByteDots = false,
      .multipliesRowByRow = true,
      .opensSingles = true,
      .maxOpenSums = 512,
      .hasOneColumnOfLanes = true,
      .bitsLoadedInWords = 0,
      .unrolledInLane = 1024,
      .unrolledProducts = 256,
      .slices = kSlicesOfCpu,
      .prefersShortCode = true,
      .unrolledCallWords = 2048,
      .maxElementCalls = 4,
      .maxTensorLoads = 64,
      .maxTensorStores = 1,
      .maxTensorStoresOfTiles = 1,
      .maxTensorPlaces = 1,
      .workgroupProducts = 1,
      .slowShuffleLanes = ~0u,
      .maxMovedThroughMemory = 2048,
      .usesDriverMatrices = false,
      .fusesSingles = false,
      .storesPairsAsWords = false,
      .readsPairs = false,
      .rowsAtOnce = 16,
      .rowStores = RowStores::kIndexed,
      .roundsHalvesInIntegers = true}},
    {"GPU with scalar registers",
     "VK_AMD_shader_core_properties: what a subgroup shares takes one register, and lanes have 256 "
     "registers of their own.",
     hasScalarRegisters,
     {.maxOpenSums = 128,
      .countsLoopRegisters = true,
      .bitsLoadedInWords = 4 | 8 | 16,
      .bitsTestedForWords = 4 | 8 | 16,
      .slices = kSlicesOfScalarRegisters,
      .maxRareAccesses = 4,
      .workgroupProducts = 512,
      .workgroupSteps = 4,
      .writtenProducts = 128,
      .rollsWorkgroupSteps = true,
      .slowShuffleLanes = 0,
      .usesDriverMatrices = false,
      .sharesScalars = true,
      .storesPairsAsWords = false}},
    {"GPU with few registers",
     "Subgroups of 64 lanes or more without scalar registers: few registers for each lane. The "
     "compilers move loads and addresses far ahead unless a loop prevents it.",
     isWide,
     {.computesSingleHalves = true,
      .bitsLoadedInWords = 8,
      .bitsTestedForWords = 8,
      .slices = kSlicesOfFewRegisters,
      .maxRareAccesses = 4,
      .workgroupProducts = 128,
      .indexingHoldsRegisters = true,
      .linesAtOnce = 2,
      .unrolledUnits = 32}},
    {"GPU with many registers",
     "Dot products of bytes are accelerated, and subgroups are small: registers for many sums.",
     hasByteDots,
     {.forbidsContraction = true,
      .maxOpenSums = 64,
      .hasTallGridForSingles = true,
      .stagesSingles = true,
      .dividesConversions = true,
      .countsLoopRegisters = true,
      .bitsLoadedInWords = 4 | 8 | 16 | 32 | 64,
      .bitsTestedForWords = 4 | 8 | 16,
      .slices = kSlicesOfManyRegisters,
      .joinsDecodingLoops = false,
      .joinsTails = false,
      .maxDecodeCalls = 16,
      .maxRareAccesses = 1,
      .opensWorkgroupSums = true,
      .workgroupProducts = 512,
      .writtenProducts = 32,
      .smallProduct = 256,
      .unrolledWords = 1,
      .callsSmallFunctions = true}},
    {"GPU",
     "None of the other classes.",
     isAny,
     {.slices = kSlicesOfOthers, .writtenProducts = 32}},
};

}  // namespace

std::span<const DeviceClass> deviceClasses() { return kClasses; }

}  // namespace coopvk::rewrite
