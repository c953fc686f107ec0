// SPDX-License-Identifier: Apache-2.0
//
// Makes a Program of parsed instructions. Each part of the module has a file: types, constants,
// variables, functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "program/decorations.hpp"
#include "program/parse.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

// Instructions of the module, up to and with the last.
struct Body {
    size_t first = 0, last = 0;
};

// A block: its targets, and before them merge block and continue target.
struct Outline {
    uint32_t label = 0;
    std::vector<uint32_t> merges;
    std::vector<uint32_t> targets;
    Body body;
};

// The name without Op, and what it says of an instruction.
std::string_view nameOf(const Parsed& instruction);
bool isVariable(std::string_view name);
bool isConstant(std::string_view name);
// Instructions that do nothing when they execute, or whose work edges do.
bool isSilent(spv::Op opcode);

// Components of a value in each lane: more are of memory, or a mistake.
inline constexpr uint32_t kMostComponents = 1u << 20;
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
    void readModes();
    Status readDeclaration(const Parsed& instruction);
    Status readDeclarations();
    Status readWorkgroupSize();
    void readNames(const Parsed& instruction);

    // Types.
    Type& newType(uint32_t id, Kind kind);
    Status readType(const Parsed& instruction);
    Status readScalarType(const Parsed& instruction, Type& to);
    Status readListType(const Parsed& instruction, Type& to);
    Status readStruct(const Parsed& instruction, Type& to);
    Status readPointerType(const Parsed& instruction, Type& to);
    Status readFunctionType(const Parsed& instruction, Type& to);
    Status readMatrixType(const Parsed& instruction, Type& to);
    Status readTensorType(const Parsed& instruction, Type& to);
    const Type* type(uint32_t id) const;
    uint32_t constantOf(uint32_t id, uint32_t component = 0) const;
    bool boolOf(uint32_t id) const { return constantOf(id) != 0; }

    // Constants.
    Status readConstant(const Parsed& instruction);
    Status readCompositeConstant(const Parsed& instruction, const Type& type);
    Status readOperationConstant(const Parsed& instruction, const Type& type);
    Status addConstant(const Parsed& instruction, const Type& type,
                       std::span<const uint64_t> components, bool defined = true);

    // Variables.
    Status readVariable(const Parsed& instruction);
    void placeVariable(Variable& variable);

    // Functions.
    Status readFunctions();
    void findFunctions();
    Status assignSlots(const Body& body, Function& function);
    std::vector<uint32_t> labelsOf(const Parsed& instruction) const;
    Status readFunction(const Body& body, Function& function);
    Status readBlock(const Body& body, Function& function, Block& block);
    Status chooseRow(const Parsed& from, Instruction& to);
    Status readChain(Instruction& chain);
    Status readEdges(Block& block, const std::vector<uint32_t>& targets);
    void setPointee(const Instruction& instruction);

    uint32_t newSlot(uint32_t id, const Type& type);
    Operand operandOf(const ParsedOperand& from) const;
    Error invalid(const Parsed& instruction, const std::string& message) const;
    Error unsupported(const Parsed& instruction) const;

    const ProgramRequest& request_;
    std::vector<Parsed> module_;
    Decorations decorations_;
    std::shared_ptr<Program> program_;
    uint32_t entry_ = 0;
    uint32_t localSizeIds_[3] = {};
    std::unordered_map<uint32_t, std::string> sets_;                 // extended instruction sets
    std::unordered_map<uint32_t, Body> bodies_;                      // functions, by id
    std::unordered_set<uint32_t> labels_;                            // of all functions
    std::vector<uint32_t> reachable_;                                // functions of the entry point
    std::unordered_set<uint32_t> used_;                              // ids in these
    std::unordered_map<uint32_t, uint32_t> blockOf_;                 // order of blocks, by label
    std::unordered_map<uint32_t, std::vector<const Parsed*>> phis_;  // by label
};

// The order of a function's blocks in which a merge block is behind all blocks of its construct,
// and a continue target behind those that may branch to it. Blocks that nothing reaches are left
// out.
std::vector<uint32_t> structuredOrder(const std::vector<Outline>& blocks);

// Gives each slot its place in the subgroup's storage. Values that only one block uses share
// places.
void assignStorage(Program& program);

}  // namespace coopvk::reference
