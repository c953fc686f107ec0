// SPDX-License-Identifier: Apache-2.0
#include "ir/types.hpp"

#include <algorithm>
#include <bit>

#include "coopvk/vector_matrix.hpp"
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

Id TypeTable::newType(spv::Op opcode, Operands operands) {
    const Id id = module_.takeId();
    module_.append(Section::kGlobals, makeInstruction(opcode, 0, id, std::move(operands)));
    return id;
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

namespace {

constexpr uint32_t kPointerBytes = 8;
constexpr uint32_t kSharedAlignment = 16;  // of structures

uint64_t timesCount(uint64_t size, uint64_t count) {
    return size != 0 && count > kTooManyBytes / size ? kTooManyBytes : size * count;
}

// The types whose sizes that of a type needs.
std::span<const Operand> innerTypes(const Instruction& type) {
    if (type.opcode == OpTypeStruct) return type.operands;
    const bool hasElements =
        isArrayType(type.opcode) ||
        isOneOf(type.opcode, {OpTypeVector, OpTypeMatrix, OpTypeCooperativeVectorNV});
    return std::span(type.operands).first(hasElements ? 1 : 0);
}

}  // namespace

TypeSize TypeSizes::of(Id type) {
    // Not by recursion, since hostile modules have deep types.
    std::vector<Id> pending = {type};
    while (!pending.empty()) {
        const Id one = pending.back();
        const Instruction& definition = module_.def(one);
        const auto [entry, isNew] = known_.try_emplace(one);
        if (isNew) {
            for (const Operand& part : innerTypes(definition)) {
                if (!known_.contains(part.word)) pending.push_back(part.word);
            }
            if (pending.back() != one) continue;
        }
        pending.pop_back();
        TypeSize size = measure(definition);
        size.bytes = std::min(size.bytes, kTooManyBytes);
        known_[one] = size;
    }
    return known_[type];
}

TypeSize TypeSizes::known(Id type) const {
    const auto found = known_.find(type);
    return found == known_.end() ? TypeSize{} : found->second;
}

TypeSize TypeSizes::measure(const Instruction& type) {
    switch (type.opcode) {
        case OpTypeBool:
            return layout_ == MemoryLayout::kShared ? TypeSize{.bytes = 4} : TypeSize{};
        case OpTypeInt:
        case OpTypeFloat:
            if (layout_ == MemoryLayout::kExplicit) return ofScalar(type.word(0) / 8);
            return ofScalar(std::max((type.word(0) + 7) / 8, 1u));
        case OpTypePointer:
        case OpTypeUntypedPointerKHR:
            return ofScalar(kPointerBytes);
        case OpTypeVector:
            return ofVector(type);
        case OpTypeMatrix:
            if (layout_ == MemoryLayout::kOpenCl) return {};
            return ofMatrix(
                type.word(0), known(type.word(0)).bytes,
                layout_ == MemoryLayout::kShared ? roundUp(type.word(1), 2) : type.word(1));
        case OpTypeCooperativeVectorNV:
            if (layout_ != MemoryLayout::kShared) return {};
            [[fallthrough]];
        case OpTypeArray:
        case OpTypeRuntimeArray:
            return ofArray(type);
        case OpTypeStruct:
            return ofStructure(type);
        default:
            return {.bytes = layout_ == MemoryLayout::kShared ? kTooManyBytes : 0};
    }
}

TypeSize TypeSizes::ofScalar(uint32_t bytes) const {
    return bytes == 0 ? TypeSize{} : TypeSize{bytes, bytes, bytes};
}

TypeSize TypeSizes::ofVector(const Instruction& type) const {
    const TypeSize scalar = known(type.word(0));
    const auto bytes = static_cast<uint32_t>(scalar.bytes);
    const uint32_t count = std::min(type.word(1), 16u);
    if (bytes == 0) return {};
    switch (layout_) {
        case MemoryLayout::kExplicit:
            return {uint64_t{bytes} * type.word(1), bytes * (count == 2 ? 2 : 4), bytes};
        case MemoryLayout::kShared:
            return {scalar.bytes * roundUp(type.word(1), 2), bytes, scalar.scalarAlignment};
        case MemoryLayout::kOpenCl:
            break;
    }
    return {uint64_t{bytes} * std::bit_ceil(count), bytes * std::bit_ceil(count), bytes};
}

TypeSize TypeSizes::ofMatrix(Id column, uint64_t stride, uint64_t lines) const {
    TypeSize size = known(column);
    size.bytes = timesCount(stride, lines);
    return size;
}

TypeSize TypeSizes::ofArray(const Instruction& type) const {
    TypeSize size = known(type.word(0));
    const auto stride = module_.decoration(type.result, spv::Decoration::ArrayStride);
    const auto length = type.opcode == OpTypeRuntimeArray ? std::optional<uint64_t>()
                                                          : module_.constantValue(type.word(1));
    switch (layout_) {
        case MemoryLayout::kExplicit: {
            const uint64_t count = type.opcode == OpTypeRuntimeArray ? 1 : length.value_or(0);
            if (size.bytes != 0) size.bytes = timesCount(stride.value_or(0), count);
            break;
        }
        case MemoryLayout::kShared:
            size.bytes = type.opcode == OpTypeRuntimeArray
                             ? kTooManyBytes
                             : timesCount(size.bytes, length.value_or(kTooManyBytes));
            break;
        case MemoryLayout::kOpenCl: {
            const uint64_t unknown = type.opcode == OpTypeArray ? kTooManyBytes : 0;
            size.bytes = timesCount(stride ? *stride : size.bytes, length.value_or(unknown));
            break;
        }
    }
    return size;
}

// A member that is a matrix says how its lines lie.
TypeSize TypeSizes::ofMember(const Instruction& structure, uint32_t member) const {
    const Id id = structure.word(member);
    const Instruction& type = module_.def(id);
    const auto stride =
        module_.memberDecoration(structure.result, member, spv::Decoration::MatrixStride);
    if (layout_ != MemoryLayout::kExplicit || type.opcode != OpTypeMatrix || !stride) {
        return known(id);
    }
    const bool areRows =
        module_.memberDecoration(structure.result, member, spv::Decoration::RowMajor).has_value();
    const uint32_t rows = module_.def(type.word(0)).word(1);
    return ofMatrix(type.word(0), *stride, areRows ? rows : type.word(1));
}

std::optional<uint64_t> TypeSizes::memberStart(const Instruction& type, uint32_t member,
                                               uint64_t end) {
    if (layout_ == MemoryLayout::kShared) return roundUp(end, kSharedAlignment);
    const auto offset = module_.memberDecoration(type.result, member, spv::Decoration::Offset);
    if (offset || layout_ == MemoryLayout::kExplicit) return offset;
    const bool isPacked = module_.decoration(type.result, spv::Decoration::CPacked).has_value();
    return isPacked ? end : roundUp(end, of(type.word(member)).alignment);
}

TypeSize TypeSizes::ofStructure(const Instruction& type) {
    TypeSize whole;
    const bool isExplicit = layout_ == MemoryLayout::kExplicit;
    const bool isPacked = layout_ == MemoryLayout::kOpenCl &&
                          module_.decoration(type.result, spv::Decoration::CPacked).has_value();
    bool isScalar = false;
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const TypeSize member = ofMember(type, m);
        const auto start = memberStart(type, m, whole.bytes);
        if (!start || (isExplicit && member.bytes == 0)) return {};
        isScalar = isScalar || (isExplicit && *start % member.alignment != 0);
        whole.bytes = std::min(std::max(whole.bytes, *start + member.bytes), kTooManyBytes);
        if (!isPacked) whole.alignment = std::max(whole.alignment, member.alignment);
        whole.scalarAlignment = std::max(whole.scalarAlignment, member.scalarAlignment);
    }
    if (isScalar) whole.alignment = whole.scalarAlignment;
    const bool isShared = layout_ == MemoryLayout::kShared;
    whole.bytes = roundUp(whole.bytes, isShared ? kSharedAlignment : whole.alignment);
    return whole;
}

uint32_t bytesOf(const TypeTable& types, Id type) {
    return types.width(type) / 8 * types.components(type);
}

uint32_t sizeOfType(const TypeTable& types, Id type) {
    const uint64_t size = TypeSizes(types.module(), MemoryLayout::kExplicit).of(type).bytes;
    return size >= kTooManyBytes ? 0 : static_cast<uint32_t>(size);
}

}  // namespace coopvk::rewrite
