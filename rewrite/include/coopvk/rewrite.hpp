// SPDX-License-Identifier: Apache-2.0
//
// coopvk's SPIR-V rewriter: a function without state from SPIR-V words to SPIR-V words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/advertised.hpp"
#include "coopvk/device.hpp"
#include "coopvk/extensions.hpp"
#include "coopvk/result.hpp"

namespace coopvk::rewrite {

// Values equal VkShaderStageFlagBits'.
enum class Stage : uint32_t {
    kVertex = 0x1,
    kTessellationControl = 0x2,
    kTessellationEvaluation = 0x4,
    kGeometry = 0x8,
    kFragment = 0x10,
    kCompute = 0x20,
    kTask = 0x40,
    kMesh = 0x80,
    kRaygen = 0x100,
    kAnyHit = 0x200,
    kClosestHit = 0x400,
    kMiss = 0x800,
    kIntersection = 0x1000,
    kCallable = 0x2000,
};
// "compute", "closest-hit"; "unknown" for a value that is not one stage.
std::string_view stageName(Stage stage);

// What the rewriter lowers matrices to.
enum class BackEnd : uint32_t {
    kAuto,    // native if the driver has matrices that are not emulated and carry the whole module
    kCore,    // core SPIR-V
    kNative,  // matrices of the driver's VK_KHR_cooperative_matrix; tiles if it lacks a shape
};
std::optional<BackEnd> backEndFromName(std::string_view name);  // "auto", "core", "native"

// How floats are computed.
enum class Numerics : uint32_t {
    kFast,  // as suits the device, within what the specifications leave open
    kSame,  // with the same bits on every device (docs/developers/numerics.md)
};
std::optional<Numerics> numericsFromName(std::string_view name);  // "fast", "same"
std::string_view numericsName(Numerics numerics);

// Choices that the core back-end makes itself unless they are given here: those of `coopvk tune`,
// or for measurements (docs/developers/tune.md). They change the speed, not the results.
// tuningTable() has what each changes.
struct MatrixTuning {
    std::optional<uint32_t> gridRows;
    std::optional<uint32_t> rowBlock;
    std::optional<uint32_t> columnBlock;
    std::optional<bool> halfPairsAlongK;
    std::optional<uint32_t> unrolledProducts;
    std::optional<uint32_t> sliceDepth;
    std::optional<bool> rollSlices;
    std::optional<bool> sharedSingles;
    std::optional<bool> joinLoops;
    std::optional<bool> joinTails;
    std::optional<bool> openSums;
    // Of products of vectors with matrices, these replace choices of the device's class.
    std::optional<uint32_t> smallProduct;
    std::optional<uint32_t> linesAtOnce;
    std::optional<uint32_t> tileColumns;
    std::optional<bool> shiftsRows;

    bool operator==(const MatrixTuning&) const = default;
};

// A choice for people.
struct TuningInfo {
    std::string_view name;     // "slice"
    std::string_view values;   // that `coopvk tune` tries, with commas; empty: none
    std::string_view changes;  // what it means
};
std::span<const TuningInfo> tuningTable();

// "grid-rows=8,row-block=1,column-block=2,pairs=k,unroll=1024,slice=4,slices=rolled,
// shared=f32,loops=joined,tails=joined,sums=closed", or any of the table's; and back.
Result<MatrixTuning> matrixTuningFromText(std::string_view text);
std::string tuningText(const MatrixTuning& tuning);

// What a module is rewritten for: a device, the subgroup size of the pipeline stage, and the
// emulated extensions. The same words, specialization and Target give the same output.
struct Target {
    DeviceTraits device;
    // Of the stage: a power of two from 4 to 128. All subgroups are full.
    uint32_t subgroupSize = 32;
    ExtensionSet emulated = ExtensionSet::all();
    // Features of emulated extensions that stay the driver's: the rewriter leaves alone what only
    // these features allow.
    ExtensionFeatures nativeFeatures = {};
    // The driver has VK_KHR_cooperative_matrix, and matrices of addedMatrixShapes() become tiles of
    // its matrices. With an emulated extension that allows flexible dimensions so do matrices of
    // other sizes that the driver lacks. The core back-end lowers those for which tiles do not
    // suffice, but not with DeviceTraits::onlyNativeShapes alone. Modules without either kind stay
    // unchanged.
    bool addsShapes = false;
    // The pipeline or shader is created with 64-bit indexing (VK_EXT_shader_64bit_indexing), as if
    // the entry point had the execution mode Shader64BitIndexingEXT.
    bool indexes64Bits = false;
    // The stage requires the subgroup size, or full subgroups: where subgroups are emulated
    // (DeviceTraits::driverSubgroupSize), they must not be the driver's instead.
    bool needsFullSubgroups = false;
    BackEnd backEnd = BackEnd::kAuto;
    ElementLayout elementLayout = ElementLayout::kAuto;
    // What kAuto gives modules whose result depends on the layout, as the program that creates the
    // shader needs it; kAuto: what the module's extensions suggest.
    ElementLayout programLayout = ElementLayout::kAuto;
    Numerics numerics = Numerics::kFast;
    // The driver's own matrices lie otherwise: modules whose result depends on the layout become
    // core SPIR-V, also if they use nothing else that is emulated. What cannot, stays the driver's.
    bool replacesLayout = false;
    MatrixTuning tuning = {};
};

// One VkSpecializationMapEntry with its bytes.
struct SpecializationEntry {
    uint32_t constantId;
    std::span<const std::byte> data;
};

// The default limit of Request::maxSteps: many times what shaders of programs take.
inline constexpr uint64_t kMaxSteps = 1'000'000'000;

struct Request {
    std::span<const uint32_t> words;
    Stage stage = Stage::kCompute;
    std::string_view entryPoint;  // empty: the first one of the stage
    std::span<const SpecializationEntry> specialization;
    // A rewrite that takes more steps is refused (kUnsupported); 0: no limit. To look an
    // instruction up is one step, a word of a new one 64, so the same request always takes as many.
    uint64_t maxSteps = kMaxSteps;
};

struct Rewritten {
    // All specialization constants in it are frozen, unless `untouched`: the caller must not pass
    // specialization data to the driver.
    std::vector<uint32_t> words;
    ExtensionSet used;  // the emulated extensions that the module uses
    // The module needs no emulation: `words` are the request's, and the driver specializes them.
    // Only with Target::addsShapes.
    bool untouched = false;
    // Workgroup size of the entry point after specialization; zeros if it has none.
    std::array<uint32_t, 3> localSize = {0, 0, 0};
    // For people, one line each: what was chosen and why (back-end, grid of invocations).
    std::vector<std::string> notes;
    // What is wrong with the module, though it is rewritten: one line each.
    std::vector<std::string> warnings;
    uint64_t steps = 0;  // see Request::maxSteps
    // The results depend on the layout of elements that the program assumes, and subgroups of this
    // size have it; 0: any size will do, or none.
    uint32_t wantedSubgroupSize = 0;
    // The layout that it has for that; kFree: any.
    ElementLayout elementLayout = ElementLayout::kFree;
    // Subgroups are emulated: the driver must not be asked for their size, nor for full ones.
    bool emulatesSubgroups = false;
    // For statistics: how matrices and products of vectors are computed, such as "matrices: core".
    // Each string occurs once and is a constant.
    std::vector<std::string_view> paths;
};

// Returns which of `emulated` a module uses, by the capabilities that it declares; those that only
// features in `native` allow do not count (see Target::nativeFeatures). Allocates nothing. Reads
// only the capabilities, unless uses without a capability are emulated: atomic loads, stores and
// exchanges of floats, and matrices of scope Workgroup. Returns the empty set if the words are not
// SPIR-V.
ExtensionSet scan(std::span<const uint32_t> words, ExtensionSet emulated,
                  const ExtensionFeatures& native = {});

// Whether a module uses a shape of addedMatrixShapes(), or may do so by specialization. If an
// emulated extension allows flexible dimensions, this holds for every shape that the device does
// not list. Reads the whole module if it declares matrices; false if the words are not SPIR-V.
// Throws only std::bad_alloc.
bool mayUseAddedShapes(std::span<const uint32_t> words, const DeviceTraits& device,
                       ExtensionSet emulated = {}, const ExtensionFeatures& native = {});

// Whether the result of a module with KHR's matrices depends on which lane holds which element, or
// may do so by specialization: what Target::replacesLayout is for. Reads the whole module if it
// declares matrices; false if the words are not SPIR-V. Throws only std::bad_alloc.
bool mayDependOnLayout(std::span<const uint32_t> words);

// Whether the result of a module may depend on the size of subgroups: what must be rewritten for a
// device with DeviceTraits::driverSubgroupSize. False if the words are not SPIR-V. Throws only
// std::bad_alloc.
bool usesSubgroups(std::span<const uint32_t> words);

// Whether a module declares that it uses addresses of buffers. Allocates nothing; false if the
// words are not SPIR-V.
bool usesAddresses(std::span<const uint32_t> words);

// Whether a device should have DeviceTraits::blockedWeights: it has matrices of f16 that hold a
// block's rows, and products of emulated vectors may use them.
bool prefersBlockedWeights(const Target& target);

// Rewrites a module into one that uses none of target.emulated. Callers need not call it where
// scan() is empty, which is faster. Never throws.
Result<Rewritten> rewrite(const Request& request, const Target& target) noexcept;

// The module with an OpLine before each instruction of its functions, "input OpNAME, word" with the
// instruction's position, unless it has lines. rewrite() keeps lines, so what its output does is
// traced to the input. May throw std::bad_alloc.
std::vector<uint32_t> withLines(std::span<const uint32_t> words);

// The module as text; empty if it cannot be disassembled. Never throws.
std::string disassemble(std::span<const uint32_t> words) noexcept;
// nullopt if spirv-val accepts the words for Vulkan 1.4, else its message. Never throws.
std::optional<std::string> validate(std::span<const uint32_t> words) noexcept;

// The release and a hash of the rewriter's sources, "0.1.0+a1b2c3d4e5f6". It changes with each
// change of the output, so caches have it in their keys.
std::string_view version();

}  // namespace coopvk::rewrite
