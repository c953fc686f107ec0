// SPDX-License-Identifier: Apache-2.0
//
// State of the lowering of cooperative vectors, and base classes for the code of its helper
// functions.
#pragma once

#include <set>

#include "ir/control_flow.hpp"
#include "ir/multiples.hpp"
#include "lowering/packed.hpp"
#include "lowering/staging.hpp"

namespace coopvk::rewrite {

// Components of 8 and 16 bits are held in packs of 32 bits. Components of the last pack beyond the
// component count are undefined.
struct VectorType : PackedType {
    // Lowered as a long vector (longvector/): values are in variables, as arrays of components.
    bool isLarge = false;

    Id element() const { return isLarge ? component : pack; }  // of the array
    uint32_t elements() const { return isLarge ? count : packs(); }
};

// Shared memory through which the invocations (lanes) of a subgroup exchange vectors and results,
// kExchangeQuads x 16 bytes of each vector at once.
struct VectorExchange {
    // Quads from one lane's to the next one's: with one unused, lanes access different banks.
    static constexpr uint32_t kLaneQuads = kExchangeQuads + 1;

    uint32_t lanes = 0;  // of the subgroup
    SubgroupArea area;   // uvec4[lanes * kLaneQuads]
};

struct VectorContext : PackedContext {
    VectorContext(TypeTable& theTypes, const PlannedTarget& theTarget, Stage theStage)
        : PackedContext(theTypes, theTarget, "cooperative vector"), stage(theStage) {}

    const Stage stage;
    std::map<Id, VectorType> vectors;  // by type id; ordered, so that output is deterministic
    std::map<std::vector<uint32_t>, Id> variables;  // that helper functions share, by key
    std::optional<VectorExchange> exchange;         // of all products
    std::set<std::string_view> paths;               // Rewritten::paths
    std::set<std::string> warnings;                 // Rewritten::warnings
    std::optional<Multiples> claimed;               // of the module before the lowering

    const VectorType* vector(Id type) const {
        const auto found = vectors.find(type);
        return found == vectors.end() ? nullptr : &found->second;
    }
    const VectorType* vectorOfValue(Id value) const { return vector(module.def(value).type); }
    bool isLarge(Id type) const {
        const VectorType* found = vector(type);
        return found != nullptr && found->isLarge;
    }
    // Large vectors have no packs.
    const VectorType* packed(Id type) const override {
        return isLarge(type) ? nullptr : vector(type);
    }
    bool isWord(Id value) const {
        const Id type = module.def(value).type;
        return types.isInteger(type) && types.width(type) == 32 && types.components(type) == 1;
    }
};

// The first word of a helper function's key.
enum HelperKind : uint32_t {
    kExtractHelper,
    kInsertHelper,
    kLoadHelper,
    kStoreHelper,
    kMultiplyHelper,
    kGradientHelper,
    kGatherHelper,
};
// The same for a variable that helper functions share.
enum SharedVariable : uint32_t {
    kIndexedArray,
    kLock,
};

// A helper function. A parameter that is a large vector is a pointer to a variable, which the
// function only reads. For a large result the last parameter is a pointer to the variable that gets
// it. Calls take and give values, as long as the module has such values.
class VectorFunction : public FunctionBuilder {
 public:
    VectorFunction(VectorContext& context, std::string_view name, Id resultType,
                   std::span<const Id> parameterTypes);

    VectorContext& context() { return context_; }
    // Its parameters except a pointer to the result: for call() of a function with the same ones.
    std::vector<Id> arguments() const;
    // The variable that gets the result.
    Id result();
    // Calls another helper function that has the same result, and returns this.
    Id call(Id function, std::vector<Id> arguments);
    // Ends the function, whose result is in result().
    Id finishResult();

 private:
    VectorContext& context_;
    size_t arguments_;  // how many
    Id resultType_;
    std::optional<Id> result_;  // the variable, once there is one
};

// Base class of code generators for a part of a helper function.
class VectorCode {
 protected:
    explicit VectorCode(VectorFunction& function)
        : f_(function), emit_(function.emit()), types_(function.types()) {}

    Id u32() { return types_.uint32(); }
    Id f16() { return types_.floatType(16); }
    Id f32() { return types_.floatType(32); }
    Id s32() { return types_.intType(32, true); }
    Id c(uint32_t value) { return types_.constantU32(value); }

    // Operands and results are u32 scalars.
    Id addU32(Id a, Id b) { return emit_.addU32(a, b); }
    Id mulU32(Id a, Id b) { return emit_.mulU32(a, b); }
    Id plus(Id a, uint32_t b) { return emit_.plus(a, b); }
    Id times(Id a, uint32_t b) { return emit_.times(a, b); }
    Id over(Id a, uint32_t b) { return emit_.over(a, b); }
    Id modulo(Id a, uint32_t b) { return emit_.modulo(a, b); }

    // Pack number `index` (u32) of a large vector, whose last component stands for those beyond it.
    Id loadPack(const VectorType& type, Id vector, Id index) {
        const Id first = times(index, type.packWidth);
        std::vector<Id> components;
        for (uint32_t part = 0; part < type.packWidth; ++part) {
            const auto known = f_.module().constantValue(plus(first, part));
            const Id at = known && *known >= type.count ? c(type.count - 1) : plus(first, part);
            components.push_back(f_.load(f_.element(vector, at)));
        }
        return emit_.join(type.pack, components);
    }
    // The inverse; stores no components beyond the vector.
    void storePack(const VectorType& type, Id vector, Id index, Id pack) {
        const Id first = times(index, type.packWidth);
        const std::vector<Id> components = emit_.parts(pack);
        for (uint32_t part = 0; part < type.packWidth; ++part) {
            const Id at = plus(first, part);
            const auto known = f_.module().constantValue(at);
            if (!known || *known < type.count) f_.store(f_.element(vector, at), components[part]);
        }
    }

    const DevicePlan& device() { return f_.context().target.device; }

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
};

// Whether they can use the subgroup arithmetic of Accumulator::addReduced().
bool canReduce(const VectorContext& context);
// Whether functions of small products and gradients are not inlined.
bool callsSmallFunctions(const VectorContext& context);

// An integer of 32 bits as it is, or the words of a wider one or of an address.
std::vector<Id> wordsOf(Emitter& emit, Id value);
// The value whose words are change(word) of this one's.
Id mapWords(Emitter& emit, Id value, const std::function<Id(Id word)>& change);

struct Location;

// Emits a test: whether values are equal in all active invocations of the subgroup.
class UniformityTest : private VectorCode {
 public:
    // `all` must be true, too.
    explicit UniformityTest(VectorFunction& function, Condition all = Condition::always())
        : VectorCode(function), all_(all) {}

    // `value`: an integer scalar or a physical pointer.
    void require(Id value);
    // Requires the location's arguments except the byte offset; they are the function's parameters
    // from `first` on.
    void requireArguments(const Location& location, size_t first);
    Condition result() const { return all_; }

 private:
    Condition all_;
};

// Lowers SPV_NV_cooperative_vector to core SPIR-V. Of large vectors, it lowers loads, stores,
// products, outer products and sums; the lowering of long vectors does the rest.
std::optional<Error> lowerVectors(VectorContext& context);

// ---------------------------------------------------------------------------------------------
// Before the lowering of a function: replaces a construction of a large vector from consecutive
// elements of an array, each with its own load, by the call of a helper with a loop.
void lowerLargeConstructs(VectorContext& context, Function& function);

// ---------------------------------------------------------------------------------------------
// Each of these lowers one instruction into `emit`; false: it concerns no vector and stays.

// OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV.
void lowerVectorMultiply(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& instruction);
// OpVectorExtractDynamic, OpVectorInsertDynamic.
bool lowerDynamicIndex(VectorContext& context, Emitter& emit, const Instruction& instruction);
// Instructions of GLSL.std.450 (SPV_NV_cooperative_vector, 3.42.11 to 3.42.14).
bool lowerExtended(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite
