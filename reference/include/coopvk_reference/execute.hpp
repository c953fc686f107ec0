// SPDX-License-Identifier: Apache-2.0
//
// The interface between the interpreter and its users, such as the driver: a program is made once
// (as a pipeline is) and executed for each dispatch; settings say how, and reports what happened.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "coopvk_reference/resources.hpp"

namespace coopvk::reference {

class Intervals;
class Observer;
class Symbols;

enum class ErrorCode {
    kInvalidModule,    // not valid by the SPIR-V, Vulkan or extension's specification
    kInvalidArgument,  // no such entry point, specialization data of a wrong size, ...
    kUnsupported,      // valid, but this device does not execute it
    kOutOfMemory,
    kDeviceLost,  // execution stopped (settings say so, or it could not go on)
};

struct Error {
    ErrorCode code = ErrorCode::kInvalidModule;
    std::string message;  // one line
};

// A value or an Error. Callers test which one it has before they access it.
template <typename T>
class [[nodiscard]] Result {
 public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return *std::get_if<0>(&state_); }
    const T& operator*() const { return *std::get_if<0>(&state_); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }
    Error& error() { return *std::get_if<1>(&state_); }
    const Error& error() const { return *std::get_if<1>(&state_); }

 private:
    std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

// What the device noticed while it executed a program. A bit for each check: a set of checks is
// a sum of them.
enum Check : uint32_t {
    kCheckRaces = 1u << 0,      // conflicting accesses that nothing orders
    kCheckUnwritten = 1u << 1,  // reads of memory that nothing wrote
    kCheckBounds = 1u << 2,     // accesses outside of descriptors, arrays, vectors
    kCheckUndefined = 1u << 3,  // undefined values in memory, branches, addresses
    kCheckDomain = 1u << 4,  // shifts, divisions, conversions outside of their domain are undefined
    kCheckDivergence = 1u << 5,  // barriers, subgroup or cooperative operations that not all reach
    kCheckUniformity = 1u << 6,  // operands that must be the same in all invocations and are not
    kCheckProgram = 1u << 7,     // what the program itself says: assumptions that do not hold
    kCheckDependencies = 1u << 8,  // accesses by two commands that nothing orders
    kAllChecks = (1u << 9) - 1,
};

// "races", "unwritten", ...
const char* checkName(Check check);

struct Report {
    Check check = kCheckBounds;
    std::string message;  // one line: what happened, with the values
    uint32_t opcode = 0;
    uint32_t resultId = 0;    // of the instruction, or 0
    uint32_t word = 0;        // position of the instruction in the module, in words
    uint32_t otherWord = 0;   // of a race: position of the access before it
    std::string line;         // of source, or its call's; empty: none
    std::string instruction;  // its name, this line, its operands' values
    std::array<uint32_t, 3> workgroup = {};
    uint32_t subgroup = 0;  // in the workgroup
    uint32_t lane = 0;      // in the subgroup
};

// Receives reports. Threads of the device call it, never two at once for one execution.
class Reporter {
 public:
    virtual ~Reporter() = default;
    // False: stop the execution, which then gives ErrorCode::kDeviceLost.
    virtual bool report(const Report& report) = 0;
    // A message of NonSemantic.DebugPrintf.
    virtual void print(const std::string& text) = 0;
};

// One line for people: check, message, instruction and place.
std::string describe(const Report& report);
// Of these the instruction and the place.
std::string describePlace(const Report& report);

// Settings, from the environment's variables COOPVK_REFERENCE_<NAME>: what the texts leave open,
// and what the device checks.
enum class Choice {
    kPlain,        // what most devices do
    kShuffled,     // by the seed
    kAdversarial,  // what breaks programs that rely on more than the texts promise
    kExact,        // SUMS only: exact sums, rounded once
    // PLACEMENT only: where these GPUs hold elements (element_maps.hpp).
    kNvidia,
    kRdna3,
    kRdna4,
    // SUMS only: as the matrix units of these GPUs add (unit_sums.hpp), also kRdna4.
    kAda,
    kHopper,
    kCdna3,
};

// Of floating-point arithmetic and conversions, where neither the module nor the text of the
// instruction says how they round.
enum class Direction {
    kNearest,
    kUpward,
    kDownward,
    kHalvesTowardZero,  // f16 toward zero, others to the nearest
};

// Of functions that instructions on matrices call for each element: "calls may occur more than
// once" (SPV_NV_cooperative_matrix2).
enum class Calls {
    kOnce,
    kRepeated,  // a second time, by another invocation, which drops the result
};

// Where lanes that part are together again.
enum class Reconvergence {
    kMaximal,  // as SPV_KHR_maximal_reconvergence says, whatever the module declares
    kMinimal,  // only where the module's text and modes promise it
    kRandom,   // there, and by the seed elsewhere
};

enum class ReportAction {
    kIgnore,   // count only
    kMessage,  // a message of the debug messengers, or on stderr without one
    kError,    // and VK_ERROR_DEVICE_LOST
};

struct Settings {
    uint32_t subgroupSize = 32;         // SUBGROUP_SIZE: 4 to 128, a power of two
    uint64_t seed = 1;                  // SEED
    Choice schedule = Choice::kPlain;   // SCHEDULE: the order of subgroups and workgroups
    Choice placement = Choice::kPlain;  // PLACEMENT: the lane that holds an element of a matrix
    Choice sums = Choice::kPlain;       // SUMS: the order of sums in products
    Direction rounding = Direction::kNearest;  // ROUNDING
    uint32_t flushed = 0;        // DENORMALS: keep, flush, or f16, f32, f64: a sum of widths
    bool contracts = false;      // CONTRACTION: off, on
    bool prefersNan = false;     // NANS: number, nan
    Calls calls = Calls::kOnce;  // CALLS: once, repeated
    Reconvergence reconvergence = Reconvergence::kMaximal;  // RECONVERGENCE
    bool hostApart = false;        // HOST: coherent, apart (of the driver alone)
    bool graphics = false;         // GRAPHICS: refuse, accept (of the driver alone)
    uint32_t checks = kAllChecks;  // CHECKS: all, none, or names with commas between
    ReportAction action = ReportAction::kMessage;  // REPORT: ignore, message, error
    uint32_t threads = 0;                          // THREADS: of the host; 0: as many as it has
    std::string extensions = "all";  // EXTENSIONS: all, none, or names with commas between
    uint32_t granularity = 1;        // GRANULARITY: of the flexible dimensions listed, not 0
    uint32_t reports = 20;           // REPORTS: at most so many of one execution
    uint64_t steps = 0;              // STEPS: blocks that a subgroup may execute; 0: any
    Intervals* intervals = nullptr;  // not null: computes the intervals of floats, and fills this
    Symbols* symbols = nullptr;      // not null: computes with symbols, on one thread
};

inline constexpr uint32_t kMinLanes = 4;
inline constexpr uint32_t kMaxLanes = 128;
constexpr bool isSubgroupSize(uint32_t lanes) {
    return lanes >= kMinLanes && lanes <= kMaxLanes && (lanes & (lanes - 1)) == 0;
}

// Error: a variable has a value that its row does not know; the message names it.
Result<Settings> settingsFromEnvironment();

class Program;

// A value of a specialization constant: VkSpecializationMapEntry with its data, of `size` bytes.
struct SpecializationValue {
    uint32_t constantId = 0;
    uint64_t bits = 0;
    uint32_t size = 4;
};

// Where the rows of matrices lie in the optimal layouts of VK_NV_cooperative_vector, which each
// implementation chooses.
struct OptimalLayout {
    uint32_t lineAlignment = 1;  // bytes: of the start of a row
    // Of the inferencing-optimal layout: rows of a block, in which `lineAlignment` bytes of each
    // row follow those of the row before.
    uint32_t blockRows = 1;
};

struct ProgramRequest {
    std::span<const uint32_t> words;
    std::string entryPoint = "main";
    std::vector<SpecializationValue> specialization;
    uint32_t subgroupSize = 32;
    Direction rounding = Direction::kNearest;
    bool validate = true;               // false: the caller knows that the module is valid
    Choice placement = Choice::kPlain;  // as Settings::placement
    uint32_t flushed = 0;               // as Settings::flushed
    bool contracts = false;             // as Settings::contracts
    OptimalLayout optimalLayout = {};
    bool images = false;      // executes instructions on images, samplers and texel buffers
    uint32_t stage = 5;       // spv::ExecutionModel: of the entry point; 5: GLCompute
    bool isScripted = false;  // Resources has lists (stages.hpp): needed by other stages
    // As VK_KHR_maintenance8 has it: offsets of samples may vary, and remainders of negative
    // numbers are defined.
    bool hasMaintenance8 = false;
    // Resources is asked for variables by their numbers in resourceVariables(), not by their sets.
    bool numbersVariables = false;
};

// kInvalidModule, kInvalidArgument, kUnsupported, kOutOfMemory.
Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request);

// Variables of the entry point that have a set and a binding, of programs that number them.
std::span<const ResourceVariable> resourceVariables(const Program& program);

// Whether it reads or adds to matrices of an optimal layout.
bool usesOptimalLayouts(const Program& program);

// Invocations of a workgroup in each dimension.
std::array<uint32_t, 3> workgroupSize(const Program& program);

struct Dispatch {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::array<uint32_t, 3> base = {0, 0, 0};
    std::span<const std::byte> pushConstants;
    uint8_t* pushWritten = nullptr;             // of these, as Range::written
    std::span<Observer* const> observers = {};  // observer.hpp
    // Becomes true where the execution is to end soon.
    const std::atomic<bool>* stop = nullptr;
};

// Executes all workgroups and returns when they are done. Subgroup size, rounding, denormals and
// contraction are those of the program, whatever the settings say. kDeviceLost: something stopped
// it. kOutOfMemory.
Status execute(const Program& program, const Dispatch& dispatch, Resources& resources,
               const Settings& settings, Reporter& reporter);

}  // namespace coopvk::reference
