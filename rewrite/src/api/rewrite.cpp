// SPDX-License-Identifier: Apache-2.0
//
// parse -> specialise -> lower -> finish.
#include "coopvk/rewrite.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "api/capabilities.hpp"
#include "blockio/lower.hpp"
#include "ir/workgroup_size.hpp"
#include "matrix/layout_policy.hpp"
#include "matrix/lower.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/slices/slice_products.hpp"
#include "native/listed.hpp"
#include "native/lower.hpp"
#include "passes/decoration_groups.hpp"
#include "passes/entry_points.hpp"
#include "passes/float_atomics.hpp"
#include "passes/matrix_loops.hpp"
#include "passes/one_entry_point.hpp"
#include "passes/replicated_composites.hpp"
#include "passes/specialise.hpp"
#include "passes/subgroup_barriers.hpp"
#include "unify/int4/int4.hpp"
#include "unify/nv_matrix.hpp"
#include "vector/lower.hpp"

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

std::string describe(const LayoutPolicy& policy) {
    return std::format("core back-end, lane grid {}x{}, row blocks {}, column blocks {}",
                       policy.grid.rows, policy.grid.columns, policy.rowBlock, policy.columnBlock);
}

// What is emulated is not the device's own for any pass.
Target withoutEmulated(Target target) {
    if (target.emulated.contains(Extension::kExtShaderAtomicFloat)) {
        const uint32_t own = target.own[Extension::kExtShaderAtomicFloat];
        target.device.shaderBufferFloat32AtomicAdd &= (own & kBufferFloat32AtomicAdd) != 0;
        target.device.shaderSharedFloat32AtomicAdd &= (own & kSharedFloat32AtomicAdd) != 0;
    }
    return target;
}

bool usesMatrices(const ExtensionSet& used) {
    return used.contains(Extension::kKhrCooperativeMatrix) ||
           used.contains(Extension::kNvCooperativeMatrix) ||
           used.contains(Extension::kQcomCooperativeMatrixConversion);
}

// Where only shapes are added, matrices may be the driver's own, and stay so. Those of 4-bit
// components are never native ones.
bool mayAddShapes(std::span<const uint32_t> words, const Target& target) {
    return target.addsShapes && declares(words, spv::Capability::CooperativeMatrixKHR) &&
           !declares(words, spv::Capability::Int4CooperativeMatrixINTEL);
}

// Whether the matrices of a module that uses `used` are lowered.
bool lowersMatrices(const Request& request, const Target& target, TypeTable& types,
                    const ExtensionSet& used) {
    if (usesMatrices(used)) return true;
    return mayAddShapes(request.words, target) &&
           addedShapeUse(types.module(), types, target.device) == AddedShapeUse::kSome;
}

Rewritten untouched(const Request& request) {
    Rewritten out;
    out.words.assign(request.words.begin(), request.words.end());
    out.untouched = true;
    return out;
}

std::optional<Error> lowerCore(TypeTable& types, const Target& target, Rewritten& out) {
    Module& module = types.module();
    const LayoutPolicy policy = choosePolicy(module, types, target);
    foldSpecConstants(types, [&](Id type) { return matrixLength(types, policy, type); });
    keepProductLoopsRolled(module, target.subgroupSize,
                           target.tuning.unrolledProducts.value_or(kMaxUnrolledProducts));
    MatrixContext context(types, target);
    context.policy = policy;
    context.slices = sliceProducts(types, target, policy);
    if (std::optional<Error> error = lowerMatrices(context)) return error;
    out.notes.push_back(describe(policy));
    if (context.slices.depth != 0) {
        out.notes.push_back(std::format("products in slices of {}", context.slices.depth));
    }
    out.paths.push_back("matrices: core");
    return std::nullopt;
}

// The instructions of SPV_NV_cooperative_matrix2 take whole matrices.
bool needsWholeMatrices(const Module& module) {
    using enum spv::Capability;
    constexpr spv::Capability kOfWhole[] = {
        CooperativeMatrixReductionsNV, CooperativeMatrixConversionsNV,
        CooperativeMatrixPerElementOperationsNV, CooperativeMatrixTensorAddressingNV,
        CooperativeMatrixBlockLoadsNV};
    return std::ranges::any_of(kOfWhole, [&](auto one) { return module.hasCapability(one); });
}

std::optional<Error> lowerNative(TypeTable& types, const Target& target, Rewritten& out) {
    Module& module = types.module();
    if (needsWholeMatrices(module)) {
        return Error{ErrorCode::kUnsupported,
                     "instructions of SPV_NV_cooperative_matrix2 take no tiles of matrices"};
    }
    Result<NativePlan> plan = planNative(module, types, target);
    if (!plan) return plan.error();
    const uint64_t subgroups = subgroupsOf(module, target.subgroupSize);
    const auto count = static_cast<uint32_t>(std::clamp<uint64_t>(subgroups, 1, 4096));
    if (std::optional<Error> error = lowerToNative(types, target, *plan, count)) return error;
    out.paths.push_back(plan->isTiled() ? "matrices: native, in tiles" : "matrices: native");
    out.notes.push_back(plan->note);
    return std::nullopt;
}

std::optional<Error> lowerInt4(TypeTable& types, const Target& target, Rewritten& out) {
    Int4Context context(types, target);
    if (std::optional<Error> error = unifyInt4(context)) return error;
    if (target.emulated.contains(Extension::kKhrCooperativeMatrix) &&
        types.module().hasCapability(spv::Capability::CooperativeMatrixKHR)) {
        out.used.insert(Extension::kKhrCooperativeMatrix);
    }
    return std::nullopt;
}

Result<Rewritten> rewriteModule(const Request& request, const Target& target, bool native) {
    Rewritten out;
    out.used = scan(request.words, target.emulated, target.own);
    if (std::optional<Error> error = checkTarget(target, out.used)) return *std::move(error);
    if (std::optional<Error> error = checkTuning(target)) return *std::move(error);
    Result<Module> parsed = Module::parse(request.words);
    if (!parsed) return parsed.error();
    Module& module = *parsed;
    if (std::optional<Error> error = keepOneEntryPoint(module, request.entryPoint, request.stage)) {
        return *std::move(error);
    }
    if (std::optional<Error> error = flattenDecorationGroups(module)) return *std::move(error);
    TypeTable types(module);
    if (std::optional<Error> error = specialise(types, request.specialization)) {
        return *std::move(error);
    }
    foldSpecConstants(types, nullptr);
    if (std::optional<Error> error = checkWorkgroupSizes(module)) return *std::move(error);
    if (out.used.contains(Extension::kIntelInt4)) {
        if (std::optional<Error> error = lowerInt4(types, target, out)) return *std::move(error);
    }
    if (out.used.contains(Extension::kNvCooperativeMatrix)) {
        if (std::optional<Error> error = unifyNvMatrices(types)) return *std::move(error);
    }
    const bool lowers = lowersMatrices(request, target, types, out.used);
    if (!lowers && out.used.empty() && mayAddShapes(request.words, target)) {
        return untouched(request);
    }
    // No driver has matrices of 4-bit components.
    const bool narrow = out.used.contains(Extension::kIntelInt4) &&
                        module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    if (lowers || narrow) {
        if (std::optional<Error> error =
                native ? lowerNative(types, target, out) : lowerCore(types, target, out)) {
            return *std::move(error);
        }
    }
    if (out.used.contains(Extension::kNvCooperativeVector)) {
        VectorContext context(types, target);
        context.stage = request.stage;
        context.localSize = localSize(module);
        if (std::optional<Error> error = lowerVectors(context)) return *std::move(error);
        out.paths.insert(out.paths.end(), context.paths.begin(), context.paths.end());
    }
    if (out.used.contains(Extension::kExtShaderReplicatedComposites)) {
        if (std::optional<Error> error = expandReplicatedComposites(module)) {
            return *std::move(error);
        }
    }
    if (target.emulated.contains(Extension::kExtShaderAtomicFloat)) {
        const uint32_t own = target.own[Extension::kExtShaderAtomicFloat];
        if (std::optional<Error> error = lowerFloatAtomics(types, own)) return *std::move(error);
    }
    if (out.used.contains(Extension::kIntel2dBlockIo)) {
        LoweringContext context(types, target);
        if (std::optional<Error> error = lowerBlockIo(context)) return *std::move(error);
    }
    if (target.device.lanesInStep) removeSubgroupBarriers(module);
    completeInterfaces(module);
    out.localSize = localSize(module);
    module.orderGlobals();
    out.words = module.serialise();
    return out;
}

// Why a module's matrices do not even try to be the driver's own; nullopt where they do. Where
// those are emulated over the driver's own, the point is to have none of them.
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

// By the driver's own matrices where they may stay and can, else without them.
Result<Rewritten> rewriteForBackEnd(const Request& request, const Target& target) {
    std::string why;
    const bool own = !usesMatrices(scan(request.words, target.emulated, target.own));
    // The device may lack what core SPIR-V takes where the program asked for matrices alone.
    if (own && mayAddShapes(request.words, target)) return rewriteModule(request, target, true);
    if (!own) {
        if (const auto reason = whyNotNative(request, target)) {
            why = *reason;
        } else {
            Result<Rewritten> out = rewriteModule(request, target, true);
            const bool mayFallBack = target.backEnd == BackEnd::kAuto && !out &&
                                     out.error().code == ErrorCode::kUnsupported;
            if (!mayFallBack) return out;
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

bool mayUseAddedShapes(std::span<const uint32_t> words, const DeviceTraits& device) {
    if (!declares(words, spv::Capability::CooperativeMatrixKHR)) return false;
    Result<Module> module = Module::parse(words);
    if (!module) return false;
    const TypeTable types(*module);
    return addedShapeUse(*module, types, device) != AddedShapeUse::kNone;
}

std::optional<BackEnd> backEndFromName(std::string_view name) {
    if (name == "auto") return BackEnd::kAuto;
    if (name == "core") return BackEnd::kCore;
    if (name == "native") return BackEnd::kNative;
    return std::nullopt;
}

}  // namespace coopvk::rewrite
