// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix2_spirv.hpp"

#include "compare/shaders/function_text.hpp"

namespace coopvk::compare {
namespace {

void addExtension(ModuleText& text, std::string_view capability) {
    text.capability(capability);
    text.extension("SPV_NV_cooperative_matrix2");
}

// Two parameters, as what the function computes with.
std::string operands(ModuleText& text, FunctionText& function, Component component,
                     std::pair<size_t, size_t> parameters) {
    const std::string first =
        widened(text, function, component, function.parameter(parameters.first));
    return first + " " + widened(text, function, component, function.parameter(parameters.second));
}

std::string greatest(ModuleText& text, FunctionText& function, Component component) {
    const ComponentInfo& c = info(component);
    const std::string boolean = text.declare("bool", "OpTypeBool");
    const std::string pair = function.parameter(0) + " " + function.parameter(1);
    const std::string isGreater =
        function.line(c.isFloat()    ? "OpFOrdGreaterThan"
                      : c.isSigned() ? "OpSGreaterThan"
                                     : "OpUGreaterThan",
                      boolean, operands(text, function, component, {0, 1}));
    return function.line("OpSelect", text.component(component), isGreater + " " + pair);
}

}  // namespace

void addNv2Capability(ModuleText& text, std::string_view opcode, bool changesUse) {
    if (changesUse || opcode == "OpCooperativeMatrixConvertNV" ||
        opcode == "OpCooperativeMatrixTransposeNV")
        addExtension(text, "CooperativeMatrixConversionsNV");
}

std::string reduceOperands(ModuleText& text, const Reduce& reduce, Component component) {
    constexpr std::string_view kMasks[] = {"Row", "Column", "Row|Column", "2x2"};
    addExtension(text, "CooperativeMatrixReductionsNV");
    const std::string type = text.component(component);
    FunctionText combine(text, "combine", type, {type, type});
    const auto sum = [&] {
        return combine.line(info(component).isFloat() ? "OpFAdd" : "OpIAdd",
                            text.scalar(arithmeticOf(component)),
                            operands(text, combine, component, {0, 1}));
    };
    const std::string value = reduce.by == Reduce::By::kGreatest
                                  ? greatest(text, combine, component)
                                  : narrowed(text, combine, component, sum());
    return " " + std::string(kMasks[static_cast<size_t>(reduce.of)]) + " " + combine.end(value);
}

std::string perElementOperands(ModuleText& text, Component component) {
    addExtension(text, "CooperativeMatrixPerElementOperationsNV");
    const Component wide = arithmeticOf(component);
    const std::string type = text.component(component), wideType = text.scalar(wide),
                      u32 = text.u32();
    FunctionText each(text, "each", type, {u32, u32, type, type});
    const std::string add = info(component).isFloat() ? "OpFAdd" : "OpIAdd";
    const std::string row =
        each.line("OpIMul", u32, each.parameter(0) + " " + text.constant(kPerElementPitch));
    const std::string place = each.line("OpIAdd", u32, row + " " + each.parameter(1));
    const std::string number = fromInteger(text, each, wide, place);
    const std::string both = each.line(add, wideType, operands(text, each, component, {2, 3}));
    const std::string sum = each.line(add, wideType, both + " " + number);
    const std::string function = each.end(narrowed(text, each, component, sum));
    const uint64_t more =
        info(component).isFloat() ? encode(component, kPerElementMore) : uint64_t{kPerElementMore};
    return " " + function + " " + text.constant(component, more);
}

}  // namespace coopvk::compare
