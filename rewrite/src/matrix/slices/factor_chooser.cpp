// SPDX-License-Identifier: Apache-2.0
//
// Chooses the products that are computed in slices of B.
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/slices/factor_slices.hpp"
#include "matrix/slices/segments.hpp"

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
            values_.clear();
            stored_.clear();
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
    std::map<Id, Id> values_;                 // of the block, by load or copy
    std::map<Id, Id> stored_;                 // by variable
    std::map<Id, const Instruction*> loads_;  // that could be repeated here
    std::map<Id, bool> plain_;                // pointers
    std::map<Id, const Instruction*> found_;  // by product
};

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
        constexpr auto kSaturating =
            static_cast<uint32_t>(spv::CooperativeMatrixOperandsMask::SaturatingAccumulationKHR);
        if (load == nullptr || !b || a->columns != b->rows ||
            (product.instruction->word(3) & kSaturating) != 0 ||
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

}  // namespace

Axis columnsOf(const TypeTable& types, const LayoutPolicy& policy, Id type) {
    const Instruction& def = types.module().def(type);
    MatrixDimensions d = *matrixDimensions(types.module(), def);
    d.use = Use::kAccumulator;
    return makeFragment(policy, d, heldBits(types, def.word(0))).columns;
}

std::map<Id, std::vector<LoadedProduct>> chooseFactors(const TypeTable& types,
                                                       const PlannedTarget& target,
                                                       const LayoutPolicy& policy,
                                                       const MatrixUses& uses) {
    return FactorChooser(types, target, policy, uses).run();
}

}  // namespace coopvk::rewrite
