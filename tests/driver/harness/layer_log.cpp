// SPDX-License-Identifier: Apache-2.0
#include "layer_log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace coopvk::test {
namespace {

struct State {
    std::filesystem::path path;
    std::streamoff read = 0;
    BackEnds backEnds;
};
State& state() {
    static State value;
    return value;
}

// Reasons why matrices need not be the driver's own: it has no shape for them, or they have too few
// elements.
bool isDriversFault(std::string_view line) {
    return line.find("no shape of the driver divides") != line.npos ||
           line.find("a constant depends on the length of a native matrix") != line.npos;
}

void count(const std::string& text, BackEnds& backEnds) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(": core back-end") != line.npos) ++backEnds.core;
        if (line.find(": native back-end") != line.npos) ++backEnds.native;
        if (line.find(": no native back-end") != line.npos && !isDriversFault(line))
            backEnds.unexplained += line + '\n';
    }
}

}  // namespace

void LayerLog::start() {
    // Of its own: one of an earlier process with this number may be another user's.
    std::string name = std::filesystem::temp_directory_path() / "coopvk-driver-tests-XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) throw std::filesystem::filesystem_error("no file for the layer's log", name, {});
    close(file);
    state().path = name;
    setenv("COOPVK_LOG_FILE", state().path.c_str(), 1);
    setenv("COOPVK_LOG_LEVEL", "debug", 1);
}

std::string LayerLog::take() {
    std::ifstream file(state().path, std::ios::binary);
    file.seekg(state().read);
    std::ostringstream text;
    text << file.rdbuf();
    state().read += static_cast<std::streamoff>(text.str().size());
    count(text.str(), state().backEnds);
    return text.str();
}

BackEnds LayerLog::takeBackEnds() { return std::exchange(state().backEnds, {}); }

void LayerLog::stop() {
    std::error_code ignored;
    std::filesystem::remove(state().path, ignored);
}

}  // namespace coopvk::test
