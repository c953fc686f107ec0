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

#include "ir/blocks.hpp"
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

// Finds the loops in which tensor loads can move to the iteration before (prefetchTensorLoads()).

// A loop of a header, which tests the condition, a body, and perhaps a block behind the body that
// is the continue target. The body loads from tensors, and multiplies what it loads once.
struct PrefetchLoop {
    // Numbers of blocks. `before` branches to the header. `step` is the continue target, which may
    // be the body.
    size_t before = 0, header = 0, body = 0, step = 0;
    Instruction* merge = nullptr;  // OpLoopMerge
    Id condition = 0;
    bool goesOnIf = true;                   // the value of the condition with which the body runs
    std::vector<const Instruction*> loads;  // in the body, ahead of the product
    const Instruction* product = nullptr;
};

// What the instructions of a loop depend on.
class LoopValues {
 public:
    LoopValues(const Module& module, const Function& function, const PrefetchLoop& loop);

    // The instruction of the loop that defines a value; nullptr: the value is the same in all
    // iterations.
    const Instruction* find(Id value) const {
        const auto found = defined_.find(value);
        return found == defined_.end() ? nullptr : found->second;
    }
    // The value of the header's phi in the first iteration, and that in the next one.
    Id first(const Instruction& phi) const { return phi.word(beginsWithNext(phi) ? 2 : 0); }
    Id next(const Instruction& phi) const { return phi.word(beginsWithNext(phi) ? 0 : 2); }
    // Whether instructions other than phis use only what stands ahead of them, as in all loops that
    // can be reached.
    bool isInOrder() const { return isInOrder_; }
    // Whether the instructions that compute a value, of this iteration and of the next one, may run
    // once more elsewhere in the loop and ahead of it.
    bool canRepeat(Id value);
    // Whether nothing in the loop can change memory that a tensor load reads.
    bool hasOnlyPrivateStores() const { return onlyPrivateStores_; }

 private:
    void visit(const Instruction& i);
    bool beginsWithNext(const Instruction& phi) const { return phi.word(1) == step_; }
    bool canRepeatAlone(const Instruction& i) const;

    const Module& module_;
    const Id step_;  // label
    std::map<Id, const Instruction*> defined_;
    std::set<Id> stored_;       // variables
    std::set<Id> fromOutside_;  // ids that instructions of the loop use, and none above defines
    std::set<Id> visited_;
    bool isInOrder_ = true;
    bool onlyPrivateStores_ = true;
};

// A loop, if its loads can move.
std::optional<PrefetchLoop> findPrefetchLoop(const Module& module, const TensorTypes& tensors,
                                             const Function& function, const BlockGraph& graph,
                                             const Loop& found);

// Copies of the values of a loop whose tensor loads move.

// Which iteration a copy is of. The next one follows the present one.
enum class When { kFirst, kPresent, kNext };

class LoopCopies {
 public:
    // `loaded`: what holds the present iteration's loads, by the loads' results.
    LoopCopies(Module& module, const LoopValues& values, const std::map<Id, Id>& loaded)
        : module_(module), values_(values), loaded_(loaded) {}

    // The value at that time. Appends the instructions that compute it to `out`, once each.
    Id at(When when, Id value, InstructionList& out);
    // A copy of an instruction, with a new result.
    Id copy(When when, const Instruction& i, InstructionList& out);

 private:
    using Key = std::pair<When, Id>;

    Key source(const Key& key) const;
    std::optional<Id> known(const Key& key) const;

    Module& module_;
    const LoopValues& values_;
    const std::map<Id, Id>& loaded_;
    std::map<Key, Id> copies_;
};

// Tensor loads and stores that differ in their arguments only: a function can take their place.

bool isTensorStore(const Instruction& i);

// What accesses of one function have in common, and what is different: its arguments.
struct AccessPattern {
    std::vector<uint32_t> key;
    std::vector<Id> arguments;
};

class AccessPatterns {
 public:
    explicit AccessPatterns(Module& module);

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
    bool readsObject(const Instruction& access) const;
    bool isConverted(const Instruction& access) const;
    Id objectOf(const Instruction& access) const;
    void visitIds(const Instruction& access, const std::function<void(Id id)>& visit) const;

    Module& module_;
    std::unordered_set<Id> clipped_;  // types of views
};

std::vector<Id> typesOf(const Module& module, std::span<const Id> values);
// Declares that the parameters which are physical pointers may alias others.
void decoratePointers(FunctionBuilder& function, std::span<const Id> arguments);

}  // namespace coopvk::rewrite
