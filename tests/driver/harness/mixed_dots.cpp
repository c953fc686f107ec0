// SPDX-License-Identifier: Apache-2.0
#include "mixed_dots.hpp"

#include <cstring>
#include <span>
#include <stdexcept>

namespace coopvk::test {
namespace {

// From the SPIR-V specification and the extension's text.
enum Opcode : uint32_t {
    kExtension = 10,
    kCapability = 17,
    kTypeFloat = 22,
    kTypeVector = 23,
    kFunction = 54,
    kCompositeExtract = 81,
    kFConvert = 115,
    kFAdd = 129,
    kFMul = 133,
    kFDot2MixAcc32 = 6916,
};
constexpr uint32_t kDotCapability = 6912;  // DotProductFloat16AccFloat32VALVE
constexpr char kDotExtension[] = "SPV_VALVE_mixed_float_dot_product";
constexpr size_t kHeaderWords = 5;
constexpr size_t kBound = 3;  // word of the header

class Definition {
 public:
    Definition(const Words& words, DotOrder order) : in_(words), order_(order) {
        out_.words.assign(words.begin(), words.begin() + kHeaderWords);
        pair_ = find(kTypeVector,
                     [&](std::span<const uint32_t> i) { return i[3] == 2 && i[2] == single(); });
    }

    DefinedDots run() {
        for (size_t at = kHeaderWords; at < in_.size(); at += in_[at] >> 16) {
            instruction(std::span(in_).subspan(at, in_[at] >> 16));
        }
        return std::move(out_);
    }

 private:
    // Result of the first instruction of an opcode that fits; 0 if there is none.
    template <typename Fits>
    uint32_t find(uint32_t opcode, Fits fits) const {
        for (size_t at = kHeaderWords; at < in_.size(); at += in_[at] >> 16) {
            const auto i = std::span(in_).subspan(at, in_[at] >> 16);
            if ((i[0] & 0xFFFF) == opcode && fits(i)) return i[1];
        }
        return 0;
    }

    uint32_t single() const {
        return find(kTypeFloat, [](std::span<const uint32_t> i) { return i[2] == 32; });
    }

    uint32_t take() { return out_.words[kBound]++; }

    void put(uint32_t opcode, std::initializer_list<uint32_t> operands) {
        out_.words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
        out_.words.insert(out_.words.end(), operands);
    }

    uint32_t value(uint32_t opcode, uint32_t type, uint32_t a, uint32_t b) {
        const uint32_t result = take();
        put(opcode, {type, result, a, b});
        return result;
    }

    void instruction(std::span<const uint32_t> i) {
        const uint32_t opcode = i[0] & 0xFFFF;
        if (opcode == kCapability && i[1] == kDotCapability) return;
        if (opcode == kExtension &&
            std::strcmp(reinterpret_cast<const char*>(&i[1]), kDotExtension) == 0) {
            return;
        }
        if (opcode == kFunction && pair_ == 0) {
            pair_ = take();
            put(kTypeVector, {pair_, single(), 2});
        }
        if (opcode == kFDot2MixAcc32)
            define(i);
        else
            out_.words.insert(out_.words.end(), i.begin(), i.end());
    }

    void define(std::span<const uint32_t> i) {
        if (i.size() != 6) throw std::runtime_error("OpFDot2MixAcc32VALVE takes three operands");
        const uint32_t type = i[1], result = i[2], accumulator = i[5];
        uint32_t wide[2];
        for (uint32_t v = 0; v < 2; ++v) {
            wide[v] = take();
            put(kFConvert, {pair_, wide[v], i[3 + v]});
        }
        const uint32_t products = value(kFMul, pair_, wide[0], wide[1]);
        const uint32_t first = value(kCompositeExtract, type, products, 0);
        const uint32_t second = value(kCompositeExtract, type, products, 1);
        const bool productsFirst = order_ == DotOrder::kProductsFirst;
        const uint32_t sum = value(kFAdd, type, first, productsFirst ? second : accumulator);
        put(kFAdd, {type, result, sum, productsFirst ? accumulator : second});
        ++out_.count;
    }

    const Words& in_;
    DotOrder order_;
    DefinedDots out_;
    uint32_t pair_ = 0;  // the type of two f32
};

}  // namespace

DefinedDots withDotsDefined(const Words& words, DotOrder order) {
    return Definition(words, order).run();
}

}  // namespace coopvk::test
