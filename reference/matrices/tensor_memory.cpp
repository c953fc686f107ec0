// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of matrices by tensor layouts and views, with decode functions.
#include <algorithm>
#include <bit>

#include "execution/opcode_table.hpp"
#include "matrices/callbacks.hpp"
#include "matrices/element_memory.hpp"
#include "matrices/tensor_values.hpp"

namespace coopvk::reference::matrices {
namespace {

// SPV_NV_cooperative_matrix2 and SPV_NV_cooperative_matrix_decode_vector, "Tensor Addressing
// Operands".
constexpr uint32_t kTensorView = 1;
constexpr uint32_t kDecode = 2;
constexpr uint32_t kDecodeVector = 4;

// The operands behind the memory operands.
struct Addressing {
    TensorLayout layout;
    std::optional<TensorView> view;
    const Function* decode = nullptr;
    const Function* decodeVector = nullptr;

    const TensorView* viewOrNull() const { return view ? &*view : nullptr; }
};

// Of memory operands: the mask, and an operand for some of its bits.
uint32_t behindMemoryOperands(const Instruction& i, uint32_t first) {
    using Mask = spv::MemoryAccessMask;
    constexpr auto kWithOperand = uint32_t(Mask::Aligned) | uint32_t(Mask::MakePointerAvailable) |
                                  uint32_t(Mask::MakePointerVisible) |
                                  uint32_t(Mask::AliasScopeINTELMask) |
                                  uint32_t(Mask::NoAliasINTELMask);
    return first + 1 + uint32_t(std::popcount(i[first].word & kWithOperand));
}

void checkUniformValue(Subgroup& s, const Instruction& i, const Value& value, const char* name) {
    if (!s.checks(kCheckUniformity)) return;
    const uint32_t first = s.mask.first();
    LaneMask different;
    for (uint32_t c = 0; c < value.components(); ++c) {
        forLanes(s, [&](uint32_t lane) {
            if (value.at(c, lane) != value.at(c, first)) different.set(lane);
        });
    }
    if (different.any()) {
        s.report(kCheckUniformity, i, different.first(),
                 std::string(name) + " differs from that of another invocation");
    }
}

// `layout` and `memory`: the numbers of these operands.
Addressing addressingOf(Subgroup& s, const Instruction& i, uint32_t layout, uint32_t memory) {
    Addressing a;
    const uint32_t lane = s.mask.first();
    checkUniformValue(s, i, s.operand(i, layout), "the tensor layout");
    a.layout = layoutAt(s.operand(i, layout), lane);
    uint32_t next = behindMemoryOperands(i, memory);
    if (next >= i.operands.size()) return a;
    const uint32_t mask = i[next++].word;
    if (mask & kTensorView) {
        checkUniformValue(s, i, s.operand(i, next), "the tensor view");
        a.view = viewAt(s.operand(i, next++), lane);
    }
    if (mask & kDecode) a.decode = functionOf(s, i[next++]);
    if (mask & kDecodeVector) a.decodeVector = functionOf(s, i[next++]);
    return a;
}

void reportUndefined(Subgroup& s, const Instruction& i, uint32_t lane, uint32_t row,
                     uint32_t column) {
    if (!s.checks(kCheckBounds)) return;
    s.report(kCheckBounds, i, lane,
             "element (" + std::to_string(row) + ", " + std::to_string(column) +
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

// Calls of one decode function for a component of all lanes.
class Decoding {
 public:
    Decoding(Subgroup& s, const Instruction& i, const Addressing& a)
        : s_(s),
          base_(addressOf(uniformPointer(s, i, 0))),
          last_(a.layout.dimensions - 1),
          function_(chosen(s, a)),
          vector_(function_.type->kind == Kind::kVector ? function_.type->count : 1),
          pointer_(parameterType(s, function_, 0), s.lanes),
          block_(parameterType(s, function_, 1), s.lanes),
          inBlock_(parameterType(s, function_, 2), s.lanes),
          component_(s.lanes) {}

    void add(uint32_t lane, const TensorElement& element) {
        const Value pointer = pointer_, block = block_, inBlock = inBlock_;
        const uint64_t size = blockSize(*pointer.type->element);
        pointer.at(0, lane) = base_ + element.index * size;
        for (uint32_t d = 0; d <= last_; ++d) {
            block.at(d, lane) = element.block[d];
            inBlock.at(d, lane) = element.inBlock[d];
        }
        // A vector has the elements from a multiple of its length on.
        component_[lane] = element.inBlock[last_] % vector_;
        inBlock.at(last_, lane) -= component_[lane];
        mask_.set(lane);
    }
    // The decoded elements become component `c` of the result.
    bool call(const Value& result, uint32_t c) {
        const Value arguments[] = {pointer_, block_, inBlock_};
        if (mask_.any() && !callFunction(s_, function_, arguments, mask_)) return false;
        const Value returned = s_.value(function_.result);
        mask_.forEach([&](uint32_t lane) {
            result.at(c, lane) = returned.at(component_[lane], lane);
            result.defined[c].assign(lane, returned.isDefined(component_[lane], lane));
        });
        mask_ = {};
        return true;
    }

 private:
    // "The implementation chooses which function to invoke".
    static const Function& chosen(const Subgroup& s, const Addressing& a) {
        const bool plain = s.group->settings->placement == Choice::kPlain;
        return a.decodeVector != nullptr && !plain ? *a.decodeVector : *a.decode;
    }

    Subgroup& s_;
    uint64_t base_;
    uint32_t last_;  // dimension
    const Function& function_;
    uint32_t vector_;
    OwnValue pointer_, block_, inBlock_;
    std::vector<uint32_t> component_;
    LaneMask mask_;
};

// What loads of elements need.
struct Load {
    Subgroup& s;
    const Instruction& i;
    const Addressing& addressing;
    ElementMemory memory;
    Value object, result;
    std::optional<Decoding> decoding;

    void element(uint32_t lane, uint32_t c, const Position& p) {
        const auto set = [&](const Element& element) {
            result.at(c, lane) = element.bits;
            result.defined[c].assign(lane, element.defined);
        };
        const TensorElement place = tensorElement(addressing.layout, addressing.viewOrNull(), p.row,
                                                  p.column, i.type->columns, false);
        switch (place.access) {
            case TensorAccess::element:
                if (decoding) return decoding->add(lane, place);
                return set(memory.read(s, lane, uint64_t(place.index) * memory.bits));
            case TensorAccess::constant:
                return set({addressing.layout.clampValue & widthMask(memory.bits), true});
            case TensorAccess::clipped:
                return set({object.at(c, lane), object.isDefined(c, lane)});
            case TensorAccess::undefined:
                reportUndefined(s, i, lane, p.row, p.column);
                return set({0, false});
        }
    }
};

Step loadTensor(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Addressing addressing = addressingOf(s, i, 2, 3);
    Load load{s,
              i,
              addressing,
              {i, uniformPointer(s, i, 0), accessOf(*s.program, i, 3), i.type->element->width},
              s.operand(i, 1),
              s.result(i),
              std::nullopt};
    if (addressing.decode != nullptr) load.decoding.emplace(s, i, addressing);
    const Placement placement = placementOf(s, *i.type);
    for (uint32_t c = 0; c < i.type->components; ++c) {
        forLanes(s, [&](uint32_t lane) {
            const Position p = placement.position(invocationOf(s, *i.type, lane), c);
            load.result.defined[c].set(lane);
            if (p.exists) {
                load.element(lane, c, p);
            } else {
                load.result.at(c, lane) = 0;
            }
        });
        if (load.decoding && !load.decoding->call(load.result, c)) return Step::kStop;
    }
    return Step::kNext;
}

Step storeTensor(Subgroup& s, const Instruction& i) {
    checkActive(s, i);
    const Addressing addressing = addressingOf(s, i, 2, 3);
    const Value object = s.operand(i, 1);
    const Type& type = *object.type;
    const ElementMemory memory{i, uniformPointer(s, i, 0), accessOf(*s.program, i, 3),
                               type.element->width};
    forElements(s, type, [&](uint32_t lane, uint32_t c, uint32_t row, uint32_t column) {
        const TensorElement place = tensorElement(addressing.layout, addressing.viewOrNull(), row,
                                                  column, type.columns, true);
        if (place.access == TensorAccess::undefined) reportUndefined(s, i, lane, row, column);
        if (place.access != TensorAccess::element) return;
        memory.write(s, lane, uint64_t(place.index) * memory.bits,
                     {object.at(c, lane), object.isDefined(c, lane)});
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCooperativeMatrixLoadTensorNV, loadTensor),
    row(spv::Op::OpCooperativeMatrixStoreTensorNV, storeTensor),
};

}  // namespace

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::tensorMemoryRows() { return matrices::kRows; }
