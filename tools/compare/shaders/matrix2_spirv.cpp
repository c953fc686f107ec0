// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix2_spirv.hpp"

#include "compare/shaders/function_text.hpp"

namespace coopvk::compare {
namespace {

void addExtension(ModuleText& text, std::string_view capability) {
    text.capability(capability);
    text.extension("SPV_NV_cooperative_matrix2");
}

std::string greatest(ModuleText& text, FunctionText& function, Component component) {
    const ComponentInfo& c = info(component);
    const std::string boolean = text.declare("bool", "OpTypeBool");
    const std::string pair = function.parameter(0) + " " + function.parameter(1);
    const std::string isGreater = function.line(c.isFloat()    ? "OpFOrdGreaterThan"
                                                : c.isSigned() ? "OpSGreaterThan"
                                                               : "OpUGreaterThan",
                                                boolean, pair);
    return function.line("OpSelect", text.scalar(component), isGreater + " " + pair);
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
    const std::string type = text.scalar(component);
    FunctionText combine(text, "combine", type, {type, type});
    const std::string value =
        reduce.by == Reduce::By::kGreatest
            ? greatest(text, combine, component)
            : combine.line(info(component).isFloat() ? "OpFAdd" : "OpIAdd", type,
                           combine.parameter(0) + " " + combine.parameter(1));
    return " " + std::string(kMasks[static_cast<size_t>(reduce.of)]) + " " + combine.end(value);
}

std::string perElementOperands(ModuleText& text, Component component) {
    addExtension(text, "CooperativeMatrixPerElementOperationsNV");
    const std::string type = text.scalar(component), u32 = text.u32();
    FunctionText each(text, "each", type, {u32, u32, type, type});
    const std::string add = info(component).isFloat() ? "OpFAdd" : "OpIAdd";
    const std::string row =
        each.line("OpIMul", u32, each.parameter(0) + " " + text.constant(kPerElementPitch));
    const std::string place = each.line("OpIAdd", u32, row + " " + each.parameter(1));
    const std::string number = fromInteger(text, each, component, place);
    const std::string sum = each.line(add, type, each.parameter(2) + " " + number);
    const std::string function = each.end(each.line(add, type, sum + " " + each.parameter(3)));
    const uint64_t more =
        info(component).isFloat() ? encode(component, kPerElementMore) : uint64_t{kPerElementMore};
    return " " + function + " " + text.constant(component, more);
}

}  // namespace coopvk::compare
