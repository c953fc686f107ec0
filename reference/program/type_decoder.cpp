// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "program/decoder.hpp"

namespace coopvk::reference {

namespace {

// Bytes to which a value is aligned in memory without decorations: those of its largest scalar.
uint64_t alignmentOf(const Type& type) {
    if (type.kind == Kind::kStruct) {
        uint64_t most = 1;
        for (const Member& member : type.members) most = std::max(most, alignmentOf(*member.type));
        return most;
    }
    if (type.isScalar() || type.kind == Kind::kPointer)
        return std::max<uint64_t>(sizeOf({&type}), 1);
    return type.element != nullptr ? alignmentOf(*type.element) : 1;
}

uint32_t pointerComponents(spv::StorageClass storage) {
    return storage == spv::StorageClass::PhysicalStorageBuffer ? 1 : 2;
}

}  // namespace

Type& Decoder::newType(uint32_t id, Kind kind) {
    const auto known = program_->typeOf.find(id);
    if (known != program_->typeOf.end()) {  // declared by OpTypeForwardPointer
        for (const auto& owned : program_->types)
            if (owned.get() == known->second) return *owned;
    }
    Type& type = *program_->types.emplace_back(std::make_unique<Type>());
    type.id = id;
    type.kind = kind;
    program_->typeOf[id] = &type;
    return type;
}

const Type* Decoder::type(uint32_t id) const {
    const auto found = program_->typeOf.find(id);
    return found != program_->typeOf.end() ? found->second : nullptr;
}

Status Decoder::readType(const Parsed& instruction) {
    struct TypeRow {
        spv::Op opcode;
        Kind kind;
        Status (Decoder::*read)(const Parsed&, Type&);
    };
    static constexpr TypeRow kRows[] = {
        {spv::Op::OpTypeVoid, Kind::kVoid, nullptr},
        {spv::Op::OpTypeBool, Kind::kBool, &Decoder::readScalarType},
        {spv::Op::OpTypeInt, Kind::kInt, &Decoder::readScalarType},
        {spv::Op::OpTypeFloat, Kind::kFloat, &Decoder::readScalarType},
        {spv::Op::OpTypeVector, Kind::kVector, &Decoder::readListType},
        {spv::Op::OpTypeVectorIdEXT, Kind::kVector, &Decoder::readListType},
        {spv::Op::OpTypeMatrix, Kind::kMatrix, &Decoder::readListType},
        {spv::Op::OpTypeArray, Kind::kArray, &Decoder::readListType},
        {spv::Op::OpTypeRuntimeArray, Kind::kRuntimeArray, &Decoder::readListType},
        {spv::Op::OpTypeStruct, Kind::kStruct, &Decoder::readStruct},
        {spv::Op::OpTypePointer, Kind::kPointer, &Decoder::readPointerType},
        {spv::Op::OpTypeUntypedPointerKHR, Kind::kPointer, &Decoder::readPointerType},
        {spv::Op::OpTypeForwardPointer, Kind::kPointer, &Decoder::readPointerType},
        {spv::Op::OpTypeFunction, Kind::kFunction, &Decoder::readFunctionType},
        {spv::Op::OpTypeCooperativeMatrixKHR, Kind::kCooperativeMatrix, &Decoder::readMatrixType},
        {spv::Op::OpTypeCooperativeMatrixNV, Kind::kCooperativeMatrix, &Decoder::readMatrixType},
        {spv::Op::OpTypeTensorLayoutNV, Kind::kTensorLayout, &Decoder::readTensorType},
        {spv::Op::OpTypeTensorViewNV, Kind::kTensorView, &Decoder::readTensorType},
    };
    const bool forward = instruction.opcode == spv::Op::OpTypeForwardPointer;
    const uint32_t id = forward ? instruction.operands[0].word : instruction.resultId;
    for (const TypeRow& row : kRows) {
        if (row.opcode != instruction.opcode) continue;
        Type& to = newType(id, row.kind);
        return row.read != nullptr ? (this->*row.read)(instruction, to) : Status(Done{});
    }
    newType(id, Kind::kOpaque);
    return Done{};
}

Status Decoder::readScalarType(const Parsed& instruction, Type& to) {
    const auto& operands = instruction.operands;
    to.components = 1;
    to.width = to.kind == Kind::kBool ? 1 : operands[0].word;
    if (to.kind == Kind::kInt) to.isSigned = operands[1].word != 0;
    if (to.kind != Kind::kFloat || operands.size() < 2) return Done{};
    switch (static_cast<spv::FPEncoding>(operands[1].word)) {
        case spv::FPEncoding::BFloat16KHR:
            to.format = FloatFormat::kBFloat16;
            return Done{};
        case spv::FPEncoding::Float8E4M3EXT:
            to.format = FloatFormat::kE4M3;
            return Done{};
        case spv::FPEncoding::Float8E5M2EXT:
            to.format = FloatFormat::kE5M2;
            return Done{};
        default:
            return unsupported(instruction);
    }
}

// Vectors, matrices, arrays.
Status Decoder::readListType(const Parsed& instruction, Type& to) {
    to.element = type(instruction.operands[0].word);
    if (to.element == nullptr) return invalid(instruction, "the element has no type");
    to.cooperativeVector = instruction.opcode == spv::Op::OpTypeVectorIdEXT;
    if (to.kind == Kind::kArray || to.cooperativeVector) {
        to.count = constantOf(instruction.operands[1].word);
    } else if (to.kind != Kind::kRuntimeArray) {
        to.count = instruction.operands[1].word;
    }
    to.stride = decorations_.of(to.id, spv::Decoration::ArrayStride).value_or(0);
    const uint64_t components = uint64_t{to.count} * to.element->components;
    // Large arrays are of memory. No value has so many components.
    to.components = static_cast<uint32_t>(std::min<uint64_t>(components, ~uint32_t{0}));
    return Done{};
}

Status Decoder::readStruct(const Parsed& instruction, Type& to) {
    to.block = decorations_.has(to.id, spv::Decoration::Block) ||
               decorations_.has(to.id, spv::Decoration::BufferBlock);
    uint64_t offset = 0;
    uint64_t components = 0;
    for (uint32_t i = 0; i < instruction.operands.size(); ++i) {
        Member member;
        member.type = type(instruction.operands[i].word);
        if (member.type == nullptr) return invalid(instruction, "a member has no type");
        const uint64_t alignment = alignmentOf(*member.type);
        offset = (offset + alignment - 1) / alignment * alignment;
        offset = decorations_.of(to.id, spv::Decoration::Offset, i)
                     .value_or(static_cast<uint32_t>(offset));
        member.offset = offset;
        member.component = static_cast<uint32_t>(components);
        member.matrixStride = decorations_.of(to.id, spv::Decoration::MatrixStride, i).value_or(0);
        member.rowMajor = decorations_.of(to.id, spv::Decoration::RowMajor, i).has_value();
        offset += sizeOf({member.type, member.matrixStride, member.rowMajor});
        components += member.type->components;
        to.members.push_back(member);
    }
    to.components = static_cast<uint32_t>(std::min<uint64_t>(components, ~uint32_t{0}));
    return Done{};
}

Status Decoder::readPointerType(const Parsed& instruction, Type& to) {
    const bool forward = instruction.opcode == spv::Op::OpTypeForwardPointer;
    to.storage = static_cast<spv::StorageClass>(instruction.operands[forward ? 1 : 0].word);
    to.width = 64;
    to.components = pointerComponents(to.storage);
    to.untyped = instruction.opcode == spv::Op::OpTypeUntypedPointerKHR;
    to.stride = decorations_.of(to.id, spv::Decoration::ArrayStride).value_or(0);
    if (instruction.opcode == spv::Op::OpTypePointer) {
        to.element = type(instruction.operands[1].word);
        if (to.element == nullptr) return invalid(instruction, "the pointee has no type");
    }
    return Done{};
}

Status Decoder::readFunctionType(const Parsed& instruction, Type& to) {
    to.element = type(instruction.operands[0].word);
    for (size_t i = 1; i < instruction.operands.size(); ++i)
        to.parameters.push_back(type(instruction.operands[i].word));
    return Done{};
}

Status Decoder::readMatrixType(const Parsed& instruction, Type& to) {
    const auto& operands = instruction.operands;
    to.element = type(operands[0].word);
    to.scope = static_cast<spv::Scope>(constantOf(operands[1].word));
    to.rows = constantOf(operands[2].word);
    to.columns = constantOf(operands[3].word);
    if (operands.size() > 4) to.use = static_cast<int32_t>(constantOf(operands[4].word));
    const uint64_t holders =
        to.scope == spv::Scope::Subgroup ? program_->lanes : std::max(program_->invocations, 1u);
    const uint64_t elements = uint64_t{to.rows} * to.columns;
    to.components = static_cast<uint32_t>((elements + holders - 1) / holders);
    to.count = to.components;
    return Done{};
}

Status Decoder::readTensorType(const Parsed& instruction, Type& to) {
    const auto& operands = instruction.operands;
    to.dimensions = constantOf(operands[0].word);
    if (to.kind == Kind::kTensorLayout) {
        to.clampMode = constantOf(operands[1].word);
        to.components = 5 * to.dimensions + 1;
        return Done{};
    }
    to.hasDimensions = constantOf(operands[1].word) != 0;
    for (size_t i = 2; i < operands.size(); ++i)
        to.permutation.push_back(constantOf(operands[i].word));
    to.components = 2 * to.dimensions + 4;
    return Done{};
}

}  // namespace coopvk::reference
