// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

struct Member {
    Id structure = 0;
    uint32_t index = 0;
    uint32_t stride = 0;
    Id matrix = 0;
};

// The members with a MatrixStride that are matrices of half floats, or arrays of them.
std::vector<Member> findMembers(const NumbersContext& context) {
    const Module& module = context.module;
    std::map<Id, Id> matrixOf;  // by type: a matrix or an array of them
    for (const auto& [id, matrix] : context.matrices) matrixOf[id] = id;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto element = matrixOf.find(isArrayType(i->opcode) ? i->word(0) : 0);
        if (element != matrixOf.end()) matrixOf[i->result] = element->second;
    }
    std::vector<Member> members;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (!decoratesMember(*i, spv::Decoration::MatrixStride)) continue;
        const auto found = matrixOf.find(module.def(i->word(0)).word(i->word(1)));
        if (found == matrixOf.end()) continue;
        members.push_back({i->word(0), i->word(1), i->word(3), found->second});
    }
    return members;
}

// The array in memory; nullopt if the type has one with another stride already.
std::optional<Id> inMemory(NumbersContext& context, const Member& member) {
    Module& module = context.module;
    const auto [entry, isNew] = context.matricesInMemory.try_emplace(member.matrix);
    Id& array = entry->second;
    if (!isNew) {
        const auto stride = module.decoration(array, spv::Decoration::ArrayStride);
        return stride == member.stride ? std::optional(array) : std::nullopt;
    }
    const PlainMatrix& matrix = context.matrices.at(member.matrix);
    const Id length = context.types.constantU32(matrix.columns);
    array = module.takeId();
    module.append(
        Section::kGlobals,
        makeInstruction(OpTypeArray, 0, array, {idOperand(matrix.column), idOperand(length)}));
    module.decorate(array, spv::Decoration::ArrayStride, {member.stride});
    return array;
}

// Puts the array into the member's type.
void retype(Module& module, const Member& member, Id array) {
    Instruction* holder = module.edit(member.structure);
    size_t operand = member.index;
    while (holder->word(operand) != member.matrix && holder->word(operand) != array) {
        holder = module.edit(holder->word(operand));
        operand = 0;
    }
    holder->operands[operand].word = array;
}

bool isOfMatrices(const Instruction& i) {
    return decoratesMember(i, spv::Decoration::MatrixStride) ||
           decoratesMember(i, spv::Decoration::ColMajor);
}

// Pointers to memory that each invocation or workgroup has for itself lead to no layout.
bool leadsToLayout(const Instruction& pointer) {
    return pointer.opcode == OpTypePointer &&
           isOneOf(storageOf(pointer),
                   {spv::StorageClass::StorageBuffer, spv::StorageClass::PhysicalStorageBuffer,
                    spv::StorageClass::Uniform, spv::StorageClass::PushConstant,
                    spv::StorageClass::ShaderRecordBufferKHR});
}

Id columnsAs(Emitter& emit, const PlainMatrix& matrix, Id value, Id type,
             std::optional<Id> result = {}) {
    std::vector<Id> columns;
    for (uint32_t c = 0; c < matrix.columns; ++c) {
        columns.push_back(emit.extract(matrix.column, value, {c}));
    }
    return emit.construct(type, columns, result);
}

// Whether `held` is the array in memory of the matrix `type`.
bool isArrayOf(const NumbersContext& context, Id held, Id type) {
    const auto found = context.matricesInMemory.find(type);
    return found != context.matricesInMemory.end() && found->second == held;
}

bool lowerLoad(NumbersContext& context, Emitter& emit, const Instruction& i) {
    const Id array = context.module.pointee(i.word(0));
    if (!isArrayOf(context, array, i.type)) return false;
    const Id value = emit.op(OpLoad, array, i.operands);
    columnsAs(emit, context.matrices.at(i.type), value, i.type, i.result);
    return true;
}

bool lowerStore(NumbersContext& context, Emitter& emit, Instruction& i) {
    const Id type = emit.typeOf(i.word(1));
    const Id array = context.module.pointee(i.word(0));
    if (!isArrayOf(context, array, type)) return false;
    i.operands[1].word = columnsAs(emit, context.matrices.at(type), i.word(1), array);
    return false;
}

bool lowerExtract(NumbersContext& context, Emitter& emit, const Instruction& i) {
    if (!context.matricesInMemory.contains(i.type)) return false;
    Id held = emit.typeOf(i.word(0));
    for (size_t o = 1; o < i.operands.size(); ++o) {
        held = memberType(context.module, held, i.word(o));
    }
    if (!isArrayOf(context, held, i.type)) return false;
    const Id value = emit.op(OpCompositeExtract, held, i.operands);
    columnsAs(emit, context.matrices.at(i.type), value, i.type, i.result);
    return true;
}

bool refuseConstruct(NumbersContext& context, Emitter&, const Instruction& i) {
    const Instruction& type = context.module.def(i.type);
    for (const auto& [matrix, array] : context.matricesInMemory) {
        for (const Operand& operand : type.operands) {
            if (operand.isId && operand.word == array) {
                return context.fail(ErrorCode::kUnsupported, i,
                                    "constructs a structure with a layout and a matrix of half "
                                    "floats, which are emulated");
            }
        }
    }
    return false;
}

}  // namespace

void layOutHalfMatrices(NumbersContext& context) {
    if (context.matrices.empty()) return;
    Module& module = context.module;
    const std::vector<Member> members = findMembers(context);
    for (const Member& member : members) {
        const bool isRowMajor =
            module.memberDecoration(member.structure, member.index, spv::Decoration::RowMajor)
                .has_value();
        const std::optional<Id> array = isRowMajor ? std::nullopt : inMemory(context, member);
        if (!array) {
            return context.unsupported(
                module.def(member.structure),
                "a matrix of half floats, which are emulated, is row-major or has several "
                "strides");
        }
        retype(module, member, *array);
        module.removeDecorationsOf(member.structure, [&](const Instruction& i) {
            return isOfMatrices(i) && i.word(1) == member.index;
        });
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto found = context.matricesInMemory.find(leadsToLayout(*i) ? i->word(1) : 0);
        if (found != context.matricesInMemory.end()) i->operands[1].word = found->second;
    }
}

void addHalfMatrixAccess(OpcodeTable<NumbersFunction>& table) {
    table.add<lowerLoad>({OpLoad});
    table.add<lowerStore>({OpStore});
    table.add<lowerExtract>({OpCompositeExtract});
    table.add<refuseConstruct>({OpCompositeConstruct, OpCompositeInsert});
}

}  // namespace coopvk::rewrite
