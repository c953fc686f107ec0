// SPDX-License-Identifier: Apache-2.0
//
// Conversions between accumulators in tiles and distributed ones, in the module: where they are
// necessary, and which of the two types the module's values have.
#include <algorithm>
#include <set>

#include "ir/blocks.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/tiles/tile_grid.hpp"

namespace coopvk::rewrite {

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
            for (const auto& block : function->blocks) {
                InstructionList body;
                for (InstructionPtr& i : block->body) {
                    Emitter emit(types_, body);
                    if (const auto tiles = tiles_.find(i->type);
                        tiles != tiles_.end() && i->opcode == OpCooperativeMatrixMulAddKHR) {
                        multiply(emit, *i, tiles->second);
                        module_.retire(std::move(i));
                    } else if (takesTiles(module_, plan_, *i)) {
                        body.push_back(std::move(i));
                    } else {
                        convertAround(emit, std::move(i));
                    }
                }
                block->body = std::move(body);
            }
        }
    }

 private:
    void addTypes() {
        const std::set<Id> distributed = ConversionCounts(module_, plan_).distributed();
        for (const auto& [type, grid] : std::map(plan_.grids)) {
            const Id second = module_.takeId();
            module_.append(Section::kGlobals,
                           makeInstruction(OpTypeCooperativeMatrixKHR, 0, second,
                                           Operands(module_.def(type).operands)));
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

    void convertAround(Emitter& emit, InstructionPtr i) {
        for (Operand& operand : i->operands) {
            if (!operand.isId) continue;
            const auto found = plan_.distributed.find(module_.def(operand.word).type);
            if (found != plan_.distributed.end()) {
                operand.word = convert(emit, found->second, operand.word);
            }
        }
        const auto found = plan_.distributed.find(i->type);
        if (found == plan_.distributed.end()) {
            emit.add(std::move(i));
            return;
        }
        const Id value = emit.op(i->opcode, found->second, std::move(i->operands));
        convert(emit, i->type, value, i->result);
    }

    // A product of distributed values. C is added behind the conversion, which needs one conversion
    // less.
    void multiply(Emitter& emit, const Instruction& i, Id tiles) {
        const Id c = i.word(2);
        const bool addsNothing = isZero(module_, c);
        const std::optional<spv::Op> add = addsNothing ? std::nullopt : addition(i.type);
        Operands operands(i.operands);
        operands[2].word =
            addsNothing || add ? types_.constantNull(tiles) : convert(emit, tiles, c);
        const Id product = emit.op(i.opcode, tiles, std::move(operands));
        if (!add) {
            convert(emit, i.type, product, i.result);
            return;
        }
        const Id value = convert(emit, i.type, product);
        emit.op(*add, i.type, {value, c}, i.result);
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
