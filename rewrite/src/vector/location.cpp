// SPDX-License-Identifier: Apache-2.0
#include "vector/location.hpp"

#include <algorithm>

#include "ir/buffers.hpp"
#include "ir/byte_walk.hpp"
#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

using memory_access::bit;
using memory_access::kAligned;
using memory_access::kAvailable;
using memory_access::kVisible;
constexpr uint32_t kKept = bit(spv::MemoryAccessMask::Volatile) |
                           bit(spv::MemoryAccessMask::Nontemporal) |
                           bit(spv::MemoryAccessMask::NonPrivatePointer);

bool isDecorated(const Module& module, Id id, spv::Decoration decoration) {
    return module.decoration(id, decoration).has_value();
}

class Locator {
 public:
    Locator(VectorContext& context, Emitter& emit, const Instruction& at)
        : context_(context), module_(context.module), emit_(emit), at_(at) {}

    Location run(Id pointer, Id byteOffset) {
        const Instruction& type = module_.def(emit_.typeOf(pointer));
        const Instruction& array = module_.def(type.word(1));
        const bool isArray = isArrayType(array.opcode);
        const Id element = array.word(0);
        if (type.opcode != spv::Op::OpTypePointer || !isArray ||
            context_.types.width(element) < 8 || context_.types.components(element) == 0) {
            fail("the pointer must point to an array of numeric scalars or vectors");
            return {};
        }
        if (!context_.types.isInteger(emit_.typeOf(byteOffset)) ||
            context_.types.components(emit_.typeOf(byteOffset)) != 1) {
            fail("the offset is not an integer scalar");
            return {};
        }
        location_.storage = static_cast<spv::StorageClass>(type.word(0));
        location_.element = element;
        offset_ = emit_.toU32(byteOffset);
        collect(pointer);
        switch (location_.storage) {
            case spv::StorageClass::PhysicalStorageBuffer:
                return physical(pointer);
            case spv::StorageClass::StorageBuffer:
                if (module_.def(root_).opcode == spv::Op::OpVariable && !throughPointers_) {
                    return buffer();
                }
                break;
            case spv::StorageClass::Workgroup:
                break;
            default:
                fail("the pointer's storage class is not emulated");
                return {};
        }
        return elements(type.word(1));
    }

 private:
    void fail(std::string_view what) { context_.fail(ErrorCode::kUnsupported, at_, what); }

    void collect(Id pointer) {
        PointerPath path = pathTo(module_, pointer);
        location_.nonUniform = path.nonUniform;
        throughPointers_ = module_.def(path.root).opcode != spv::Op::OpVariable;
        root_ = path.root;
        indices_ = std::move(path.indices);
    }

    Location finish() {
        location_.arguments.push_back(offset_);
        location_.argumentTypes.push_back(context_.types.uint32());
        return std::move(location_);
    }

    void argument(Id value) {
        location_.arguments.push_back(value);
        location_.argumentTypes.push_back(emit_.typeOf(value));
    }

    Location physical(Id pointer) {
        location_.kind = Location::Kind::kPhysical;
        argument(pointer);
        return finish();
    }

    Location buffer() {
        location_.kind = Location::Kind::kBuffer;
        location_.variable = root_;
        ByteWalk walk(emit_, module_.def(emit_.typeOf(root_)).word(1));
        size_t next = 0;
        while (isArrayType(module_.def(walk.type()).opcode)) {
            if (location_.isArrayed || next >= indices_.size()) {
                fail("an array of arrays of descriptors is not emulated");
                return {};
            }
            location_.isArrayed = true;
            location_.nonUniform = location_.nonUniform || isDecorated(module_, indices_[next],
                                                                       spv::Decoration::NonUniform);
            argument(indices_[next++]);
            walk.enterDescriptor();
        }
        location_.readOnly = isDecorated(module_, root_, spv::Decoration::NonWritable) ||
                             module_.memberDecoration(
                                 walk.type(), next < indices_.size() ? constant(indices_[next]) : 0,
                                 spv::Decoration::NonWritable);
        for (; next < indices_.size(); ++next) {
            if (!walk.step(indices_[next])) {
                fail("a member on the way to the array has no explicit layout");
                return {};
            }
        }
        offset_ = emit_.addInt(context_.types.uint32(), offset_, walk.bytes());
        return finish();
    }

    uint32_t constant(Id id) const {
        return static_cast<uint32_t>(module_.constantValue(id).value_or(0));
    }

    // Through the array's own elements, which must follow each other without gaps.
    Location elements(Id array) {
        const uint32_t bytes = context_.types.width(location_.element) / 8 *
                               context_.types.components(location_.element);
        const auto stride = module_.decoration(array, spv::Decoration::ArrayStride);
        if (stride && *stride != bytes) {
            fail("the array has gaps between its elements, and its buffer is not known");
            return {};
        }
        const Instruction& root = module_.def(root_);
        const bool isGlobal = root.opcode == spv::Op::OpVariable &&
                              root.word(0) != static_cast<uint32_t>(spv::StorageClass::Function);
        // Functions take pointers to whole variables only, so the chain is followed anew in them.
        if (isGlobal) {
            location_.variable = root_;
        } else {
            argument(root_);
        }
        for (Id index : indices_) argument(index);
        return finish();
    }

    VectorContext& context_;
    Module& module_;
    Emitter& emit_;
    const Instruction& at_;
    Location location_;
    Id root_ = 0;
    bool throughPointers_ = false;
    std::vector<Id> indices_;  // from the root to the pointer, outermost first
    Id offset_ = 0;
};

}  // namespace

MemoryAccess::MemoryAccess(std::span<const Operand> operands) {
    const MemoryOperands set(operands);
    mask_ = set.mask();
    scope_ = set.scope();
}

Operands MemoryAccess::build(uint32_t bytes, bool aligned, bool isLoad) const {
    uint32_t mask = mask_ & kKept;
    if ((mask_ & (kAvailable | kVisible)) != 0) mask |= isLoad ? kVisible : kAvailable;
    if (aligned) mask |= kAligned;
    if (mask == 0) return {};
    Operands operands = {literal(mask)};
    if (aligned) operands.push_back(literal(bytes));
    if (scope_ != 0) operands.push_back(idOperand(scope_));
    return operands;
}

void MemoryAccess::appendKey(std::vector<uint32_t>& key) const {
    key.push_back(mask_ & ~kAligned);
    key.push_back(scope_);
}

void Location::appendKey(std::vector<uint32_t>& key) const {
    key.push_back(static_cast<uint32_t>(kind));
    key.push_back(static_cast<uint32_t>(storage));
    key.push_back(variable);
    key.push_back(kind == Kind::kElements ? element : 0);
    key.push_back((isArrayed ? 1u : 0u) | (nonUniform ? 2u : 0u));
    key.push_back(static_cast<uint32_t>(argumentTypes.size()));
    key.insert(key.end(), argumentTypes.begin(), argumentTypes.end());
    // Structure members are chosen by constants only.
    if (kind != Kind::kElements) return;
    for (size_t a = firstIndex(); a + 1 < arguments.size(); ++a) key.push_back(arguments[a]);
}

Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at) {
    return Locator(context, emit, at).run(pointer, byteOffset);
}

namespace {

// struct { element data[]; }, laid out without gaps.
Id blockType(VectorContext& context, Id element, bool readOnly) {
    const auto [entry, isNew] =
        context.variables.try_emplace({0xB10C, element, readOnly ? 1u : 0u}, 0);
    if (!isNew) return entry->second;
    constexpr spv::Decoration kReadOnly[] = {spv::Decoration::NonWritable};
    const Id block = bufferBlock(context.types, element, spv::Decoration::Block,
                                 std::span(kReadOnly).first(readOnly ? 1 : 0));
    context.module.addName(block, "coopvk_buffer");
    entry->second = block;
    return block;
}

}  // namespace

Id vectorBlockType(VectorContext& context, Id element) {
    return blockType(context, element, false);
}

Id aliasVariable(VectorContext& context, const Location& location, Id element) {
    const auto [entry, isNew] = context.aliases.try_emplace({location.variable, element}, 0);
    if (!isNew) return entry->second;
    Module& module = context.module;
    const Id original = module.def(module.def(location.variable).type).word(1);
    const Id type =
        likeDescriptors(module, original, blockType(context, element, location.readOnly));
    const Id variable = module.takeId();
    const Id pointer = context.types.pointerType(spv::StorageClass::StorageBuffer, type);
    module.append(Section::kGlobals, makeInstruction(spv::Op::OpVariable, pointer, variable,
                                                     {literal(spv::StorageClass::StorageBuffer)}));
    for (const auto decoration : {spv::Decoration::DescriptorSet, spv::Decoration::Binding}) {
        if (const auto value = module.decoration(location.variable, decoration)) {
            module.decorate(variable, decoration, {*value});
        }
    }
    for (const auto decoration : {spv::Decoration::Coherent, spv::Decoration::Volatile}) {
        if (isDecorated(module, location.variable, decoration)) {
            module.decorate(variable, decoration);
        }
    }
    module.decorate(variable, spv::Decoration::Aliased);
    declareAliased(module, location.variable);
    module.addName(variable, "coopvk_alias");
    entry->second = variable;
    return variable;
}

}  // namespace coopvk::rewrite
