// SPDX-License-Identifier: Apache-2.0
//
// The decorations of a module, by id and member.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "program/parse.hpp"

namespace coopvk::reference {

class Decorations {
 public:
    explicit Decorations(const std::vector<Parsed>& module);
    // The first literal of a decoration (0 if it has none), or nothing if the id is not decorated.
    std::optional<uint32_t> of(uint32_t id, spv::Decoration decoration) const {
        return find(id, kNone, decoration);
    }
    std::optional<uint32_t> ofMember(uint32_t id, uint32_t member,
                                     spv::Decoration decoration) const {
        return find(id, member, decoration);
    }
    bool has(uint32_t id, spv::Decoration decoration) const {
        return of(id, decoration).has_value();
    }

 private:
    struct Row {
        uint32_t member = kNone;
        spv::Decoration decoration = spv::Decoration::Max;
        uint32_t literal = 0;
    };
    void add(const Parsed& instruction, size_t first, uint32_t member);
    void apply(const Parsed& group);
    std::optional<uint32_t> find(uint32_t id, uint32_t member, spv::Decoration decoration) const;

    std::unordered_map<uint32_t, std::vector<Row>> rows_;
};

}  // namespace coopvk::reference
