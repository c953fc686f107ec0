// SPDX-License-Identifier: Apache-2.0
#include "compare/report/saved.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "input_file.hpp"
#include "json_text.hpp"

namespace coopvk::compare {
namespace {

constexpr int kVersion = 1;

std::string toHex(const std::vector<uint64_t>& elements) {
    std::ostringstream out;
    out << std::hex;
    for (const uint64_t element : elements) out << element << ' ';
    return out.str();
}

Matrix fromJson(const nlohmann::json& entry) {
    Matrix matrix(static_cast<Component>(entry.at("component").get<uint32_t>()),
                  entry.at("rows").get<uint32_t>(), entry.at("columns").get<uint32_t>());
    std::istringstream in(entry.at("elements").get<std::string>());
    in >> std::hex;
    for (uint64_t& element : matrix.elements) in >> element;
    if (!in) throw std::runtime_error("elements are missing");
    return matrix;
}

}  // namespace

void save(const SavedResults& results, const std::string& file) {
    nlohmann::json cases = nlohmann::json::object();
    for (const auto& [name, outcome] : results.outcomes) {
        if (!outcome.result) {
            cases[name] = {{"error", outcome.error}};
            continue;
        }
        const Matrix& matrix = *outcome.result;
        cases[name] = {{"component", static_cast<uint32_t>(matrix.component)},
                       {"rows", matrix.rows},
                       {"columns", matrix.columns},
                       {"elements", toHex(matrix.elements)}};
    }
    const nlohmann::json all = {{"coopvk compare", kVersion}, {"extension", results.extension},
                                {"side", results.side},       {"device", results.device},
                                {"seed", results.seed},       {"results", std::move(cases)}};
    std::ofstream out(file);
    out << tool::jsonText(all, 1);
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

SavedResults load(const std::string& file) {
    const auto text = tool::readFile(file);
    if (!text) throw std::runtime_error(text.error().message);
    try {
        const nlohmann::json all = nlohmann::json::parse(*text, nullptr, false);
        if (all.is_discarded()) throw std::runtime_error("it is no JSON");
        if (!all.contains("coopvk compare")) throw std::runtime_error("--save did not write it");
        if (all.at("coopvk compare") != kVersion) throw std::runtime_error("of another version");
        SavedResults results;
        results.extension = all.at("extension").get<std::string>();
        results.side = all.at("side").get<std::string>();
        results.device = all.at("device").get<std::string>();
        results.seed = all.at("seed").get<uint64_t>();
        for (const auto& [name, entry] : all.at("results").items()) {
            Outcome& outcome = results.outcomes[name];
            if (entry.contains("error")) {
                outcome.error = entry.at("error").get<std::string>();
            } else {
                outcome.result = fromJson(entry);
            }
        }
        return results;
    } catch (const std::exception& error) {
        throw std::runtime_error(file + " holds no results of coopvk compare: " + error.what());
    }
}

}  // namespace coopvk::compare
