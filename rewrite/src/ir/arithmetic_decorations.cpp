// SPDX-License-Identifier: Apache-2.0
#include "ir/arithmetic_decorations.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

constexpr spv::Decoration kDecorations[] = {
    spv::Decoration::NoContraction, spv::Decoration::NoSignedWrap, spv::Decoration::NoUnsignedWrap,
    spv::Decoration::FPFastMathMode, spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT};

}  // namespace

bool ArithmeticDecorations::contain(spv::Decoration decoration) {
    return std::ranges::find(kDecorations, decoration) != std::end(kDecorations);
}

ArithmeticDecorations::ArithmeticDecorations(Module& module, Id result) : module_(module) {
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (i->opcode != spv::Op::OpDecorate || i->word(0) != result) continue;
        const auto decoration = static_cast<spv::Decoration>(i->word(1));
        if (contain(decoration)) found_.emplace_back(decoration, i->word(2));
    }
}

void ArithmeticDecorations::addTo(Id part) const {
    for (const auto& [decoration, value] : found_) {
        if (decoration == spv::Decoration::FPFastMathMode) {
            module_.decorate(part, decoration, {value});
        } else {
            module_.decorate(part, decoration);
        }
    }
}

void ArithmeticDecorations::appendTo(std::vector<uint32_t>& words) const {
    for (const auto& [decoration, value] : found_) {
        words.insert(words.end(), {static_cast<uint32_t>(decoration), value});
    }
}

void ArithmeticDecorations::removeFrom(Id result) const {
    for (const auto& [decoration, value] : found_) module_.removeDecoration(result, decoration);
}

}  // namespace coopvk::rewrite
