// SPDX-License-Identifier: Apache-2.0
//
// Branches, loops, variables and functions: statements are nested in them.
#include <cmath>

#include "matrices.hpp"
#include "nesting.hpp"

namespace coopvk::programs {
namespace {

using enum Component;
// The scope of what follows stays.
void statements(MatrixWriter& w, uint32_t most) {
    const bool ofWorkgroup = w.ofWorkgroup;
    for (uint32_t count = w.pick(most + 1), tries = 0; count > 0 && tries < 8; ++tries)
        count -= statement(w) ? 1 : 0;
    w.ofWorkgroup = ofWorkgroup;
}

bool branch(MatrixWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    const MatrixType type = w.anyType(w.pick(3));
    const Matrix otherwise = w.take(type, HUGE_VAL);
    const std::string condition = w.condition();
    const std::string yes = text.fresh(), no = text.fresh(), merge = text.fresh();
    const std::string before = text.block();
    const bool hasNo = w.chance(2);
    text.line(std::format("OpSelectionMerge {} None", merge));
    text.line(std::format("OpBranchConditional {} {} {}", condition, yes, hasNo ? no : merge));
    double bound = otherwise.bound;
    std::string values;
    for (const std::string& label : {yes, no}) {
        if (label == no && !hasNo) continue;
        const Scope scope(w);
        text.label(label);
        statements(w, 2);
        const Matrix value = w.take(type, HUGE_VAL);
        bound = std::max(bound, value.bound);
        values += " " + value.id + " " + text.block();
        text.line("OpBranch " + merge);
    }
    if (!hasNo) values += " " + otherwise.id + " " + before;
    text.label(merge);
    return w.add(text.value(std::format("OpPhi {}{}", w.type(type), values)), type, bound);
}

// sum = x + y, or a product of k columns and rows is added.
void addStep(MatrixWriter& w, const std::string& sum, const Matrix& x, uint32_t k) {
    const MatrixType& type = x.type;
    if (k != 0) {
        const Matrix a = w.take({w.product.a, type.rows, k, kUseA}, 4);
        const Matrix b = w.take({w.product.b, k, type.columns, kUseB}, 4);
        const std::string factors = std::format("{} {} {}", a.id, b.id, x.id);
        w.text.line(sum + " = " + w.multiplyAdd(type, factors, ""));
        return;
    }
    const Matrix y = w.take(type, 4);
    const char* opcode = info(type.component).isFloat ? "OpFAdd" : "OpIAdd";
    w.text.line(std::format("{} = {} {} {} {}", sum, opcode, w.type(type), x.id, y.id));
}

// The rounds of a loop; with subgroups that part the second may have one less.
std::string countOf(MatrixWriter& w, uint32_t rounds) {
    const std::string count = w.number(rounds);
    if (rounds == 1 || !w.subgroupsPart || w.chance(2)) return count;
    return w.text.value(
        std::format("OpISub {} {} {}", w.text.type(kU32), count, w.builtIn("SubgroupId")));
}

// x += y, or a product, in a loop of two or three rounds, with other statements before it.
bool loop(MatrixWriter& w) {
    if (w.depth >= kMostDepth) return false;
    Text& text = w.text;
    MatrixType type{w.product.c, w.dimension(), w.dimension(), kAccumulator};
    const Matrix start = w.take(type, HUGE_VAL);
    const bool isFloat = info(type.component).isFloat;
    const uint32_t rounds = 1 + w.pick(3);
    const bool isProduct = !info(type.component).hasArithmetic || (isFloat && w.chance(2));
    const uint32_t k = w.dimension();
    const double step = isProduct ? k * 16.0 : 4;
    const double bound = isFloat ? start.bound + rounds * step : HUGE_VAL;
    if (!holds(type.component, bound)) return false;
    const std::string u32 = text.type(kU32), boolean = text.global("OpTypeBool");
    const std::string count = countOf(w, rounds), before = text.block();
    const std::string header = text.fresh(), next = text.fresh(), merge = text.fresh(),
                      body = text.fresh(), index = text.fresh(), following = text.fresh(),
                      x = text.fresh(), sum = text.fresh();
    // The header may be the whole loop, its own continue target.
    const bool isOneBlock = w.chance(3);
    const std::string& latch = isOneBlock ? header : next;
    text.line("OpBranch " + header);
    text.label(header);
    text.line(std::format("{} = OpPhi {} {} {} {} {}", index, u32, text.u32(0), before, following,
                          latch));
    text.line(
        std::format("{} = OpPhi {} {} {} {} {}", x, w.type(type), start.id, before, sum, latch));
    const Scope scope(w);
    if (!isOneBlock) {
        text.line(std::format("OpLoopMerge {} {} None", merge, next));
        text.line("OpBranch " + body);
        text.label(body);
        w.add(x, type, bound);
        statements(w, 2);
    }
    addStep(w, sum, {x, type, bound}, isProduct ? k : 0);
    if (!isOneBlock) {
        text.line("OpBranch " + next);
        text.label(next);
    }
    text.line(std::format("{} = OpIAdd {} {} {}", following, u32, index, text.u32(1)));
    const std::string goes =
        text.value(std::format("OpULessThan {} {} {}", boolean, following, count));
    if (isOneBlock) text.line(std::format("OpLoopMerge {} {} None", merge, header));
    text.line(std::format("OpBranchConditional {} {} {}", goes, header, merge));
    text.label(merge);
    w.result = {sum, type, bound};
    return true;
}

bool loopStatement(MatrixWriter& w) {
    if (!loop(w)) return false;
    return w.add(w.result.id, w.result.type, w.result.bound);
}

bool variable(MatrixWriter& w) {
    const Matrix x = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    const std::string type = w.type(x.type);
    const std::string variable = w.text.local(w.text.global("OpTypePointer Function " + type));
    w.text.line(std::format("OpStore {} {}", variable, x.id));
    if (w.depth < kMostDepth) {
        const Scope scope(w);
        statements(w, 1);
    }
    return w.add(w.text.value(std::format("OpLoad {} {}", type, variable)), x.type, x.bound);
}

// A function of two matrices that gives their difference, or one of them.
bool call(MatrixWriter& w) {
    if (w.depth != 0) return false;
    const MatrixType of = w.anyType(w.pick(3));
    const Matrix x = w.take(of, HUGE_VAL), y = w.take(of, HUGE_VAL);
    const ComponentInfo& component = info(of.component);
    const double sum = component.isFloat ? x.bound + y.bound : HUGE_VAL;
    const bool subtracts = component.hasArithmetic && holds(of.component, sum) && w.chance(2);
    Text& text = w.text;
    const std::string type = w.type(of);
    const std::string functionType = text.global(std::format("OpTypeFunction {0} {0} {0}", type));
    text.beginFunction();
    const std::string function =
        text.value(std::format("OpFunction {} None {}", type, functionType));
    const std::string a = text.value("OpFunctionParameter " + type);
    const std::string b = text.value("OpFunctionParameter " + type);
    text.label(text.fresh());
    const std::string result =
        !subtracts ? b
                   : text.value(std::format("{} {} {} {}", component.isFloat ? "OpFSub" : "OpISub",
                                            type, a, b));
    text.line("OpReturnValue " + result);
    text.endFunction();
    return w.add(text.value(std::format("OpFunctionCall {} {} {} {}", type, function, x.id, y.id)),
                 of, subtracts ? sum : y.bound);
}

constexpr MatrixStatement kControlStatements[] = {branch,        branch,   loopStatement,
                                                  loopStatement, variable, call};

}  // namespace

std::span<const MatrixStatement> controlStatements() { return kControlStatements; }

}  // namespace coopvk::programs
