// SPDX-License-Identifier: Apache-2.0
#include <spirv-tools/libspirv.h>

#include <new>
#include <string_view>

#include "program/decoder.hpp"

namespace coopvk::reference {

Status Decoder::readEntryPoint() {
    for (const Parsed& instruction : module_) {
        if (instruction.opcode != spv::Op::OpEntryPoint || instruction.text != request_.entryPoint)
            continue;
        if (static_cast<spv::ExecutionModel>(instruction.operands[0].word) !=
            spv::ExecutionModel::GLCompute)
            continue;
        entry_ = instruction.operands[1].word;
        return Done{};
    }
    return Error{ErrorCode::kInvalidArgument,
                 "the module has no compute entry point " + request_.entryPoint};
}

namespace {

numbers::Rounding roundingOf(Direction direction) {
    if (direction == Direction::kUpward) return numbers::Rounding::upward;
    return direction == Direction::kDownward ? numbers::Rounding::downward
                                             : numbers::Rounding::nearestEven;
}

}  // namespace

void Decoder::readModes() {
    const auto controls = [&](uint32_t width) -> FloatControls& {
        return width == 16   ? program_->float16
               : width == 64 ? program_->float64
                             : program_->float32;
    };
    for (const uint32_t width : {16u, 32u, 64u})
        controls(width).rounding = roundingOf(request_.rounding);
    for (const Parsed& instruction : module_) {
        const auto& operands = instruction.operands;
        if (instruction.opcode == spv::Op::OpMemoryModel)
            program_->vulkanMemoryModel =
                static_cast<spv::MemoryModel>(operands[1].word) == spv::MemoryModel::Vulkan;
        if ((instruction.opcode != spv::Op::OpExecutionMode &&
             instruction.opcode != spv::Op::OpExecutionModeId) ||
            operands[0].word != entry_)
            continue;
        switch (static_cast<spv::ExecutionMode>(operands[1].word)) {
            case spv::ExecutionMode::LocalSize:
                for (uint32_t i = 0; i < 3; ++i) program_->workgroupSize[i] = operands[2 + i].word;
                break;
            case spv::ExecutionMode::LocalSizeId:
                for (uint32_t i = 0; i < 3; ++i) localSizeIds_[i] = operands[2 + i].word;
                break;
            case spv::ExecutionMode::RoundingModeRTZ:
                controls(operands[2].word).rounding = numbers::Rounding::towardZero;
                break;
            case spv::ExecutionMode::RoundingModeRTE:
                controls(operands[2].word).rounding = numbers::Rounding::nearestEven;
                break;
            case spv::ExecutionMode::DenormFlushToZero:
                controls(operands[2].word).flushDenorms = true;
                break;
            default:
                break;
        }
    }
}

void Decoder::readNames(const Parsed& instruction) {
    switch (instruction.opcode) {
        case spv::Op::OpName:
            program_->names[instruction.operands[0].word] = instruction.text;
            break;
        case spv::Op::OpString:
            program_->strings[instruction.resultId] = instruction.text;
            break;
        case spv::Op::OpExtInstImport:
            sets_[instruction.resultId] = instruction.text;
            break;
        case spv::Op::OpLine:
            program_->lines.emplace_back(instruction.word,
                                         program_->strings[instruction.operands[0].word] + ":" +
                                             std::to_string(instruction.operands[1].word));
            break;
        case spv::Op::OpLabel:  // a line ends with its block; one just before is this block's
            if (!program_->lines.empty() && program_->lines.back().first + 4 == instruction.word)
                break;
            [[fallthrough]];
        case spv::Op::OpNoLine:
        case spv::Op::OpFunctionEnd:
            program_->lines.emplace_back(instruction.word, "");
            break;
        default:
            break;
    }
}

std::string_view nameOf(const Parsed& instruction) {
    return spvOpcodeString(static_cast<uint32_t>(instruction.opcode));
}

bool isVariable(std::string_view name) {
    return name == "Variable" || name == "UntypedVariableKHR";
}

bool isConstant(std::string_view name) {
    return name.starts_with("Constant") || name.starts_with("SpecConstant") || name == "Undef" ||
           name == "PoisonKHR";
}

Status Decoder::readDeclaration(const Parsed& instruction) {
    const std::string_view name = nameOf(instruction);
    if (name.starts_with("Type")) return readType(instruction);
    if (isVariable(name)) return readVariable(instruction);
    return isConstant(name) ? readConstant(instruction) : Status(Done{});
}

Status Decoder::readDeclarations() {
    for (const Parsed& instruction : module_) {
        if (instruction.opcode == spv::Op::OpFunction) break;
        Status read = readDeclaration(instruction);
        if (!read) return read;
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
                                  static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize))
            continue;
        for (uint32_t i = 0; i < 3; ++i) program.workgroupSize[i] = constantOf(slot.id, i);
    }
    const auto& size = program.workgroupSize;
    constexpr uint64_t kMost = 65536;
    const uint64_t invocations = uint64_t{size[0]} * size[1] * size[2];
    if (invocations == 0 || size[0] > kMost || size[1] > kMost || invocations > kMost)
        return Error{ErrorCode::kInvalidModule, "the workgroup's size is 0 or too large"};
    program.invocations = static_cast<uint32_t>(invocations);
    program.subgroups = (program.invocations + program.lanes - 1) / program.lanes;
    return Done{};
}

Result<std::shared_ptr<const Program>> Decoder::decode() {
    Status status = readEntryPoint();
    if (!status) return status.error();
    findFunctions();
    // Types of scope Workgroup depend on the number of invocations, which constants may give: they
    // are read once more when it is known.
    uint32_t invocations = 1;
    for (int pass = 0; pass < 2; ++pass) {
        program_ = std::make_shared<Program>();
        program_->lanes = request_.subgroupSize;
        program_->invocations = invocations;
        readModes();
        status = readDeclarations();
        if (!status) return status.error();
        if (program_->invocations == invocations) break;
        invocations = program_->invocations;
    }
    for (const Parsed& instruction : module_) readNames(instruction);
    status = readFunctions();
    if (!status) return status.error();
    assignStorage(*program_);
    return std::shared_ptr<const Program>(std::move(program_));
}

Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request) {
    const uint32_t lanes = request.subgroupSize;
    if (lanes < kMinLanes || lanes > kMaxLanes || (lanes & (lanes - 1)) != 0)
        return Error{ErrorCode::kInvalidArgument, "no subgroup size: " + std::to_string(lanes)};
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
