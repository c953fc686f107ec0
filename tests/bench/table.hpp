// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace coopvk::bench {

// A Markdown table, with columns as wide as their cells.
class Table {
 public:
    explicit Table(std::vector<std::string> columns);
    void add(std::vector<std::string> row);
    void print() const;

 private:
    std::vector<std::vector<std::string>> rows_;  // the first: names of the columns
};

std::string fixed(double value, int digits);
// "33.10 TFLOP/s" of operations a second.
std::string flops(double perSecond);
// "1.25 ms".
std::string duration(double seconds);

}  // namespace coopvk::bench
