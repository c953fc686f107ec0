// SPDX-License-Identifier: Apache-2.0
//
// Modes of the entry point, and what holds without them.
#include "program/decoder.hpp"

namespace coopvk::reference {

void Decoder::setDefaultModes() {
    using enum numbers::Rounding;
    constexpr numbers::Rounding kOf[] = {nearestEven, upward, downward, nearestEven};
    program_->otherControls.rounding = kOf[size_t(request_.rounding)];
    for (const uint32_t width : {16u, 32u, 64u}) {
        program_->controls(width) = program_->otherControls;
        program_->controls(width).flushDenorms = (request_.flushed & width) != 0;
    }
    if (request_.rounding == Direction::kHalvesTowardZero)
        program_->controls(16).rounding = towardZero;
}

void Decoder::readMode(const Parsed& instruction) {
    if (instruction[0] != entry_) return;
    using enum spv::ExecutionMode;
    const auto mode = spv::ExecutionMode(instruction[1]);
    for (uint32_t i = 0; i < 3; ++i) {
        if (mode == LocalSize) program_->workgroupSize[i] = instruction[2 + i];
        if (mode == LocalSizeId) localSizeIds_[i] = instruction[2 + i];
    }
    if (mode == OutputVertices &&
        request_.stage == uint32_t(spv::ExecutionModel::TessellationControl))
        program_->workgroupSize = {instruction[2], 1, 1};
    if (mode == FPFastMathDefault) fastMathDefaults_[instruction[2]] = instruction[3];
    program_->maximallyReconverges |= mode == MaximallyReconvergesKHR;
    program_->subgroupUniform |= mode == SubgroupUniformControlFlowKHR;
    program_->quadsAreSquares |= mode == DerivativeGroupQuadsKHR;
    const bool isOfFloats = mode == RoundingModeRTZ || mode == RoundingModeRTE ||
                            mode == DenormFlushToZero || mode == DenormPreserve ||
                            mode == SignedZeroInfNanPreserve;
    if (!isOfFloats) return;
    FloatControls& controls = program_->controls(instruction[2]);
    if (mode == RoundingModeRTZ) controls.rounding = numbers::Rounding::towardZero;
    if (mode == RoundingModeRTE) controls.rounding = numbers::Rounding::nearestEven;
    if (mode == DenormFlushToZero) controls.flushDenorms = true;
    if (mode == DenormPreserve) controls.flushDenorms = false;
    if (mode == SignedZeroInfNanPreserve) controls.liberties = 0;
}

}  // namespace coopvk::reference
