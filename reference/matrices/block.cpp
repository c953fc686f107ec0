// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_2d_block_io
#include <algorithm>
#include <bit>

#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {

BlockMapping::BlockMapping(const Block& block, uint32_t subgroupSize)
    : block_(block), subgroupSize_(subgroupSize) {
    const bool transpose = block.kind == BlockKind::transpose;
    elementsOfValue_ = block.kind == BlockKind::transform ? 4 / block.elementSize : 1;
    width_ = std::bit_ceil(transpose ? block.height : block.width);
    height_ = transpose ? block.width : (block.height + elementsOfValue_ - 1) / elementsOfValue_;
    if (width_ >= subgroupSize) {
        valuesOfBlock_ = width_ / subgroupSize * height_;
    } else {
        const uint32_t rowsAtOnce = subgroupSize / width_;
        valuesOfBlock_ = (height_ + rowsAtOnce - 1) / rowsAtOnce;
    }
}

BlockElement BlockMapping::element(uint32_t invocation, uint32_t value, uint32_t part) const {
    const uint32_t block = value / valuesOfBlock_;
    const uint32_t ofBlock = value % valuesOfBlock_;
    const uint32_t ofRow =
        std::max(width_ / subgroupSize_, 1u);  // values of an invocation in a row
    const uint32_t rowsAtOnce = std::max(subgroupSize_ / width_, 1u);
    const uint32_t row = ofBlock / ofRow * rowsAtOnce + invocation / width_;
    const uint32_t column = invocation % width_ * ofRow + ofBlock % ofRow;
    BlockElement element{column, row * elementsOfValue_ + part, false};
    if (block_.kind == BlockKind::transpose) std::swap(element.column, element.row);
    element.padding = element.column >= block_.width || element.row >= block_.height;
    element.column += block * block_.width;
    return element;
}

namespace {

// Blocks and the region in memory: bytes, rows, bytes; coordinate.
struct Transfer {
    Block block;
    Pointer pointer;
    uint64_t width = 0, height = 0, pitch = 0;
    int64_t column = 0, row = 0;

    bool possible() const {
        const uint32_t size = block.elementSize;
        constexpr uint32_t kMost = 1u << 12;  // more would be no block of registers
        const auto fits = [](uint32_t count) { return count > 0 && count <= kMost; };
        return std::has_single_bit(size) && size <= 8 && fits(block.width) && fits(block.height) &&
               fits(block.count) && (block.kind != BlockKind::transform || size <= 4);
    }
    // Bytes from the region's start, or nothing for an element that has no memory.
    std::optional<uint64_t> placeOf(const BlockElement& element) const {
        const int64_t x = column + element.column, y = row + element.row;
        if (element.padding || !insideMemory(x, y, block.elementSize, width, height))
            return std::nullopt;
        return uint64_t(y) * pitch + uint64_t(x) * block.elementSize;
    }
};

// Operands: size of an element, width, height, count; from `pointer` on: pointer, width, height,
// pitch, coordinate.
Transfer transferOf(Subgroup& s, const Instruction& i, BlockKind kind, uint32_t pointer) {
    const auto number = [&](uint32_t operand) { return uint64_t(uniformInteger(s, i, operand)); };
    const auto size = [&](uint32_t operand) { return uint32_t(number(operand)); };
    const Value coordinate = s.operand(i, pointer + 4);
    const auto coordinateAt = [&](uint32_t c) {
        return signExtend(coordinate.at(c, s.mask.first()), coordinate.type->element->width);
    };
    return {{kind, size(0), size(1), size(2), size(3)},
            uniformPointer(s, i, pointer),
            number(pointer + 1),
            number(pointer + 2),
            number(pointer + 3),
            coordinateAt(0),
            coordinateAt(1)};
}

// Bytes of a Function variable from a pointer on, whose scalars may be wider or narrower than the
// values of a block.
class PrivateBytes {
 public:
    PrivateBytes(Subgroup& s, const Instruction& i, uint32_t operand)
        : s_(s), i_(i), pointer_(s.operand(i, operand)) {
        const Pointee& pointee = s.program->slots[i[operand].slot].pointee;
        const Type* type = pointee.type != nullptr ? pointee.type : pointer_.type->element;
        if (type != nullptr) scalar_ = std::max(scalarOf(*type).width / 8, 1u);
    }
    // The `size` bytes from `byte` on become those of the element, or the element those bytes.
    template <bool kStores>
    void move(uint32_t lane, uint64_t byte, uint32_t size, Element& element) {
        for (uint32_t b = 0; b < size; ++b, ++byte) {
            const uint64_t component = pointerAt(pointer_, lane).offset + byte / scalar_;
            if (component >= s_.program->privateComponents)
                return s_.report(kCheckBounds, i_, lane, "a block is larger than the variable");
            uint64_t& bits = s_.privateData[component * s_.lanes + lane];
            const uint64_t at = byte % scalar_ * 8;
            if (kStores) {
                element.bits |= (bits >> at & 0xFF) << b * 8;
                element.defined &= s_.privateDefined[component].test(lane);
            } else {
                bits = (bits & ~(uint64_t(0xFF) << at)) | (element.bits >> b * 8 & 0xFF) << at;
                s_.privateDefined[component].set(lane);
            }
        }
    }

 private:
    Subgroup& s_;
    const Instruction& i_;
    Value pointer_;
    uint32_t scalar_ = 1;  // bytes
};

template <BlockKind kKind, bool kStores>
Step move(Subgroup& s, const Instruction& i) {
    const Transfer transfer = transferOf(s, i, kKind, kStores ? 5 : 4);
    if (!transfer.possible()) return Step::kStop;
    checkActive(s, i);
    const uint32_t size = transfer.block.elementSize;
    const BlockMapping mapping(transfer.block, s.lanes);
    const Numbers memory{i, transfer.pointer};
    PrivateBytes own(s, i, kStores ? 4 : 9);
    const auto moveElement = [&](uint32_t lane, uint32_t value, uint32_t part) {
        const uint64_t byte = uint64_t(value) * mapping.valueSize() + part * size;
        const auto place = transfer.placeOf(mapping.element(lane, value, part));
        Element element;
        if (place && !kStores) element = memory.read(s, lane, *place * 8, size * 8);
        if (place || !kStores) own.move<kStores>(lane, byte, size, element);
        if (place && kStores) memory.write(s, lane, *place * 8, size * 8, element);
    };
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t value = 0; value < mapping.valuesOfInvocation(); ++value)
            for (uint32_t part = 0; part < mapping.elementsOfValue(); ++part)
                moveElement(lane, value, part);
    });
    return Step::kNext;
}

// "Prefetching does not affect the functionality".
Step prefetch(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    return Step::kNext;
}

constexpr OpcodeRow kBlockRows[] = {
    row(OpSubgroup2DBlockLoadINTEL, move<BlockKind::plain, false>),
    row(OpSubgroup2DBlockLoadTransposeINTEL, move<BlockKind::transpose, false>),
    row(OpSubgroup2DBlockLoadTransformINTEL, move<BlockKind::transform, false>),
    row(OpSubgroup2DBlockStoreINTEL, move<BlockKind::plain, true>),
    row(OpSubgroup2DBlockPrefetchINTEL, prefetch),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::blockRows() { return matrices::kBlockRows; }
