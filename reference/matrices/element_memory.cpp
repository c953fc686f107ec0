// SPDX-License-Identifier: Apache-2.0
#include "matrices/element_memory.hpp"

#include <array>

#include "matrices/vector_matrix.hpp"

namespace coopvk::reference::matrices {

Element ElementMemory::read(Subgroup& holder, uint32_t lane, uint64_t bitOffset) const {
    std::array<std::byte, 8> bytes{};
    const uint32_t size = (bits + 7) / 8;
    bool written = true;
    readMemory(holder, instruction, lane, pointer, bitOffset / 8, std::span(bytes).first(size),
               access, written);
    const uint64_t whole = readElement(std::span(bytes).first(size));
    return {whole >> bitOffset % 8 & widthMask(bits), written};
}

void ElementMemory::write(Subgroup& holder, uint32_t lane, uint64_t bitOffset,
                          const Element& element) const {
    if (!element.defined && holder.checks(kCheckUndefined)) {
        holder.report(kCheckUndefined, instruction, lane, "an undefined element is stored");
    }
    std::array<std::byte, 8> bytes{};
    const auto part = std::span(bytes).first((bits + 7) / 8);
    uint64_t whole = element.bits;
    if (bits < 8) {
        const Span place = locate(holder, instruction, lane, pointer, bitOffset / 8, 1);
        const uint64_t old = place.data != nullptr ? uint64_t(*place.data) : 0;
        const uint64_t mask = widthMask(bits) << bitOffset % 8;
        whole = (old & ~mask) | (whole << bitOffset % 8 & mask);
    }
    writeElement(whole, part);
    writeMemory(holder, instruction, lane, pointer, bitOffset / 8, part, access);
}

}  // namespace coopvk::reference::matrices
