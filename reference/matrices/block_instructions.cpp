// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_2d_block_io
#include <array>

#include "execution/opcode_table.hpp"
#include "matrices/block.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/vector_matrix.hpp"

namespace coopvk::reference::matrices {
namespace {

// The region in memory, from its operands: width, height, pitch, coordinate.
struct Region {
    Pointer pointer;
    uint64_t width = 0, height = 0, pitch = 0;  // bytes, rows, bytes
    int64_t column = 0, row = 0;
};

int64_t uniformComponent(Subgroup& s, const Instruction& i, uint32_t operand, uint32_t component) {
    const Value value = s.operand(i, operand);
    return signExtend(value.at(component, s.mask.first()), value.type->element->width);
}

Region regionOf(Subgroup& s, const Instruction& i, uint32_t pointer, uint32_t first) {
    return {uniformPointer(s, i, pointer),
            uint64_t(uniformInteger(s, i, first)),
            uint64_t(uniformInteger(s, i, first + 1)),
            uint64_t(uniformInteger(s, i, first + 2)),
            uniformComponent(s, i, first + 3, 0),
            uniformComponent(s, i, first + 3, 1)};
}

Block blockOf(Subgroup& s, const Instruction& i, BlockKind kind) {
    const auto size = [&](uint32_t operand) { return uint32_t(uniformInteger(s, i, operand)); };
    return {kind, size(0), size(1), size(2), size(3)};
}

bool possible(const Block& block) {
    const bool known = block.elementSize == 1 || block.elementSize == 2 || block.elementSize == 4 ||
                       block.elementSize == 8;
    constexpr uint32_t kMost = 1u << 12;  // more would be no block of registers
    const auto fits = [](uint32_t size) { return size > 0 && size <= kMost; };
    return known && fits(block.width) && fits(block.height) && fits(block.count) &&
           (block.kind != BlockKind::transform || block.elementSize <= 4);
}

// Bytes of a Function variable from a pointer on, whose scalars may be wider or narrower than the
// values of a block.
class PrivateBytes {
 public:
    PrivateBytes(Subgroup& s, const Instruction& i, uint32_t operand)
        : s_(s), i_(i), pointer_(s.operand(i, operand)) {
        const Pointee& pointee = s.program->slots[i[operand].slot].pointee;
        const Type* type = pointee.type != nullptr ? pointee.type : pointer_.type->element;
        scalar_ = type != nullptr ? std::max(scalarOf(*type).width / 8, 1u) : 1;
    }

    // Null: outside of the variables (reported).
    uint64_t* component(uint32_t lane, uint64_t byte, LaneMask*& defined) {
        const uint64_t index = pointerAt(pointer_, lane).offset + byte / scalar_;
        if (index >= s_.program->privateComponents) {
            s_.report(kCheckBounds, i_, lane, "a block is larger than the variable");
            return nullptr;
        }
        defined = &s_.privateDefined[index];
        return &s_.privateData[index * s_.lanes + lane];
    }
    void write(uint32_t lane, uint64_t byte, uint8_t value) {
        LaneMask* defined = nullptr;
        uint64_t* bits = component(lane, byte, defined);
        if (bits == nullptr) return;
        const uint32_t shift = uint32_t(byte % scalar_) * 8;
        *bits = (*bits & ~(uint64_t(0xFF) << shift)) | uint64_t(value) << shift;
        defined->set(lane);
    }
    Element read(uint32_t lane, uint64_t byte) {
        LaneMask* defined = nullptr;
        const uint64_t* bits = component(lane, byte, defined);
        if (bits == nullptr) return {0, false};
        return {*bits >> byte % scalar_ * 8 & 0xFF, defined->test(lane)};
    }

 private:
    Subgroup& s_;
    const Instruction& i_;
    Value pointer_;
    uint32_t scalar_;  // bytes
};

// Calls f(lane, byte in the invocation's data, element) for each element of each invocation.
template <typename F>
void forBlock(const Subgroup& s, const Block& block, F&& function) {
    const BlockMapping mapping(block, s.lanes);
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t value = 0; value < mapping.valuesOfInvocation(); ++value) {
            for (uint32_t part = 0; part < mapping.elementsOfValue(); ++part) {
                const uint64_t byte =
                    uint64_t(value) * mapping.valueSize() + part * block.elementSize;
                function(lane, byte, mapping.element(lane, value, part));
            }
        }
    });
}

// Bytes from the region's start, or nothing for an element that has no memory.
std::optional<uint64_t> placeOf(const Region& region, const Block& block,
                                const BlockElement& element) {
    const int64_t column = region.column + element.column;
    const int64_t row = region.row + element.row;
    if (element.padding ||
        !insideMemory(column, row, block.elementSize, region.width, region.height)) {
        return std::nullopt;
    }
    return uint64_t(row) * region.pitch + uint64_t(column) * block.elementSize;
}

template <BlockKind kKind>
Step load(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Block block = blockOf(s, i, kKind);
    if (!possible(block)) return Step::kStop;
    const Region region = regionOf(s, i, 4, 5);
    PrivateBytes destination(s, i, 9);
    forBlock(s, block, [&](uint32_t lane, uint64_t byte, const BlockElement& element) {
        std::array<std::byte, 8> bytes{};
        const auto data = std::span(bytes).first(block.elementSize);
        bool written = true;
        if (const auto place = placeOf(region, block, element)) {
            readMemory(s, i, lane, region.pointer, *place, data, {}, written);
        }
        for (uint32_t b = 0; b < block.elementSize; ++b) {
            destination.write(lane, byte + b, uint8_t(bytes[b]));
        }
    });
    return Step::kNext;
}

Step store(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Block block = blockOf(s, i, BlockKind::plain);
    if (!possible(block)) return Step::kStop;
    PrivateBytes source(s, i, 4);
    const Region region = regionOf(s, i, 5, 6);
    forBlock(s, block, [&](uint32_t lane, uint64_t byte, const BlockElement& element) {
        const auto place = placeOf(region, block, element);
        if (!place) return;
        std::array<std::byte, 8> bytes{};
        bool defined = true;
        for (uint32_t b = 0; b < block.elementSize; ++b) {
            const Element part = source.read(lane, byte + b);
            bytes[b] = std::byte(part.bits);
            defined &= part.defined;
        }
        if (!defined) s.report(kCheckUndefined, i, lane, "a block with undefined data is stored");
        writeMemory(s, i, lane, region.pointer, *place, std::span(bytes).first(block.elementSize),
                    {});
    });
    return Step::kNext;
}

// "Prefetching does not affect the functionality".
Step prefetch(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpSubgroup2DBlockLoadINTEL, load<BlockKind::plain>),
    row(spv::Op::OpSubgroup2DBlockLoadTransposeINTEL, load<BlockKind::transpose>),
    row(spv::Op::OpSubgroup2DBlockLoadTransformINTEL, load<BlockKind::transform>),
    row(spv::Op::OpSubgroup2DBlockStoreINTEL, store),
    row(spv::Op::OpSubgroup2DBlockPrefetchINTEL, prefetch),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::blockRows() { return matrices::kRows; }
