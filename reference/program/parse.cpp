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

Status statusOf(spv_result_t result, spv_diagnostic message) {
    const Owned<spv_diagnostic> owner(message);
    if (result == SPV_SUCCESS) return Done{};
    if (result == SPV_ERROR_OUT_OF_MEMORY) return Error{ErrorCode::kOutOfMemory, "no memory"};
    return Error{ErrorCode::kInvalidModule, message != nullptr ? message->error : "invalid SPIR-V"};
}

using Words = std::vector<uint32_t>;

void setOpcode(Words& instruction, spv::Op opcode) {
    instruction[0] = static_cast<uint32_t>(instruction.size() << 16 | static_cast<size_t>(opcode));
}

// Operations with which sizes and uses of matrices are computed, of constants of one word.
struct Fold {
    spv::Op opcode;
    uint32_t (*result)(uint32_t, uint32_t);
};
constexpr Fold kFolds[] = {
    {spv::Op::OpIAdd, [](uint32_t a, uint32_t b) { return a + b; }},
    {spv::Op::OpISub, [](uint32_t a, uint32_t b) { return a - b; }},
    {spv::Op::OpIMul, [](uint32_t a, uint32_t b) { return a * b; }},
    {spv::Op::OpUDiv, [](uint32_t a, uint32_t b) { return b != 0 ? a / b : 0; }},
    {spv::Op::OpUMod, [](uint32_t a, uint32_t b) { return b != 0 ? a % b : 0; }},
    {spv::Op::OpBitwiseOr, [](uint32_t a, uint32_t b) { return a | b; }},
    {spv::Op::OpBitwiseAnd, [](uint32_t a, uint32_t b) { return a & b; }},
    {spv::Op::OpShiftLeftLogical, [](uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; }},
    {spv::Op::OpShiftRightLogical, [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }},
};

// Makes constants of specialization constants: what depends on them must be valid in the
// specialised module only.
class Specializer {
 public:
    explicit Specializer(const ProgramRequest& request) : request_(request) {}

    // Changes the module, and returns the words that the validator sees.
    Words specialize(std::vector<Parsed>& module) {
        Words all(request_.words.begin(), request_.words.begin() + 5);
        for (Parsed& i : module) {
            const auto from = request_.words.begin() + i.word;
            Words words(from, from + (*from >> 16));
            specialize(i, words);
            if (i.opcode == spv::Op::OpConstant && words.size() == 4)
                values_[i.resultId] = words[3];
            all.insert(all.end(), words.begin(), words.end());
        }
        return all;
    }

 private:
    void specialize(Parsed& i, Words& words) {
        switch (i.opcode) {
            case spv::Op::OpDecorate:
                readSpecId(i, words);
                break;
            case spv::Op::OpSpecConstant:
                i.opcode = spv::Op::OpConstant;
                setOpcode(words, i.opcode);
                setValue(i, words);
                break;
            case spv::Op::OpSpecConstantTrue:
            case spv::Op::OpSpecConstantFalse: {
                const auto given = given_.find(i.resultId);
                const bool isTrue = given != given_.end() ? given->second != 0
                                                          : i.opcode == spv::Op::OpSpecConstantTrue;
                i.opcode = isTrue ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse;
                setOpcode(words, i.opcode);
                break;
            }
            case spv::Op::OpSpecConstantOp:
                fold(i, words);
                break;
            case spv::Op::OpTypeCooperativeMatrixKHR:
                matrices_.insert(i.resultId);
                break;
            case spv::Op::OpSelect:
                // SPIRV-Tools refuses OpSelect of whole cooperative matrices, which are composites.
                if (!matrices_.contains(i.typeId)) break;
                words.resize(4);
                words[3] = i.operands[1].word;
                setOpcode(words, spv::Op::OpCopyObject);
                break;
            default:
                break;
        }
    }

    void readSpecId(const Parsed& i, Words& words) {
        if (static_cast<spv::Decoration>(i.operands[1].word) != spv::Decoration::SpecId) return;
        for (const SpecializationValue& value : request_.specialization)
            if (value.constantId == i.operands[2].word) given_[i.operands[0].word] = value.bits;
        words.clear();
    }

    void setValue(Parsed& i, Words& words) {
        const auto given = given_.find(i.resultId);
        if (given == given_.end()) return;
        for (size_t w = 3; w < words.size(); ++w)
            words[w] = static_cast<uint32_t>(given->second >> (w - 3) * 32);
        i.operands[0].word = words[3];
        i.operands[0].high = words.size() > 4 ? words[4] : 0;
    }

    void fold(const Parsed& i, Words& words) {
        const auto opcode = static_cast<spv::Op>(i.operands[0].word);
        const auto* row = std::find_if(std::begin(kFolds), std::end(kFolds),
                                       [&](const Fold& each) { return each.opcode == opcode; });
        if (row == std::end(kFolds)) return;
        const auto left = values_.find(i.operands[1].word),
                   right = values_.find(i.operands[2].word);
        if (left == values_.end() || right == values_.end()) return;
        words = {0, i.typeId, i.resultId, row->result(left->second, right->second)};
        setOpcode(words, spv::Op::OpConstant);
        values_[i.resultId] = words[3];
    }

    const ProgramRequest& request_;
    std::unordered_map<uint32_t, uint64_t> given_;   // by the constant's id
    std::unordered_map<uint32_t, uint32_t> values_;  // of constants of one word
    std::unordered_set<uint32_t> matrices_;          // types
};

Status validate(spv_const_context context, std::span<const uint32_t> words) {
    const Owned<spv_validator_options> options(spvValidatorOptionsCreate());
    spvValidatorOptionsSetRelaxBlockLayout(options.get(), true);
    spvValidatorOptionsSetUniformBufferStandardLayout(options.get(), true);
    spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
    spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), true);
    spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
    spvValidatorOptionsSetFriendlyNames(options.get(), false);  // a tenth of the time
    spv_const_binary_t binary{words.data(), words.size()};
    spv_diagnostic message = nullptr;
    const spv_result_t result = spvValidateWithOptions(context, options.get(), &binary, &message);
    return statusOf(result, message);
}

}  // namespace

Result<std::vector<Parsed>> parse(const ProgramRequest& request) {
    const Owned<spv_context> context(spvContextCreate(SPV_ENV_VULKAN_1_3));
    if (!context) return Error{ErrorCode::kOutOfMemory, "no memory for SPIRV-Tools"};
    // SPIRV-Tools would swap the bytes of another machine's words.
    if (request.words.empty() || request.words[0] != spv::MagicNumber)
        return Error{ErrorCode::kInvalidModule, "no SPIR-V of this machine's byte order"};
    Reader reader;
    spv_diagnostic message = nullptr;
    const spv_result_t result =
        spvBinaryParse(context.get(), &reader, request.words.data(), request.words.size(), nullptr,
                       readInstruction, &message);
    Status status = statusOf(result, message);
    if (!status) return status.error();
    const Words words = Specializer(request).specialize(reader.instructions);
    if (request.validate) status = validate(context.get(), words);
    if (!status) return status.error();
    return std::move(reader.instructions);
}

}  // namespace coopvk::reference
