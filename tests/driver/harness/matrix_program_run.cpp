// SPDX-License-Identifier: Apache-2.0
//
// Whole programs: their variables and statements, the shader, and its expected results.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "glsl.hpp"
#include "matrix_program.hpp"

namespace coopvk::test {
namespace {

// Matrices of a subgroup, of a workgroup, or of both in one shader of two subgroups.
enum class Scopes { kSubgroup, kWorkgroup, kBoth };

struct Program {
    Variables variables;
    std::string globals, locals;  // declarations
    std::string functions, body;
    std::vector<Machine> machines;
    size_t statements = 0;
};

void declare(Program& p, std::string& where, const MatrixType& type,
             const std::vector<std::string>& names, const std::string& declaration) {
    for (const std::string& name : names) p.variables.push_back({name, type});
    where += std::format("{} {};\n", type.glsl(), declaration);
}

// Of one scope; `s` ends their names.
void declareScope(ProgramWriter& w, Program& p, bool ofWorkgroup, bool isAll) {
    const std::string s = ofWorkgroup ? "w" : "s";
    const auto size = [&] { return w.chance(3) ? 32u : 16u; };
    const uint32_t m = size(), n = size(), k = w.chance(2) ? n : size();
    const auto type = [&](bool isFactor, uint32_t rows, uint32_t columns, Use use) {
        return MatrixType{isFactor ? w.factor : w.sum, isFactor, rows, columns, use, ofWorkgroup};
    };
    const MatrixType sum = type(false, m, n, Use::kAccumulator);
    const MatrixType a = type(true, m, k, Use::kA), b = type(true, k, n, Use::kB);
    declare(p, p.locals, sum, {"x" + s}, "x" + s);
    declare(p, p.locals, sum, {"y" + s + "[0]", "y" + s + "[1]"}, "y" + s + "[2]");
    declare(p, p.locals, type(true, m, n, Use::kAccumulator), {"z" + s}, "z" + s);
    // Reduced, in one direction or both.
    const MatrixType smaller[] = {type(false, m, size(), Use::kAccumulator),
                                  type(false, size(), n, Use::kAccumulator),
                                  type(false, m / 2, n / 2, Use::kAccumulator)};
    const MatrixType reduced = smaller[w.pick(m == 32 && n == 32 ? 3 : 2)];
    declare(p, p.locals, reduced, {"u" + s}, "u" + s);
    p.globals += std::format("struct Pair{0} {{ {1} a; {2} b; }};\n", s, a.glsl(), b.glsl());
    p.locals += std::format("Pair{0} pair{0};\n", s);
    p.variables.push_back({"pair" + s + ".a", a});
    p.variables.push_back({"pair" + s + ".b", b});
    if (!isAll) return;
    declare(p, p.globals, sum, {"g" + s}, "g" + s);
    declare(p, p.locals, a, {"a" + s}, "a" + s);
    declare(p, p.locals, type(true, n, m, w.chance(2) ? Use::kA : Use::kB), {"t" + s}, "t" + s);
}

// Runs the statement everywhere and adds it, unless some value would not be exact.
bool add(Program& p, const Statement& statement) {
    std::vector<Machine> after = p.machines;
    for (Machine& machine : after)
        if (!statement.run(machine)) return false;
    p.machines = std::move(after);
    p.body += statement.text;
    p.functions += statement.functions;
    return true;
}

// Elements of arrays, by indices that compilers do not know.
Variables renamed(ProgramWriter& w, Variables variables) {
    for (Variable& v : variables) {
        const size_t at = v.name.find('[');
        if (at != std::string::npos && w.chance(2))
            v.name = std::format("{}[push.n[{}]]", v.name.substr(0, at), v.name[at + 1]);
    }
    return variables;
}

Program randomProgram(ProgramWriter& w, Scopes scopes) {
    constexpr size_t kStatements = 8;
    Program p;
    if (scopes != Scopes::kSubgroup) declareScope(w, p, true, scopes != Scopes::kBoth);
    if (scopes != Scopes::kWorkgroup) declareScope(w, p, false, scopes != Scopes::kBoth);
    p.machines.resize(scopes == Scopes::kBoth ? 2 : 1);
    for (uint32_t subgroup = 0; subgroup < p.machines.size(); ++subgroup) {
        p.machines[subgroup].subgroup = subgroup;
        for (const Variable& v : p.variables) p.machines[subgroup].variables.emplace_back(v.type);
    }
    for (size_t v = 0; v < p.variables.size(); ++v) add(p, loadOf(w, p.variables[v], v));
    for (size_t tries = 0; p.statements < kStatements && tries < 400; ++tries) {
        const std::optional<Statement> statement = randomStatement(w, renamed(w, p.variables));
        if (statement && add(p, *statement)) ++p.statements;
    }
    for (size_t v = 0; v < p.variables.size(); ++v) add(p, storeOf(w, p.variables[v], v));
    return p;
}

std::string sourceOf(const ProgramWriter& w, const Program& p, Scopes scopes) {
    std::string text = matrix2Header();
    if (scopes == Scopes::kBoth) {
        constexpr std::string_view kHeight = "local_size_y = 1";
        text.replace(text.find(kHeight), kHeight.size(), "local_size_y = 2");
    }
    const std::string_view factor = glsl::scalar(w.factor), sum = glsl::scalar(w.sum);
    text.insert(text.find("layout("),
                "#extension GL_EXT_cooperative_matrix_maintenance1 : require\n");
    text += glsl::buffer(0, "inputF", factor) + glsl::buffer(1, "inputS", sum) +
            glsl::buffer(2, "outputF", factor) + glsl::buffer(3, "outputS", sum);
    text += std::format(
        "layout(set = 0, binding = 4, scalar) buffer Numbers {{ uint numbers[]; }} tables[2];\n"
        "#define numbers tables[0].numbers\n"
        "layout(push_constant) uniform Push {{ uint n[4]; }} push;\n"
        "shared {} sharedF[{}];\nshared {} sharedS[{}];\n",
        factor, 2 * kSharedElements, sum, 2 * kSharedElements);
    return text + callbackFunctions(w) + p.globals + p.functions + "void main() {\n" + p.locals +
           p.body + "}\n";
}

uint64_t bitsOf(Component component, int64_t value) {
    return info(component).isFloat() ? fromDouble(component, static_cast<double>(value))
                                     : wrap(static_cast<uint64_t>(value), info(component).bits());
}

// Compares the buffer after the shader with its contents before and with the machines' writes. Zero
// may have either sign.
std::string wrong(const ProgramWriter& w, const Program& p, uint32_t binding, const Bytes& before,
                  const Bytes& after) {
    const Component component = binding == 2 ? w.factor : w.sum;
    const auto count = static_cast<uint32_t>(before.size() / info(component).bytes);
    Matrix want = unpack(component, 1, count, before), got = unpack(component, 1, count, after);
    for (const Machine& machine : p.machines)
        for (const auto& [index, value] : machine.written)
            if (index.binding == binding) {
                uint64_t& bits = got.elements[index.element];
                if (value == 0 && info(component).isFloat() && toDouble(component, bits) == 0)
                    bits = 0;
                want.elements[index.element] = bitsOf(component, value);
            }
    return difference(pack(got), pack(want));
}

}  // namespace

void expectMatrixProgram(uint32_t number) {
    ProgramWriter w(number);
    const auto scopes = static_cast<Scopes>(number % 3);
    const MatrixGroup group =
        matrixGroups()[scopes == Scopes::kWorkgroup ? 1 + w.pick(matrixGroups().size() - 1) : 0];
    if (const std::string why = missing(matrixGroups()[1]); !why.empty()) GTEST_SKIP() << why;
    const Program p = randomProgram(w, scopes);
    const std::string source = inGroup(sourceOf(w, p, scopes), group);
    SCOPED_TRACE(source);
    EXPECT_GT(p.statements, 4u);
    Dispatch dispatch;
    dispatch.buffers.resize(6, Bytes(4));
    for (const bool isFactor : {true, false}) {
        Matrix input(isFactor ? w.factor : w.sum, 1, w.inputEnd[isFactor]);
        for (uint32_t e = 0; e < input.columns; ++e)
            input.elements[e] = bitsOf(input.component, w.input(isFactor, e));
        dispatch.buffers[isFactor ? 0 : 1] = pack(input);
        dispatch.buffers[isFactor ? 2 : 3] =
            w.rng.bytes(size_t{w.outputEnd[isFactor] + 8} * info(input.component).bytes);
    }
    const auto numbers = std::as_bytes(std::span(w.numbers.numbers()));
    dispatch.buffers[4].assign(numbers.begin(), numbers.end());
    dispatch.push = pushWords({0, 1, 2, 3});
    Words words = compileGlsl(source);
    if (w.chance(2)) words = withoutLocalVariables(words);
    const std::vector<Bytes> after = run(words, dispatch);
    for (const uint32_t binding : {0u, 1u, 4u})
        EXPECT_EQ(difference(after[binding], dispatch.buffers[binding]), "") << binding;
    for (const uint32_t binding : {2u, 3u})
        EXPECT_EQ(wrong(w, p, binding, dispatch.buffers[binding], after[binding]), "") << binding;
}

}  // namespace coopvk::test
