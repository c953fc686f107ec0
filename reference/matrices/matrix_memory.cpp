// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of matrices: by layout and stride, and by tensor layouts and views, with decode
// functions.
#include "coopvk_reference/symbols.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {
namespace {

// Bytes of what a stride counts: the pointee; for untyped pointers (SPV_KHR_untyped_pointers)
// bytes.
int64_t strideUnit(const Slot& pointer) {
    return pointer.type->untyped ? 1 : int64_t(sizeOf({pointer.pointee.type}));
}

// Access::matrix: types with equal operands have one. If others share it, a race may be missed.
uint8_t typeNumber(const Type& matrix) {
    uint32_t number = 0;
    for (const uint32_t part : {matrix.element->id, uint32_t(matrix.scope), matrix.rows,
                                matrix.columns, uint32_t(matrix.use + 1)})
        number = number * 31 + part;
    return uint8_t(1 + number % 255);
}

// `operands`: number of the memory operands.
Memory memoryOf(Subgroup& s, const Type& matrix, uint32_t operands) {
    Access access = accessOf(*s.program, *s.at, operands);
    access.matrix = typeNumber(matrix);
    return {s, uniformPointer(s, 0), access};
}

// Vulkan, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986: "the Pointer and Stride operands must
// be aligned to at least the lesser of 16 bytes or the natural alignment of a row or column".
void checkLines(Subgroup& s, const Type& matrix, bool columnMajor, int64_t stride) {
    const Symbols* symbols = s.group->settings->symbols;
    if (symbols == nullptr || !symbols->checksLines || !s.observes(kEventAligned)) return;
    const uint32_t count = columnMajor ? matrix.rows : matrix.columns;
    const uint32_t alignment = std::clamp(count * matrix.element->width / 8, 1u, 16u);
    s.uses({kEventAligned, 0, alignment, alignment});
    if (stride % alignment != 0)
        s.report(
            kCheckBounds, s.mask.first(),
            std::format("a stride of {} bytes, which is not a multiple of {}", stride, alignment));
}

// SPV_KHR_cooperative_matrix, "Cooperative Matrix Layout". Operands of the KHR instructions behind
// the pointer (and object): layout, stride, memory operands; of the NV ones: stride, whether
// columns are contiguous, memory operands.
template <uint32_t kLayout, uint32_t kStride, bool kStores>
Step byStride(Subgroup& s) {
    const Value matrix = kStores ? s.operand(1) : s.result();
    if (hasToMeet(s, *matrix.type)) return Step::kMeet;
    const bool columnMajor = uniformInteger(s, kLayout) != 0;
    int64_t stride = 0;  // bytes between lines
    if (s.operands() > kStride)
        stride = uniformInteger(s, kStride) * strideUnit(s.program->slotAt(*s.at, 0));
    const uint32_t bits = matrix.type->element->width;
    checkLines(s, *matrix.type, columnMajor, stride);
    const Memory memory = memoryOf(s, *matrix.type, std::max(kLayout, kStride) + 1);
    // Elements that share a byte are written by one invocation: a store is in no race with itself.
    forComponents(s, *matrix.type, [&](uint32_t c, uint32_t lane, const ElementPosition& p) {
        const int64_t line = columnMajor ? p.column : p.row;
        const uint64_t place = columnMajor ? p.row : p.column;
        const uint64_t bit = uint64_t(line * stride) * 8 + place * bits;
        if (!kStores)
            matrix.set(c, lane, p.exists ? memory.read(lane, bit, bits) : Element{});
        else if (p.exists && !p.isCopy)
            memory.write(bits < 8 ? s.mask.first() : lane, bit, bits, matrix.get(c, lane));
    });
    return Step::kNext;
}

// SPV_NV_cooperative_matrix2 and SPV_NV_cooperative_matrix_decode_vector, "Tensor Addressing
// Operands".
constexpr uint32_t kTensorView = 1, kDecode = 2, kDecodeVector = 4;

// Operands: pointer, object, layout, memory operands (the mask, and an operand for some of its
// bits), the addressing operands.
struct Addressing {
    TensorLayout layout;
    std::optional<TensorView> view;
    const Function* decode = nullptr;
};
Addressing addressingOf(Subgroup& s) {
    const uint32_t lane = s.mask.first();
    (void)s.uniform(2);
    Addressing addressing{stateAt<TensorLayout>(s.operand(2), lane), {}, nullptr};
    uint32_t next = behindAccess(*s.at, 3);
    const uint32_t mask = s.word(next++);
    if (mask & kTensorView) {
        (void)s.uniform(next);
        addressing.view = stateAt<TensorView>(s.operand(next++), lane);
    }
    if (mask & kDecode) addressing.decode = s.program->function(s.word(next++));
    // "The implementation chooses which function to invoke".
    if ((mask & kDecodeVector) && s.group->settings->placement != Choice::kPlain)
        addressing.decode = s.program->function(s.word(next));
    return addressing;
}

// The address that a decode function's pointer starts from.
uint64_t addressOf(const Pointer& pointer) {
    if (pointer.storage == spv::StorageClass::PhysicalStorageBuffer) return pointer.offset;
    const Range* range = rangeAt(pointer.base);
    return range != nullptr ? range->address + pointer.offset : 0;
}

// "The size of the pointee type": a runtime array counts as one element.
uint64_t blockSize(const Type& pointee) {
    if (pointee.kind == Kind::kRuntimeArray) return strideOf({&pointee});
    if (pointee.members.empty()) return sizeOf({&pointee});
    const Member& last = pointee.members.back();
    return std::max(sizeOf({&pointee}), last.offset + blockSize(*last.type));
}

// Calls of a decode function for one component of all lanes.
class Decoding {
 public:
    Decoding(Subgroup& s, const Pointer& pointer, const Function& function)
        : s_(s),
          function_(function),
          base_(addressOf(pointer)),
          vector_(function.type->kind == Kind::kVector ? function.type->count : 1),
          pointer_(parameterType(s, function, 0), s.lanes),
          block_(parameterType(s, function, 1), s.lanes),
          inBlock_(parameterType(s, function, 2), s.lanes),
          component_(s.lanes) {}

    void add(uint32_t lane, uint32_t dimensions, const TensorElement& element) {
        pointer_.at(0, lane) = base_ + element.index * blockSize(*pointer_.type->element);
        for (uint32_t d = 0; d < dimensions; ++d) {
            block_.at(d, lane) = element.block[d];
            inBlock_.at(d, lane) = element.inBlock[d];
        }
        // A vector has the elements from a multiple of its length on.
        component_[lane] = element.inBlock[dimensions - 1] % vector_;
        inBlock_.at(dimensions - 1, lane) -= component_[lane];
        mask_.set(lane);
    }
    // The decoded elements become component `c` of the result.
    bool call(const Value& result, uint32_t c) {
        const Value arguments[] = {pointer_, block_, inBlock_};
        if (mask_.any() && !callForElements(s_, function_, arguments, mask_)) return false;
        const Value returned = s_.values[function_.result];
        mask_.forEach(
            [&](uint32_t lane) { result.set(c, lane, returned.get(component_[lane], lane)); });
        mask_ = {};
        return true;
    }

 private:
    Subgroup& s_;
    const Function& function_;
    uint64_t base_;
    uint32_t vector_;
    OwnValue pointer_, block_, inBlock_;
    std::vector<uint32_t> component_;
    LaneMask mask_;
};

template <bool kStores>
Step byTensor(Subgroup& s) {
    const Value &object = s.operand(1), matrix = kStores ? object : s.result();
    if (hasToMeet(s, *matrix.type)) return Step::kMeet;
    const auto [layout, view, decode] = addressingOf(s);
    const TensorView* through = view ? &*view : nullptr;
    const uint32_t bits = matrix.type->element->width, columns = matrix.type->columns;
    const Memory memory = memoryOf(s, *matrix.type, 3);
    std::optional<Decoding> decoding;
    if (decode && !kStores) decoding.emplace(s, memory.pointer, *decode);
    const Holder holder(s, *matrix.type);
    for (uint32_t c = 0; c < matrix.components(); ++c) {
        forLanes(s, [&](uint32_t lane) {
            Element loaded;
            const ElementPosition p = holder.position(c, lane);
            if (p.exists) {
                const TensorElement place =
                    tensorElement(layout, through, p.row, p.column, columns, kStores);
                if (place.access == TensorAccess::undefined)
                    s.report(kCheckBounds, lane,
                             std::format("element ({}, {}) is outside of the tensor, with clamp "
                                         "mode Undefined",
                                         p.row, p.column));
                const uint64_t bit = uint64_t(place.index) * bits;
                const bool there = place.access == TensorAccess::element;
                if (there && kStores && !p.isCopy)
                    memory.write(lane, bit, bits, object.get(c, lane));
                if (kStores) return;
                if (there && decoding) decoding->add(lane, layout.dimensions, place);
                if (there && !decoding) loaded = memory.read(lane, bit, bits);
                if (place.access == TensorAccess::constant)
                    loaded = {layout.clampValue & lowBits(bits)};
                if (place.access == TensorAccess::clipped) loaded = object.get(c, lane);
                if (place.access == TensorAccess::undefined) loaded = kUndefined;
            }
            if (!kStores) matrix.set(c, lane, loaded);
        });
        if (decoding && !decoding->call(matrix, c)) return Step::kStop;
    }
    return Step::kNext;
}

constexpr OpcodeRow kMatrixMemoryRows[] = {
    row<byStride<1, 2, false>>(OpCooperativeMatrixLoadKHR),
    row<byStride<2, 3, true>>(OpCooperativeMatrixStoreKHR),
    row<byStride<2, 1, false>>(OpCooperativeMatrixLoadNV),
    row<byStride<3, 2, true>>(OpCooperativeMatrixStoreNV),
    row<byTensor<false>>(OpCooperativeMatrixLoadTensorNV),
    row<byTensor<true>>(OpCooperativeMatrixStoreTensorNV),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::matrixMemoryRows() {
    return matrices::kMatrixMemoryRows;
}
