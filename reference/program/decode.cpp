// SPDX-License-Identifier: Apache-2.0
//
// A module from its entry point to its functions: names, constants, variables.
#include <spirv-tools/libspirv.h>

#include "coopvk_reference/warnings.hpp"
#include "execution/frame.hpp"
#include "memory/pointer.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {

std::string_view nameOf(const Parsed& instruction) {
    return spvOpcodeString(uint32_t(instruction.opcode));
}

bool isVariable(spv::Op opcode) { return opcode == OpVariable || opcode == OpUntypedVariableKHR; }

bool isConstant(std::string_view name) {
    return name.starts_with("Constant") || name.starts_with("SpecConstant") || name == "Undef" ||
           name == "PoisonKHR";
}

Error Decoder::invalid(const Parsed& instruction, const std::string& message) const {
    return {ErrorCode::kInvalidModule, "Op" + std::string(nameOf(instruction)) + " %" +
                                           std::to_string(instruction.resultId) + ": " + message};
}

Error Decoder::unsupported(const Parsed& instruction) const {
    Error error = invalid(instruction, "this device does not execute it");
    error.code = ErrorCode::kUnsupported;
    return error;
}

Status Decoder::readEntryPoint() {
    for (const Parsed& instruction : module_) {
        if (instruction.opcode != OpEntryPoint || instruction.text != request_.entryPoint) continue;
        if (instruction[0] != request_.stage) continue;
        entry_ = instruction[1];
        const bool isCompute = request_.stage == uint32_t(spv::ExecutionModel::GLCompute);
        return isCompute || request_.isScripted ? Status(Done{}) : unsupported(instruction);
    }
    const bool isCompute = request_.stage == uint32_t(spv::ExecutionModel::GLCompute);
    return Error{ErrorCode::kInvalidArgument,
                 std::format("the module has no {}entry point {}", isCompute ? "compute " : "",
                             request_.entryPoint)};
}

void Decoder::readName(const Parsed& instruction) {
    const auto addLine = [&](const std::string& line) {
        program_->lines.emplace_back(instruction.word, line);
    };
    const spv::Op opcode = instruction.opcode;
    if (opcode == OpName) program_->names[instruction[0]] = instruction.text;
    if (opcode == OpString || opcode == OpExtInstImport)
        program_->strings[instruction.resultId] = instruction.text;
    if (opcode == OpLine)
        addLine(program_->strings[instruction[0]] + ":" + std::to_string(instruction[1]));
    // A line ends with its block; one just before a label is the label's block's.
    const bool isNext =
        !program_->lines.empty() && program_->lines.back().first + 4 == instruction.word;
    if (opcode == OpNoLine || opcode == OpFunctionEnd || (opcode == OpLabel && !isNext))
        addLine("");
}

uint32_t Program::newSlot(uint32_t id, const Type& type) {
    const uint32_t index = uint32_t(slots.size());
    const bool isPointer = type.kind == Kind::kPointer;
    slots.push_back({&type, id, false, 0, isPointer ? Pointee{type.element} : Pointee{}});
    slotOf[id] = index;
    return index;
}

uint32_t Decoder::slotOf(uint32_t id) const {
    const auto found = program_->slotOf.find(id);
    return id != 0 && found != program_->slotOf.end() ? found->second : kNone;
}

// Zero if the id is no constant.
uint32_t Decoder::constantOf(uint32_t id, uint32_t component) const {
    const uint32_t slot = slotOf(id);
    if (slot == kNone || !program_->slots[slot].constant) return 0;
    return uint32_t(program_->constantAt(slot, component));
}

Status Decoder::addConstant(const Parsed& from, const Type& type,
                            std::span<const uint64_t> components, bool defined) {
    if (type.components > kMostComponents) return unsupported(from);
    Program& program = *program_;
    Slot& slot = program.slots[program_->newSlot(from.resultId, type)];
    slot.constant = true;
    slot.storage = program.constantDefined.size();
    program.constantDefined.resize(slot.storage + type.components,
                                   defined ? LaneMask::firstLanes(kMaxLanes) : LaneMask{});
    for (uint32_t i = 0; i < type.components; ++i)
        program.constantData.insert(program.constantData.end(), program.lanes,
                                    i < components.size() ? components[i] : 0);
    return Done{};
}

// Specialization constants are constants already.
Status Decoder::readConstant(const Parsed& from, const Type& of) {
    const spv::Op opcode = from.opcode;
    const std::string_view name = nameOf(from);
    if (opcode == OpConstantNull) return addConstant(from, of, {});
    if (opcode == OpUndef || opcode == OpPoisonKHR) return addConstant(from, of, {}, false);
    if (name.find("Composite") != name.npos) return readCompositeConstant(from, of);
    if (opcode == OpSpecConstantOp) return readOperationConstant(from, of);
    uint64_t bits = opcode == OpConstantTrue;
    if (opcode == OpConstant)
        bits = from.operands[0].literal() & lowBits(of.width);
    else if (opcode == OpConstantSizeOfEXT)
        bits = kDescriptorBytes;
    else if (opcode != OpConstantTrue && opcode != OpConstantFalse)
        return unsupported(from);
    return addConstant(from, of, {&bits, 1});
}

Status Decoder::readCompositeConstant(const Parsed& from, const Type& of) {
    std::vector<uint64_t> components;
    bool defined = true;
    // Matrices and replicated composites have one constituent.
    for (size_t next = 0; components.size() < of.components; ++next) {
        if (next == from.size() && components.empty())
            return invalid(from, "its constituents have no components");
        const uint32_t slot = slotOf(from[next % from.size()]);
        if (slot == kNone) return invalid(from, "a constituent is no constant");
        const Slot& part = program_->slots[slot];
        for (uint32_t i = 0; i < part.type->components; ++i) {
            components.push_back(program_->constantAt(slot, i));
            defined &= program_->constantDefined[part.storage + i].any();
        }
    }
    return addConstant(from, of, components, defined);
}

// OpSpecConstantOp: executed once, by what executes the operation in functions.
Status Decoder::readOperationConstant(const Parsed& from, const Type& of) {
    Parsed operation = from;
    operation.opcode = spv::Op(from[0]);
    operation.operands.erase(operation.operands.begin());
    Status status = addConstant(from, of, {});
    Instruction executed;
    if (status) status = chooseRow(operation, executed);
    if (status) executeOnConstants(*program_, executed);
    return status;
}

Status Decoder::readVariable(const Parsed& from, const Type& pointer) {
    const bool untyped = from.opcode == OpUntypedVariableKHR;
    Variable variable;
    variable.storage = pointer.storage;
    variable.type = pointer.element;
    if (untyped) variable.type = from.size() > 1 ? type(from[1]) : nullptr;
    const size_t initializer = untyped ? 2 : 1;
    if (from.size() > initializer) variable.initializer = slotOf(from[initializer]);
    const uint32_t id = from.resultId;
    variable.set = decorations_.literal(id, spv::Decoration::DescriptorSet);
    variable.binding = decorations_.literal(id, spv::Decoration::Binding);
    variable.builtIn = decorations_.of(id, spv::Decoration::BuiltIn).value_or(kNone);
    variable.lists = request_.isScripted ? listStorage(spv::StorageClass(from[0])) : nullptr;
    if (variable.lists != nullptr) variable.list = listOf(id, variable);
    if (const Type* held = variable.type; held != nullptr && isDescriptor(variable.storage))
        variable.descriptorArray =
            (held->kind == Kind::kArray || held->kind == Kind::kRuntimeArray) &&
            held->element->block;
    variable.sharesMemory = variable.type != nullptr && variable.type->block &&
                            decorations_.has(id, spv::Decoration::Aliased);
    variable.slot = program_->newSlot(id, pointer);
    Slot& slot = program_->slots[variable.slot];
    slot.pointee = {variable.type};
    slot.pointee.isNonWritable = decorations_.has(id, spv::Decoration::NonWritable);
    slot.pointee.isNonReadable = decorations_.has(id, spv::Decoration::NonReadable);
    slot.ofDescriptors = variable.descriptorArray;
    slot.object = decorations_.objectOf(id, program_->variables.size() + 1);
    if (!used_.contains(id)) return Done{};  // of another entry point
    placeVariable(variable);
    if (request_.numbersVariables) numberVariable(id, variable);
    program_->variables.push_back(variable);
    return program_->privateComponents <= kMostComponents ? Status(Done{}) : unsupported(from);
}

// A block's members may have what the block has not.
StageList Decoder::listOf(uint32_t id, const Variable& variable) const {
    const Type* held = variable.type;
    while (held != nullptr && (held->kind == Kind::kArray || held->kind == Kind::kRuntimeArray))
        held = held->element;
    const uint32_t block = held != nullptr && held->kind == Kind::kStruct ? held->id : 0;
    const auto decoration = [&](spv::Decoration wanted) {
        const auto own = decorations_.of(id, wanted);
        return own || block == 0 ? own : decorations_.of(block, wanted, 0);
    };
    StageList list{.of = uint32_t(variable.lists->storage)};
    // Payloads need no location: they are told apart by their order.
    uint32_t before = 0;
    for (const Parsed& other : module_) {
        if (other.resultId == id || !variable.lists->isRepeated) break;
        before += isVariable(other.opcode) && other[0] == list.of ? 1 : 0;
    }
    const auto builtIn = decoration(spv::Decoration::BuiltIn);
    list.number =
        builtIn ? kBuiltIn | *builtIn : decoration(spv::Decoration::Location).value_or(before);
    list.component = decoration(spv::Decoration::Component).value_or(0) +
                     4 * decoration(spv::Decoration::Index).value_or(0);
    return list;
}

// Memory of an invocation's own, in components.
void Decoder::placeVariable(Variable& variable) {
    if (variable.type == nullptr || !holdsComponents(variable.storage)) return;
    variable.offset = program_->privateComponents;
    program_->privateComponents += std::min(variable.type->components, 2 * kMostComponents);
}

// Workgroup memory, in bytes. "Variables with Workgroup storage class that are decorated with
// Aliased and that point to a block-decorated type share a set of memory locations" (Vulkan,
// "Memory Model"): its first ones.
void Decoder::placeShared() {
    constexpr uint64_t kAlignment = 16;
    uint64_t& size = program_->sharedSize;
    for (const bool ofAliased : {true, false}) {
        for (Variable& variable : program_->variables) {
            if (variable.storage != spv::StorageClass::Workgroup || variable.type == nullptr)
                continue;
            if (variable.sharesMemory != ofAliased) continue;
            const uint64_t end = (size + kAlignment - 1) / kAlignment * kAlignment;
            variable.offset = ofAliased ? 0 : end;
            size = std::max(size, variable.offset + sizeOf({variable.type}));
        }
    }
}

Status Decoder::readDeclaration(const Parsed& instruction) {
    const std::string_view name = nameOf(instruction);
    if (name.starts_with("Type")) return readType(instruction);
    if (!isVariable(instruction.opcode) && !isConstant(name)) return Done{};
    const Type* of = type(instruction.typeId);
    if (of == nullptr) return invalid(instruction, "it has no type");
    noteRelaxedMove(instruction);
    return isConstant(name) ? readConstant(instruction, *of) : readVariable(instruction, *of);
}

Status Decoder::readDeclarations() {
    setDefaultModes();
    for (const Parsed& instruction : module_) {
        if (instruction.opcode == OpFunction) break;
        if (instruction.opcode == OpMemoryModel)
            program_->vulkanMemoryModel = instruction[1] == uint32_t(spv::MemoryModel::Vulkan);
        if (instruction.opcode == OpExecutionMode || instruction.opcode == OpExecutionModeId)
            readMode(instruction);
        if (Status read = readDeclaration(instruction); !read) return read;
    }
    placeShared();
    readFastMathDefaults();
    if (program_->sharedSize > kMostSharedBytes)
        return Error{ErrorCode::kUnsupported,
                     "so much Workgroup memory: this device does not execute it"};
    return readWorkgroupSize();
}

// The built-in WorkgroupSize is stronger than the modes LocalSize and LocalSizeId.
Status Decoder::readWorkgroupSize() {
    Program& program = *program_;
    for (uint32_t i = 0; i < 3; ++i)
        if (localSizeIds_[i] != 0) program.workgroupSize[i] = constantOf(localSizeIds_[i]);
    for (const Slot& slot : program.slots) {
        if (!slot.constant || decorations_.of(slot.id, spv::Decoration::BuiltIn) !=
                                  uint32_t(spv::BuiltIn::WorkgroupSize))
            continue;
        if (slot.type->components != 3)
            return Error{ErrorCode::kInvalidModule, "a workgroup's size has three components"};
        for (uint32_t i = 0; i < 3; ++i) program.workgroupSize[i] = constantOf(slot.id, i);
    }
    if (!program.stage->hasWorkgroups) program.workgroupSize = {program.lanes, 1, 1};
    constexpr uint64_t kMost = 65536;
    uint64_t invocations = 1;
    for (const uint32_t size : program.workgroupSize) {
        invocations *= size;
        if (invocations == 0 || invocations > kMost)
            return Error{ErrorCode::kInvalidModule, "the workgroup's size is 0 or too large"};
    }
    program.invocations = uint32_t(invocations);
    program.subgroups = (program.invocations + program.lanes - 1) / program.lanes;
    return Done{};
}

Result<std::shared_ptr<const Program>> Decoder::decode() {
    if (Status read = readEntryPoint(); !read) return read.error();
    if (findStage(spv::ExecutionModel(request_.stage)) == nullptr)
        return Error{ErrorCode::kInvalidArgument, "Vulkan has no such stage"};
    findFunctions();
    // Types of scope Workgroup depend on the number of invocations, which constants may give: they
    // are read once more when it is known.
    uint32_t invocations = 1;
    for (int pass = 0; pass < 2; ++pass) {
        program_ = std::make_shared<Program>();
        program_->lanes = request_.subgroupSize;
        program_->stage = findStage(spv::ExecutionModel(request_.stage));
        program_->isScripted = request_.isScripted;
        program_->definesRemainders = request_.hasMaintenance8;
        program_->placement = request_.placement;
        program_->optimalLayout = request_.optimalLayout;
        program_->invocations = invocations;
        if (Status read = readDeclarations(); !read) return read.error();
        if (program_->invocations == invocations) break;
        invocations = program_->invocations;
    }
    for (const Parsed& instruction : module_) readName(instruction);
    if (Status read = readFunctions(); !read) return read.error();
    for (Slot& slot : program_->slots) {
        if (slot.constant) continue;
        slot.storage = program_->storageComponents;
        program_->storageComponents += slot.type->components;
    }
    return std::shared_ptr<const Program>(std::move(program_));
}

Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request,
                                                   std::string& warning) {
    if (!isSubgroupSize(request.subgroupSize))
        return Error{ErrorCode::kInvalidArgument,
                     std::format("no subgroup size: {}", request.subgroupSize)};
    try {
        Result<Module> module = parse(request);
        if (!module) return module.error();
        warning = std::move(module->warning);
        return Decoder(request, std::move(module->instructions)).decode();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "no memory for the program"};
    }
}

Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request) {
    std::string warning;
    return makeProgram(request, warning);
}

bool usesOptimalLayouts(const Program& program) { return program.usesOptimalLayouts; }

std::array<uint32_t, 3> workgroupSize(const Program& program) { return program.workgroupSize; }

std::span<const ResourceVariable> resourceVariables(const Program& program) {
    return program.resources;
}

}  // namespace coopvk::reference
