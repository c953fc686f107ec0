// SPDX-License-Identifier: Apache-2.0
#include "numbers/lower.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/place.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kBfloat16 = Extension::kKhrShaderBfloat16;
constexpr auto kFloat8 = Extension::kExtShaderFloat8;
constexpr auto kHalves = Extension::kKhrShaderFloat16Int8;
constexpr auto kMicroscaling = Extension::kExtShaderOcpMicroscalingTypes;
constexpr uint32_t kType = 1u << 0, kDotProduct = 1u << 1;  // features

// Instructions that may take these numbers (SPV_KHR_bfloat16, SPV_EXT_float8 and
// SPV_EXT_ocp_microscaling_types, "Validation Rules"), beside those that are lowered.
bool mayTakeNumbers(const Module& module, const Instruction& i) {
    return movesBits(module, i) || isOneOf(i.opcode, {OpBitcast, OpLifetimeStart, OpLifetimeStop});
}

// Code has no use for the decorations of the conversions. The first one needs a capability that
// goes.
void dropDecorations(const NumbersContext& context, bool dropsFloat8) {
    context.module.removeDecorations([&](const Instruction& i) {
        return (dropsFloat8 && decorates(i, kSaturated)) ||
               (decoratesArithmetic(i) && context.replaced.contains(i.word(0)));
    });
}

// The driver's own microscaling formats keep what they need.
void dropDeclarations(NumbersContext& context, ExtensionSet extensions, bool keepsBfloat16) {
    Module& module = context.module;
    for (const Extension extension : {kBfloat16, kFloat8, kHalves, kMicroscaling}) {
        if (!extensions.contains(extension)) continue;
        if (extension == kBfloat16 && keepsBfloat16) {
            module.removeCapability(spv::Capability::BFloat16DotProductKHR);
            module.addCapability(spv::Capability::BFloat16TypeKHR);
            continue;
        }
        const bool isOfFormats = extension == kMicroscaling;
        module.removeDeclarations(info(extension),
                                  isOfFormats ? context.target.nativeFeatures[extension] : 0);
    }
}

// The values of these types are computed in f32. So f32 has by default the flags that both types
// had; a type without a mode of its own has none (SPV_KHR_float_controls2, FPFastMathDefault).
void moveFastMathDefaults(NumbersContext& context) {
    Module& module = context.module;
    const Id f32 = context.types.floatType(32);
    uint32_t flags = fastMathDefault(module, f32).value_or(0);
    std::optional<Id> entry;
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (!isFastMathDefault(*i) || context.format(i->word(2)) == nullptr) continue;
        flags &= fastMathDefault(module, i->word(2)).value_or(0);
        entry = i->word(0);
    }
    if (!entry) return;
    InstructionList& modes = module.section(Section::kExecutionModes);
    std::erase_if(modes, [&](const InstructionPtr& i) {
        return isFastMathDefault(*i) &&
               (i->word(2) == f32 || context.format(i->word(2)) != nullptr);
    });
    modes.push_back(
        makeInstruction(OpExecutionModeId, 0, 0,
                        {idOperand(*entry), literal(spv::ExecutionMode::FPFastMathDefault),
                         idOperand(f32), idOperand(context.types.constantU32(flags))}));
}

// The extensions of these types allow them in memory; for integers, capabilities do.
void declareAccesses(NumbersContext& context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (i->opcode != OpTypePointer) continue;
        const Number* number = context.format(i->word(1));
        if (number != nullptr) declareAccess(context.module, storageOf(*i), number->storedBits());
    }
}

void replaceLowered(NumbersContext& context) {
    declareAccesses(context);
    TypeReplacements replacements;
    for (const auto& [id, number] : context.lowered) {
        replacements[id] = context.replacement(id);
        context.types.declareArithmetic(context.replacement(id));
    }
    for (const auto& [id, matrix] : context.matrices) replacements[id] = context.replacement(id);
    replaceTypes(context.types, replacements);
}

}  // namespace

bool NumbersContext::isSaturated(Id conversion) const {
    return module.decoration(conversion, kSaturated).has_value();
}

bool NumbersContext::isTruncated(Id conversion) const {
    return module.decoration(conversion, spv::Decoration::FPRoundingMode) ==
           static_cast<uint32_t>(spv::FPRoundingMode::RTZ);
}

void NumbersContext::checkKept(const Instruction& i) {
    if (lowered.empty() || mayTakeNumbers(module, i)) return;
    const Number* number = format(i.type);
    bool hasMatrix = matrices.contains(i.type);
    for (const Operand& operand : i.operands) {
        if (number == nullptr && operand.isId) number = formatOf(operand.word);
        hasMatrix |= operand.isId && matrices.contains(module.def(operand.word).type);
    }
    if (hasMatrix || (number != nullptr && number->isHalf())) {
        if (movesHalves(i.opcode)) return;
        fail(ErrorCode::kUnsupported, i,
             "not one of the instructions for which coopvk emulates half floats");
    } else if (number != nullptr) {
        fail(ErrorCode::kInvalidModule, i,
             "not one of the instructions that may take this format (SPV_KHR_bfloat16, "
             "SPV_EXT_float8, SPV_EXT_ocp_microscaling_types)");
    }
}

uint32_t featureOf(spv::FPEncoding microscaled) {
    if (microscaled == kFloat4E2M1) return kFloat4Feature;
    if (microscaled == kFloat8E8M0) return kE8M0Feature;
    return microscaled == kMxInt8 ? kMxInt8Feature : kFloat6Feature;
}

ExtensionSet numbersToLower(const Module& module, const PlannedTarget& target) {
    ExtensionSet extensions;
    const auto add = [&](Extension extension, uint32_t feature, spv::Capability capability) {
        if (target.emulated.contains(extension) && module.hasCapability(capability) &&
            (target.nativeFeatures[extension] & feature) == 0) {
            extensions.insert(extension);
        }
    };
    using enum spv::Capability;
    add(kBfloat16, kType, BFloat16TypeKHR);
    add(kBfloat16, kType, BFloat16CooperativeMatrixKHR);
    add(kBfloat16, kDotProduct, BFloat16DotProductKHR);
    add(kFloat8, kType, Float8EXT);
    add(kFloat8, kType, Float8CooperativeMatrixEXT);
    add(kHalves, kType, Float16);
    for (const ExtensionCapability& one : info(kMicroscaling).capabilities) {
        // That of OpBitcastExtractEXT allows no format; declared alone, it only goes.
        add(kMicroscaling, one.features, static_cast<spv::Capability>(one.capability));
    }
    // Of a program that only stores such numbers, bit casts may need the capability.
    if (module.hasCapability(Float16) && !target.device.shaderFloat16) extensions.insert(kHalves);
    return extensions;
}

namespace {

void lowerExtensions(NumbersContext& context, ExtensionSet extensions) {
    Module& module = context.module;
    const bool keepsBfloat16 = (context.target.nativeFeatures[kBfloat16] & kType) != 0;
    context.lowersDots = extensions.contains(kBfloat16);
    ExtensionSet types = extensions;
    if (keepsBfloat16) types.erase(kBfloat16);
    findLoweredTypes(context, types);
    if (context.error) return;
    lowerNumberConstants(context);
    OpcodeTable<NumbersFunction> table;
    addNumberConversions(table);
    if (!context.matricesInMemory.empty()) addHalfMatrixAccess(table);
    table.lowerAll(context);
    if (context.error) return;
    context.addNewFunctions();
    dropDecorations(context, extensions.contains(kFloat8));
    moveFastMathDefaults(context);
    if (extensions.contains(kHalves)) lowerHalfModes(module);
    replaceLowered(context);
    dropDeclarations(context, extensions, keepsBfloat16);
    module.addCapability(spv::Capability::Shader);
}

}  // namespace

std::optional<Error> lowerNumbers(NumbersContext& context, ExtensionSet extensions) {
    if (!extensions.empty()) lowerExtensions(context, extensions);
    if (context.error) return context.error;
    const DevicePlan& device = context.target.device;
    if (device.roundsHalvesInIntegers && device.shaderFloat16 && device.shaderInt16) {
        roundHalvesInIntegers(context.types);
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite
