// SPDX-License-Identifier: Apache-2.0
//
// Types: where their components are in values and in memory, and how they are decoded.
#include "program/types.hpp"

#include <algorithm>

#include "program/decoder.hpp"

namespace coopvk::reference {
namespace {

// Bytes of a scalar in memory.
uint64_t scalarSize(const Type& scalar) {
    if (scalar.kind == Kind::kBool) return 4;
    return std::max<uint64_t>(1, scalar.width / 8);
}

// SPV_INTEL_int4, "Memory Layout": two components in a byte, the first in bits 0 to 3.
bool holdsPairs(const Type& type) {
    return type.kind == Kind::kVector && type.element->kind == Kind::kInt &&
           type.element->width < 8;
}

}  // namespace

Part partOf(const Type& composite, uint32_t index) {
    if (composite.kind == Kind::kStruct)
        return {composite.members[index].type, composite.members[index].component};
    return {composite.element, index * composite.element->components};
}

const Type& scalarOf(const Type& type, uint32_t index) {
    const Type* at = &type;
    while (!at->isScalar() && at->kind != Kind::kPointer) {
        if (at->kind == Kind::kStruct) {
            const auto next =
                std::find_if(at->members.rbegin(), at->members.rend(), [&](const Member& member) {
                    return member.component <= index && member.type->components > 0;
                });
            if (next == at->members.rend()) return type;
            index -= next->component;
            at = next->type;
        } else {
            if (at->element == nullptr) return *at;
            index %= std::max(at->element->components, 1u);
            at = at->element;
        }
    }
    return *at;
}

Pointee pointeeOf(const Pointee& composite, uint32_t index) {
    const Type& type = *composite.type;
    if (type.kind == Kind::kStruct) {
        const Member& member = type.members[index];
        return {member.type, member.matrixStride, member.rowMajor};
    }
    if (type.kind == Kind::kVector) return {type.element};
    if (type.kind == Kind::kMatrix)
        return {type.element, composite.rowMajor ? composite.matrixStride : 0, composite.rowMajor};
    return {type.element, composite.matrixStride, composite.rowMajor};
}

uint64_t strideOf(const Pointee& composite) {
    const Type& type = *composite.type;
    const bool isMatrix = type.kind == Kind::kMatrix;
    if (isMatrix && composite.rowMajor) return scalarSize(*type.element->element);
    const bool isColumn = type.kind == Kind::kVector && composite.rowMajor;
    if ((isMatrix || isColumn) && composite.matrixStride != 0) return composite.matrixStride;
    return type.stride != 0 ? type.stride : sizeOf(pointeeOf(composite, 0));
}

uint64_t sizeOf(const Pointee& pointee) {
    const Type& type = *pointee.type;
    if (type.isScalar()) return scalarSize(type);
    if (type.kind == Kind::kPointer) return 8;
    uint64_t size = 0;
    for (uint32_t i = 0; i < type.members.size(); ++i)
        size = std::max(size, type.members[i].offset + sizeOf(pointeeOf(pointee, i)));
    const bool isList =
        type.kind == Kind::kVector || type.kind == Kind::kMatrix || type.kind == Kind::kArray;
    if (!isList || type.count == 0) return size;
    if (holdsPairs(type)) return (uint64_t{type.count} * type.element->width + 7) / 8;
    return strideOf(pointee) * (type.count - 1) + sizeOf(pointeeOf(pointee, 0));
}

static void addLeaves(const Pointee& pointee, uint64_t offset, std::vector<Leaf>& leaves) {
    const Type& type = *pointee.type;
    if (type.isScalar() || type.kind == Kind::kPointer) leaves.push_back({offset, &type});
    for (uint32_t i = 0; i < type.members.size(); ++i)
        addLeaves(pointeeOf(pointee, i), offset + type.members[i].offset, leaves);
    if (!type.isComposite() || type.kind == Kind::kStruct) return;
    const bool pairs = holdsPairs(type);
    const uint64_t bits = pairs ? type.element->width : strideOf(pointee) * 8;
    for (uint64_t i = 0, bit = 0; i < type.count; ++i, bit += bits)
        if (pairs)
            leaves.push_back({offset + bit / 8, type.element, uint32_t(bit % 8)});
        else
            addLeaves(pointeeOf(pointee, 0), offset + bit / 8, leaves);
}

std::vector<Leaf> leavesOf(const Pointee& pointee) {
    std::vector<Leaf> leaves;
    leaves.reserve(pointee.type->components);
    addLeaves(pointee, 0, leaves);
    return leaves;
}

Status Decoder::readType(const Parsed& instruction) {
    struct TypeRow {
        spv::Op opcode;
        Kind kind;
        Status (Decoder::*read)(const Parsed&, Type&);
        uint32_t element = kNone;  // the operand with the element's type
    };
    static constexpr TypeRow kRows[] = {
        {OpTypeVoid, Kind::kVoid, nullptr},
        {OpTypeBool, Kind::kBool, &Decoder::readScalarType},
        {OpTypeInt, Kind::kInt, &Decoder::readScalarType},
        {OpTypeFloat, Kind::kFloat, &Decoder::readScalarType},
        {OpTypeVector, Kind::kVector, &Decoder::readListType, 0},
        {OpTypeVectorIdEXT, Kind::kVector, &Decoder::readListType, 0},
        {OpTypeMatrix, Kind::kMatrix, &Decoder::readListType, 0},
        {OpTypeArray, Kind::kArray, &Decoder::readListType, 0},
        {OpTypeRuntimeArray, Kind::kRuntimeArray, &Decoder::readListType, 0},
        {OpTypeStruct, Kind::kStruct, &Decoder::readStruct},
        {OpTypePointer, Kind::kPointer, &Decoder::readPointerType, 1},
        {OpTypeUntypedPointerKHR, Kind::kPointer, &Decoder::readPointerType},
        {OpTypeForwardPointer, Kind::kPointer, &Decoder::readPointerType},
        {OpTypeCooperativeMatrixKHR, Kind::kCooperativeMatrix, &Decoder::readMatrixType, 0},
        {OpTypeCooperativeMatrixNV, Kind::kCooperativeMatrix, &Decoder::readMatrixType, 0},
        {OpTypeTensorLayoutNV, Kind::kTensorLayout, &Decoder::readTensorType},
        {OpTypeTensorViewNV, Kind::kTensorView, &Decoder::readTensorType},
    };
    const bool forward = instruction.opcode == OpTypeForwardPointer;
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const TypeRow& each) {
        return each.opcode == instruction.opcode;
    });
    const bool known = row != std::end(kRows);
    // OpTypeForwardPointer may have declared it already.
    const uint32_t id = forward ? instruction[0] : instruction.resultId;
    Type& to = program_->types[id];
    to.id = id;
    to.kind = known ? row->kind : Kind::kOpaque;
    if (!known || row->read == nullptr) return Done{};
    if (row->element != kNone) {
        to.element = type(instruction[row->element]);
        if (to.element == nullptr) return invalid(instruction, "its elements have no type");
    }
    return (this->*row->read)(instruction, to);
}

Status Decoder::readScalarType(const Parsed& instruction, Type& to) {
    to.components = 1;
    to.width = to.kind == Kind::kBool ? 1 : instruction[0];
    if (to.kind == Kind::kInt) to.isSigned = instruction[1] != 0;
    if (to.kind != Kind::kFloat) return Done{};
    const uint32_t encoding = instruction.size() > 1 ? instruction[1] : numbers::kNoValue;
    const auto number = numbers::floatOf(to.width, encoding);
    if (!number) return unsupported(instruction);
    to.number = *number;
    return Done{};
}

// Vectors, matrices, arrays.
Status Decoder::readListType(const Parsed& instruction, Type& to) {
    if (to.kind == Kind::kArray || instruction.opcode == OpTypeVectorIdEXT)
        to.count = constantOf(instruction[1]);
    else if (to.kind != Kind::kRuntimeArray)
        to.count = instruction[1];
    to.stride = decorations_.literal(to.id, spv::Decoration::ArrayStride);
    const uint64_t components = uint64_t{to.count} * to.element->components;
    // Large arrays are of memory. No value has so many components.
    to.components = uint32_t(std::min<uint64_t>(components, ~uint32_t{0}));
    return Done{};
}

Status Decoder::readStruct(const Parsed& instruction, Type& to) {
    to.block = decorations_.has(to.id, spv::Decoration::Block) ||
               decorations_.has(to.id, spv::Decoration::BufferBlock);
    constexpr uint64_t kAlignment = 8;  // of members without decoration: that of any scalar
    uint64_t end = 0, components = 0;
    for (uint32_t i = 0; i < instruction.size(); ++i) {
        Member member;
        member.type = type(instruction[i]);
        if (member.type == nullptr) return invalid(instruction, "a member has no type");
        const uint64_t aligned = (end + kAlignment - 1) / kAlignment * kAlignment;
        member.offset = decorations_.of(to.id, spv::Decoration::Offset, i).value_or(aligned);
        member.component = uint32_t(components);
        member.matrixStride = decorations_.literal(to.id, spv::Decoration::MatrixStride, i);
        member.rowMajor = decorations_.of(to.id, spv::Decoration::RowMajor, i).has_value();
        end = member.offset + sizeOf({member.type, member.matrixStride, member.rowMajor});
        components += member.type->components;
        to.members.push_back(member);
    }
    to.components = uint32_t(std::min<uint64_t>(components, ~uint32_t{0}));
    return Done{};
}

Status Decoder::readPointerType(const Parsed& instruction, Type& to) {
    const bool forward = instruction.opcode == OpTypeForwardPointer;
    to.storage = spv::StorageClass(instruction[forward ? 1 : 0]);
    to.width = 64;
    to.components = to.storage == spv::StorageClass::PhysicalStorageBuffer ? 1 : 2;
    to.untyped = instruction.opcode == OpTypeUntypedPointerKHR;
    to.stride = decorations_.literal(to.id, spv::Decoration::ArrayStride);
    return Done{};
}

Status Decoder::readMatrixType(const Parsed& instruction, Type& to) {
    to.scope = spv::Scope(constantOf(instruction[1]));
    to.rows = constantOf(instruction[2]);
    to.columns = constantOf(instruction[3]);
    if (instruction.size() > 4) to.use = int32_t(constantOf(instruction[4]));
    const uint64_t holders =
        to.scope == spv::Scope::Subgroup ? program_->lanes : std::max(program_->invocations, 1u);
    const uint64_t elements = uint64_t{to.rows} * to.columns;
    to.count = to.components = uint32_t((elements + holders - 1) / holders);
    return Done{};
}

Status Decoder::readTensorType(const Parsed& instruction, Type& to) {
    to.dimensions = constantOf(instruction[0]);
    if (to.kind == Kind::kTensorLayout) {
        to.clampMode = constantOf(instruction[1]);
        to.components = 5 * to.dimensions + 1;
        return Done{};
    }
    to.hasDimensions = constantOf(instruction[1]) != 0;
    for (size_t i = 2; i < instruction.size(); ++i)
        to.permutation.push_back(constantOf(instruction[i]));
    to.components = 2 * to.dimensions + 4;
    return Done{};
}

}  // namespace coopvk::reference
