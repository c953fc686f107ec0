// SPDX-License-Identifier: Apache-2.0
#include "rewrite/specialization.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

namespace coopvk::tool {
namespace {

using rewrite::Error;
using rewrite::ErrorCode;

struct Type {
    std::string_view name;
    size_t size;
    enum class Kind { kBool, kSigned, kUnsigned, kFloat } kind;
};

constexpr Type kTypes[] = {
    {"bool", 4, Type::Kind::kBool},    {"s8", 1, Type::Kind::kSigned},
    {"u8", 1, Type::Kind::kUnsigned},  {"s16", 2, Type::Kind::kSigned},
    {"u16", 2, Type::Kind::kUnsigned}, {"s32", 4, Type::Kind::kSigned},
    {"u32", 4, Type::Kind::kUnsigned}, {"s64", 8, Type::Kind::kSigned},
    {"u64", 8, Type::Kind::kUnsigned}, {"f32", 4, Type::Kind::kFloat},
    {"f64", 8, Type::Kind::kFloat},
};

template <typename T>
std::optional<T> parseWhole(std::string_view text) {
    T value{};
    const char* end = text.data() + text.size();
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<T>) {
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        result = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    } else {
        result = std::from_chars(text.data(), end, value);
    }
    if (result.ec != std::errc() || result.ptr != end || text.empty()) return std::nullopt;
    return value;
}

const Type* findType(std::string_view name) {
    const auto* type = std::ranges::find(kTypes, name, &Type::name);
    return type == std::ranges::end(kTypes) ? nullptr : type;
}

const Type* guessType(std::string_view value) {
    if (value == "true" || value == "false") return findType("bool");
    if (value.starts_with("0x") || value.starts_with("0X")) return findType("u32");
    if (value.find_first_of(".eE") != std::string_view::npos) return findType("f32");
    return findType(value.starts_with("-") ? "s32" : "u32");
}

// The value's bits, in the low bytes.
std::optional<uint64_t> parseBits(const Type& type, std::string_view text) {
    const size_t width = type.size * 8;
    switch (type.kind) {
        case Type::Kind::kBool:
            if (text == "true" || text == "1") return 1;
            if (text == "false" || text == "0") return 0;
            return std::nullopt;
        case Type::Kind::kSigned: {
            const auto value = parseWhole<int64_t>(text);
            const int64_t limit = std::numeric_limits<int64_t>::max() >> (64 - width);
            if (!value || *value > limit || *value < -limit - 1) return std::nullopt;
            return static_cast<uint64_t>(*value);
        }
        case Type::Kind::kUnsigned: {
            const auto value = parseWhole<uint64_t>(text);
            if (!value || *value > std::numeric_limits<uint64_t>::max() >> (64 - width)) {
                return std::nullopt;
            }
            return value;
        }
        case Type::Kind::kFloat:
            break;
    }
    if (width == 32) {
        const auto value = parseWhole<float>(text);
        if (!value) return std::nullopt;
        return std::bit_cast<uint32_t>(*value);
    }
    const auto value = parseWhole<double>(text);
    if (!value) return std::nullopt;
    return std::bit_cast<uint64_t>(*value);
}

}  // namespace

rewrite::Result<SpecializationValue> parseSpecialization(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return Error{ErrorCode::kInvalidArgument,
                     "--spec " + std::string(text) + ": " + std::string(why)};
    };
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return wrong("want ID=VALUE");
    std::string_view number = text.substr(equals + 1);
    const auto id = parseWhole<uint32_t>(text.substr(0, equals));
    if (!id) return wrong("the constant's id is no number");
    const Type* type = nullptr;
    if (const size_t colon = number.find(':'); colon != std::string_view::npos) {
        type = findType(number.substr(colon + 1));
        number = number.substr(0, colon);
    } else {
        type = guessType(number);
    }
    if (type == nullptr) return wrong("unknown type");
    const auto bits = parseBits(*type, number);
    if (!bits) return wrong("no value of type " + std::string(type->name));
    SpecializationValue value;
    value.constantId = *id;
    value.size = type->size;
    std::memcpy(value.bytes.data(), &*bits, sizeof(*bits));  // little endian, as SPIR-V hosts are
    return value;
}

std::vector<uint32_t> specializationIds(std::span<const uint32_t> words) {
    constexpr size_t kHeaderWords = 5;
    std::vector<uint32_t> ids;
    for (size_t i = kHeaderWords; i < words.size();) {
        const size_t size = words[i] >> spv::WordCountShift;
        if (size == 0 || size > words.size() - i) break;  // the rewriter says what is wrong
        const bool isDecoration = (words[i] & spv::OpCodeMask) == uint32_t(spv::Op::OpDecorate);
        if (isDecoration && size == 4 && words[i + 2] == uint32_t(spv::Decoration::SpecId))
            ids.push_back(words[i + 3]);
        i += size;
    }
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

}  // namespace coopvk::tool
