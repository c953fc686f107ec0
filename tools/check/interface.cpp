// SPDX-License-Identifier: Apache-2.0
#include "interface.hpp"

#include <algorithm>
#include <bit>

#include "value_flow.hpp"

namespace coopvk::check {
namespace {

using spv::Op;

constexpr uint64_t kMostInHeap = 65536;

// An instruction that loads or stores numbers through a pointer to something else; columns are
// words. The format is that of the object's type (`isType`: the word is the type), or of the
// component type that a constant says.
struct AccessRow {
    Op opcode;
    uint32_t pointer;
    uint32_t object;
    bool isType;
    uint32_t interpretation;
    bool isOfVectors = false;
};
constexpr AccessRow kAccesses[] = {
    {Op::OpCooperativeMatrixLoadKHR, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreKHR, 1, 2, false, 0},
    {Op::OpCooperativeMatrixLoadNV, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreNV, 1, 2, false, 0},
    {Op::OpCooperativeMatrixLoadTensorNV, 3, 1, true, 0},
    {Op::OpCooperativeMatrixStoreTensorNV, 1, 2, false, 0},
    {Op::OpCooperativeVectorLoadNV, 3, 1, true, 0, true},
    {Op::OpCooperativeVectorStoreNV, 1, 3, false, 0, true},
    {Op::OpCooperativeVectorMatrixMulNV, 5, 0, false, 7, true},
    {Op::OpCooperativeVectorMatrixMulAddNV, 5, 0, false, 7, true},
    {Op::OpCooperativeVectorMatrixMulAddNV, 8, 0, false, 10, true},
    {Op::OpCooperativeVectorOuterProductAccumulateNV, 1, 0, false, 6, true},
    {Op::OpCooperativeVectorReduceSumAccumulateNV, 1, 3, false, 0, true},
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
    BlockFinder(const Module& module, uint32_t heap)
        : module_(module), flow_(module), heap_(heap) {}

    Interface find() {
        const auto forAll = [&](void (BlockFinder::*add)(const Instruction&)) {
            for (const Instruction& i : module_.instructions()) (this->*add)(i);
        };
        forAll(&BlockFinder::addVariable);
        forAll(&BlockFinder::addPointer);
        forAll(&BlockFinder::addHeapIndex);
        addHeap();
        forAll(&BlockFinder::addAccess);
        forAll(&BlockFinder::addCast);
        forAll(&BlockFinder::addStore);
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
        use.isUniform = storage == spv::StorageClass::Uniform &&
                        !module_.decoration(use.type, spv::Decoration::BufferBlock);
        roots_[i[2]] = {found_.buffers.size()};
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
            found_.buffers.push_back({.type = i[3], .place = Place::kAddress});
    }

    // Which descriptors of the heap a pointer comes from, and the type of what is in them.
    void addHeapIndex(const Instruction& i) {
        if (i.opcode != Op::OpBufferPointerEXT) return;
        const Instruction& chain = module_.definition(i[3]);
        const auto index = module_.constant(chain[5]);
        const Instruction& pointer = module_.definition(i[1]);
        const bool isUniform =
            static_cast<spv::StorageClass>(pointer[2]) == spv::StorageClass::Uniform;
        heapPointers_.push_back({i[2], pointer[3], isUniform, {}});
        if (index && *index < kMostInHeap)
            heapPointers_.back().index = static_cast<uint32_t>(*index);
    }

    // A descriptor whose number no constant says has the type of any pointer.
    void addHeap() {
        std::map<uint32_t, size_t> buffers;  // by number
        const auto add = [&](uint32_t number, const HeapPointer& as) {
            if (!buffers.emplace(number, found_.buffers.size()).second) return;
            found_.buffers.push_back({.type = as.type,
                                      .place = Place::kHeap,
                                      .isUniform = as.isUniform,
                                      .binding = number});
        };
        for (const HeapPointer& pointer : heapPointers_)
            if (pointer.index) add(*pointer.index, pointer);
        for (const HeapPointer& pointer : heapPointers_)
            for (uint32_t number = 0; !pointer.index && number < heap_; ++number)
                add(number, pointer);
        for (const HeapPointer& pointer : heapPointers_)
            for (const auto& [number, buffer] : buffers)
                if (!pointer.index || *pointer.index == number)
                    roots_[pointer.id].push_back(buffer);
    }

    // The buffers into which a pointer may point, as far as it is known.
    std::vector<size_t> buffersOf(uint32_t pointer) const {
        std::vector<size_t> buffers;
        for (const uint32_t root : flow_.rootsOf(pointer)) {
            if (const auto known = roots_.find(root); known != roots_.end()) {
                buffers.insert(buffers.end(), known->second.begin(), known->second.end());
                continue;
            }
            const Instruction& type = module_.definition(module_.typeOf(root));
            const auto pointee = pointees_.find(type[3]);
            if (static_cast<spv::StorageClass>(type[2]) ==
                    spv::StorageClass::PhysicalStorageBuffer &&
                pointee != pointees_.end())
                buffers.push_back(pointee->second);
        }
        return buffers;
    }

    static void addFormat(std::vector<Format>& formats, const Format& format) {
        if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
    }

    // Formats of the variables in shared memory to which a pointer may point.
    template <typename Use>
    void forShared(uint32_t pointer, const Use& use) {
        for (const uint32_t root : flow_.rootsOf(pointer)) {
            const Instruction& type = module_.definition(module_.typeOf(root));
            if (static_cast<spv::StorageClass>(type[2]) == spv::StorageClass::Workgroup)
                use(shared_[root]);
        }
    }

    void addAccess(const Instruction& i) {
        found_.addsFloats |= i.opcode == Op::OpAtomicFAddEXT ||
                             i.opcode == Op::OpCooperativeVectorReduceSumAccumulateNV ||
                             i.opcode == Op::OpCooperativeVectorOuterProductAccumulateNV;
        for (const AccessRow& row : kAccesses) {
            if (row.opcode != i.opcode || isDecoded(i)) continue;
            const auto format = formatOf(i, row);
            if (!format) continue;
            found_.needsAlignedRows |= row.isOfVectors || format->bits < 16;
            found_.accessed.emplace(module_.position(i), *format);  // of a bias: the matrix's
            for (const size_t buffer : buffersOf(i[row.pointer]))
                addFormat(found_.buffers[buffer].formats, *format);
            forShared(i[row.pointer], [&](auto& formats) { addFormat(formats, *format); });
        }
    }

    // What was loaded becomes a float.
    void addCast(const Instruction& i) {
        const auto format = flow_.floatFrom(i);
        if (!format) return;
        const uint32_t operand = i.opcode == Op::OpExtInst ? i[5] : i[3];
        for (const uint32_t load : flow_.sourcesOf(operand).loads) {
            const uint32_t pointer = module_.definition(load)[3];
            for (const size_t buffer : buffersOf(pointer))
                addFormat(found_.buffers[buffer].formats, *format);
            forShared(pointer, [&](auto& formats) { addFormat(formats, *format); });
        }
    }

    // Buffers of which a store to shared memory makes matrices, and those to which what matrices
    // left there goes; stores of packed floats.
    void addStore(const Instruction& i) {
        if (i.opcode != Op::OpStore) return;
        const std::vector<size_t> targets = buffersOf(i[1]);
        std::vector<Format> needed;
        forShared(i[1], [&](const auto& formats) { needed = formats; });
        if (targets.empty() && needed.empty()) return;
        const Sources sources = flow_.sourcesOf(i[2]);
        std::vector<Format> written = sources.floats;
        for (const uint32_t load : sources.loads) {
            const uint32_t pointer = module_.definition(load)[3];
            for (const size_t buffer : buffersOf(pointer))
                for (const Format& format : needed)
                    addFormat(found_.buffers[buffer].formats, format);
            forShared(pointer, [&](const auto& formats) {
                for (const Format& format : formats) addFormat(written, format);
            });
        }
        for (const size_t buffer : targets)
            for (const Format& format : written) addFormat(found_.buffers[buffer].formats, format);
        if (written.size() == 1) found_.accessed.emplace(module_.position(i), written.front());
    }

    std::optional<Format> formatOf(const Instruction& i, const AccessRow& row) const {
        if (row.interpretation != 0) {
            const auto component = module_.constant(i[row.interpretation]);
            const auto number = reference::numbers::byVulkanType(
                static_cast<uint32_t>(component.value_or(reference::numbers::kNoValue)));
            return number ? std::optional(check::formatOf(*number)) : std::nullopt;
        }
        const uint32_t type = row.isType ? i[row.object] : module_.typeOf(i[row.object]);
        return flow_.componentFormat(type);
    }

    struct HeapPointer {
        uint32_t id = 0, type = 0;
        bool isUniform = false;
        std::optional<uint32_t> index;
    };

    const Module& module_;
    const ValueFlow flow_;
    const uint32_t heap_;
    Interface found_;
    std::map<uint32_t, std::vector<size_t>> roots_;  // buffers by variables and pointers to them
    std::map<uint32_t, size_t> pointees_;  // buffers by the types to which addresses point
    std::map<uint32_t, std::vector<Format>> shared_;  // of variables in shared memory
    std::vector<HeapPointer> heapPointers_;
};

}  // namespace

Interface findInterface(const Module& module, uint32_t heap, spv::ExecutionModel stage) {
    Interface found = BlockFinder(module, heap).find();
    for (const BufferUse& list : findLists(module, stage)) found.buffers.push_back(list);
    return found;
}

}  // namespace coopvk::check
