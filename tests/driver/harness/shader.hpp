// SPDX-License-Identifier: Apache-2.0
//
// SPIR-V from GLSL and from assembly text. Each result is checked by spirv-val, so that a test
// never feeds invalid code by accident. The environment's COOPVK_TEST_VARIANT, a name of nameOf(),
// makes all tests' shaders so.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::test {

using Words = std::vector<uint32_t>;

enum class Checked { kYes, kNo };  // kNo: for sources that are invalid on purpose

// A compute shader. Throws with the compiler's log and the source if it does not compile.
Words compileGlsl(const std::string& source, Checked checked = Checked::kYes);
// The same shader in SSA form: values in place of the variables of functions, where SPIRV-Tools
// can.
Words inSsaForm(const Words& words);
// For Vulkan 1.1, whose SPIR-V 1.3 knows the memory model as an extension only.
Words compileGlslToSpirv13(const std::string& source);
// With line numbers and NonSemantic.Shader.DebugInfo.100.
Words compileGlslWithDebugInfo(const std::string& source);
// As other tools make modules: with debug information; by spirv-opt -O and -Os; by the passes that
// make HLSL's modules legal; by passes that move, split and unroll loops.
enum class Variant { kPlain, kDebugInfo, kFast, kSmall, kLegalized, kLoops };
inline constexpr Variant kVariants[] = {Variant::kPlain, Variant::kDebugInfo, Variant::kFast,
                                        Variant::kSmall, Variant::kLegalized, Variant::kLoops};
std::string_view nameOf(Variant variant);  // "plain", "debug", "O", "Os", "legalized", "loops"
// Debug information is for GLSL: an assembled module stays as it is. So does one of which
// SPIRV-Tools makes an invalid module, as it does of some with long vectors.
Words optimised(const Words& words, Variant variant);
Words compileGlsl(const std::string& source, Variant variant);
// Of any stage.
Words compileGlslStage(VkShaderStageFlagBits stage, const std::string& source);
Words assemble(const std::string& source, Checked checked = Checked::kYes);
std::string disassemble(const Words& words);

// A file of shaders/, with what it includes.
std::string readShader(const std::string& name);

// Local variables that are stored once and loaded as a whole become values, as in the output of
// some compilers.
Words withoutLocalVariables(const Words& words);

// Replaces every ${NAME} in a text; an unknown name throws.
struct Substitution {
    std::string_view name;
    std::string value;
};
std::string substitute(std::string_view text, const std::vector<Substitution>& values);

// Sets the Cooperative Matrix Operands of every multiply-add: GLSL derives them from the types.
void setOperands(Words& words, uint32_t operands);

}  // namespace coopvk::test
