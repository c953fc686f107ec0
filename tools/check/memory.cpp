// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <format>

namespace coopvk::check {
namespace {

constexpr uint64_t kAddressStep = uint64_t{1} << 32;
// Uniforms and push constants tell strides, offsets and counts: multiples of this.
constexpr uint64_t kUniformUnit = 16, kUniformUnits = 4;

// Numbers that are not in arrays are parameters of the program.
class Filler {
 public:
    Filler(const Module& module, const MemoryChoice& choice, const std::vector<Buffer>& buffers)
        : module_(module), choice_(choice), buffers_(buffers), random_(choice.seed) {}

    uint64_t number(const Format& format, bool isParameter) {
        if (mayBeAddress(format)) return address(format.pointee);
        if (isParameter && mayBeParameter(format))
            return kUniformUnit * (1 + random_.below(kUniformUnits)) + choice_.parameterRest;
        return randomNumber(format, choice_.values, random_);
    }

    void run(const Module::Run& run, bool isParameter, std::byte* to) {
        const bool isPlain =
            !mayBeAddress(run.format) && !(isParameter && mayBeParameter(run.format));
        if (isPlain && choice_.values == Values::kSmall)
            return writeSmallNumbers(to, run.count, run.stride, run.format, random_);
        for (uint64_t i = 0; i < run.count; ++i)
            writeBits(to + i * run.stride, run.format, number(run.format, isParameter));
    }

 private:
    bool mayBeAddress(const Format& format) const {
        const bool isWord =
            format.kind == Format::Kind::kInteger && format.bits == 64 && !format.isSigned;
        return format.kind == Format::Kind::kAddress || (isWord && module_.usesAddresses());
    }
    static bool mayBeParameter(const Format& format) {
        return format.kind == Format::Kind::kInteger && format.bits >= 32;
    }
    // Of a buffer of the type; of any if the type is not known.
    uint64_t address(uint32_t pointee) const {
        for (const Buffer& buffer : buffers_) {
            if (buffer.use.place == Place::kAddress && (pointee == 0 || buffer.use.type == pointee))
                return buffer.address;
        }
        return 0;
    }

    const Module& module_;
    const MemoryChoice& choice_;
    const std::vector<Buffer>& buffers_;
    Random random_;
};

uint64_t sizeOfBuffer(const Module& module, const BufferUse& use, const MemoryChoice& choice) {
    const uint64_t size = std::min(module.sizeOf(use.type), kMostGuessedBytes);
    if (use.place == Place::kList) return size * use.length * use.invocations;
    const bool hasEnd =
        use.place != Place::kAddress && !module.endsInRuntimeArray(use.type) && size > 0;
    return hasEnd ? size : size + choice.bufferSize;
}

std::string nameOf(const BufferUse& use, uint64_t address) {
    return use.place == Place::kList   ? reference::nameOf(use.list)
           : use.place == Place::kHeap ? std::format("heap {}", use.binding)
           : use.place == Place::kDescriptor
               ? std::format("set {}, binding {}", use.set, use.binding)
               : std::format("address {:#x}", address);
}

std::vector<Buffer> emptyBuffers(const Module& module, const Interface& interface,
                                 const MemoryChoice& choice) {
    std::vector<Buffer> buffers;
    for (const BufferUse& use : interface.buffers) {
        for (uint32_t element = 0; element < use.count; ++element) {
            Buffer buffer{.use = use, .element = element};
            buffer.address = kAddressStep * (buffers.size() + 1);
            buffer.name = nameOf(use, buffer.address);
            if (use.count > 1) buffer.name += std::format(", element {}", element);
            buffer.bytes.resize(sizeOfBuffer(module, use, choice));
            buffers.push_back(std::move(buffer));
        }
    }
    return buffers;
}

}  // namespace

namespace {

// Lists that addresses make go from each value to the next; the last one is zero.
void fill(const Module& module, Buffer& buffer, Filler& filler) {
    const uint64_t size = module.sizeOf(buffer.use.type);
    if (!buffer.use.isGiven()) return;
    const bool repeats = isRepeated(module, buffer.use);
    const uint64_t last = repeats ? (buffer.bytes.size() / size - 1) * size : 0;
    visitRuns(module, buffer, [&](const Module::Run& run) {
        std::byte* to = buffer.bytes.data() + run.offset;
        if (!repeats) return filler.run(run, buffer.use.isUniform, to);
        const bool isNext =
            run.format.kind == Format::Kind::kAddress && run.format.pointee == buffer.use.type;
        for (uint64_t i = 0; i < run.count; ++i, to += run.stride) {
            const uint64_t offset = run.offset + i * run.stride;
            if (offset >= last) return;
            writeBits(to, run.format,
                      isNext ? buffer.address + (offset / size + 1) * size
                             : filler.number(run.format, buffer.use.isUniform));
        }
    });
}

void addSpecials(const Module& module, Buffer& buffer, uint64_t seed) {
    Random random(seed + buffer.use.binding);
    visitNumbers(module, buffer, [&](uint64_t offset, const Format& format) {
        std::byte* at = buffer.bytes.data() + offset;
        const uint64_t bits = readBits(at, format);
        if (bits != 0) writeBits(at, format, orSpecial(format, bits, random));
    });
}

}  // namespace

bool hasSeveralFormats(const Memory& memory) {
    return memory.given == nullptr && std::ranges::any_of(memory.buffers, [](const Buffer& buffer) {
               return buffer.use.formats.size() > 1;
           });
}

void fillAgain(const Module& module, const MemoryChoice& choice, std::span<const Accessed> accessed,
               Memory& memory) {
    Filler filler(module, choice, memory.buffers);
    for (size_t b = 0; b < memory.buffers.size(); ++b) {
        Buffer& buffer = memory.buffers[b];
        if (buffer.use.formats.size() < 2 ||
            choice.buffers.contains({buffer.use.set, buffer.use.binding}))
            continue;
        Accesses accesses = accessed[b].readers;
        for (size_t i = 0; i < accesses.size(); ++i)
            if (accesses[i] == 0) accesses[i] = accessed[b].writers[i];
        visitNumbers(
            module, memory.interface, buffer, accesses, [&](uint64_t offset, const Format& format) {
                if (offset < accesses.size() && accesses[offset] != 0 &&
                    format.kind == Format::Kind::kFloat)
                    writeBits(buffer.bytes.data() + offset, format, filler.number(format, false));
            });
    }
}

Memory makeMemory(const Module& module, const MemoryChoice& choice) {
    if (choice.whole != nullptr) return *choice.whole;
    Memory memory;
    memory.given = choice.given;
    memory.interface = findInterface(module, choice.heapSize, choice.stage);
    if (memory.given != nullptr) {
        memory.pushConstants = choice.pushConstants;
        memory.buffers =
            givenBuffers(module, memory.interface, *memory.given, memory.pushConstants);
        return memory;
    }
    memory.buffers = emptyBuffers(module, memory.interface, choice);
    Filler filler(module, choice, memory.buffers);
    for (Buffer& buffer : memory.buffers) {
        const auto given = choice.buffers.find({buffer.use.set, buffer.use.binding});
        if (buffer.use.place == Place::kDescriptor && given != choice.buffers.end()) {
            buffer.bytes = given->second;
            if (choice.values == Values::kSpecial) addSpecials(module, buffer, choice.seed);
            continue;
        }
        fill(module, buffer, filler);
    }
    const uint32_t push = memory.interface.pushConstants;
    memory.pushConstants.resize(std::max<size_t>(std::min(module.sizeOf(push), kMostGuessedBytes),
                                                 choice.pushConstants.size()));
    module.visit(push, 0, memory.pushConstants.size(), [&](const Module::Run& run) {
        filler.run(run, true, memory.pushConstants.data() + run.offset);
    });
    std::ranges::copy(choice.pushConstants, memory.pushConstants.begin());
    return memory;
}

void setByte(Memory& memory, size_t buffer, uint64_t offset, std::byte value) {
    Buffer& of = memory.buffers[buffer];
    of.bytes[offset] = value;
    if (!of.range || memory.given == nullptr) return;
    auto given = std::make_shared<Given>(*memory.given);
    given->regions[of.range->region][of.range->offset + offset] = value;
    memory.given = std::move(given);
}

MemoryCopy::MemoryCopy(const Memory& from, Keeps keeps) {
    owned_.reserve(from.buffers.size());
    ranges_.reserve(from.buffers.size());
    ownedAccesses_.reserve(from.buffers.size());
    if (from.given != nullptr) regions_ = from.given->regions;
    const bool keepsAccesses = keeps == Keeps::kAccesses || keeps == Keeps::kBoth;
    const bool keepsDeviations = keeps == Keeps::kDeviations || keeps == Keeps::kBoth;
    const auto accessesOf = [&](size_t bytes) {
        Accessed accessed;
        if (keepsAccesses) accessed = {Accesses(bytes), Accesses(bytes)};
        if (keepsDeviations) accessed.deviations.resize(bytes);
        return accessed;
    };
    for (const auto& region : regions_) regionAccesses_.push_back(accessesOf(region.size()));
    const auto keep = [&](reference::Range& range, Accessed& accessed, uint64_t offset) {
        if (keepsDeviations) range.deviations = accessed.deviations.data() + offset;
        if (!keepsAccesses) return;
        range.writers = accessed.writers.data() + offset;
        range.readers = accessed.readers.data() + offset;
    };
    const auto given = [&](const GivenRange& of, uint64_t address) {
        reference::Range range{
            .data = regions_[of.region].data() + of.offset, .size = of.size, .address = address};
        keep(range, regionAccesses_[of.region], of.offset);
        return range;
    };
    for (const Buffer& buffer : from.buffers) {
        reference::Range range{.address = buffer.address};
        if (buffer.range) {
            range = given(*buffer.range, buffer.address);
        } else {
            std::vector<std::byte>& bytes = owned_.emplace_back(buffer.bytes);
            range.data = bytes.data();
            range.size = bytes.size();
            keep(range, ownedAccesses_.emplace_back(accessesOf(bytes.size())), 0);
        }
        ranges_.push_back(range);
        if (buffer.use.place == Place::kDescriptor)
            descriptors_[{buffer.use.set, buffer.use.binding, buffer.element}] = &ranges_.back();
        if (buffer.use.place == Place::kHeap) heap_[buffer.use.binding] = &ranges_.back();
        if (buffer.use.place == Place::kList) lists_[buffer.use.list] = &ranges_.back();
    }
    if (from.given == nullptr) return;
    for (const auto& [address, range] : from.given->addresses)
        addresses_.push_back(given(range, address));
}

std::vector<std::vector<std::byte>> MemoryCopy::takeContents() {
    if (owned_.size() == ranges_.size()) return std::move(owned_);
    std::vector<std::vector<std::byte>> contents;
    for (size_t buffer = 0; buffer < ranges_.size(); ++buffer) {
        const auto all = bytes(buffer);
        contents.emplace_back(all.begin(), all.end());
    }
    return contents;
}

std::vector<Accessed> MemoryCopy::takeAccessed() {
    if (ownedAccesses_.size() == ranges_.size()) return std::move(ownedAccesses_);
    std::vector<Accessed> accessed;
    for (const reference::Range& range : ranges_) {
        Accessed& of = accessed.emplace_back();
        if (range.writers != nullptr) of.writers.assign(range.writers, range.writers + range.size);
        if (range.readers != nullptr) of.readers.assign(range.readers, range.readers + range.size);
        if (range.deviations != nullptr)
            of.deviations.assign(range.deviations, range.deviations + range.size);
    }
    return accessed;
}

const reference::Range* MemoryCopy::inHeap(uint64_t offset, reference::ResourceKind) {
    const auto found = heap_.find(offset / reference::kDescriptorBytes);
    const bool has = found != heap_.end() && offset % reference::kDescriptorBytes == 0;
    return has ? found->second : nullptr;
}

const reference::Range* MemoryCopy::list(const reference::StageList& list) {
    const auto found = lists_.find(list);
    return found == lists_.end() ? nullptr : found->second;
}

const reference::Range* MemoryCopy::descriptor(uint32_t set, uint32_t binding, uint32_t element) {
    const auto found = descriptors_.find({set, binding, element});
    return found == descriptors_.end() ? nullptr : found->second;
}

const reference::Range* MemoryCopy::buffer(uint64_t address) {
    for (const auto& all : {std::span(addresses_), std::span(ranges_)})
        for (const reference::Range& range : all)
            if (address >= range.address && address - range.address < range.size) return &range;
    return nullptr;
}

}  // namespace coopvk::check
