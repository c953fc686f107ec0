// SPDX-License-Identifier: Apache-2.0
//
// The time that rewriting a shader adds to creating its pipeline, and the time of a scan for a
// shader that uses nothing emulated. For each back-end; where the driver knows the shader's
// extensions, it creates the shader's own pipeline, too. Without files: a gemm that can read 32
// formats, of which 30 are dead code.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>

#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"
#include "interleave.hpp"
#include "kernel.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

template <typename Work>
double hostSeconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Constant {
    uint32_t id, value;
};

struct Module {
    std::string name;
    std::vector<uint32_t> words;
    std::vector<Constant> constants;
};

Constant parseConstant(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == text.npos) throw std::runtime_error("--spec takes ID=VALUE, not " + text);
    return {static_cast<uint32_t>(std::stoul(text)),
            static_cast<uint32_t>(std::stoul(text.substr(equals + 1)))};
}

std::vector<Module> chooseModules(const Options& options, uint32_t subgroupSize) {
    std::vector<Module> list;
    if (options.spirv.empty()) {
        const Words words = builtInShader("gemm_formats");
        list.push_back({"gemm_formats", {words.begin(), words.end()}, {{0, 8 * subgroupSize}}});
    }
    std::vector<Constant> constants;
    for (const std::string& text : options.constants) constants.push_back(parseConstant(text));
    for (const std::string& file : options.spirv)
        list.push_back({file.substr(file.rfind('/') + 1), readShader(file), constants});
    return list;
}

// One more than the highest binding that the shader decorates anything with.
uint32_t bindings(Words words) {
    constexpr uint32_t kDecorate = 71, kBinding = 33;
    uint32_t count = 0;
    for (size_t i = 5; i < words.size() && words[i] >> 16; i += words[i] >> 16)
        if ((words[i] & 0xffff) == kDecorate && words[i + 2] == kBinding)
            count = std::max(count, words[i + 3] + 1);
    return count;
}

class Rewriting {
 public:
    explicit Rewriting(const Options& options)
        : options_(options), gpu_(Layer::kAbsent, options.device), dummy_(gpu_, 1024) {
        const layer::DeviceQueries queries =
            layer::loadDeviceQueries(vkGetInstanceProcAddr, gpu_.instance, VK_API_VERSION_1_3);
        target_.device = layer::queryDevice(queries, gpu_.physical).traits;
        target_.subgroupSize = target_.device.subgroupSize;
    }

    void run() {
        std::printf("## rewriting\n\n%s\n\n", gpu_.name().c_str());
        Table table({"shader", "back-end", "words", "rewritten", "rewrite", "driver creates",
                     "share", "the shader's own", "times its own", "scan of the rewritten"});
        for (const Module& module : chooseModules(options_, target_.subgroupSize)) {
            table.add(measure(module, rewrite::BackEnd::kCore));
            if (!target_.device.nativeShapes.empty())
                table.add(measure(module, rewrite::BackEnd::kNative));
        }
        table.print();
    }

 private:
    std::vector<std::string> measure(const Module& module, rewrite::BackEnd backEnd) {
        const bool native = backEnd == rewrite::BackEnd::kNative;
        rewrite::Target target = target_;
        target.backEnd = backEnd;
        if (native) target.emulated.erase(rewrite::Extension::kKhrCooperativeMatrix);
        std::vector<rewrite::SpecializationEntry> entries;
        for (const Constant& constant : module.constants)
            entries.push_back({constant.id, std::as_bytes(std::span(&constant.value, 1))});
        rewrite::Request request;
        request.words = module.words;
        request.specialization = entries;
        auto rewritten = rewrite::rewrite(request, target);
        const std::vector<std::string> row = {module.name, native ? "native" : "core",
                                              std::to_string(module.words.size())};
        if (!rewritten) return joined(row, {rewritten.error().message});

        std::vector<uint32_t>& words = rewritten->words;
        std::vector<uint32_t> own = module.words;
        const std::vector<uint32_t> constants = byId(module.constants);
        std::vector<Contender> contenders = {
            {"rewrite",
             [&] { return hostSeconds([&] { (void)rewrite::rewrite(request, target); }); }},
            {"create", [&] { return create(words, {}); }},
        };
        if (driverKnows(module.words))
            contenders.push_back({"own", [&] { return create(own, constants); }});
        const uint32_t rounds = options_.rounds ? options_.rounds : options_.quick ? 3 : 9;
        const Samples samples = interleave(contenders, rounds);
        // The best of each: on a busy machine, other work can take more time than rewriting.
        const double rewrite = best(samples[0]), creation = best(samples[1]);
        const bool hasOwn = samples.size() > 2;
        const double itsOwn = hasOwn ? best(samples[2]) : 0;
        return joined(
            row, {std::to_string(words.size()), duration(rewrite), duration(creation),
                  fixed(100 * rewrite / creation, 2) + " %", hasOwn ? duration(itsOwn) : "none",
                  hasOwn ? fixed((rewrite + creation) / itsOwn, 2) : "",
                  scanTime(words, target.emulated)});
    }

    static std::vector<std::string> joined(std::vector<std::string> row,
                                           const std::vector<std::string>& rest) {
        row.insert(row.end(), rest.begin(), rest.end());
        return row;
    }

    static std::vector<uint32_t> byId(std::span<const Constant> constants) {
        std::vector<uint32_t> values;
        for (const Constant& constant : constants) {
            values.resize(std::max<size_t>(values.size(), constant.id + 1));
            values[constant.id] = constant.value;
        }
        return values;
    }

    // Whether the device has all extensions that the shader uses.
    bool driverKnows(Words words) const {
        const rewrite::ExtensionSet used = rewrite::scan(words, rewrite::ExtensionSet::all());
        return std::ranges::all_of(rewrite::extensionTable(), [&](const auto& row) {
            return !used.contains(row.extension) || gpu_.has(row.vulkanName);
        });
    }

    // Work that a driver does in a shader's first dispatch (llvmpipe: code generation) is not
    // counted.
    double create(std::vector<uint32_t>& words, std::span<const uint32_t> constants) {
        ++words[3];  // the bound: new words for a driver that remembers those it has seen
        const std::vector<Buffer*> buffers(std::max(bindings(words), 1u), &dummy_);
        return hostSeconds([&] { Kernel(gpu_, words, constants, buffers); });
    }

    static std::string scanTime(Words words, const rewrite::ExtensionSet& emulated) {
        constexpr uint32_t kRuns = 1000;
        bool found = false;
        const double seconds = hostSeconds([&] {
            for (uint32_t i = 0; i < kRuns; ++i) found |= !rewrite::scan(words, emulated).empty();
        });
        if (found) throw std::runtime_error("a rewritten shader needs rewriting");
        return duration(seconds / kRuns);
    }

    const Options& options_;
    Gpu gpu_;
    Buffer dummy_;
    rewrite::Target target_;
};

}  // namespace

void benchRewriting(const Options& options) { Rewriting(options).run(); }

}  // namespace coopvk::bench
