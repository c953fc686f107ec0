// SPDX-License-Identifier: Apache-2.0
#include "api/passes.hpp"

#include <algorithm>

#include "blockio/lower.hpp"
#include "ir/composites.hpp"
#include "ir/entry_point.hpp"
#include "longvector/types.hpp"
#include "lowering/cooperative_types.hpp"
#include "matrix/context.hpp"
#include "native/lower.hpp"
#include "numbers/lower.hpp"
#include "optimise/optimise.hpp"
#include "passes/whole_module.hpp"
#include "unify/int4/types.hpp"
#include "unify/nv_matrix.hpp"
#include "unify/small_floats/small_floats.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

namespace {

using Failure = std::optional<Error>;

Failure keepEntryPoint(Rewriting& r) {
    dropSemanticDebugSets(r.module);
    copyBasesOfEmptyChains(r.module);
    Failure error = keepOneEntryPoint(r.module, r.request.entryPoint, r.request.stage);
    declareWideIndices(r.module, r.target.indexes64Bits, r.target.device.shaderInt64);
    return error;
}

Failure flattenGroups(Rewriting& r) {
    Failure error = flattenDecorationGroups(r.module);
    r.types.rescan();
    return error;
}

Failure freezeConstants(Rewriting& r) {
    if (Failure error = specialise(r.types, r.request.specialization)) return error;
    foldSpecConstants(r.types, nullptr);
    if (Failure error = checkArrayLengths(r.module)) return error;
    return checkWorkgroupSize(r.module);
}

Failure correctForms(Rewriting& r) { return correctForeignForms(r.types, r.out.notes); }

// Matrices of 4-bit components remain: KHR's are emulated then, too.
Failure unifyIntegers(Rewriting& r) {
    if (!r.out.used.contains(Extension::kIntelInt4)) return std::nullopt;
    Int4Context context(r.types, r.target);
    if (Failure error = unifyInt4(context)) return error;
    if (r.target.emulated.contains(Extension::kKhrCooperativeMatrix) &&
        r.module.hasCapability(spv::Capability::CooperativeMatrixKHR)) {
        r.out.used.insert(Extension::kKhrCooperativeMatrix);
    }
    return std::nullopt;
}

Failure convertBeforeTranspositions(Rewriting& r) {
    if (!r.lowersMatrices) return std::nullopt;
    LoweringContext context(r.types, r.target);
    return splitTranspositions(context);
}

// Float8CooperativeMatrixEXT needs the type, which stays.
Failure holdFloats(Rewriting& r) {
    if (!r.lowersMatrices) return std::nullopt;
    SmallFloatContext context(r.types, r.target);
    return holdSmallFloats(context);
}

Failure replaceSms(Rewriting& r) {
    if (!r.out.used.contains(Extension::kNvShaderSmBuiltins)) return std::nullopt;
    return replaceSmBuiltIns(r.types, r.target.device, r.out.warnings);
}

Failure lowerDots(Rewriting& r) { return lowerMixedDots(r.types, r.target); }

Failure unifyNv(Rewriting& r) {
    if (!r.out.used.contains(Extension::kNvCooperativeMatrix)) return std::nullopt;
    return unifyNvMatrices(r.types);
}

Failure declareMatrices(Rewriting& r) {
    if (!declareFormatMatrices(r.module, r.request.words, r.target)) return std::nullopt;
    // Lowered to core SPIR-V, the shader is valid for one subgroup size only.
    if (!r.native || r.target.emulated.contains(Extension::kKhrCooperativeMatrix)) {
        r.out.used.insert(Extension::kKhrCooperativeMatrix);
    }
    return std::nullopt;
}

// With Target::addsShapes a module may use native shapes only, and with Target::replacesLayout it
// may depend on no layout: then it stays untouched.
Failure chooseWhatIsLowered(Rewriting& r) {
    const bool addsShapes = mayAddShapes(r.request.words, r.target);
    // No driver has matrices of 4-bit components.
    const bool hasInt4 = r.out.used.contains(Extension::kIntelInt4) &&
                         r.module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    const auto flexible = allowsFlexibleSizes(r.target.emulated, r.target.nativeFeatures);
    const DevicePlan& device = r.target.device;
    const bool hasAdded =
        addsShapes && addedShapeUse(r.module, r.types, device.nativeShapes, device.addedShapes,
                                    flexible.has_value()) == AddedShapeUse::kSome;
    constexpr auto kKhr = Extension::kKhrCooperativeMatrix;
    if (hasAdded && !r.native) r.out.used.insert(flexible.value_or(kKhr));
    const bool hasFormats = usesFormatMatrices(r.request.words, r.target);
    r.lowersMatrices = usesMatrices(r.out.used) || hasInt4 || hasAdded || hasFormats;
    if (!r.lowersMatrices && needsOtherLayout(r)) {
        if (r.native) return dependsOnLayout(r);
        r.out.used.insert(kKhr);
        r.lowersMatrices = true;
    }
    const bool mayStay =
        (addsShapes || r.target.replacesLayout) && !r.lowersSubgroups && !r.keepsSubgroups;
    if (r.lowersMatrices || !mayStay || !r.out.used.empty()) return std::nullopt;
    r.out.words.assign(r.request.words.begin(), r.request.words.end());
    r.out.untouched = true;
    return std::nullopt;
}

Failure dropAllPromises(Rewriting& r) {
    dropPromises(r.module);
    return std::nullopt;
}

// The driver's own long vectors stay beside cooperative ones, and formats, that are lowered, unless
// a type is both.
Failure takeLongVectors(Rewriting& r) {
    if (!r.module.hasCapability(spv::Capability::LongVectorEXT)) return std::nullopt;
    const bool areCooperative =
        r.out.used.contains(Extension::kNvCooperativeVector) && hasLongCooperativeVectors(r.module);
    if (areCooperative || hasLongVectorsToLower(r.types, r.target))
        r.out.used.insert(Extension::kExtShaderLongVector);
    return std::nullopt;
}

Failure separateLoops(Rewriting& r) {
    r.entersLoops = r.lowersMatrices || r.out.used.contains(Extension::kIntel2dBlockIo) ||
                    r.out.used.contains(Extension::kExtShaderLongVector);
    if (r.entersLoops) separateContinueTargets(r.types);
    return std::nullopt;
}

// With declared types, more constants can be folded.
Failure lowerAnyLongVectors(Rewriting& r) {
    if (!r.out.used.contains(Extension::kExtShaderLongVector)) return std::nullopt;
    LongVectorContext context(r.types, r.target);
    if (Failure error = declareLongVectors(context)) return error;
    foldSpecConstants(r.types, nullptr);
    return lowerLongVectors(context);
}

Failure lowerAnyVectors(Rewriting& r) {
    if (!r.out.used.contains(Extension::kNvCooperativeVector)) return std::nullopt;
    VectorContext context(r.types, r.target, r.request.stage);
    Failure error = lowerVectors(context);
    r.out.paths.insert(r.out.paths.end(), context.paths.begin(), context.paths.end());
    r.out.warnings.insert(r.out.warnings.end(), context.warnings.begin(), context.warnings.end());
    return error;
}

Failure expandReplicated(Rewriting& r) {
    return expandReplicatedComposites(
        r.module, r.out.used.contains(Extension::kExtShaderReplicatedComposites));
}

Failure lowerAtomics(Rewriting& r) {
    using enum Extension;
    const bool mayHaveAtomics = r.out.used.contains(kExtShaderAtomicFloat) ||
                                r.out.used.contains(kNvCooperativeVector) ||  // lowering adds some
                                r.module.hasCapability(spv::Capability::AtomicFloat32AddEXT);
    if (!r.target.emulated.contains(kExtShaderAtomicFloat) || !mayHaveAtomics) return std::nullopt;
    return lowerFloatAtomics(r.types, r.target.nativeFeatures[kExtShaderAtomicFloat]);
}

Failure lowerBlocks(Rewriting& r) {
    if (!r.out.used.contains(Extension::kIntel2dBlockIo)) return std::nullopt;
    LoweringContext context(r.types, r.target);
    return lowerBlockIo(context);
}

Failure divideFma(Rewriting& r) {
    if (r.target.device.hasSameNumerics) divideFusedMultiplyAdds(r.types);
    return std::nullopt;
}

Failure fixArithmetic(Rewriting& r) {
    if (!r.target.device.hasSameNumerics) return std::nullopt;
    forbidContractions(r.module);
    r.out.notes.push_back("numerics: same");
    return std::nullopt;
}

Failure lowerAnyNumbers(Rewriting& r) {
    NumbersContext context(r.types, r.target);
    return lowerNumbers(context, numbersToLower(r.module, r.target));
}

// Equal values are shared within the whole function only where short code is worth more registers.
Failure optimiseAll(Rewriting& r) {
    r.types.rescan();
    optimise(r.types, r.target.device.prefersShortCode ? Within::kFunction : Within::kBlock);
    return std::nullopt;
}

Failure finish(Rewriting& r) {
    if (r.target.device.lanesInStep) removeSubgroupBarriers(r.module);
    declareReconvergence(r.module, r.target.device, r.request.stage, r.target.subgroupSize);
    completeDeclarations(r.module);
    r.out.localSize = localSize(r.module);
    r.module.orderGlobals();
    return std::nullopt;
}

using enum Fact;

// In the order in which they run; each needs only facts that earlier ones give.
constexpr Pass kPasses[] = {
    {"keep one entry point", {}, {kOneEntryPoint}, keepEntryPoint},
    {"flatten decoration groups", {}, {kNoDecorationGroups}, flattenGroups},
    {"specialise", {kOneEntryPoint, kNoDecorationGroups}, {kNoSpecIds}, freezeConstants},
    {"correct foreign forms", {kOneEntryPoint, kNoSpecIds}, {}, correctForms},
    // What the program's own code does; lowering has operations only where the program has some.
    {"choose subgroups", {kOneEntryPoint, kNoSpecIds}, {}, chooseSubgroups},
    {"replace SM built-ins", {kOneEntryPoint, kNoSpecIds}, {}, replaceSms},
    // Of the program alone: lowering has others, whose products are exact.
    {"divide fma", {kNoSpecIds}, {}, divideFma},
    {"lower mixed dot products", {kNoSpecIds}, {}, lowerDots},
    {"unify 4-bit integers", {kNoSpecIds}, {kInt4InMatrices}, unifyIntegers},
    {"unify NV matrices", {kNoSpecIds}, {kNoNvMatrices}, unifyNv},
    {"declare matrices", {kNoSpecIds}, {}, declareMatrices},
    {"choose what is lowered", {kInt4InMatrices, kNoNvMatrices}, {}, chooseWhatIsLowered},
    {"drop promises", {kNoNvMatrices, kNoDecorationGroups}, {}, dropAllPromises},
    {"take long vectors beside cooperative ones", {kNoSpecIds}, {}, takeLongVectors},
    {"separate continue targets", {kNoSpecIds}, {kContinueTargets}, separateLoops},
    {"lower long vectors",
     {kNoSpecIds, kOneEntryPoint, kContinueTargets},
     {kNoLongVectors},
     lowerAnyLongVectors},
    {"split transpositions", {kNoSpecIds, kNoNvMatrices}, {}, convertBeforeTranspositions},
    // After all conversions are instructions.
    {"hold 8-bit floats of matrices", {kNoSpecIds, kNoNvMatrices}, {}, holdFloats},
    {"lower matrices",
     {kInt4InMatrices, kNoNvMatrices, kOneEntryPoint, kContinueTargets},
     {kNoInt4, kNoMatrices},
     lowerAnyMatrices},
    {"lower vectors", {kNoSpecIds, kOneEntryPoint, kNoLongVectors}, {kNoVectors}, lowerAnyVectors},
    // After the passes that lower replicated composites of their types.
    {"expand replicated composites",
     {kNoMatrices, kNoVectors},
     {kNoReplicatedComposites},
     expandReplicated},
    // After vectors, since training adds to floats atomically.
    {"lower atomics of floats", {kNoVectors}, {kNoFloatAtomics}, lowerAtomics},
    {"lower block I/O", {kNoSpecIds, kOneEntryPoint, kContinueTargets}, {kNoBlockIo}, lowerBlocks},
    // After all that makes values of these formats.
    {"lower numbers",
     {kNoSpecIds, kNoMatrices, kNoVectors, kNoReplicatedComposites, kNoBlockIo},
     {kNoLackingFloats},
     lowerAnyNumbers},
    // After all that makes operations on subgroups.
    {"lower subgroups",
     {kOneEntryPoint, kNoSpecIds, kNoMatrices, kNoVectors, kNoLongVectors, kNoLackingFloats},
     {kNoWideSubgroups},
     lowerAnySubgroups},
    // After all that multiplies and adds.
    {"forbid contractions",
     {kNoMatrices, kNoVectors, kNoLongVectors, kNoLackingFloats},
     {},
     fixArithmetic},
    {"optimise",
     {kOneEntryPoint, kNoInt4, kNoMatrices, kNoVectors, kNoLongVectors, kNoFloatAtomics, kNoBlockIo,
      kNoLackingFloats, kNoWideSubgroups},
     {},
     optimiseAll},
    {"finish",
     {kOneEntryPoint, kNoInt4, kNoMatrices, kNoVectors, kNoFloatAtomics, kNoBlockIo,
      kNoLackingFloats, kNoWideSubgroups},
     {},
     finish},
};

constexpr bool eachHasWhatItNeeds(std::span<const Pass> passes) {
    uint32_t given = 0;
    for (const Pass& pass : passes) {
        if ((pass.needs.bits & ~given) != 0) return false;
        given |= pass.gives.bits;
    }
    return true;
}

static_assert(eachHasWhatItNeeds(kPasses));

}  // namespace

Result<Rewritten> rewriteFor(const Request& request, const PlannedTarget& target, BackEnd backEnd,
                             bool checked) {
    Result<Module> module = Module::parse(request.words);
    if (!module) return module.error();
    checked = checked && isQuickToValidate(*module) && !validate(request.words);
    Rewriting rewriting(request, target, std::move(*module), backEnd);
    Rewritten& out = rewriting.out;
    out.used = scan(request.words, target.emulated, target.nativeFeatures);
    if (Failure error = runPasses(kPasses, rewriting, checked)) return *std::move(error);
    if (!out.untouched) out.words = rewriting.module.serialise();
    out.steps = rewriting.module.steps();
    if (Failure error = checkNothingIsLeft(rewriting)) return *std::move(error);
    const std::optional<std::string> invalid = checked ? validate(out.words) : std::nullopt;
    if (invalid) return Error{ErrorCode::kUnsupported, "internal error: invalid, " + *invalid};
    return std::move(out);
}

}  // namespace coopvk::rewrite
