// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix2_glsl.hpp"

namespace coopvk::compare {

std::string reduceCall(GlslText& text, const Reduce& reduce, const std::string& type) {
    constexpr std::string_view kMasks[] = {"Row", "Column", "RowAndColumn", "2x2"};
    text.declare(type + " combine(const in " + type + " x, const in " + type + " y) { return " +
                 (reduce.by == Reduce::By::kGreatest ? "x > y ? x : y" : "x + y") + "; }");
    return "coopMatReduceNV(result, a, gl_CooperativeMatrixReduce" +
           std::string(kMasks[static_cast<size_t>(reduce.of)]) + "NV, combine);";
}

std::string perElementCall(GlslText& text, const std::string& type) {
    text.declare(type + " each(const in uint32_t row, const in uint32_t column, const in " + type +
                 " x, const in " + type + " more) {\n    return x + " + type + "(row * " +
                 std::to_string(kPerElementPitch) + "u + column) + more;\n}");
    return "coopMatPerElementNV(result, a, each, " + type + "(" + std::to_string(kPerElementMore) +
           "));";
}

}  // namespace coopvk::compare
