// SPDX-License-Identifier: Apache-2.0
//
// The assembly languages of Mesa's drivers: how to read a line, and the kind of its instruction.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "code.hpp"

namespace coopvk::fleet {
namespace {

constexpr std::string_view kBlank = " \t\r";

}  // namespace

std::string_view trim(std::string_view text) {
    const size_t first = text.find_first_not_of(kBlank);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

namespace {

// The next word, which is taken off the text.
std::string_view takeWord(std::string_view& text) {
    text = trim(text);
    const std::string_view word = text.substr(0, text.find_first_of(kBlank));
    text.remove_prefix(word.size());
    return word;
}

template <typename Take>
void forEachLine(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        take(line);
    }
}

// AMD's, as LLVM and CLRXdisasm write it: "BB3:", then "\tv_fma_f32 v1, v2, v3, v4 ; words".
Code readAmd(std::string_view text) {
    Code code;
    forEachLine(text, [&](std::string_view line) {
        line = trim(line.substr(0, line.find(';')));
        if (line.starts_with("BB") && line.ends_with(":")) {
            code.labels.emplace(line.substr(0, line.size() - 1), code.instructions.size());
            return;
        }
        bool issued = true;
        while (!line.empty()) {  // two instructions in one: "v_dual_a ... :: v_dual_b ..."
            const size_t pair = line.find("::");
            std::string_view one = line.substr(0, pair);
            line.remove_prefix(pair == line.npos ? line.size() : pair + 2);
            Instruction instruction{std::string(takeWord(one)), 1, issued, {}};
            if (instruction.name.empty()) continue;
            if (instruction.name.starts_with("s_branch") ||
                instruction.name.starts_with("s_cbranch"))
                instruction.target = takeWord(one);
            code.instructions.push_back(std::move(instruction));
            issued = false;
        }
    });
    return code;
}

constexpr Row kAmdRows[] = {
    {"v_fma_mix", Kind::kMultiplyAdd, 1},
    {"v_mad_mix", Kind::kMultiplyAdd, 1},
    {"v_pk_fma", Kind::kMultiplyAdd, 2},
    {"v_pk_mad", Kind::kMultiplyAdd, 2},
    {"v_pk_mac", Kind::kMultiplyAdd, 2},
    {"v_pk_mul_lo", Kind::kMultiplyAdd, 2},
    {"v_fma", Kind::kMultiplyAdd, 1},
    {"v_mac_f", Kind::kMultiplyAdd, 1},
    {"v_mad_", Kind::kMultiplyAdd, 1},
    {"v_madak", Kind::kMultiplyAdd, 1},
    {"v_madmk", Kind::kMultiplyAdd, 1},
    // Products of integers whose sum is an instruction of its own.
    {"v_mul_lo", Kind::kMultiplyAdd, 1},
    {"v_mul_i32_i24", Kind::kMultiplyAdd, 1},
    {"v_mul_u32_u24", Kind::kMultiplyAdd, 1},
    {"v_dual_fma", Kind::kMultiplyAdd, 1},
    {"v_dual_dot2", Kind::kMultiplyAdd, 2},
    {"v_dot2", Kind::kMultiplyAdd, 2},
    {"v_dot4", Kind::kMultiplyAdd, 4},
    {"v_dot8", Kind::kMultiplyAdd, 8},
    {"v_wmma", Kind::kMultiplyAdd, 128},  // a lane's share of 16x16x16, with 32 lanes
    {"v_cvt", Kind::kConversion, 0},
    {"v_", Kind::kOther, 0},
};

// Adreno's, as ir3's assembler reads it: "l3:", then "(ss)(rpt1)mad.f32 r0.x, r1.x, r2.x, r0.x".
Code readAdreno(std::string_view text) {
    Code code;
    forEachLine(text, [&](std::string_view line) {
        line = trim(line);
        if (line.empty() || line.front() == ';' || line.front() == '@') return;
        if (line.front() == 'l' && line.back() == ':') {
            code.labels.emplace(line.substr(0, line.size() - 1), code.instructions.size());
            return;
        }
        Instruction instruction;
        while (line.starts_with('(')) {
            if (line.starts_with("(rpt"))
                instruction.times = static_cast<uint32_t>(line[4] - '0') + 1;
            line.remove_prefix(std::min(line.size(), line.find(')') + 1));
            line = trim(line);
        }
        if (const size_t target = line.find("#l"); target != line.npos)
            instruction.target = trim(line.substr(target + 1));
        instruction.name = takeWord(line);
        if (!instruction.name.ends_with(':')) code.instructions.push_back(std::move(instruction));
    });
    return code;
}

constexpr Row kAdrenoRows[] = {
    {"mad.", Kind::kMultiplyAdd, 1},
    {"mull.u", Kind::kMultiplyAdd, 1},  // of the three that multiply 32-bit integers
    {"mul.s24", Kind::kMultiplyAdd, 1},
    {"mul.u24", Kind::kMultiplyAdd, 1},
    {"dp4acc", Kind::kMultiplyAdd, 4},
    {"dp2acc", Kind::kMultiplyAdd, 2},
    {"cov", Kind::kConversion, 0},
    {"Native", Kind::kNotVector, 0},  // the heading
    {"nop", Kind::kNotVector, 0},
    {"br", Kind::kNotVector, 0},
    {"jump", Kind::kNotVector, 0},
    {"bar.", Kind::kNotVector, 0},
    {"fence", Kind::kNotVector, 0},
    {"end", Kind::kNotVector, 0},
    {"sh", Kind::kOther, 0},
    {"st", Kind::kNotVector, 0},
    {"ld", Kind::kNotVector, 0},
    {"isam", Kind::kNotVector, 0},
    {"sam", Kind::kNotVector, 0},
    {"resinfo", Kind::kNotVector, 0},
    {"atomic", Kind::kNotVector, 0},
    {"getone", Kind::kNotVector, 0},
    {"pred", Kind::kNotVector, 0},
    {"kill", Kind::kNotVector, 0},
    {"", Kind::kOther, 0},
};

// NVIDIA's, as NAK prints it: "block.u 3 L4 [2] -> {", then "r1 = ffma r2 r3 r1 // delay=1".
Code readNvidia(std::string_view text) {
    Code code;
    forEachLine(text, [&](std::string_view line) {
        line = trim(line.substr(0, line.find("//")));
        if (line.starts_with("block")) {
            takeWord(line), takeWord(line);
            code.labels.emplace(takeWord(line), code.instructions.size());
            return;
        }
        if (line.empty() || line.front() == '}') return;
        if (line.front() == '@') takeWord(line);
        line = trim(line);
        Instruction instruction;
        if (const size_t equals = line.find(" = "); equals != line.npos) {
            // Values that all lanes share are computed once, outside of the vector units.
            if (line.front() == 'u') instruction.name = "uniform ";
            line.remove_prefix(equals + 3);
        }
        const std::string_view name = takeWord(line);
        instruction.name += name;
        if (name.starts_with("bra"))
            for (line = trim(line); !line.empty(); line = trim(line))
                instruction.target = takeWord(line);
        code.instructions.push_back(std::move(instruction));
    });
    return code;
}

constexpr Row kNvidiaRows[] = {
    {"uniform", Kind::kNotVector, 0},
    {"ffma", Kind::kMultiplyAdd, 1},
    {"dfma", Kind::kMultiplyAdd, 1},
    {"hfma2", Kind::kMultiplyAdd, 2},
    {"imad", Kind::kMultiplyAdd, 1},
    {"idp4", Kind::kMultiplyAdd, 4},
    {"hmma.m16n8k16", Kind::kMultiplyAdd, 64},  // a lane's share of 16x8x16
    {"hmma.m16n8k8", Kind::kMultiplyAdd, 32},
    {"f2f", Kind::kConversion, 0},
    {"f2i", Kind::kConversion, 0},
    {"i2f", Kind::kConversion, 0},
    {"hadd2.f32", Kind::kConversion, 0},  // f16 to f32
    {"ld", Kind::kNotVector, 0},
    {"st.", Kind::kNotVector, 0},
    {"atom", Kind::kNotVector, 0},
    {"s2", Kind::kNotVector, 0},
    {"b", Kind::kNotVector, 0},  // branches, barriers
    {"membar", Kind::kNotVector, 0},
    {"exit", Kind::kNotVector, 0},
    {"nop", Kind::kNotVector, 0},
    {"warpsync", Kind::kNotVector, 0},
    {"", Kind::kOther, 0},
};

// Where an instruction of Apple's may jump: its own address and so many bytes.
std::string jumpTarget(uint32_t address, std::string_view operands) {
    int32_t offset = 0;
    const std::string_view word = trim(operands);
    std::from_chars(word.data(), word.data() + word.size(), offset);
    return std::to_string(static_cast<int64_t>(address) + offset);
}

// Apple's, as agx prints it among other texts: "  24a: 9a0d02c21400 ffma r0, r1, r2, r0". Of
// several programs (a preamble comes along) the longest counts.
Code readApple(std::string_view text) {
    Code longest, code;
    uint32_t before = 0;
    const auto finish = [&] {
        if (code.instructions.size() > longest.instructions.size()) longest = std::move(code);
        code = {};
    };
    forEachLine(text, [&](std::string_view line) {
        line = trim(line);
        const size_t colon = line.find(": ");
        uint32_t address = 0;
        const auto parsed = std::from_chars(line.data(), line.data() + line.size(), address, 16);
        if (colon == line.npos || parsed.ptr != line.data() + colon) return;
        if (address < before) finish();
        before = address;
        line.remove_prefix(colon + 1);
        takeWord(line);
        Instruction instruction{std::string(takeWord(line)), 1, true, {}};
        if (instruction.name.starts_with("jmp")) instruction.target = jumpTarget(address, line);
        code.labels.emplace(std::to_string(address), code.instructions.size());
        code.instructions.push_back(std::move(instruction));
    });
    finish();
    return longest;
}

constexpr Row kAppleRows[] = {
    {"ffma", Kind::kMultiplyAdd, 1},
    {"hfma", Kind::kMultiplyAdd, 1},
    {"imad", Kind::kMultiplyAdd, 1},
    {"convert", Kind::kConversion, 0},
    {"wait", Kind::kNotVector, 0},
    {"load", Kind::kNotVector, 0},
    {"store", Kind::kNotVector, 0},
    {"lload", Kind::kNotVector, 0},
    {"lstore", Kind::kNotVector, 0},
    {"stack_", Kind::kNotVector, 0},
    {"atomic", Kind::kNotVector, 0},
    {"barrier", Kind::kNotVector, 0},
    {"stop", Kind::kNotVector, 0},
    {"jmp", Kind::kNotVector, 0},
    {"pop_exec", Kind::kNotVector, 0},
    {"if_", Kind::kNotVector, 0},
    {"else_", Kind::kNotVector, 0},
    {"while", Kind::kNotVector, 0},
    {"", Kind::kOther, 0},
};

constexpr Dialect kDialects[] = {
    {"Assembly", readAmd, kAmdRows},
    {"IR3 Assembly", readAdreno, kAdrenoRows},
    {"NAK assembly", readNvidia, kNvidiaRows},
    {"printed", readApple, kAppleRows},
};

}  // namespace

const Dialect* dialectOf(std::string_view representation) {
    const auto* dialect = std::ranges::find(kDialects, representation, &Dialect::representation);
    return dialect == std::ranges::end(kDialects) ? nullptr : dialect;
}

}  // namespace coopvk::fleet
