// SPDX-License-Identifier: Apache-2.0
//
// Types: where their components are in values and in memory, and how they are decoded.
#include "program/types.hpp"

#include "coopvk_reference/element_maps.hpp"
#include "memory/pointer.hpp"
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
    return type.kind == Kind::kVector && isHalfByte(*type.element);
}

}  // namespace

const Type& scalarOf(const Type& type, uint32_t index) {
    const Type* at = &type;
    while (!at->isScalar() && at->kind != Kind::kPointer) {
        if (at->kind != Kind::kStruct) {
            if (at->element == nullptr) return *at;
            index %= std::max(at->element->components, 1u);
            at = at->element;
            continue;
        }
        const auto has = [&](const Member& member) {
            return member.component <= index && member.type->components > 0;
        };
        const auto member = std::find_if(at->members.rbegin(), at->members.rend(), has);
        if (member == at->members.rend()) return type;
        index -= member->component;
        at = member->type;
    }
    return *at;
}

Pointee pointeeOf(const Pointee& composite, uint32_t index) {
    const Type& type = *composite.type;
    Pointee part = composite;
    part.type = type.element;
    if (type.kind == Kind::kStruct) {
        part = type.members[index];
        part.isNonWritable |= composite.isNonWritable;
        part.isNonReadable |= composite.isNonReadable;
    } else if (type.kind == Kind::kVector) {
        part.matrixStride = 0;
        part.rowMajor = false;
    } else if (type.kind == Kind::kMatrix && !composite.rowMajor) {
        part.matrixStride = 0;
    }
    return part;
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
    if (type.kind == Kind::kOpaque || type.isImage()) return kDescriptorBytes;
    uint64_t size = 0;
    for (uint32_t i = 0; i < type.members.size(); ++i)
        size = std::max(size, type.members[i].offset + sizeOf(pointeeOf(pointee, i)));
    const bool isList =
        type.kind == Kind::kVector || type.kind == Kind::kMatrix || type.kind == Kind::kArray;
    if (!isList || type.count == 0) return size;
    if (holdsPairs(type)) return (uint64_t{type.count} + 1) / 2;
    return strideOf(pointee) * (type.count - 1) + sizeOf(pointeeOf(pointee, 0));
}

static void addLeaves(const Pointee& pointee, uint64_t bit, std::vector<Leaf>& leaves) {
    const Type& type = *pointee.type;
    if (type.isScalar() || type.kind == Kind::kPointer)
        leaves.push_back({bit, isHalfByte(type) ? type.width : uint32_t(sizeOf(pointee) * 8),
                          type.kind == Kind::kBool});
    for (uint32_t i = 0; i < type.members.size(); ++i)
        addLeaves(pointeeOf(pointee, i), bit + type.members[i].offset * 8, leaves);
    if (!type.isComposite() || type.kind == Kind::kStruct) return;
    const uint64_t bits = holdsPairs(type) ? type.element->width : strideOf(pointee) * 8;
    for (uint64_t i = 0; i < type.count; ++i)
        addLeaves(pointeeOf(pointee, 0), bit + i * bits, leaves);
}

std::vector<Leaf> leavesOf(const Pointee& pointee) {
    std::vector<Leaf> leaves;
    addLeaves(pointee, 0, leaves);
    return leaves;
}

Status Decoder::readType(const Parsed& from) {
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
        {OpTypeImage, Kind::kImage, &Decoder::readImageType, 0},
        {OpTypeSampler, Kind::kSampler, &Decoder::readImageType},
        {OpTypeSampledImage, Kind::kSampledImage, &Decoder::readImageType, 0},
        {OpTypeTensorLayoutNV, Kind::kTensorLayout, &Decoder::readTensorType},
        {OpTypeTensorViewNV, Kind::kTensorView, &Decoder::readTensorType},
    };
    const bool forward = from.opcode == OpTypeForwardPointer;
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const TypeRow& each) { return each.opcode == from.opcode; });
    const bool known = row != std::end(kRows);
    // OpTypeForwardPointer may have declared it already.
    const uint32_t id = forward ? from[0] : from.resultId;
    Type& to = program_->types[id];
    to.id = id;
    to.kind = known ? row->kind : Kind::kOpaque;
    if (!known || row->read == nullptr) return Done{};
    if (row->element != kNone) {
        to.element = type(from[row->element]);
        if (to.element == nullptr) return invalid(from, "its elements have no type");
    }
    return (this->*row->read)(from, to);
}

Status Decoder::readScalarType(const Parsed& from, Type& to) {
    to.components = 1;
    to.width = to.kind == Kind::kBool ? 1 : from[0];
    if (to.kind == Kind::kInt) to.isSigned = from[1] != 0;
    if (to.kind != Kind::kFloat) return Done{};
    const uint32_t encoding = from.size() > 1 ? from[1] : numbers::kNoValue;
    const auto number = numbers::floatOf(to.width, encoding);
    if (!number) return unsupported(from);
    to.number = *number;
    return Done{};
}

// Vectors, matrices, arrays.
Status Decoder::readListType(const Parsed& from, Type& to) {
    to.isLong = from.opcode == OpTypeVectorIdEXT;
    if (to.kind == Kind::kArray || to.isLong)
        to.count = constantOf(from[1]);
    else if (to.kind != Kind::kRuntimeArray)
        to.count = from[1];
    to.stride = decorations_.literal(to.id, spv::Decoration::ArrayStride);
    if (const auto id = decorations_.of(to.id, spv::Decoration::ArrayStrideIdEXT))
        to.stride = constantOf(*id);
    const uint64_t components = uint64_t{to.count} * to.element->components;
    // Large arrays are of memory. No value has so many components.
    to.components = uint32_t(std::min<uint64_t>(components, UINT32_MAX));
    return Done{};
}

Status Decoder::readStruct(const Parsed& from, Type& to) {
    to.block = decorations_.has(to.id, spv::Decoration::Block) ||
               decorations_.has(to.id, spv::Decoration::BufferBlock);
    constexpr uint64_t kAlignment = 8;  // of members without decoration: that of any scalar
    uint64_t end = 0, components = 0;
    for (uint32_t i = 0; i < from.size(); ++i) {
        Member member;
        member.type = type(from[i]);
        if (member.type == nullptr) return invalid(from, "a member has no type");
        const uint64_t aligned = (end + kAlignment - 1) / kAlignment * kAlignment;
        member.offset = decorations_.of(to.id, spv::Decoration::Offset, i).value_or(aligned);
        if (const auto id = decorations_.of(to.id, spv::Decoration::OffsetIdEXT, i))
            member.offset = constantOf(*id);
        member.component = uint32_t(components);
        member.matrixStride = decorations_.literal(to.id, spv::Decoration::MatrixStride, i);
        member.rowMajor = decorations_.of(to.id, spv::Decoration::RowMajor, i).has_value();
        member.isNonWritable = decorations_.of(to.id, spv::Decoration::NonWritable, i).has_value();
        end = member.offset + sizeOf(member);
        components += member.type->components;
        member.isNonReadable = decorations_.of(to.id, spv::Decoration::NonReadable, i).has_value();
        to.members.push_back(member);
    }
    to.components = uint32_t(std::min<uint64_t>(components, UINT32_MAX));
    return Done{};
}

Status Decoder::readPointerType(const Parsed& from, Type& to) {
    const bool forward = from.opcode == OpTypeForwardPointer;
    to.storage = spv::StorageClass(from[forward ? 1 : 0]);
    if (to.storage == spv::StorageClass::Output && program_->stage->sharesOutputs)
        to.storage = kSharedOutput;
    to.width = 64;
    to.components = to.storage == spv::StorageClass::PhysicalStorageBuffer ? 1 : 2;
    to.untyped = from.opcode == OpTypeUntypedPointerKHR;
    to.stride = decorations_.literal(to.id, spv::Decoration::ArrayStride);
    return Done{};
}

Status Decoder::readMatrixType(const Parsed& from, Type& to) {
    to.scope = spv::Scope(constantOf(from[1]));
    to.rows = constantOf(from[2]);
    to.columns = constantOf(from[3]);
    if (from.size() > 4) to.use = int32_t(constantOf(from[4]));
    const bool ofSubgroup = to.scope == spv::Scope::Subgroup;
    const uint32_t holders = ofSubgroup ? program_->lanes : std::max(program_->invocations, 1u);
    to.count = to.components = matrixLength(
        request_.placement, {to.rows, to.columns, to.use, holders, to.element->width, ofSubgroup});
    return Done{};
}

// Without components, and no value of any instruction, unless the device has images.
Status Decoder::readImageType(const Parsed& from, Type& to) {
    if (!request_.images) {
        to.kind = Kind::kOpaque;
        to.element = nullptr;
        return Done{};
    }
    to.components = to.kind == Kind::kSampledImage ? 2 : 1;
    if (to.kind != Kind::kImage) return Done{};
    to.dim = spv::Dim(from[1]);
    to.arrayed = from[3] != 0;
    to.isSampled = from[5] == 1;
    return Done{};
}

Status Decoder::readTensorType(const Parsed& from, Type& to) {
    to.dimensions = constantOf(from[0]);
    if (to.kind == Kind::kTensorLayout) {
        to.clampMode = constantOf(from[1]);
        to.components = kTensorLayoutComponents;
        return Done{};
    }
    to.hasDimensions = constantOf(from[1]) != 0;
    for (size_t i = 2; i < from.size(); ++i) to.permutation.push_back(constantOf(from[i]));
    to.components = kTensorViewComponents;
    return Done{};
}

}  // namespace coopvk::reference
