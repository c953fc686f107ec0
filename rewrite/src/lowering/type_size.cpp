// SPDX-License-Identifier: Apache-2.0
#include "lowering/type_size.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Universal limit of structures (SPIR-V specification, section 2.17).
constexpr uint32_t kMaxDepth = 255;

struct Extent {
    uint64_t size = 0;  // 0: not known
    uint32_t alignment = 1;
    uint32_t scalarAlignment = 1;
};

uint64_t roundUp(uint64_t size, uint32_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

class Sizes {
 public:
    explicit Sizes(const TypeTable& types) : types_(types), module_(types.module()) {}

    Extent of(Id id, uint32_t depth) const {
        const Instruction& type = module_.def(id);
        if (depth > kMaxDepth) return {};
        if (type.opcode == spv::Op::OpTypeStruct) return ofStructure(type, depth);
        if (type.opcode == spv::Op::OpTypeArray) return ofArray(type, depth);
        if (type.opcode == spv::Op::OpTypePointer) return {8, 8, 8};
        const uint32_t components = types_.components(id);
        const uint32_t bytes = types_.width(id) / 8;
        if (components == 0 || bytes == 0) return {};
        const uint32_t aligned = components == 1 ? 1 : components == 2 ? 2 : 4;
        return {uint64_t{bytes} * components, bytes * aligned, bytes};
    }

 private:
    Extent ofArray(const Instruction& type, uint32_t depth) const {
        Extent extent = of(type.word(0), depth + 1);
        const uint64_t stride =
            module_.decoration(type.result, spv::Decoration::ArrayStride).value_or(0);
        extent.size =
            extent.size == 0 ? 0 : stride * module_.constantValue(type.word(1)).value_or(0);
        return extent;
    }

    Extent ofStructure(const Instruction& type, uint32_t depth) const {
        Extent whole;
        bool isScalar = false;
        for (uint32_t m = 0; m < type.operands.size(); ++m) {
            const auto offset = module_.memberDecoration(type.result, m, spv::Decoration::Offset);
            const Extent member = of(type.word(m), depth + 1);
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
};

}  // namespace

uint32_t sizeOfType(const TypeTable& types, Id type) {
    const uint64_t size = Sizes(types).of(type, 0).size;
    return size > ~0u ? 0 : static_cast<uint32_t>(size);
}

Id stridedPointer(TypeTable& types, Id pointerType, uint32_t bytes) {
    Module& module = types.module();
    const auto stride = module.decoration(pointerType, spv::Decoration::ArrayStride);
    if (stride == bytes) return pointerType;
    Id type = pointerType;
    if (stride) {
        type = module.takeId();
        module.append(Section::kGlobals, makeInstruction(spv::Op::OpTypePointer, 0, type,
                                                         module.def(pointerType).operands));
    }
    module.decorate(type, spv::Decoration::ArrayStride, {bytes});
    return type;
}

}  // namespace coopvk::rewrite
