// SPDX-License-Identifier: Apache-2.0
#include "shader.hpp"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <cstdlib>
#include <fstream>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <stdexcept>

#include "../../keep_shader.hpp"

namespace coopvk::test {
namespace {

constexpr spv_target_env kEnvironment = SPV_ENV_VULKAN_1_4;

struct Tools : spvtools::SpirvTools {
    explicit Tools(std::string& log) : SpirvTools(kEnvironment) {
        SetMessageConsumer([&log](spv_message_level_t, const char*, const spv_position_t& position,
                                  const char* text) {
            log += "line " + std::to_string(position.line + 1) + ": " + text + "\n";
        });
    }
};

// Empty if the module is valid, else why not: with names, which take a tenth of the time.
std::string faultOf(const Words& words) {
    std::string log;
    for (const bool withNames : {false, true}) {
        log.clear();
        spvtools::ValidatorOptions options;
        options.SetFriendlyNames(withNames);
        options.SetScalarBlockLayout(true);
        options.SetWorkgroupScalarBlockLayout(true);
        if (Tools(log).Validate(words.data(), words.size(), options)) return "";
    }
    return log;
}

void validateOrThrow(const Words& words, const std::string& source) {
    if (const std::string fault = faultOf(words); !fault.empty())
        throw std::runtime_error("the test's own shader is invalid: " + fault + "\n" + source);
}

struct GlslangProcess {
    GlslangProcess() { glslang::InitializeProcess(); }
    ~GlslangProcess() { glslang::FinalizeProcess(); }
};

enum class Flavour { kUsual, kDebugInfo, kNoDebugInfo, kSpirv13 };

struct StageRow {
    VkShaderStageFlagBits stage;
    EShLanguage language;
};
constexpr StageRow kStages[] = {
    {VK_SHADER_STAGE_VERTEX_BIT, EShLangVertex},
    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, EShLangTessControl},
    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, EShLangTessEvaluation},
    {VK_SHADER_STAGE_GEOMETRY_BIT, EShLangGeometry},
    {VK_SHADER_STAGE_FRAGMENT_BIT, EShLangFragment},
    {VK_SHADER_STAGE_COMPUTE_BIT, EShLangCompute},
    {VK_SHADER_STAGE_TASK_BIT_EXT, EShLangTask},
    {VK_SHADER_STAGE_MESH_BIT_EXT, EShLangMesh},
    {VK_SHADER_STAGE_RAYGEN_BIT_KHR, EShLangRayGen},
    {VK_SHADER_STAGE_ANY_HIT_BIT_KHR, EShLangAnyHit},
    {VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR, EShLangClosestHit},
    {VK_SHADER_STAGE_INTERSECTION_BIT_KHR, EShLangIntersect},
    {VK_SHADER_STAGE_MISS_BIT_KHR, EShLangMiss},
    {VK_SHADER_STAGE_CALLABLE_BIT_KHR, EShLangCallable},
};

EShLanguage languageOf(VkShaderStageFlagBits stage) {
    for (const StageRow& row : kStages)
        if (row.stage == stage) return row.language;
    throw std::runtime_error("no language for this stage");
}

constexpr std::string_view kVariantNames[] = {"plain", "debug", "O", "Os", "legalized", "loops"};

// Of all shaders of this run.
Variant variantOfRun() {
    const char* text = std::getenv("COOPVK_TEST_VARIANT");
    if (text == nullptr || *text == '\0') return Variant::kPlain;
    for (const Variant variant : kVariants)
        if (nameOf(variant) == text) return variant;
    throw std::runtime_error(std::string("COOPVK_TEST_VARIANT: no variant ") + text);
}

Words withVariantOfRun(Words words, Checked checked) {
    return checked == Checked::kYes ? optimised(words, variantOfRun()) : words;
}

// glslang 16.6 writes the id 0 as the debug type of a tensor layout. Such shaders go without debug
// information.
bool lacksDebugType(const Words& words) {
    return faultOf(words).find("Id is 0") != std::string::npos;
}

Words compile(const std::string& source, Checked checked, Flavour flavour,
              EShLanguage language = EShLangCompute) {
    if (flavour == Flavour::kUsual && variantOfRun() == Variant::kDebugInfo)
        flavour = Flavour::kDebugInfo;
    const bool debugInfo = flavour == Flavour::kDebugInfo;
    const bool isOld = flavour == Flavour::kSpirv13;
    static const GlslangProcess process;
    glslang::TShader shader(language);
    const char* text = source.c_str();
    shader.setStrings(&text, 1);
    shader.setEnvInput(glslang::EShSourceGlsl, language, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan,
                        isOld ? glslang::EShTargetVulkan_1_1 : glslang::EShTargetVulkan_1_3);
    shader.setEnvTarget(glslang::EShTargetSpv,
                        isOld ? glslang::EShTargetSpv_1_3 : glslang::EShTargetSpv_1_6);
    const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules |
                                                   (debugInfo ? EShMsgDebugInfo : EShMsgDefault));
    if (!shader.parse(GetDefaultResources(), 460, false, messages))
        throw std::runtime_error(std::string(shader.getInfoLog()) + "\n" + source);
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(messages))
        throw std::runtime_error(std::string(program.getInfoLog()) + "\n" + source);
    glslang::SpvOptions options;
    options.generateDebugInfo = debugInfo;
    options.emitNonSemanticShaderDebugInfo = debugInfo;
    options.emitNonSemanticShaderDebugSource = debugInfo;
    options.disableOptimizer = true;
    Words words;
    glslang::GlslangToSpv(*program.getIntermediate(language), words, &options);
    if (debugInfo && lacksDebugType(words))
        return compile(source, checked, Flavour::kNoDebugInfo, language);
    if (checked == Checked::kYes) validateOrThrow(words, source);
    words = withVariantOfRun(std::move(words), checked);
    keepShader(words);
    return words;
}

}  // namespace

std::string_view nameOf(Variant variant) { return kVariantNames[static_cast<size_t>(variant)]; }

namespace {

void registerLoopPasses(spvtools::Optimizer& optimizer) {
    optimizer.RegisterPass(spvtools::CreateInlineExhaustivePass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateLoopInvariantCodeMotionPass())
        .RegisterPass(spvtools::CreateLoopUnswitchPass())
        .RegisterPass(spvtools::CreateLoopPeelingPass())
        .RegisterPass(spvtools::CreateLoopUnrollPass(false, 2))
        .RegisterPass(spvtools::CreateIfConversionPass())
        .RegisterPass(spvtools::CreateBlockMergePass());
}

void registerPasses(spvtools::Optimizer& optimizer, Variant variant) {
    if (variant == Variant::kFast) optimizer.RegisterPerformancePasses();
    if (variant == Variant::kSmall) optimizer.RegisterSizePasses();
    if (variant == Variant::kLegalized) optimizer.RegisterLegalizationPasses();
    if (variant == Variant::kLoops) registerLoopPasses(optimizer);
}

}  // namespace

Words optimised(const Words& words, Variant variant) {
    if (variant == Variant::kPlain || variant == Variant::kDebugInfo) return words;
    // The loop passes of SPIRV-Tools 2026.4 crash on modules with descriptor heaps.
    if (variant == Variant::kLoops &&
        disassemble(words).find("OpCapability DescriptorHeapEXT") != std::string::npos) {
        return words;
    }
    spvtools::Optimizer optimizer(kEnvironment);
    std::string log;
    optimizer.SetMessageConsumer([&log](spv_message_level_t, const char*, const spv_position_t&,
                                        const char* text) { log += text; });
    registerPasses(optimizer, variant);
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    options.set_preserve_spec_constants(true);
    Words result;
    if (!optimizer.Run(words.data(), words.size(), &result, options))
        throw std::runtime_error("SPIRV-Tools cannot optimise the shader: " + log + "\n" +
                                 disassemble(words));
    return faultOf(result).empty() ? result : words;
}

Words compileGlsl(const std::string& source, Variant variant) {
    if (variant == Variant::kDebugInfo) return compile(source, Checked::kYes, Flavour::kDebugInfo);
    // Tests ask for the variants of a source one after the other.
    thread_local std::string last;
    thread_local Words plain;
    if (source != last) {
        plain = compile(source, Checked::kYes, Flavour::kUsual);
        last = source;
    }
    return optimised(plain, variant);
}

Words compileGlsl(const std::string& source, Checked checked) {
    return compile(source, checked, Flavour::kUsual);
}

Words inSsaForm(const Words& words) {
    spvtools::Optimizer optimizer(kEnvironment);
    optimizer.RegisterPass(spvtools::CreateSSARewritePass());
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    Words result;
    if (!optimizer.Run(words.data(), words.size(), &result, options)) {
        throw std::runtime_error("SPIRV-Tools cannot bring the shader into SSA form");
    }
    validateOrThrow(result, "in SSA form");
    return result;
}

Words compileGlslStage(VkShaderStageFlagBits stage, const std::string& source) {
    return compile(source, Checked::kYes, Flavour::kUsual, languageOf(stage));
}

Words compileGlslWithDebugInfo(const std::string& source) {
    return compile(source, Checked::kYes, Flavour::kDebugInfo);
}

Words compileGlslToSpirv13(const std::string& source) {
    return compile(source, Checked::kYes, Flavour::kSpirv13);
}

Words assemble(const std::string& source, Checked checked) {
    std::string log;
    Words words;
    if (!Tools(log).Assemble(source, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
        throw std::runtime_error(log + "\n" + source);
    if (checked == Checked::kYes) validateOrThrow(words, source);
    words = withVariantOfRun(std::move(words), checked);
    keepShader(words);
    return words;
}

std::string disassemble(const Words& words) {
    std::string log, text;
    Tools(log).Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
    return text;
}

std::string readShader(const std::string& name) {
    std::ifstream file(std::string(COOPVK_SHADERS) + "/" + name);
    if (!file) throw std::runtime_error("no shader " + name);
    std::string text, line;
    while (std::getline(file, line)) {
        const std::string include = "#include \"";
        if (line.starts_with(include)) {
            line = readShader(line.substr(include.size(), line.rfind('"') - include.size()));
        }
        text += line + "\n";
    }
    return text;
}

std::string substitute(std::string_view text, const std::vector<Substitution>& values) {
    std::string result;
    while (true) {
        const size_t start = text.find("${");
        if (start == text.npos) return result.append(text);
        const size_t end = text.find('}', start);
        const std::string_view key = text.substr(start + 2, end - start - 2);
        result.append(text.substr(0, start));
        bool found = false;
        for (const Substitution& value : values) {
            if (value.name != key) continue;
            result += value.value;
            found = true;
            break;
        }
        if (!found) throw std::runtime_error("nothing to put for " + std::string(key));
        text.remove_prefix(end + 1);
    }
}

void setOperands(Words& words, uint32_t operands) {
    constexpr uint32_t kMulAdd = 4459;
    Words result(words.begin(), words.begin() + 5);
    for (size_t i = 5; i < words.size(); i += words[i] >> 16) {
        const uint32_t count = words[i] >> 16;
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
        if ((words[i] & 0xffff) != kMulAdd) {
            result.insert(result.end(), begin, begin + count);
            continue;
        }
        result.push_back(7u << 16 | kMulAdd);
        result.insert(result.end(), begin + 1, begin + 6);
        result.push_back(operands);
    }
    words = std::move(result);
}

}  // namespace coopvk::test
