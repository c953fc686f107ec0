// SPDX-License-Identifier: Apache-2.0
//
// The order of loads by tensor addresses, before they are lowered. Most become branches: the
// fastest way for some layouts, another one for the others. At the end of a branch, a GPU waits for
// the loads in it, so it would start the next load only then.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/module.hpp"
#include "ir/types.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

// Moves tensor stores that differ in their arguments only into a function, which they become calls
// of. `withLoads`: loads, too, for short code, since such loads do not share a branch with others.
// Conversions of what is stored move there, too.
//
//   before:  store(buffer[i], a, layout); store(buffer[j], b, layout)
//   after:   f(i, a, layout); f(j, b, layout)
void shareTensorAccesses(TypeTable& types, bool withLoads);

// Removes variables of functions that are only stored to, with the stores; phis that only phis use;
// and puts null in place of Objects of loads that set all elements.
void dropUnread(TypeTable& types);
// Only the last of these.
void dropUnreadObjects(TypeTable& types);

// Moves each load of a block down to the next load, unless an instruction between them uses its
// result: then they can share one branch. Stores of the result to variables of the function move
// behind both. Returns the loads that another load of their group follows directly.
//
//   before:  a = load(x); v = a; y = x + 1; b = load(y)
//   after:   y = x + 1; a = load(x); b = load(y); v = a
std::set<Id> gatherTensorLoads(Module& module);

// Moves tensor loads in loops to the iteration before, so that a GPU loads for the next product
// while it computes one:
//
//   before:  loop { a, b = loads; c = product(a, b, c) }
//   after:   a, b = loads
//            loop { opened = product(a, b, c)
//                   if (there is a next iteration) { a, b = its loads; c = copy of opened }
//                   else { c = copy of opened } }
//
// Whoever lowers the product may end it where it is copied, behind the loads.

// Returns the products that are copied (`opened` above).
std::set<Id> prefetchTensorLoads(TypeTable& types, const TensorTypes& tensors);

// Whether an instruction is a copy of a product.
bool endsProduct(const Module& module, const Instruction& i);

// Duplicates the code from tensor loads to the products that use them: one version for layouts that
// allow the fastest loads, one for all others. Without this, both ways to load join ahead of the
// product, where a GPU waits for the loads, and holds in registers what either way needs.
//
//   before:  a, b = loads; c = product(a, b, c)
//   after:   if (undefined) { a, b = loads; c = product(a, b, c) }
//            else { a, b = loads; c = product(a, b, c) }

struct LoadVersions {
    // The loads of the first version, by the boolean that selects it (`undefined` above). Whoever
    // lowers the loads must replace this OpUndef by what the layouts say.
    std::map<Id, std::vector<const Instruction*>> loads;
    std::set<Id> fastest, others;  // the loads of the first and of the second version
};

// `followed`: the result of gatherTensorLoads(), to which the loads of both versions are added. A
// group without a product behind it in its block stays as it is.
LoadVersions duplicateLoads(TypeTable& types, std::set<Id>& followed);

// Tensor loads and stores that differ in their arguments only: a function can take their place.

bool isTensorStore(const Instruction& i);

// What accesses of one function have in common, and what is different: its arguments.
struct AccessPattern {
    std::vector<uint32_t> key;
    std::vector<Id> arguments;
};

class AccessPatterns {
 public:
    explicit AccessPatterns(const Module& module) : module_(module) {}

    // Whether it is an access whose pointer a function can compute.
    bool has(const Instruction& access) const;
    AccessPattern of(const Instruction& access) const;

    // Emits the access in a function; parameter(id) is what the function has for an argument.
    // Returns the result of a load.
    std::optional<Id> emitIn(Emitter& emit, const Instruction& access,
                             const std::function<Id(Id argument)>& parameter) const;

 private:
    bool isConstant(Id id) const;
    bool isPhysical(const Instruction& access) const;
    bool isConverted(const Instruction& access) const;
    Id objectOf(const Instruction& access) const;
    void visitIds(const Instruction& access, const std::function<void(Id id)>& visit) const;

    const Module& module_;
};

std::vector<Id> typesOf(const Module& module, std::span<const Id> values);
// Declares that the pointer of an access may alias others, if it is an argument and a physical
// pointer. It is the first argument then.
void decoratePointers(FunctionBuilder& function, std::span<const Id> arguments);

}  // namespace coopvk::rewrite
