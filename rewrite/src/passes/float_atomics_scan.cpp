// SPDX-License-Identifier: Apache-2.0
//
// Looks for float atomics in the words of a module.
#include <unordered_map>
#include <unordered_set>

#include "ir/instruction.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kLoad = firstWord(OpAtomicLoad, 6);
constexpr uint32_t kStore = firstWord(OpAtomicStore, 5);
constexpr uint32_t kExchange = firstWord(OpAtomicExchange, 7);
constexpr uint32_t kAdd = firstWord(OpAtomicFAddEXT, 7);

// Whether a word equals the first word of one of these atomics: each has one length only. Literals
// may equal it, too, but this is many times faster than a walk over instructions.
bool mayHaveAtomics(std::span<const uint32_t> words) {
    uint32_t found = 0;
    for (const uint32_t word : words) {  // no branch in this loop
        for (const uint32_t first : {kLoad, kStore, kExchange, kAdd}) {
            found |= word == first ? 1u : 0u;
        }
    }
    return found != 0;
}

// Notes the values that are 32-bit floats, and the storage classes of pointers.
class AtomicFinder {
 public:
    explicit AtomicFinder(uint32_t native) : native_(native) {}

    // Whether an instruction is an atomic of such a float that native features do not allow.
    bool visit(spv::Op opcode, std::span<const uint32_t> i) {
        switch (opcode) {
            case OpTypeFloat:
                if (i.size() == 3 && i[2] == 32) floatTypes_.insert(i[1]);
                return false;
            case OpTypePointer:
            case OpTypeUntypedPointerKHR:
                if (i.size() > 2) pointerTypes_.emplace(i[1], static_cast<Storage>(i[2]));
                return false;
            case OpAtomicStore:
                return i.size() > 4 && floats_.contains(i[4]) &&
                       isMissing(i[1], kBufferFloat32Atomics);
            case OpAtomicLoad:
            case OpAtomicExchange:
            case OpAtomicFAddEXT:
                if (i.size() < 4) return false;
                note(i[1], i[2]);
                return floatTypes_.contains(i[1]) &&
                       isMissing(i[3], opcode == OpAtomicFAddEXT ? kBufferFloat32AtomicAdd
                                                                 : kBufferFloat32Atomics);
            default:
                break;
        }
        bool hasResult = false, hasType = false;
        spv::HasResultAndType(opcode, &hasResult, &hasType);
        if (hasResult && hasType && i.size() > 2) note(i[1], i[2]);
        return false;
    }

 private:
    using Storage = spv::StorageClass;

    void note(uint32_t type, uint32_t result) {
        if (floatTypes_.contains(type)) floats_.insert(result);
        const auto pointer = pointerTypes_.find(type);
        if (pointer != pointerTypes_.end()) pointers_.emplace(result, pointer->second);
    }

    bool isMissing(uint32_t pointer, uint32_t feature) const {
        if ((native_ & feature) != 0) return false;
        const auto found = pointers_.find(pointer);
        if (found == pointers_.end()) return true;
        return found->second != Storage::Workgroup && found->second != Storage::Image;
    }

    const uint32_t native_;
    std::unordered_map<uint32_t, Storage> pointerTypes_, pointers_;
    std::unordered_set<uint32_t> floatTypes_, floats_;
};

}  // namespace

bool hasFloatAtomics(std::span<const uint32_t> words, uint32_t native) {
    const std::span<const uint32_t> instructions = instructionWords(words);
    if (!mayHaveAtomics(instructions)) return false;
    AtomicFinder finder(native);
    return anyInstruction(instructions, [&](spv::Op opcode, std::span<const uint32_t> i) {
        return finder.visit(opcode, i);
    });
}

}  // namespace coopvk::rewrite
