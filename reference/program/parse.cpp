// SPDX-License-Identifier: Apache-2.0
#include "program/parse.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace coopvk::reference {

namespace {

bool isId(spv_operand_type_t type) {
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_SCOPE_ID ||
           type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID;
}

struct Reader {
    std::vector<Parsed> instructions;
    uint32_t word = 5;  // after the header
};

std::string literalString(const uint32_t* words, uint32_t count) {
    std::string text;
    for (uint32_t i = 0; i < count * 4; ++i) {
        const char letter = static_cast<char>(words[i / 4] >> (i % 4 * 8));
        if (letter == '\0') break;
        text += letter;
    }
    return text;
}

spv_result_t readInstruction(void* user, const spv_parsed_instruction_t* from) {
    Reader& reader = *static_cast<Reader*>(user);
    Parsed to;
    to.opcode = static_cast<spv::Op>(from->opcode);
    to.typeId = from->type_id;
    to.resultId = from->result_id;
    to.word = reader.word;
    for (uint16_t i = 0; i < from->num_operands; ++i) {
        const spv_parsed_operand_t& operand = from->operands[i];
        const uint32_t* words = from->words + operand.offset;
        if (operand.type == SPV_OPERAND_TYPE_RESULT_ID || operand.type == SPV_OPERAND_TYPE_TYPE_ID)
            continue;
        if (operand.type == SPV_OPERAND_TYPE_LITERAL_STRING) {
            to.text = literalString(words, operand.num_words);
            continue;
        }
        to.operands.push_back({words[0], operand.num_words > 1 ? words[1] : 0, isId(operand.type)});
    }
    reader.word += from->num_words;
    reader.instructions.push_back(std::move(to));
    return SPV_SUCCESS;
}

struct Deleter {
    void operator()(spv_context context) const { spvContextDestroy(context); }
    void operator()(spv_validator_options options) const { spvValidatorOptionsDestroy(options); }
    void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
};
template <typename T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Deleter>;

uint32_t instructionWord(uint32_t words, spv::Op opcode) {
    return words << 16 | static_cast<uint32_t>(opcode);
}

bool isSpecId(const Parsed& i) {
    return i.opcode == spv::Op::OpDecorate && i.operands.size() > 2 &&
           i.operands[1].word == static_cast<uint32_t>(spv::Decoration::SpecId);
}

// A specialization constant as the constant that it has become.
void freeze(std::vector<uint32_t>& words, const ProgramRequest& request, uint32_t specId) {
    const uint32_t count = words[0] >> 16;
    const auto opcode = static_cast<spv::Op>(words[0] & 0xFFFF);
    const auto given =
        std::find_if(request.specialization.begin(), request.specialization.end(),
                     [&](const SpecializationValue& value) { return value.constantId == specId; });
    const bool isGiven = given != request.specialization.end();
    if (opcode == spv::Op::OpSpecConstant) {
        words[0] = instructionWord(count, spv::Op::OpConstant);
        for (uint32_t w = 3; isGiven && w < count; ++w)
            words[w] = static_cast<uint32_t>(given->bits >> (w - 3) * 32);
        return;
    }
    const bool value = isGiven ? given->bits != 0 : opcode == spv::Op::OpSpecConstantTrue;
    words[0] = instructionWord(count, value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse);
}

using Words = std::unordered_map<uint32_t, uint32_t>;

// The value of OpSpecConstantOp with two operands that are constants of one word, for the
// operations that sizes and uses of matrices are computed with.
std::optional<uint32_t> folded(const Parsed& i, const Words& values) {
    if (i.opcode != spv::Op::OpSpecConstantOp || i.operands.size() != 3) return std::nullopt;
    const auto left = values.find(i.operands[1].word), right = values.find(i.operands[2].word);
    if (left == values.end() || right == values.end()) return std::nullopt;
    const uint32_t a = left->second, b = right->second;
    switch (static_cast<spv::Op>(i.operands[0].word)) {
        case spv::Op::OpIAdd:
            return a + b;
        case spv::Op::OpISub:
            return a - b;
        case spv::Op::OpIMul:
            return a * b;
        case spv::Op::OpUDiv:
            return b != 0 ? std::optional(a / b) : std::nullopt;
        case spv::Op::OpUMod:
            return b != 0 ? std::optional(a % b) : std::nullopt;
        case spv::Op::OpBitwiseOr:
            return a | b;
        case spv::Op::OpBitwiseAnd:
            return a & b;
        case spv::Op::OpShiftLeftLogical:
            return b < 32 ? std::optional(a << b) : std::nullopt;
        case spv::Op::OpShiftRightLogical:
            return b < 32 ? std::optional(a >> b) : std::nullopt;
        default:
            return std::nullopt;
    }
}

// What the validator sees. Specialization constants are constants: what depends on them must be
// valid in the specialised module only. SPIRV-Tools refuses OpSelect of whole cooperative matrices,
// which are composites: it sees a copy of one of them instead.
std::vector<uint32_t> validated(const ProgramRequest& request,
                                const std::vector<Parsed>& instructions) {
    std::vector<uint32_t> all(request.words.begin(), request.words.begin() + 5);
    Words specIds;  // by the constant's id
    Words values;   // of constants of one word
    std::unordered_set<uint32_t> matrices;
    for (const Parsed& i : instructions) {
        if (isSpecId(i)) {
            specIds[i.operands[0].word] = i.operands[2].word;
            continue;
        }
        const auto from = request.words.begin() + i.word;
        std::vector<uint32_t> words(from, from + (*from >> 16));
        if (i.opcode == spv::Op::OpTypeCooperativeMatrixKHR) matrices.insert(i.resultId);
        const bool isConstant = i.opcode == spv::Op::OpSpecConstant ||
                                i.opcode == spv::Op::OpSpecConstantTrue ||
                                i.opcode == spv::Op::OpSpecConstantFalse;
        const auto specId = specIds.find(i.resultId);
        if (isConstant && specId != specIds.end()) freeze(words, request, specId->second);
        if (const auto value = folded(i, values))
            words = {instructionWord(4, spv::Op::OpConstant), i.typeId, i.resultId, *value};
        if (words[0] == instructionWord(4, spv::Op::OpConstant)) values[i.resultId] = words[3];
        if (i.opcode == spv::Op::OpSelect && matrices.contains(i.typeId))
            words = {instructionWord(4, spv::Op::OpCopyObject), i.typeId, i.resultId,
                     i.operands[1].word};
        all.insert(all.end(), words.begin(), words.end());
    }
    return all;
}

Status validate(spv_const_context context, const ProgramRequest& request,
                std::span<const uint32_t> words) {
    const ValidationRules& rules = request.rules;
    const Owned<spv_validator_options> options(spvValidatorOptionsCreate());
    spvValidatorOptionsSetRelaxBlockLayout(options.get(), rules.relaxedBlockLayout);
    spvValidatorOptionsSetUniformBufferStandardLayout(options.get(),
                                                      rules.uniformBufferStandardLayout);
    spvValidatorOptionsSetScalarBlockLayout(options.get(), rules.scalarBlockLayout);
    spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(),
                                                     rules.workgroupScalarBlockLayout);
    spvValidatorOptionsSetAllowLocalSizeId(options.get(), rules.localSizeId);
    spv_const_binary_t binary{words.data(), words.size()};
    spv_diagnostic message = nullptr;
    const spv_result_t result = spvValidateWithOptions(context, options.get(), &binary, &message);
    const Owned<spv_diagnostic> owner(message);
    if (result == SPV_SUCCESS) return Done{};
    return Error{ErrorCode::kInvalidModule, message != nullptr ? message->error : "invalid SPIR-V"};
}

}  // namespace

Result<std::vector<Parsed>> parse(const ProgramRequest& request) {
    const Owned<spv_context> context(spvContextCreate(SPV_ENV_VULKAN_1_3));
    if (!context) return Error{ErrorCode::kOutOfMemory, "no memory for SPIRV-Tools"};
    Reader reader;
    spv_diagnostic message = nullptr;
    const spv_result_t result =
        spvBinaryParse(context.get(), &reader, request.words.data(), request.words.size(), nullptr,
                       readInstruction, &message);
    const Owned<spv_diagnostic> owner(message);
    if (result != SPV_SUCCESS)
        return Error{ErrorCode::kInvalidModule,
                     message != nullptr ? message->error : "not a SPIR-V module"};
    if (request.rules.validate) {
        const std::vector<uint32_t> words = validated(request, reader.instructions);
        Status valid = validate(context.get(), request, words);
        if (!valid) return valid.error();
    }
    return std::move(reader.instructions);
}

}  // namespace coopvk::reference
