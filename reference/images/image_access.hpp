// SPDX-License-Identifier: Apache-2.0
//
// What instructions on images share: their operands, and accesses to texels. As values images and
// samplers are addresses, on the host, of a TexelView and a SamplerState; a sampled image is both.
#pragma once

#include "coopvk_reference/texels.hpp"
#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference::images {

// Optional operands, by slot.
struct ImagePlan {
    const Type* image = nullptr;
    uint32_t bias = kNone, lod = kNone, gradX = kNone, gradY = kNone, offset = kNone;
    uint32_t offsets = kNone, sample = kNone, minLod = kNone;
    Access access;
};
// The image is operand 0. `mask`: the operand with the mask of optional operands. Error without a
// message: the program has no images.
Status prepareImage(Program& program, Instruction& i, uint32_t mask);
template <uint32_t kMask>
Status prepareImage(Program& program, Instruction& i) {
    return prepareImage(program, i, kMask);
}

// Whole numbers; layers, and faces of a cube, are the last ones.
struct TexelAddress {
    uint32_t level = 0;
    std::array<int64_t, 3> at = {};
    int64_t layer = 0, sample = 0;
};

// The components that a view, or a conversion, makes of those of a texel.
Texel showing(const std::array<uint8_t, 4>& shows, const Texel& texel);

// An access of a lane to a view.
struct ImageAccess {
    Subgroup& s;
    const TexelView& view;
    uint32_t lane;
    const Access& access;

    bool has(const TexelAddress& address) const;
    // In view.range; it must be there.
    uint64_t offsetOf(const TexelAddress& address) const;
    // With the components that the view shows. `defined` becomes false if a byte is not.
    Texel read(const TexelAddress& address, bool& defined) const;
    // What a read gives outside of the image: zeros, and what the format lacks (Vulkan, "Robust
    // Image Access 2").
    Texel outside() const;
    // A border of a color: the color has the components of the format alone (Vulkan, "Texel
    // Replacement"), the others are as in its texels.
    Texel border(const Texel& color) const;
    void write(const TexelAddress& address, const Texel& texel, bool defined) const;
    Texel shown(const Texel& texel) const;

 private:
    Memory memoryAt(uint64_t offset) const;
    uint32_t step() const;  // bytes of an access
};

// Null, and a report, if there is none.
const TexelView* viewOf(Subgroup& s, const Value& image, uint32_t lane);

// Coordinates of an operand.
double floatAt(const Value& value, uint32_t component, uint32_t lane);
int64_t integerAt(const Value& value, uint32_t component, uint32_t lane);
// Dimensions of coordinates, without the layer.
uint32_t dimensionsOf(const Type& image, bool isSampled);
void setTexel(const Value& result, uint32_t lane, const Texel& texel, bool defined);

// Derivatives of coordinates along x and y.
using Gradients = std::array<std::array<double, 3>, 2>;

// What a sampling instruction gives, in a lane.
struct SampleOperands {
    std::array<double, 3> at = {};
    double layer = 0;
    std::array<int64_t, 3> offset = {};
    double lod = 0;
    std::optional<Gradients> gradients = {};
    double bias = 0, minLod = 0;
    std::optional<double> reference = {};  // to compare with
};
Texel sample(const ImageAccess& image, const SamplerState& sampler, const SampleOperands& operands,
             bool& defined);
// Of an image with planes.
Texel sampleOfPlanes(const ImageAccess& image, const SamplerState& sampler,
                     const SampleOperands& operands, bool& defined);
// OpImageQueryLod: the level that is accessed, and the level of detail that says so.
Texel levelsOf(const ImageAccess& image, const SamplerState& sampler,
               const SampleOperands& operands);
// The four texels of a linear filter, one component of each.
Texel gather(const ImageAccess& image, const SamplerState& sampler, const SampleOperands& operands,
             uint32_t component, const std::array<std::array<int64_t, 2>, 4>* offsets,
             bool& defined);

}  // namespace coopvk::reference::images
