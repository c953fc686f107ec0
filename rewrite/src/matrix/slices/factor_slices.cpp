// SPDX-License-Identifier: Apache-2.0
//
// Chooses the products that are computed in slices of B.
#include <algorithm>
#include <map>
#include <set>

#include "ir/control_flow.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/slices/segments.hpp"
#include "optimise/dead_code.hpp"
#include "optimise/optimise.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

// Registers of a lane for A and B up to which products take them whole.
constexpr uint64_t kWholeFactors = 96;

// Registers of a lane for a slice of B up to which a turn is not divided.
constexpr uint64_t kSliceOfB = 64;

// Rows of B in a slice. With eight, the compiler for NVIDIA's Turing spills 34 registers of fused
// attention, and that for AMD's RDNA 2 takes a third more registers.
constexpr uint32_t kDepth = 4;

// Finds the products of whose B a load in the same block gives the value, and where nothing
// between both changes memory.
class LoadedProducts {
 public:
    explicit LoadedProducts(const Module& module) : module_(module), facts_(module) {
        for (const auto& function : module.functions()) {
            if (!function->blocks.empty()) visit(*function);
        }
    }
    const Instruction* loadOfB(const Instruction& product) const {
        const auto found = found_.find(product.result);
        return found == found_.end() ? nullptr : found->second;
    }

 private:
    void visit(const Function& function) {
        const Users users(function);
        for (const auto& block : function.blocks) {
            loads_.clear();
            for (const InstructionPtr& i : block->body) visit(users, *i);
        }
    }

    void visit(const Users& users, const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixLoadKHR && facts_.mayRepeat(i)) {
            loads_[i.result] = &i;
        } else if (!facts_.mayRepeat(i)) {
            loads_.clear();
        } else if (i.opcode == OpStore && isPlain(users, i.word(0))) {
            stored_[i.word(0)] = valueOf(i.word(1));
        } else if (i.opcode == OpLoad) {
            if (const auto value = stored_.find(i.word(0)); value != stored_.end())
                values_[i.result] = value->second;
        } else if (i.opcode == OpCopyObject) {
            values_[i.result] = valueOf(i.word(0));
        } else if (i.opcode == OpCooperativeMatrixMulAddKHR) {
            const auto load = loads_.find(valueOf(i.word(1)));
            if (load != loads_.end()) found_[i.result] = load->second;
        }
    }

    Id valueOf(Id id) const {
        const auto found = values_.find(id);
        return found == values_.end() ? id : found->second;
    }

    // Whether a pointer is a variable of the function that is only loaded and stored whole.
    bool isPlain(const Users& users, Id pointer) {
        const auto [entry, isNew] = plain_.try_emplace(pointer, false);
        if (!isNew) return entry->second;
        const auto isWhole = [&](const Usage& use) {
            const spv::Op opcode = use.user->opcode;
            const bool accesses = opcode == OpLoad || opcode == OpStore;
            return (accesses && use.operand == 0) || isNonSemantic(module_, *use.user);
        };
        entry->second = module_.def(pointer).opcode == OpVariable &&
                        module_.storage(pointer) == spv::StorageClass::Function &&
                        users.all(pointer, isWhole);
        return entry->second;
    }

    const Module& module_;
    const FunctionFacts facts_;
    std::map<Id, Id> values_;                 // by load or copy
    std::map<Id, Id> stored_;                 // last, by variable
    std::map<Id, const Instruction*> loads_;  // of the block, that could be repeated here
    std::map<Id, bool> plain_;                // pointers
    std::map<Id, const Instruction*> found_;  // by product
};

// How the columns of a type of A are distributed if they are distributed as an accumulator's.
Axis columnsOf(const TypeTable& types, const LayoutPolicy& policy, Id type) {
    const Instruction& def = types.module().def(type);
    MatrixDimensions d = *matrixDimensions(types.module(), def);
    d.use = Use::kAccumulator;
    return makeFragment(policy, d, heldBits(types, def.word(0))).columns;
}

// Chooses the types of A whose products are computed in slices of B.
class FactorChooser {
 public:
    FactorChooser(const TypeTable& types, const PlannedTarget& target, const LayoutPolicy& policy,
                  const MatrixUses& uses)
        : module_(types.module()), types_(types), target_(target), policy_(policy), uses_(uses) {}

    std::map<Id, std::vector<LoadedProduct>> run() {
        std::set<Id> large, refused;
        for (const MatrixProduct& product : uses_.products()) {
            if (registersOf(product) > kWholeFactors && allows(product.a)) large.insert(product.a);
        }
        std::map<Id, std::vector<LoadedProduct>> chosen;
        if (large.empty()) return chosen;
        const LoadedProducts loaded(module_);
        for (const MatrixProduct& product : uses_.products()) {
            if (!large.contains(product.a)) continue;
            const std::optional<LoadedProduct> found =
                take(product, loaded.loadOfB(*product.instruction));
            if (found)
                chosen[product.a].push_back(*found);
            else
                refused.insert(product.a);
        }
        std::erase_if(chosen, [&](const auto& entry) { return refused.contains(entry.first); });
        return chosen;
    }

 private:
    std::optional<LoadedProduct> take(const MatrixProduct& product, const Instruction* load) const {
        // The product of each slice would round to 16 bits.
        const Id sum = module_.def(product.instruction->type).word(0);
        const bool roundsOnce = target_.device.hasSameNumerics || product.roundsOnce;
        if (roundsOnce && types_.width(sum) == 16) return std::nullopt;
        const auto b = matrixDimensions(module_, module_.def(product.b));
        const auto a = matrixDimensions(module_, module_.def(product.a));
        if (load == nullptr || !b || a->columns != b->rows || saturates(*product.instruction) ||
            module_.storage(load->word(0)) != spv::StorageClass::Workgroup) {
            return std::nullopt;
        }
        const uint32_t depth = depthOf(product.a, product.b, *load);
        if (depth == 0) return std::nullopt;
        return LoadedProduct{product.instruction, load, depth};
    }

    // Whether matrices of the type may be distributed as accumulators.
    bool allows(Id type) const {
        const auto d = matrixDimensions(module_, module_.def(type));
        if (!d || !d->isOfSubgroup() || columnsOf(types_, policy_, type).lanes < 2) return false;
        constexpr uint32_t kFixed = kHasElements | kAsksLength | kIsConstructed;
        const uint32_t bits = heldBits(types_, module_.def(type).word(0));
        const bool isFree =
            policy_.likeAccumulators.contains(type) || (uses_.facts(type) & kFixed) == 0;
        return isFree && !policy_.mapped.contains(type) && (bits == 16 || bits == 32) &&
               types_.isFloat(module_.def(type).word(0));
    }

    // Rows of B in a slice: a whole number of what a lane holds of A, or a part of that; where
    // lanes hold blocks in turns, one turn, or a part of it if that takes too many registers; 0:
    // there are no slices.
    uint32_t depthOf(Id a, Id b, const Instruction& load) const {
        const Axis axis = columnsOf(types_, policy_, a);
        const std::optional<uint64_t> layout = module_.constantValue(load.word(1));
        if (!layout || *layout > 1 || load.operands.size() < 3 || pointeeOf(load) == 0) return 0;
        const uint32_t least = *layout == 1 ? pointeeOf(load) : 1;
        const uint32_t wanted = std::max(target_.tuning.sliceDepth.value_or(kDepth), least);
        uint32_t depth = std::min(wanted, powerOfTwoIn(axis.count()));
        if (!isRolled(axis)) depth = turnOf(axis, b, least);
        if (isRolled(axis) && depth == powerOfTwoIn(axis.count())) depth = axis.count();
        while (depth < wanted && axis.size % (depth * 2) == 0) depth *= 2;
        return depth < axis.size && depth % least == 0 ? depth : 0;
    }

    uint32_t turnOf(const Axis& axis, Id b, uint32_t least) const {
        const auto d = matrixDimensions(module_, module_.def(b));
        const uint32_t bits = heldBits(types_, module_.def(b).word(0));
        const uint32_t columns = makeFragment(policy_, *d, bits).columns.count();
        uint32_t depth = axis.lanes * axis.block;
        while (depth * columns * bits / 32 > kSliceOfB && depth / 2 % least == 0 &&
               depth / 2 % axis.block == 0) {
            depth /= 2;
        }
        return depth;
    }

    // Components of B in what the pointer of a load points to, at least 1; 0: it is not known.
    uint32_t pointeeOf(const Instruction& load) const {
        const Id pointee = module_.pointee(load.word(0));
        const uint32_t bits = types_.width(pointee) * types_.components(pointee);
        if (bits == 0) return 0;
        return std::max(1u, bits / types_.width(module_.def(load.type).word(0)));
    }

    // Registers of a lane that hold the factors as products read them.
    uint64_t registersOf(const MatrixProduct& product) const {
        uint64_t bits = 0;
        for (const Id type : {product.a, product.b}) {
            const Id component = module_.def(type).word(0);
            const auto d = matrixDimensions(module_, module_.def(type));
            const uint32_t held = heldBits(types_, component);
            if (!d || !d->isOfSubgroup() || held == 0) return 0;
            bits += uint64_t{makeFragment(policy_, *d, held).length()} * held;
        }
        return bits / 32;
    }

    const Module& module_;
    const TypeTable& types_;
    const PlannedTarget& target_;
    const LayoutPolicy& policy_;
    const MatrixUses& uses_;
};

// By type of A: all products with it, if they can load B, and the factors of one take too many
// registers.
std::map<Id, std::vector<LoadedProduct>> chooseFactors(const TypeTable& types,
                                                       const PlannedTarget& target,
                                                       const LayoutPolicy& policy,
                                                       const MatrixUses& uses) {
    return FactorChooser(types, target, policy, uses).run();
}

// A grid of few rows has fewer columns of A in each lane: shorter code in the loop, and fewer
// registers for B. As long as no length changes that the module knows.
LayoutPolicy withWideGrid(const TypeTable& types, const PlannedTarget& target,
                          const LayoutPolicy& policy, const MatrixUses& uses) {
    LayoutPolicy wide = policy;
    if (policy.elementLayout != ElementLayout::kFree) return wide;
    wide.grid = makeGrid(target.subgroupSize, false);
    wide.columnBlock = 0;  // slices of A are adjacent columns
    const bool isWanted = policy.grid.rows > wide.grid.rows && !target.tuning.gridRows;
    const bool fits = std::ranges::all_of(uses.types(), [&](const auto& entry) {
        const bool isKnown = (uses.facts(entry.first) & (kHasElements | kAsksLength)) != 0;
        return !isKnown ||
               matrixLength(types, policy, entry.first) == matrixLength(types, wide, entry.first);
    });
    if (!isWanted || !fits) wide.grid = policy.grid;
    return wide;
}

// Puts loops in place of products.
class FactorSlicer {
 public:
    FactorSlicer(TypeTable& types, const PlannedTarget& target, const LayoutPolicy& policy,
                 ProductSlices& slices)
        : types_(types),
          module_(types.module()),
          device_(target.device),
          policy_(policy),
          slices_(slices) {}

    void run(Function& function, const std::map<Id, LoadedProduct>& products) {
        FunctionEditor editor(types_, function);
        for (const auto& block : function.blocks) {
            editor.beginBlock(*block);
            for (InstructionPtr& i : block->body) {
                const auto found = products.find(i->result);
                if (i->result == 0 || found == products.end()) {
                    editor.keep(std::move(i));
                } else {
                    loop(editor, *i, found->second);
                }
            }
            editor.endBlock();
        }
        editor.finish();
    }

 private:
    void loop(FunctionEditor& editor, const Instruction& product, const LoadedProduct& found) {
        const Axis axis = columnsOf(types_, policy_, module_.def(product.word(0)).type);
        const Id type = typeOfSums(product);
        const bool addsC = type != product.type;
        const Id sum = editor.variable(type);
        editor.emit().store(sum, addsC ? types_.constantNull(type) : product.word(2));
        const uint32_t slices = axis.size / found.depth;
        const uint32_t parts = isRolled(axis) ? std::max(1u, axis.count() / found.depth) : slices;
        const auto multiplyParts = [&](Id index) {
            for (uint32_t part = 0; part < parts; ++part) {
                Emitter& emit = editor.emit();
                emit.store(slices_.number, emit.plus(emit.times(index, parts), part));
                multiply(emit, product, found, part * found.depth, sum);
            }
        };
        if (parts == slices)
            multiplyParts(editor.emit().constant(0));
        else
            editor.loop(slices / parts, multiplyParts, spv::LoopControlMask::DontUnroll);
        if (!addsC) {
            editor.emit().add(
                makeInstruction(OpLoad, product.type, product.result, {idOperand(sum)}));
            return;
        }
        const Id sums = editor.emit().load(type, sum);
        editor.emit().op(OpFAdd, product.type, {sums, product.word(2)}, product.result);
    }

    // Each slice would end with the sums of both halves of pairs along K. Products of 8-bit floats
    // are too large for open sums of several instructions.
    Id typeOfSums(const Instruction& product) {
        const Instruction& a = module_.def(module_.def(product.word(0)).type);
        const Number* number = numberOf(types_, a.word(0));
        const Instruction& c = module_.def(product.type);
        const auto d = matrixDimensions(module_, c);
        const bool isSliced = number != nullptr && number->isSmallFloat() &&
                              types_.isHalf(c.word(0)) && device_.openSums == SumForm::kHalves &&
                              policy_.halfPairsAlongK;
        if (!isSliced || makeFragment(policy_, *d, 16).length() > device_.maxOpenSums)
            return product.type;
        Id& made = open_[product.type];
        if (made != 0) return made;
        made = types_.newType(OpTypeCooperativeMatrixKHR, c.operands);
        slices_.openSums.insert(made);
        return made;
    }

    // The product of a slice. The columns of A begin with `column` of the iteration.
    void multiply(Emitter& emit, const Instruction& product, const LoadedProduct& found,
                  uint32_t column, Id sum) {
        const Id a =
            emit.op(OpCooperativeMatrixConvertNV,
                    sliceOf(module_.def(product.word(0)).type, 3, found.depth), {product.word(0)});
        slices_.firstColumns[a] = column;
        const Id typeOfB = sliceOf(found.load->type, 2, found.depth);
        const Id b = emit.op(OpCooperativeMatrixLoadKHR, typeOfB, found.load->operands);
        Operands operands = product.operands;
        operands[0] = idOperand(a);
        operands[1] = idOperand(b);
        const Id type = module_.pointee(sum);
        operands[2] = idOperand(emit.load(type, sum));
        emit.store(sum, emit.op(OpCooperativeMatrixMulAddKHR, type, operands));
    }

    // The type of `depth` columns of A, or rows of B; a new one, since values of the module may
    // have an equal type.
    Id sliceOf(Id type, size_t size, uint32_t depth) {
        Id& made = made_[{type, depth}];
        if (made != 0) return made;
        Operands operands = module_.def(type).operands;
        operands[size] = idOperand(types_.constantU32(depth));
        made = types_.newType(OpTypeCooperativeMatrixKHR, std::move(operands));
        if (size == 2) slices_.depths[made] = depth;
        return made;
    }

    TypeTable& types_;
    Module& module_;
    const DevicePlan& device_;
    const LayoutPolicy& policy_;
    ProductSlices& slices_;
    std::map<Id, Id> open_;
    std::map<std::pair<Id, uint32_t>, Id> made_;
};

// What only the products read: the whole B, and the variables that it was stored to.
void dropWholeFactors(TypeTable& types) {
    dropUnreadObjects(types);
    removeDeadCode(types.module(), [&](const Instruction& i) {
        return isOneOf(i.opcode, {OpLoad, OpCooperativeMatrixLoadKHR, OpVariable, OpPhi}) &&
               mayVanish(effectsOf(types.module(), i));
    });
}

}  // namespace

ProductSlices sliceFactors(TypeTable& types, const PlannedTarget& target, LayoutPolicy& policy,
                           const MatrixUses& all) {
    ProductSlices slices;
    if (!target.device.subgroupShuffle || target.tuning.sliceDepth == 0) return slices;
    const LayoutPolicy wide = withWideGrid(types, target, policy, all);
    if (chooseFactors(types, target, wide, all).empty()) return slices;
    // Drivers would keep stores to shared memory, through which factors go.
    removeUnreadValues(types.module());
    const MatrixUses uses(types.module());
    const auto chosen = chooseFactors(types, target, wide, uses);
    policy = wide;
    std::map<Id, LoadedProduct> products;
    for (const auto& [type, of] : chosen) {
        policy.likeAccumulators.insert(type);
        for (const LoadedProduct& product : of) products.emplace(product.product->result, product);
    }
    slices.number =
        globalVariable(types, spv::StorageClass::Private, types.uint32(), "coopvk_slice");
    FactorSlicer slicer(types, target, policy, slices);
    std::set<const Function*> functions;
    for (const MatrixProduct& product : uses.products()) {
        if (products.contains(product.instruction->result)) functions.insert(product.function);
    }
    for (const auto& function : types.module().functions()) {
        if (functions.contains(function.get())) slicer.run(*function, products);
    }
    dropWholeFactors(types);
    types.rescan();
    return slices;
}

namespace {

// Packs of a slice in the lanes that hold them.
class SliceSource : private MatrixCode {
 public:
    SliceSource(MatrixContext& context, MatrixWriter& writer, const MatrixType& from)
        : MatrixCode(context, writer), from_(from), exchange_(context, writer, from) {}

    // The lane in column `offset` of the grid behind column `first`, in this lane's row.
    Id lane(Id first, uint32_t offset) {
        return exchange_.laneAt(Dimension::kColumns, emit_.plus(first, offset),
                                exchange_.gridCoordinate(Dimension::kRows));
    }

    // Shared memory for packs that are all in one lane; nullopt: they do not go through it.
    std::optional<SubgroupArea> area() {
        if (!context_.target.device.hasDividedSubgroups ||
            types_.width(from_.component) * from_.packWidth != 32) {
            return std::nullopt;
        }
        return LaneItems::area(context_);
    }

    // Of these packs of the lane `source`, several at once.
    std::map<Id, Id> throughMemory(const SubgroupArea& area, std::span<const Id> packs, Id source) {
        LaneItems items(context_, writer_, area);
        std::map<Id, Id> moved;
        for (size_t first = 0; first < packs.size(); first += LaneItems::kWords) {
            const auto part =
                packs.subspan(first, std::min<size_t>(LaneItems::kWords, packs.size() - first));
            std::vector<Id> words(LaneItems::kWords, types_.constantU32(0));
            for (size_t i = 0; i < part.size(); ++i)
                words[i] = emit_.bitcast(types_.uint32(), part[i]);
            items.store(words);
            const std::vector<Id> loaded = items.load(source, 0);
            for (size_t i = 0; i < part.size(); ++i)
                moved[part[i]] = emit_.bitcast(from_.pack, loaded[i]);
            items.finish();
        }
        return moved;
    }

    SubgroupExchange& exchange() { return exchange_; }

 private:
    const MatrixType& from_;
    SubgroupExchange exchange_;
};

// The lane's number (u32) in its row of the grid that the iteration takes columns from, and behind
// it those that further columns come from.
Id firstLaneOf(MatrixContext& context, Emitter& emit, const Axis& columns, uint32_t depth) {
    if (!isRolled(columns)) return emit.constant(0);
    const Id number = emit.load(emit.types().uint32(), context.slices.number);
    return depth < columns.count() ? emit.over(number, columns.count() / depth)
                                   : emit.times(number, depth / columns.count());
}

}  // namespace

void lowerFactorSlice(MatrixContext& context, MatrixWriter& writer, const Instruction& slice) {
    const MatrixType& from = *context.matrixOfValue(slice.word(0));
    const MatrixType& to = *context.matrix(slice.type);
    Emitter& emit = writer.emit();
    const Axis& columns = from.fragment.columns;
    const uint32_t first = context.slices.firstColumns.at(slice.result);
    HeldElements elements(from, emit, slice.word(0)), part(to);
    SliceSource source(context, writer, from);
    const Id lane = firstLaneOf(context, emit, columns, to.columns);
    const auto offsetOf = [&](uint32_t c) { return columns.laneOf(first + c); };
    std::set<uint32_t> offsets;
    std::vector<Id> packs;
    part.each([&](uint32_t r, uint32_t c, Slot& slot) {
        slot = elements.at(r, columns.localOf(first + c));
        offsets.insert(offsetOf(c));
        if (std::ranges::find(packs, slot.value) == packs.end()) packs.push_back(slot.value);
    });
    std::map<uint32_t, Id> lanes;
    const auto laneAt = [&](uint32_t offset) {
        Id& found = lanes[offset];
        if (found == 0) found = source.lane(lane, offset);
        return found;
    };
    const auto area = offsets.size() == 1 ? source.area() : std::nullopt;
    if (area) {
        const auto moved = source.throughMemory(*area, packs, laneAt(*offsets.begin()));
        part.each([&](uint32_t, uint32_t, Slot& slot) { slot.value = moved.at(slot.value); });
    } else {
        part.each([&](uint32_t, uint32_t c, Slot& slot) {
            slot = source.exchange().fromLane(slot, laneAt(offsetOf(c)));
        });
    }
    part.construct(to, emit, slice.result);
}

}  // namespace coopvk::rewrite
