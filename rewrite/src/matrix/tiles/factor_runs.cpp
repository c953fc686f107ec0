// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/memory_operands.hpp"
#include "lowering/number.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kVectorBits = 128;  // of one access of memory

// Decode functions read small parts of blocks. With short runs, more lanes read at once from the
// same cache line (docs/benchmarks.md). DecodeVectorFunc decodes four elements at most.
constexpr uint32_t kDecodedLength = 4;

class RunChooser {
 public:
    RunChooser(const TypeTable& types, const TilePlan& tiles)
        : module_(types.module()),
          types_(types),
          tiles_(tiles),
          uses_(module_),
          survey_(uses_, types, [&](const Instruction& type) { return isFactor(type); },
                  {.keepsLength = true, .allowsTensors = true}) {}

    std::map<Id, Run> run() {
        for (const Id type : survey_.found()) runs_[type] = std::nullopt;
        for (const MatrixAccess& load : uses_.loads()) visitLoad(load);
        for (const MatrixProduct& product : uses_.products()) visitProduct(product);
        std::map<Id, Run> chosen;
        for (const auto& [type, run] : runs_) {
            if (run) chosen.emplace(type, *run);
        }
        return chosen;
    }

 private:
    bool isFactor(const Instruction& type) const {
        const auto d = matrixDimensions(module_, type);
        return d && !d->isOfSubgroup() && d->use != Use::kAccumulator &&
               heldBits(types_, type.word(0)) != 0 &&
               isOneOf(types_.width(type.word(0)), {8u, 16u, 32u});
    }

    void visitLoad(const MatrixAccess& load) {
        const auto found = runs_.find(load.type);
        if (found == runs_.end()) return;
        const std::optional<Dimension> along = load.along;
        const std::optional<Run>& known = found->second;
        if (!load.isTensor || !along || (known && known->along != *along)) {
            runs_.erase(found);
            return;
        }
        const auto d = matrixDimensions(module_, module_.def(load.type));
        Run run = {*along, lengthFor(load)};
        if (known) run.length = std::min(run.length, known->length);
        if ((*along == Dimension::kRows ? d->rows : d->columns) % run.length != 0)
            runs_.erase(found);
        else
            found->second = run;
    }

    uint32_t lengthFor(const MatrixAccess& load) const {
        return decodesElements(*load.instruction) ? kDecodedLength
                                                  : kVectorBits / survey_.bitsOf(load.type);
    }

    void visitProduct(const MatrixProduct& product) {
        const TileGrid* grid = tiles_.grid(product.instruction->type);
        const auto drop = [&](Id type, uint32_t TileGrid::* rows, uint32_t TileGrid::* columns) {
            const auto found = runs_.find(type);
            if (found == runs_.end() || !found->second) return;
            if (grid == nullptr || !fits(type, *found->second, grid->*rows, grid->*columns)) {
                runs_.erase(found);
            }
        };
        drop(product.a, &TileGrid::rows, &TileGrid::depth);
        drop(product.b, &TileGrid::depth, &TileGrid::columns);
    }

    // Whether each line of a tile consists of whole vectors in shared memory.
    bool fits(Id type, Run run, uint32_t tileRows, uint32_t tileColumns) const {
        const uint32_t held = heldBits(types_, module_.def(type).word(0));
        return (run.along == Dimension::kRows ? tileRows : tileColumns) * held % kVectorBits == 0;
    }

    const Module& module_;
    const TypeTable& types_;
    const TilePlan& tiles_;
    const MatrixUses uses_;
    const FactorSurvey survey_;
    std::map<Id, std::optional<Run>> runs_;  // by type; nullopt: no load of it is known
};

}  // namespace

std::map<Id, Run> chooseRuns(const TypeTable& types, const TilePlan& tiles) {
    if (tiles.grids.empty()) return {};
    return RunChooser(types, tiles).run();
}

}  // namespace coopvk::rewrite
