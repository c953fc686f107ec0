// SPDX-License-Identifier: Apache-2.0
#include "interface.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::check {
namespace {

using spv::Op;

// An instruction that loads or stores numbers through a pointer to something else; columns are
// words. The format is that of the object's type (`isType`: the word is the type), or of the
// component type that a constant says.
struct AccessRow {
    Op opcode;
    uint32_t pointer;
    uint32_t object;
    bool isType;
    uint32_t interpretation;
};
constexpr AccessRow kAccesses[] = {
    {Op::OpCooperativeMatrixLoadKHR, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreKHR, 1, 2, false, 0},
    {Op::OpCooperativeMatrixLoadNV, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreNV, 1, 2, false, 0},
    {Op::OpCooperativeMatrixLoadTensorNV, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreTensorNV, 1, 2, false, 0},
    {Op::OpCooperativeVectorLoadNV, 3, 1, true, 0},
    {Op::OpCooperativeVectorStoreNV, 1, 3, false, 0},
    {Op::OpCooperativeVectorMatrixMulNV, 5, 0, false, 7},
    {Op::OpCooperativeVectorMatrixMulAddNV, 5, 0, false, 7},
    {Op::OpCooperativeVectorMatrixMulAddNV, 8, 0, false, 10},
    {Op::OpCooperativeVectorOuterProductAccumulateNV, 1, 0, false, 6},
    {Op::OpCooperativeVectorReduceSumAccumulateNV, 1, 3, false, 0},
};

// Of a load with a decode function, which takes what is in memory: that is no elements.
bool isDecoded(const Instruction& i) {
    using Mask = spv::MemoryAccessMask;
    if (i.opcode != Op::OpCooperativeMatrixLoadTensorNV) return false;
    constexpr auto kWithOperand = static_cast<uint32_t>(Mask::Aligned) |
                                  static_cast<uint32_t>(Mask::MakePointerAvailable) |
                                  static_cast<uint32_t>(Mask::MakePointerVisible);
    const uint32_t at = 7 + static_cast<uint32_t>(std::popcount(i[6] & kWithOperand));
    const auto kDecodes = static_cast<uint32_t>(spv::TensorAddressingOperandsMask::DecodeFunc);
    return (i[at] & kDecodes) != 0;
}

class BlockFinder {
 public:
    explicit BlockFinder(const Module& module) : module_(module) {}

    Interface find() {
        for (const Instruction& i : module_.instructions()) addVariable(i);
        for (const Instruction& i : module_.instructions()) addPointer(i);
        for (const Instruction& i : module_.instructions()) addAccess(i);
        return std::move(found_);
    }

 private:
    void addVariable(const Instruction& i) {
        const bool isUntyped = i.opcode == Op::OpUntypedVariableKHR;
        if (i.opcode != Op::OpVariable && !isUntyped) return;
        const uint32_t type = isUntyped ? i[4] : module_.definition(i[1])[3];
        const auto storage = static_cast<spv::StorageClass>(i[3]);
        if (storage == spv::StorageClass::PushConstant) found_.pushConstants = type;
        if (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Uniform)
            return;
        BufferUse use{.type = type};
        use.isUniform = storage == spv::StorageClass::Uniform;
        use.set = module_.decoration(i[2], spv::Decoration::DescriptorSet).value_or(0);
        use.binding = module_.decoration(i[2], spv::Decoration::Binding).value_or(0);
        const Instruction& array = module_.definition(type);
        if (array.opcode == Op::OpTypeArray || array.opcode == Op::OpTypeRuntimeArray) {
            use.type = array[2];
            use.count = kRuntimeDescriptors;
            if (array.opcode == Op::OpTypeArray)
                use.count = static_cast<uint32_t>(std::clamp<uint64_t>(
                    module_.constant(array[3]).value_or(1), 1, kMostDescriptors));
        }
        roots_[i[2]] = found_.buffers.size();
        found_.buffers.push_back(use);
    }

    // Each type to which addresses point has a buffer; of untyped pointers, types that accesses
    // name.
    void addPointer(const Instruction& i) {
        const bool isUntyped = i.opcode == Op::OpUntypedAccessChainKHR ||
                               i.opcode == Op::OpUntypedInBoundsAccessChainKHR;
        if (i.opcode != Op::OpTypePointer && !isUntyped) return;
        const Instruction& pointer = isUntyped ? module_.definition(i[1]) : i;
        if (static_cast<spv::StorageClass>(pointer[2]) ==
                spv::StorageClass::PhysicalStorageBuffer &&
            pointees_.emplace(i[3], found_.buffers.size()).second)
            found_.buffers.push_back({.type = i[3], .isDescriptor = false});
    }

    // The buffer into which a pointer points; nothing if it is not known.
    BufferUse* bufferOf(uint32_t pointer) {
        for (uint32_t steps = 0; steps < 64; ++steps) {
            if (const auto root = roots_.find(pointer); root != roots_.end())
                return &found_.buffers[root->second];
            const Instruction& i = module_.definition(pointer);
            switch (i.opcode) {
                case Op::OpAccessChain:
                case Op::OpInBoundsAccessChain:
                case Op::OpPtrAccessChain:
                case Op::OpCopyObject:
                    pointer = i[3];
                    break;
                case Op::OpUntypedAccessChainKHR:
                case Op::OpUntypedInBoundsAccessChainKHR:
                case Op::OpUntypedPtrAccessChainKHR:
                    pointer = i[4];
                    break;
                default: {
                    const Instruction& type = module_.definition(module_.typeOf(pointer));
                    const auto pointee = pointees_.find(type[3]);
                    const bool isAddress = static_cast<spv::StorageClass>(type[2]) ==
                                           spv::StorageClass::PhysicalStorageBuffer;
                    if (!isAddress || pointee == pointees_.end()) return nullptr;
                    return &found_.buffers[pointee->second];
                }
            }
        }
        return nullptr;
    }

    void addAccess(const Instruction& i) {
        for (const AccessRow& row : kAccesses) {
            if (row.opcode != i.opcode || isDecoded(i)) continue;
            BufferUse* buffer = bufferOf(i[row.pointer]);
            const auto format = formatOf(i, row);
            if (buffer == nullptr || !format) continue;
            if (std::ranges::find(buffer->formats, *format) == buffer->formats.end())
                buffer->formats.push_back(*format);
        }
    }

    std::optional<Format> formatOf(const Instruction& i, const AccessRow& row) const {
        if (row.interpretation != 0) {
            const auto component = module_.constant(i[row.interpretation]);
            const auto number = reference::numbers::byVulkanType(
                static_cast<uint32_t>(component.value_or(reference::numbers::kNoValue)));
            return number ? std::optional(check::formatOf(*number)) : std::nullopt;
        }
        const uint32_t type = row.isType ? i[row.object] : module_.typeOf(i[row.object]);
        return module_.format(module_.definition(type)[2]);
    }

    const Module& module_;
    Interface found_;
    std::map<uint32_t, size_t> roots_;     // buffers by their variables
    std::map<uint32_t, size_t> pointees_;  // buffers by the types to which addresses point
};

}  // namespace

Interface findInterface(const Module& module) { return BlockFinder(module).find(); }

}  // namespace coopvk::check
