// SPDX-License-Identifier: Apache-2.0
//
// coopvk's SPIR-V rewriter: a pure function from SPIR-V words to SPIR-V words, and the one table
// that says what coopvk emulates. Nothing here knows a Vulkan handle; names of Vulkan extensions
// are data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace coopvk::rewrite {

// ---------------------------------------------------------------------------------------------
// Errors as values

enum class ErrorCode {
    kInvalidModule,    // the input is not valid SPIR-V, or contradicts the extension's text
    kInvalidArgument,  // the request contradicts itself (specialization data, subgroup size)
    kUnsupported,      // valid, but coopvk cannot carry it on this target
    kOutOfMemory,
};

struct Error {
    ErrorCode code = ErrorCode::kInvalidModule;
    // One line that names what is wrong and, where there is one, the instruction (opcode name and
    // result id).
    std::string message;
};

// A value or an Error. Never throws on access of the side that is present.
template <typename T>
class [[nodiscard]] Result {
 public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return *std::get_if<0>(&state_); }
    const T& operator*() const { return *std::get_if<0>(&state_); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }
    Error& error() { return *std::get_if<1>(&state_); }
    const Error& error() const { return *std::get_if<1>(&state_); }

 private:
    std::variant<T, Error> state_;
};

// ---------------------------------------------------------------------------------------------
// Components and shapes

// Values equal VkComponentTypeKHR's.
enum class ComponentType : uint32_t {
    kFloat16 = 0,
    kFloat32 = 1,
    kFloat64 = 2,
    kSint8 = 3,
    kSint16 = 4,
    kSint32 = 5,
    kSint64 = 6,
    kUint8 = 7,
    kUint16 = 8,
    kUint32 = 9,
    kUint64 = 10,
    kSint8Packed = 1000491000,  // cooperative vectors: four in a 32-bit component
    kUint8Packed = 1000491001,
    kFloatE4M3 = 1000491002,
    kFloatE5M2 = 1000491003,
};
std::string_view name(ComponentType type);  // "f16", "s8", ...

// One row of vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR; the scope is always Subgroup.
struct MatrixShape {
    uint32_t m, n, k;
    ComponentType a, b, c, result;
    bool saturating;
    bool operator==(const MatrixShape&) const = default;
};

// Whether multiply-adds of the shape `tile` make up one of `shape`: tiles divide each size, and
// saturation and conversion to narrower sums come once, so that they forbid several steps of K.
bool isMadeOf(const MatrixShape& shape, const MatrixShape& tile);

// ---------------------------------------------------------------------------------------------
// Devices

// What the rewriter may use of the device below. All of it is plain data that a caller fills from
// vkGetPhysicalDevice* (layer) or from the command line (tool). Names follow the Vulkan features.
struct DeviceTraits {
    std::string name;
    bool isCpu = false;  // VK_PHYSICAL_DEVICE_TYPE_CPU
    // The driver runs a subgroup's lanes in step, each instruction for all of them, and takes a
    // barrier among them for one of the whole workgroup: lavapipe.
    bool lanesInStep = false;
    uint32_t spirvVersion = 0x00010600;  // newest SPIR-V version that the driver takes
    uint32_t subgroupSize = 32;          // VkPhysicalDeviceSubgroupProperties::subgroupSize
    uint32_t minSubgroupSize = 32;       // VkPhysicalDeviceSubgroupSizeControlProperties
    uint32_t maxSubgroupSize = 32;
    bool subgroupSizeControl = false;  // and compute in requiredSubgroupSizeStages
    bool computeFullSubgroups = false;
    bool subgroupBasic = true;    // SUBGROUP_FEATURE_BASIC in compute
    bool subgroupShuffle = true;  // SUBGROUP_FEATURE_SHUFFLE in compute
    bool vulkanMemoryModel = true;
    bool shaderFloat16 = true;
    bool shaderFloat64 = false;
    bool shaderInt8 = true;
    bool shaderInt16 = true;
    bool shaderInt64 = false;
    bool storageBuffer8BitAccess = true;
    bool storageBuffer16BitAccess = true;
    bool uniformAndStorageBuffer8BitAccess = true;
    bool uniformAndStorageBuffer16BitAccess = true;
    bool storagePushConstant8 = true;
    bool storagePushConstant16 = true;
    bool scalarBlockLayout = true;
    bool shaderIntegerDotProduct = false;
    bool dot4x8Signed = false;    // integerDotProduct4x8BitPackedSignedAccelerated
    bool dot4x8Unsigned = false;  // integerDotProduct4x8BitPackedUnsignedAccelerated
    bool dot4x8Mixed = false;     // integerDotProduct4x8BitPackedMixedSignednessAccelerated
    // VK_VALVE_shader_mixed_float_dot_product: two f16 products and an f32 sum in one instruction
    bool shaderMixedFloatDotProductFloat16AccFloat32 = false;
    bool bufferDeviceAddress = false;
    bool shaderBufferFloat32AtomicAdd = false;  // VK_EXT_shader_atomic_float
    bool shaderSharedFloat32AtomicAdd = false;
    uint32_t subgroupStages = 0x20;  // VkPhysicalDeviceSubgroupProperties::supportedStages
    bool subgroupVote = false;       // of the operations in those stages
    bool subgroupBallot = false;
    bool subgroupArithmetic = false;
    uint32_t maxComputeSharedMemorySize = 16384;
    // Registers that a subgroup's lanes share, beside each lane's own: what is loaded from one
    // address by all lanes is in there once. VkPhysicalDeviceShaderCorePropertiesAMD says so.
    bool scalarRegisters = false;
    // VkPhysicalDeviceMeshShaderPropertiesEXT; the least that the extension allows.
    uint32_t maxTaskSharedMemorySize = 32768;
    uint32_t maxTaskPayloadAndSharedMemorySize = 32768;
    uint32_t maxMeshSharedMemorySize = 28672;
    uint32_t maxMeshPayloadAndSharedMemorySize = 28672;
    // Of the driver's own VK_KHR_cooperative_matrix, scope Subgroup; empty where it has none.
    std::vector<MatrixShape> nativeShapes;
    // Lists only what those carry: matrices are to be native ones in any case.
    bool onlyNativeShapes = false;
};

// ---------------------------------------------------------------------------------------------
// The table of extensions

enum class Extension : uint32_t {
    kKhrCooperativeMatrix,
    kNvCooperativeMatrix,
    kQcomCooperativeMatrixConversion,
    kNvCooperativeVector,
    kExtShaderReplicatedComposites,
    kExtShaderAtomicFloat,
    kIntelInt4,
    kIntel2dBlockIo,
    kCount,
};

inline constexpr size_t kExtensionCount = static_cast<size_t>(Extension::kCount);

class ExtensionSet {
 public:
    constexpr ExtensionSet() = default;
    constexpr ExtensionSet(std::initializer_list<Extension> list) {
        for (Extension extension : list) insert(extension);
    }
    static constexpr ExtensionSet all() {
        ExtensionSet set;
        set.bits_ = (1u << kExtensionCount) - 1u;
        return set;
    }
    constexpr void insert(Extension e) { bits_ |= 1u << static_cast<uint32_t>(e); }
    constexpr void erase(Extension e) { bits_ &= ~(1u << static_cast<uint32_t>(e)); }
    constexpr bool contains(Extension e) const { return bits_ >> static_cast<uint32_t>(e) & 1u; }
    constexpr bool empty() const { return bits_ == 0; }
    constexpr bool operator==(const ExtensionSet&) const = default;

 private:
    uint32_t bits_ = 0;
};

// Members of the extensions' Vulkan feature structures: bit i of an extension's number is the i-th
// member behind the structure's header.
class ExtensionFeatures {
 public:
    constexpr uint32_t& operator[](Extension e) { return bits_[static_cast<size_t>(e)]; }
    constexpr uint32_t operator[](Extension e) const { return bits_[static_cast<size_t>(e)]; }
    constexpr bool operator==(const ExtensionFeatures&) const = default;

 private:
    std::array<uint32_t, kExtensionCount> bits_ = {};
};

// A SPIR-V capability that an extension owns, and the features any of which allows it.
struct ExtensionCapability {
    uint32_t capability;
    uint32_t features;  // bits as in ExtensionFeatures
};

struct ExtensionInfo {
    Extension extension;
    std::string_view vulkanName;  // "VK_KHR_cooperative_matrix"
    uint32_t specVersion;         // VK_..._SPEC_VERSION
    std::string_view spirvName;   // "SPV_KHR_cooperative_matrix"
    std::span<const ExtensionCapability> capabilities;
    // Empty if the device can carry the emulation, else why it cannot ("needs shaderFloat16").
    std::string (*missing)(const DeviceTraits& device);
    // Whether rewritten shaders rest on the subgroup size that they were rewritten for.
    bool fixesSubgroupSize = true;
};

// One row per Extension, in the order of the enum.
std::span<const ExtensionInfo> extensionTable();
const ExtensionInfo& info(Extension extension);
// nullopt for a name that coopvk does not emulate.
std::optional<Extension> extensionFromVulkanName(std::string_view name);

// ---------------------------------------------------------------------------------------------
// Cooperative matrix shapes

// The shapes to advertise for a device, the best for it first. The order is an interface: some
// applications take the first row of a type and never look further.
std::vector<MatrixShape> matrixShapes(const DeviceTraits& device);
// The same for vkGetPhysicalDeviceCooperativeMatrixPropertiesNV, which knows no saturation.
std::vector<MatrixShape> nvMatrixShapes(const DeviceTraits& device);

// What tiles of the driver's own matrices make up beyond device.nativeShapes: to be listed behind
// those where VK_KHR_cooperative_matrix is the driver's own.
std::vector<MatrixShape> addedMatrixShapes(const DeviceTraits& device);
// Whether a module may use one of them: it does, or specialization constants decide. Reads the
// whole module if it declares matrices; false for what is no SPIR-V. Throws std::bad_alloc only.
bool mayUseAddedShapes(std::span<const uint32_t> words, const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative vector types

// One row of vkGetPhysicalDeviceCooperativeVectorPropertiesNV. Every row may be transposed.
struct VectorCombination {
    ComponentType input, inputInterpretation, matrix, bias, result;
    bool operator==(const VectorCombination&) const = default;
};

std::vector<VectorCombination> vectorCombinations(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative matrices of 4-bit integers

// A product with 4-bit A and B; the scope is always Subgroup.
struct Int4MatrixShape {
    uint32_t m, n, k;
    bool aSigned, bSigned;
    ComponentType c, result;
    bool saturating;
    bool operator==(const Int4MatrixShape&) const = default;
};

// In the order of those for 8-bit components; none where the device cannot have matrices at all.
std::vector<Int4MatrixShape> int4MatrixShapes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// 2D blocks

enum class BlockOperation : uint32_t { kLoad, kLoadTranspose, kLoadTransform, kPrefetch, kStore };

// What one operation takes for one element size: every width up to maxWidth that is a multiple of
// widthGranularity, every height and count, within kMaxBlockElements.
struct BlockSizes {
    BlockOperation operation;
    uint32_t elementSize;
    uint32_t widthGranularity;
    uint32_t maxWidth, maxHeight, maxCount;
};

// Elements of one instruction's blocks in each invocation, padding included.
inline constexpr uint32_t kMaxBlockElements = 1u << 16;

std::vector<BlockSizes> blockSizes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Rewriting

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
    // What of emulated extensions stays the device's own: modules keep what only that allows.
    ExtensionFeatures own = {};
    // Matrices of VK_KHR_cooperative_matrix are the driver's own, and those of the shapes that
    // addedMatrixShapes() gives become tiles of them. Modules without any stay as they are.
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
// give the empty set. What only features in `own` allow does not count: see Target::own.
ExtensionSet scan(std::span<const uint32_t> words, ExtensionSet emulated,
                  const ExtensionFeatures& own = {});

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
