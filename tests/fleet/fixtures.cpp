// SPDX-License-Identifier: Apache-2.0
#include "fixtures.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coopvk::fleet {

void writeFixture(const Device& device, const Surroundings& surroundings,
                  const std::string& folder) {
    const auto build =
        std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
    const std::string text =
        outputOf(device, surroundings, {build / "tools" / "coopvk", "info", "--json"});
    auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded() || json["devices"].empty())
        throw std::runtime_error("coopvk info tells nothing of " + device.name);
    json["devices"].erase(json["devices"].begin() + 1, json["devices"].end());
    json.erase("coopvk");
    json.erase("rewriter");
    for (const char* member : {"matrixShapes", "vectorCombinations"})
        json["devices"].front().erase(member);
    std::ofstream file(folder + "/" + device.name + ".json");
    file << json.dump(1) << '\n';
    if (!file.flush()) throw std::runtime_error("cannot write to " + folder);
}

}  // namespace coopvk::fleet
