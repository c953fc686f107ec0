// SPDX-License-Identifier: Apache-2.0
//
// What else a shader may do with a vector: load and store, instructions by component, conversion,
// component access.
#include <cmath>

#include "element_operations.hpp"
#include "vector_cases.hpp"
#include "vector_shader.hpp"

namespace coopvk::compare {
namespace {

constexpr uint32_t kComponents = 21;  // no multiple of anything

struct Variant {
    Component from, to;
    uint32_t inputs = 1;
    Storage storage = Storage::kBuffer;
    std::string name;
};

using Body = std::function<std::string(VectorShader& shader, const std::vector<std::string>& in)>;
using Reference = std::function<Expected(const std::vector<uint64_t>& in)>;
using Draw = std::function<Matrix(Rng& rng, uint32_t operand)>;

uint32_t elementCount(const Block& block) {
    return static_cast<uint32_t>(block.end() / info(block.component).bytes());
}

// The buffers' contents in shared memory.
std::vector<ModuleText::Array> copied(VectorShader& shader,
                                      const std::vector<ModuleText::Array>& buffers,
                                      const std::vector<Block>& blocks) {
    ModuleText& text = shader.text();
    std::vector<ModuleText::Array> shared;
    for (size_t i = 0; i < buffers.size(); ++i) {
        shared.push_back(text.shared("shared" + std::to_string(i), blocks[i].component,
                                     elementCount(blocks[i])));
        text.copy(shared[i], buffers[i], elementCount(blocks[i]));
    }
    text.barrier();
    return shared;
}

std::string assembly(const Variant& v, const std::vector<Block>& blocks, const Body& body) {
    VectorShader shader;
    std::vector<ModuleText::Array> arrays;
    for (uint32_t i = 0; i <= v.inputs; ++i)
        arrays.push_back(shader.array(v.storage, i, i, i == v.inputs ? v.to : v.from));
    const std::vector<ModuleText::Array> used =
        v.storage == Storage::kWorkgroup ? copied(shader, arrays, blocks) : arrays;
    std::vector<std::string> in;
    for (uint32_t i = 0; i < v.inputs; ++i)
        in.push_back(shader.load(used[i], v.from, kComponents, blocks[i]));
    shader.store(used[v.inputs], body(shader, in), blocks[v.inputs]);
    if (v.storage == Storage::kWorkgroup) {
        shader.text().barrier();
        shader.text().copy(arrays.back(), used.back(), elementCount(blocks.back()));
    }
    return shader.text().text();
}

Plan plan(const Variant& v, uint64_t seed, const Draw& draw, const Body& body,
          const Reference& reference) {
    std::vector<Block> blocks(v.inputs, vectorsOf(v.from, kComponents));
    blocks.push_back(vectorsOf(v.to, kComponents));
    Plan plan;
    plan.assembly = assembly(v, blocks, body);
    Rng rng(seed, v.name);
    std::vector<Matrix> inputs;
    for (uint32_t i = 0; i <= v.inputs; ++i) {
        plan.buffers.push_back(rng.bytes(blocks[i].end()));
        plan.labels.push_back(i == v.inputs ? "result" : "input " + std::to_string(i));
        if (v.storage == Storage::kAddress) plan.addresses.push_back(i);
        if (i == v.inputs) continue;
        inputs.push_back(draw(rng, i));
        scatter(inputs[i], blocks[i], plan.buffers[i]);
    }
    plan.output = v.inputs;
    plan.result = blocks[v.inputs];
    for (size_t e = 0; e < inputs[0].elements.size(); ++e) {
        std::vector<uint64_t> in;
        for (const Matrix& matrix : inputs) in.push_back(matrix.elements[e]);
        plan.expected.push_back(reference(in));
    }
    return plan;
}

std::string rowOf(Component type) { return "vectors of " + std::string(nameOf(type)); }

void add(std::vector<Case>& cases, const OnSides& sides, Component type, const char* operation,
         const std::string& name, std::function<Plan(const DeviceShape&, uint64_t)> make) {
    cases.push_back({name, rowOf(type), operation, sides.native, sides.emulated, std::move(make)});
}

Matrix anyBits(Rng& rng, Component type) {
    Matrix matrix = randomMatrix(rng, type, kInvocations, kComponents, Fill::kRandom);
    for (uint64_t& element : matrix.elements) {
        const uint64_t bits = maskBits(rng.next(), info(type).bits);
        if (!info(type).isFloat() || std::isfinite(decode(type, bits))) element = bits;
    }
    return matrix;
}

void addLoadStore(const VectorType& type, std::vector<Case>& cases) {
    for (const Storage storage : kAllStorages) {
        Variant v = {type.component, type.component, 1, storage, {}};
        v.name = rowOf(type.component) + "/load-store/" + std::string(nameOf(storage));
        add(cases, type.listed, v.from, "load-store", v.name,
            [v](const DeviceShape&, uint64_t seed) {
                return plan(
                    v, seed, [&](Rng& rng, uint32_t) { return anyBits(rng, v.from); },
                    [](VectorShader&, const auto& in) { return in[0]; },
                    [&](const auto& in) { return exactly(v.to, in[0]); });
            });
    }
}

// The whole vector turned round, component by component, by dynamic index.
std::string reverse(VectorShader& shader, Component component, const std::string& vector) {
    ModuleText& text = shader.text();
    const std::string type = shader.type(component, kComponents), scalar = text.scalar(component);
    const std::string from = text.variable("from", type), to = text.variable("to", type);
    const std::string pointer = text.pointer("Function", scalar);
    text.line("OpStore " + from + " " + vector);
    text.loop(
        text.constant(0), text.constant(kComponents), text.constant(1), [&](const std::string& i) {
            const std::string other =
                shader.apply("OpISub", text.u32(), text.constant(kComponents - 1) + " " + i);
            const std::string source = shader.apply("OpAccessChain", pointer, from + " " + i);
            const std::string target = shader.apply("OpAccessChain", pointer, to + " " + other);
            text.line("OpStore " + target + " " + shader.apply("OpLoad", scalar, source));
        });
    return shader.apply("OpLoad", type, to);
}

void addElements(const VectorType& type, std::vector<Case>& cases) {
    Variant v = {type.component, type.component, 1, Storage::kBuffer, {}};
    v.name = rowOf(type.component) + "/elements/turned round";
    add(cases, type.listed, v.from, "elements", v.name, [v](const DeviceShape&, uint64_t seed) {
        Matrix drawn;
        Plan p = plan(
            v, seed, [&](Rng& rng, uint32_t) { return drawn = anyBits(rng, v.from); },
            [&](VectorShader& shader, const auto& in) { return reverse(shader, v.from, in[0]); },
            [&](const auto& in) { return exactly(v.to, in[0]); });
        for (uint32_t r = 0; r < kInvocations; ++r)
            for (uint32_t c = 0; c < kComponents; ++c)
                p.expected[r * kComponents + c] = exactly(v.to, drawn.at(r, kComponents - 1 - c));
        return p;
    });
}

void addOperation(const VectorType& type, const ElementOperation& operation,
                  std::vector<Case>& cases) {
    Variant v = {type.component, type.component, operation.operands, Storage::kBuffer, {}};
    const char* column = operation.extended ? "extended" : "arithmetic";
    v.name = rowOf(type.component) + "/" + column + "/" + std::string(operation.opcode);
    add(cases, type.listed, v.from, column, v.name,
        [v, operation](const DeviceShape&, uint64_t seed) {
            return plan(
                v, seed,
                [&](Rng& rng, uint32_t operand) {
                    return operation.draw(rng, v.from, kInvocations, kComponents, operand);
                },
                [&](VectorShader& shader, const std::vector<std::string>& in) {
                    std::string operands, opcode(operation.opcode);
                    if (operation.extended) {
                        operands = shader.text().glsl() + " " + opcode + " ";
                        opcode = "OpExtInst";
                    }
                    for (size_t i = 0; i < in.size(); ++i) operands += (i ? " " : "") + in[i];
                    if (operation.scalar != 0)
                        operands +=
                            " " + shader.text().constant(v.from, scalarBits(v.from, operation));
                    return shader.apply(opcode, shader.type(v.from, kComponents), operands);
                },
                [&](const auto& in) { return operation.expected(v.from, in); });
        });
}

void addConversion(const VectorType& from, const VectorType& to, std::vector<Case>& cases) {
    const std::string opcode = conversionOpcode(from.component, to.component);
    const OnSides sides = from.listed & to.listed;
    if (opcode.empty() || !sides.any()) return;
    Variant v = {from.component, to.component, 1, Storage::kBuffer, {}};
    v.name = rowOf(from.component) + "/conversion/to " + std::string(nameOf(to.component));
    add(cases, sides, v.from, "conversion", v.name, [v, opcode](const DeviceShape&, uint64_t seed) {
        return plan(
            v, seed,
            [&](Rng& rng, uint32_t) {
                return drawForConversion(rng, v.from, v.to, kInvocations, kComponents);
            },
            [&](VectorShader& shader, const auto& in) {
                return shader.apply(opcode, shader.type(v.to, kComponents), in[0]);
            },
            [&](const auto& in) { return converted(v.from, v.to, in[0]); });
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
