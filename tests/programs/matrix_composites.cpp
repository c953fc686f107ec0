// SPDX-License-Identifier: Apache-2.0
//
// Structures and arrays of matrices: values, variables, phis, parameters.
#include <cmath>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// struct { first; second[2]; uint number; }
struct Composite {
    MatrixType firstType, secondType;
    std::string type, array;
    std::string id;
    double firstBound = 0, secondBound = 0;
};

Composite makeComposite(MatrixWriter& w) {
    Text& text = w.text;
    const Matrix a = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    const MatrixType second = w.anyType(w.pick(3));
    const Matrix b = w.take(second, HUGE_VAL), c = w.take(second, HUGE_VAL);
    Composite made{.firstType = a.type, .secondType = b.type};
    made.firstBound = a.bound;
    made.secondBound = std::max(b.bound, c.bound);
    made.array = text.global(std::format("OpTypeArray {} {}", w.type(b.type), text.size(2)));
    made.type = text.global(
        std::format("OpTypeStruct {} {} {}", w.type(a.type), made.array, text.type(kU32)));
    const std::string both =
        text.value(std::format("OpCompositeConstruct {} {} {}", made.array, b.id, c.id));
    made.id = text.value(std::format("OpCompositeConstruct {} {} {} {}", made.type, a.id, both,
                                     w.number(w.pick(2))));
    return made;
}

// The parts become values.
bool takeApart(MatrixWriter& w, const Composite& from) {
    Text& text = w.text;
    if (!w.chance(3))
        w.add(
            text.value(std::format("OpCompositeExtract {} {} 0", w.type(from.firstType), from.id)),
            from.firstType, from.firstBound);
    return w.add(text.value(std::format("OpCompositeExtract {} {} 1 {}", w.type(from.secondType),
                                        from.id, w.pick(2))),
                 from.secondType, from.secondBound);
}

bool insert(MatrixWriter& w) {
    Composite c = makeComposite(w);
    const Matrix x = w.take(c.firstType, HUGE_VAL), y = w.take(c.secondType, HUGE_VAL);
    c.id = w.text.value(std::format("OpCompositeInsert {} {} {} 0", c.type, x.id, c.id));
    c.id =
        w.text.value(std::format("OpCompositeInsert {} {} {} 1 {}", c.type, y.id, c.id, w.pick(2)));
    c.firstBound = x.bound;
    c.secondBound = std::max(c.secondBound, y.bound);
    return takeApart(w, c);
}

// A variable of which an element at an index that only the program's input tells is replaced, and
// one is read.
bool inVariable(MatrixWriter& w) {
    Text& text = w.text;
    const Composite c = makeComposite(w);
    const std::string variable = w.local(c.type), second = w.type(c.secondType);
    text.line(std::format("OpStore {} {}", variable, c.id));
    const Matrix y = w.take(c.secondType, HUGE_VAL);
    // The structure's own number is the index.
    const std::string number = text.value(std::format(
        "OpLoad {} {}", text.type(kU32), w.part(variable, text.type(kU32), text.u32(2))));
    const std::string written =
        w.part(variable, second, text.u32(1) + " " + (w.chance(2) ? number : w.number(w.pick(2))));
    text.line(std::format("OpStore {} {}", written, y.id));
    const std::string read = w.part(variable, second, text.u32(1) + " " + w.number(w.pick(2)));
    w.add(text.value(std::format("OpLoad {} {}", second, read)), c.secondType,
          std::max(c.secondBound, y.bound));
    const std::string first = w.type(c.firstType);
    return w.add(
        text.value(std::format("OpLoad {} {}", first, w.part(variable, first, text.u32(0)))),
        c.firstType, c.firstBound);
}

bool inPhi(MatrixWriter& w) {
    Text& text = w.text;
    const Composite otherwise = makeComposite(w);
    const std::string condition = w.condition(), before = text.block();
    const std::string yes = text.fresh(), merge = text.fresh();
    text.line(std::format("OpSelectionMerge {} None", merge));
    text.line(std::format("OpBranchConditional {} {} {}", condition, yes, merge));
    text.label(yes);
    const Matrix y = w.load(otherwise.firstType);
    Composite c = otherwise;
    c.id = text.value(std::format("OpCompositeInsert {} {} {} 0", c.type, y.id, c.id));
    text.line("OpBranch " + merge);
    text.label(merge);
    c.firstBound = std::max(c.firstBound, y.bound);
    c.id = text.value(std::format("OpPhi {} {} {} {} {}", c.type, c.id, yes, otherwise.id, before));
    return takeApart(w, c);
}

// A function that exchanges the elements of the array: of its parameter, or of what this points to.
bool inFunction(MatrixWriter& w) {
    if (w.depth != 0) return false;
    Text& text = w.text;
    Composite c = makeComposite(w);
    const bool byPointer = w.chance(2);
    const std::string second = w.type(c.secondType);
    const std::string pointer = text.global("OpTypePointer Function " + c.type);
    const std::string returned = byPointer ? "%void" : c.type;
    const std::string parameterType = byPointer ? pointer : c.type;
    const std::string type =
        text.global(std::format("OpTypeFunction {} {}", returned, parameterType));
    text.beginFunction();
    const std::string function = text.value(std::format("OpFunction {} None {}", returned, type));
    const std::string parameter = text.value("OpFunctionParameter " + parameterType);
    text.label(text.fresh());
    std::string value = parameter;
    if (byPointer) value = text.value(std::format("OpLoad {} {}", c.type, parameter));
    const std::string x = text.value(std::format("OpCompositeExtract {} {} 1 0", second, value));
    const std::string y = text.value(std::format("OpCompositeExtract {} {} 1 1", second, value));
    value = text.value(std::format("OpCompositeInsert {} {} {} 1 0", c.type, y, value));
    value = text.value(std::format("OpCompositeInsert {} {} {} 1 1", c.type, x, value));
    if (byPointer) text.line(std::format("OpStore {} {}", parameter, value));
    text.line(byPointer ? "OpReturn" : "OpReturnValue " + value);
    text.endFunction();
    if (byPointer) {
        const std::string variable = w.local(c.type);
        text.line(std::format("OpStore {} {}", variable, c.id));
        text.line(text.fresh() + " = OpFunctionCall %void " + function + " " + variable);
        c.id = text.value(std::format("OpLoad {} {}", c.type, variable));
    } else {
        c.id = text.value(std::format("OpFunctionCall {} {} {}", c.type, function, c.id));
    }
    return takeApart(w, c);
}

constexpr MatrixStatement kCompositeStatements[] = {insert, inVariable, inPhi, inFunction};

}  // namespace

std::span<const MatrixStatement> compositeStatements() { return kCompositeStatements; }

}  // namespace coopvk::programs
