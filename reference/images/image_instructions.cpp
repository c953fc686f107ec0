// SPDX-License-Identifier: Apache-2.0
//
// Image instructions (SPIR-V, 3.52.10) that compute shaders may have.
#include "images/image_access.hpp"

namespace coopvk::reference {
namespace {

using namespace images;

// What an instruction accesses in a lane: the whole number coordinates of operand 1, of which there
// may be more than the image needs.
TexelAddress addressOf(const Subgroup& s, const ImagePlan& plan, const Value& coordinate,
                       uint32_t lane) {
    TexelAddress address;
    const uint32_t dimensions = dimensionsOf(*plan.image, false);
    for (uint32_t d = 0; d < dimensions; ++d) address.at[d] = integerAt(coordinate, d, lane);
    if (plan.image->arrayed || plan.image->dim == spv::Dim::Cube)
        address.layer = integerAt(coordinate, dimensions, lane);
    if (plan.lod != kNone) address.level = uint32_t(s.values[plan.lod].at(0, lane));
    if (plan.sample != kNone) address.sample = integerAt(s.values[plan.sample], 0, lane);
    if (plan.offset != kNone)
        for (uint32_t d = 0; d < dimensions; ++d)
            address.at[d] += integerAt(s.values[plan.offset], d, lane);
    return address;
}

// Whether there is such a texel; reports it else.
bool reaches(const ImageAccess& image, const TexelAddress& address) {
    if (image.view.isNull) return false;
    const bool has = image.has(address);
    if (!has)
        image.s.report(
            kCheckBounds, image.lane,
            std::format("accesses texel {}, {}, {} of level {} and layer {}, outside of "
                        "the image",
                        address.at[0], address.at[1], address.at[2], address.level, address.layer));
    return has;
}

void usesCoordinates(Subgroup& s, uint32_t operand = 1) { s.uses({kEventIndex, operand}); }

// OpImageRead, OpImageFetch.
void readImage(Subgroup& s, Out result, In image, In coordinate) {
    usesCoordinates(s);
    const auto& plan = s.plan<ImagePlan>();
    s.mask.forEach([&](uint32_t lane) {
        bool defined = true;
        Texel texel{};
        if (const TexelView* view = viewOf(s, image, lane)) {
            const ImageAccess access{s, *view, lane, plan.access};
            const TexelAddress address = addressOf(s, plan, coordinate, lane);
            if (reaches(access, address))
                texel = access.read(address, defined);
            else if (!view->isNull)
                texel = access.outside();
        }
        setTexel(result, lane, texel, defined);
    });
}

void writeImage(Subgroup& s, In image, In coordinate, In value) {
    usesCoordinates(s);
    const auto& plan = s.plan<ImagePlan>();
    const LaneMask defined = definedInAll(value);
    const Type& scalar = scalarOf(*value.type);
    s.mask.forEach([&](uint32_t lane) {
        const TexelView* view = viewOf(s, image, lane);
        if (view == nullptr) return;
        const ImageAccess access{s, *view, lane, plan.access};
        const TexelAddress address = addressOf(s, plan, coordinate, lane);
        if (!reaches(access, address)) return;
        Texel texel{};
        const auto components = std::min(value.components(), uint32_t(texel.size()));
        for (uint32_t c = 0; c < components; ++c)
            texel[c] = scalar.kind == Kind::kFloat ? floatAt(value, c, lane)
                       : scalar.isSigned           ? double(integerAt(value, c, lane))
                                                   : double(value.at(c, lane));
        access.write(address, texel, defined.test(lane));
    });
}

// The pointer to a texel, for atomic operations. The operands begin at `first`.
void pointToTexel(Subgroup& s, const Value& result, uint32_t first) {
    usesCoordinates(s, first + 1);
    const auto& plan = s.plan<ImagePlan>();
    const Value &pointer = s.operand(first), &coordinate = s.operand(first + 1);
    const Value& sampleNumber = s.operand(first + 2);
    s.mask.forEach([&](uint32_t lane) {
        const TexelView* view = texelsAt(s, pointer, lane, *plan.image);
        result.set(0, lane, {reinterpret_cast<uint64_t>(view != nullptr ? &view->range : nullptr)});
        result.set(1, lane, {0});
        if (view == nullptr || view->isNull) return;
        const ImageAccess access{s, *view, lane, plan.access};
        TexelAddress address = addressOf(s, plan, coordinate, lane);
        address.sample = integerAt(sampleNumber, 0, lane);
        if (access.has(address))
            result.at(1, lane) = access.offsetOf(address);
        else
            result.at(0, lane) |= kOutside;
    });
}
void texelPointer(Subgroup& s, Out result) { pointToTexel(s, result, 0); }
// SPV_EXT_descriptor_heap: the type of the image comes first.
void untypedTexelPointer(Subgroup& s, Out result) { pointToTexel(s, result, 1); }
Status prepareUntyped(Program& program, Instruction& i) {
    const Type* image = program.type(i[0].word);
    if (image == nullptr || image->kind != Kind::kImage) return Error{ErrorCode::kUnsupported, ""};
    return prepared(i, ImagePlan{.image = image});
}

// Coordinates of a sample; `divisor`: a component by which the others are divided.
SampleOperands sampleOperands(const Subgroup& s, const Value& coordinate, bool isProjected,
                              uint32_t lane) {
    const auto& plan = s.plan<ImagePlan>();
    SampleOperands operands;
    const uint32_t dimensions = dimensionsOf(*plan.image, true);
    const double divisor =
        isProjected ? floatAt(coordinate, coordinate.components() - 1, lane) : 1.0;
    for (uint32_t d = 0; d < dimensions; ++d)
        operands.at[d] = floatAt(coordinate, d, lane) / divisor;
    if (plan.image->arrayed) operands.layer = floatAt(coordinate, dimensions, lane);
    const auto number = [&](uint32_t slot) {
        return slot == kNone ? 0.0 : floatAt(s.values[slot], 0, lane);
    };
    operands.lod = number(plan.lod);
    operands.bias = number(plan.bias);
    operands.minLod = number(plan.minLod);
    if (plan.gradX != kNone && plan.gradY != kNone) {
        auto& both = operands.gradients.emplace();
        for (uint32_t d = 0; d < dimensions; ++d) {
            both[0][d] = floatAt(s.values[plan.gradX], d, lane);
            both[1][d] = floatAt(s.values[plan.gradY], d, lane);
        }
    }
    if (plan.offset != kNone)
        for (uint32_t d = 0; d < s.values[plan.offset].components(); ++d)
            operands.offset[d] = integerAt(s.values[plan.offset], d, lane);
    return operands;
}

// Whether an instruction finds the level of detail by derivatives of its coordinates.
bool isImplicit(spv::Op opcode) {
    constexpr spv::Op kImplicit[] = {OpImageSampleImplicitLod, OpImageSampleDrefImplicitLod,
                                     OpImageSampleProjImplicitLod,
                                     OpImageSampleProjDrefImplicitLod};
    return std::ranges::find(kImplicit, opcode) != std::end(kImplicit);
}

// "dPdx" and "dPdy" of the coordinates in the quad. Nothing, if a lane that they need is not there.
std::optional<Gradients> gradientsOf(const Subgroup& s, const Value& coordinate, bool isProjected,
                                     uint32_t lane) {
    const LaneMask defined = definedInAll(coordinate);
    const auto at = [&](uint32_t other) {
        return sampleOperands(s, coordinate, isProjected, other).at;
    };
    Gradients both{};
    for (const uint32_t axis : {0u, 1u}) {
        const uint32_t bit = 1u << axis, first = lane & ~bit, second = lane | bit;
        for (const uint32_t other : {first, second})
            if (!s.mask.test(other) || !defined.test(other)) return std::nullopt;
        const auto from = at(first), to = at(second);
        for (size_t d = 0; d < to.size(); ++d) both[axis][d] = to[d] - from[d];
    }
    return both;
}

// Without gradients the level is undefined, and what it is may be without effect.
void findGradients(const ImageAccess& access, const SamplerState& sampler, const Value& coordinate,
                   bool isProjected, SampleOperands& operands, bool& defined) {
    if (!isImplicit(access.s.at->opcode)) return;
    operands.gradients = gradientsOf(access.s, coordinate, isProjected, access.lane);
    defined &=
        operands.gradients.has_value() ||
        (access.view.levels.size() == 1 && sampler.magnifiesLinearly == sampler.minifiesLinearly);
}

// Calls f(image, sampler, lane, defined) for each lane that has both; it returns the texel.
template <typename F>
void sampleAll(Subgroup& s, const Value& result, const Value& image, const F& f) {
    usesCoordinates(s);
    const auto& plan = s.plan<ImagePlan>();
    const LaneMask coordinates = definedInAll(s.operand(1));
    s.mask.forEach([&](uint32_t lane) {
        bool defined = coordinates.test(lane);
        Texel texel{};
        const TexelView* view = viewOf(s, image, lane);
        const auto* sampler = reinterpret_cast<const SamplerState*>(image.at(1, lane));
        if (sampler == nullptr) s.report(kCheckBounds, lane, "uses a sampler that is not there");
        if (view != nullptr && sampler != nullptr && !view->isNull)
            texel = f(ImageAccess{s, *view, lane, plan.access}, *sampler, lane, defined);
        setTexel(result, lane, texel, defined);
    });
}

template <bool kProjected>
void sampleImage(Subgroup& s, Out result, In image, In coordinate) {
    sampleAll(
        s, result, image,
        [&](const ImageAccess& access, const SamplerState& sampler, uint32_t lane, bool& defined) {
            auto operands = sampleOperands(s, coordinate, kProjected, lane);
            findGradients(access, sampler, coordinate, kProjected, operands, defined);
            return sample(access, sampler, operands, defined);
        });
}

// Operand 2 is what the depth is compared with.
template <bool kProjected>
void sampleDepth(Subgroup& s, Out result, In image, In coordinate, In reference) {
    sampleAll(
        s, result, image,
        [&](const ImageAccess& access, const SamplerState& sampler, uint32_t lane, bool& defined) {
            auto operands = sampleOperands(s, coordinate, kProjected, lane);
            operands.reference = floatAt(reference, 0, lane);
            findGradients(access, sampler, coordinate, kProjected, operands, defined);
            return sample(access, sampler, operands, defined);
        });
}

void queryLod(Subgroup& s, Out result, In image, In coordinate) {
    sampleAll(
        s, result, image,
        [&](const ImageAccess& access, const SamplerState& sampler, uint32_t lane, bool& defined) {
            auto operands = sampleOperands(s, coordinate, false, lane);
            operands.gradients = gradientsOf(s, coordinate, false, lane);
            defined &= operands.gradients.has_value();
            return levelsOf(access, sampler, operands);
        });
}

// Operand 2: the component, or what the depth is compared with.
template <bool kCompares>
void gatherImage(Subgroup& s, Out result, In image, In coordinate, In which) {
    const auto& plan = s.plan<ImagePlan>();
    sampleAll(
        s, result, image,
        [&](const ImageAccess& access, const SamplerState& sampler, uint32_t lane, bool& defined) {
            auto operands = sampleOperands(s, coordinate, false, lane);
            if (kCompares) operands.reference = floatAt(which, 0, lane);
            std::array<std::array<int64_t, 2>, 4> offsets{};
            for (uint32_t n = 0; plan.offsets != kNone && n < 8; ++n)
                offsets[n / 2][n % 2] = integerAt(s.values[plan.offsets], n, lane);
            return gather(access, sampler, operands, kCompares ? 0 : uint32_t(which.at(0, lane)),
                          plan.offsets != kNone ? &offsets : nullptr, defined);
        });
}

void joinSampler(Subgroup& s, Out result, In image, In sampler) {
    s.mask.forEach([&](uint32_t lane) {
        result.set(0, lane, image.get(0, lane));
        result.set(1, lane, sampler.get(0, lane));
    });
}
void imageOf(Subgroup& s, Out result, In sampled) {
    s.mask.forEach([&](uint32_t lane) { result.set(0, lane, sampled.get(0, lane)); });
}

// The numbers of a view, or zeros.
template <typename F>
void query(Subgroup& s, const Value& result, const Value& image, const F& f) {
    s.mask.forEach([&](uint32_t lane) {
        const TexelView* view = viewOf(s, image, lane);
        std::array<uint64_t, 4> numbers{};
        if (view != nullptr && !view->isNull) numbers = f(*view, lane);
        for (uint32_t c = 0; c < result.components(); ++c) result.set(c, lane, {numbers[c]});
    });
}

// OpImageQuerySize, OpImageQuerySizeLod.
template <bool kOfLevel>
void querySize(Subgroup& s, Out result, In image) {
    const Type& type = *s.plan<ImagePlan>().image;
    const bool isCube = type.dim == spv::Dim::Cube;
    query(s, result, image, [&](const TexelView& view, uint32_t lane) {
        const uint64_t level = kOfLevel ? s.operand(1).at(0, lane) : 0;
        std::array<uint64_t, 4> sizes{};
        if (level >= view.levels.size()) return sizes;
        const TexelLevel& of = view.levels[level];
        sizes = {of.width, of.height, of.depth};
        if (type.arrayed) sizes[dimensionsOf(type, false)] = view.layers / (isCube ? 6 : 1);
        return sizes;
    });
}

void queryLevels(Subgroup& s, Out result, In image) {
    query(s, result, image, [](const TexelView& view, uint32_t) {
        return std::array<uint64_t, 4>{view.levels.size()};
    });
}
void querySamples(Subgroup& s, Out result, In image) {
    query(s, result, image,
          [](const TexelView& view, uint32_t) { return std::array<uint64_t, 4>{view.samples}; });
}

// `mask`: the operand with the mask of optional operands.
template <auto kFunction, uint32_t kMask>
constexpr OpcodeRow image(spv::Op opcode) {
    return row<kFunction>(opcode, Defined::kHandler, prepareImage<kMask>);
}
constexpr OpcodeRow kImageRows[] = {
    image<readImage, 2>(OpImageRead),
    image<readImage, 2>(OpImageFetch),
    image<writeImage, 3>(OpImageWrite),
    image<texelPointer, kNone>(OpImageTexelPointer),
    row<untypedTexelPointer>(OpUntypedImageTexelPointerEXT, Defined::kHandler, prepareUntyped),
    image<sampleImage<false>, 2>(OpImageSampleExplicitLod),
    image<sampleImage<true>, 2>(OpImageSampleProjExplicitLod),
    image<sampleDepth<false>, 3>(OpImageSampleDrefExplicitLod),
    image<sampleDepth<true>, 3>(OpImageSampleProjDrefExplicitLod),
    image<sampleImage<false>, 2>(OpImageSampleImplicitLod),
    image<sampleImage<true>, 2>(OpImageSampleProjImplicitLod),
    image<sampleDepth<false>, 3>(OpImageSampleDrefImplicitLod),
    image<sampleDepth<true>, 3>(OpImageSampleProjDrefImplicitLod),
    image<queryLod, kNone>(OpImageQueryLod),
    image<gatherImage<false>, 3>(OpImageGather),
    image<gatherImage<true>, 3>(OpImageDrefGather),
    image<joinSampler, kNone>(OpSampledImage),
    image<imageOf, kNone>(OpImage),
    image<querySize<false>, kNone>(OpImageQuerySize),
    image<querySize<true>, kNone>(OpImageQuerySizeLod),
    image<queryLevels, kNone>(OpImageQueryLevels),
    image<querySamples, kNone>(OpImageQuerySamples),
};

}  // namespace

Rows imageRows() { return kImageRows; }

}  // namespace coopvk::reference
