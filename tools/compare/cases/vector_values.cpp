// SPDX-License-Identifier: Apache-2.0
//
// Cases of the other operations on a vector: load and store, instructions by component, conversion,
// component access.
#include <cmath>

#include "compare/cases/element_operations.hpp"
#include "compare/cases/vector_cases.hpp"

namespace coopvk::compare {
namespace {

constexpr uint32_t kVectorComponents = 21;  // no multiple of anything

struct VectorVariant {
    Component from, to;
    uint32_t inputs = 1;
    Storage storage = Storage::kBuffer;
    std::string name;
};

using DrawVector = std::function<Matrix(Rng& rng, uint32_t operand)>;

VectorProgram program(const VectorVariant& v, const std::vector<Block>& blocks,
                      const VectorProgram::Step& step) {
    const auto operand = [&](uint32_t i) -> VectorProgram::Operand {
        return {{v.storage, i, i, blocks[i].component}, kVectorComponents, blocks[i]};
    };
    VectorProgram program;
    for (uint32_t i = 0; i < v.inputs; ++i) program.inputs.push_back(operand(i));
    program.result = operand(v.inputs);
    program.step = step;
    return program;
}

Plan vectorPlan(const VectorVariant& v, uint64_t seed, const DrawVector& draw,
                const VectorProgram::Step& step, bool isImprecise = false) {
    std::vector<Block> blocks(v.inputs, vectorsOf(v.from, kVectorComponents));
    blocks.push_back(vectorsOf(v.to, kVectorComponents));
    Plan plan;
    plan.assembly = spirvOf(program(v, blocks, step));
    Rng rng(seed, v.name);
    for (uint32_t i = 0; i <= v.inputs; ++i) {
        plan.buffers.push_back(rng.bytes(blocks[i].end()));
        plan.labels.push_back(i == v.inputs ? "result" : "input " + std::to_string(i));
        if (v.storage == Storage::kAddress) plan.addresses.push_back(i);
        if (i == v.inputs) continue;
        scatter(draw(rng, i), blocks[i], plan.buffers[i]);
    }
    plan.output = v.inputs;
    plan.result = blocks[v.inputs];
    plan.freedom = {.rounds = std::holds_alternative<Instruction>(step),
                    .inIntervals = isImprecise};
    return plan;
}

std::string rowOf(Component type) { return "vectors of " + std::string(nameOf(type)); }

void add(std::vector<Case>& cases, const OnSides& sides, Component type, const char* operation,
         const std::string& name, std::function<Plan(const DeviceShape&, uint64_t)> make) {
    cases.push_back({name, rowOf(type), operation, sides.native, sides.emulated, std::move(make)});
}

Matrix anyBits(Rng& rng, Component type) {
    Matrix matrix = randomMatrix(rng, type, kInvocations, kVectorComponents, Fill::kRandom);
    for (uint64_t& element : matrix.elements) {
        const uint64_t bits = maskBits(rng.next(), info(type).bits);
        if (!info(type).isFloat() || std::isfinite(decode(type, bits))) element = bits;
    }
    return matrix;
}

void addLoadStore(const VectorType& type, std::vector<Case>& cases) {
    for (const Storage storage : kAllStorages) {
        VectorVariant v = {type.component, type.component, 1, storage, {}};
        v.name = rowOf(type.component) + "/load-store/" + std::string(nameOf(storage));
        add(cases, type.listed, v.from, "load-store", v.name,
            [v](const DeviceShape&, uint64_t seed) {
                return vectorPlan(
                    v, seed, [&](Rng& rng, uint32_t) { return anyBits(rng, v.from); },
                    VectorProgram::Copy{});
            });
    }
}

void addElements(const VectorType& type, std::vector<Case>& cases) {
    VectorVariant v = {type.component, type.component, 1, Storage::kBuffer, {}};
    v.name = rowOf(type.component) + "/elements/turned round";
    add(cases, type.listed, v.from, "elements", v.name, [v](const DeviceShape&, uint64_t seed) {
        return vectorPlan(
            v, seed, [&](Rng& rng, uint32_t) { return anyBits(rng, v.from); },
            VectorProgram::TurnRound{});
    });
}

void addOperation(const VectorType& type, const ElementOperation& operation,
                  std::vector<Case>& cases) {
    VectorVariant v = {type.component, type.component, operation.operands, Storage::kBuffer, {}};
    const char* column = operation.extended ? "extended" : "arithmetic";
    v.name = rowOf(type.component) + "/" + column + "/" + std::string(operation.opcode);
    add(cases, type.listed, v.from, column, v.name,
        [v, operation](const DeviceShape&, uint64_t seed) {
            return vectorPlan(
                v, seed,
                [&](Rng& rng, uint32_t operand) {
                    return operation.draw(rng, v.from, kInvocations, kVectorComponents, operand);
                },
                Instruction(operation), operation.isImprecise);
        });
}

void addConversion(const VectorType& from, const VectorType& to, std::vector<Case>& cases) {
    const std::string_view opcode = conversionOpcode(from.component, to.component);
    const OnSides sides = from.listed & to.listed;
    if (opcode.empty() || !sides.any()) return;
    VectorVariant v = {from.component, to.component, 1, Storage::kBuffer, {}};
    v.name = rowOf(from.component) + "/conversion/to " + std::string(nameOf(to.component));
    add(cases, sides, v.from, "conversion", v.name, [v, opcode](const DeviceShape&, uint64_t seed) {
        return vectorPlan(
            v, seed,
            [&](Rng& rng, uint32_t) {
                return drawForConversion(rng, v.from, v.to, kInvocations, kVectorComponents);
            },
            Instruction{opcode});
    });
}

}  // namespace

void addVectorValues(const VectorProperties& properties, std::vector<Case>& cases) {
    for (const VectorType& type : properties.types) {
        addLoadStore(type, cases);
        addElements(type, cases);
        for (const ElementOperation& operation : vectorOperations(type.component))
            addOperation(type, operation, cases);
        for (const VectorType& target : properties.types) addConversion(type, target, cases);
    }
}

}  // namespace coopvk::compare
