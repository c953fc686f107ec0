// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/sliced_types.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/registers.hpp"
#include "matrix/byte_reading.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/open_sums.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

// Types of A and B that are loaded, moved and multiplied, and nothing else.
class Survey {
 public:
    Survey(const Module& module, const TypeTable& types) : module_(module), types_(types) {}

    void run() {
        module_.visitBlocks([&](const Instruction& i) {
            if (i.opcode == Op::OpCooperativeMatrixMulAddKHR) addProduct(i);
        });
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->type != 0) found_.erase(i->type);
        }
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
    }

    const std::set<Id>& found() const { return found_; }
    const std::vector<const Instruction*>& products() const { return products_; }

    // Whether each load of those types is from shared memory and starts at a whole pointee in every
    // slice.
    bool loadsAllow(uint32_t depth) const {
        return std::ranges::all_of(loads_, [&](const Instruction* load) {
            const Id pointer = module_.def(load->word(0)).type;
            const Id pointee = module_.def(pointer).word(1);
            const std::optional<uint64_t> layout = module_.constantValue(load->word(1));
            const auto d = matrixDimensions(module_, module_.def(load->type));
            if (!found_.contains(load->type)) return true;
            if (!layout || *layout > 1 || !d || load->operands.size() < 3) return false;
            // Elsewhere lanes had better read long lines at once.
            if (storageOf(pointer) != spv::StorageClass::Workgroup) return false;
            const bool acrossLines = (*layout == 0) == (d->use == Use::kB);
            const uint32_t bits = types_.width(pointee) * types_.components(pointee);
            return acrossLines || (bits != 0 && depth * bitsOf(load->type) % bits == 0);
        });
    }

    spv::StorageClass storageOf(Id pointerType) const {
        return static_cast<spv::StorageClass>(module_.def(pointerType).word(0));
    }

    uint32_t bitsOf(Id type) const { return types_.width(module_.def(type).word(0)); }

 private:
    void addProduct(const Instruction& i) {
        products_.push_back(&i);
        for (const size_t operand : {0, 1}) found_.insert(module_.def(i.word(operand)).type);
    }

    void visit(const Instruction& i) {
        if (isNonSemantic(module_, i)) return;
        const auto isFound = [&](Id id) { return found_.contains(id); };
        const auto dropIndexed = [&](Id type, size_t first) {
            if (findIndexInto(module_, type, i.operands, first, isFound)) found_.clear();
        };
        switch (i.opcode) {
            case Op::OpCooperativeMatrixLoadKHR:
                loads_.push_back(&i);
                return;
            case Op::OpCooperativeMatrixMulAddKHR:
                found_.erase(module_.def(i.word(2)).type);
                return;
            case Op::OpCompositeExtract:
                return dropIndexed(module_.def(i.word(0)).type, 1);
            case Op::OpCompositeInsert:
                return dropIndexed(module_.def(i.word(1)).type, 2);
            case Op::OpLoad:
            case Op::OpStore:
            case Op::OpPhi:
            case Op::OpCopyObject:
            case Op::OpVariable:
            case Op::OpFunctionCall:
            case Op::OpReturnValue:
                return;
            default:
                break;
        }
        if (const size_t first = firstChainIndex(i.opcode); first != 0 && !i.operands.empty()) {
            const Instruction& pointer = module_.def(module_.def(i.word(0)).type);
            if (pointer.opcode == Op::OpTypePointer) dropIndexed(pointer.word(1), first);
            return;
        }
        found_.erase(i.type);
        for (const Operand& operand : i.operands) {
            if (!operand.isId) continue;
            found_.erase(operand.word);  // OpCooperativeMatrixLengthKHR
            found_.erase(module_.def(operand.word).type);
        }
    }

    const Module& module_;
    const TypeTable& types_;
    std::set<Id> found_;
    std::vector<const Instruction*> products_;
    std::vector<const Instruction*> loads_;
};

struct Components {
    uint32_t factorBits;  // of A and B, the narrower ones
    uint32_t sumBits;
    bool areFloats;
    bool areOpen;      // see open_sums.hpp
    bool areRepeated;  // there are fewer sums than lanes
};

bool hasByteDots(const DeviceTraits& device) {
    return device.dot4x8Signed || device.dot4x8Unsigned || device.dot4x8Mixed;
}

// Columns of A in a slice; 0: all. More where instructions take several of them at once, so that
// the sums of what is left over stay few. docs/fleet.md has what came of it.
uint32_t depthFor(const Target& target, const LayoutPolicy& policy, const Components& c) {
    const DeviceTraits& device = target.device;
    if (device.isCpu) return 0;
    // Each product would end with the sum of both halves of a pair.
    if (c.areFloats && c.sumBits == 16 && policy.halfPairsAlongK && !c.areOpen) return 0;
    if (hasFewRegisters(device)) {
        const bool isWide = target.subgroupSize > 64;
        if (!c.areFloats) return isWide ? 8 : 16;
        return isWide && (c.sumBits == 32 || c.areRepeated) ? 2 : 4;
    }
    if (device.scalarRegisters) {
        if (!c.areFloats) return 0;
        if (c.sumBits == 16) return 8;
        const bool dots = device.shaderMixedFloatDotProductFloat16AccFloat32;
        return dots && target.subgroupSize > 32 ? 8 : 4;
    }
    if (hasByteDots(device)) return 0;
    return c.factorBits == 4 ? 8 : 4;
}

}  // namespace

SlicedTypes chooseSlices(const Module& module, const TypeTable& types, const Target& target,
                         const LayoutPolicy& policy) {
    Survey survey(module, types);
    survey.run();
    const std::set<Id> open = openAccumulators(module, types, target, policy);
    SlicedTypes out;
    for (const Instruction* product : survey.products()) {
        const Id a = module.def(product->word(0)).type;
        const Id b = module.def(product->word(1)).type;
        const auto d = matrixDimensions(module, module.def(a));
        const auto right = matrixDimensions(module, module.def(b));
        if (!d || !d->isOfSubgroup() || !right || d->columns != right->rows) return {};
        if (!survey.found().contains(a) || !survey.found().contains(b)) return {};
        const Id sum = module.def(product->type).word(0);
        const uint32_t depth =
            depthFor(target, policy,
                     {std::min(survey.bitsOf(a), survey.bitsOf(b)), types.width(sum),
                      types.isFloat(sum), open.contains(product->type),
                      uint64_t{d->rows} * right->columns < target.subgroupSize});
        if (depth == 0 || d->columns <= depth || d->columns % depth != 0) return {};
        if (out.depth != 0 && (out.depth != depth || out.wholeDepth != d->columns)) return {};
        out.depth = depth;
        out.wholeDepth = d->columns;
        out.types.insert({a, b});
    }
    // Of 4-bit components, too, where each becomes a register.
    out.rolled = hasFewRegisters(target.device) ||
                 (module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                  !wantsByteDots(target.device));
    if (out.depth == 0 || !survey.loadsAllow(out.depth)) return {};
    return out;
}

}  // namespace coopvk::rewrite
