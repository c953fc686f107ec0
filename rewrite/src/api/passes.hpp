// SPDX-License-Identifier: Apache-2.0
//
// The list of passes that rewrite a module, each with the facts that it needs and gives.
#pragma once

#include "ir/types.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// One rewrite in progress.
struct Rewriting {
    Rewriting(const Request& theRequest, const PlannedTarget& theTarget, Module theModule,
              bool isNative)
        : request(theRequest),
          target(theTarget),
          native(isNative),
          module(std::move(theModule)),
          types(module) {}
    Rewriting(const Rewriting&) = delete;

    const Request& request;
    const PlannedTarget& target;
    const bool native;  // matrices are lowered to the driver's matrices
    Module module;
    TypeTable types;
    bool lowersMatrices = false;
    bool entersLoops = false;  // passes may put control flow into the module's blocks
    Rewritten out;             // once it is `untouched`, no further pass runs
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

constexpr bool eachHasWhatItNeeds(std::span<const Pass> passes) {
    uint32_t given = 0;
    for (const Pass& pass : passes) {
        if ((pass.needs.bits & ~given) != 0) return false;
        given |= pass.gives.bits;
    }
    return true;
}

// In the order in which they run; each needs only facts that earlier ones give.
std::span<const Pass> rewritePasses();

// Whether tiles that each subgroup computes for itself do not suffice: instructions of some
// extensions work on whole matrices, and matrices of scope Workgroup span subgroups.
bool needsWholeMatrices(const Module& module);
// Removes these extensions and their capabilities.
void removeWholeMatrixDeclarations(Module& module);
// Whether one of these extensions has instructions on whole matrices, such as reductions.
bool usesWholeMatrices(const ExtensionSet& used);
// Whether one of these extensions has matrices that are lowered.
bool usesMatrices(const ExtensionSet& used);
// Whether a module declares matrices of a number format whose matrices are emulated.
bool usesFormatMatrices(std::span<const uint32_t> words, const PlannedTarget& target);
// Returns an emulated extension that allows matrices of sizes that the device does not list, if its
// feature is not native.
std::optional<Extension> allowsFlexibleSizes(const ExtensionSet& emulated,
                                             const ExtensionFeatures& native);
// Whether Target::addsShapes may affect a module: it has matrices, none of 4-bit components.
bool mayAddShapes(std::span<const uint32_t> words, const PlannedTarget& target);

// Runs passes in order. `checked`: checks after each pass that the facts given so far hold and the
// module is well formed; the error names the pass. This is slow, for debug builds and tests, and
// needs a module that was valid.
std::optional<Error> runPasses(std::span<const Pass> passes, Rewriting& rewriting, bool checked);

// What is malformed in a module: ids that no instruction or several define, blocks without a
// terminator. Empty if nothing is.
std::string malformedIn(const Module& module);

// Fails if an instruction, a type or a capability of an extension that was lowered is left in the
// module or in the output words.
std::optional<Error> checkNothingIsLeft(const Rewriting& rewriting);

// False: spirv-val, which follows each path through nested types, would take too long. A hostile
// module can have too many paths.
bool isQuickToValidate(const Module& module);

// rewrite() for one back-end, without its fallback and its handling of exceptions. `checked`:
// spirv-val must accept the output of each module that it accepts.
Result<Rewritten> rewriteFor(const Request& request, const PlannedTarget& target, bool native,
                             bool checked);

}  // namespace coopvk::rewrite
