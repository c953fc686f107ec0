// SPDX-License-Identifier: Apache-2.0
//
// Outer products and sums of vectors that all invocations add to one place in memory.
#include "compare/cases/vector_cases.hpp"

namespace coopvk::compare {
namespace {

constexpr Layout kTraining = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;

enum TrainingBinding : uint32_t { kA, kB, kSum };

struct TrainingVariant {
    Component vector, sum;  // components of the vectors, and in memory
    uint32_t m, n;          // m is 0 for sums of vectors
    bool diverging;
    Storage storage;
    Fill fill;
    std::string name;

    bool isOuterProduct() const { return m != 0; }
    uint32_t rows() const { return isOuterProduct() ? m : 1; }
};

// Sums start at this offset, as far as their alignment must be.
constexpr size_t kSumOffset = 16;

Block sumBlock(const TrainingVariant& v) {
    const size_t stride = size_t{v.n} * info(v.sum).bytes();
    return {v.sum, v.rows(), v.n, false, stride, v.isOuterProduct() ? 0 : kSumOffset};
}

VectorProgram program(const TrainingVariant& v, const Block& a, const Block& b) {
    const auto operand = [&](TrainingBinding binding,
                             const Block& block) -> VectorProgram::Operand {
        return {{Storage::kBuffer, binding, 0, v.vector}, block.columns, block};
    };
    VectorProgram program;
    if (v.isOuterProduct()) program.inputs.push_back(operand(kA, a));
    program.inputs.push_back(operand(kB, b));
    program.step = VectorProgram::Accumulation{
        {{v.storage, kSum, 0, v.sum}, sumBlock(v).offset, v.sum}, kTraining};
    program.diverging = v.diverging;
    return program;
}

struct TrainingInputs {
    Matrix left, right, before;
};

Plan planOf(const TrainingVariant& v, const TrainingInputs& inputs, Rng& rng) {
    const Block a = vectorsOf(v.vector, v.rows()), b = vectorsOf(v.vector, v.n);
    const Block sums = sumBlock(v);
    const auto& [left, right, before] = inputs;
    Plan plan;
    plan.assembly = spirvOf(program(v, a, b));
    plan.labels = {"A", "B", "sums"};
    for (const Block* block : {&a, &b, &sums}) plan.buffers.push_back(rng.bytes(block->end()));
    scatter(left, a, plan.buffers[kA]);
    scatter(right, b, plan.buffers[kB]);
    scatter(before, sums, plan.buffers[kSum]);
    if (v.isOuterProduct()) plan.relayouts.push_back({kSum, v.sum, v.m, v.n, kTraining, true});
    if (v.storage == Storage::kAddress) plan.addresses = {kSum};
    plan.output = kSum;
    plan.result = sums;
    return plan;
}

Plan plan(const TrainingVariant& v, uint64_t seed) {
    Rng rng(seed, v.name);
    TrainingInputs inputs;
    inputs.left = randomMatrix(rng, v.vector, kInvocations, v.rows(), v.fill);
    inputs.right = randomMatrix(rng, v.vector, kInvocations, v.n, v.fill);
    inputs.before = randomMatrix(rng, v.sum, v.rows(), v.n, v.fill);
    Plan plan = planOf(v, inputs, rng);
    plan.freedom.inIntervals = v.fill != Fill::kExact;
    return plan;
}

void add(TrainingVariant v, const OnSides& sides, std::vector<Case>& cases) {
    const std::string row = "training in " + std::string(nameOf(v.sum));
    const char* operation = v.isOuterProduct() ? "outer-product" : "reduce-sum";
    for (const Storage storage : {Storage::kBuffer, Storage::kAddress}) {
        for (const bool diverging : {false, true}) {
            for (const Fill fill : {Fill::kExact, Fill::kRandom}) {
                v.storage = storage;
                v.diverging = diverging;
                v.fill = fill;
                v.name = row + "/" + operation + "/" +
                         (v.isOuterProduct() ? std::to_string(v.m) + "x" : "") +
                         std::to_string(v.n) + ", " + std::string(nameOf(storage)) +
                         (diverging ? ", diverging" : "") +
                         (fill == Fill::kExact ? ", exact" : ", random");
                cases.push_back({v.name, row, operation, sides.native, sides.emulated,
                                 [v](const DeviceShape&, uint64_t seed) { return plan(v, seed); }});
            }
        }
    }
}

struct TrainingSize {
    uint32_t m, n;
};
constexpr TrainingSize kTrainingSizes[] = {{16, 16}, {21, 35}, {8, 40}};

OnSides isListed(const VectorProperties& properties, Component type) {
    for (const VectorType& t : properties.types)
        if (t.component == type) return t.listed;
    return {};
}

}  // namespace

void addVectorTraining(const VectorProperties& properties, std::vector<Case>& cases) {
    for (const Component sum : {kFloat16, kFloat32}) {
        const OnSides trains =
            sum == kFloat16 ? properties.trainsFloat16 : properties.trainsFloat32;
        const OnSides outer = trains & isListed(properties, kFloat16);
        const OnSides reduce = trains & isListed(properties, sum);
        for (const TrainingSize& size : kTrainingSizes) {
            TrainingVariant v = {kFloat16,         sum,          size.m, size.n, false,
                                 Storage::kBuffer, Fill::kExact, {}};
            if (outer.any()) add(v, outer, cases);
            v.vector = sum;
            v.m = 0;
            if (reduce.any()) add(v, reduce, cases);
        }
    }
}

}  // namespace coopvk::compare
