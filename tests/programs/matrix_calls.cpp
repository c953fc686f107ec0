// SPDX-License-Identifier: Apache-2.0
//
// Statements that call functions for elements, or access elements themselves.
#include <algorithm>
#include <cmath>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

// Accumulators of the products' sums, or of their factors if these have arithmetic.
MatrixType computable(MatrixWriter& w, uint32_t use) {
    const Component factor = w.product.a;
    const bool isFactor = w.chance(3) && info(factor).hasArithmetic;
    const Component sum = info(w.product.c).hasArithmetic ? w.product.c : Component::kF32;
    return {isFactor ? factor : sum, w.dimension(), w.dimension(), use};
}

struct Combination {
    const char *ofFloats, *ofSigned, *ofUnsigned;  // sums, or which of two is chosen
    bool adds;
};
constexpr Combination kCombinations[] = {
    {"OpFAdd", "OpIAdd", "OpIAdd", true},
    {"OpFOrdGreaterThan", "OpSGreaterThan", "OpUGreaterThan", false},
    {"OpFOrdLessThan", "OpSLessThan", "OpULessThan", false},
};

// `callee`: a function of the same type that it calls, if there is one.
std::string combineFunction(MatrixWriter& w, Component component, const Combination& row,
                            const std::string& callee = {}) {
    const std::string scalar = w.text.type(component);
    const std::string type = w.text.global(std::format("OpTypeFunction {0} {0} {0}", scalar));
    const std::string boolean = w.text.global("OpTypeBool");
    w.text.beginFunction();
    const std::string id = w.text.value(std::format("OpFunction {} None {}", scalar, type));
    const std::string x = w.text.value("OpFunctionParameter " + scalar);
    const std::string y = w.text.value("OpFunctionParameter " + scalar);
    w.text.label(w.text.fresh());
    const ComponentInfo& of = info(component);
    const char* opcode = of.isFloat ? row.ofFloats : of.isSigned ? row.ofSigned : row.ofUnsigned;
    std::string result =
        callee.empty()
            ? w.text.value(std::format("{} {} {} {}", opcode, row.adds ? scalar : boolean, x, y))
            : w.text.value(std::format("OpFunctionCall {} {} {} {}", scalar, callee, x, y));
    if (callee.empty() && !row.adds)
        result = w.text.value(std::format("OpSelect {} {} {} {}", scalar, result, x, y));
    w.text.line("OpReturnValue " + result);
    w.text.endFunction();
    return id;
}

// Row, column, both, 2x2.
bool reduce(MatrixWriter& w) {
    if (w.isNv) return false;
    w.text.need("CooperativeMatrixReductionsNV", "SPV_NV_cooperative_matrix2");
    const Matrix x = w.take(computable(w, kAccumulator), HUGE_VAL);
    static constexpr const char* kNames[] = {"Row", "Column", "Row|Column", "2x2"};
    const uint32_t kind = w.pick(4);
    MatrixType type = x.type;
    if (kind == 0 || kind == 2) type.columns = w.dimension();
    if (kind == 1 || kind == 2) type.rows = w.dimension();
    if (kind == 3) {
        type.rows /= 2;
        type.columns /= 2;
    }
    // Matrices of a workgroup have multiples of 16.
    if (w.ofWorkgroup && (type.rows % 16 != 0 || type.columns % 16 != 0)) return false;
    const Combination& row = w.any(kCombinations);
    const uint32_t counts[] = {x.type.columns, x.type.rows, x.type.columns * x.type.rows, 4};
    double bound = x.bound;
    if (row.adds) bound = info(type.component).isFloat ? bound * counts[kind] : HUGE_VAL;
    if (!holds(type.component, bound)) return false;
    std::string function = combineFunction(w, type.component, row);
    if (w.chance(3)) function = combineFunction(w, type.component, row, function);
    return w.add(w.text.value(std::format("OpCooperativeMatrixReduceNV {} {} {} {}", w.type(type),
                                          x.id, kNames[kind], function)),
                 type, bound);
}

// A function of row, column, element, and an element of another matrix.
std::string elementFunction(MatrixWriter& w, Component component, bool adds, bool hasOther) {
    const std::string scalar = w.text.type(component), u32 = w.text.type(kU32);
    const std::string type = w.text.global(std::format("OpTypeFunction {0} {1} {1} {0}{2}", scalar,
                                                       u32, hasOther ? " " + scalar : ""));
    const std::string boolean = w.boolean();
    const std::string zero = w.text.global("OpConstantNull " + scalar);
    w.text.beginFunction();
    const std::string id = w.text.value(std::format("OpFunction {} None {}", scalar, type));
    const std::string row = w.text.value("OpFunctionParameter " + u32);
    const std::string column = w.text.value("OpFunctionParameter " + u32);
    const std::string element = w.text.value("OpFunctionParameter " + scalar);
    const std::string other = hasOther ? w.text.value("OpFunctionParameter " + scalar) : zero;
    w.text.label(w.text.fresh());
    std::string result = element;
    if (adds) {
        const bool isFloat = info(component).isFloat;
        const std::string one = w.text.constant(component, 1);
        result = w.text.value(
            std::format("{} {} {} {}", isFloat ? "OpFAdd" : "OpIAdd", scalar, element, one));
    }
    const std::string isChosen =
        w.text.value(std::format("{} {} {} {}", w.chance(2) ? "OpULessThan" : "OpUGreaterThan",
                                 boolean, row, w.chance(2) ? column : w.text.u32(w.pick(16))));
    result = w.text.value(std::format("OpSelect {} {} {} {}", scalar, isChosen, result, other));
    w.text.line("OpReturnValue " + result);
    w.text.endFunction();
    return id;
}

bool perElement(MatrixWriter& w) {
    if (w.isNv) return false;
    w.text.need("CooperativeMatrixPerElementOperationsNV", "SPV_NV_cooperative_matrix2");
    const Matrix x = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    if (isNibble(x.type.component)) return false;
    const bool adds = info(x.type.component).hasArithmetic && w.chance(2);
    double bound = x.bound + (adds ? 1 : 0);
    if (adds && !info(x.type.component).isFloat) bound = HUGE_VAL;
    if (!holds(x.type.component, bound)) return false;
    // The other element is of a matrix, or the same for all.
    std::string other;
    if (w.chance(2)) {
        const Matrix y = w.take(x.type, HUGE_VAL);
        other = w.chance(3) && info(x.type.component).hasArithmetic
                    ? w.text.constant(x.type.component, 3)
                    : y.id;
        bound = std::max({bound, y.bound, 3.0});
    }
    const std::string function = elementFunction(w, x.type.component, adds, !other.empty());
    return w.add(w.text.value(std::format("OpCooperativeMatrixPerElementOpNV {} {} {} {}",
                                          w.type(x.type), x.id, function, other)),
                 x.type, bound);
}

// With VK_EXT_cooperative_matrix_maintenance1, only elements of some rows or columns change.
std::string whereCoordinateSays(MatrixWriter& w, const Matrix& x, const std::string& index,
                                const std::string& scalar, const std::string& changed,
                                const std::string& element) {
    if (w.isNv || w.chance(2)) return changed;
    Text& text = w.text;
    text.need("CooperativeMatrixGetCoordinateEXT", "SPV_EXT_cooperative_matrix_maintenance1");
    const std::string u32 = text.type(kU32);
    const std::string pair = text.global("OpTypeVector " + u32 + " 2");
    const std::string at =
        text.value(std::format("OpCooperativeMatrixGetCoordinateEXT {} {} {}", pair, x.id, index));
    const std::string which =
        text.value(std::format("OpCompositeExtract {} {} {}", u32, at, w.pick(2)));
    const std::string isChosen = text.value(
        std::format("OpULessThan {} {} {}", w.boolean(), which, text.u32(1 + w.pick(16))));
    return text.value(std::format("OpSelect {} {} {} {}", scalar, isChosen, changed, element));
}

// A loop over the elements that an invocation holds, in a variable.
bool elementLoop(MatrixWriter& w) {
    const Matrix x = w.take(computable(w, w.pick(3)), HUGE_VAL);
    const bool isFloat = info(x.type.component).isFloat;
    const double bound = isFloat ? x.bound + 2 : HUGE_VAL;
    if (!holds(x.type.component, bound)) return false;
    Text& text = w.text;
    const std::string u32 = text.type(kU32), boolean = text.global("OpTypeBool");
    const std::string type = w.type(x.type), scalar = text.type(x.type.component);
    const std::string variable = text.local(text.global("OpTypePointer Function " + type));
    const std::string pointer = text.global("OpTypePointer Function " + scalar);
    text.line(std::format("OpStore {} {}", variable, x.id));
    const std::string length = text.value(
        std::format("OpCooperativeMatrixLength{} {} {}", w.isNv ? "NV" : "KHR", u32, type));
    const std::string before = text.block(), header = text.fresh(), body = text.fresh(),
                      next = text.fresh(), merge = text.fresh(), index = text.fresh(),
                      following = text.fresh();
    text.line("OpBranch " + header);
    text.label(header);
    text.line(
        std::format("{} = OpPhi {} {} {} {} {}", index, u32, text.u32(0), before, following, next));
    const std::string goes =
        text.value(std::format("OpULessThan {} {} {}", boolean, index, length));
    text.line(std::format("OpLoopMerge {} {} None", merge, next));
    text.line(std::format("OpBranchConditional {} {} {}", goes, body, merge));
    text.label(body);
    const std::string place =
        text.value(std::format("OpAccessChain {} {} {}", pointer, variable, index));
    const std::string element = text.value(std::format("OpLoad {} {}", scalar, place));
    const std::string changed =
        text.value(std::format("{} {} {} {}", isFloat ? "OpFAdd" : "OpIAdd", scalar, element,
                               text.constant(x.type.component, 2)));
    text.line(std::format("OpStore {} {}", place,
                          whereCoordinateSays(w, x, index, scalar, changed, element)));
    text.line("OpBranch " + next);
    text.label(next);
    text.line(std::format("{} = OpIAdd {} {} {}", following, u32, index, text.u32(1)));
    text.line("OpBranch " + header);
    text.label(merge);
    return w.add(text.value(std::format("OpLoad {} {}", type, variable)), x.type, bound);
}

constexpr MatrixStatement kCallStatements[] = {reduce, reduce, perElement, perElement, elementLoop};

}  // namespace

std::span<const MatrixStatement> callStatements() { return kCallStatements; }

}  // namespace coopvk::programs
