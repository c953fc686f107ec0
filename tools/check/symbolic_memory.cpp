// SPDX-License-Identifier: Apache-2.0
#include "symbolic_memory.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "value_flow.hpp"

namespace coopvk::check {

SymbolicMemory::SymbolicMemory(const Module& module, const Memory& memory,
                               reference::Symbols& symbols) {
    for (const Buffer& buffer : memory.buffers) {
        std::vector<reference::Deviation>& of = deviations_.emplace_back(buffer.bytes.size());
        reference::Deviation next = symbols.addBytes(buffer.bytes.data(), buffer.bytes.size());
        for (reference::Deviation& deviation : of) deviation = next++;
        std::vector<bool>& words = mayBeAddress_.emplace_back(buffer.bytes.size());
        if (buffer.use.isUniform || !buffer.use.isGiven())
            std::ranges::fill(of, reference::Deviation{0});
        visitNumbers(module, buffer, [&](uint64_t offset, const Format& format) {
            const auto first = std::ptrdiff_t(offset);
            if (format.kind == Format::Kind::kAddress) {
                std::fill_n(of.begin() + first, format.bytes(), reference::Deviation{0});
                hasAddresses_ = true;
            } else if (format.kind == Format::Kind::kInteger && format.bits == 64)
                std::fill_n(words.begin() + first, format.bytes(), true);
        });
    }
}

namespace {

// The type of what an instruction stores to memory; 0: it stores nothing, or no one type says what.
uint32_t storedType(const Module& module, const Instruction& i) {
    using spv::Op;
    switch (i.opcode) {
        case Op::OpStore:
            return module.typeOf(i[2]);
        case Op::OpCopyMemory:
            return module.definition(module.typeOf(i[1]))[3];
        case Op::OpAtomicStore:
            return module.typeOf(i[4]);
        case Op::OpAtomicExchange:
        case Op::OpAtomicFAddEXT:
        case Op::OpAtomicFMinEXT:
        case Op::OpAtomicFMaxEXT:
            return i[1];
        default:
            return 0;
    }
}

// Whether integers are those of floats' bits, each in its place: no instruction has changed them.
bool hasFloatsBits(const Module& module, uint32_t value, int depth = 0) {
    using spv::Op;
    constexpr int kMostDepth = 16;
    const Instruction& i = module.definition(value);
    size_t last = i.words.size();
    switch (i.opcode) {
        case Op::OpBitcast: {
            if (depth == kMostDepth) return false;
            const Instruction& type = module.definition(module.typeOf(i[3]));
            const bool isVector = type.opcode == Op::OpTypeVector;
            const Instruction& scalar = isVector ? module.definition(type[2]) : type;
            return scalar.opcode == Op::OpTypeFloat || hasFloatsBits(module, i[3], depth + 1);
        }
        case Op::OpExtInst:
            return i[4] == GLSLstd450PackHalf2x16;
        case Op::OpCompositeExtract:
            last = 4;
            break;
        case Op::OpVectorShuffle:
            last = 5;
            break;
        case Op::OpCompositeConstruct:
            break;
        default:
            return false;
    }
    for (size_t word = 3; word < last; ++word)
        if (depth == kMostDepth || !hasFloatsBits(module, i[word], depth + 1)) return false;
    return true;
}

std::optional<reference::numbers::Number> numberOfAll(const std::vector<Format>& formats) {
    const auto isOther = [&](const Format& format) { return format.number != formats[0].number; };
    if (formats.empty() || std::ranges::any_of(formats, isOther)) return std::nullopt;
    return formats[0].number;
}

// Of all numbers of the type; nothing: they are of several formats, or integers.
std::optional<reference::numbers::Number> numberOfAll(const Module& module, uint32_t type) {
    std::optional<reference::numbers::Number> all;
    bool isOne = true;
    module.visit(type, 0, module.sizeOf(type), [&](const Module::Run& run) {
        const auto& number = run.format.number;
        isOne &= number && (!all || all == number);
        all = number;
    });
    return isOne ? all : std::nullopt;
}

}  // namespace

StoredFloats::StoredFloats(const Module& module, const Interface& interface) {
    const ValueFlow flow(module);
    for (const auto& [position, format] : interface.accessed)
        if (format.number) formats_.emplace(position, *format.number);
    for (const Instruction& i : module.instructions()) {
        const uint32_t type = storedType(module, i);
        if (type == 0) continue;
        auto number = numberOfAll(module, type);
        if (!number && i.opcode == spv::Op::OpStore && hasFloatsBits(module, i[2]))
            number = numberOfAll(flow.sourcesOf(i[2]).floats);
        formats_.erase(module.position(i));
        if (number) formats_.emplace(module.position(i), *number);
    }
}

std::optional<reference::numbers::Number> StoredFloats::at(const Accesses& writers, uint64_t offset,
                                                           uint32_t size) const {
    std::optional<reference::numbers::Number> all;
    uint32_t last = 0;
    for (uint64_t i = offset; i < offset + size; ++i) {
        if (i >= writers.size()) return std::nullopt;
        if (writers[i] == last && last != 0) continue;
        last = writers[i];
        const auto found = formats_.find(last);
        if (found == formats_.end() || (all && all != found->second)) return std::nullopt;
        all = found->second;
    }
    return all;
}

std::vector<WrittenNumber> numbersOf(const Module& module, const Memory& memory, size_t buffer,
                                     const Execution& native, const StoredFloats& stored) {
    const Buffer& of = memory.buffers[buffer];
    const Accesses& writers = native.accessed[buffer].writers;
    // Only one type says what lists of stages have.
    const auto isFloat = [&](uint64_t offset, const Format& format) {
        return of.use.place == Place::kList ||
               stored.at(writers, offset, format.bytes()) == format.number;
    };
    std::vector<WrittenNumber> numbers;
    std::vector<bool> taken(of.bytes.size());
    visitNumbers(module, memory.interface, of, writers, [&](uint64_t offset, const Format& format) {
        bool isFree = offset + format.bytes() <= taken.size();
        for (uint64_t i = 0; isFree && i < format.bytes(); ++i) isFree = !taken[offset + i];
        if (!isFree) return;
        std::fill_n(taken.begin() + std::ptrdiff_t(offset), format.bytes(), true);
        numbers.push_back({offset, format.bytes(), {}});
        if (format.number && isFloat(offset, format)) numbers.back().format = format.number;
    });
    for (uint64_t offset = 0; offset < taken.size(); ++offset)
        if (!taken[offset]) numbers.push_back({offset, 1});
    return numbers;
}

bool isAccessed(const Accessed& buffer) {
    const auto isAny = [](const Accesses& all) {
        return std::ranges::any_of(all, [](uint32_t position) { return position != 0; });
    };
    return isAny(buffer.writers) || isAny(buffer.readers);
}

bool isInStoredWord(const Accessed& buffer, size_t offset) {
    constexpr size_t kLargest = 8;
    const std::span<const uint32_t> from =
        std::span(buffer.writers).subspan(offset & ~(kLargest - 1));
    return std::ranges::any_of(from.first(std::min(kLargest, from.size())),
                               [](uint32_t position) { return position != 0; });
}

}  // namespace coopvk::check
