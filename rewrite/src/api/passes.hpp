// SPDX-License-Identifier: Apache-2.0
//
// The way of a module through the rewriter: a list of passes, each with what it needs and gives.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

// A module on its way.
struct Rewriting {
    Rewriting(const Request& theRequest, const Target& theTarget, Module theModule, bool isNative)
        : request(theRequest),
          target(theTarget),
          native(isNative),
          module(std::move(theModule)),
          types(module) {}
    Rewriting(const Rewriting&) = delete;

    const Request& request;
    const Target& target;
    const bool native;  // matrices become the driver's own
    Module module;
    TypeTable types;
    bool lowersMatrices = false;
    Rewritten out;  // where it is `untouched` already, no further pass runs
};

// What holds of a module. "None" of an extension: nothing of what the target emulates.
enum class Fact : uint32_t {
    kOneEntryPoint,
    kNoDecorationGroups,
    kNoSpecIds,       // specialization constants are frozen
    kInt4InMatrices,  // 4-bit integers are components of matrices alone
    kNoInt4,
    kNoNvMatrices,  // nor roles that the module does not say
    kNoMatrices,    // but the driver's own
    kNoVectors,
    kNoReplicatedComposites,
    kNoFloatAtomics,
    kNoBlockIo,
    kCount,
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
    Facts gives;  // hold behind it and every later pass
    std::optional<Error> (*run)(Rewriting&);
};

// In order; each needs what earlier ones give.
std::span<const Pass> rewritePasses();

// Whether something is emulated that tiles of the driver's matrices cannot carry.
bool usesWholeMatrices(const ExtensionSet& used);
// The extensions whose matrices are lowered.
bool usesMatrices(const ExtensionSet& used);
// Where only shapes are added, matrices may be the driver's own, and stay so. Those of 4-bit
// components are never native ones.
bool mayAddShapes(std::span<const uint32_t> words, const Target& target);

// `checked`: what passes give is looked for after each; an error names the pass that broke it, or
// that left the module malformed. For debug builds and tests: it is slow, and the module must have
// been valid.
std::optional<Error> runPasses(std::span<const Pass> passes, Rewriting& rewriting, bool checked);

// What is malformed in a module, empty if nothing: ids that nothing defines, or that two
// instructions define; blocks without an end.
std::string malformedIn(const Module& module);

// rewrite() for one back-end, but for what it takes care of itself: exceptions and fallback.
// `checked`: of modules that spirv-val accepts, which it must accept afterwards, too.
Result<Rewritten> rewriteFor(const Request& request, const Target& target, bool native,
                             bool checked);

}  // namespace coopvk::rewrite
