// SPDX-License-Identifier: Apache-2.0
//
// The list of passes that rewrite a module, each with the facts that it needs and gives.
#pragma once

#include <span>

#include "coopvk/advertised.hpp"
#include "ir/module.hpp"
#include "ir/types.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// One rewrite in progress.
struct Rewriting {
    Rewriting(const Request& theRequest, const PlannedTarget& theTarget, Module theModule,
              BackEnd backEnd)
        : request(theRequest),
          target(theTarget),
          native(backEnd == BackEnd::kNative),
          module(std::move(theModule)),
          types(module) {
        module.limitSteps(request.maxSteps);
        const DevicePlan& device = target.device;
        module.allowHalfDenormals(device.shaderFloat16 && device.shaderDenormPreserveFloat16);
    }
    Rewriting(const Rewriting&) = delete;

    const Request& request;
    const PlannedTarget& target;
    const bool native;  // matrices are lowered to the driver's matrices
    Module module;
    TypeTable types;
    bool lowersMatrices = false;
    bool lowersSubgroups = false;  // those that the device does not have
    bool keepsSubgroups = false;   // the driver's in place of those
    bool entersLoops = false;      // passes may put control flow into the module's blocks
    Rewritten out;                 // once it is `untouched`, no further pass runs
};

// What holds for a module. "kNo...": it has nothing of these that the target emulates.
enum class Fact : uint32_t {
    kOneEntryPoint,
    kNoDecorationGroups,
    kNoSpecIds,       // specialization constants are frozen
    kInt4InMatrices,  // 4-bit integers are only components of matrices
    kNoInt4,
    kNoNvMatrices,     // all matrix types have a Use
    kContinueTargets,  // no header is its loop's continue target, if code is put into loops
    kNoMatrices,       // but the driver's
    kNoLongVectors,
    kNoVectors,
    kNoReplicatedComposites,
    kNoFloatAtomics,
    kNoBlockIo,
    kNoLackingFloats,  // bfloat16 and 8-bit floats are the driver's
    kNoWideSubgroups,
    kFactCount,
};

struct Facts {
    constexpr Facts(std::initializer_list<Fact> facts) {
        for (const Fact fact : facts) bits |= 1u << static_cast<uint32_t>(fact);
    }
    constexpr bool contains(Fact fact) const {
        return (bits >> static_cast<uint32_t>(fact) & 1) != 0;
    }
    uint32_t bits = 0;
};

struct Pass {
    std::string_view name;
    Facts needs;  // hold before it
    Facts gives;  // hold after it and after every later pass
    std::optional<Error> (*run)(Rewriting&);
};

// The pass that lowers matrices, which may not be the driver's then (lower_matrices.cpp).
std::optional<Error> lowerAnyMatrices(Rewriting& rewriting);

// The first pass and the last one for subgroups that the device does not have
// (choose_subgroups.cpp).
std::optional<Error> chooseSubgroups(Rewriting& rewriting);
std::optional<Error> lowerAnySubgroups(Rewriting& rewriting);

// Whether a module whose matrices may stay the driver's must not keep them
// (Target::replacesLayout), and the error that says so.
bool needsOtherLayout(Rewriting& rewriting);
Error dependsOnLayout(const Rewriting& rewriting);

// Fails if a number of the target's MatrixTuning is none that it may be.
std::optional<Error> checkTuning(const PlannedTarget& target);

// Runs passes in order. `checked`: checks after each pass that the facts given so far hold and the
// module is well formed; the error names the pass. This is slow, for debug builds and tests, and
// needs a module that was valid.
std::optional<Error> runPasses(std::span<const Pass> passes, Rewriting& rewriting, bool checked);

// Fails if an instruction, a type or a capability of an extension that was lowered is left in the
// module or in the output words.
std::optional<Error> checkNothingIsLeft(const Rewriting& rewriting);
// Fails if output has more ids than SPIR-V allows; the function above asks it, too.
std::optional<Error> checkBound(std::span<const uint32_t> words);

// False: spirv-val, which follows each path through nested types, would take too long. A hostile
// module can have too many paths.
bool isQuickToValidate(const Module& module);

// rewrite() for kCore or kNative, without its fallback and its handling of exceptions. `checked`:
// spirv-val must accept the output of each module that it accepts.
Result<Rewritten> rewriteFor(const Request& request, const PlannedTarget& target, BackEnd backEnd,
                             bool checked);

// What a module uses of matrices, by the extensions that scan() found and the capabilities and
// types that it declares.

// Extensions that have instructions on whole matrices, such as reductions.
inline constexpr ExtensionSet kOfWholeMatrices = {Extension::kNvCooperativeMatrix2,
                                                  Extension::kExtCooperativeMatrixMaintenance1,
                                                  Extension::kNvCooperativeMatrixDecodeVector};

// Whether tiles that each subgroup computes for itself do not suffice: instructions of these
// extensions work on whole matrices, and matrices of scope Workgroup span subgroups.
bool needsWholeMatrices(const Module& module);
// Whether a matrix is of scope Workgroup.
bool hasMatricesOfWorkgroup(const Module& module);
// Removes these extensions and their capabilities.
void removeWholeMatrixDeclarations(Module& module);
// Whether one of these extensions has matrices that are lowered.
bool usesMatrices(ExtensionSet used);
// Whether a module declares matrices of a number format whose matrices are emulated, and has any.
bool usesFormatMatrices(std::span<const uint32_t> words, const PlannedTarget& target);
// Declares CooperativeMatrixKHR for these, which implied it. Of a module that has none, declares
// the formats alone, and returns false.
bool declareFormatMatrices(Module& module, std::span<const uint32_t> words,
                           const PlannedTarget& target);
// Returns an emulated extension that allows matrices of sizes that the device does not list, if its
// feature is not native.
std::optional<Extension> allowsFlexibleSizes(ExtensionSet emulated,
                                             const ExtensionFeatures& native);
// Whether Target::addsShapes may affect a module: it has matrices, none of 4-bit components.
bool mayAddShapes(std::span<const uint32_t> words, const PlannedTarget& target);

}  // namespace coopvk::rewrite
