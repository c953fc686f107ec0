// SPDX-License-Identifier: Apache-2.0
//
// Rewriting for a target: whether that makes sense, by which back-end, and with no exception.
#include "coopvk/rewrite.hpp"

#include <algorithm>
#include <bit>
#include <format>
#include <new>

#include "api/capabilities.hpp"
#include "api/matrix_scan.hpp"
#include "api/passes.hpp"
#include "native/listed.hpp"
#include "passes/float_atomics.hpp"

namespace coopvk::rewrite {

namespace {

std::optional<Error> checkTarget(const Target& target, ExtensionSet used) {
    const bool fixed = std::ranges::any_of(extensionTable(), [&](const ExtensionInfo& row) {
        return row.fixesSubgroupSize && used.contains(row.extension);
    });
    const uint32_t size = target.subgroupSize;
    if (!fixed || (std::has_single_bit(size) && size >= 4 && size <= 128)) return std::nullopt;
    return Error{ErrorCode::kInvalidArgument,
                 std::format("subgroup size {} is not a power of two from 4 to 128", size)};
}

std::optional<Error> checkTuning(const Target& target) {
    const MatrixTuning& tuning = target.tuning;
    const auto fits = [](const std::optional<uint32_t>& number, uint32_t most) {
        return !number || (std::has_single_bit(*number) && *number <= most);
    };
    const auto blockFits = [](const std::optional<uint32_t>& block) {
        return !block || *block == 0 || std::has_single_bit(*block);
    };
    if (fits(tuning.gridRows, target.subgroupSize) && blockFits(tuning.rowBlock) &&
        blockFits(tuning.columnBlock)) {
        return std::nullopt;
    }
    return Error{ErrorCode::kInvalidArgument,
                 "rows of the grid and blocks are powers of two, and the former not more than the "
                 "subgroup has lanes"};
}

// No pass uses a feature of the device that is emulated.
Target withoutEmulated(Target target) {
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

Result<Rewritten> rewriteModule(const Request& request, const Target& target, bool native) {
    const ExtensionSet used = scan(request.words, target.emulated, target.nativeFeatures);
    if (std::optional<Error> error = checkTarget(target, used)) return *std::move(error);
    if (std::optional<Error> error = checkTuning(target)) return *std::move(error);
    return rewriteFor(request, target, native, kChecksPasses);
}

// Why a module's matrices do not even try to be the driver's; nullopt where they do. Where the
// emulation replaces the driver's matrices, none of these may be used.
std::optional<std::string_view> whyNotNative(const Request& request, const Target& target) {
    if (target.backEnd == BackEnd::kCore) return "set so";
    if (target.emulated.contains(Extension::kIntelInt4) &&
        declares(request.words, spv::Capability::Int4CooperativeMatrixINTEL)) {
        return "drivers have no matrices of 4-bit components";
    }
    if (target.backEnd == BackEnd::kNative) return std::nullopt;
    if (target.device.nativeShapes.empty()) return "the driver has no matrices";
    if (target.emulated.contains(Extension::kKhrCooperativeMatrix)) {
        return "the driver's own matrices are emulated too";
    }
    return std::nullopt;
}

// Tiles of the driver's own matrices carry little of SPV_NV_cooperative_matrix2, which therefore
// may be core SPIR-V with any back-end.
bool mayFallBack(const Target& target, const ExtensionSet& used, const Result<Rewritten>& native) {
    return (target.backEnd == BackEnd::kAuto || usesWholeMatrices(used)) && !native &&
           native.error().code == ErrorCode::kUnsupported;
}

// By the driver's matrices where these may and can be used, else without them.
Result<Rewritten> rewriteForBackEnd(const Request& request, const Target& target) {
    std::string why;
    const ExtensionSet used = scan(request.words, target.emulated, target.nativeFeatures);
    const bool hasNone = !usesMatrices(used);
    if (hasNone && mayAddShapes(request.words, target)) {
        Result<Rewritten> out = rewriteModule(request, target, true);
        // Where shapes alone are added, the device may lack what core SPIR-V takes.
        if (!mayFallBack(target, used, out) || !freesSizes(target.emulated, target.nativeFeatures))
            return out;
        why = out.error().message;
    }
    if (!hasNone) {
        if (const auto reason = whyNotNative(request, target)) {
            why = *reason;
        } else {
            Result<Rewritten> out = rewriteModule(request, target, true);
            if (!mayFallBack(target, used, out)) return out;
            why = out.error().message;
        }
    }
    Result<Rewritten> out = rewriteModule(request, target, false);
    if (out && !why.empty()) out->notes.push_back("no native back-end: " + why);
    return out;
}

}  // namespace

Result<Rewritten> rewrite(const Request& request, const Target& target) noexcept {
    try {
        return rewriteForBackEnd(request, withoutEmulated(target));
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
    const bool any = freesSizes(emulated, native).has_value();
    return addedShapeUse(*module, types, device, any) != AddedShapeUse::kNone;
}

std::optional<BackEnd> backEndFromName(std::string_view name) {
    if (name == "auto") return BackEnd::kAuto;
    if (name == "core") return BackEnd::kCore;
    if (name == "native") return BackEnd::kNative;
    return std::nullopt;
}

}  // namespace coopvk::rewrite
