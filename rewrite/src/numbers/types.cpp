// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"
#include "numbers/half_matrices.hpp"

namespace coopvk::rewrite {

namespace {

// Types that may consist of these numbers, beside vectors.
bool mayContain(spv::Op opcode) {
    using enum spv::Op;
    return isArrayType(opcode) || isOneOf(opcode, {OpTypeStruct, OpTypePointer, OpTypeFunction});
}

// The types that have a value of a lowered type in them, but behind no pointer.
std::unordered_set<Id> typesWithNumbers(const NumbersContext& context) {
    std::unordered_set<Id> found;
    for (const auto& [id, number] : context.lowered) found.insert(id);
    for (const auto& [id, matrix] : context.matrices) found.insert(id);
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (!isArrayType(i->opcode) && i->opcode != spv::Op::OpTypeStruct) continue;
        if (std::ranges::any_of(i->operands, [&](const Operand& operand) {
                return operand.isId && found.contains(operand.word);
            })) {
            found.insert(i->result);
        }
    }
    return found;
}

void checkVariables(NumbersContext& context, ExtensionSet extensions) {
    const std::unordered_set<Id> with = typesWithNumbers(context);
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpVariable || !with.contains(context.module.pointee(i->result))) {
            continue;
        }
        const spv::StorageClass storage = storageOf(*i);
        if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) continue;
        if (extensions.contains(Extension::kKhrShaderFloat16Int8)) {
            context.fail(ErrorCode::kUnsupported, *i,
                         "a variable of storage class Input or Output has a 16- or 8-bit float, "
                         "and coopvk emulates half floats");
        } else {
            context.fail(ErrorCode::kInvalidModule, *i,
                         "a variable of storage class Input or Output has a bfloat16 or an 8-bit "
                         "float (VUID-StandaloneSpirv-OpTypeFloat-10370 and -10823)");
        }
        return;
    }
}

bool isOf(const Number& number, ExtensionSet extensions) {
    if (number.isHalf()) return extensions.contains(Extension::kKhrShaderFloat16Int8);
    if (!number.encoding) return false;
    return extensions.contains(*number.encoding == spv::FPEncoding::BFloat16KHR
                                   ? Extension::kKhrShaderBfloat16
                                   : Extension::kExtShaderFloat8);
}

void findVector(NumbersContext& context, const Instruction& i, const Number& component) {
    const bool isMatrix = i.opcode == spv::Op::OpTypeMatrix;
    if (i.word(1) < 2 || i.word(1) > 4) {
        context.fail(ErrorCode::kInvalidModule, i, "a vector has 2, 3 or 4 components");
    } else if (!isMatrix) {
        context.lowered[i.result] = &component;
    } else if (component.isHalf() && context.types.components(i.word(0)) > 1) {
        context.matrices[i.result] = {i.word(0), i.word(1)};
    } else {
        context.fail(ErrorCode::kInvalidModule, i,
                     "a matrix consists of vectors of half, single or double floats");
    }
}

void findType(NumbersContext& context, ExtensionSet extensions, const Instruction& i) {
    const auto encoding = context.types.encoding(i.result);
    if (i.opcode == spv::Op::OpTypeFloat) {
        const Number* number = findNumber(NumberKind::kFloat, i.word(0), encoding);
        if (number != nullptr && isOf(*number, extensions)) context.lowered[i.result] = number;
        return;
    }
    const Number* component = nullptr;
    for (const Operand& operand : i.operands) {
        if (component == nullptr && operand.isId) component = context.format(operand.word);
    }
    if (component == nullptr || !isDeclaration(i) || i.type != 0) return;
    if (i.opcode == spv::Op::OpTypeVector || i.opcode == spv::Op::OpTypeMatrix) {
        findVector(context, i, *component);
    } else if (!mayContain(i.opcode)) {
        context.fail(ErrorCode::kUnsupported, i,
                     component->isHalf()
                         ? "a type of this kind cannot consist of half floats, which are emulated"
                         : "a type of this kind cannot consist of bfloat16 or 8-bit floats here");
    }
}

}  // namespace

void findLoweredTypes(NumbersContext& context, ExtensionSet extensions) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        findType(context, extensions, *i);
        if (context.error) return;
    }
    checkVariables(context, extensions);
    if (context.error) return;
    layOutHalfMatrices(context);
}

Id NumbersContext::replacement(Id type) {
    if (const auto matrix = matrices.find(type); matrix != matrices.end()) {
        return types.arrayType(replacement(matrix->second.column), matrix->second.columns);
    }
    const Number* number = format(type);
    if (number == nullptr) return type;
    return types.vectorType(types.intType(number->bits, false), types.components(type));
}

}  // namespace coopvk::rewrite
