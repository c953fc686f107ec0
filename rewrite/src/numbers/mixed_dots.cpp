// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "numbers/lower.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kMixedDots = Extension::kValveShaderMixedFloatDotProduct;

// The capability of the factors' type, which each capability of the extension implies.
struct Implied {
    uint32_t features;
    spv::Capability capability;
    std::string_view extension;  // that it needs; empty: none
};
constexpr Implied kImplied[] = {
    {kHalvesToSingle | kHalvesToHalf, spv::Capability::Float16, ""},
    {kBfloat16Dots, spv::Capability::BFloat16TypeKHR, "SPV_KHR_bfloat16"},
    {kFloat8Dots, spv::Capability::Float8EXT, "SPV_EXT_float8"}};

bool isMixedDot(spv::Op opcode) {
    return isOneOf(opcode, {kOpDot2Sum32, kOpDot2Sum16, kOpDot4Sum32});
}

void declareImplied(Module& module) {
    for (const ExtensionCapability& one : info(kMixedDots).capabilities) {
        if (!module.hasCapability(static_cast<spv::Capability>(one.capability))) continue;
        for (const auto& [features, implied, extension] : kImplied) {
            if ((one.features & features) == 0) continue;
            module.addCapability(implied);
            if (!extension.empty()) module.addExtension(extension);
        }
    }
}

// The features whose products are lowered: those that are emulated, and those of formats that are.
uint32_t featuresToLower(const Module& module, const PlannedTarget& target) {
    uint32_t features = 0;
    if (target.emulated.contains(kMixedDots)) features = ~target.nativeFeatures[kMixedDots];
    const ExtensionSet numbers = numbersToLower(module, target);
    if (numbers.contains(Extension::kKhrShaderFloat16Int8)) {
        features |= kHalvesToSingle | kHalvesToHalf;
    }
    if (numbers.contains(Extension::kKhrShaderBfloat16)) features |= kBfloat16Dots;
    if (numbers.contains(Extension::kExtShaderFloat8)) features |= kFloat8Dots;
    return features;
}

class MixedDots {
 public:
    MixedDots(TypeTable& types, uint32_t lowered)
        : types_(types), module_(types.module()), lowered_(lowered) {}

    std::optional<Error> run() {
        for (const auto& function : module_.functions()) {
            replaceInBlocks(types_, *function,
                            [&](Emitter& emit, const Instruction& i) { return lower(emit, i); });
        }
        if (error_) return error_;
        dropDeclarations();
        return std::nullopt;
    }

 private:
    uint32_t featureOf(const Instruction& i) const {
        if (i.opcode == kOpDot4Sum32) return kFloat8Dots;
        const auto encoding = types_.encoding(module_.def(i.word(0)).type);
        if (encoding == spv::FPEncoding::BFloat16KHR) return kBfloat16Dots;
        return i.opcode == kOpDot2Sum32 ? kHalvesToSingle : kHalvesToHalf;
    }

    bool isValid(const Instruction& i) const {
        const Id vector = module_.def(i.word(0)).type;
        const uint32_t count = i.opcode == kOpDot4Sum32 ? 4 : 2;
        const bool isNarrow = i.opcode == kOpDot2Sum16;
        const bool isSingle =
            types_.isFloat(i.type) && types_.width(i.type) == 32 && types_.components(i.type) == 1;
        return (isNarrow ? i.type == types_.scalarOf(vector) : isSingle) &&
               types_.isFloat(vector) && types_.width(vector) * count == 32 &&
               types_.components(vector) == count && module_.def(i.word(1)).type == vector &&
               module_.def(i.word(2)).type == i.type;
    }

    // In f32, which has the products of all these formats.
    bool lower(Emitter& emit, const Instruction& i) {
        if (error_ || !isMixedDot(i.opcode) || (featureOf(i) & lowered_) == 0) return false;
        if (!isValid(i)) {
            error_ =
                errorAt(ErrorCode::kInvalidModule, i,
                        "its operands have not the types of SPV_VALVE_mixed_float_dot_product");
            return true;
        }
        const Id f32 = types_.floatType(32);
        const auto widened = [&](Id value) {
            const Id type = types_.vectorType(f32, types_.components(emit.typeOf(value)));
            return emit.converted(type, value);
        };
        const Id dot = emit.op(OpDot, f32, {widened(i.word(0)), widened(i.word(1))});
        const Id sum = widened(i.word(2));
        if (i.type == f32) {
            emit.op(OpFAdd, f32, {dot, sum}, i.result);
            return true;
        }
        const Id total = emit.op(OpFAdd, f32, {dot, sum});
        emit.op(OpFConvert, i.type, {total}, i.result);
        converted_.insert(i.result);
        return true;
    }

    // A conversion has no use for the decorations of a sum.
    void dropDeclarations() {
        module_.removeDecorations([&](const Instruction& i) {
            return decoratesArithmetic(i) && converted_.contains(i.word(0));
        });
        module_.removeDeclarations(info(kMixedDots), ~lowered_);
    }

    TypeTable& types_;
    Module& module_;
    uint32_t lowered_;
    std::optional<Error> error_;
    std::unordered_set<Id> converted_;
};

}  // namespace

std::optional<Error> lowerMixedDots(TypeTable& types, const PlannedTarget& target) {
    Module& module = types.module();
    declareImplied(module);
    const uint32_t lowered = featuresToLower(module, target);
    const bool declares = std::ranges::any_of(info(kMixedDots).capabilities, [&](const auto& one) {
        return (one.features & lowered) != 0 &&
               module.hasCapability(static_cast<spv::Capability>(one.capability));
    });
    return declares ? MixedDots(types, lowered).run() : std::nullopt;
}

}  // namespace coopvk::rewrite
