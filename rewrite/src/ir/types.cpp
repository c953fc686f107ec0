// SPDX-License-Identifier: Apache-2.0
#include "ir/types.hpp"

#include <bit>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

bool isShareable(spv::Op opcode) {
    return isOneOf(opcode, {OpTypeVoid, OpTypeBool, OpTypeInt, OpTypeFloat, OpTypeVector,
                            OpTypeMatrix, OpTypeCooperativeMatrixKHR, OpTypeFunction, OpConstant,
                            OpConstantTrue, OpConstantFalse});
}

std::vector<uint32_t> wordsOf(const Operands& operands) {
    std::vector<uint32_t> words;
    words.reserve(operands.size());
    for (const Operand& operand : operands) words.push_back(operand.word);
    return words;
}

}  // namespace

TypeTable::TypeTable(Module& module) : module_(module) { rescan(); }

void TypeTable::rescan() {
    known_.clear();
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (!isShareable(i->opcode)) continue;
        known_.emplace(Known{i->opcode, i->type, i->operands}, i->result);
    }
}

size_t TypeTable::Hash::operator()(const Key& key) const {
    constexpr uint64_t kPrime = 0x100000001B3;
    uint64_t hash = static_cast<uint64_t>(key.opcode) << 32 | key.type;
    for (const Operand& operand : key.operands) hash = (hash ^ operand.word) * kPrime;
    return static_cast<size_t>(hash ^ hash >> 29);
}

bool TypeTable::Same::operator()(const Key& a, const Key& b) const {
    return a.opcode == b.opcode && a.type == b.type &&
           std::ranges::equal(a.operands, b.operands, {}, &Operand::word, &Operand::word);
}

Id TypeTable::unique(spv::Op opcode, std::span<const Operand> operands, Id type) {
    if (const auto found = known_.find(Key{opcode, type, operands}); found != known_.end()) {
        return found->second;
    }
    const Id id = module_.takeId();
    const Operands own(operands.begin(), operands.end());
    known_.emplace(Known{opcode, type, own}, id);
    module_.append(Section::kGlobals, makeInstruction(opcode, type, id, own));
    return id;
}

Id TypeTable::intType(uint32_t width, bool isSigned) {
    return unique(OpTypeInt, {literal(width), literal(isSigned ? 1u : 0u)});
}

Id TypeTable::floatType(uint32_t width) { return unique(OpTypeFloat, {literal(width)}); }

Id TypeTable::vectorType(Id component, uint32_t components) {
    if (components == 1) return component;
    return unique(OpTypeVector, {idOperand(component), literal(components)});
}

Id TypeTable::arrayType(Id element, uint32_t length) {
    return unique(OpTypeArray, {idOperand(element), idOperand(constantU32(length))});
}

Id TypeTable::structType(std::span<const Id> members) {
    return unique(OpTypeStruct, idOperands(members));
}

Id TypeTable::pointerType(spv::StorageClass storage, Id pointee) {
    return unique(OpTypePointer, {literal(storage), idOperand(pointee)});
}

Id TypeTable::matrixType(Operands operands) {
    const auto found = known_.find(Key{OpTypeCooperativeMatrixKHR, 0, operands});
    if (found != known_.end()) {
        // Passes turn matrix types into others in place.
        const Instruction& type = module_.def(found->second);
        if (type.opcode == OpTypeCooperativeMatrixKHR && type.operands == operands) {
            return type.result;
        }
        known_.erase(found);
    }
    return unique(OpTypeCooperativeMatrixKHR, operands);
}

Id TypeTable::columnsType(Id column, uint32_t columns) {
    return unique(OpTypeMatrix, {idOperand(column), literal(columns)});
}

Id TypeTable::functionType(Id result, std::span<const Id> parameters) {
    Operands operands = {idOperand(result)};
    for (Id parameter : parameters) operands.push_back(idOperand(parameter));
    return unique(OpTypeFunction, operands);
}

Id TypeTable::constant(Id scalarType, uint64_t bits) {
    const uint32_t typeWidth = width(scalarType);
    if (typeWidth >= 64 || typeWidth == 0) {  // 0: the type is malformed, any constant will do
        return unique(
            OpConstant,
            {literal(static_cast<uint32_t>(bits)), literal(static_cast<uint32_t>(bits >> 32))},
            scalarType);
    }
    // Narrow literals are sign extended in signed types, else zero extended (SPIR-V specification,
    // section 2.2.1).
    uint64_t value = bits & ((uint64_t{1} << typeWidth) - 1);
    if (isInteger(scalarType) && isSigned(scalarType) && (value >> (typeWidth - 1) & 1) != 0) {
        value |= ~((uint64_t{1} << typeWidth) - 1);
    }
    return unique(OpConstant, {literal(static_cast<uint32_t>(value))}, scalarType);
}

Id TypeTable::constantFloat(Id floatType, double value) {
    switch (width(floatType)) {
        case 16:
            return constant(floatType, float16Bits(value));
        case 32:
            return constant(floatType, std::bit_cast<uint32_t>(static_cast<float>(value)));
        default:
            return constant(floatType, std::bit_cast<uint64_t>(value));
    }
}

Id TypeTable::constantBool(bool value) {
    return unique(value ? OpConstantTrue : OpConstantFalse, {}, boolType());
}

Id TypeTable::constantSplat(Id type, Id scalar) {
    const uint32_t count = components(type);
    if (count <= 1) return scalar;
    const std::vector<Id> constituents(count, scalar);
    return constantComposite(type, constituents);
}

Id TypeTable::constantComposite(Id type, std::span<const Id> constituents) {
    return unique(OpConstantComposite, idOperands(constituents), type);
}

Id TypeTable::scalarOf(Id type) const {
    const Instruction& def = module_.def(type);
    return def.opcode == OpTypeVector ? def.word(0) : type;
}

bool TypeTable::isFloat(Id type) const { return module_.def(scalarOf(type)).opcode == OpTypeFloat; }

spv::Op TypeTable::conversion(Id from, Id to) const {
    if (isFloat(from) && isFloat(to)) return OpFConvert;
    if (isFloat(from)) return isSigned(to) ? OpConvertFToS : OpConvertFToU;
    if (isFloat(to)) return isSigned(from) ? OpConvertSToF : OpConvertUToF;
    if (width(from) == width(to)) return OpBitcast;
    return isSigned(from) ? OpSConvert : OpUConvert;
}

bool TypeTable::isInteger(Id type) const { return module_.def(scalarOf(type)).opcode == OpTypeInt; }

bool TypeTable::isSigned(Id type) const {
    const Instruction& def = module_.def(scalarOf(type));
    return def.opcode == OpTypeInt && def.word(1) != 0;
}

std::optional<spv::FPEncoding> TypeTable::encoding(Id type) const {
    const Instruction& def = module_.def(scalarOf(type));
    if (def.opcode != OpTypeFloat || def.operands.size() < 2) return std::nullopt;
    return static_cast<spv::FPEncoding>(def.word(1));
}

uint32_t TypeTable::width(Id type) const {
    const Instruction& def = module_.def(scalarOf(type));
    const bool numeric = def.opcode == OpTypeInt || def.opcode == OpTypeFloat;
    return numeric ? def.word(0) : 0;
}

uint32_t TypeTable::components(Id type) const {
    const Instruction& def = module_.def(type);
    if (def.opcode == OpTypeVector) return def.word(1);
    const bool scalar =
        def.opcode == OpTypeInt || def.opcode == OpTypeFloat || def.opcode == OpTypeBool;
    return scalar ? 1 : 0;
}

std::string_view TypeTable::componentProblem(Id type) const {
    const Instruction& component = module_.def(type);
    if (component.opcode != OpTypeInt && component.opcode != OpTypeFloat) {
        return "Component Type must be a numeric scalar";
    }
    const uint32_t bits = component.word(0);
    if (isMicroscaled(encoding(type)))
        return "matrices and vectors have no components of this format";
    // After the unify passes only components of matrices have 4 bits.
    const bool isUnified = module_.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                           !module_.hasExtension("SPV_INTEL_int4");
    if (bits == 4 && isUnified) return {};
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        return "components of this width are not emulated";
    }
    return {};
}

void TypeTable::declareArithmetic(Id component) {
    if (encoding(component)) return;  // no arithmetic takes such types
    const bool floats = isFloat(component);
    const uint32_t bits = width(component);
    if (bits == 8) module_.addCapability(spv::Capability::Int8);
    if (bits == 16)
        module_.addCapability(floats ? spv::Capability::Float16 : spv::Capability::Int16);
    if (bits == 64)
        module_.addCapability(floats ? spv::Capability::Float64 : spv::Capability::Int64);
}

Id globalVariable(TypeTable& types, spv::StorageClass storage, Id contents, std::string_view name) {
    Module& module = types.module();
    const Id type = types.pointerType(storage, contents);
    const Id variable = module.takeId();
    module.append(Section::kGlobals,
                  makeInstruction(OpVariable, type, variable, {literal(storage)}));
    module.addName(variable, name);
    return variable;
}

namespace {

using Keeps = bool (*)(const Instruction&);

// Removes the old types. Those that an instruction names for which keeps(instruction) is true stay.
void drop(Module& module, const TypeReplacements& replacements, Keeps keeps) {
    std::unordered_set<Id> gone;
    InstructionList& globals = module.section(Section::kGlobals);
    for (const auto& [old, replacement] : replacements) gone.insert(old);
    for (const InstructionPtr& i : globals) {
        if (keeps == nullptr || !keeps(*i)) continue;
        for (const Operand& operand : i->operands) {
            if (operand.isId) gone.erase(operand.word);
        }
    }
    module.forget(
        module.takeOut(globals, [&](const Instruction& i) { return gone.contains(i.result); }));
}

void replace(Module& module, const TypeReplacements& replacements, Keeps keeps) {
    if (replacements.empty()) return;
    drop(module, replacements, keeps);
    std::vector<Id> types(module.bound());  // by id: the new type; 0: none
    for (const auto& [old, replacement] : replacements) types[old] = replacement;
    const auto replaced = [&](Id id) {
        return id < types.size() && types[id] != 0 ? types[id] : id;
    };
    const auto replaceIn = [&](Instruction& i) {
        i.type = replaced(i.type);
        if (keeps != nullptr && keeps(i)) return;
        for (Operand& operand : i.operands) {
            if (operand.isId) operand.word = replaced(operand.word);
        }
    };
    const auto replaceAll = [&](InstructionList& list) {
        for (const InstructionPtr& i : list) replaceIn(*i);
    };
    for (const Section section :
         {Section::kEntryPoints, Section::kExecutionModes, Section::kGlobals}) {
        replaceAll(module.section(section));
    }
    for (const auto& function : module.functions()) {
        replaceIn(*function->definition);
        replaceAll(function->parameters);
    }
    module.visitBlocks(replaceIn);
}

// Function types that have become equal. The type table declares all other such types.
TypeReplacements duplicates(const Module& module) {
    std::map<std::vector<uint32_t>, Id> seen;
    TypeReplacements replacements;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != OpTypeFunction) continue;
        const auto [entry, isNew] = seen.try_emplace(wordsOf(i->operands), i->result);
        if (!isNew) replacements[i->result] = entry->second;
    }
    return replacements;
}

}  // namespace

void replaceTypes(TypeTable& types, const TypeReplacements& replacements, Keeps keeps) {
    replace(types.module(), replacements, keeps);
    replace(types.module(), duplicates(types.module()), keeps);
    types.rescan();
}

}  // namespace coopvk::rewrite
