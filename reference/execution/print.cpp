// SPDX-License-Identifier: Apache-2.0
//
// NonSemantic.DebugPrintf: printf's conversions, with v2 to v4 for vectors ("%v3f") and l for 64
// bits.
#include <array>
#include <cstdio>

#include "execution/map.hpp"
#include "execution/opcode_table.hpp"
#include "execution/report_sink.hpp"

namespace coopvk::reference {

namespace {

// One number, by a conversion such as "%8.3f".
std::string number(const Type& scalar, uint64_t bits, const std::string& flags, char conversion) {
    std::array<char, 64> text{};
    const std::string format = "%" + flags;
    if (scalar.kind == Kind::kFloat) {
        const double value = numbers::decodeDouble(numberOf(scalar), bits);
        std::snprintf(text.data(), text.size(), (format + conversion).c_str(), value);
    } else if (conversion == 'd' || conversion == 'i') {
        const auto value = static_cast<long long>(signExtend(bits, scalar.width));
        std::snprintf(text.data(), text.size(), (format + "lld").c_str(), value);
    } else {
        const auto value = static_cast<unsigned long long>(bits);
        std::snprintf(text.data(), text.size(), (format + "ll" + conversion).c_str(), value);
    }
    return text.data();
}

// What a conversion says, without the percent sign.
struct Conversion {
    std::string flags;
    uint32_t components = 1;
    char letter = 0;
};

Conversion conversionAt(const std::string& format, size_t& at) {
    Conversion conversion;
    while (at < format.size()) {
        const char letter = format[at++];
        if (letter == 'v' && at < format.size()) {
            conversion.components = static_cast<uint32_t>(format[at++] - '0');
        } else if (std::string_view("0123456789.+-# ").find(letter) != std::string_view::npos) {
            conversion.flags += letter;
        } else if (letter != 'l') {
            conversion.letter = letter;
            break;
        }
    }
    if (at < format.size() && format[at] == 'l' && conversion.letter == 'u') ++at;  // "%ul"
    return conversion;
}

bool fits(const Conversion& conversion, const Value& value) {
    const bool isFloat = scalarOf(*value.type).kind == Kind::kFloat;
    const std::string_view letters = isFloat ? "aAeEfFgG" : "diouxX";
    return letters.find(conversion.letter) != std::string_view::npos &&
           conversion.components <= value.components() && conversion.flags.size() < 16;
}

// Operands: the format's string, values.
Step print(Subgroup& s, const Instruction& i) {
    const auto found = s.program->strings.find(i[0].word);
    if (found == s.program->strings.end()) return Step::kNext;
    const std::string& format = found->second;
    s.mask.forEach([&](uint32_t lane) {
        std::string text;
        uint32_t operand = 1;
        for (size_t at = 0; at < format.size();) {
            const char letter = format[at++];
            if (letter != '%' || (at < format.size() && format[at] == '%')) {
                at += letter == '%' ? 1 : 0;
                text += letter;
                continue;
            }
            const Conversion conversion = conversionAt(format, at);
            if (operand >= i.operands.size() || i[operand].slot == kNone) break;
            const Value value = s.operand(i, operand++);
            if (!fits(conversion, value)) continue;
            for (uint32_t c = 0; c < conversion.components; ++c)
                text += (c > 0 ? ", " : "") + number(scalarOf(*value.type, c), value.at(c, lane),
                                                     conversion.flags, conversion.letter);
        }
        s.group->sink->print(text);
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {{kPrintfSet + 1, print}};

}  // namespace

Rows printRows() { return kRows; }

}  // namespace coopvk::reference
