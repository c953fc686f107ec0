// SPDX-License-Identifier: Apache-2.0
//
// A module from its entry point to its functions.
#include <spirv-tools/libspirv.h>

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
        if (spv::ExecutionModel(instruction[0]) != spv::ExecutionModel::GLCompute) continue;
        entry_ = instruction[1];
        return Done{};
    }
    return Error{ErrorCode::kInvalidArgument,
                 "the module has no compute entry point " + request_.entryPoint};
}

void Decoder::readMode(const Parsed& instruction) {
    if (instruction[0] != entry_) return;
    using enum spv::ExecutionMode;
    const auto mode = spv::ExecutionMode(instruction[1]);
    for (uint32_t i = 0; i < 3; ++i) {
        if (mode == LocalSize) program_->workgroupSize[i] = instruction[2 + i];
        if (mode == LocalSizeId) localSizeIds_[i] = instruction[2 + i];
    }
    if (mode != RoundingModeRTZ && mode != RoundingModeRTE && mode != DenormFlushToZero) return;
    FloatControls& controls = program_->controls(instruction[2]);
    if (mode == RoundingModeRTZ) controls.rounding = numbers::Rounding::towardZero;
    if (mode == RoundingModeRTE) controls.rounding = numbers::Rounding::nearestEven;
    controls.flushDenorms |= mode == DenormFlushToZero;
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

Status Decoder::readDeclaration(const Parsed& instruction) {
    const std::string_view name = nameOf(instruction);
    if (name.starts_with("Type")) return readType(instruction);
    if (!isVariable(instruction.opcode) && !isConstant(name)) return Done{};
    const Type* of = type(instruction.typeId);
    if (of == nullptr) return invalid(instruction, "it has no type");
    return isConstant(name) ? readConstant(instruction, *of) : readVariable(instruction, *of);
}

Status Decoder::readDeclarations() {
    using enum numbers::Rounding;
    constexpr numbers::Rounding kOf[] = {nearestEven, upward, downward};  // each Direction
    for (const uint32_t width : {16u, 32u, 64u})
        program_->controls(width).rounding = kOf[size_t(request_.rounding)];
    for (const Parsed& instruction : module_) {
        if (instruction.opcode == OpFunction) break;
        if (instruction.opcode == OpMemoryModel)
            program_->vulkanMemoryModel = instruction[1] == uint32_t(spv::MemoryModel::Vulkan);
        if (instruction.opcode == OpExecutionMode || instruction.opcode == OpExecutionModeId)
            readMode(instruction);
        if (Status read = readDeclaration(instruction); !read) return read;
    }
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
        for (uint32_t i = 0; i < 3; ++i) program.workgroupSize[i] = constantOf(slot.id, i);
    }
    const auto& size = program.workgroupSize;
    constexpr uint64_t kMost = 65536;
    const uint64_t invocations = uint64_t{size[0]} * size[1] * size[2];
    if (invocations == 0 || size[0] > kMost || size[1] > kMost || invocations > kMost)
        return Error{ErrorCode::kInvalidModule, "the workgroup's size is 0 or too large"};
    program.invocations = uint32_t(invocations);
    program.subgroups = (program.invocations + program.lanes - 1) / program.lanes;
    return Done{};
}

Result<std::shared_ptr<const Program>> Decoder::decode() {
    if (Status read = readEntryPoint(); !read) return read.error();
    findFunctions();
    // Types of scope Workgroup depend on the number of invocations, which constants may give: they
    // are read once more when it is known.
    uint32_t invocations = 1;
    for (int pass = 0; pass < 2; ++pass) {
        program_ = std::make_shared<Program>();
        program_->lanes = request_.subgroupSize;
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

Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request) {
    if (!isSubgroupSize(request.subgroupSize))
        return Error{ErrorCode::kInvalidArgument,
                     std::format("no subgroup size: {}", request.subgroupSize)};
    try {
        Result<std::vector<Parsed>> module = parse(request);
        if (!module) return module.error();
        return Decoder(request, std::move(*module)).decode();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "no memory for the program"};
    }
}

std::array<uint32_t, 3> workgroupSize(const Program& program) { return program.workgroupSize; }

}  // namespace coopvk::reference
