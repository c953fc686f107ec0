// SPDX-License-Identifier: Apache-2.0
//
// Where elements lie in memory: matrices of cooperative vectors, and what their products take; 2D
// blocks; tensors.
#pragma once

#include "matrices/matrix.hpp"

namespace coopvk::reference::matrices {

// SPV_NV_cooperative_vector and VK_NV_cooperative_vector.

// VkCooperativeVectorMatrixLayoutNV, "Cooperative Vector Matrix Layout".
enum class VectorLayout : uint32_t { rowMajor, columnMajor, inferencingOptimal, trainingOptimal };

// A matrix in memory. Optimal layouts are arrays of its elements, row by row, without gaps unless a
// program asks for them: those for training are what Vulkan promises, "the application can
// reinterpret the data as an array of elements".
struct VectorMatrix {
    Number number = Number::f16;
    VectorLayout layout = VectorLayout::rowMajor;
    uint32_t rows = 0, columns = 0;  // as it lies in memory: before a transposition
    uint64_t stride = 0;             // bytes between rows (columns); ignored for optimal layouts
    OptimalLayout optimal = {};

    uint64_t elementSize() const { return numbers::format(number).bits / 8; }
    // Of an optimal layout.
    uint64_t rowSize() const {
        const uint64_t unit = optimal.lineAlignment;
        return (columns * elementSize() + unit - 1) / unit * unit;
    }
    // Bytes from the start of the matrix.
    uint64_t offset(uint32_t row, uint32_t column) const {
        if (layout == VectorLayout::rowMajor) return row * stride + column * elementSize();
        if (layout == VectorLayout::columnMajor) return column * stride + row * elementSize();
        const uint64_t unit = optimal.lineAlignment, inRow = column * elementSize();
        if (layout == VectorLayout::trainingOptimal || optimal.blockRows == 1)
            return row * rowSize() + inRow;
        const uint64_t inBlock = row % optimal.blockRows;
        return (row - inBlock) * rowSize() + (inRow / unit * optimal.blockRows + inBlock) * unit +
               inRow % unit;
    }
    // Rows or columns, which a stride is between; of optimal layouts 0.
    uint32_t lines() const {
        return layout == VectorLayout::rowMajor      ? rows
               : layout == VectorLayout::columnMajor ? columns
                                                     : 0;
    }
    // Bytes of the whole matrix.
    uint64_t size() const {
        return rows == 0 || columns == 0 ? 0 : offset(rows - 1, columns - 1) + elementSize();
    }
};

// A matrix from VkComponentTypeKHR and VkCooperativeVectorMatrixLayoutNV; nothing if one is
// unknown.
std::optional<VectorMatrix> vectorMatrix(uint32_t componentType, uint32_t layout, uint32_t rows,
                                         uint32_t columns, uint64_t stride);

// vkConvertCooperativeVectorMatrixNV: floating-point numbers are rounded to nearest even. The spans
// must be as long as size() says. False: rows and columns differ, or the formats are not both
// floating-point and differ.
bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination);

// Bits of elements of `from` bits each, as elements of `to` bits: lower-numbered ones in lower
// bits. The same for OpBitCastArrayQCOM.
std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to,
                             Shadow* shadow = nullptr);

// "Input is converted to the type indicated by InputInterpretation": the K components that a
// product takes from a vector whose components have the format `from`. `packed`: the interpretation
// is a packed type.
std::vector<Element> interpretInput(std::span<const Element> input, Number from,
                                    Number interpretation, bool packed, uint32_t k,
                                    Shadow* shadow = nullptr);

enum class BlockKind : uint8_t { plain, transpose, transform };

// SPV_INTEL_2d_block_io: blocks of `width` x `height` elements, `count` of them beside each other.
struct Block {
    BlockKind kind = BlockKind::plain;
    uint32_t elementSize = 1;  // bytes
    uint32_t width = 0, height = 0, count = 0;
};

// An element of the blocks as they lie in memory: column from the first block's left edge on.
struct BlockElement {
    uint32_t column = 0, row = 0;
    bool padding = false;  // not in the block: zero for loads, ignored for stores
};

// "Mapping Block Data to Invocations": the destination of an invocation is an array of values,
// which are elements, or for transformed blocks 32-bit integers of several elements (lower rows in
// lower bits).
class BlockMapping {
 public:
    BlockMapping(const Block& block, uint32_t subgroupSize);

    uint32_t valuesOfInvocation() const { return valuesOfBlock_ * block_.count; }
    uint32_t elementsOfValue() const { return elementsOfValue_; }
    uint32_t valueSize() const { return elementsOfValue_ * block_.elementSize; }  // bytes
    BlockElement element(uint32_t invocation, uint32_t value, uint32_t part) const;

 private:
    Block block_;
    uint32_t subgroupSize_;
    uint32_t elementsOfValue_;
    uint32_t width_, height_;  // padded, transposed, in values
    uint32_t valuesOfBlock_;   // of an invocation
};

// "Out-of-Bounds Behavior" of the element at these coordinates (in elements and rows); sizes: in
// bytes and rows.
inline bool insideMemory(int64_t column, int64_t row, uint32_t elementSize, uint64_t memoryWidth,
                         uint64_t memoryHeight) {
    return column >= 0 && row >= 0 && uint64_t(row) < memoryHeight &&
           uint64_t(column) < memoryWidth / elementSize;
}

inline constexpr uint32_t kMaxDimensions = 5;
using Coordinate = std::array<uint32_t, kMaxDimensions>;

// SPV_NV_tensor_addressing, "Tensor Clamp Mode".
enum class ClampMode : uint32_t { undefined, constant, clampToEdge, repeat, repeatMirrored };

// SPV_NV_tensor_addressing, "Tensor Layout and View": the logical state. Members have one number
// for each dimension, the outermost first; sizes and strides are in elements (strides in blocks).
struct TensorLayout {
    uint32_t dimensions = 1;
    ClampMode clampMode = ClampMode::undefined;
    Coordinate size{};  // layoutDimension
    Coordinate stride{};
    Coordinate offset{};  // signed
    Coordinate span{};
    Coordinate blockSize{};
    uint32_t clampValue = 0;
};

struct TensorView {
    uint32_t dimensions = 1;
    uint32_t hasDimensions = 0;
    Coordinate permutation{};
    Coordinate size{};  // viewDimension
    Coordinate stride{};
    uint32_t clipRowOffset = 0, clipRowSpan = 0xFFFFFFFF;
    uint32_t clipColumnOffset = 0, clipColumnSpan = 0xFFFFFFFF;
};

// OpCreateTensorLayoutNV, OpTensorLayoutSetBlockSizeNV and so on; OpCreateTensorViewNV and so on.
TensorLayout createLayout(uint32_t dimensions, ClampMode mode);
TensorLayout setDimension(TensorLayout layout, const Coordinate& size);
TensorLayout slice(TensorLayout layout, const Coordinate& offset, const Coordinate& span);
TensorView setDimension(TensorView view, const Coordinate& size);

enum class TensorAccess : uint8_t {
    element,    // at `index`
    constant,   // loads: the clamp value; stores: nothing
    clipped,    // loads: the element of Object; stores: nothing
    undefined,  // undefined behaviour
};

// Of a value that has a component for each number: TensorLayout or TensorView.
template <typename State>
State stateAt(const Value& value, uint32_t lane);

// Where an element of a matrix lies in memory.
struct TensorElement {
    TensorAccess access = TensorAccess::undefined;
    uint32_t index = 0;  // in elements (blocks) from the pointer
    Coordinate block{};
    Coordinate inBlock{};
};

// SPV_NV_cooperative_matrix2, "Tensor Layout and View": matrixCoordToTensorElement, with `view`
// (may be null) matrixCoordToTensorElementWithView. `columns`: of the matrix.
TensorElement tensorElement(const TensorLayout& layout, const TensorView* view, uint32_t row,
                            uint32_t column, uint32_t columns, bool store);

}  // namespace coopvk::reference::matrices
