// SPDX-License-Identifier: Apache-2.0
#include "compare/report/html_page.hpp"

#include <format>

namespace coopvk::tool {
namespace {

constexpr std::string_view kStyle =
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; "
    "padding: 0 1em; color: #222; background: #fff }\n"
    "h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }\n"
    "table { border-collapse: collapse; font-size: 13px }\n"
    "th, td { border: 1px solid #ccc; padding: 3px 8px; text-align: left }\n"
    "figure { display: inline-block; margin: 0 1.5em 1em 0 } figcaption { font-size: 12px }\n"
    "svg { border: 1px solid #999; background: #f4f4f4 }\n";

}  // namespace

std::string escapeHtml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<') {
            out += "&lt;";
        } else if (c == '&') {
            out += "&amp;";
        } else if (c == '"') {
            out += "&quot;";
        } else {
            out += c;
        }
    }
    return out;
}

std::string htmlHead(std::string_view title, std::string_view style) {
    return std::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
        "<style>\n{}{}</style></head>\n<body>\n",
        escapeHtml(title), kStyle, style);
}

std::string heatColour(double heat) {
    return std::format("hsl({:.0f},90%,{:.0f}%)", 50 - 50 * heat, 62 - 34 * heat);
}

}  // namespace coopvk::tool
