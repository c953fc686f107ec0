// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>
#include <set>

#include "ir/blocks.hpp"
#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/emitter.hpp"
#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "lowering/context.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/sums/sum_types.hpp"

namespace coopvk::rewrite {

namespace {

// From `begin` to the first block behind a loop, and its phis. `begin` is on every way to the loop,
// and all that follows it leads there.
struct SumRegion {
    Function* function = nullptr;
    Position begin;           // behind phis and variables
    std::set<size_t> blocks;  // with the block of `begin`
    size_t merge = 0;         // the block behind

    // The instructions, with the phis of the block behind.
    std::unordered_set<const Instruction*> instructions() const {
        std::unordered_set<const Instruction*> all;
        for (const size_t b : blocks) {
            const InstructionList& body = function->blocks[b]->body;
            const size_t first = b == begin.block ? begin.at : 0;
            for (size_t at = first; at < body.size(); ++at) all.insert(body[at].get());
        }
        const Block& behind = *function->blocks[merge];
        for (size_t at = 0; at < endOfPhis(behind); ++at) all.insert(behind.body[at].get());
        return all;
    }
};

// The regions of a function, the last one first.
class RegionFinder {
 public:
    RegionFinder(const Module& module, const SumTypes& sums, const BlockGraph& graph,
                 Function& function)
        : function_(function), graph_(graph), dominators_(function, graph) {
        for (const auto& block : function.blocks) {
            Named named;
            for (size_t at = 0; at < block->body.size(); ++at) {
                const Instruction& i = *block->body[at];
                const bool isHere = i.opcode == OpVariable || i.opcode == OpPhi;
                const bool isNamed = sumAccessOf(module, sums, i) > SumAccess::kWhole;
                named.whole |= isNamed;
                if (isHere || isNamed) named.end = at + 1;
                named.multiplies |= i.opcode == OpCooperativeMatrixMulAddKHR && sums.has(i.type);
            }
            named_.push_back(named);
        }
    }

    // nullopt: a product of accumulators is in none.
    std::optional<std::vector<SumRegion>> run() {
        std::vector<SumRegion> regions;
        for (size_t b = function_.blocks.size(); b-- > 0;) {
            const auto hasBlock = [&](const SumRegion& r) { return r.blocks.contains(b); };
            if (!named_[b].multiplies || std::ranges::any_of(regions, hasBlock)) continue;
            const Loop* loop = outermost(b);
            if (loop == nullptr) return std::nullopt;
            std::optional<SumRegion> region = around(*loop);
            if (!region) return std::nullopt;
            regions.push_back(*std::move(region));
        }
        return regions;
    }

 private:
    struct Named {
        bool whole = false;       // an instruction of the block names elements
        bool multiplies = false;  // it adds a product to accumulators
        size_t end = 0;           // behind phis, variables and what names elements
    };

    // The outermost loop around a block in which nothing names elements.
    const Loop* outermost(size_t block) const {
        const Loop* found = nullptr;
        for (const Loop* loop = graph_.loopOf(block); loop != nullptr; loop = loop->around) {
            for (size_t b = 0; b < named_.size(); ++b) {
                if (named_[b].whole && graph_.isInside(*loop, b)) return found;
            }
            found = loop;
        }
        return found;
    }

    // The region of a loop: also what is executed ahead of it, as far back as possible.
    std::optional<SumRegion> around(const Loop& loop) {
        SumRegion region{.function = &function_, .merge = loop.merge};
        region.begin.block = loop.header;
        for (size_t b = 0; b < named_.size(); ++b) {
            if (graph_.isInside(loop, b)) region.blocks.insert(b);
        }
        std::set<size_t> seen;
        for (size_t b = loop.header; b-- > 0;) {
            if (!dominators_.dominates(b, loop.header) || !canBegin(b, loop)) continue;
            if (!follow(b, loop, seen)) break;
            region.begin = {b, named_[b].end};
            region.blocks.insert(seen.begin(), seen.end());
            if (named_[b].whole) break;
        }
        if (region.begin.block == loop.header) return std::nullopt;
        return region;
    }

    bool canBegin(size_t b, const Loop& loop) const {
        return graph_.loopOf(b) == loop.around && !isLoopHeader(*function_.blocks[b]);
    }

    // Adds what is executed from `begin` on, ahead of the loop. False if that may go elsewhere, or
    // names elements.
    bool follow(size_t begin, const Loop& loop, std::set<size_t>& seen) const {
        std::vector<size_t> pending = {begin};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            if (b == loop.header || !seen.insert(b).second) continue;
            const std::vector<size_t>& successors = graph_.successors(b);
            const bool leaves = loop.around != nullptr &&
                                (!graph_.isInside(*loop.around, b) || b == loop.around->header);
            if (leaves || successors.empty() || (b != begin && named_[b].whole)) return false;
            pending.insert(pending.end(), successors.begin(), successors.end());
        }
        return true;
    }

    Function& function_;
    const BlockGraph& graph_;
    const Dominators dominators_;
    std::vector<Named> named_;  // by block
};

struct SumMoves {
    SumRegion region;
    std::unordered_set<const Instruction*> inside;
    std::set<Id> constants, variables;       // that the region uses
    std::set<Id> valuesIn, valuesOut;        // that other parts of the function define, or use
    std::set<Id> variablesIn, variablesOut;  // of `variables`, that have values there
};

class MoveFinder {
 public:
    MoveFinder(const Module& module, const SumTypes& sums, const BlockGraph& graph,
               const Users& users, SumRegion region)
        : module_(module), sums_(sums), graph_(graph), users_(users) {
        m_.region = std::move(region);
        m_.inside = m_.region.instructions();
    }

    // nullopt: pointers to accumulators go in or out, too.
    std::optional<SumMoves> run() {
        for (const Instruction* i : m_.inside) {
            if (isNonSemantic(module_, *i)) continue;
            for (const Operand& o : i->operands) {
                if (o.isId && sums_.has(module_.def(o.word).type) && !comesIn(o.word)) return {};
            }
            if (sums_.has(i->type) && !goesOut(*i)) return {};
        }
        const std::set<size_t> before = reached(m_.region.begin.block, false);
        const std::set<size_t> behind = reached(m_.region.merge, true);
        for (const Id variable : m_.variables) {
            if (module_.def(variable).operands.size() > 1) m_.variablesIn.insert(variable);
            findMoves(variable, variable, before, behind);
        }
        return std::move(m_);
    }

 private:
    bool isPointer(Id value) const {
        return module_.def(module_.def(value).type).opcode == OpTypePointer;
    }

    bool comesIn(Id value) {
        const Instruction& def = module_.def(value);
        if (m_.inside.contains(&def)) return true;
        if (def.opcode == OpVariable) return m_.variables.insert(value), true;
        if (isDeclaration(def) || hasNoValue(def.opcode)) return m_.constants.insert(value), true;
        return !isPointer(value) && (m_.valuesIn.insert(value), true);
    }

    bool goesOut(const Instruction& i) {
        const auto isInside = [&](const Usage& use) {
            return m_.inside.contains(use.user) || isNonSemantic(module_, *use.user);
        };
        if (users_.all(i.result, isInside)) return true;
        return !isPointer(i.result) && (m_.valuesOut.insert(i.result), true);
    }

    // The blocks to which a block leads, or those that lead to it; also itself, if in a loop.
    std::set<size_t> reached(size_t from, bool forwards) const {
        std::set<size_t> seen;
        std::vector<size_t> pending = {from};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            for (const size_t next : forwards ? graph_.successors(b) : graph_.predecessors(b)) {
                if (seen.insert(next).second) pending.push_back(next);
            }
        }
        return seen;
    }

    // Which uses of a variable there are outside of the region.
    void findMoves(Id variable, Id pointer, const std::set<size_t>& before,
                   const std::set<size_t>& behind) {
        const SumRegion& r = m_.region;
        for (const Usage& use : users_.of(pointer)) {
            if (m_.inside.contains(use.user) || isNonSemantic(module_, *use.user)) continue;
            const size_t block = use.position.block;
            const bool precedes = block == r.begin.block && use.position.at < r.begin.at;
            if (precedes || before.contains(block)) m_.variablesIn.insert(variable);
            if (block == r.merge || behind.contains(block)) m_.variablesOut.insert(variable);
            if (isPointer(use.user->result)) findMoves(variable, use.user->result, before, behind);
        }
    }

    const Module& module_;
    const SumTypes& sums_;
    const BlockGraph& graph_;
    const Users& users_;
    SumMoves m_;
};

class SumRetyper {
 public:
    SumRetyper(TypeTable& types, SumTypes& sums, Function& function)
        : types_(types), module_(types.module()), sums_(sums), function_(function) {}

    void run(const SumMoves& m) {
        inside_.clear();
        outside_.clear();
        for (const Id constant : m.constants) inside_[constant] = otherConstant(constant);
        for (const Id variable : m.variables) inside_[variable] = otherVariable(variable);
        InstructionList before = movesIn(m), behind = movesOut(m);
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) {
                const bool isInside = m.inside.contains(i.get());
                if (isInside && sums_.has(i->type)) i->type = sums_.other(i->type);
                replaceIds(*i, isInside ? inside_ : outside_);
            }
        }
        Block& merge = *function_.blocks[m.region.merge];
        insertAt(merge.body, endOfPhis(merge), std::move(behind));
        const Position begin = m.region.begin;
        insertAt(function_.blocks[begin.block]->body, begin.at, std::move(before));
    }

    // Each variable is behind the other one: the order tells drivers which registers to take.
    void finish() {
        InstructionList& body = function_.blocks[0]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            const auto found = variables_.find(body[at]->result);
            if (found == variables_.end() || !found->second) continue;
            body.insert(body.begin() + static_cast<std::ptrdiff_t>(at + 1),
                        std::move(found->second));
        }
    }

 private:
    using Replacements = std::unordered_map<Id, Id>;

    // Each matrix of a value, or of a variable, in a composite of the type `to`.
    Id converted(Emitter& emit, Id value, Id from, Id to) {
        const Instruction& type = module_.def(to);
        if (type.opcode != OpTypeArray) return emit.op(OpCooperativeMatrixConvertNV, to, {value});
        const Id part = module_.def(from).word(0), otherPart = type.word(0);
        const uint64_t count = module_.constantValue(type.word(1)).value_or(0);
        return emit.construct(to, listOf(count, [&](uint32_t i) {
                                  return converted(emit, emit.extract(part, value, {i}), part,
                                                   otherPart);
                              }));
    }

    struct Variable {
        Id id, type;  // of what it holds
    };
    void copy(Emitter& emit, Variable from, Variable to, const std::vector<Id>& indices) {
        const Instruction type = module_.def(from.type);
        if (type.opcode == OpTypeArray) {
            const uint64_t count = module_.constantValue(type.word(1)).value_or(0);
            const Id part = type.word(0), otherPart = module_.def(to.type).word(0);
            for (uint32_t i = 0; i < count; ++i) {
                std::vector<Id> further = indices;
                further.push_back(emit.constant(i));
                copy(emit, {from.id, part}, {to.id, otherPart}, further);
            }
            return;
        }
        const auto pointer = [&](const Variable& variable) {
            std::vector<Id> ids = {variable.id};
            ids.insert(ids.end(), indices.begin(), indices.end());
            return indices.empty() ? variable.id : emit.chain(variable.type, ids);
        };
        const Id value = emit.load(from.type, pointer(from));
        emit.store(pointer(to), converted(emit, value, from.type, to.type));
    }

    InstructionList movesIn(const SumMoves& m) {
        InstructionList list;
        Emitter emit(types_, list);
        for (const Id value : m.valuesIn) {
            const Id type = emit.typeOf(value);
            inside_[value] = converted(emit, value, type, sums_.other(type));
        }
        for (const Id id : m.variablesIn) {
            const Id type = module_.pointee(id);
            // In the first turn of a loop around the region it may have no value yet.
            Instruction& variable = *module_.edit(id);
            if (variable.operands.size() == 1)
                variable.operands.push_back(idOperand(types_.constantNull(type)));
            copy(emit, {id, type}, {inside_.at(id), sums_.other(type)}, {});
        }
        return list;
    }

    InstructionList movesOut(const SumMoves& m) {
        InstructionList list;
        Emitter emit(types_, list);
        for (const Id value : m.valuesOut) {
            const Id type = emit.typeOf(value);
            outside_[value] = converted(emit, value, sums_.other(type), type);
        }
        for (const Id id : m.variablesOut) {
            const Id type = module_.pointee(id);
            copy(emit, {inside_.at(id), sums_.other(type)}, {id, type}, {});
        }
        return list;
    }

    Id otherConstant(Id constant) {
        Instruction i = module_.def(constant);
        const Id type = sums_.other(i.type);
        if (i.opcode == OpConstantNull) return types_.constantNull(type);
        for (Operand& o : i.operands) {
            if (o.isId && sums_.has(module_.def(o.word).type)) o.word = otherConstant(o.word);
        }
        const Id id = module_.takeId();
        module_.append(Section::kGlobals,
                       makeInstruction(i.opcode, type, id, std::move(i.operands)));
        return id;
    }

    // One for all regions of the function.
    Id otherVariable(Id variable) {
        InstructionPtr& other = variables_[variable];
        if (other) return other->result;
        other = makeInstruction(OpVariable, sums_.other(module_.def(variable).type),
                                module_.takeId(), {literal(spv::StorageClass::Function)});
        module_.setDef(other.get());
        return other->result;
    }

    TypeTable& types_;
    Module& module_;
    SumTypes& sums_;
    Function& function_;
    Replacements inside_, outside_;
    std::unordered_map<Id, InstructionPtr> variables_;  // by that of the layout
};

// Gives accumulators in the regions of a function the types of products, and converts what goes in
// and out. The last region comes first.
void retypeSums(TypeTable& types, SumTypes& sums, Function& function,
                std::span<const SumMoves> moves) {
    SumRetyper retyper(types, sums, function);
    for (const SumMoves& m : moves) retyper.run(m);
    retyper.finish();
}

// A function with regions.
struct SumFunction {
    Function* function;
    std::vector<SumMoves> moves;
};

// Finds the regions of all functions, and whether they gain.
class SumSeparation {
 public:
    SumSeparation(TypeTable& types, const MatrixUses& uses, const PlannedTarget& target,
                  ElementLayout layout)
        : types_(types),
          module_(types.module()),
          uses_(uses),
          target_(target),
          layout_(layout),
          sums_(types, uses) {}

    std::set<Id> run() {
        bool fits = !sums_.all().empty() && hasRoom() && !multipliesNamed();
        module_.visitBlocks([&](const Instruction& i) {
            fits = fits && sumAccessOf(module_, sums_, i) != SumAccess::kUnlike;
        });
        for (const auto& function : module_.functions()) fits = fits && find(*function);
        if (!fits || !gains()) return {};
        for (const SumFunction& f : functions_) {
            retypeSums(types_, sums_, *f.function, f.moves);
        }
        types_.rescan();
        return sums_.all();
    }

 private:
    // False: a product is in no region.
    bool find(Function& function) {
        if (function.blocks.empty()) return true;
        const BlockGraph graph(function);
        const Users users(function);
        const auto regions = RegionFinder(module_, sums_, graph, function).run();
        if (!regions) return false;
        SumFunction found = {&function, {}};
        for (const SumRegion& region : *regions) {
            std::optional<SumMoves> moves = MoveFinder(module_, sums_, graph, users, region).run();
            if (!moves) return false;
            found.moves.push_back(*std::move(moves));
        }
        if (!found.moves.empty()) functions_.push_back(std::move(found));
        return true;
    }

    // Whether conversions have room in shared memory (changeGrid()): by shuffles they would take
    // more than loops gain.
    bool hasRoom() const {
        constexpr uint64_t kPadding = 4;  // of lines, at most
        uint64_t bytes = 0;
        for (const Id type : sums_.all()) {
            const Instruction& matrix = module_.def(type);
            const auto d = matrixDimensions(module_, matrix);
            bytes += (d->rows + kPadding) * (d->columns + kPadding) *
                     divideUp(types_.width(matrix.word(0)), 8);
        }
        bytes *= subgroupsOf(module_, target_.subgroupSize);
        return bytes != 0 && module_.hasCapability(spv::Capability::VulkanMemoryModel) &&
               sharedMemoryHasRoom(module_, bytes, target_.device);
    }

    // Whether a product reads A or B whose elements the module names: these lie as the layout says,
    // too, and converting them to another grid takes more than it gains.
    bool multipliesNamed() const {
        const auto isNamed = [&](Id type) {
            return (uses_.facts(type) & (kHasElements | kAsksLength)) != 0;
        };
        return std::ranges::any_of(uses_.products(), [&](const MatrixProduct& product) {
            return isNamed(product.a) || isNamed(product.b);
        });
    }

    // Elements of all lanes.
    uint64_t elementsOf(Id type, MatrixCounts& counts) {
        uint64_t elements = 0;
        for (const Id sum : sums_.all()) {
            const auto d = matrixDimensions(module_, module_.def(sum));
            elements += counts.in(type, sum) * d->rows * d->columns;
        }
        return elements;
    }

    bool gains() {
        MatrixCounts counts(module_);
        uint64_t moved = 0, multiplied = 0;
        for (const SumFunction& f : functions_) {
            for (const SumMoves& m : f.moves) {
                for (const auto* ids :
                     {&m.valuesIn, &m.valuesOut, &m.variablesIn, &m.variablesOut}) {
                    for (const Id id : *ids) moved += elementsOf(module_.def(id).type, counts);
                }
                multiplied += multiplicationsOf(*f.function, m, counts);
            }
        }
        constexpr uint64_t kTurns = 8;  // of a loop, whose number is mostly not known
        constexpr uint64_t kMove = 16;  // an element is stored, loaded, and each has an address
        if (multiplied * kTurns <= moved * kMove) return false;
        constexpr uint64_t kFew = 16;  // multiplications for each sum, in an iteration
        if (multiplied > moved * kFew || !loadsLinesOfHalves()) return true;
        constexpr uint64_t kFewSums = 16;  // of a lane: then registers suffice
        const bool hasManySums = moved > kFewSums * target_.subgroupSize;
        return (target_.device.countsLoopRegisters || hasManySums) && holdsMore();
    }

    // Whether lanes load A and B in lines along K, which lie together in memory, and convert no
    // element. Then the number of lines matters little: of small loops the conversions take more
    // than another grid gains.
    bool loadsLinesOfHalves() const {
        return !convertsHalves() &&
               std::ranges::all_of(uses_.loads(), [&](const MatrixAccess& load) {
                   const Instruction& type = module_.def(load.type);
                   const auto d = matrixDimensions(module_, type);
                   if (!d || d->use == Use::kAccumulator) return true;
                   const Dimension alongK =
                       d->use == Use::kA ? Dimension::kColumns : Dimension::kRows;
                   return load.along == alongK && types_.width(type.word(0)) == 16;
               });
    }

    // Devices without multiply-adds of f16 into f32 make f32 of each f16 that a lane multiplies.
    bool convertsHalves() const {
        return target_.device.stagesSingles && std::ranges::all_of(sums_.all(), [&](Id type) {
                   return types_.width(module_.def(type).word(0)) == 32;
               });
    }

    // Whether lanes would hold more of A and B with the layout's grid.
    bool holdsMore() const {
        const auto held = mappedLanes(layout_, target_.subgroupSize, Use::kAccumulator, 32);
        if (!held) return false;
        const Grid own = choosePolicy(uses_, types_, target_, ElementLayout::kFree).grid;
        return linesIn(held->grid) > linesIn(own);
    }

    // The rows of A and the columns of B in a lane.
    uint32_t linesIn(const Grid& grid) const {
        uint32_t lines = 0;
        for (const MatrixProduct& product : uses_.products()) {
            const auto a = matrixDimensions(module_, module_.def(product.a));
            const auto b = matrixDimensions(module_, module_.def(product.b));
            if (!a || !b) continue;
            lines =
                std::max(lines, divideUp(a->rows, grid.rows) + divideUp(b->columns, grid.columns));
        }
        return lines;
    }

    // In an iteration of the loop. Shaders add to all accumulators of a variable, perhaps in an
    // inner loop.
    uint64_t multiplicationsOf(const Function& function, const SumMoves& m, MatrixCounts& counts) {
        uint64_t written = 0, kept = 0;
        for (const Instruction* i : m.inside) {
            if (i->opcode != OpCooperativeMatrixMulAddKHR) continue;
            const auto a = matrixDimensions(module_, module_.def(module_.def(i->word(0)).type));
            const auto sum = matrixDimensions(module_, module_.def(i->type));
            if (!a || !sum) continue;
            const uint64_t one = uint64_t{sum->rows} * sum->columns * a->columns;
            written += one;
            kept = std::max(kept, one * counts.maxKept(function, i->type));
        }
        return std::max(written, kept);
    }

    TypeTable& types_;
    Module& module_;
    const MatrixUses& uses_;
    const PlannedTarget& target_;
    const ElementLayout layout_;
    SumTypes sums_;
    std::vector<SumFunction> functions_;
};

}  // namespace

std::set<Id> separateSums(TypeTable& types, const MatrixUses& uses, const PlannedTarget& target,
                          ElementLayout layout) {
    return SumSeparation(types, uses, target, layout).run();
}

}  // namespace coopvk::rewrite
