// SPDX-License-Identifier: Apache-2.0
#include "numbers/lower.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/number.hpp"
#include "lowering/place.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

// Types that may consist of these numbers, beside vectors.
bool mayContain(spv::Op opcode) {
    return isArrayType(opcode) || isOneOf(opcode, {OpTypeStruct, OpTypePointer, OpTypeFunction});
}

// SPV_EXT_ocp_microscaling_types, "Validation Rules".
void checkPointers(NumbersContext& context) {
    std::unordered_set<Id> found;
    for (const auto& [id, number] : context.lowered) {
        if (number->bits < 8) found.insert(id);
    }
    if (found.empty()) return;
    found = typesWith(context.module, std::move(found));
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (i->opcode != OpTypePointer || !found.contains(i->word(1))) continue;
        const spv::StorageClass storage = storageOf(*i);
        if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private) {
            continue;
        }
        return context.invalid(
            *i, "floats of 4 and 6 bits are only in storage classes Function and Private");
    }
}

void checkVariables(NumbersContext& context, ExtensionSet extensions) {
    std::unordered_set<Id> numbers;
    for (const auto& [id, number] : context.lowered) numbers.insert(id);
    for (const auto& [id, matrix] : context.matrices) numbers.insert(id);
    const std::unordered_set<Id> with = typesWith(context.module, std::move(numbers));
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (i->opcode != OpVariable || !with.contains(context.module.pointee(i->result))) {
            continue;
        }
        const spv::StorageClass storage = storageOf(*i);
        if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) continue;
        if (extensions.contains(Extension::kKhrShaderFloat16Int8)) {
            context.unsupported(
                *i,
                "a variable of storage class Input or Output has a 16- or 8-bit float, "
                "and coopvk emulates half floats");
        } else {
            context.invalid(
                *i,
                "a variable of storage class Input or Output has a bfloat16 or an 8-bit "
                "float (VUID-StandaloneSpirv-OpTypeFloat-10370 and -10823)");
        }
        return;
    }
}

bool isOf(const Number& number, const PlannedTarget& target, ExtensionSet extensions) {
    if (number.isHalf()) return extensions.contains(Extension::kKhrShaderFloat16Int8);
    if (!number.encoding) return false;
    if (isMicroscaled(number.encoding)) {
        constexpr auto kOcpFormats = Extension::kExtShaderOcpMicroscalingTypes;
        return extensions.contains(kOcpFormats) &&
               (target.nativeFeatures[kOcpFormats] & featureOf(*number.encoding)) == 0;
    }
    return extensions.contains(*number.encoding == spv::FPEncoding::BFloat16KHR
                                   ? Extension::kKhrShaderBfloat16
                                   : Extension::kExtShaderFloat8);
}

bool isLongVector(const Instruction& i) {
    return i.opcode == OpTypeVectorIdEXT || (i.opcode == OpTypeVector && i.word(1) > 4);
}

void findVector(NumbersContext& context, const Instruction& i, const Number& component) {
    const bool isMatrix = i.opcode == OpTypeMatrix;
    if (i.word(1) < 2 || i.word(1) > 4) {
        context.invalid(i, "a vector has 2, 3 or 4 components");
    } else if (!isMatrix) {
        context.lowered[i.result] = &component;
    } else if (component.isHalf() && context.types.components(i.word(0)) > 1) {
        context.matrices[i.result] = {i.word(0), i.word(1)};
    } else {
        context.invalid(i, "a matrix consists of vectors of half, single or double floats");
    }
}

void findType(NumbersContext& context, ExtensionSet extensions, const Instruction& i) {
    const auto encoding = context.types.encoding(i.result);
    if (i.opcode == OpTypeFloat) {
        const Number* number = findNumber(NumberKind::kFloat, i.word(0), encoding);
        if (number != nullptr && isOf(*number, context.target, extensions))
            context.lowered[i.result] = number;
        return;
    }
    const Number* component = nullptr;
    for (const Operand& operand : i.operands) {
        if (component == nullptr && operand.isId) component = context.format(operand.word);
    }
    if (component == nullptr || !isDeclaration(i) || i.type != 0) return;
    if (i.opcode == OpTypeVector || i.opcode == OpTypeMatrix) {
        findVector(context, i, *component);
    } else if (!mayContain(i.opcode)) {
        context.unsupported(
            i, component->isHalf()
                   ? "a type of this kind cannot consist of half floats, which are emulated"
                   : "a type of this kind cannot consist of bfloat16 or 8-bit floats here");
    }
}

// Fills context.lowered. Refuses types that may not consist of these numbers.
void findLoweredTypes(NumbersContext& context, ExtensionSet extensions) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        findType(context, extensions, *i);
        if (context.error) return;
    }
    checkVariables(context, extensions);
    checkPointers(context);
    if (context.error) return;
    layOutHalfMatrices(context);
}

}  // namespace

bool hasLongVectorsToLower(const TypeTable& types, const PlannedTarget& target) {
    const Module& module = types.module();
    const ExtensionSet extensions = numbersToLower(module, target);
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        if (!isLongVector(*i)) return false;
        const Instruction& component = module.def(i->word(0));
        const Number* number = component.opcode == OpTypeFloat
                                   ? findNumber(NumberKind::kFloat, component.word(0),
                                                types.encoding(component.result))
                                   : nullptr;
        return number != nullptr && isOf(*number, target, extensions);
    });
}

Id NumbersContext::replacement(Id type) {
    if (const auto matrix = matrices.find(type); matrix != matrices.end()) {
        return types.arrayType(replacement(matrix->second.column), matrix->second.columns);
    }
    const Number* number = format(type);
    if (number == nullptr) return type;
    return types.vectorType(types.intType(number->storedBits(), false), types.components(type));
}

namespace {

void lowerConstant(NumbersContext& context, Instruction& i) {
    if (i.opcode == OpConstant) {
        const Number* number = context.format(i.type);
        // Bits above the number must be zero (SPIR-V specification, section 2.2.1).
        if (number != nullptr) i.operands = {literal(i.word(0) & ((1u << number->bits) - 1))};
        return;
    }
    const bool converts =
        i.opcode == OpSpecConstantOp && i.word(0) == static_cast<uint32_t>(OpFConvert);
    if (!converts) return;
    if (context.format(i.type) != nullptr || context.formatOf(i.word(1)) != nullptr) {
        context.unsupported(
            i,
            "a specialization constant of a bfloat16 or an 8-bit float depends on a value "
            "that is not known");
    }
}

// Trims literals. Refuses conversions of OpSpecConstantOp, of which those with known values are
// folded.
void lowerNumberConstants(NumbersContext& context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        lowerConstant(context, *i);
    }
}

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
