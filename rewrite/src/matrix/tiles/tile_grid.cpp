// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiles/tile_grid.hpp"

#include <algorithm>
#include <set>

#include "ir/blocks.hpp"
#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

class GridPlanner {
 public:
    GridPlanner(const Module& module, const TypeTable& types, const PlannedTarget& target,
                uint32_t invocations)
        : module_(module), types_(types), subgroups_(invocations / target.subgroupSize) {
        const bool hasBFloat16 = !target.emulated.contains(Extension::kKhrShaderBfloat16);
        std::ranges::copy_if(target.device.nativeShapes, std::back_inserter(shapes_),
                             [&](const MatrixShape& shape) {
                                 return hasBFloat16 || shape.a != ComponentType::kBFloat16;
                             });
        if (invocations % target.subgroupSize != 0) subgroups_ = 0;
    }

    TilePlan run() {
        if (subgroups_ == 0) return {};
        const MatrixUses uses(module_);
        for (const MatrixProduct& product : uses.products()) {
            const auto d = matrixDimensions(module_, module_.def(product.instruction->type));
            if (d && !d->isOfSubgroup()) addProduct(product);
        }
        for (const Id type : excluded_) plan_.grids.erase(type);
        return std::move(plan_);
    }

 private:
    void addProduct(const MatrixProduct& product) {
        const Instruction& i = *product.instruction;
        const std::optional<TileGrid> grid =
            product.c == i.type ? gridFor(i, product.a, product.b) : std::nullopt;
        const auto [known, isNew] = plan_.grids.try_emplace(i.type, grid.value_or(TileGrid{}));
        if (!grid || (!isNew && known->second != *grid)) excluded_.insert(i.type);
    }

    // The best grid for a product; nullopt: the driver supports no shape for it.
    std::optional<TileGrid> gridFor(const Instruction& i, Id a, Id b) const {
        const auto d = matrixDimensions(module_, module_.def(i.type));
        // Sums of 8-bit floats are rounded, which tiles are not.
        const std::optional<MatrixShape> product = productShape(types_, i);
        if (!product || product->saturating || product->c != product->result) return std::nullopt;
        std::optional<TileGrid> best;
        for (const MatrixShape& shape : shapes_) {
            if (!beginAtWords(i, a, b, shape) || !isMadeOf(heldShape(*product), shape)) continue;
            const std::optional<TileGrid> grid = divide(*d, shape);
            if (grid && (!best || isBetter(*grid, *best))) best = grid;
        }
        return best;
    }

    // Whether each tile of a row in shared memory begins at a vector of four words.
    bool beginAtWords(const Instruction& i, Id a, Id b, const MatrixShape& shape) const {
        const auto isWhole = [&](Id matrix, uint32_t columns) {
            return columns * heldBits(types_, module_.def(matrix).word(0)) % 128 == 0;
        };
        return isWhole(a, shape.k) && isWhole(b, shape.n) && isWhole(i.type, shape.n);
    }

    // Divides a matrix among the subgroups, so that each reads as few lines of A and B as possible.
    std::optional<TileGrid> divide(const MatrixDimensions& d, const MatrixShape& shape) const {
        std::optional<TileGrid> best;
        for (uint32_t down = 1; down <= subgroups_; ++down) {
            const uint32_t across = subgroups_ / down;
            if (down * across != subgroups_ || d.rows % (down * shape.m) != 0 ||
                d.columns % (across * shape.n) != 0 || shape.m % kWorkgroupBlock != 0 ||
                shape.n % kWorkgroupBlock != 0) {
                continue;
            }
            const TileGrid grid = {shape.m,
                                   shape.n,
                                   shape.k,
                                   down,
                                   across,
                                   d.rows / (down * shape.m),
                                   d.columns / (across * shape.n)};
            if (!best || linesOf(grid) < linesOf(*best)) best = grid;
        }
        return best;
    }

    static uint32_t linesOf(const TileGrid& g) { return g.down * g.rows + g.across * g.columns; }

    // The one with fewer lines is better; of equal ones, that with larger tiles.
    static bool isBetter(const TileGrid& a, const TileGrid& b) {
        if (linesOf(a) != linesOf(b)) return linesOf(a) < linesOf(b);
        return a.rows * a.columns * a.depth > b.rows * b.columns * b.depth;
    }

    const Module& module_;
    const TypeTable& types_;
    std::vector<MatrixShape> shapes_;
    uint32_t subgroups_;
    TilePlan plan_;
    std::set<Id> excluded_;
};

}  // namespace

bool TilePlan::isTile(Id type) const {
    return std::ranges::any_of(types, [&](const auto& entry) { return entry.second == type; });
}

Id TilePlan::tileType(TypeTable& table, Id component, uint32_t rows, uint32_t columns, Use use) {
    Id& type = types[{component, rows, columns, static_cast<uint32_t>(use)}];
    if (type != 0) return type;
    const auto constant = [&](uint32_t value) { return idOperand(table.constantU32(value)); };
    type =
        table.newType(OpTypeCooperativeMatrixKHR,
                      {idOperand(component), constant(static_cast<uint32_t>(spv::Scope::Subgroup)),
                       constant(rows), constant(columns), constant(static_cast<uint32_t>(use))});
    return type;
}

TilePlan planTiles(const Module& module, const TypeTable& types, const PlannedTarget& target,
                   uint32_t invocations) {
    return GridPlanner(module, types, target, invocations).run();
}

namespace {

constexpr uint32_t kVectorBits = 128;  // of one access of memory

// Decode functions read small parts of blocks. With short runs, more lanes read at once from the
// same cache line (docs/developers/benchmarks.md). DecodeVectorFunc decodes four elements at most.
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

// Conversions between accumulators in tiles and distributed ones, in the module: where they are
// necessary, and which of the two types the module's values have.

namespace {

// Whether an instruction takes tiles as operands and as its result.
bool takesTiles(const Module& module, const TilePlan& plan, const Instruction& i) {
    if (i.opcode == OpCooperativeMatrixMulAddKHR || movesValues(i.opcode)) return true;
    if (isConversion(i.opcode)) {
        const TileGrid* from = plan.grid(module.def(i.word(0)).type);
        const TileGrid* to = plan.grid(i.type);
        return from != nullptr && to != nullptr && *from == *to;
    }
    return isArithmetic(i.opcode) || i.opcode == OpMatrixTimesScalar || isNonSemantic(module, i);
}

// Estimates how many conversions run for each type: those around instructions that take no tiles,
// if the module's values are tiles; else those behind products.
class ConversionCounts {
 public:
    ConversionCounts(const Module& module, const TilePlan& plan) : module_(module), plan_(plan) {
        for (const auto& function : module.functions()) visit(*function);
    }

    // The types in tiles whose values should rather be distributed.
    std::set<Id> distributed() const {
        std::set<Id> types = picked_;
        for (const auto& [type, count] : ofTiles_) {
            const auto products = ofProducts_.find(type);
            if (count > (products == ofProducts_.end() ? 0 : products->second)) types.insert(type);
        }
        return types;
    }

 private:
    static constexpr uint64_t kIterations = 8;  // of a loop
    static constexpr size_t kDeepest = 4;       // loop that counts

    void visit(const Function& function) {
        const BlockGraph graph(function);
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            uint64_t executions = 1;
            for (size_t l = std::min(graph.loopDepth(b), kDeepest); l > 0; --l)
                executions *= kIterations;
            for (const InstructionPtr& i : function.blocks[b]->body) visit(*i, executions);
        }
    }

    void visit(const Instruction& i, uint64_t executions) {
        notePick(i);
        if (i.opcode == OpCooperativeMatrixMulAddKHR) ofProducts_[i.type] += executions;
        if (takesTiles(module_, plan_, i)) return;
        for (const Operand& operand : i.operands) {
            if (operand.isId) count(module_.def(operand.word).type, executions);
        }
        count(i.type, executions);
    }

    void count(Id type, uint64_t executions) {
        if (plan_.grid(type) != nullptr) ofTiles_[type] += executions;
    }

    // Literal indices pick components: the tile of one is known only when the shader runs. So are
    // coordinates.
    void notePick(const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixGetCoordinateEXT) {
            pick(module_.def(i.word(0)).type);
        }
        if (i.opcode != OpCompositeExtract && i.opcode != OpCompositeInsert) return;
        const auto isTiled = [&](Id type) { return plan_.grid(type) != nullptr; };
        if (const auto index = indexInto(module_, i, isTiled)) pick(index->type);
    }

    void pick(Id type) {
        if (plan_.grid(type) != nullptr) picked_.insert(type);
    }

    const Module& module_;
    const TilePlan& plan_;
    std::map<Id, uint64_t> ofTiles_, ofProducts_;
    std::set<Id> picked_;
};

class TileConverter {
 public:
    TileConverter(TypeTable& types, TilePlan& plan)
        : types_(types), module_(types.module()), plan_(plan) {}

    void run() {
        addTypes();
        for (const auto& function : module_.functions()) {
            replaceInBlocks(types_, *function, [&](Emitter& emit, Instruction& i) {
                const auto tiles = tiles_.find(i.type);
                if (tiles != tiles_.end() && i.opcode == OpCooperativeMatrixMulAddKHR)
                    return multiply(emit, i, tiles->second);
                return !takesTiles(module_, plan_, i) && convertAround(emit, i);
            });
        }
    }

 private:
    void addTypes() {
        const std::set<Id> distributed = ConversionCounts(module_, plan_).distributed();
        for (const auto& [type, grid] : std::map(plan_.grids)) {
            const Id second =
                types_.newType(OpTypeCooperativeMatrixKHR, module_.def(type).operands);
            if (!distributed.contains(type)) {
                plan_.distributed[type] = second;
                continue;
            }
            plan_.grids.erase(type);
            plan_.grids[second] = grid;
            plan_.distributed[second] = type;
            tiles_[type] = second;
        }
    }

    Id convert(Emitter& emit, Id type, Id value, std::optional<Id> result = {}) {
        return emit.op(OpCooperativeMatrixConvertNV, type, {value}, result);
    }

    // False: the instruction stays, with other operands.
    bool convertAround(Emitter& emit, Instruction& i) {
        for (Operand& operand : i.operands) {
            if (!operand.isId) continue;
            const auto found = plan_.distributed.find(module_.def(operand.word).type);
            if (found != plan_.distributed.end()) {
                operand.word = convert(emit, found->second, operand.word);
            }
        }
        const auto found = plan_.distributed.find(i.type);
        if (found == plan_.distributed.end()) return false;
        const Id value = emit.op(i.opcode, found->second, std::move(i.operands));
        convert(emit, i.type, value, i.result);
        return true;
    }

    // A product of distributed values. C is added behind the conversion, which needs one conversion
    // less.
    bool multiply(Emitter& emit, const Instruction& i, Id tiles) {
        const Id c = i.word(2);
        const bool addsNothing = isZero(module_, c);
        const std::optional<spv::Op> add = addsNothing ? std::nullopt : addition(i.type);
        Operands operands(i.operands);
        operands[2].word =
            addsNothing || add ? types_.constantNull(tiles) : convert(emit, tiles, c);
        const Id product = emit.op(i.opcode, tiles, std::move(operands));
        const Id value =
            convert(emit, i.type, product, add ? std::nullopt : std::optional(i.result));
        if (add) emit.op(*add, i.type, {value, c}, i.result);
        return true;
    }

    // nullopt: for formats without arithmetic.
    std::optional<spv::Op> addition(Id matrix) const {
        const Instruction& component = module_.def(module_.def(matrix).word(0));
        if (component.opcode == OpTypeInt) return OpIAdd;
        return component.operands.size() == 1 ? std::optional(OpFAdd) : std::nullopt;
    }

    TypeTable& types_;
    Module& module_;
    TilePlan& plan_;
    std::map<Id, Id> tiles_;  // the type in tiles, by types of the module whose values are not
};

}  // namespace

void convertAroundTiles(TypeTable& types, TilePlan& plan) { TileConverter(types, plan).run(); }

}  // namespace coopvk::rewrite
