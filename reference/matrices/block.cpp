// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_2d_block_io
#include "execution/shadow.hpp"
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
    BlockElement element{column, row * elementsOfValue_ + part};
    if (block_.kind == BlockKind::transpose) std::swap(element.column, element.row);
    element.padding = element.column >= block_.width || element.row >= block_.height;
    element.column += block * block_.width;
    return element;
}

namespace {

// Blocks, and the region in memory: bytes, rows, bytes; coordinate.
struct Transfer {
    const Block& block;
    Pointer pointer;
    uint64_t width, height, pitch;
    int64_t column, row;

    // Bytes from the region's start, or nothing for an element that has no memory.
    std::optional<uint64_t> placeOf(const BlockElement& element) const {
        const int64_t x = column + element.column, y = row + element.row;
        if (element.padding || !insideMemory(x, y, block.elementSize, width, height))
            return std::nullopt;
        return uint64_t(y) * pitch + uint64_t(x) * block.elementSize;
    }
};

bool isPossible(const Block& block) {
    constexpr uint32_t kMost = 1u << 12;  // more would be no block of registers
    const auto fits = [](uint32_t count) { return count > 0 && count <= kMost; };
    const uint32_t size = block.elementSize, most = block.kind == BlockKind::transform ? 4 : 8;
    return std::has_single_bit(size) && size <= most && fits(block.width) && fits(block.height) &&
           fits(block.count);
}

// Operands: size of an element, width, height, count, which "must be constants".
template <BlockKind kKind>
Status prepareMove(Program& program, Instruction& i) {
    const auto size = [&](uint32_t n) { return uint32_t(program.constantAt(i, n)); };
    const Block block{kKind, size(0), size(1), size(2), size(3)};
    return isPossible(block) ? prepared(i, Block(block)) : Error{ErrorCode::kUnsupported, ""};
}

// Operands from `pointer` on: pointer, width, height, pitch, coordinate.
Transfer transferOf(Subgroup& s, uint32_t pointer) {
    const auto number = [&](uint32_t operand) { return uint64_t(uniformInteger(s, operand)); };
    const Value& coordinate = s.operand(pointer + 4);
    const auto coordinateAt = [&](uint32_t c) {
        return signExtend(coordinate.at(c, s.mask.first()), coordinate.type->element->width);
    };
    return {s.plan<Block>(),     uniformPointer(s, pointer), number(pointer + 1),
            number(pointer + 2), number(pointer + 3),        coordinateAt(0),
            coordinateAt(1)};
}

// Byte `n` of an element of so many.
Element byteOf(const Subgroup& s, const Element& element, uint32_t size, uint32_t n) {
    Element byte{element.bits >> n * 8 & 0xFF, element.defined};
    if (s.shadow != nullptr && element.deviation != 0)
        byte.deviation = s.shadow->regrouped({&element, 1}, size * 8, n * 8, 8);
    return byte;
}

// The deviation of the scalar in which byte `n` becomes another one.
Deviation withByte(const Subgroup& s, const Element& scalar, uint32_t size, uint32_t n,
                   const Element& byte) {
    std::vector<Element> bytes;
    for (uint32_t b = 0; b < size; ++b) bytes.push_back(b == n ? byte : byteOf(s, scalar, size, b));
    return s.shadow->regrouped(bytes, 8, 0, size * 8);
}

// The `size` bytes of a Function variable from `byte` on, behind a pointer, become those of the
// element, or the element those bytes. The variable's scalars may be wider or narrower.
template <bool kStores>
void moveOwn(Subgroup& s, uint32_t lane, uint32_t pointer, uint64_t byte, uint32_t size,
             Element& element) {
    const Type& type = *s.program->slotAt(*s.at, pointer).pointee.type;
    const uint32_t scalar = std::max(scalarOf(type).width / 8, 1u);
    const uint64_t first = pointerAt(s, s.operand(pointer), lane).offset;
    std::vector<Element> taken;
    for (uint32_t b = 0; b < size; ++b, ++byte) {
        const uint64_t component = first + byte / scalar;
        if (component >= s.program->privateComponents)
            return s.report(kCheckBounds, lane, "a block is larger than the variable");
        uint64_t& bits = s.privateData[component * s.lanes + lane];
        Deviation* const deviation =
            s.shadow != nullptr ? &s.privateDeviations[component * s.lanes + lane] : nullptr;
        const Element own{bits, s.privateDefined[component].test(lane),
                          deviation != nullptr ? *deviation : 0};
        const auto n = uint32_t(byte % scalar);
        if (kStores) {
            taken.push_back(byteOf(s, own, scalar, n));
            element.bits |= taken.back().bits << b * 8;
            element.defined &= own.defined;
            if (scalar == size) element.deviation = own.deviation;
        } else {
            const Element given = byteOf(s, element, size, b);
            bits = (bits & ~(uint64_t(0xFF) << n * 8)) | given.bits << n * 8;
            s.privateDefined[component].set(lane);
            if (deviation == nullptr) continue;
            *deviation = scalar == size ? element.deviation : withByte(s, own, scalar, n, given);
        }
    }
    if (kStores && s.shadow != nullptr && scalar != size)
        element.deviation = s.shadow->regrouped(taken, 8, 0, size * 8);
}

template <bool kStores>
void move(Subgroup& s) {
    const Transfer transfer = transferOf(s, kStores ? 5 : 4);
    reach(s);
    const uint32_t size = transfer.block.elementSize;
    const BlockMapping mapping(transfer.block, s.lanes);
    const Memory memory{s, transfer.pointer};
    const auto moveElement = [&](uint32_t lane, uint32_t value, uint32_t part) {
        const uint64_t byte = uint64_t(value) * mapping.valueSize() + part * size;
        const auto place = transfer.placeOf(mapping.element(lane, value, part));
        Element element;
        if (place && !kStores) element = memory.read(lane, *place * 8, size * 8);
        if (place || !kStores) moveOwn<kStores>(s, lane, kStores ? 4 : 9, byte, size, element);
        if (place && kStores) memory.write(lane, *place * 8, size * 8, element);
    };
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t value = 0; value < mapping.valuesOfInvocation(); ++value)
            for (uint32_t part = 0; part < mapping.elementsOfValue(); ++part)
                moveElement(lane, value, part);
    });
}

template <BlockKind kKind, bool kStores>
constexpr OpcodeRow moves(spv::Op opcode) {
    return row<move<kStores>>(opcode, Defined::kHandler, prepareMove<kKind>);
}
constexpr OpcodeRow kBlockRows[] = {
    moves<BlockKind::plain, false>(OpSubgroup2DBlockLoadINTEL),
    moves<BlockKind::transpose, false>(OpSubgroup2DBlockLoadTransposeINTEL),
    moves<BlockKind::transform, false>(OpSubgroup2DBlockLoadTransformINTEL),
    moves<BlockKind::plain, true>(OpSubgroup2DBlockStoreINTEL),
    // "Prefetching does not affect the functionality".
    row<reach>(OpSubgroup2DBlockPrefetchINTEL),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::blockRows() { return matrices::kBlockRows; }
