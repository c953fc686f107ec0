// SPDX-License-Identifier: Apache-2.0
//
// Words of a module to a list of instructions with typed operands, by SPIRV-Tools, and these to a
// Program. Types and functions have a file each.
#pragma once

#include <map>
#include <unordered_set>

#include "coopvk_reference/execute.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

// An instruction that may be no part of a function: what the module's words say of it.
struct Parsed : Instruction {
    uint32_t typeId = 0;
    std::string text;  // the string operand, if there is one

    uint32_t operator[](size_t index) const { return operands[index].word; }
    size_t size() const { return operands.size(); }
};

struct Module {
    std::vector<Parsed> instructions;
    std::string warning;  // as in warnings.hpp
};

// Specialization constants are constants. kInvalidModule: with the validator's message.
Result<Module> parse(const ProgramRequest& request);

class Decorations {
 public:
    explicit Decorations(const std::vector<Parsed>& module);
    // The first literal of a decoration (0 if it has none) of an id, or of a member of a struct;
    // nothing if it is not decorated so.
    std::optional<uint32_t> of(uint32_t id, spv::Decoration decoration,
                               uint32_t member = kNone) const;
    uint32_t literal(uint32_t id, spv::Decoration decoration, uint32_t member = kNone) const {
        return of(id, decoration, member).value_or(0);
    }
    bool has(uint32_t id, spv::Decoration decoration) const {
        return of(id, decoration).has_value();
    }
    // Slot::object of the variable with this number; 0 if the module says Restrict of none.
    uint8_t objectOf(uint32_t id, size_t number) const;

 private:
    void add(const Parsed& instruction, size_t first, uint32_t member);
    void copyGroup(uint32_t group, uint32_t id, uint32_t member);

    std::map<std::tuple<uint32_t, uint32_t, spv::Decoration>, uint32_t> literals_;
};

// Instructions of the module, up to and with the last.
struct Body {
    size_t first = 0, last = 0;
};

// What is known of a block before it is decoded.
struct Outline {
    uint32_t label = 0;
    Body body;
    std::vector<uint32_t> merges;      // labels that its merge instruction names; a loop's: two
    std::vector<uint32_t> targets;     // of its terminator
    std::vector<uint32_t> successors;  // in the order in which structuredOrder() goes to them
    std::vector<const Parsed*> phis;
    bool reached = false;
    uint32_t number = 0;  // in structuredOrder()
};

// Variables in it are bound to descriptors.
constexpr bool isDescriptor(spv::StorageClass storage) {
    return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer ||
           storage == spv::StorageClass::UniformConstant;
}

// The name without Op, and what the opcode says of an instruction.
std::string_view nameOf(const Parsed& instruction);
bool isVariable(spv::Op opcode);
bool isConstant(std::string_view name);

inline constexpr uint64_t kMostSharedBytes = 1u << 24;  // of a workgroup

class Decoder {
 public:
    Decoder(const ProgramRequest& request, std::vector<Parsed> module)
        : request_(request),
          module_(std::move(module)),
          decorations_(module_),
          program_(std::make_shared<Program>()) {}
    Result<std::shared_ptr<const Program>> decode();

 private:
    // What is declared before functions.
    Status readEntryPoint();
    void setDefaultModes();
    void readMode(const Parsed& instruction);
    void readFastMathDefaults();
    void readName(const Parsed& instruction);
    Status readDeclarations();
    Status readDeclaration(const Parsed& instruction);
    Status readWorkgroupSize();
    bool isForeign(const Type* type) const;
    StageList listOf(uint32_t id, const Variable& variable) const;

    // Types.
    Status readType(const Parsed& instruction);
    Status readScalarType(const Parsed& instruction, Type& to);
    Status readListType(const Parsed& instruction, Type& to);
    Status readStruct(const Parsed& instruction, Type& to);
    Status readPointerType(const Parsed& instruction, Type& to);
    Status readMatrixType(const Parsed& instruction, Type& to);
    Status readTensorType(const Parsed& instruction, Type& to);
    Status readImageType(const Parsed& instruction, Type& type);
    const Type* type(uint32_t id) const { return program_->type(id); }

    // Constants and variables.
    uint32_t slotOf(uint32_t id) const;  // kNone: it has no value
    uint32_t constantOf(uint32_t id, uint32_t component = 0) const;
    Status readConstant(const Parsed& instruction, const Type& type);
    Status readCompositeConstant(const Parsed& instruction, const Type& type);
    Status readOperationConstant(const Parsed& instruction, const Type& type);
    Status addConstant(const Parsed& instruction, const Type& type,
                       std::span<const uint64_t> components, bool defined = true);
    Status readVariable(const Parsed& instruction, const Type& pointer);
    void placeVariable(Variable& variable);
    void placeShared();
    void numberVariable(uint32_t id, Variable& variable);
    bool isReadOnly(uint32_t id, const Type& held) const;

    // Functions.
    void findFunctions();
    Status readFunctions();
    Status assignSlots(const Body& body, Function& function);
    std::vector<uint32_t> labelsOf(const Parsed& instruction) const;
    Outline* outline(const Body& body);
    std::vector<Outline*> structuredOrder(Outline* entry);
    Status readFunction(const Body& body, Function& function);
    Status readBlock(const Body& body, const Function& function, Block& block);
    bool allows(const Instruction& i, spv::FPFastMathModeMask mode) const;
    void noteRelaxedMove(const Parsed& from);
    void readLiberties(const Parsed& from, Instruction& to);
    bool isRelaxed(const Parsed& from);
    bool hasRelaxedMember(const Type* type) const;
    void followRelaxed(const Parsed& from);
    bool isRelaxedPointer(uint32_t id) const {
        return relaxed_.contains(id) || decorations_.has(id, spv::Decoration::RelaxedPrecision);
    }
    void contract(Function& function);
    Status readEdges(const Outline& from, const Function& function, Block& block);
    Status chooseRow(const Parsed& from, Instruction& to);
    void readUniformity(const Instruction& at, bool isNonUniform);

    Error invalid(const Parsed& instruction, const std::string& message) const;
    Error unsupported(const Parsed& instruction) const;

    const ProgramRequest& request_;
    std::vector<Parsed> module_;
    Decorations decorations_;
    std::shared_ptr<Program> program_;
    uint32_t entry_ = 0;
    uint32_t localSizeIds_[3] = {};
    std::map<uint32_t, uint32_t> fastMathDefaults_;  // constants, by type
    std::unordered_set<uint32_t> relaxed_;           // pointers to what is RelaxedPrecision
    std::unordered_map<uint32_t, Body> bodies_;      // functions, by id
    std::vector<uint32_t> reachable_;                // functions of the entry point
    std::unordered_set<uint32_t> used_;              // ids in these
    std::unordered_map<uint32_t, Outline> blocks_;   // of all functions, by label
};

}  // namespace coopvk::reference
