// SPDX-License-Identifier: Apache-2.0
#include "ir/type_sizes.hpp"

#include <algorithm>
#include <bit>

#include "coopvk/vector_matrix.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kPointerBytes = 8;
constexpr uint32_t kSharedAlignment = 16;  // of structures

uint64_t timesCount(uint64_t size, uint64_t count) {
    return size != 0 && count > kTooManyBytes / size ? kTooManyBytes : size * count;
}

// The types whose sizes that of a type needs.
std::span<const Operand> innerTypes(const Instruction& type) {
    if (type.opcode == OpTypeStruct) return type.operands;
    const bool hasElements =
        isArrayType(type.opcode) ||
        isOneOf(type.opcode, {OpTypeVector, OpTypeMatrix, OpTypeCooperativeVectorNV});
    return std::span(type.operands).first(hasElements ? 1 : 0);
}

}  // namespace

TypeSize TypeSizes::of(Id type) {
    // Not by recursion, since hostile modules have deep types.
    std::vector<Id> pending = {type};
    while (!pending.empty()) {
        const Id one = pending.back();
        const Instruction& definition = module_.def(one);
        const auto [entry, isNew] = known_.try_emplace(one);
        if (isNew) {
            for (const Operand& part : innerTypes(definition)) {
                if (!known_.contains(part.word)) pending.push_back(part.word);
            }
            if (pending.back() != one) continue;
        }
        pending.pop_back();
        TypeSize size = measure(definition);
        size.bytes = std::min(size.bytes, kTooManyBytes);
        known_[one] = size;
    }
    return known_[type];
}

TypeSize TypeSizes::known(Id type) const {
    const auto found = known_.find(type);
    return found == known_.end() ? TypeSize{} : found->second;
}

TypeSize TypeSizes::measure(const Instruction& type) {
    switch (type.opcode) {
        case OpTypeBool:
            return layout_ == MemoryLayout::kShared ? TypeSize{.bytes = 4} : TypeSize{};
        case OpTypeInt:
        case OpTypeFloat:
            if (layout_ == MemoryLayout::kExplicit) return ofScalar(type.word(0) / 8);
            return ofScalar(std::max((type.word(0) + 7) / 8, 1u));
        case OpTypePointer:
        case OpTypeUntypedPointerKHR:
            return ofScalar(kPointerBytes);
        case OpTypeVector:
            return ofVector(type);
        case OpTypeMatrix:
            if (layout_ == MemoryLayout::kOpenCl) return {};
            return ofMatrix(
                type.word(0), known(type.word(0)).bytes,
                layout_ == MemoryLayout::kShared ? roundUp(type.word(1), 2) : type.word(1));
        case OpTypeCooperativeVectorNV:
            if (layout_ != MemoryLayout::kShared) return {};
            [[fallthrough]];
        case OpTypeArray:
        case OpTypeRuntimeArray:
            return ofArray(type);
        case OpTypeStruct:
            return ofStructure(type);
        default:
            return {.bytes = layout_ == MemoryLayout::kShared ? kTooManyBytes : 0};
    }
}

TypeSize TypeSizes::ofScalar(uint32_t bytes) const {
    return bytes == 0 ? TypeSize{} : TypeSize{bytes, bytes, bytes};
}

TypeSize TypeSizes::ofVector(const Instruction& type) const {
    const TypeSize scalar = known(type.word(0));
    const auto bytes = static_cast<uint32_t>(scalar.bytes);
    const uint32_t count = std::min(type.word(1), 16u);
    if (bytes == 0) return {};
    switch (layout_) {
        case MemoryLayout::kExplicit:
            return {uint64_t{bytes} * type.word(1), bytes * (count == 2 ? 2 : 4), bytes};
        case MemoryLayout::kShared:
            return {scalar.bytes * roundUp(type.word(1), 2), bytes, scalar.scalarAlignment};
        case MemoryLayout::kOpenCl:
            break;
    }
    return {uint64_t{bytes} * std::bit_ceil(count), bytes * std::bit_ceil(count), bytes};
}

TypeSize TypeSizes::ofMatrix(Id column, uint64_t stride, uint64_t lines) const {
    TypeSize size = known(column);
    size.bytes = timesCount(stride, lines);
    return size;
}

TypeSize TypeSizes::ofArray(const Instruction& type) const {
    TypeSize size = known(type.word(0));
    const auto stride = module_.decoration(type.result, spv::Decoration::ArrayStride);
    const auto length = type.opcode == OpTypeRuntimeArray ? std::optional<uint64_t>()
                                                          : module_.constantValue(type.word(1));
    switch (layout_) {
        case MemoryLayout::kExplicit: {
            const uint64_t count = type.opcode == OpTypeRuntimeArray ? 1 : length.value_or(0);
            if (size.bytes != 0) size.bytes = timesCount(stride.value_or(0), count);
            break;
        }
        case MemoryLayout::kShared:
            size.bytes = type.opcode == OpTypeRuntimeArray
                             ? kTooManyBytes
                             : timesCount(size.bytes, length.value_or(kTooManyBytes));
            break;
        case MemoryLayout::kOpenCl: {
            const uint64_t unknown = type.opcode == OpTypeArray ? kTooManyBytes : 0;
            size.bytes = timesCount(stride ? *stride : size.bytes, length.value_or(unknown));
            break;
        }
    }
    return size;
}

// A member that is a matrix says how its lines lie.
TypeSize TypeSizes::ofMember(const Instruction& structure, uint32_t member) const {
    const Id id = structure.word(member);
    const Instruction& type = module_.def(id);
    const auto stride =
        module_.memberDecoration(structure.result, member, spv::Decoration::MatrixStride);
    if (layout_ != MemoryLayout::kExplicit || type.opcode != OpTypeMatrix || !stride) {
        return known(id);
    }
    const bool areRows =
        module_.memberDecoration(structure.result, member, spv::Decoration::RowMajor).has_value();
    const uint32_t rows = module_.def(type.word(0)).word(1);
    return ofMatrix(type.word(0), *stride, areRows ? rows : type.word(1));
}

std::optional<uint64_t> TypeSizes::memberStart(const Instruction& type, uint32_t member,
                                               uint64_t end) {
    if (layout_ == MemoryLayout::kShared) return roundUp(end, kSharedAlignment);
    const auto offset = module_.memberDecoration(type.result, member, spv::Decoration::Offset);
    if (offset || layout_ == MemoryLayout::kExplicit) return offset;
    const bool isPacked = module_.decoration(type.result, spv::Decoration::CPacked).has_value();
    return isPacked ? end : roundUp(end, of(type.word(member)).alignment);
}

TypeSize TypeSizes::ofStructure(const Instruction& type) {
    TypeSize whole;
    const bool isExplicit = layout_ == MemoryLayout::kExplicit;
    const bool isPacked = layout_ == MemoryLayout::kOpenCl &&
                          module_.decoration(type.result, spv::Decoration::CPacked).has_value();
    bool isScalar = false;
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const TypeSize member = ofMember(type, m);
        const auto start = memberStart(type, m, whole.bytes);
        if (!start || (isExplicit && member.bytes == 0)) return {};
        isScalar = isScalar || (isExplicit && *start % member.alignment != 0);
        whole.bytes = std::min(std::max(whole.bytes, *start + member.bytes), kTooManyBytes);
        if (!isPacked) whole.alignment = std::max(whole.alignment, member.alignment);
        whole.scalarAlignment = std::max(whole.scalarAlignment, member.scalarAlignment);
    }
    if (isScalar) whole.alignment = whole.scalarAlignment;
    const bool isShared = layout_ == MemoryLayout::kShared;
    whole.bytes = roundUp(whole.bytes, isShared ? kSharedAlignment : whole.alignment);
    return whole;
}

uint32_t bytesOf(const TypeTable& types, Id type) {
    return types.width(type) / 8 * types.components(type);
}

uint32_t sizeOfType(const TypeTable& types, Id type) {
    const uint64_t size = TypeSizes(types.module(), MemoryLayout::kExplicit).of(type).bytes;
    return size >= kTooManyBytes ? 0 : static_cast<uint32_t>(size);
}

}  // namespace coopvk::rewrite
