// SPDX-License-Identifier: Apache-2.0
#include "matrix2_faults.hpp"

namespace coopvk::test {
namespace {

constexpr const char* kReduce = R"((.* = OpCooperativeMatrixReduce\w+ %\w+ %\w+ )(\S+) (%\w+))";

// The n-th parameter of a function; `at` is its line then.
std::optional<std::string> parameter(Text& text, const std::string& function, size_t n) {
    if (!text.find(function + " = OpFunction ")) return std::nullopt;
    const std::string pattern = R"((%\w+) = OpFunctionParameter )";
    const size_t begin = text.at;
    for (size_t i = 0;; ++i) {
        const auto found = text.find(pattern, i);
        if (!found) return std::nullopt;
        if (text.at == begin + 1 + n) return found->str(1);
    }
}

// Changes one constant operand of an instruction by `by`.
bool changeOperand(Text& text, const std::string& pattern, int by) {
    const auto found = text.find(pattern);
    if (!found) return false;
    const std::string before = found->str(1), after = found->str(3);
    const int value = std::stoi(found->str(2));
    text.replace(before + "%fault_number" + after);
    text.declare("%fault_number = OpConstant %uint " + std::to_string(value + by));
    return true;
}

}  // namespace

bool plantReduceDirection(Text& text) {
    const auto reduce = text.find(kReduce);
    if (!reduce || (reduce->str(2) != "Row" && reduce->str(2) != "Column")) return false;
    text.replace(reduce->str(1) + (reduce->str(2) == "Row" ? "Column" : "Row") + " " +
                 reduce->str(3));
    return true;
}

bool plantReduceTwice(Text& text) {
    const auto reduce = text.find(kReduce);
    if (!reduce) return false;
    const auto first = parameter(text, reduce->str(3), 0),
               second = parameter(text, reduce->str(3), 1);
    if (!first || !second) return false;
    const auto sum = text.find("(.* = Op[FI]Add %\\w+ )" + *first + " " + *second);
    if (!sum) return false;
    text.replace(sum->str(1) + *first + " " + *first);
    return true;
}

bool plantElementSwap(Text& text) {
    const auto call = text.find(R"( = OpCooperativeMatrixPerElementOp\w+ %\w+ %\w+ (%\w+))");
    if (!call) return false;
    const auto row = parameter(text, call->str(1), 0), column = parameter(text, call->str(1), 1);
    if (!row || !column) return false;
    declareLane(text);
    parameter(text, call->str(1), 3);
    ++text.at;  // the label
    insertLaneTest(text);
    text.insertAfter("%fault_row = OpSelect %uint %fault_here " + *column + " " + *row);
    text.insertAfter("%fault_column = OpSelect %uint %fault_here " + *row + " " + *column);
    text.rename(*row, "%fault_row");
    text.rename(*column, "%fault_column");
    return true;
}

bool plantClip(Text& text) {
    return changeOperand(text, R"((.* = OpTensorViewSetClipNV %\w+ %\w+ %\w+ )%uint_(\d+)(.*))",
                         -1);
}

bool plantSlice(Text& text) {
    return changeOperand(text, R"((.* = OpTensorLayoutSliceNV %\w+ %\w+ )%uint_(\d+)(.*))", -1);
}

bool plantDecodePlace(Text& text) {
    const auto load = text.find(R"( = OpCooperativeMatrixLoadTensorNV .*DecodeFunc.* (%\w+)$)");
    if (!load) return false;
    const auto inBlock = parameter(text, load->str(1), 2);
    if (!inBlock) return false;
    const auto last = text.find("(.* = OpCompositeExtract %\\w+ " + *inBlock + ") 1");
    if (!last) return false;
    text.replace(last->str(1) + " 0");
    return true;
}

}  // namespace coopvk::test
