// SPDX-License-Identifier: Apache-2.0
//
// Makes a Program of parsed instructions. Each part of the module has a file: types, constants,
// variables, functions.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "program/decorations.hpp"
#include "program/parse.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

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
    Status readModes();
    Status readDeclarations();
    Status readWorkgroupSize();
    void readNames(const Parsed& instruction);

    // Types.
    Type& newType(uint32_t id, Kind kind);
    Status readType(const Parsed& instruction);
    Status readScalarType(const Parsed& instruction);
    Status readListType(const Parsed& instruction);
    Status readStruct(const Parsed& instruction);
    Status readPointerType(const Parsed& instruction);
    Status readFunctionType(const Parsed& instruction);
    Status readMatrixType(const Parsed& instruction);
    Status readTensorType(const Parsed& instruction);
    const Type* type(uint32_t id) const;
    uint32_t constantOf(uint32_t id, uint32_t component = 0) const;
    bool boolOf(uint32_t id) const { return constantOf(id) != 0; }

    // Constants.
    Status readConstant(const Parsed& instruction);
    Status readScalarConstant(const Parsed& instruction);
    Status readCompositeConstant(const Parsed& instruction);
    Status readOperationConstant(const Parsed& instruction);
    void addConstant(uint32_t id, const Type& type, std::span<const uint64_t> components,
                     bool defined = true);

    // Variables.
    Status readVariable(const Parsed& instruction);
    void placeVariable(Variable& variable);

    // Functions.
    struct Range_ {
        size_t first = 0, last = 0;  // instructions of a function, from OpFunction to OpFunctionEnd
    };
    Status readFunctions();
    void findFunctions();
    void assignSlots(const Range_& range);
    Status readFunction(const Range_& range, Function& function);
    Status readBlock(size_t first, size_t last, Function& function, Block& block);
    Status readInstruction(const Parsed& from, Block& block);
    Status chooseRow(const Parsed& from, Instruction& to);
    Status readChain(Instruction& chain);
    Status readEdges(Function& function, Block& block, const std::vector<uint32_t>& targets);
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
    std::unordered_map<uint32_t, Range_> ranges_;                    // functions, by id
    std::vector<uint32_t> reachable_;                                // functions of the entry point
    std::unordered_set<uint32_t> used_;                              // ids in these
    std::unordered_map<uint32_t, uint32_t> blockOf_;                 // order of blocks, by label
    std::unordered_map<uint32_t, std::vector<const Parsed*>> phis_;  // by label
};

// The order of a function's blocks in which a merge block is behind all blocks of its construct,
// and a continue target behind those that may branch to it. Blocks that nothing reaches are left
// out. For each block: its targets, and before them merge block and continue target.
struct Outline {
    uint32_t label = 0;
    std::vector<uint32_t> merges;
    std::vector<uint32_t> targets;
};
std::vector<uint32_t> structuredOrder(const std::vector<Outline>& blocks);

// Gives each slot its place in the subgroup's storage. Values that only one block uses share
// places.
void assignStorage(Program& program);

}  // namespace coopvk::reference
