// SPDX-License-Identifier: Apache-2.0
#include "images/image_access.hpp"

#include <cstring>

namespace coopvk::reference::images {

Status prepareImage(Program& program, Instruction& i, uint32_t mask) {
    ImagePlan plan;
    const Slot& slot = program.slotAt(i, 0);
    plan.image = slot.type->kind == Kind::kPointer ? slot.pointee.type : slot.type;
    if (plan.image != nullptr && plan.image->kind == Kind::kSampledImage)
        plan.image = plan.image->element;
    if (plan.image == nullptr || plan.image->kind != Kind::kImage)
        return Error{ErrorCode::kUnsupported, ""};
    if (mask >= i.operands.size()) return prepared(i, std::move(plan));
    using enum spv::ImageOperandsMask;
    const uint32_t bits = i[mask].word;
    uint32_t next = mask + 1;
    const auto take = [&](spv::ImageOperandsMask bit, uint32_t& to) {
        if ((bits & uint32_t(bit)) != 0 && next < i.operands.size()) to = i[next++].slot;
    };
    take(Bias, plan.bias);
    take(Lod, plan.lod);
    take(Grad, plan.gradX);
    take(Grad, plan.gradY);
    take(ConstOffset, plan.offset);
    take(Offset, plan.offset);
    take(ConstOffsets, plan.offsets);
    take(Sample, plan.sample);
    take(MinLod, plan.minLod);
    uint32_t available = kNone, visible = kNone;
    take(MakeTexelAvailable, available);
    take(MakeTexelVisible, visible);
    const auto reach = [&](uint32_t scope) {
        return scope == kNone ? Reach::kInvocation : reachOf(spv::Scope(program.constantAt(scope)));
    };
    plan.access.available = reach(available);
    plan.access.visible = reach(visible);
    plan.access.isNonPrivate = (bits & uint32_t(NonPrivateTexel)) != 0;
    return prepared(i, std::move(plan));
}

bool ImageAccess::has(const TexelAddress& address) const {
    if (address.level >= view.levels.size()) return false;
    const TexelLevel& level = view.levels[address.level];
    const auto within = [](int64_t at, uint32_t size) { return at >= 0 && at < int64_t{size}; };
    return within(address.at[0], level.width) && within(address.at[1], level.height) &&
           within(address.at[2], level.depth) && within(address.layer, view.layers) &&
           within(address.sample, view.samples);
}

uint64_t ImageAccess::offsetOf(const TexelAddress& address) const {
    const TexelLevel& level = view.levels[address.level];
    const uint64_t x = uint64_t(address.at[0]) / view.format.blockWidth,
                   y = uint64_t(address.at[1]) / view.format.blockHeight;
    return level.offset + uint64_t(address.layer) * view.layer +
           uint64_t(address.at[2]) * level.slice + y * level.row +
           (x * view.samples + uint64_t(address.sample)) * view.format.bytes;
}

Memory ImageAccess::memoryAt(uint64_t offset) const {
    const auto base = reinterpret_cast<uint64_t>(&view.range);
    return {s, {spv::StorageClass::StorageBuffer, base, offset}, access};
}

// Words of the texel, as long as it is whole ones.
uint32_t ImageAccess::step() const {
    const uint32_t bytes = view.format.bytes;
    return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

Texel showing(const std::array<uint8_t, 4>& shows, const Texel& texel) {
    const double values[] = {texel[0], texel[1], texel[2], texel[3], 0, 1};
    Texel result;
    for (size_t c = 0; c < result.size(); ++c) result[c] = values[shows[c]];
    return result;
}

Texel ImageAccess::shown(const Texel& texel) const { return showing(view.shows, texel); }

Texel ImageAccess::read(const TexelAddress& address, bool& defined) const {
    if (!view.planes.empty()) {
        s.report(kCheckProgram, lane,
                 "reads an image with several planes otherwise than by a sampler that converts");
        return {};
    }
    TexelBytes bytes{};
    const Memory memory = memoryAt(offsetOf(address));
    for (uint32_t at = 0; at < view.format.bytes; at += step()) {
        const Element word = memory.read(lane, uint64_t{at} * 8, step() * 8);
        std::memcpy(bytes.data() + at, &word.bits, step());
        defined &= word.defined;
    }
    if (!view.format.isCompressed()) return shown(decodeTexel(view.format, bytes));
    return shown(decodeBlock(view.format, bytes, uint32_t(address.at[0]) % view.format.blockWidth,
                             uint32_t(address.at[1]) % view.format.blockHeight));
}

Texel ImageAccess::outside() const { return shown(withChannelsOf(view.format, {})); }

Texel ImageAccess::border(const Texel& color) const {
    return shown(view.planes.empty() ? withChannelsOf(view.format, color) : color);
}

void ImageAccess::write(const TexelAddress& address, const Texel& texel, bool defined) const {
    TexelBytes bytes{};
    encodeTexel(view.format, texel, bytes);
    const Memory memory = memoryAt(offsetOf(address));
    for (uint32_t at = 0; at < view.format.bytes; at += step()) {
        Element word{0, defined};
        std::memcpy(&word.bits, bytes.data() + at, step());
        memory.write(lane, uint64_t{at} * 8, step() * 8, word);
    }
}

const TexelView* viewOf(Subgroup& s, const Value& image, uint32_t lane) {
    const auto* view = reinterpret_cast<const TexelView*>(image.at(0, lane));
    if (view == nullptr) s.report(kCheckBounds, lane, "accesses an image that is not there");
    return view;
}

double floatAt(const Value& value, uint32_t component, uint32_t lane) {
    return numbers::decodeDouble(scalarOf(*value.type).number, value.at(component, lane));
}

int64_t integerAt(const Value& value, uint32_t component, uint32_t lane) {
    return signExtend(value.at(component, lane), scalarOf(*value.type).width);
}

uint32_t dimensionsOf(const Type& image, bool isSampled) {
    switch (image.dim) {
        case spv::Dim::Dim1D:
        case spv::Dim::Buffer:
            return 1;
        case spv::Dim::Dim3D:
            return 3;
        case spv::Dim::Cube:
            return isSampled ? 3 : 2;
        default:
            return 2;
    }
}

void setTexel(const Value& result, uint32_t lane, const Texel& texel, bool defined) {
    const Type& scalar = scalarOf(*result.type);
    for (uint32_t c = 0; c < result.components(); ++c) {
        const uint64_t bits = scalar.kind == Kind::kFloat
                                  ? numbers::encodeDouble(scalar.number, texel[c])
                                  : uint64_t(int64_t(texel[c])) & lowBits(scalar.width);
        result.set(c, lane, {bits, defined});
    }
}

}  // namespace coopvk::reference::images
