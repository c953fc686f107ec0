// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of matrices: by layout and stride, and by tensor layouts and views, with decode
// functions.
#include <algorithm>
#include <bit>

#include "matrices/cooperation.hpp"
#include "matrices/tensor.hpp"

namespace coopvk::reference::matrices {
namespace {

using enum spv::Op;

// Bytes of what a stride counts: the pointee; for untyped pointers (SPV_KHR_untyped_pointers)
// bytes.
int64_t strideUnit(const Subgroup& s, uint32_t slot) {
    const Pointee& pointee = s.program->slots[slot].pointee;
    const Type& pointer = *s.value(slot).type;
    const Type* type = pointee.type != nullptr ? pointee.type : pointer.element;
    if (pointer.untyped || type == nullptr) return 1;
    while (type->kind == Kind::kArray || type->kind == Kind::kRuntimeArray) type = type->element;
    return int64_t(sizeOf({type}));
}

// SPV_KHR_cooperative_matrix, "Cooperative Matrix Layout". Operands of the KHR instructions behind
// the pointer (and object): layout, stride, memory operands; of the NV ones: stride, whether
// columns are contiguous, memory operands.
template <uint32_t kLayout, uint32_t kStride, bool kStores>
Step byStride(Subgroup& s, const Instruction& i) {
    const Value matrix = kStores ? s.operand(i, 1) : s.result(i);
    if (hasToMeet(s, i, *matrix.type)) return Step::kMeet;
    const bool columnMajor = uniformInteger(s, i, kLayout) != 0;
    int64_t stride = 0;  // bytes between lines
    if (i.operands.size() > kStride) {
        stride = uniformInteger(s, i, kStride) * strideUnit(s, i[0].slot);
    }
    const ElementMemory memory{i, uniformPointer(s, i, 0), matrix.type->element->width,
                               accessOf(*s.program, i, std::max(kLayout, kStride) + 1)};
    forComponents(s, *matrix.type, [&](uint32_t c, uint32_t lane, const Position& p) {
        const int64_t line = columnMajor ? p.column : p.row;
        const uint64_t place = columnMajor ? p.row : p.column;
        const uint64_t bit = uint64_t(line * stride) * 8 + place * memory.bits;
        if constexpr (kStores) {
            if (p.exists) memory.write(s, lane, bit, elementAt(matrix, c, lane));
        } else {
            setElement(matrix, c, lane, p.exists ? memory.read(s, lane, bit) : Element{});
        }
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

    TensorElement element(const Type& matrix, const Position& p, bool store) const {
        return tensorElement(layout, view ? &*view : nullptr, p.row, p.column, matrix.columns,
                             store);
    }
};

Addressing addressingOf(Subgroup& s, const Instruction& i) {
    using Mask = spv::MemoryAccessMask;
    constexpr auto kWithOperand = uint32_t(Mask::Aligned) | uint32_t(Mask::MakePointerAvailable) |
                                  uint32_t(Mask::MakePointerVisible) |
                                  uint32_t(Mask::AliasScopeINTELMask) |
                                  uint32_t(Mask::NoAliasINTELMask);
    Addressing a;
    const uint32_t lane = s.mask.first();
    (void)s.uniform(i, 2);
    a.layout = layoutAt(s.operand(i, 2), lane);
    uint32_t next = 4 + uint32_t(std::popcount(i[3].word & kWithOperand));
    const uint32_t mask = next < i.operands.size() ? i[next++].word : 0;
    if (mask & kTensorView) {
        (void)s.uniform(i, next);
        a.view = viewAt(s.operand(i, next++), lane);
    }
    if (mask & kDecode) a.decode = functionOf(s, i[next++]);
    // "The implementation chooses which function to invoke".
    if ((mask & kDecodeVector) && s.group->settings->placement != Choice::kPlain) {
        a.decode = functionOf(s, i[next]);
    }
    return a;
}

void reportUndefined(Subgroup& s, const Instruction& i, uint32_t lane, const Position& p) {
    s.report(kCheckBounds, i, lane,
             "element (" + std::to_string(p.row) + ", " + std::to_string(p.column) +
                 ") is outside of the tensor, with clamp mode Undefined");
}

// The address that a decode function's pointer starts from.
uint64_t addressOf(const Pointer& pointer) {
    if (pointer.storage == spv::StorageClass::PhysicalStorageBuffer) return pointer.offset;
    const auto* range = reinterpret_cast<const Range*>(pointer.base & ~kOutside);
    return range != nullptr ? range->address + pointer.offset : 0;
}

// "The size of the pointee type": a runtime array counts as one element.
uint64_t blockSize(const Type& pointee) {
    if (pointee.kind == Kind::kRuntimeArray) return strideOf({&pointee});
    if (pointee.kind != Kind::kStruct || pointee.members.empty()) return sizeOf({&pointee});
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
        const Value pointer = pointer_, block = block_, inBlock = inBlock_;
        pointer.at(0, lane) = base_ + element.index * blockSize(*pointer.type->element);
        for (uint32_t d = 0; d < dimensions; ++d) {
            block.at(d, lane) = element.block[d];
            inBlock.at(d, lane) = element.inBlock[d];
        }
        // A vector has the elements from a multiple of its length on.
        component_[lane] = element.inBlock[dimensions - 1] % vector_;
        inBlock.at(dimensions - 1, lane) -= component_[lane];
        mask_.set(lane);
    }
    // The decoded elements become component `c` of the result.
    bool call(const Value& result, uint32_t c) {
        const Value arguments[] = {pointer_, block_, inBlock_};
        if (mask_.any() && !callFunction(s_, function_, arguments, mask_)) return false;
        const Value returned = s_.value(function_.result);
        mask_.forEach([&](uint32_t lane) {
            setElement(result, c, lane, elementAt(returned, component_[lane], lane));
        });
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

Step loadTensor(Subgroup& s, const Instruction& i) {
    if (hasToMeet(s, i, *i.type)) return Step::kMeet;
    const Addressing addressing = addressingOf(s, i);
    const ElementMemory memory{i, uniformPointer(s, i, 0), i.type->element->width,
                               accessOf(*s.program, i, 3)};
    const Value object = s.operand(i, 1), result = s.result(i);
    std::optional<Decoding> decoding;
    if (addressing.decode) decoding.emplace(s, memory.pointer, *addressing.decode);
    const auto loaded = [&](uint32_t c, uint32_t lane, const Position& p) -> Element {
        if (!p.exists) return {};
        const TensorElement place = addressing.element(*i.type, p, false);
        switch (place.access) {
            case TensorAccess::element:
                if (!decoding) return memory.read(s, lane, uint64_t(place.index) * memory.bits);
                decoding->add(lane, addressing.layout.dimensions, place);
                return {};
            case TensorAccess::constant:
                return {addressing.layout.clampValue & widthMask(memory.bits)};
            case TensorAccess::clipped:
                return elementAt(object, c, lane);
            case TensorAccess::undefined:
                reportUndefined(s, i, lane, p);
        }
        return {0, false};
    };
    const Placement placement = placementOf(s, *i.type);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        forComponent(s, *i.type, placement, c, [&](uint32_t lane, const Position& p) {
            setElement(result, c, lane, loaded(c, lane, p));
        });
        if (decoding && !decoding->call(result, c)) return Step::kStop;
    }
    return Step::kNext;
}

Step storeTensor(Subgroup& s, const Instruction& i) {
    const Value object = s.operand(i, 1);
    if (hasToMeet(s, i, *object.type)) return Step::kMeet;
    const Addressing addressing = addressingOf(s, i);
    const ElementMemory memory{i, uniformPointer(s, i, 0), object.type->element->width,
                               accessOf(*s.program, i, 3)};
    forComponents(s, *object.type, [&](uint32_t c, uint32_t lane, const Position& p) {
        if (!p.exists) return;
        const TensorElement place = addressing.element(*object.type, p, true);
        if (place.access == TensorAccess::undefined) reportUndefined(s, i, lane, p);
        if (place.access != TensorAccess::element) return;
        memory.write(s, lane, uint64_t(place.index) * memory.bits, elementAt(object, c, lane));
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(OpCooperativeMatrixLoadKHR, byStride<1, 2, false>),
    row(OpCooperativeMatrixStoreKHR, byStride<2, 3, true>),
    row(OpCooperativeMatrixLoadNV, byStride<2, 1, false>),
    row(OpCooperativeMatrixStoreNV, byStride<3, 2, true>),
    row(OpCooperativeMatrixLoadTensorNV, loadTensor),
    row(OpCooperativeMatrixStoreTensorNV, storeTensor),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::matrixMemoryRows() { return matrices::kRows; }
