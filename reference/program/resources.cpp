// SPDX-License-Identifier: Apache-2.0
//
// What variables with a set and a binding are declared as.
#include "program/decoder.hpp"

namespace coopvk::reference {

// The variable is decorated, or each member of the block is.
bool Decoder::isReadOnly(uint32_t id, const Type& held) const {
    constexpr auto kNonWritable = spv::Decoration::NonWritable;
    if (decorations_.has(id, kNonWritable)) return true;
    if (held.members.empty()) return false;
    for (uint32_t i = 0; i < held.members.size(); ++i)
        if (!decorations_.of(held.id, kNonWritable, i)) return false;
    return true;
}

void Decoder::numberVariable(uint32_t id, Variable& variable) {
    if (!isDescriptor(variable.storage) || variable.builtIn != kNone) return;
    const Type* held = variable.type;
    while (held != nullptr && (held->kind == Kind::kArray || held->kind == Kind::kRuntimeArray))
        held = held->element;
    DeclaredAs as;
    using enum ResourceKind;
    if (held != nullptr && held->kind == Kind::kStruct) {
        const bool isUniform = variable.storage == spv::StorageClass::Uniform &&
                               !decorations_.has(held->id, spv::Decoration::BufferBlock);
        as.kind = isUniform ? kUniformBuffer : isReadOnly(id, *held) ? kReadOnlyBuffer : kBuffer;
    } else if (held != nullptr && held->isImage()) {
        as.kind = held->kind == Kind::kSampler        ? kSampler
                  : held->kind == Kind::kSampledImage ? kCombined
                  : held->isSampled                   ? kSampledImage
                  : isReadOnly(id, *held)             ? kReadOnlyImage
                                                      : kImage;
        const Type& image = held->kind == Kind::kSampledImage ? *held->element : *held;
        as.isTexelBuffer = image.kind == Kind::kImage && image.dim == spv::Dim::Buffer;
    }
    program_->resources.push_back({variable.set, variable.binding, as});
    variable.set = uint32_t(program_->resources.size() - 1);
}

}  // namespace coopvk::reference
