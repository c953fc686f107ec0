// SPDX-License-Identifier: Apache-2.0
//
// Chooses which vectors of 4-bit integers are replaced by vectors of bytes: those whose alignment
// in memory does not suffice for one wide integer, and those whose components are stored one by
// one.
#include <algorithm>
#include <bit>
#include <set>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/place.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMostAlignment = 16;  // larger alignments make no difference

// The alignment of an address `bytes` bytes after an aligned one.
uint32_t alignmentAt(uint32_t alignment, uint64_t bytes) {
    if (bytes == 0) return alignment;
    return static_cast<uint32_t>(std::min<uint64_t>(alignment, powerOfTwoIn(bytes)));
}

class Int4Layouts {
 public:
    explicit Int4Layouts(Int4Context& context) : context_(context), module_(context.module) {}

    std::set<uint32_t> run() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) scanGlobal(*i);
        module_.visitBlocks([&](const Instruction& i) { scan(i); });
        return std::move(byteWise_);
    }

 private:
    // Notes the vectors in a type that lies in memory with an alignment.
    void place(const Instruction& at, Id type, uint32_t alignment) {
        if (!visited_.insert({type, alignment}).second) return;
        if (const Int4Type* int4 = context_.type(type)) {
            const uint32_t bytes = int4->components / 2;
            if (bytes <= 1 || alignment >= bytes) return;
            if (!context_.target.device.scalarBlockLayout) {
                context_.unsupported(
                    at, std::format("vectors of {} 4-bit integers that do not lie at a "
                                    "multiple of {} bytes need scalarBlockLayout",
                                    int4->components, bytes));
            }
            if (alignment < std::min(bytes, 4u)) byteWise_.insert(int4->components);
            return;
        }
        const Instruction& def = module_.def(type);
        if (def.opcode == OpTypeStruct) {
            for (uint32_t m = 0; m < def.operands.size(); ++m) {
                const auto offset = module_.memberDecoration(type, m, spv::Decoration::Offset);
                place(at, def.word(m), alignmentAt(alignment, offset.value_or(0)));
            }
        } else if (isArrayType(def.opcode)) {
            const auto stride = module_.decoration(type, spv::Decoration::ArrayStride);
            place(at, def.word(0), alignmentAt(alignment, stride.value_or(0)));
        }
    }

    void scanGlobal(const Instruction& i) {
        const bool pointer = i.opcode == OpTypePointer;
        if ((!isVariable(i.opcode) && !pointer) || isPrivate(storageOf(i))) return;
        if (!pointer) return place(i, contentsOf(module_, i.result), kMostAlignment);
        const auto stride = module_.decoration(i.result, spv::Decoration::ArrayStride);
        place(i, i.word(1), alignmentAt(kMostAlignment, stride.value_or(0)));
    }

    void scan(const Instruction& i) {
        // An Element operand may lead to any byte.
        if (namesChainType(i.opcode) && !isPrivate(module_.storage(chainBase(i)))) {
            place(i, i.word(0), isUntypedPtrChain(i.opcode) ? 1 : kMostAlignment);
        }
        switch (i.opcode) {
            case OpLoad:
                return scanAccess(i, i.word(0), i.type, MemoryOperands(operandsBehind(i, 1)));
            case OpStore:
                storeComponent(i.word(0));
                return scanAccess(i, i.word(0), module_.def(i.word(1)).type,
                                  MemoryOperands(operandsBehind(i, 2)));
            case OpCopyMemory: {
                storeComponent(i.word(0));
                const CopyOperands memory = copyOperands(i);
                scanAccess(i, i.word(0), pointee(i.word(0), i.word(1)), memory.target);
                return scanAccess(i, i.word(1), pointee(i.word(1), i.word(0)), memory.source);
            }
            default:
                return;
        }
    }

    // The type that `pointer` points to. If it is untyped, the type that `other` points to: a copy
    // has two pointers.
    Id pointee(Id pointer, Id other) const {
        const Id type = module_.pointee(pointer);
        return type != 0 ? type : module_.pointee(other);
    }

    // The type of the vector to a component of which a pointer points.
    std::optional<Id> vectorBehind(Id pointer) const {
        const Instruction& chain = behindCopies(module_, pointer);
        const auto isVector = [&](Id type) { return context_.vector(type) != nullptr; };
        if (firstChainIndex(chain.opcode) == 0 || isPrivate(module_.storage(pointer))) return {};
        const auto index = indexInto(module_, chain, isVector);
        return index ? std::optional(index->type) : std::nullopt;
    }

    // The store of a component may change no other byte, since other invocations may store to it at
    // the same time.
    void storeComponent(Id pointer) {
        const std::optional<Id> vector = vectorBehind(pointer);
        if (!vector) return;
        const uint32_t components = context_.type(*vector)->components;
        const bool bytes =
            missingForAccess(context_.target.device, module_.storage(pointer), 8).empty();
        if (components == 4 || (components == 8 && bytes)) byteWise_.insert(components);
    }

    void scanAccess(const Instruction& i, Id pointer, Id type, const MemoryOperands& memory) {
        if (vectorBehind(pointer) || isPrivate(module_.storage(pointer))) return;
        if (memory.alignment() != 0) {
            place(i, type, alignmentAt(kMostAlignment, memory.alignment()));
        } else if (module_.def(module_.def(pointer).type).opcode == OpTypeUntypedPointerKHR) {
            place(i, type, alignmentOf(pointer));
        }
    }

    // The alignment of an untyped pointer that follows from its access chains.
    uint32_t alignmentOf(Id pointer) const {
        const PointerPath path = pathTo(module_, pointer);
        if (!isVariable(module_.def(path.root).opcode)) return 1;
        uint32_t alignment = kMostAlignment;
        for (const ChainStep& step : path.steps) alignment = alignmentBehind(step, alignment);
        return alignment;
    }

    uint32_t alignmentBehind(const ChainStep& step, uint32_t alignment) const {
        Id type = step.type;
        for (const Operand& operand : step.indices) {
            const std::optional<uint64_t> index = module_.constantValue(operand.word);
            const Instruction& def = module_.def(type);
            uint64_t bytes = 0;
            if (def.opcode == OpTypeStruct) {
                const auto member = static_cast<uint32_t>(index.value_or(0));
                bytes = module_.memberDecoration(type, member, spv::Decoration::Offset).value_or(0);
            } else {
                const bool array = isArrayType(def.opcode);
                const uint64_t stride =
                    array ? module_.decoration(type, spv::Decoration::ArrayStride).value_or(0)
                          : context_.types.width(type) / 8;
                bytes = stride * index.value_or(1);
            }
            alignment = alignmentAt(alignment, bytes);
            type = memberType(module_, type, index);
        }
        return alignment;
    }

    Int4Context& context_;
    Module& module_;
    std::set<std::pair<Id, uint32_t>> visited_;
    std::set<uint32_t> byteWise_;  // component counts of the vectors to replace by bytes
};

Id replacementOf(TypeTable& types, const Int4Type& type) {
    if (type.components == 1) return types.intType(8, type.isSigned);
    if (type.components == 16) return types.vectorType(types.uint32(), 2);
    if (type.isByteWise()) return types.vectorType(types.intType(8, false), type.bytes);
    return types.intType(4 * std::bit_ceil(type.components), false);
}

bool workgroupHasLayout(const Module& module) {
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return isVariable(i->opcode) && storageOf(*i) == spv::StorageClass::Workgroup &&
               module.decoration(contentsOf(module, i->result), spv::Decoration::Block);
    });
}

// An array of two u8x4.
Id laidOutVector16(TypeTable& types) {
    Module& module = types.module();
    const Id array = module.takeId(), part = types.vectorType(types.intType(8, false), 4);
    const Id two = types.constantU32(2);
    module.append(Section::kGlobals,
                  makeInstruction(OpTypeArray, 0, array, {idOperand(part), idOperand(two)}));
    module.decorate(array, spv::Decoration::ArrayStride, {4});
    return array;
}

}  // namespace

void chooseInt4Replacements(Int4Context& context) {
    const std::set<uint32_t> byteWise = Int4Layouts(context).run();
    context.workgroupHasLayout = workgroupHasLayout(context.module);
    const Id laidOut = byteWise.contains(16) ? laidOutVector16(context.types) : 0;
    for (auto& [id, type] : context.int4) {
        const bool inBytes = byteWise.contains(type.components);
        if (type.components == 16) {
            type.laidOut = laidOut;
        } else if (inBytes) {
            type.bytes = type.components / 2;
        }
        type.replacement = replacementOf(context.types, type);
    }
}

}  // namespace coopvk::rewrite
