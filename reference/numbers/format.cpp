// SPDX-License-Identifier: Apache-2.0
#include "numbers/format.hpp"

#include <algorithm>
#include <iterator>

namespace coopvk::reference::numbers {
namespace {

constexpr Family kFloat = Family::floating;
constexpr Family kSigned = Family::signedFixed;
constexpr Family kUnsigned = Family::unsignedFixed;

// Vulkan: VkComponentTypeKHR. Encodings: SPV_KHR_bfloat16, SPV_EXT_float8 and
// SPV_EXT_ocp_microscaling_types, "FP Encoding".
constexpr Format kFormats[] = {
    // name, Vulkan, encoding, family, bits, exponent, mantissa, bias, specials
    {"f16", 0, kNoValue, kFloat, 16, 5, 10, 15, Specials::ieee},
    {"f32", 1, kNoValue, kFloat, 32, 8, 23, 127, Specials::ieee},
    {"f64", 2, kNoValue, kFloat, 64, 11, 52, 1023, Specials::ieee},
    {"bf16", 1000141000, 0, kFloat, 16, 8, 7, 127, Specials::ieee},
    {"e4m3", 1000491002, 4214, kFloat, 8, 4, 3, 7, Specials::allOnes},
    {"e5m2", 1000491003, 4215, kFloat, 8, 5, 2, 15, Specials::ieee},
    {"e2m1", 1000672002, 4225, kFloat, 4, 2, 1, 1, Specials::none},
    {"e2m3", 1000672000, 4223, kFloat, 6, 2, 3, 1, Specials::none},
    {"e3m2", 1000672001, 4224, kFloat, 6, 3, 2, 3, Specials::none},
    {"e8m0", 1000672003, 4226, kFloat, 8, 8, 0, 127, Specials::allOnes},
    {"mxint8", 1000672004, 4227, kSigned, 8, 0, 6, 0, Specials::none},
    {"s4", kNoValue, kNoValue, kSigned, 4, 0, 0, 0, Specials::none},
    {"s8", 3, kNoValue, kSigned, 8, 0, 0, 0, Specials::none},
    {"s16", 4, kNoValue, kSigned, 16, 0, 0, 0, Specials::none},
    {"s32", 5, kNoValue, kSigned, 32, 0, 0, 0, Specials::none},
    {"s64", 6, kNoValue, kSigned, 64, 0, 0, 0, Specials::none},
    {"u4", kNoValue, kNoValue, kUnsigned, 4, 0, 0, 0, Specials::none},
    {"u8", 7, kNoValue, kUnsigned, 8, 0, 0, 0, Specials::none},
    {"u16", 8, kNoValue, kUnsigned, 16, 0, 0, 0, Specials::none},
    {"u32", 9, kNoValue, kUnsigned, 32, 0, 0, 0, Specials::none},
    {"u64", 10, kNoValue, kUnsigned, 64, 0, 0, 0, Specials::none},
};

// VK_COMPONENT_TYPE_SINT8_PACKED_NV and UINT8_PACKED_NV
constexpr uint32_t kSigned8Packed = 1000491000;
constexpr uint32_t kUnsigned8Packed = 1000491001;

template <typename Test>
std::optional<Number> find(Test test) {
    const auto found = std::find_if(std::begin(kFormats), std::end(kFormats), test);
    if (found == std::end(kFormats)) return std::nullopt;
    return Number(found - std::begin(kFormats));
}

}  // namespace

const Format& format(Number number) { return kFormats[size_t(number)]; }

std::optional<Number> byVulkanType(uint32_t type) {
    if (type == kNoValue) return std::nullopt;
    if (type == kSigned8Packed) return Number::s8;
    if (type == kUnsigned8Packed) return Number::u8;
    return find([&](const Format& f) { return f.vulkan == type; });
}

std::optional<Number> floatOf(uint32_t bits, uint32_t encoding) {
    // MXINT8 is fixed point here, and a type of OpTypeFloat there.
    return find([&](const Format& f) {
        const bool floatType = f.floating() || f.encoding != kNoValue;
        return floatType && f.bits == bits && f.encoding == encoding;
    });
}

std::optional<Number> integerOf(uint32_t bits, bool isSigned) {
    return find([&](const Format& f) {
        return !f.floating() && f.encoding == kNoValue && f.bits == bits &&
               f.isSigned() == isSigned;
    });
}

}  // namespace coopvk::reference::numbers
