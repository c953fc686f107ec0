// SPDX-License-Identifier: Apache-2.0
#include <spirv-tools/libspirv.hpp>
#include <unordered_set>

#include "program/decoder.hpp"

namespace coopvk::reference {
namespace {

using Words = std::vector<uint32_t>;

void setOpcode(Words& instruction, spv::Op opcode) {
    instruction[0] = uint32_t(instruction.size() << 16 | size_t(opcode));
}

// Operations with which sizes and uses of matrices are computed, of constants of one word. What
// the specification leaves undefined is any number.
struct Fold {
    spv::Op opcode;
    uint32_t (*result)(uint32_t, uint32_t);
};
constexpr Fold kFolds[] = {
    {OpIAdd, [](uint32_t a, uint32_t b) { return a + b; }},
    {OpISub, [](uint32_t a, uint32_t b) { return a - b; }},
    {OpIMul, [](uint32_t a, uint32_t b) { return a * b; }},
    {OpUDiv, [](uint32_t a, uint32_t b) { return a / std::max(b, 1u); }},
    {OpUMod, [](uint32_t a, uint32_t b) { return a % std::max(b, 1u); }},
    {OpBitwiseOr, [](uint32_t a, uint32_t b) { return a | b; }},
    {OpBitwiseAnd, [](uint32_t a, uint32_t b) { return a & b; }},
    {OpShiftLeftLogical, [](uint32_t a, uint32_t b) { return a << (b & 31u); }},
    {OpShiftRightLogical, [](uint32_t a, uint32_t b) { return a >> (b & 31u); }},
};

bool isExtended(spv::Op opcode) {
    return opcode == OpExtInst || opcode == OpExtInstWithForwardRefsKHR;
}

// Sets of instructions that say something about the others, however wrong.
bool isComment(std::string_view set) {
    return set.starts_with("NonSemantic.") && set != "NonSemantic.DebugPrintf";
}

// Reads instructions in their order, and makes constants of specialization constants: what depends
// on them must be valid in the specialised module only.
class Reader {
 public:
    explicit Reader(const ProgramRequest& request) : request_(request) {
        validated.assign(request.words.begin(), request.words.begin() + kHeaderWords);
    }

    void read(const spv_parsed_instruction_t& from) {
        Words& words = words_;
        words.assign(from.words, from.words + from.num_words);
        specialize(from.result_id, words);
        Parsed& to = instructions.emplace_back();
        to.operands.reserve(from.num_operands);
        to.opcode = spv::Op(words[0] & 0xFFFF);
        to.typeId = from.type_id;
        to.resultId = from.result_id;
        to.word = word_;
        for (const auto& operand : std::span(from.operands, from.num_operands))
            addOperand(operand, words, to);
        word_ += from.num_words;
        adapt(to, words);
        validated.insert(validated.end(), words.begin(), words.end());
    }

    std::vector<Parsed> instructions;
    Words validated;  // what the validator sees
    bool hasInt4 = false;

 private:
    static constexpr uint32_t kHeaderWords = 5;

    void specialize(uint32_t id, Words& words) const {
        const uint64_t* given = valueIn(given_, id);
        const auto opcode = spv::Op(words[0] & 0xFFFF);
        if (opcode == OpSpecConstant) {
            setOpcode(words, OpConstant);
            if (given == nullptr) return;
            for (size_t i = 3; i < words.size(); ++i) words[i] = uint32_t(*given >> (i - 3) * 32);
            if (const uint32_t* width = valueIn(narrow_, words[1]))  // "sign-extended"
                words[3] = uint32_t(int32_t(words[3] << (32 - *width)) >> (32 - *width));
        } else if (opcode == OpSpecConstantTrue || opcode == OpSpecConstantFalse) {
            const bool isTrue = given != nullptr ? *given != 0 : opcode == OpSpecConstantTrue;
            setOpcode(words, isTrue ? OpConstantTrue : OpConstantFalse);
        }
    }

    static void addOperand(const spv_parsed_operand_t& from, const Words& words, Parsed& to) {
        if (from.type == SPV_OPERAND_TYPE_RESULT_ID || from.type == SPV_OPERAND_TYPE_TYPE_ID)
            return;
        const uint32_t* at = &words[from.offset];
        const bool isId = from.type == SPV_OPERAND_TYPE_ID ||
                          from.type == SPV_OPERAND_TYPE_SCOPE_ID ||
                          from.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID;
        if (from.type == SPV_OPERAND_TYPE_LITERAL_STRING)  // the other byte order is refused
            to.text = reinterpret_cast<const char*>(at);
        else
            to.operands.push_back({at[0], from.num_words > 1 ? at[1] : 0, isId, kNone});
    }

    // To what the validator takes.
    void adapt(const Parsed& i, Words& words) {
        if (i.opcode == OpDecorate) readSpecId(i, words);
        if (i.opcode == OpTypeInt && i[0] == 32) integers_.insert(i.resultId);
        if (i.opcode == OpTypeInt && i[0] < 32 && i[1] != 0) narrow_[i.resultId] = i[0];
        if (i.opcode == OpConstant && integers_.contains(i.typeId)) values_[i.resultId] = words[3];
        if (i.opcode == OpSpecConstantOp) fold(i, words);
        if (i.opcode == OpExtInstImport && isComment(i.text)) comments_.insert(i.resultId);
        if (isExtended(i.opcode) && comments_.contains(i[0])) words.clear();
        if (i.opcode == OpCapability && spv::Capability(i[0]) == spv::Capability::Int4TypeINTEL)
            hasInt4 = true;
        if (i.opcode == OpTypeCooperativeMatrixKHR) matrices_.insert(i.resultId);
        // SPIRV-Tools refuses OpSelect of whole cooperative matrices, which are composites.
        if (i.opcode != OpSelect || !matrices_.contains(i.typeId)) return;
        words.resize(4);
        words[3] = i[1];
        setOpcode(words, OpCopyObject);
    }

    void readSpecId(const Parsed& i, Words& words) {
        if (spv::Decoration(i[1]) != spv::Decoration::SpecId) return;
        for (const SpecializationValue& value : request_.specialization)
            if (value.constantId == i[2]) given_[i[0]] = value.bits;
        words.clear();
    }

    void fold(const Parsed& i, Words& words) {
        const auto opcode = spv::Op(i[0]);
        const auto* row = std::find_if(std::begin(kFolds), std::end(kFolds),
                                       [&](const Fold& each) { return each.opcode == opcode; });
        if (row == std::end(kFolds)) return;
        const uint32_t *left = valueIn(values_, i[1]), *right = valueIn(values_, i[2]);
        if (left == nullptr || right == nullptr || !integers_.contains(i.typeId)) return;
        words = {0, i.typeId, i.resultId, row->result(*left, *right)};
        setOpcode(words, OpConstant);
        values_[i.resultId] = words[3];
    }

    const ProgramRequest& request_;
    Words words_;  // of the instruction that is read
    uint32_t word_ = kHeaderWords;
    std::unordered_map<uint32_t, uint64_t> given_;   // by the constant's id
    std::unordered_map<uint32_t, uint32_t> values_;  // of constants of 32-bit integers
    std::unordered_set<uint32_t> integers_;          // types of 32 bits
    std::unordered_map<uint32_t, uint32_t> narrow_;  // signed types of less bits, and how many
    std::unordered_set<uint32_t> matrices_;          // types
    std::unordered_set<uint32_t> comments_;          // sets of instructions without a meaning
};

// SPIRV-Tools gives integers of 4 bits the alignment 0, and then takes no stride of their vectors.
bool validate(const spvtools::SpirvTools& tools, const Words& words, bool hasInt4,
              bool offsetsVary) {
    spvtools::ValidatorOptions options;
    options.SetAllowOffsetTextureOperand(offsetsVary);
    options.SetSkipBlockLayout(hasInt4);
    options.SetScalarBlockLayout(true);  // takes what the others take, too
    options.SetWorkgroupScalarBlockLayout(true);
    options.SetFriendlyNames(false);  // a tenth of the time
    return tools.Validate(words.data(), words.size(), options);
}

}  // namespace

Result<Module> parse(const ProgramRequest& request) {
    // SPIRV-Tools would swap the bytes of another machine's words.
    if (request.words.empty() || request.words[0] != spv::MagicNumber)
        return Error{ErrorCode::kInvalidModule, "no SPIR-V of this machine's byte order"};
    Error error{ErrorCode::kInvalidModule, "invalid SPIR-V"};
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                                 const char* message) { error.message = message; });
    std::optional<Reader> reader;
    const bool parsed = tools.Parse(
        {request.words.begin(), request.words.end()},
        [&](spv_endianness_t, const spv_parsed_header_t&) {
            reader.emplace(request);
            return SPV_SUCCESS;
        },
        [&](const spv_parsed_instruction_t& instruction) {
            reader->read(instruction);
            return SPV_SUCCESS;
        });
    if (!parsed) return error;
    Module module{std::move(reader->instructions), ""};
    if (!request.validate ||
        validate(tools, reader->validated, reader->hasInt4, request.hasMaintenance8))
        return module;
    // Compilers such as naga lay out variables that have no layout, and drivers pass over that.
    // Rules that are not Vulkan's hold all the same.
    const bool ofLayout =
        error.message.find("VUID-StandaloneSpirv-None-10684") != std::string::npos;
    const spvtools::SpirvTools others(SPV_ENV_UNIVERSAL_1_6);
    if (!ofLayout || !validate(others, reader->validated, reader->hasInt4, request.hasMaintenance8))
        return error;
    module.warning = "not valid, and executed all the same: " + error.message;
    return module;
}

Decorations::Decorations(const std::vector<Parsed>& module) {
    for (const Parsed& i : module) {
        if (i.opcode == OpDecorate || i.opcode == OpDecorateId) add(i, 1, kNone);
        if (i.opcode == OpMemberDecorate || i.opcode == OpMemberDecorateIdEXT) add(i, 2, i[1]);
        for (size_t n = 1; i.opcode == OpGroupDecorate && n < i.size(); ++n)
            copyGroup(i[0], i[n], kNone);
        for (size_t n = 1; i.opcode == OpGroupMemberDecorate && n + 1 < i.size(); n += 2)
            copyGroup(i[0], i[n], i[n + 1]);
    }
}

void Decorations::add(const Parsed& instruction, size_t first, uint32_t member) {
    literals_.try_emplace({instruction[0], member, spv::Decoration(instruction[first])},
                          instruction.size() > first + 1 ? instruction[first + 1] : 0);
}

void Decorations::copyGroup(uint32_t group, uint32_t id, uint32_t member) {
    const auto begin = literals_.lower_bound({group, kNone, spv::Decoration{0}});
    for (auto row = begin; row != literals_.end() && std::get<0>(row->first) == group; ++row)
        literals_.try_emplace({id, member, std::get<2>(row->first)}, row->second);
}

std::optional<uint32_t> Decorations::of(uint32_t id, spv::Decoration decoration,
                                        uint32_t member) const {
    const auto found = literals_.find({id, member, decoration});
    return found == literals_.end() ? std::nullopt : std::optional(found->second);
}

uint8_t Decorations::objectOf(uint32_t id, size_t number) const {
    constexpr auto kRestrict = spv::Decoration::Restrict;
    const bool any = std::ranges::any_of(
        literals_, [](const auto& row) { return std::get<2>(row.first) == kRestrict; });
    if (!any || number >= kRestricted) return 0;
    return uint8_t(number | (has(id, kRestrict) ? kRestricted : 0));
}

}  // namespace coopvk::reference
