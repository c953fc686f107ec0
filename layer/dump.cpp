// SPDX-License-Identifier: Apache-2.0
#include "dump.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "hash.hpp"
#include "stage_rewriter.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

// Under a name of its own first, so that no reader meets half a file and threads do not collide.
bool writeFile(const fs::path& path, std::string_view bytes) {
    static std::atomic<uint32_t> counter = 0;
    fs::path unfinished = path;
    unfinished += "." + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".tmp";
    std::error_code error;
    {
        std::ofstream file(unfinished, std::ios::binary);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (file.fail()) {
            fs::remove(unfinished, error);
            return false;
        }
    }
    fs::rename(unfinished, path, error);
    return !error;
}

bool writeModule(const fs::path& stem, std::span<const uint32_t> words) {
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    const bool binary = writeFile(stem.string() + ".spv", {bytes, words.size_bytes()});
    return binary && writeFile(stem.string() + ".spvasm", rewrite::disassemble(words));
}

}  // namespace

void dumpRewrite(Log& log, const std::string& folder, const RewriteKey& key,
                 const rewrite::Rewritten& rewritten) noexcept {
    try {
        std::error_code error;
        fs::create_directories(folder, error);
        const std::string original = hexName(key.words->hash);
        std::string name = original;
        name.append(".").append(stageName(static_cast<VkShaderStageFlagBits>(key.stage)));
        name.append(".s").append(std::to_string(key.subgroupSize));
        if (!key.specialization.empty())
            name.append(".").append(hexName(fnv1a(key.specialization)));
        const fs::path root = folder;
        if (!writeModule(root / original, key.words->words) ||
            !writeModule(root / name, rewritten.words)) {
            log.warn("cannot write to dump folder '" + folder + "'");
        }
    } catch (...) {
        log.warn("cannot dump a shader");
    }
}

}  // namespace coopvk::layer
