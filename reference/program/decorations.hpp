// SPDX-License-Identifier: Apache-2.0
//
// The decorations of a module, by id and member.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "program/parse.hpp"

namespace coopvk::reference {

class Decorations {
 public:
    explicit Decorations(const std::vector<Parsed>& module);
    // The first literal of a decoration (0 if it has none) of an id, or of a member of a struct;
    // nothing if it is not decorated so.
    std::optional<uint32_t> of(uint32_t id, spv::Decoration decoration,
                               uint32_t member = kNone) const;
    bool has(uint32_t id, spv::Decoration decoration) const {
        return of(id, decoration).has_value();
    }

 private:
    void add(const Parsed& instruction, size_t first, uint32_t member);
    void copyGroup(uint32_t group, uint32_t id, uint32_t member);

    std::map<std::tuple<uint32_t, uint32_t, spv::Decoration>, uint32_t> literals_;
};

}  // namespace coopvk::reference
