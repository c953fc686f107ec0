// SPDX-License-Identifier: Apache-2.0
//
// coopvk's SPIR-V rewriter: a pure function from SPIR-V words to SPIR-V words.
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
// "compute", "closest-hit"; "unknown" for what is no single stage.
std::string_view stageName(Stage stage);

// What becomes of matrices.
enum class BackEnd : uint32_t {
    kAuto,    // native where the driver's own matrices are in force and carry the whole module
    kCore,    // core SPIR-V
    kNative,  // the driver's own matrices, in tiles where it lacks a shape
};
std::optional<BackEnd> backEndFromName(std::string_view name);  // "auto", "core", "native"

// What the core back-end chooses for itself where nothing stands here. For measurements of those
// choices (docs/benchmarks.md): results are the same, only speed differs.
struct MatrixTuning {
    std::optional<uint32_t> gridRows;          // lanes of the subgroup's grid in a column of it
    std::optional<uint32_t> rowBlock;          // neighbouring rows that a lane holds together;
    std::optional<uint32_t> columnBlock;       // columns; 0: as many as it holds
    std::optional<bool> halfPairsAlongK;       // 16-bit components of B in pairs along K, or N
    std::optional<uint32_t> unrolledProducts;  // of an invocation, up to which loops stay unrolled
};
// "grid-rows=8,row-block=1,column-block=2,pairs=k,unroll=1024", or any of these.
Result<MatrixTuning> matrixTuningFromText(std::string_view text);

// What one rewrite is for: a device, the fixed subgroup size of the pipeline stage, and which
// extensions are emulated. Same words, same specialization, same Target: same output.
struct Target {
    DeviceTraits device;
    // Lanes of every subgroup of the stage, a power of two from 4 to 128. All subgroups are full.
    uint32_t subgroupSize = 32;
    ExtensionSet emulated = ExtensionSet::all();
    // Features of emulated extensions that the driver keeps: modules keep what only these allow.
    ExtensionFeatures nativeFeatures = {};
    // The driver has the matrices of VK_KHR_cooperative_matrix, and matrices of the shapes that
    // addedMatrixShapes() gives become tiles of these. Modules without any stay as they are. Where
    // an emulated extension frees sizes, the same goes for all others that the driver lacks; what
    // tiles do not make up is lowered whole.
    bool addsShapes = false;
    BackEnd backEnd = BackEnd::kAuto;
    MatrixTuning tuning = {};
};

// One VkSpecializationMapEntry with its bytes.
struct SpecializationEntry {
    uint32_t constantId;
    std::span<const std::byte> data;
};

struct Request {
    std::span<const uint32_t> words;  // must outlive the call only
    Stage stage = Stage::kCompute;
    std::string_view entryPoint;  // empty: whichever the module has
    std::span<const SpecializationEntry> specialization;
};

struct Rewritten {
    std::vector<uint32_t> words;
    // All specialization constants are frozen in `words`, unless `untouched`; the caller must not
    // pass specialization data on to the driver.
    ExtensionSet used;  // which emulated extensions the module really used
    // The module needs nothing of coopvk: `words` are the request's, and specialization remains
    // for the driver. Only where Target::addsShapes.
    bool untouched = false;
    // Workgroup size of the entry point after specialization; zeros where there is none.
    std::array<uint32_t, 3> localSize = {0, 0, 0};
    // Human readable, one line each: what was chosen and why (path, lane grid).
    std::vector<std::string> notes;
    // For statistics: by what means matrices and products of vectors are done, each name once, such
    // as "matrices: core". The names are constants.
    std::vector<std::string_view> paths;
};

// Which of `emulated` a module declares the capabilities of. One scan over the module's head: no
// allocation, no IR. (Atomic loads, stores and exchanges of floats have no capability, so where
// VK_EXT_shader_atomic_float is emulated, one over the rest may follow.) Words that are no SPIR-V
// give the empty set. What only features in `native` allow does not count: see
// Target::nativeFeatures.
ExtensionSet scan(std::span<const uint32_t> words, ExtensionSet emulated,
                  const ExtensionFeatures& native = {});

// Whether a module may use a shape of addedMatrixShapes(), or where sizes are free by what is
// emulated, any that the device does not list: it does, or specialization constants decide. Reads
// the whole module if it declares matrices; false for what is no SPIR-V. Throws std::bad_alloc
// only.
bool mayUseAddedShapes(std::span<const uint32_t> words, const DeviceTraits& device,
                       ExtensionSet emulated = {}, const ExtensionFeatures& native = {});

// Rewrites a module into one that uses none of target.emulated. Call it only when scan() is not
// empty; it is correct, but slower, otherwise. Never throws.
Result<Rewritten> rewrite(const Request& request, const Target& target) noexcept;

// SPIRV-Tools through its public API. Both never throw.
std::string disassemble(std::span<const uint32_t> words) noexcept;
// nullopt when spirv-val accepts the words for the newest Vulkan environment, else its message.
std::optional<std::string> validate(std::span<const uint32_t> words) noexcept;

// Of the release and of the rewriter's sources, "0.1.0+a1b2c3d4e5f6": changes with every change of
// the output; caches key on it.
std::string_view version();

}  // namespace coopvk::rewrite
