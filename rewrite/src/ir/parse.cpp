// SPDX-License-Identifier: Apache-2.0
//
// Parses SPIR-V words into a Module. SPIRV-Tools tells which words are ids.
#include <spirv-tools/libspirv.h>

#include <format>
#include <memory>
#include <new>

#include "ir/module.hpp"
#include "ir/opcodes.hpp"
#include "ir/tools_reserve.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kGlobals = static_cast<size_t>(Section::kGlobals);

// Passes follow types recursively. The universal limit on structures is 255 (SPIR-V specification,
// section 2.17); arrays may be between them.
constexpr uint32_t kMaxNesting = 512;

// The first id that an instruction names and for which `isWrong` is true.
template <typename IsWrong>
std::optional<Id> firstWrong(const Instruction& instruction, IsWrong isWrong) {
    if (instruction.type != 0 && isWrong(instruction.type)) return instruction.type;
    for (const Operand& operand : instruction.operands) {
        if (operand.isId && operand.word != 0 && isWrong(operand.word)) return operand.word;
    }
    return std::nullopt;
}

std::optional<Id> firstUndefined(const Module& module) {
    std::optional<Id> found;
    const auto isUndefined = [&](Id id) { return module.def(id).result == 0; };
    forEachInstruction(module, [&](const Instruction* i) {
        if (!found && i != nullptr) found = firstWrong(*i, isUndefined);
    });
    return found;
}

// Types and constants must follow all that they consist of, so none can contain itself. Only
// pointers may be declared forward. OpExtInst at module scope is debug information, which may name
// later ids.
std::optional<std::string> orderProblem(const Module& module) {
    std::vector<bool> known(module.bound() + 1u, false);
    std::vector<Id> forward;
    for (size_t s = 0; s < kGlobals; ++s) {
        for (const InstructionPtr& i : module.section(static_cast<Section>(s))) {
            known[i->result] = true;
        }
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypeForwardPointer && known.size() > i->word(0)) {
            known[i->word(0)] = true;
            forward.push_back(i->word(0));
            continue;
        }
        if (!isExtInst(i->opcode)) {
            if (const auto id = firstWrong(*i, [&](Id used) { return !known[used]; })) {
                return std::format("id %{} is used before it is defined", *id);
            }
        }
        known[i->result] = true;
    }
    for (const Id pointer : forward) {
        if (module.def(pointer).opcode == OpTypePointer) continue;
        return std::format("id %{} is declared as a pointer but is not one", pointer);
    }
    return std::nullopt;
}

std::optional<std::string> nestingProblem(const Module& module) {
    std::vector<uint32_t> depths(module.bound() + 1u, 0);
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->type != 0) continue;
        uint32_t& depth = depths[i->result];
        for (const Operand& operand : i->operands) {
            if (operand.isId) depth = std::max(depth, depths[operand.word] + 1);
        }
        if (depth > kMaxNesting) {
            return std::format("type %{} nests deeper than {}", i->result, kMaxNesting);
        }
    }
    return std::nullopt;
}

// Checks of a parsed module's ids on which all passes rely.
//
// What is wrong, if anything: an id that is used but not defined, a type or constant that is used
// before its definition and so could contain itself, or a type that nests too deeply.
std::optional<std::string> idProblem(const Module& module) {
    if (const auto id = firstUndefined(module)) return std::format("id %{} is not defined", *id);
    if (std::optional<std::string> problem = orderProblem(module)) return problem;
    return nestingProblem(module);
}

// The widths that Vulkan and SPV_INTEL_int4 allow. All later code relies on this check.
bool hasNumberWidth(const Instruction& type) {
    const uint32_t width = type.word(0);
    if (width == 6 && type.opcode == OpTypeFloat && type.operands.size() > 1) {
        return type.word(1) == uint32_t(kFloat6E2M3) || type.word(1) == uint32_t(kFloat6E3M2);
    }
    return width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

bool isIdOperand(spv_operand_type_t type) {
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
           type == SPV_OPERAND_TYPE_SCOPE_ID;
}

}  // namespace

// Sorts instructions into sections, functions and blocks as they arrive.
class ModuleParser {
 public:
    explicit ModuleParser(Module& module) : module_(module) {}

    void header(uint32_t version, uint32_t generator, uint32_t bound, uint32_t schema) {
        module_.version_ = version;
        module_.generator_ = generator;
        module_.schema_ = schema;
        module_.bound_ = bound;
        module_.defs_.assign(bound, nullptr);
    }

    void add(const spv_parsed_instruction_t& parsed) {
        auto instruction = std::make_unique<Instruction>();
        instruction->opcode = static_cast<spv::Op>(parsed.opcode);
        instruction->type = parsed.type_id;
        instruction->result = parsed.result_id;
        instruction->operands.reserve(parsed.num_words - instruction->wordCount());
        for (uint16_t i = 0; i < parsed.num_operands; ++i) {
            const spv_parsed_operand_t& operand = parsed.operands[i];
            if (operand.type == SPV_OPERAND_TYPE_TYPE_ID ||
                operand.type == SPV_OPERAND_TYPE_RESULT_ID) {
                continue;
            }
            for (uint16_t w = 0; w < operand.num_words; ++w) {
                instruction->operands.push_back(
                    {parsed.words[operand.offset + w], isIdOperand(operand.type)});
            }
        }
        if (!checkResult(*instruction)) return;
        module_.setDef(instruction.get());
        place(std::move(instruction));
    }

    std::optional<std::string> finish() {
        if (!error_.empty()) return error_;
        if (std::optional<std::string> problem = idProblem(module_)) return problem;
        if (function_ != nullptr) return "a function has no OpFunctionEnd";
        for (InstructionPtr& line : pending_) module_.tail_.push_back(std::move(line));
        return std::nullopt;
    }

    const std::string& error() const { return error_; }

 private:
    bool checkResult(const Instruction& i) {
        const bool isNumber = i.opcode == OpTypeInt || i.opcode == OpTypeFloat;
        if (i.result >= module_.bound_) {
            error_ = std::format("id %{} is not below the bound {}", i.result, module_.bound_);
        } else if (i.result != 0 && module_.def(i.result).result != 0) {
            error_ = std::format("id %{} is defined twice", i.result);
        } else if (isNumber && !hasNumberWidth(i)) {
            error_ = std::format("type %{} has numbers of {} bits", i.result, i.word(0));
        }
        return error_.empty();
    }

    void misplaced(spv::Op opcode, std::string_view where) {
        error_ = std::format("instruction {} is {}", nameOf(opcode), where);
    }

    void place(InstructionPtr instruction) {
        const spv::Op opcode = instruction->opcode;
        if (opcode == OpFunction) {
            beginFunction(std::move(instruction));
        } else if (function_ == nullptr) {
            placeOutside(std::move(instruction));
        } else if (opcode == OpFunctionEnd) {
            if (block_ != nullptr) error_ = "a block has no terminator";
            function_->endLead = std::exchange(pending_, {});
            function_->end = std::move(instruction);
            function_ = nullptr;
        } else if (block_ != nullptr) {
            const bool isLabel = opcode == OpLabel;
            if (isLabel) error_ = "a block has no terminator";
            if (sectionOf(opcode) != Section::kGlobals ||
                (!isLabel && isDeclaration(*instruction))) {
                misplaced(opcode, "inside a block");
            }
            block_->body.push_back(std::move(instruction));
            if (isTerminator(opcode)) block_ = nullptr;
        } else {
            placeBetweenBlocks(std::move(instruction));
        }
    }

    void beginFunction(InstructionPtr instruction) {
        if (function_ != nullptr) error_ = "a function begins inside a function";
        functionsBegun_ = true;
        module_.functions_.push_back(std::make_unique<Function>());
        function_ = module_.functions_.back().get();
        function_->lead = std::exchange(pending_, {});
        function_->definition = std::move(instruction);
    }

    void placeOutside(InstructionPtr instruction) {
        const spv::Op opcode = instruction->opcode;
        if (functionsBegun_) {
            placeBetweenFunctions(std::move(instruction));
            return;
        }
        const Section where = sectionOf(opcode);
        if (where < lastSection_) return misplaced(opcode, "out of the order of sections");
        lastSection_ = where;
        module_.append(where, std::move(instruction));
    }

    // Only debug lines and non-semantic instructions may be there.
    void placeBetweenFunctions(InstructionPtr instruction) {
        const spv::Op opcode = instruction->opcode;
        if (!isDebugLine(opcode) && !isExtInst(opcode)) misplaced(opcode, "between functions");
        pending_.push_back(std::move(instruction));
    }

    void placeBetweenBlocks(InstructionPtr instruction) {
        const spv::Op opcode = instruction->opcode;
        if (opcode == OpLabel) {
            function_->blocks.push_back(std::make_unique<Block>());
            block_ = function_->blocks.back().get();
            block_->lead = std::exchange(pending_, {});
            block_->label = std::move(instruction);
        } else if (function_->blocks.empty() && opcode == OpFunctionParameter) {
            for (InstructionPtr& line : pending_) function_->parameters.push_back(std::move(line));
            pending_.clear();
            function_->parameters.push_back(std::move(instruction));
        } else if (isDebugLine(opcode) || isExtInst(opcode)) {
            pending_.push_back(std::move(instruction));
        } else {
            misplaced(opcode, "outside a block");
        }
    }

    Module& module_;
    Function* function_ = nullptr;
    Block* block_ = nullptr;
    InstructionList pending_;  // debug lines that belong to the next instruction
    Section lastSection_ = Section::kCapabilities;
    bool functionsBegun_ = false;
    std::string error_;
};

namespace {

// What SPIRV-Tools' parser passes to its callbacks.
struct Parse {
    ModuleParser& parser;
    ToolsReserve& reserve;
};

// No exception may pass through SPIRV-Tools, which would leak memory.
template <typename Function>
spv_result_t withoutExceptions(void* user, const Function& function) noexcept {
    const auto& [parser, reserve] = *static_cast<Parse*>(user);
    const ToolsReserve::Kept kept(reserve);
    try {
        return function(parser);
    } catch (const std::bad_alloc&) {
        return SPV_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return SPV_ERROR_INTERNAL;
    }
}

spv_result_t onHeader(void* user, spv_endianness_t, uint32_t, uint32_t version, uint32_t generator,
                      uint32_t bound, uint32_t schema) {
    return withoutExceptions(user, [&](ModuleParser& parser) {
        parser.header(version, generator, bound, schema);
        return SPV_SUCCESS;
    });
}

spv_result_t onInstruction(void* user, const spv_parsed_instruction_t* instruction) {
    return withoutExceptions(user, [&](ModuleParser& parser) {
        parser.add(*instruction);
        return parser.error().empty() ? SPV_SUCCESS : SPV_ERROR_INVALID_BINARY;
    });
}

struct Destroy {
    void operator()(spv_context context) const { spvContextDestroy(context); }
    void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
};

// SPIRV-Tools' message about what is wrong with the words; empty if nothing is.
std::string parseWith(ModuleParser& parser, std::span<const uint32_t> words) {
    ToolsReserve reserve(ToolsReserve::Work::kParse, words.size());
    Parse parse = {parser, reserve};
    const std::unique_ptr<spv_context_t, Destroy> context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6));
    spv_diagnostic made = nullptr;
    const spv_result_t result = spvBinaryParse(context.get(), &parse, words.data(), words.size(),
                                               onHeader, onInstruction, &made);
    const std::unique_ptr<spv_diagnostic_t, Destroy> diagnostic(made);
    if (result == SPV_SUCCESS) return {};
    if (result == SPV_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
    const bool told = diagnostic != nullptr && diagnostic->error != nullptr;
    return told ? diagnostic->error : "SPIR-V words do not parse";
}

}  // namespace

Result<Module> Module::parse(std::span<const uint32_t> words) {
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) {
        return Error{ErrorCode::kInvalidModule, "no SPIR-V header"};
    }
    // It would make the parser allocate too much.
    const uint32_t bound = words[3];
    if (bound > kMaxIdBound) {
        return Error{ErrorCode::kInvalidModule, std::format("id bound {} is too large", bound)};
    }
    Module module;
    ModuleParser parser(module);
    std::string message = parseWith(parser, words);
    if (!message.empty()) {
        const uint32_t version = words[1];
        if (version < 0x10000 || version > spv::Version)
            message = std::format("version {}.{} of SPIR-V is not known", version >> 16,
                                  version >> 8 & 0xffu);
        if (!parser.error().empty()) message = parser.error();
        return Error{ErrorCode::kInvalidModule, message};
    }
    if (const std::optional<std::string> error = parser.finish()) {
        return Error{ErrorCode::kInvalidModule, *error};
    }
    return module;
}

}  // namespace coopvk::rewrite
