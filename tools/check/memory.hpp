// SPDX-License-Identifier: Apache-2.0
//
// Memory for a module: a buffer for each descriptor and for each type to which addresses point.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/intervals.hpp"
#include "interface.hpp"
#include "numbers.hpp"

namespace coopvk::check {

// Descriptor set and binding.
using Slot = std::pair<uint32_t, uint32_t>;

struct GivenRange {
    uint32_t region = 0;
    uint64_t offset = 0, size = 0;
};

// Memory as a dispatch on a device had it. Ranges may share regions.
struct Given {
    std::vector<std::vector<std::byte>> regions;
    std::vector<std::vector<std::byte>> after;  // what the device made of them; or none
    std::map<std::array<uint32_t, 3>, GivenRange> descriptors;  // by set, binding, element
    std::map<uint64_t, GivenRange> addresses;
    std::array<uint32_t, 3> base = {0, 0, 0};  // of the dispatch
};

struct Memory;

struct MemoryChoice {
    uint64_t seed = 1;
    spv::ExecutionModel stage = spv::ExecutionModel::GLCompute;
    Values values = Values::kSmall;
    uint64_t bufferSize = 65536;  // bytes of a buffer whose type has no end
    bool growsBuffers = true;     // these, if the module accesses more
    // Integers in push constants and uniform buffers are strides and counts: 16, 32, 48 or 64, and
    // this. 8: matrices do not fill what they tell.
    uint64_t parameterRest = 0;
    // Descriptors of a heap whose indices are not known: all that parameters tell.
    uint32_t heapSize = 80;
    // What the caller knows: contents of push constants (from their first byte) and of descriptors.
    std::vector<std::byte> pushConstants;
    std::map<Slot, std::vector<std::byte>> buffers;
    std::shared_ptr<const Given> given;        // null: memory is made up
    std::shared_ptr<const Memory> whole = {};  // if there is one, it is the memory, as it is
};

struct Buffer {
    std::string name;  // "set 0, binding 1", "address 0x100000000"
    BufferUse use;
    uint32_t element = 0;  // of an array of descriptors
    uint64_t address = 0;
    std::vector<std::byte> bytes;
    std::optional<GivenRange> range = {};  // of given memory, whose bytes these are
};

struct Memory {
    Interface interface;
    std::vector<Buffer> buffers;
    std::vector<std::byte> pushConstants;
    std::shared_ptr<const Given> given;
};

// Executions have it, also where the buffer is a range of given memory.
void setByte(Memory& memory, size_t buffer, uint64_t offset, std::byte value);

// Nothing but memory can fail: throws std::bad_alloc.
Memory makeMemory(const Module& module, const MemoryChoice& choice);

// What of the given memory a module uses: a buffer for each descriptor, and for each place to which
// addresses lead, from push constants and from other buffers on.
std::vector<Buffer> givenBuffers(const Module& module, const Interface& interface,
                                 const Given& given, std::span<const std::byte> pushConstants);
// The same ranges of other regions.
std::vector<std::vector<std::byte>> contentsOf(const Memory& memory,
                                               const std::vector<std::vector<std::byte>>& regions);

// Of types that are larger only the beginning is there.
inline constexpr uint64_t kMostGuessedBytes = uint64_t{1} << 20;

// Whether a buffer has value after value of its type: addresses may point to any of them.
bool isRepeated(const Module& module, const BufferUse& use);

// Calls `visit` for each number of the buffer: in arrays of integers in the format in which
// matrices or vectors are accessed there, else as the type says.
using VisitNumber = std::function<void(uint64_t offset, const Format& format)>;
void visitNumbers(const Module& module, const Buffer& buffer, const VisitNumber& visit);
// The same, with numbers of one format at a time.
void visitRuns(const Module& module, const Buffer& buffer, const Module::Visit& visit);

struct BufferByte {
    size_t buffer = 0;
    uint64_t offset = 0;
};

// Positions of the instructions that accessed each byte of a buffer last; 0: none.
using Accesses = std::vector<uint32_t>;
struct Accessed {
    Accesses writers, readers;  // empty: not known
    std::vector<reference::Deviation> deviations = {};
};
// The same after an execution: what these instructions accessed in the formats in which they did.
void visitNumbers(const Module& module, const Interface& interface, const Buffer& buffer,
                  const Accesses& accesses, const VisitNumber& visit);
// Whether a buffer has numbers of several formats. Only an execution shows where.
bool hasSeveralFormats(const Memory& memory);
// Fills these buffers again, by the formats in which an execution accessed them.
void fillAgain(const Module& module, const MemoryChoice& choice, std::span<const Accessed> accessed,
               Memory& memory);

// A copy of memory that a program changes.
class MemoryCopy final : public reference::Resources {
 public:
    // What it keeps of each byte.
    enum class Keeps { kNothing, kAccesses, kDeviations, kBoth };
    explicit MemoryCopy(const Memory& from, Keeps keeps = Keeps::kNothing);
    MemoryCopy(const MemoryCopy&) = delete;
    MemoryCopy& operator=(const MemoryCopy&) = delete;

    const reference::Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override;
    const reference::Range* buffer(uint64_t address) override;
    const reference::Range* inHeap(uint64_t offset, reference::ResourceKind) override;
    const reference::Range* list(const reference::StageList& list) override;
    // Of a buffer of the memory.
    std::span<const std::byte> bytes(size_t buffer) const {
        return {ranges_[buffer].data, static_cast<size_t>(ranges_[buffer].size)};
    }
    std::span<reference::Deviation> deviations(size_t buffer) {
        return {ranges_[buffer].deviations, static_cast<size_t>(ranges_[buffer].size)};
    }
    // Of each buffer, at the end: bytes, and what is kept of them.
    std::vector<std::vector<std::byte>> takeContents();
    std::vector<Accessed> takeAccessed();

 private:
    std::vector<std::vector<std::byte>> owned_;    // of buffers that are made up
    std::vector<std::vector<std::byte>> regions_;  // given
    std::vector<Accessed> ownedAccesses_, regionAccesses_;
    std::vector<reference::Range> ranges_;     // by buffer
    std::vector<reference::Range> addresses_;  // of given memory
    std::map<std::array<uint32_t, 3>, const reference::Range*> descriptors_;
    std::map<uint64_t, const reference::Range*> heap_;  // by number
    std::map<reference::StageList, const reference::Range*> lists_;
};

}  // namespace coopvk::check
