// SPDX-License-Identifier: Apache-2.0
#include "device/extension_depends.hpp"

#include <algorithm>

namespace coopvk::layer {
namespace {

constexpr ExtensionDepends kDepends[] = {
#define COOPVK_DEPENDS(name, expression, type, count) \
    {name, expression, static_cast<VkStructureType>(type), count},
#include "device/extension_depends.inc"
#undef COOPVK_DEPENDS
};
static_assert(std::ranges::is_sorted(kDepends, {}, &ExtensionDepends::extension));

using StateOf = std::function<Term(std::string_view)>;
using Least = std::optional<Terms>;

// Operators have the same precedence, from left to right.
class Reader {
 public:
    Reader(std::string_view text, const StateOf& stateOf) : text_(text), stateOf_(stateOf) {}

    Least expression() {
        Least left = term();
        while (!text_.empty() && text_.front() != ')') {
            const char operation = text_.front();
            text_.remove_prefix(1);
            left =
                operation == ',' ? either(std::move(left), term()) : both(std::move(left), term());
        }
        return left;
    }

 private:
    Least term() {
        if (text_.starts_with('(')) {
            text_.remove_prefix(1);
            Least inner = expression();
            text_.remove_prefix(1);  // ')'
            return inner;
        }
        const std::string_view name = text_.substr(0, text_.find_first_of(",+)"));
        text_.remove_prefix(name.size());
        const Term state = stateOf_(name);
        if (state == Term::kFails) return std::nullopt;
        return state == Term::kHolds ? Terms{} : Terms{name};
    }

    static Least either(Least a, Least b) {
        if (!a || !b) return a ? a : b;
        return a->size() <= b->size() ? a : b;
    }

    static Least both(Least a, Least b) {
        if (!a || !b) return std::nullopt;
        a->insert(a->end(), b->begin(), b->end());
        return a;
    }

    std::string_view text_;
    const StateOf& stateOf_;
};

}  // namespace

std::span<const ExtensionDepends> extensionDepends() { return kDepends; }

const ExtensionDepends* findDepends(std::string_view extension) {
    const auto* row =
        std::ranges::lower_bound(kDepends, extension, {}, &ExtensionDepends::extension);
    return row != std::end(kDepends) && row->extension == extension ? row : nullptr;
}

std::optional<Terms> leastTerms(std::string_view expression, const StateOf& stateOf) {
    return Reader(expression, stateOf).expression();
}

std::optional<uint32_t> versionOf(std::string_view term) {
    constexpr std::string_view kPrefix = "VK_VERSION_1_";
    if (!term.starts_with(kPrefix) || term.size() != kPrefix.size() + 1) return std::nullopt;
    return VK_MAKE_API_VERSION(0, 1, static_cast<uint32_t>(term.back() - '0'), 0);
}

}  // namespace coopvk::layer
