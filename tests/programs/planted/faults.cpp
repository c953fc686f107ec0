// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

namespace coopvk::programs {
namespace {

constexpr const char* kOne = "%planted_one = OpConstant %uint 1\n";
constexpr const char* kSame = "%planted_same = OpConstant %uint 0x4108\n";

const Fault kFaults[] = {
    // Which lane holds which element.
    {"LanesSwapped",
     {{"(%\\w+) = OpLoad %uint %coopvk_lane",
       "%planted = OpLoad %uint %coopvk_lane\n$1 = OpBitwiseXor %uint %planted %planted_one",
       kOne}},
     20},
    {"OtherLaneRead",
     {{"(%\\w+ = OpGroupNonUniformShuffle %\\w+ %\\w+ %\\w+) (%\\w+)",
       "%planted = OpBitwiseXor %uint $2 %planted_one\n$1 %planted", kOne}},
     20},
    {"ElementsSwapped", {{"(OpCompositeConstruct %\\w+) (%\\w+) (%\\w+)", "$1 $3 $2"}}, 40},
    {"OtherElement",
     {{"(OpCompositeExtract %(?:float|half|uint|int|uchar|char|ushort) %\\w+) 0$", "$1 1"}},
     40},
    // Addresses.
    {"StrideOneMore",
     {{"(%\\w+) = OpIMul %uint (%\\w+) (%uint_\\w+)",
       "%planted = OpIMul %uint $2 $3\n$1 = OpIAdd %uint %planted $2"}},
     40},
    {"OffsetOneMore",
     {{"(%\\w+) = OpIAdd %uint (%\\w+) (%\\w+)$",
       "%planted = OpIAdd %uint $2 $3\n$1 = OpIAdd %uint %planted %planted_one", kOne}},
     40},
    {"ClipOneMore",
     {{"OpULessThan ", "OpULessThanEqual "}, {"OpSLessThan ", "OpSLessThanEqual "}},
     40},
    {"RemainderForgotten", {{"= OpUMod %uint (%\\w+) %uint_\\w+", "= OpCopyObject %uint $1"}}, 40},
    // Products and sums.
    {"TermForgotten",
     {{"= OpExtInst (%\\w+ %\\w+) Fma (%\\w+) (%\\w+) (%\\w+)", "= OpExtInst $1 Fma $2 $2 $4"}},
     40},
    {"Subtracts", {{"= OpFAdd ", "= OpFSub "}}, 40},
    {"SignForgotten",
     {{"= OpBitFieldSExtract ", "= OpBitFieldUExtract "}, {"= OpSConvert ", "= OpUConvert "}},
     60},
    // Rounding: to even becomes towards zero.
    {"RoundsDown", {{"= OpIAdd %uint (%\\w+) %uint_32767\\b", "= OpIAdd %uint $1 %uint_0"}}, 40},
    // The last bit of a half.
    {"LastBitWrong",
     {{"(%\\w+) = OpBitwiseAnd %uint (%\\w+) %uint_65535\\b",
       "%planted = OpBitwiseAnd %uint $2 %uint_65535\n"
       "$1 = OpBitwiseXor %uint %planted %planted_one",
       kOne}},
     40},
    // Order of accesses.
    {"BarrierForgotten", {{"OpControlBarrier .*\n", ""}}, 40},
    {"NothingAvailable",
     {{"(OpControlBarrier %uint_2 %uint_2) %uint_24840\\b", "$1 %planted_same", kSame}},
     40},
    {"PrivateStore", {{"(OpStore .*) NonPrivatePointer", "$1"}}, 40},
    {"PrivateLoad", {{"(= OpLoad .*) NonPrivatePointer", "$1"}}, 40},
    {"StoreForgotten", {{"OpStore .*\n", ""}}, 40},
    {"AdditionNotAtomic",
     {{"(%\\w+) = OpAtomicCompareExchange (%\\w+) (%\\w+) %\\w+ %\\w+ %\\w+ (%\\w+) (%\\w+)",
       "OpStore $3 $4 NonPrivatePointer\n$1 = OpCopyObject $2 $5"}},
     20},
    // Control.
    {"BranchesExchanged",
     {{"OpBranchConditional (%\\w+) (%\\w+) (%\\w+)", "OpBranchConditional $1 $3 $2"}},
     40},
    {"ValuesExchanged", {{"= OpSelect (%\\w+ %\\w+) (%\\w+) (%\\w+)", "= OpSelect $1 $3 $2"}}, 40},
    {"PhiOfOnePath",
     {{"= OpPhi (%_arr\\w+) (%\\w+) (%\\w+) (%\\w+) (%\\w+)$", "= OpPhi $1 $2 $3 $2 $5"}},
     60},
};

const Fault kLongVectorFaults[] = {
    // Loops over components: the last one is left out, or all are the first one.
    {"LastComponentForgotten",
     {{"= OpULessThan (%bool %\\w+) %uint_(17|255|1024)$", "= OpULessThan $1 %uint_16"}},
     20},
    {"OtherComponent",
     {{"(= OpAccessChain %_ptr_Function_\\w+ %\\w+) %uint_1$", "$1 %uint_0"}},
     40},
    {"ComponentsSwapped", {{"(OpCompositeConstruct %\\w+) (%\\w+) (%\\w+)", "$1 $3 $2"}}, 40},
    {"StoreForgotten", {{"OpStore .*\n", ""}}, 20},
    {"Subtracts", {{"= OpIAdd (%(?!uint)\\w+)", "= OpISub $1"}, {"= OpFAdd ", "= OpFSub "}}, 20},
    {"ValuesExchanged", {{"= OpSelect (%\\w+ %\\w+) (%\\w+) (%\\w+)", "= OpSelect $1 $3 $2"}}, 20},
    {"BranchesExchanged",
     {{"OpBranchConditional (%\\w+) (%\\w+) (%\\w+)", "OpBranchConditional $1 $3 $2"}},
     20},
    {"BarrierForgotten", {{"OpControlBarrier .*\n", ""}}, 20},
};

}  // namespace

std::span<const Fault> longVectorFaults() { return kLongVectorFaults; }
std::span<const Fault> faults() { return kFaults; }

namespace {

// Calls f(begin, end) with each line that has the name of an instruction that the pattern has:
// regular expressions are slow.
template <typename F>
void forLines(const std::string& text, std::string_view pattern, F&& f) {
    const size_t op = pattern.find("Op");
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto end = std::find_if_not(pattern.begin() + std::ptrdiff_t(op), pattern.end(), letter);
    const std::string_view name(pattern.begin() + std::ptrdiff_t(op), end);
    for (size_t at = 0; (at = text.find(name, at)) != text.npos;) {
        const size_t before = text.rfind('\n', at);
        const size_t first = before == text.npos ? 0 : before + 1;
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
        f(text.begin() + std::ptrdiff_t(first), text.begin() + std::ptrdiff_t(at));
    }
}

}  // namespace

bool plant(const Fault& fault, std::string& text, check::Random& random) {
    struct Place {
        const Edit* edit;
        std::smatch match;
    };
    std::vector<Place> places;
    for (const Edit& edit : fault.edits) {
        const std::regex pattern(edit.pattern, std::regex::multiline);
        forLines(text, edit.pattern, [&](auto first, auto last) {
            for (std::sregex_iterator at(first, last, pattern), end; at != end; ++at)
                places.push_back({&edit, *at});
        });
    }
    if (places.empty()) return false;
    const Place& place = places[random.below(places.size())];
    std::string edited(text.cbegin(), place.match[0].first);
    edited += place.match.format(place.edit->replacement);
    edited.append(place.match[0].second, text.cend());
    const std::string uint = "%uint = OpTypeInt 32 0\n";
    if (const size_t at = edited.find(uint); at != std::string::npos)
        edited.insert(at + uint.size(), place.edit->declarations);
    text = edited;
    return true;
}

}  // namespace coopvk::programs
