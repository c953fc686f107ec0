// SPDX-License-Identifier: Apache-2.0
#include "symbolic_memory.hpp"

#include <algorithm>

namespace coopvk::check {

SymbolicMemory::SymbolicMemory(const Module& module, const Memory& memory,
                               reference::Symbols& symbols) {
    for (const Buffer& buffer : memory.buffers) {
        std::vector<reference::Deviation>& of = deviations_.emplace_back(buffer.bytes.size());
        reference::Deviation next = symbols.addBytes(buffer.bytes.data(), buffer.bytes.size());
        for (reference::Deviation& deviation : of) deviation = next++;
        if (buffer.use.isUniform || !buffer.use.isGiven())
            std::ranges::fill(of, reference::Deviation{0});
        visitNumbers(module, buffer, [&](uint64_t offset, const Format& format) {
            const bool mayBeAddress = format.kind == Format::Kind::kInteger && format.bits == 64 &&
                                      module.usesAddresses();
            if (format.kind != Format::Kind::kAddress && !mayBeAddress) return;
            std::fill_n(of.begin() + std::ptrdiff_t(offset), format.bytes(),
                        reference::Deviation{0});
        });
    }
}

std::vector<WrittenNumber> numbersOf(const Module& module, const Memory& memory, size_t buffer,
                                     const Execution& native) {
    const Buffer& of = memory.buffers[buffer];
    std::vector<WrittenNumber> numbers;
    std::vector<bool> taken(of.bytes.size());
    visitNumbers(module, memory.interface, of, native.accessed[buffer].writers,
                 [&](uint64_t offset, const Format& format) {
                     bool isFree = offset + format.bytes() <= taken.size();
                     for (uint64_t i = 0; isFree && i < format.bytes(); ++i)
                         isFree = !taken[offset + i];
                     if (!isFree) return;
                     std::fill_n(taken.begin() + std::ptrdiff_t(offset), format.bytes(), true);
                     numbers.push_back({offset, format.bytes(), format.number});
                 });
    for (uint64_t offset = 0; offset < taken.size(); ++offset)
        if (!taken[offset]) numbers.push_back({offset, 1});
    return numbers;
}

}  // namespace coopvk::check
