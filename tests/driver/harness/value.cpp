// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

#include <gtest/gtest.h>

#include "glsl.hpp"
#include "reference.hpp"

namespace coopvk::test {

std::string valueTypeName(const ValueType& type) {
    return std::string(name(type.component)) + "_" + std::to_string(type.rows) + "x" +
           std::to_string(type.columns) + "_" + "ABC"[static_cast<int>(type.use)];
}

std::vector<ValueType> valueTypes() {
    std::vector<ValueType> types = {{Component::kF32, 8, 8, Use::kAccumulator},
                                    {Component::kF16, 8, 8, Use::kA}};
    if (Context::get().emulated) {
        types.push_back({Component::kS8, 16, 4, Use::kB});
        types.push_back({Component::kF16, 2, 3, Use::kAccumulator});  // fewer elements than lanes
    }
    return types;
}

std::string glslValueSource(const GlslValue& value, const ValueType& type) {
    const std::string element(glsl::scalar(type.component));
    const std::string stride = std::to_string(type.columns);
    return glsl::header() + "#define E " + element + "\n#define T " +
           glsl::matrix(type.component, type.rows, type.columns, type.use) + "\n" +
           "layout(push_constant) uniform Push { uint n[4]; } push;\n" +
           glsl::buffer(0, "a", element) + glsl::buffer(1, "b", element) +
           glsl::buffer(2, "c", element) + glsl::buffer(3, "d", element) + value.global +
           "\nvoid main() {\nT A, B, C, R;\n" + glsl::load("A", "a", stride) +
           glsl::load("B", "b", stride) + glsl::load("C", "c", stride) + value.body + "\n" +
           glsl::store("R", "d", stride) + "}\n";
}

Assembly valueAssembly(const AssemblyValue& value, const ValueType& type) {
    const std::string element(info(type.component).spirv.substr(1));
    Assembly a;
    for (const char* id : {"a", "b", "c", "d"}) a.buffers.push_back(scalars(id, type.component));
    a.capabilities = value.capabilities;
    a.extensions = value.extensions;
    a.interfaces = value.interfaces;
    a.decorations = value.decorations;
    const std::vector<Substitution> names = {
        {"E", "%" + element},
        {"stride", constant(type.columns)},
        {"add", info(type.component).isFloat() ? "OpFAdd" : "OpIAdd"},
        {"sb", "%sb_" + element},
        {"two", info(type.component).isFloat() ? "2.0" : "2"}};
    a.declarations = matrixType("T", type.component, type.rows, type.columns, type.use) +
                     substitute("%k_2 = OpConstant ${E} ${two}\n" + value.declarations, names);
    // Variables come first in a function: the loads follow them.
    std::string loads;
    for (const auto& [matrix, id] : {std::pair{"A", "a"}, {"B", "b"}, {"C", "c"}})
        loads += std::string("%p") + id + " = OpAccessChain ${sb} %" + id + " %c_0 %c_0\n%" +
                 matrix + " = OpCooperativeMatrixLoadKHR %T %p" + id + " %c_0 ${stride}\n";
    loads += "%pd = OpAccessChain ${sb} %d %c_0 %c_0\n";
    std::string body = value.body;
    const size_t marker = body.find("@loads\n");
    if (marker == body.npos)
        body = loads + body;
    else
        body.replace(marker, 7, loads);
    a.body = substitute(body + "\nOpCooperativeMatrixStoreKHR %pd %R %c_0 ${stride}\n", names);
    a.functions = substitute(value.functions, names);
    return a;
}

void expectValue(const Words& words, const ValueType& type, const PipelineOptions& options) {
    Rng rng(valueTypeName(type));
    std::vector<Matrix> in;
    for (int i = 0; i < 3; ++i)
        in.push_back(randomMatrix(rng, type.component, type.rows, type.columns, Fill::kSmall));
    Dispatch dispatch;
    for (const Matrix& matrix : in) dispatch.buffers.push_back(pack(matrix));
    dispatch.buffers.push_back(rng.bytes(dispatch.buffers[0].size()));
    dispatch.push = pushWords({3, 1, 0, 2});
    expectNumbersAsReference(words, dispatch, type.component, options);
}

}  // namespace coopvk::test
