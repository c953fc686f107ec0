// SPDX-License-Identifier: Apache-2.0
//
// A program in the compact form that is executed: each id of a value has a slot, operands name
// slots, blocks are in an order in which lanes that part meet again.
#pragma once

// What most files of these folders need of the standard library.
#include <format>
#include <functional>
#include <unordered_map>

#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/stages.hpp"
#include "numbers/exact.hpp"
#include "program/types.hpp"

namespace coopvk::reference {

// Opcodes have the names of the specification.
using enum spv::Op;

struct Subgroup;
struct OpcodeRow;

inline constexpr uint32_t kNone = ~uint32_t{0};
// Components of a value in each lane: more are of memory, or a mistake.
inline constexpr uint32_t kMostComponents = 1u << 20;

// What the subgroup does after an instruction.
enum class Step : uint8_t {
    kNext,      // the next instruction
    kBranched,  // the handler has set block, mask and position
    kYield,     // the next instruction, but other subgroups may run first
    kMeet,  // wait until all subgroups of the workgroup are here; then the handler runs again in
            // each, with Subgroup::phase 1, before any of them goes on
    kWait,  // until subgroups of the workgroup have come to where this one's lanes are
    kStop,  // the execution ends with an error
};
using Handler = Step (*)(Subgroup&);

// Without result type and result id, in the order of the specification.
struct Operand {
    uint32_t word = 0;  // an id, a literal (its low word), or a mask
    uint32_t high = 0;  // high word of a literal of 64 bits
    bool isId = false;
    uint32_t slot = kNone;  // of an id that has a value

    uint64_t literal() const { return word | uint64_t{high} << 32; }
};

// What devices may make of an instruction beyond its own text: bits of spv::FPFastMathModeMask, and
enum Liberty : uint32_t {
    kSpecials = 7,             // NotNaN, NotInf, NSZ
    kUnsaid = 1u << 28,        // the same, since no mode says anything
    kRelaxed = 1u << 29,       // RelaxedPrecision
    kNoSignedWrap = 1u << 30,  // undefined if it wraps
    kNoUnsignedWrap = 1u << 31,
};

struct Instruction {
    Handler handler = nullptr;
    const OpcodeRow* row = nullptr;
    spv::Op opcode = OpNop;
    uint32_t resultId = 0;
    uint32_t result = kNone;     // slot
    const Type* type = nullptr;  // of the result
    std::vector<Operand> operands;
    uint32_t word = 0;          // position in the module
    bool saturates = false;     // decorated so: a conversion to the nearest number of the format
    bool transposes = false;    // decorated CooperativeMatrixTransposeEXT
    uint32_t rounding = kNone;  // spv::FPRoundingMode, if decorated so
    uint32_t liberties = 0;     // Liberty: what its decorations allow, or else the module's modes
    bool isDecorated = false;   // so that its liberties may be others than those of the modes
    bool mayContract = false;   // with other arithmetic instructions, of floats
    bool isLoose = false;       // others, which may contract, may do so with it
    bool isUniform = false;     // promises equal results in all lanes
    bool contracts = false;     // a product, or a sum with one, that may be rounded once
    bool rearranges = false;    // as a product, it may add to what others added to
    bool negatesProduct = false, negatesAddend = false;  // of such a sum
    std::shared_ptr<const void> prepared;                // by OpcodeRow::prepare

    const Operand& operator[](uint32_t index) const { return operands[index]; }
};

// A branch from one block to another copies values to the phis there.
struct Edge {
    uint32_t block = kNone;  // in the order of the function
    uint32_t loop = kNone;   // the number of the loop whose header the block is
    bool repeats = false;    // from the loop: another iteration
    std::vector<std::pair<uint32_t, uint32_t>> copies;  // slot of the phi, slot of its value
};

struct Block {
    std::vector<Instruction> instructions;           // without phis; the last one is the terminator
    std::vector<Edge> edges;                         // in the order of the terminator's targets
    uint32_t merge = kNone, continueTarget = kNone;  // blocks that its merge instruction names
};

// The blocks from `first` on, up to `end`, which is the merge block.
struct Loop {
    uint32_t first = 0, end = 0;
    uint32_t number = 0;  // in the program
};

struct Function {
    const Type* type = nullptr;        // its return type
    std::vector<uint32_t> parameters;  // slots
    std::vector<Block> blocks;         // a merge block is behind all that it merges
    std::vector<Loop> loops;
    uint32_t result = kNone;  // slot of the returned value
};

// What is known of an id.
struct Slot {
    const Type* type = nullptr;
    uint32_t id = 0;
    bool constant = false;
    uint64_t storage = 0;  // first component in the subgroup's storage, or in that of constants
    // Of a pointer.
    Pointee pointee;
    uint8_t object = 0;  // number of its variable, if the program says Restrict: kRestricted
    bool ofDescriptors = false;  // of an array
    bool nonUniform = false;     // decorated so
    bool ofNonUniform = false;   // a pointer whose index is; older compilers decorate only that
};
inline constexpr uint8_t kRestricted = 0x80;  // of a variable that is decorated Restrict

struct Variable {
    uint32_t slot = kNone;
    spv::StorageClass storage = spv::StorageClass::Function;
    const Type* type = nullptr;  // of what it holds; null if untyped without one
    uint64_t offset = 0;         // Function, Private, Input: component; Workgroup: byte
    uint32_t set = 0, binding = 0;
    bool descriptorArray = false;  // each element has a descriptor
    bool sharesMemory = false;     // Workgroup memory, with all others that do
    uint32_t builtIn = kNone;
    uint32_t initializer = kNone;        // slot
    const ListStorage* lists = nullptr;  // null: it has none
    StageList list;
};

// Rounding and flushing of floating-point numbers (SPV_KHR_float_controls).
struct FloatControls {
    numbers::Rounding rounding = numbers::Rounding::nearestEven;
    bool flushDenorms = false;
    // Liberties of instructions that are not decorated. Vulkan, "Precision and Operation of SPIR-V
    // Instructions": without SignedZeroInfNanPreserve, devices may "ignore sign of a zero, or
    // assume that arguments and results are not NaNs or infinities".
    uint32_t liberties = kUnsaid;
};

// Of a module that is not valid.
inline Error invalid(std::string message) {
    return {ErrorCode::kInvalidModule, std::move(message)};
}

// Keeps what an instruction needs again each time that it executes.
template <typename Plan>
Status prepared(Instruction& i, Plan plan) {
    i.prepared = std::make_shared<Plan>(std::move(plan));
    return Done{};
}

// Null if the map has no such key.
template <typename Map>
auto* valueIn(Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found != map.end() ? &found->second : nullptr;
}

class Program {
 public:
    uint32_t lanes = 32;                // of a subgroup
    Choice placement = Choice::kPlain;  // as Settings::placement
    OptimalLayout optimalLayout;
    bool usesOptimalLayouts = false;
    const Stage* stage = nullptr;
    bool isScripted = false;         // as ProgramRequest::isScripted
    bool definesRemainders = false;  // of negative numbers
    bool usesQuads = false;          // it has derivatives, or instructions on quads
    bool quadsAreSquares = false;    // of 2 x 2 invocations: DerivativeGroupQuadsKHR
    std::array<uint32_t, 3> workgroupSize = {1, 1, 1};
    uint32_t invocations = 1;  // of a workgroup
    uint32_t subgroups = 1;    // of a workgroup
    bool vulkanMemoryModel = false;
    bool maximallyReconverges = false, subgroupUniform = false;  // modes of reconvergence
    uint64_t sharedSize = 0;                                     // bytes of Workgroup variables
    uint32_t loops = 0;
    bool relaxesMoves = false;       // what moves values has RelaxedPrecision
    uint32_t privateComponents = 0;  // of Function, Private and Input variables
    uint64_t storageComponents = 0;  // of values that are not constants

    std::unordered_map<uint32_t, Type> types;  // by id
    std::vector<Slot> slots;
    std::unordered_map<uint32_t, uint32_t> slotOf;     // by id
    std::vector<Variable> variables;                   // of the module
    std::vector<ResourceVariable> resources;           // those that have numbers
    std::unordered_map<uint32_t, Function> functions;  // by id
    const Function* entry = nullptr;
    std::unordered_map<uint32_t, std::string> names, strings;  // by id
    std::vector<std::pair<uint32_t, std::string>> lines;       // first word, "file:line" or none

    // Values of constants, for all lanes.
    std::vector<uint64_t> constantData;
    std::vector<LaneMask> constantDefined;

    // Of IEEE 754 numbers of 16, 32 or 64 bits.
    FloatControls& controls(uint32_t width) { return controls_[width == 16 ? 0 : width / 64 + 1]; }
    const FloatControls& controls(uint32_t width) const {
        return const_cast<Program*>(this)->controls(width);
    }
    // Modes of a module "do not affect operations on floating-point values with" other encodings
    // (Vulkan, "Correctly Rounded").
    const FloatControls& controls(const Type& scalar) const {
        const bool isIeee = scalar.kind == Kind::kFloat && scalar.number <= numbers::Number::f64;
        return isIeee ? controls(scalar.width) : otherControls;
    }
    FloatControls otherControls;  // of other formats
    // Null if the program has none with this id.
    const Type* type(uint32_t id) const { return valueIn(types, id); }
    const Function* function(uint32_t id) const { return valueIn(functions, id); }
    // For an id, or for a value that has none: 0.
    uint32_t newSlot(uint32_t id, const Type& type);
    // The slot of an instruction's operand.
    const Slot& slotAt(const Instruction& i, uint32_t operand) const {
        return slots[i[operand].slot];
    }
    // Only a program that is being made writes it.
    Value constant(size_t slot) const {
        auto& program = const_cast<Program&>(*this);
        const uint64_t first = slots[slot].storage;
        return {program.constantData.data() + first * lanes, program.constantDefined.data() + first,
                slots[slot].type, lanes};
    }
    // Component of a constant in lane 0.
    uint64_t constantAt(uint32_t slot, uint32_t component = 0) const {
        return constant(slot).at(component, 0);
    }
    uint64_t constantAt(const Instruction& i, uint32_t operand) const {
        return constantAt(i[operand].slot);
    }

 private:
    FloatControls controls_[3];
};

// The floats of which its result and its operands are made.
void forFloats(const Program& program, const Instruction& i,
               const std::function<void(const Type& scalar)>& f);
// Of an instruction that is not decorated: those of all of its types.
uint32_t libertiesOf(const Program& program, const Instruction& i, const Program& modes);

// The line of source at a word of the module; empty: none.
std::string lineAt(const Program& program, uint32_t word);

}  // namespace coopvk::reference
