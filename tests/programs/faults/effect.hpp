// SPDX-License-Identifier: Apache-2.0
//
// What a fault changes, from executions alone: nothing here asks how `coopvk check` judges.
#pragma once

#include <deque>
#include <string>

#include "case.hpp"
#include "memory.hpp"
#include "side.hpp"

namespace coopvk::programs {

enum class Effect {
    kNone,       // with all data, in each schedule: the same bits
    kPermitted,  // only numbers that the program itself may write so
    kReports,    // the same bits; the device notices something
    kBits
};

// Data for a program with which it is right, and what the rewritten module does with it.
struct Data {
    struct Right {
        reference::Settings settings;
        check::Execution execution;
    };
    check::Memory memory;
    std::array<uint32_t, 3> groups;
    std::string name;
    std::vector<Right> right;  // for each schedule
};

class Effects {
 public:
    // `rewritten`: what the program becomes without a fault.
    Effects(const Case& made, std::span<const uint32_t> words, std::span<const uint32_t> rewritten);
    // Of a module that has a fault. `where` becomes what differs first.
    Effect of(std::span<const uint32_t> faulty, std::string& where);
    // Whether the device makes a program of the words, which are valid.
    bool isValid(std::span<const uint32_t> words) const;

 private:
    check::Side side(std::span<const uint32_t> words, bool validate, bool contracts,
                     uint32_t flushed) const;
    void addData(check::Values values, std::array<uint32_t, 3> groups,
                 std::span<const reference::Choice> schedules);
    // What the program itself writes where the specifications leave something open.
    const std::vector<check::Execution>& permitted(const Data& data);
    bool isPermitted(const Data& data, const check::Execution& right,
                     const check::Execution& faulty, std::string& where);

    const Case& made_;
    std::span<const uint32_t> words_;
    check::Module module_;
    check::Side native_, rewritten_;
    std::deque<Data> data_;
    std::map<const Data*, std::vector<check::Execution>> permitted_;
};

}  // namespace coopvk::programs
