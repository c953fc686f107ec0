// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops; whole programs on vectors.
#include "nesting.hpp"
#include "vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

}  // namespace

bool VectorWriter::branch() {
    if (depth_ >= kMostDepth) return false;
    const VectorType of = anyType();
    const Vector otherwise = take(of);
    const std::string yes = text.fresh(), merge = text.fresh(), isTrue = condition();
    const std::string before = text.block();
    const size_t count = live_.size();
    text.line(std::format("OpSelectionMerge {} None", merge));
    text.line(std::format("OpBranchConditional {} {} {}", isTrue, yes, merge));
    text.label(yes);
    ++depth_;
    statements(3);
    const Vector value = take(of);
    --depth_;
    const std::string last = text.block();
    live_.resize(count);
    text.line("OpBranch " + merge);
    text.label(merge);
    return make(std::format("OpPhi {} {} {} {} {}", type(of), value.id, last, otherwise.id, before),
                of, std::max(value.bound, otherwise.bound));
}

// x += y, in as many rounds as the invocation's number says.
bool VectorWriter::loop() {
    if (depth_ >= kMostDepth) return false;
    const VectorType of = anyType();
    const Vector start = take(of), y = take(of);
    const bool isFloat = info(of.component).isFloat;
    const double bound = isFloat ? start.bound + 4 * y.bound : HUGE_VAL;
    if (!holds(of.component, bound)) return false;
    const std::string u32 = text.type(kU32), boolean = text.global("OpTypeBool");
    const std::string rounds =
        chance(2) ? number(1 + pick(4))
                  : text.value(std::format("OpUMod {} {} {}", u32, invocation(), text.u32(4)));
    const std::string before = text.block(), header = text.fresh(), merge = text.fresh(),
                      index = text.fresh(), next = text.fresh(), x = text.fresh(),
                      sum = text.fresh();
    text.line("OpBranch " + header);
    text.label(header);
    text.line(
        std::format("{} = OpPhi {} {} {} {} {}", index, u32, text.u32(0), before, next, header));
    text.line(std::format("{} = OpPhi {} {} {} {} {}", x, type(of), start.id, before, sum, header));
    text.line(
        std::format("{} = {} {} {} {}", sum, isFloat ? "OpFAdd" : "OpIAdd", type(of), x, y.id));
    text.line(std::format("{} = OpIAdd {} {} {}", next, u32, index, text.u32(1)));
    const std::string goes = text.value(std::format("OpULessThan {} {} {}", boolean, next, rounds));
    text.line(std::format("OpLoopMerge {} {} None", merge, header));
    text.line(std::format("OpBranchConditional {} {} {}", goes, header, merge));
    text.label(merge);
    live_.push_back({sum, of, bound});
    return true;
}

bool VectorWriter::statement() {
    static constexpr Statement kStatements[] = {
        &VectorWriter::multiply,       &VectorWriter::multiply,      &VectorWriter::multiply,
        &VectorWriter::arithmetic,     &VectorWriter::arithmetic,    &VectorWriter::timesScalar,
        &VectorWriter::convert,        &VectorWriter::moveComponent, &VectorWriter::branch,
        &VectorWriter::insertConstant, &VectorWriter::loop,          &VectorWriter::reduceSum,
        &VectorWriter::outerProduct,   &VectorWriter::extreme,       &VectorWriter::negate,
        &VectorWriter::call,           &VectorWriter::composite,     &VectorWriter::composite,
        &VectorWriter::multiplyPacked,
    };
    return (this->*any(kStatements))();
}

Program vectorProgram(uint64_t seed, uint32_t lanes, Features features, Size size) {
    return VectorWriter(seed, lanes, features, size).program();
}

}  // namespace coopvk::programs
