// SPDX-License-Identifier: Apache-2.0
//
// parse -> specialise -> lower -> finish.
#include "coopvk/rewrite.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "blockio/lower.hpp"
#include "int4/lower.hpp"
#include "matrix/layout_policy.hpp"
#include "matrix/lower.hpp"
#include "matrix/matrix_types.hpp"
#include "passes/entry_points.hpp"
#include "passes/float_atomics.hpp"
#include "passes/matrix_loops.hpp"
#include "passes/replicated_composites.hpp"
#include "passes/specialise.hpp"
#include "passes/subgroup_barriers.hpp"
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

std::string describe(const LayoutPolicy& policy) {
    return std::format("core back-end, lane grid {}x{}, row blocks {}, column blocks {}",
                       policy.grid.rows, policy.grid.columns, policy.rowBlock, policy.columnBlock);
}

// What is emulated is not the device's own for any pass.
Target withoutEmulated(Target target) {
    if (target.emulated.contains(Extension::kExtShaderAtomicFloat)) {
        target.device.shaderBufferFloat32AtomicAdd = false;
        target.device.shaderSharedFloat32AtomicAdd = false;
    }
    return target;
}

Result<Rewritten> rewriteModule(const Request& request, const Target& target) {
    Rewritten out;
    out.used = scan(request.words, target.emulated);
    if (std::optional<Error> error = checkTarget(target, out.used)) return *std::move(error);
    Result<Module> parsed = Module::parse(request.words);
    if (!parsed) return parsed.error();
    Module& module = *parsed;
    if (!hasEntryPoint(module, request.entryPoint)) {
        return Error{ErrorCode::kInvalidArgument,
                     std::format("the module has no entry point '{}'", request.entryPoint)};
    }
    TypeTable types(module);
    if (std::optional<Error> error = specialise(types, request.specialization)) {
        return *std::move(error);
    }
    foldSpecConstants(types, nullptr);
    std::map<Id, bool> nibbles;
    if (out.used.contains(Extension::kIntelInt4)) {
        Int4Context context{module, types, target};
        if (std::optional<Error> error = lowerInt4(context)) return *std::move(error);
        nibbles = std::move(context.matrices);
        if (target.emulated.contains(Extension::kKhrCooperativeMatrix) &&
            module.hasCapability(spv::Capability::CooperativeMatrixKHR)) {
            out.used.insert(Extension::kKhrCooperativeMatrix);
        }
    }
    if (out.used.contains(Extension::kKhrCooperativeMatrix) || !nibbles.empty()) {
        const LayoutPolicy policy = choosePolicy(module, types, target);
        foldSpecConstants(types, [&](Id type) { return matrixLength(types, policy, type); });
        keepProductLoopsRolled(module, target.subgroupSize);
        LoweringContext context{module, types, target, policy, {}, {}, {}, {}, std::move(nibbles)};
        if (std::optional<Error> error = lowerMatrices(context)) return *std::move(error);
        out.notes.push_back(describe(policy));
    }
    if (out.used.contains(Extension::kNvCooperativeVector)) {
        VectorContext context{
            module, types, target, request.stage, localSize(module, request.entryPoint), {}, {}, {},
            {},     {},    {}};
        if (std::optional<Error> error = lowerVectors(context)) return *std::move(error);
    }
    if (out.used.contains(Extension::kExtShaderReplicatedComposites)) {
        if (std::optional<Error> error = expandReplicatedComposites(module)) {
            return *std::move(error);
        }
    }
    if (target.emulated.contains(Extension::kExtShaderAtomicFloat)) {
        if (std::optional<Error> error = lowerFloatAtomics(types)) return *std::move(error);
    }
    if (out.used.contains(Extension::kIntel2dBlockIo)) {
        adoptCrossWorkgroupPointers(module);
        LoweringContext context{module, types, target, {}, {}, {}, {}, {}, {}};
        if (std::optional<Error> error = lowerBlockIo(context)) return *std::move(error);
    }
    if (target.device.lanesInStep) removeSubgroupBarriers(module);
    completeInterfaces(module);
    out.localSize = localSize(module, request.entryPoint);
    module.orderGlobals();
    out.words = module.serialise();
    return out;
}

}  // namespace

Result<Rewritten> rewrite(const Request& request, const Target& target) noexcept {
    try {
        return rewriteModule(request, withoutEmulated(target));
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "out of memory"};
    } catch (...) {
        return Error{ErrorCode::kUnsupported, "internal error"};
    }
}

std::string_view version() { return "0.1.0"; }

}  // namespace coopvk::rewrite
