// SPDX-License-Identifier: Apache-2.0
#include "layer_log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace coopvk::test {
namespace {

struct State {
    std::filesystem::path path;
    std::streamoff read = 0;
};
State& state() {
    static State value;
    return value;
}

}  // namespace

void LayerLog::start() {
    state().path = std::filesystem::temp_directory_path() /
                   ("coopvk-driver-tests-" + std::to_string(getpid()) + ".log");
    setenv("COOPVK_LOG_FILE", state().path.c_str(), 1);
    setenv("COOPVK_LOG_LEVEL", "info", 1);
}

std::string LayerLog::take() {
    std::ifstream file(state().path, std::ios::binary);
    file.seekg(state().read);
    std::ostringstream text;
    text << file.rdbuf();
    state().read += static_cast<std::streamoff>(text.str().size());
    return text.str();
}

void LayerLog::stop() {
    std::error_code ignored;
    std::filesystem::remove(state().path, ignored);
}

}  // namespace coopvk::test
