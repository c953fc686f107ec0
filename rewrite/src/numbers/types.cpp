// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "numbers/conversions.hpp"
#include "numbers/lower.hpp"

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

}  // namespace

void lowerNumberConstants(NumbersContext& context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        lowerConstant(context, *i);
    }
}

}  // namespace coopvk::rewrite
