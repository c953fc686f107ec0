// SPDX-License-Identifier: Apache-2.0
//
// Images and samplers to which pointers lead: of a variable with a binding, or in a heap.
#include "coopvk_reference/texels.hpp"
#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

// The variable, and the number of the descriptor there; null: the pointer leads to none.
const Variable* descriptorsAt(const Value& pointer, uint32_t lane, uint32_t& element) {
    const uint64_t base = pointer.at(0, lane);
    element = uint32_t(pointer.at(1, lane) / kDescriptorBytes);
    return (base & kOutside) == 0 ? variableAt(base) : nullptr;
}

}  // namespace

const TexelView* texelsAt(Subgroup& s, const Value& pointer, uint32_t lane, const Type& image) {
    uint32_t element = 0;
    const Variable* variable = descriptorsAt(pointer, lane, element);
    if (variable == nullptr) return nullptr;
    Resources& resources = *s.group->resources;
    if (variable->builtIn == kNone)
        return resources.texels(variable->set, variable->binding, element);
    if (isHeapOfSamplers(*variable)) return nullptr;
    const ResourceKind kind = image.isSampled ? ResourceKind::kSampledImage : ResourceKind::kImage;
    return resources.texelsInHeap(pointer.at(1, lane), {kind, image.dim == spv::Dim::Buffer});
}

const SamplerState* samplerAt(Subgroup& s, const Value& pointer, uint32_t lane) {
    uint32_t element = 0;
    const Variable* variable = descriptorsAt(pointer, lane, element);
    if (variable == nullptr) return nullptr;
    Resources& resources = *s.group->resources;
    if (variable->builtIn == kNone)
        return resources.sampler(variable->set, variable->binding, element);
    return isHeapOfSamplers(*variable) ? resources.samplerInHeap(pointer.at(1, lane)) : nullptr;
}

void loadDescriptor(Subgroup& s, Out result, In pointer) {
    const Type& type = *result.type;
    const bool isSampler = type.kind == Kind::kSampler;
    const Type& image = type.kind == Kind::kSampledImage ? *type.element : type;
    s.mask.forEach([&](uint32_t lane) {
        const auto set = [&](uint32_t component, const void* found) {
            result.set(component, lane, {reinterpret_cast<uint64_t>(found)});
        };
        if (isSampler) return set(0, samplerAt(s, pointer, lane));
        set(0, texelsAt(s, pointer, lane, image));
        if (type.kind != Kind::kSampledImage) return;
        // Texel buffers have no samplers, also those that are declared with one.
        const bool hasSampler = image.dim != spv::Dim::Buffer;
        set(1, hasSampler ? samplerAt(s, pointer, lane) : nullptr);
    });
}

}  // namespace coopvk::reference
