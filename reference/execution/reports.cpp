// SPDX-License-Identifier: Apache-2.0
//
// What reaches the reporter: reports, with names and values, and messages of
// NonSemantic.DebugPrintf.
#include <spirv-tools/libspirv.h>

#include <cstdio>

#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

// Of an instruction that executes; in a function without lines, of the call.
std::string lineOf(const Subgroup& s) {
    std::string line = lineAt(*s.program, s.at->word);
    for (size_t frame = s.frames.size(); line.empty() && frame-- > 1;) {
        const Frame& caller = s.frames[frame - 1];
        const auto& instructions = caller.function->blocks[caller.block].instructions;
        line = lineAt(*s.program, instructions[caller.position - 1].word);
    }
    return line;
}

// Name of the instruction, its result, and its line of source.
std::string nameOf(const Program& program, const Instruction& i, const std::string& line) {
    std::string text = std::format("Op{}", spvOpcodeString(uint32_t(i.opcode)));
    if (i.resultId != 0) text += std::format(" %{}", i.resultId);
    const std::string* name = valueIn(program.names, i.resultId);
    if (name != nullptr && !name->empty()) text += std::format(" ({})", *name);
    return line.empty() ? text : text + " at " + line;
}

// Of a pointer the place, of a composite the first component.
std::string valueOf(const Value& value, uint32_t lane) {
    const uint32_t last = value.components() - 1;
    const bool pointer = value.type->kind == Kind::kPointer;
    const auto [bits, defined, unused] = value.get(pointer ? last : 0, lane);
    if (!defined) return "undefined";
    if (pointer) return std::format("byte {}", int64_t(bits));
    if (value.type->isImage()) return value.type->kind == Kind::kSampler ? "a sampler" : "an image";
    const Type& scalar = scalarOf(*value.type);
    const char* more = last > 0 ? ", ..." : "";
    if (scalar.kind == Kind::kFloat)
        return std::to_string(numbers::decodeDouble(numberOf(scalar), bits)) + more;
    return scalar.isSigned ? std::format("{}{}", signExtend(bits, scalar.width), more)
                           : std::format("{}{}", bits, more);
}

// Values of the first operands in a lane.
std::string operandsOf(const Subgroup& s, uint32_t lane) {
    constexpr int kMost = 4;
    std::string text;
    int count = 0;
    for (const Operand& operand : s.at->operands) {
        if (operand.slot == kNone || !s.mask.test(lane) || count == kMost) continue;
        const Value value = s.values[operand.slot];
        if (value.components() == 0) continue;
        text += std::format("{} %{} = {}", count++ == 0 ? " with" : ",", operand.word,
                            valueOf(value, lane));
    }
    return text;
}

// One number, by a conversion such as "%8.3f".
std::string number(const Type& scalar, uint64_t bits, const std::string& flags, char conversion) {
    std::array<char, 64> text{};
    const auto print = [&](const char* size, auto value) {
        const std::string format = "%" + flags + size + conversion;
        std::snprintf(text.data(), text.size(), format.c_str(), value);
    };
    if (scalar.kind == Kind::kFloat)
        print("", numbers::decodeDouble(numberOf(scalar), bits));
    else if (conversion == 'd' || conversion == 'i')
        print("ll", static_cast<long long>(signExtend(bits, scalar.width)));
    else
        print("ll", static_cast<unsigned long long>(bits));
    return text.data();
}

// What a conversion says, without the percent sign.
struct Conversion {
    std::string flags;
    uint32_t components = 1;
    char letter = 0;
};

Conversion conversionAt(const std::string& format, size_t& at) {
    const size_t last = std::min(format.find_first_not_of("0123456789.+-# v", at), format.size());
    const size_t end = std::min(format.find_first_not_of('l', last), format.size());
    Conversion conversion{format.substr(at, last - at), 1,
                          end < format.size() ? format[end] : '\0'};
    at = std::min(end + 1, format.size());
    std::string& flags = conversion.flags;
    if (const size_t v = flags.find('v'); v != flags.npos && v + 1 < flags.size()) {
        conversion.components = uint32_t(flags[v + 1] - '0');
        flags.erase(v, 2);
    }
    if (conversion.letter == 'u' && at < format.size() && format[at] == 'l') ++at;  // "%ul"
    return conversion;
}

bool fits(const Conversion& conversion, const Value& value) {
    const bool isFloat = scalarOf(*value.type).kind == Kind::kFloat;
    const std::string_view letters = isFloat ? "aAeEfFgG" : "diouxX";
    return letters.find(conversion.letter) != std::string_view::npos &&
           conversion.components <= value.components();
}

// Operands: the format's string, values.
void print(Subgroup& s) {
    const std::string* found = valueIn(s.program->strings, s.word(0));
    if (found == nullptr) return;
    const std::string& format = *found;
    s.mask.forEach([&](uint32_t lane) {
        std::string text;
        uint32_t operand = 1;
        for (size_t at = 0; at < format.size();) {
            const char letter = format[at++];
            if (letter != '%' || format[at] == '%') {  // a 0 ends the string
                at += letter == '%' ? 1 : 0;
                text += letter;
                continue;
            }
            const Conversion conversion = conversionAt(format, at);
            if (operand >= s.operands() || s.slot(operand) == kNone) break;
            const Value& value = s.operand(operand++);
            if (!fits(conversion, value)) continue;
            for (uint32_t c = 0; c < conversion.components; ++c)
                text += (c > 0 ? ", " : "") + number(scalarOf(*value.type, c), value.at(c, lane),
                                                     conversion.flags, conversion.letter);
        }
        s.group->sink->print(text);
    });
}

constexpr OpcodeRow kPrintRows[] = {row<print>(kPrintfSet + 1)};

}  // namespace

Rows printRows() { return kPrintRows; }

std::string lineAt(const Program& program, uint32_t word) {
    const auto after =
        std::upper_bound(program.lines.begin(), program.lines.end(), word,
                         [](uint32_t at, const auto& line) { return at < line.first; });
    return after != program.lines.begin() ? (after - 1)->second : "";
}

const char* checkName(Check check) {
    constexpr const char* kNames[] = {"races",      "unwritten", "bounds",
                                      "undefined",  "domain",    "divergence",
                                      "uniformity", "program",   "dependencies"};
    return kNames[std::countr_zero(uint32_t(check))];
}

std::string describe(const Report& r) {
    return std::format("{}: {}; {}", checkName(r.check), r.message, describePlace(r));
}

std::string describePlace(const Report& r) {
    return std::format("{} (word {}), workgroup {},{},{}, subgroup {}, lane {}", r.instruction,
                       r.word, r.workgroup[0], r.workgroup[1], r.workgroup[2], r.subgroup, r.lane);
}

bool Subgroup::checks(Check check) const {
    return group != nullptr && (group->settings->checks & check) != 0;
}

void Subgroup::report(Check check, uint32_t lane, std::string message, uint32_t otherWord) {
    if (!checks(check) || !group->sink->takes(check, at->word)) return;
    if (check == kCheckUndefined && lastOutside != nullptr)
        message += std::format(" (the last such result: {} in {})", lastWhat,
                               nameOf(*program, *lastOutside, lineAt(*program, lastOutside->word)));
    Report report = placeOf(lane);
    report.check = check;
    report.otherWord = otherWord;
    report.message = std::move(message);
    group->sink->report(report);
}

Report Subgroup::placeOf(uint32_t lane) const {
    const std::string line = lineOf(*this);
    return {.opcode = uint32_t(at->opcode),
            .resultId = at->resultId,
            .word = at->word,
            .line = line,
            .instruction = nameOf(*program, *at, line) + operandsOf(*this, lane),
            .workgroup = group->id,
            .subgroup = index,
            .lane = lane};
}

void Subgroup::noteOutside(uint32_t component, uint32_t lane, const char* what) {
    if (!checks(kCheckUndefined)) return;
    if (group->settings->symbols != nullptr) {
        // To a proof the undefined result of a function is one that equal instructions share; and
        // how far data shift is a matter of the terms, not of the sample.
        const bool isShift = at->opcode == OpShiftLeftLogical ||
                             at->opcode == OpShiftRightLogical ||
                             at->opcode == OpShiftRightArithmetic;
        if (isShift ? operand(1).deviationAt(component, lane) != 0
                    : at->opcode == OpExtInst && scalarOf(*at->type).kind == Kind::kFloat)
            return;
    }
    outside.emplace_back(component, lane);
    lastOutside = at;
    lastWhat = what;
}

uint64_t Subgroup::uniform(uint32_t n) {
    // Where all subgroups have met, all have the operand of the first one.
    if (phase == 0 || group->subgroups[0].mask.none()) {
        uses({kEventUniform, n});
    } else {
        const Moment other(group->subgroups[0]);
        uses({kEventUniform, n, 0, 0, &other});
    }
    return first(n);
}

}  // namespace coopvk::reference
