// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/sums/sum_moves.hpp"

namespace coopvk::rewrite {

namespace {

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
        const auto regions = sumRegions(module_, sums_, graph, function);
        if (!regions) return false;
        SumFunction found = {&function, {}};
        for (const SumRegion& region : *regions) {
            std::optional<SumMoves> moves = sumMoves(module_, sums_, graph, users, region);
            if (!moves) return false;
            found.moves.push_back(*std::move(moves));
        }
        if (!found.moves.empty()) functions_.push_back(std::move(found));
        return true;
    }

    // Whether conversions have room in shared memory (grid_change.cpp): by shuffles they would take
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
