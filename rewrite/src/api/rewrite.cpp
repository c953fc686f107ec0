// SPDX-License-Identifier: Apache-2.0
//
// rewrite(): checks the target, chooses the back-end, and catches exceptions.

#include "coopvk/rewrite.hpp"

#include <algorithm>
#include <bit>
#include <format>
#include <new>

#include "api/passes.hpp"
#include "ir/instruction.hpp"
#include "ir/module.hpp"
#include "ir/opcodes.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/matrix_uses.hpp"
#include "native/lower.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// Matrices of an emulated format may come without the capability of matrices.
std::optional<Error> checkTarget(const Request& request, const PlannedTarget& target,
                                 ExtensionSet used) {
    const bool fixed = usesFormatMatrices(request.words, target) ||
                       std::ranges::any_of(extensionTable(), [&](const ExtensionInfo& row) {
                           return row.fixesSubgroupSize && used.contains(row.extension);
                       });
    const uint32_t size = target.subgroupSize;
    if (!fixed || (std::has_single_bit(size) && size >= 4 && size <= 128)) return std::nullopt;
    return Error{ErrorCode::kInvalidArgument,
                 std::format("subgroup size {} is not a power of two from 4 to 128", size)};
}

// What passes may use of the device for a module: its atomics of floats only where these are not
// emulated, and no shared memory that the driver reserves for the module.
PlannedTarget planned(const Target& request, std::span<const uint32_t> words) {
    PlannedTarget target(request);
    if (declares(words, kSplitBarrier)) {
        uint32_t& shared = target.device.maxComputeSharedMemorySize;
        shared -= std::min(shared, target.device.splitBarrierSharedMemory);
    }
    if (target.emulated.contains(Extension::kExtShaderAtomicFloat)) {
        const uint32_t native = target.nativeFeatures[Extension::kExtShaderAtomicFloat];
        target.device.shaderBufferFloat32AtomicAdd &= (native & kBufferFloat32AtomicAdd) != 0;
        target.device.shaderSharedFloat32AtomicAdd &= (native & kSharedFloat32AtomicAdd) != 0;
    }
    return target;
}

#ifdef NDEBUG
constexpr bool kChecksPasses = false;
#else
constexpr bool kChecksPasses = true;
#endif

// Whether a module declares matrices of floats.
bool hasFloatMatrices(std::span<const uint32_t> words) {
    const Result<Module> module = Module::parse(words);
    return module && std::ranges::any_of(module->section(Section::kGlobals), [&](const auto& i) {
               return (i->opcode == OpTypeCooperativeMatrixKHR ||
                       i->opcode == OpTypeCooperativeMatrixNV) &&
                      module->def(i->word(0)).opcode == OpTypeFloat;
           });
}

// Why the native back-end is not tried for a module's matrices; nullopt if it is. Where the
// emulation replaces the driver's matrices, these must not be used.
std::optional<std::string> whyNotNative(const Request& request, const PlannedTarget& target) {
    if (target.backEnd == BackEnd::kCore) return "the back_end setting is core";
    if (target.device.hasSameNumerics && hasFloatMatrices(request.words)) {
        return "the driver's matrices add floats in an order of their own (setting numerics)";
    }
    if (target.emulated.contains(Extension::kIntelInt4) &&
        declares(request.words, spv::Capability::Int4CooperativeMatrixINTEL)) {
        return "drivers have no matrices of 4-bit components";
    }
    if (target.backEnd == BackEnd::kNative) return std::nullopt;
    if (target.device.nativeShapes.empty()) return "the driver has no matrices";
    if (target.emulated.contains(Extension::kKhrCooperativeMatrix)) {
        return "the driver's matrices are emulated, too";
    }
    return std::nullopt;
}

// Tiles of the driver's matrices can do little of SPV_NV_cooperative_matrix2: modules that use it
// may become core SPIR-V with any back-end.
bool mayFallBack(const PlannedTarget& target, ExtensionSet used, const Result<Rewritten>& native) {
    return (target.backEnd == BackEnd::kAuto || used.containsAny(kOfWholeMatrices)) && !native &&
           (native.error().code == ErrorCode::kUnsupported ||
            native.error().code == ErrorCode::kTooManySteps);
}

Result<Rewritten> rewriteWithinLimit(const Request& request, const PlannedTarget& target,
                                     BackEnd backEnd) {
    try {
        return rewriteFor(request, target, backEnd, kChecksPasses);
    } catch (const TooManySteps&) {
        return Error{
            ErrorCode::kTooManySteps,
            std::format("takes more than {} steps (setting rewrite_limit)", request.maxSteps)};
    }
}

// Lowers matrices to the driver's if it may and can, else to core SPIR-V.
Result<Rewritten> rewriteForBackEnd(const Request& request, const PlannedTarget& target) {
    const ExtensionSet used = scan(request.words, target.emulated, target.nativeFeatures);
    if (std::optional<Error> error = checkTarget(request, target, used)) return *std::move(error);
    if (std::optional<Error> error = checkTuning(target)) return *std::move(error);
    const bool emulates = usesMatrices(used) || usesFormatMatrices(request.words, target);
    const bool mayBeNative = emulates || mayAddShapes(request.words, target);
    std::optional<std::string> why;
    if (mayBeNative) why = whyNotNative(request, target);
    if (mayBeNative && !why) {
        Result<Rewritten> out = rewriteWithinLimit(request, target, BackEnd::kNative);
        // Where only tiles are added, the device may lack what core SPIR-V needs.
        const bool canBeCore = emulates || target.device.addsCoreShapes ||
                               allowsFlexibleSizes(target.emulated, target.nativeFeatures) ||
                               target.replacesLayout;
        if (!canBeCore || !mayFallBack(target, used, out)) return out;
        why = out.error().message;
    }
    Result<Rewritten> out = rewriteWithinLimit(request, target, BackEnd::kCore);
    if (out && why) out->notes.push_back("no native back-end: " + *why);
    return out;
}

// With Target::replacesLayout. If the driver's matrices cannot be replaced, they stay.
Result<Rewritten> rewriteWithLayout(const Request& request, PlannedTarget target) {
    Result<Rewritten> out = rewriteForBackEnd(request, target);
    const bool isRefused = !out && (out.error().code == ErrorCode::kUnsupported ||
                                    out.error().code == ErrorCode::kTooManySteps);
    if (!isRefused || !mayDependOnLayout(request.words)) return out;
    target.replacesLayout = false;
    const ExtensionSet used = scan(request.words, target.emulated, target.nativeFeatures);
    if (!used.empty() || mayAddShapes(request.words, target)) {
        return rewriteForBackEnd(request, target);
    }
    Rewritten same;
    same.words.assign(request.words.begin(), request.words.end());
    same.untouched = true;
    same.notes.push_back("the driver's layout of elements stays: " + out.error().message);
    return same;
}

}  // namespace

Result<Rewritten> rewrite(const Request& request, const Target& target) noexcept {
    try {
        const PlannedTarget plan = planned(target, request.words);
        return plan.replacesLayout ? rewriteWithLayout(request, plan)
                                   : rewriteForBackEnd(request, plan);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "out of memory"};
    } catch (...) {
        return Error{ErrorCode::kUnsupported, "internal error"};
    }
}

bool mayUseAddedShapes(std::span<const uint32_t> words, const DeviceTraits& device,
                       ExtensionSet emulated, const ExtensionFeatures& native) {
    if (!declares(words, spv::Capability::CooperativeMatrixKHR)) return false;
    Result<Module> module = Module::parse(words);
    if (!module) return false;
    const TypeTable types(*module);
    const bool any = allowsFlexibleSizes(emulated, native).has_value();
    return addedShapeUse(*module, types, device.nativeShapes, addedMatrixShapes(device), any) !=
           AddedShapeUse::kNone;
}

bool mayDependOnLayout(std::span<const uint32_t> words) {
    if (!declares(words, spv::Capability::CooperativeMatrixKHR)) return false;
    Result<Module> module = Module::parse(words);
    if (!module) return false;
    return hasOpenMatrixTypes(*module) || !whyDependsOnLanes(MatrixUses(*module)).empty();
}

std::optional<BackEnd> backEndFromName(std::string_view name) {
    if (name == "auto") return BackEnd::kAuto;
    if (name == "core") return BackEnd::kCore;
    if (name == "native") return BackEnd::kNative;
    return std::nullopt;
}

std::optional<Numerics> numericsFromName(std::string_view name) {
    if (name == "fast") return Numerics::kFast;
    if (name == "same") return Numerics::kSame;
    return std::nullopt;
}
std::string_view numericsName(Numerics numerics) {
    return numerics == Numerics::kSame ? "same" : "fast";
}

bool usesAddresses(std::span<const uint32_t> words) {
    return declares(words, spv::Capability::PhysicalStorageBufferAddresses);
}

bool needsWholeMatrices(const Module& module) {
    for (const ExtensionInfo& row : extensionTable()) {
        if (!kOfWholeMatrices.contains(row.extension)) continue;
        for (const ExtensionCapability& one : row.capabilities) {
            if (module.hasCapability(static_cast<spv::Capability>(one.capability))) return true;
        }
    }
    return hasMatricesOfWorkgroup(module);
}

void removeWholeMatrixDeclarations(Module& module) {
    for (const ExtensionInfo& row : extensionTable()) {
        if (kOfWholeMatrices.contains(row.extension)) module.removeDeclarations(row);
    }
    module.removeExtension("SPV_NV_tensor_addressing");
}

bool usesMatrices(ExtensionSet used) {
    constexpr ExtensionSet kOthers = {Extension::kKhrCooperativeMatrix,
                                      Extension::kNvCooperativeMatrix,
                                      Extension::kQcomCooperativeMatrixConversion};
    return used.containsAny(kOthers) || used.containsAny(kOfWholeMatrices);
}

namespace {

struct FormatMatrices {
    Extension extension;
    spv::Capability matrices, type;
};
constexpr FormatMatrices kFormatMatrices[] = {
    {Extension::kKhrShaderBfloat16, spv::Capability::BFloat16CooperativeMatrixKHR,
     spv::Capability::BFloat16TypeKHR},
    {Extension::kExtShaderFloat8, spv::Capability::Float8CooperativeMatrixEXT,
     spv::Capability::Float8EXT}};

bool isEmulated(const FormatMatrices& row, const PlannedTarget& target) {
    if (!target.emulated.contains(row.extension)) return false;
    return std::ranges::any_of(info(row.extension).capabilities, [&](const auto& one) {
        return one.capability == static_cast<uint32_t>(row.matrices) &&
               (one.features & ~target.nativeFeatures[row.extension]) != 0;
    });
}

bool hasMatrixTypes(std::span<const uint32_t> words) {
    const auto isType = [](spv::Op opcode, std::span<const uint32_t>) {
        return opcode == OpTypeCooperativeMatrixKHR;
    };
    return anyInstruction(instructionWords(words), isType, OpFunction);
}

}  // namespace

bool usesFormatMatrices(std::span<const uint32_t> words, const PlannedTarget& target) {
    return std::ranges::any_of(kFormatMatrices, [&](const FormatMatrices& row) {
        return isEmulated(row, target) && declares(words, row.matrices) && hasMatrixTypes(words);
    });
}

bool declareFormatMatrices(Module& module, std::span<const uint32_t> words,
                           const PlannedTarget& target) {
    if (usesFormatMatrices(words, target)) {
        module.addCapability(spv::Capability::CooperativeMatrixKHR);
        return true;
    }
    for (const FormatMatrices& row : kFormatMatrices) {
        if (!isEmulated(row, target) || !module.hasCapability(row.matrices)) continue;
        module.removeCapability(row.matrices);
        module.addCapability(row.type);
    }
    return false;
}

bool mayAddShapes(std::span<const uint32_t> words, const PlannedTarget& target) {
    return target.addsShapes && declares(words, spv::Capability::CooperativeMatrixKHR) &&
           !declares(words, spv::Capability::Int4CooperativeMatrixINTEL);
}

std::optional<Extension> allowsFlexibleSizes(ExtensionSet emulated,
                                             const ExtensionFeatures& native) {
    constexpr uint32_t kFlexibleDimensions = 1u << 1, kProperties2 = 1u << 0;
    using enum Extension;
    const auto adds = [&](Extension extension, uint32_t feature) {
        return emulated.contains(extension) && (native[extension] & feature) == 0;
    };
    if (adds(kNvCooperativeMatrix2, kFlexibleDimensions)) return kNvCooperativeMatrix2;
    if (adds(kExtCooperativeMatrixMaintenance1, kProperties2)) {
        return kExtCooperativeMatrixMaintenance1;
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
