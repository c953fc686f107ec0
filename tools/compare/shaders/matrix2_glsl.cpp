// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix2_glsl.hpp"

namespace coopvk::compare {
namespace {

// ", 1u, 2u"
std::string listOf(const TensorNumbers& numbers) {
    std::string list;
    for (const uint32_t number : numbers) list += ", " + std::to_string(number) + "u";
    return list;
}

// "b[0] * 4u + b[1] * 1u"
std::string weighted(const std::string& array, const TensorNumbers& factors) {
    std::string sum;
    for (size_t d = 0; d < factors.size(); ++d)
        sum += (d ? " + " : "") + array + "[" + std::to_string(d) + "] * " +
               std::to_string(factors[d]) + "u";
    return sum;
}

void declareView(GlslText& text, const TensorView& view) {
    std::string type =
        std::to_string(view.permutation.size()) + (view.dimension.empty() ? ", false" : ", true");
    for (const uint32_t place : view.permutation) type += ", " + std::to_string(place);
    text.line("tensorViewNV<" + type + "> view = createTensorViewNV(" + type + ");");
    if (!view.dimension.empty())
        text.line("view = setTensorViewDimensionsNV(view" + listOf(view.dimension) + ");");
    if (view.clip)
        text.line("view = setTensorViewClipNV(view" +
                  listOf({view.clip->row, view.clip->rows, view.clip->column, view.clip->columns}) +
                  ");");
}

// A value as what shaders compute with.
std::string wide(const ComponentName& of, const std::string& value) {
    return hasArithmetic(of.component) ? value : "float(" + value + ")";
}

}  // namespace

std::string reduceCall(GlslText& text, const Reduce& reduce, const ComponentName& of) {
    constexpr std::string_view kMasks[] = {"Row", "Column", "RowAndColumn", "2x2"};
    const std::string& type = of.type;
    const std::string x = wide(of, "x"), y = wide(of, "y");
    text.declare(type + " combine(const in " + type + " x, const in " + type + " y) { return " +
                 (reduce.by == Reduce::By::kGreatest ? x + " > " + y + " ? x : y"
                                                     : type + "(" + x + " + " + y + ")") +
                 "; }");
    return "coopMatReduceNV(result, a, gl_CooperativeMatrixReduce" +
           std::string(kMasks[static_cast<size_t>(reduce.of)]) + "NV, combine);";
}

std::string perElementCall(GlslText& text, const ComponentName& of) {
    const std::string& type = of.type;
    const std::string place = "row * " + std::to_string(kPerElementPitch) + "u + column";
    text.declare(type + " each(const in uint32_t row, const in uint32_t column, const in " + type +
                 " x, const in " + type + " more) {\n    return " + type + "(" + wide(of, "x") +
                 " + " + (hasArithmetic(of.component) ? type : "float") + "(" + place + ") + " +
                 wide(of, "more") + ");\n}");
    return "coopMatPerElementNV(result, a, each, " + type + "(" + std::to_string(kPerElementMore) +
           "));";
}

std::string tensorArguments(GlslText& text, const TensorAccess& access) {
    const TensorLayout& layout = access.layout;
    const std::string type = std::to_string(layout.dimensions()) + ", " +
                             std::to_string(static_cast<uint32_t>(layout.clamp));
    const auto set = [&](const std::string& function, const TensorNumbers& numbers) {
        text.line("tensor = " + function + "(tensor" + listOf(numbers) + ");");
    };
    text.line("tensorLayoutNV<" + type + "> tensor = createTensorLayoutNV(" + type + ");");
    if (layout.blockSize != TensorNumbers(layout.dimensions(), 1))
        set("setTensorLayoutBlockSizeNV", layout.blockSize);
    set("setTensorLayoutDimensionNV", layout.dimension);
    if (!layout.stride.empty()) set("setTensorLayoutStrideNV", layout.stride);
    TensorNumbers slices;
    for (size_t d = 0; d < layout.dimensions(); ++d)
        slices.insert(slices.end(), {layout.offset[d], layout.span[d]});
    set("sliceTensorLayoutNV", slices);
    if (layout.clamp == TensorClamp::kConstant)
        set("setTensorLayoutClampValueNV", {layout.clampValue});
    if (!access.view) return ", tensor";
    declareView(text, *access.view);
    return ", tensor, view";
}

std::string decodeFunction(GlslText& text, const TensorAccess& access, const ComponentName& of) {
    const std::string& type = of.type;
    const uint32_t mask = decodedMask(of.component);
    text.extension("GL_EXT_buffer_reference");
    const TensorLayout& layout = access.layout;
    const std::string array = "[" + std::to_string(layout.dimensions()) + "]";
    TensorNumbers places;
    for (uint32_t d = 0; d < layout.dimensions(); ++d) places.push_back(d + 1);
    text.declare(
        "layout(buffer_reference, std430, buffer_reference_align = 16) buffer Quants { uint "
        "words[4]; };");
    text.declare(type + " decode(const in Quants quants, const in uint32_t block" + array +
                 ", const in uint32_t inBlock" + array +
                 ") {\n    uint i = " + weighted("inBlock", packedStrides(layout.blockSize)) +
                 ";\n    uint b = " + weighted("block", places) +
                 ";\n    uint quant = (quants.words[i >> 2] >> (8 * (i & 3))) & 15;\n    uint v = "
                 "quant + 16 * i + 256 * (b & 3);\n    return " +
                 type + (mask ? "((v ^ v >> 4 ^ v >> 8) & " + std::to_string(mask) + ")" : "(v)") +
                 ";\n}");
    return ", decode";
}

}  // namespace coopvk::compare
