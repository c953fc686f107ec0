// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "coopvk/vector_matrix.hpp"
#include "ir/opcodes.hpp"
#include "lowering/memory_types.hpp"

namespace coopvk::rewrite {

namespace {

struct Extent {
    uint64_t size = 0;  // 0: not known
    uint32_t alignment = 1;
    uint32_t scalarAlignment = 1;
};

class Extents {
 public:
    explicit Extents(const TypeTable& types) : types_(types), module_(types.module()) {}

    Extent of(Id id) {
        const auto [entry, isNew] = known_.try_emplace(id);
        if (isNew) known_[id] = compute(id);
        return known_[id];
    }

 private:
    Extent compute(Id id) {
        const Instruction& type = module_.def(id);
        if (type.opcode == OpTypeStruct) return ofStructure(type);
        if (isArrayType(type.opcode)) return ofArray(type);
        if (type.opcode == OpTypePointer) return {8, 8, 8};
        if (type.opcode == OpTypeMatrix) return ofMatrix(type, of(type.word(0)).size, type.word(1));
        const uint32_t components = types_.components(id);
        const uint32_t bytes = types_.width(id) / 8;
        if (components == 0 || bytes == 0) return {};
        const uint32_t aligned = components == 1 ? 1 : components == 2 ? 2 : 4;
        return {uint64_t{bytes} * components, bytes * aligned, bytes};
    }

    Extent ofMatrix(const Instruction& type, uint64_t stride, uint32_t lines) {
        Extent extent = of(type.word(0));
        extent.size = stride * lines;
        return extent;
    }

    // A member that is a matrix says how its lines lie.
    Extent ofMember(const Instruction& structure, uint32_t m) {
        const Instruction& type = module_.def(structure.word(m));
        const auto stride =
            module_.memberDecoration(structure.result, m, spv::Decoration::MatrixStride);
        if (type.opcode != OpTypeMatrix || !stride) return of(type.result);
        const bool areRows =
            module_.memberDecoration(structure.result, m, spv::Decoration::RowMajor).has_value();
        return ofMatrix(type, *stride, areRows ? types_.components(type.word(0)) : type.word(1));
    }

    Extent ofArray(const Instruction& type) {
        Extent extent = of(type.word(0));
        const uint64_t stride =
            module_.decoration(type.result, spv::Decoration::ArrayStride).value_or(0);
        const bool hasEnd = type.opcode == OpTypeArray;
        const uint64_t count = hasEnd ? module_.constantValue(type.word(1)).value_or(0) : 1;
        extent.size = extent.size == 0 ? 0 : stride * count;
        return extent;
    }

    Extent ofStructure(const Instruction& type) {
        Extent whole;
        bool isScalar = false;
        for (uint32_t m = 0; m < type.operands.size(); ++m) {
            const auto offset = module_.memberDecoration(type.result, m, spv::Decoration::Offset);
            const Extent member = ofMember(type, m);
            if (!offset || member.size == 0) return {};
            isScalar = isScalar || *offset % member.alignment != 0;
            whole.size = std::max(whole.size, *offset + member.size);
            whole.alignment = std::max(whole.alignment, member.alignment);
            whole.scalarAlignment = std::max(whole.scalarAlignment, member.scalarAlignment);
        }
        if (isScalar) whole.alignment = whole.scalarAlignment;
        whole.size = roundUp(whole.size, whole.alignment);
        return whole;
    }

    const TypeTable& types_;
    const Module& module_;
    std::map<Id, Extent> known_;
};

}  // namespace

uint32_t sizeOfType(const TypeTable& types, Id type) {
    const uint64_t size = Extents(types).of(type).size;
    return size > ~0u ? 0 : static_cast<uint32_t>(size);
}

namespace {

void declareNumbersIn(TypeTable& types, const DeviceFeatures& device, Id id, std::set<Id>& seen) {
    const Instruction& type = types.module().def(id);
    if (!seen.insert(id).second) return;
    if (type.opcode == OpTypeStruct) {
        const Operands members = type.operands;
        for (const Operand& m : members) declareNumbersIn(types, device, m.word, seen);
    } else if (isArrayType(type.opcode)) {
        declareNumbersIn(types, device, type.word(0), seen);
    } else if (types.width(id) == 8 || types.width(id) == 16) {
        const bool has16 = types.isFloat(id) ? device.hasFloat16() : device.shaderInt16;
        const bool has = types.width(id) == 8 ? device.shaderInt8 : has16;
        if (has) types.declareArithmetic(types.scalarOf(id));
    }
}

}  // namespace

void declareNumbersIn(TypeTable& types, const DeviceFeatures& device, Id type) {
    std::set<Id> seen;
    declareNumbersIn(types, device, type, seen);
}

}  // namespace coopvk::rewrite
