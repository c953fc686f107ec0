// SPDX-License-Identifier: Apache-2.0
#include "program/types.hpp"

#include <algorithm>

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
    switch (type.kind) {
        case Kind::kVector:
            if (composite.rowMajor && composite.matrixStride != 0) return composite.matrixStride;
            return sizeOf({type.element});
        case Kind::kMatrix:
            if (composite.rowMajor) return scalarSize(*type.element->element);
            return composite.matrixStride != 0 ? composite.matrixStride : sizeOf({type.element});
        default:
            return type.stride != 0
                       ? type.stride
                       : sizeOf({type.element, composite.matrixStride, composite.rowMajor});
    }
}

uint64_t sizeOf(const Pointee& pointee) {
    const Type& type = *pointee.type;
    switch (type.kind) {
        case Kind::kBool:
        case Kind::kInt:
        case Kind::kFloat:
            return scalarSize(type);
        case Kind::kPointer:
            return 8;
        case Kind::kVector:
        case Kind::kMatrix:
        case Kind::kArray:
            if (type.count == 0) return 0;
            if (holdsPairs(type)) return (uint64_t{type.count} * type.element->width + 7) / 8;
            return strideOf(pointee) * (type.count - 1) + sizeOf(pointeeOf(pointee, 0));
        case Kind::kStruct: {
            uint64_t size = 0;
            for (uint32_t i = 0; i < type.members.size(); ++i)
                size = std::max(size, type.members[i].offset + sizeOf(pointeeOf(pointee, i)));
            return size;
        }
        default:
            return 0;
    }
}

namespace {

void addLeaves(const Pointee& pointee, uint64_t offset, std::vector<Leaf>& leaves) {
    const Type& type = *pointee.type;
    if (type.isScalar() || type.kind == Kind::kPointer) {
        leaves.push_back({offset, &type});
    } else if (type.kind == Kind::kStruct) {
        for (uint32_t i = 0; i < type.members.size(); ++i)
            addLeaves(pointeeOf(pointee, i), offset + type.members[i].offset, leaves);
    } else if (holdsPairs(type)) {
        for (uint32_t i = 0; i < type.count; ++i) {
            const uint32_t bit = i * type.element->width;
            leaves.push_back({offset + bit / 8, type.element, bit % 8});
        }
    } else if (type.isComposite()) {
        const Pointee element = pointeeOf(pointee, 0);
        const uint64_t stride = strideOf(pointee);
        for (uint32_t i = 0; i < type.count; ++i) addLeaves(element, offset + i * stride, leaves);
    }
}

}  // namespace

std::vector<Leaf> leavesOf(const Pointee& pointee) {
    std::vector<Leaf> leaves;
    leaves.reserve(pointee.type->components);
    addLeaves(pointee, 0, leaves);
    return leaves;
}

}  // namespace coopvk::reference
