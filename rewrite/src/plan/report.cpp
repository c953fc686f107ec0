// SPDX-License-Identifier: Apache-2.0
//
// The plan for people: each decision with its reason, and the choices that replace some.
// docs/developers has the measurements that reasons name.
#include <algorithm>
#include <array>
#include <format>
#include <variant>

#include "coopvk/plan.hpp"
#include "plan/device_plan.hpp"
#include "plan/tuning_rows.hpp"

namespace coopvk::rewrite {

namespace {

using Plan = DevicePlan;

struct Decision {
    std::string_view name;
    std::variant<bool Plan::*, uint32_t Plan::*, SumForm Plan::*, std::optional<RowStores> Plan::*>
        value;
    std::string_view reason;
};

const Decision kDecisions[] = {
    {"the same bits on every device", &Plan::hasSameNumerics,
     "the setting numerics: no f16 arithmetic, no open sums, no slices of 16-bit sums"},
    {"f16 arithmetic in pairs", &Plan::packsHalves,
     "twice the rate of f32 on GPUs with shaderFloat16; CPUs convert after each instruction"},
    {"f16 arithmetic of single numbers", &Plan::computesSingleHalves,
     "half of the registers, where these are few (lab/2026-11-fleet.md, Adreno: f16 sums spilled "
     "54)"},
    {"mixed dot products", &Plan::hasMixedDots,
     "two f16 products and an f32 sum in one instruction"},
    {"mixed dot products for f16 sums", &Plan::pairsMixedDots,
     "RDNA 3 and later issue two at once, but only one multiply-add of pairs"},
    {"bytes multiplied as floats", &Plan::multipliesBytesAsFloats,
     "GPUs multiply floats faster than integers; where all sums are exact"},
    {"dot products of four bytes", &Plan::prefersByteDots,
     "accelerated, or in wide subgroups, where each lane computes few (lab/2026-11-fleet.md, 8-bit "
     "products)"},
    {"NoContraction for multiply-adds", &Plan::forbidsContraction,
     "NVIDIA's compiler splits chains of them (benchmarks.md, Chains of multiply-adds)"},
    {"row by row", &Plan::multipliesRowByRow,
     "CPUs have too few registers for the sums of all rows"},
    {"open sums of f16 accumulators", &Plan::openSums,
     "rounded once, and not after each product; f32 where f16 arithmetic is slow"},
    {"most open sums of a lane", &Plan::maxOpenSums,
     "each takes a register: 256 on AMD's, Apple's spill from 64 on; CPUs keep them in memory"},
    {"lanes in one column", &Plan::hasOneColumnOfLanes,
     "then all lanes of a CPU load the same element of B, which is one load"},
    {"tall grid for f32 sums", &Plan::hasTallGridForSingles,
     "more rows of lanes share B (benchmarks.md, How matrices lie in lanes)"},
    {"f16 in shared memory as f32", &Plan::stagesSingles,
     "each element is converted once (benchmarks.md, gemm); mixed dot products read f16"},
    {"conversions of 8-bit floats divided among lanes", &Plan::dividesConversions,
     "lanes that load the same elements convert some each, and exchange them (fleet.md, Fused "
     "networks); "
     "not where shuffles are slow"},
    {"registers of loops counted", &Plan::countsLoopRegisters,
     "with a layout of elements: a register less saves 16 moves in a loop of f16 "
     "(element-layouts.md)"},
    {"loads in words: the sum of components' bits", &Plan::bitsLoadedInWords,
     "drivers join few loads of narrow components, but unpacking costs instructions (fleet.md, "
     "Loads straight from buffers); lanes of a CPU load one after the other"},
    {"loads in words where the shader finds the address aligned", &Plan::bitsTestedForWords,
     "two ways to load are more code (fleet.md, Loads straight from buffers)"},
    {"multiplications without a loop over rows", &Plan::unrolledInLane, "the size of the code"},
    {"multiplications of an unrolled loop", &Plan::unrolledProducts,
     "an H200 takes 1,024 faster unrolled, and 2,048 at half the rate"},
    {"short code", &Plan::prefersShortCode,
     "a CPU has arrays in memory anyway; on GPUs loops over them spill (lab/2026-11-benchmarks.md, "
     "Code size)"},
    {"one loop for equal products that decode elements", &Plan::joinsDecodingLoops,
     "a fifth to a third of compiled products (lab/2026-11-benchmarks.md, One loop in place of "
     "two), but q8_0 took 6 % longer on an H100 (benchmarks.md, ggml)"},
    {"one product behind both branches", &Plan::joinsTails,
     "the size of the code; not products of the driver's matrices (benchmarks.md, The branch "
     "between aligned and other addresses)"},
    {"decode calls without a loop", &Plan::maxDecodeCalls, "drivers inline each call"},
    {"words of calls for each element", &Plan::unrolledCallWords,
     "more, or functions with loops, stay in a loop: drivers inline each call"},
    {"calls for each element without a loop", &Plan::maxElementCalls,
     "CPUs compile a loop faster, and have the elements in memory anyway"},
    {"tensor loads without a loop", &Plan::maxTensorLoads, "the size of the code"},
    {"tensor stores without a loop", &Plan::maxTensorStores, "a shader stores its results once"},
    {"tensor stores without a loop, where there are tiles", &Plan::maxTensorStoresOfTiles,
     "loops were not measured there, except on CPUs"},
    {"tensor accesses of any address without a loop", &Plan::maxTensorPlaces,
     "few layouts need them"},
    {"rare tensor accesses of single elements without a loop", &Plan::maxRareAccesses,
     "the size of the code; not where compilers leave such loops, and index registers in them"},
    {"workgroups: open sums", &Plan::opensWorkgroupSums,
     "no half of a pair is read alone (benchmarks.md, Pairs along K); needs one subgroup size"},
    {"workgroups: multiplications of an iteration", &Plan::workgroupProducts,
     "more exceed a GPU's cache of instructions (benchmarks.md, Steps at once)"},
    {"workgroups: multiplications of an iteration without an inner loop", &Plan::writtenProducts,
     "the size of the code: drivers unroll the loop (lab/2026-11-benchmarks.md, Code size)"},
    {"workgroups: steps of an iteration", &Plan::workgroupSteps,
     "narrow tiles have few multiplications in each: the size of the code"},
    {"workgroups: iterations stay a loop", &Plan::rollsWorkgroupSteps,
     "RADV unrolls eight, in twice the time and with more registers (lab/2026-11-benchmarks.md, "
     "Code size)"},
    {"workgroups: registers of a lane", &Plan::registersOfLane, "half of them hold open sums"},
    {"workgroups: registers of a processor", &Plan::registersOfWorkgroup,
     "that a workgroup has for itself"},
    {"workgroups: reserved shared memory", &Plan::reservedSharedMemory,
     "cooperativeMatrixWorkgroupScopeReservedSharedMemory"},
    {"slow shuffles", &Plan::hasSlowShuffles,
     "an index that differs between lanes: a loop, or many instructions"},
    {"subgroups of two halves", &Plan::hasDividedSubgroups,
     "AMD's with 64 lanes in place of 32 exchange slices through shared memory: a shuffle is two "
     "in "
     "each half, and selections (fleet.md, Fused networks)"},
    {"most shuffles of an exchange", &Plan::maxShuffles,
     "more are code with which compilers fail (fleet.md); then through shared memory"},
    {"longest line by slow shuffles", &Plan::maxShuffledLine, "then through shared memory"},
    {"most components through shared memory", &Plan::maxMovedThroughMemory,
     "a CPU's access is one for each lane: lavapipe compiles shuffles faster"},
    {"subgroup barriers dropped", &Plan::lanesInStep,
     "lavapipe makes them workgroup barriers (conformance.md, Faults of drivers)"},
    {"subgroups of several sizes", &Plan::variesSubgroupSize,
     "as many lanes may be active in a larger one"},
    {"vectors: the driver's matrices by auto", &Plan::usesDriverMatrices,
     "only where they were faster (benchmarks.md, vectors): not with scalar registers"},
    {"vectors: weights in scalar registers", &Plan::sharesScalars,
     "loaded once for all lanes without an exchange"},
    {"vectors: fused multiply-adds of f32", &Plan::fusesSingles, "some CPUs have none"},
    {"vectors: no indexed arrays", &Plan::indexingHoldsRegisters,
     "they hold registers as long as the shader runs (lab/2026-11-fleet.md, Turnip): shift, and "
     "share one"},
    {"vectors: pairs in arrays as words", &Plan::storesPairsAsWords,
     "fewer 16-bit registers, or none that can be indexed"},
    {"vectors: f16 in arrays", &Plan::readsPairs, "an array of f32 takes twice the registers"},
    {"vectors: rows of weights at once", &Plan::linesAtOnce, "two where registers are few"},
    {"vectors: rows of columns at once", &Plan::rowsAtOnce,
     "sums in registers; LLVM 21 overwrites some if there are more (conformance.md)"},
    {"vectors: words of an unrolled line", &Plan::unrolledUnits,
     "Turnip moves all loads of a line to the front (lab/2026-11-fleet.md)"},
    {"vectors: columns of a lane in a tile", &Plan::tileColumns,
     "wide subgroups have fewer registers for each lane"},
    {"vectors: rows that loops store", &Plan::rowStores,
     "an index that is not constant is slow on GPUs (benchmarks.md, vectors)"},
    {"vectors: most shifted rows", &Plan::shiftedRows,
     "of one of two forms of a product, and of products in functions that are called"},
    {"vectors: multiplications of a small product", &Plan::smallProduct,
     "each invocation computes it alone: shorter and faster (benchmarks.md, vector-pipelines)"},
    {"vectors: words added without a loop", &Plan::unrolledWords,
     "atomic operations take the time"},
    {"vectors: small functions are called", &Plan::callsSmallFunctions,
     "NVIDIA's compiler takes long where it inlines them (benchmarks.md, vector-pipelines)"},
    {"products with NoContraction: f32 to f16 in integers", &Plan::roundsOnceInIntegers,
     "the driver's compiler drops such roundings between f32 (conformance.md, \"f16 between "
     "f32\")"},
    {"f32 to f16 in integers", &Plan::roundsHalvesInIntegers,
     "lavapipe branches in each conversion: LLVM gets about 120 instructions "
     "(lab/2026-11-benchmarks.md, Conversions to f16 on lavapipe)"},
};

constexpr TuningRow kTuningRows[] = {
    {.info = {"grid-rows", "2,4,8,16", "rows of the grid of a subgroup's lanes"},
     .number = &MatrixTuning::gridRows,
     .least = 1,
     .isPowerOfTwo = true},
    {.info = {"row-block", "", "adjacent rows that a lane holds together; 0: all that it holds"},
     .number = &MatrixTuning::rowBlock,
     .isPowerOfTwo = true},
    {.info = {"column-block", "", "the same for columns"},
     .number = &MatrixTuning::columnBlock,
     .isPowerOfTwo = true},
    {.info = {"pairs", "n,k", "16-bit components of B are in pairs along N or along K"},
     .flag = &MatrixTuning::halfPairsAlongK,
     .words = {"n", "k"}},
    {.info = {"unroll", "0,256,1024,4096",
              "most products of an invocation for which loops stay unrolled"},
     .number = &MatrixTuning::unrolledProducts},
    {.info = {"slice", "0,2,4,8,16",
              "columns of A, with their rows of B, that are loaded at once, where that is "
              "possible; 0: all"},
     .number = &MatrixTuning::sliceDepth,
     .isPowerOfTwo = true},
    {.info = {"slices", "unrolled,rolled",
              "the driver may unroll the loop over slices, or it stays a loop"},
     .flag = &MatrixTuning::rollSlices,
     .words = {"unrolled", "rolled"}},
    {.info = {"shared", "f16,f32",
              "shared memory that has f16 only for products with f32 sums keeps them, or has f32"},
     .flag = &MatrixTuning::sharedSingles,
     .words = {"f16", "f32"}},
    {.info = {"loops", "apart,joined",
              "equal loops that multiply, one behind the other, stay apart, or become one"},
     .flag = &MatrixTuning::joinLoops,
     .words = {"apart", "joined"}},
    {.info = {"tails", "apart,joined",
              "equal products at the end of both branches of a selection stay there, or one goes "
              "behind them"},
     .flag = &MatrixTuning::joinTails,
     .words = {"apart", "joined"}},
    {.info = {"sums", "closed,open",
              "f16 sums are complete after each product, or may be open until another instruction "
              "reads them"},
     .flag = &MatrixTuning::openSums,
     .words = {"closed", "open"}},
    {.info = {"alone", "0,256,1024,4096",
              "vectors: most multiplications of a product that each invocation computes alone"},
     .number = &MatrixTuning::smallProduct},
    {.info = {"lines", "2,4", "vectors: rows of weights that an invocation multiplies at once"},
     .number = &MatrixTuning::linesAtOnce,
     .least = 2,
     .most = 4,
     .isPowerOfTwo = true},
    {.info = {"tile-columns", "2,4,8", "vectors: vectors of a lane, where lanes multiply together"},
     .number = &MatrixTuning::tileColumns,
     .least = 2,
     .most = 8,
     .isPowerOfTwo = true},
    {.info = {"rows", "indexed,shifted",
              "vectors: loops store rows of a result by their number, or shift them in"},
     .flag = &MatrixTuning::shiftsRows,
     .words = {"indexed", "shifted"}},
};

std::string text(bool value) { return value ? "yes" : "no"; }
std::string text(uint32_t value) { return value == ~0u ? "any" : std::to_string(value); }
std::string text(SumForm sums) {
    return sums == SumForm::kClosed ? "no" : sums == SumForm::kHalves ? "two f16" : "f32";
}
std::string text(const std::optional<RowStores>& stores) {
    if (!stores) return "by number";
    return *stores == RowStores::kIndexed ? "indexed" : "shifted";
}
std::string text(const Slices& slices) {
    if (slices.depth == 0) return "none";
    return std::format("{}, {}", slices.depth, slices.rolled ? "in a loop" : "unrolled");
}

}  // namespace

std::span<const TuningRow> tuningRows() { return kTuningRows; }

std::span<const TuningInfo> tuningTable() {
    static constexpr auto kInfos = [] {
        std::array<TuningInfo, std::size(kTuningRows)> infos;
        std::ranges::transform(kTuningRows, infos.begin(), &TuningRow::info);
        return infos;
    }();
    return kInfos;
}

std::vector<PlanRow> devicePlan(const Target& target) {
    const Plan plan(target);
    std::vector<PlanRow> rows = {{"class", std::string(plan.className), plan.classReason}};
    for (const Decision& d : kDecisions) {
        const auto value = [&](auto member) { return text(plan.*member); };
        rows.push_back({d.name, std::visit(value, d.value), d.reason});
    }
    for (const SliceRow& row : plan.slices) {
        rows.push_back({"columns of A in a slice", text(row.slices), row.products});
    }
    return rows;
}

std::vector<ProductMeans> productMeans(const DeviceTraits& device, BackEnd vectors) {
    Target target;
    target.device = device;
    target.subgroupSize = device.subgroupSize;
    target.backEnd = vectors;
    target.emulated = {Extension::kNvCooperativeVector};
    const Plan plan(target);
    std::vector<ProductMeans> means;
    if (device.hasFloat16() && device.storageBuffer16BitAccess) {
        means.push_back(
            {"f16 with f32 sums", plan.hasMixedDots ? "mixed dot products" : "converted to f32"});
        means.push_back({"f16 with f16 sums",
                         plan.packsHalves ? "multiply-adds of pairs" : "converted to f32"});
    }
    if (device.shaderInt8 && device.storageBuffer8BitAccess) {
        const auto bytes = [&](bool aSigned, bool bSigned) -> std::string_view {
            if (plan.prefersByteDots || plan.acceleratesDots(aSigned, bSigned)) {
                return "dot products of four bytes";
            }
            return plan.multipliesBytesAsFloats ? "converted to floats" : "one by one, at 32 bits";
        };
        means.push_back({"s8", bytes(true, true)});
        means.push_back({"u8", bytes(false, false)});
        means.push_back({"u8 by s8", bytes(false, true)});
    }
    if (device.hasFloat16() && device.storageBuffer16BitAccess) {
        means.push_back({"vectors of f16 by weights that all share",
                         !plan.vectorShapes.empty() ? "the driver's matrices"
                         : plan.sharesScalars || !device.subgroupVote || !device.subgroupBallot
                             ? "each invocation alone"
                             : "tiles of the subgroup"});
    }
    return means;
}

}  // namespace coopvk::rewrite
