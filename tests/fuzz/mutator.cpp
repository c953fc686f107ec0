// SPDX-License-Identifier: Apache-2.0
#include "mutator.hpp"

#include <algorithm>
#include <unordered_map>

#include "module_facts.hpp"

namespace coopvk::fuzz {
namespace {

using spv::Op;

constexpr uint32_t kInteresting[] = {
    0,  1,  2,  3,   4,   5,   7,   8,    9,    15,         16,         17,         31,    32,
    33, 63, 64, 127, 128, 255, 256, 1024, 4096, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 65535, 65536};

// Opcodes that take the same operands.
constexpr Op kFamilies[][16] = {
    {Op::OpFAdd, Op::OpFSub, Op::OpFMul, Op::OpFDiv, Op::OpFRem, Op::OpFMod},
    {Op::OpIAdd, Op::OpISub, Op::OpIMul, Op::OpSDiv, Op::OpUDiv, Op::OpUMod, Op::OpSRem, Op::OpSMod,
     Op::OpBitwiseAnd, Op::OpBitwiseOr, Op::OpBitwiseXor, Op::OpShiftLeftLogical,
     Op::OpShiftRightLogical, Op::OpShiftRightArithmetic},
    {Op::OpFNegate, Op::OpSNegate, Op::OpNot, Op::OpCopyObject},
    {Op::OpConvertFToS, Op::OpConvertFToU, Op::OpConvertSToF, Op::OpConvertUToF, Op::OpFConvert,
     Op::OpSConvert, Op::OpUConvert, Op::OpBitcast, Op::OpCopyObject, Op::OpCopyLogical,
     Op::OpCooperativeMatrixConvertNV, Op::OpCooperativeMatrixTransposeNV, Op::OpBitCastArrayQCOM},
    {Op::OpConstantComposite, Op::OpSpecConstantComposite, Op::OpCompositeConstruct,
     Op::OpConstantCompositeReplicateEXT, Op::OpSpecConstantCompositeReplicateEXT,
     Op::OpCompositeConstructReplicateEXT},
    {Op::OpConstantNull, Op::OpUndef},
    {Op::OpMatrixTimesScalar, Op::OpVectorTimesScalar, Op::OpFMul},
    {Op::OpAccessChain, Op::OpInBoundsAccessChain, Op::OpPtrAccessChain,
     Op::OpInBoundsPtrAccessChain},
    {Op::OpAtomicFAddEXT, Op::OpAtomicExchange, Op::OpAtomicIAdd, Op::OpAtomicFMinEXT},
    {Op::OpCooperativeMatrixLoadKHR, Op::OpCooperativeMatrixLoadNV, Op::OpLoad},
    {Op::OpCooperativeVectorMatrixMulNV, Op::OpCooperativeVectorMatrixMulAddNV},
    {Op::OpIEqual, Op::OpINotEqual, Op::OpUGreaterThan, Op::OpSLessThan},
    {Op::OpTypeCooperativeMatrixKHR, Op::OpTypeCooperativeMatrixNV},
    {Op::OpTypeArray, Op::OpTypeCooperativeVectorNV, Op::OpTypeVector},
    {Op::OpTypeInt, Op::OpTypeFloat},
    {Op::OpReturn, Op::OpUnreachable, Op::OpKill},
};

size_t anywhere(const Module& module, Random& random) {
    return random.below(module.instructions.size());
}

bool replaceLiteral(Module& module, Random& random) {
    for (int tries = 0; tries < 16; ++tries) {
        Instruction& i = module.instructions[anywhere(module, random)];
        if (i.words.size() < 2) continue;
        Word& word = i.words[1 + random.below(i.words.size() - 1)];
        if (word.kind != Kind::kLiteral) continue;
        switch (random.below(4)) {
            case 0:
                word.value += random.oneOf(2) ? 1u : 0xFFFFFFFFu;
                break;
            case 1:
                word.value ^= 1u << random.below(32);
                break;
            default:
                word.value = random.from(kInteresting);
        }
        return true;
    }
    return false;
}

bool replaceId(Module& module, Random& random) {
    for (int tries = 0; tries < 16; ++tries) {
        Instruction& i = module.instructions[anywhere(module, random)];
        if (i.words.size() < 2) continue;
        Word& word = i.words[1 + random.below(i.words.size() - 1)];
        if (word.kind == Kind::kLiteral) continue;
        const Instruction& other = module.instructions[anywhere(module, random)];
        const uint32_t id = other.result();
        if (id == 0) continue;
        word.value = id;
        return true;
    }
    return false;
}

bool anyWord(Module& module, Random& random) {
    Instruction& i = module.instructions[anywhere(module, random)];
    if (i.words.size() < 2) return false;
    i.words[1 + random.below(i.words.size() - 1)].value =
        random.oneOf(2) ? random.from(kInteresting) : static_cast<uint32_t>(random.below(64));
    return true;
}

bool changeOpcode(Module& module, Random& random) {
    for (int tries = 0; tries < 16; ++tries) {
        Instruction& i = module.instructions[anywhere(module, random)];
        std::vector<Op> choices;
        for (const auto& family : kFamilies) {
            if (std::ranges::find(family, i.opcode()) == std::end(family)) continue;
            for (Op op : family) {
                if (op != Op::OpNop) choices.push_back(op);
            }
        }
        if (choices.empty()) continue;
        i.setOpcode(random.from(choices));
        return true;
    }
    return false;
}

bool removeInstruction(Module& module, Random& random) {
    module.instructions.erase(module.instructions.begin() +
                              static_cast<std::ptrdiff_t>(anywhere(module, random)));
    return true;
}

bool duplicateInstruction(Module& module, Random& random) {
    const size_t from = anywhere(module, random);
    Instruction copy = module.instructions[from];
    for (Word& word : copy.words) {
        if (word.kind == Kind::kResultId) word.value = module.freshId();
    }
    const size_t to = random.oneOf(2) ? from + 1 : anywhere(module, random);
    module.instructions.insert(module.instructions.begin() + static_cast<std::ptrdiff_t>(to), copy);
    return true;
}

bool swapInstructions(Module& module, Random& random) {
    const size_t a = anywhere(module, random);
    const size_t b = random.oneOf(2) ? std::min(a + 1, module.instructions.size() - 1)
                                     : anywhere(module, random);
    std::swap(module.instructions[a], module.instructions[b]);
    return true;
}

bool moveInstruction(Module& module, Random& random) {
    const size_t from = anywhere(module, random), to = anywhere(module, random);
    Instruction moved = std::move(module.instructions[from]);
    module.instructions.erase(module.instructions.begin() + static_cast<std::ptrdiff_t>(from));
    module.instructions.insert(module.instructions.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 to, module.instructions.size())),
                               std::move(moved));
    return true;
}

bool changeLength(Module& module, Random& random) {
    Instruction& i = module.instructions[anywhere(module, random)];
    if (random.oneOf(2) && i.words.size() > 1) {
        i.words.erase(i.words.begin() +
                      static_cast<std::ptrdiff_t>(1 + random.below(i.words.size() - 1)));
    } else {
        const Word word = i.words.size() > 1 ? random.from(i.words) : literal(0);
        i.words.push_back(word.kind == Kind::kOpcode ? literal(random.below(64)) : word);
    }
    return true;
}

bool truncate(Module& module, Random& random) {
    module.instructions.resize(1 + anywhere(module, random));
    return true;
}

bool changeHeader(Module& module, Random& random) {
    constexpr uint32_t kVersions[] = {0x00010000, 0x00010300, 0x00010400,
                                      0x00010500, 0x00010600, 0x00010700};
    if (random.oneOf(4)) {
        module.header[3] = random.from(kInteresting);
    } else {
        module.header[1] = random.from(kVersions);
    }
    return true;
}

constexpr Move kRoughMoves[] = {
    replaceLiteral,    replaceLiteral,       replaceLiteral,   replaceId,       replaceId,
    replaceId,         changeOpcode,         changeOpcode,     anyWord,         removeInstruction,
    removeInstruction, duplicateInstruction, swapInstructions, moveInstruction, changeLength,
};
constexpr Move kViolentMoves[] = {truncate, changeHeader, removeInstruction, anyWord};

}  // namespace

void mutateOptions(Options& options, Random& random) {
    auto* bytes = reinterpret_cast<uint8_t*>(&options);
    for (size_t count = 1 + random.below(3); count > 0; --count) {
        const size_t at = 1 + random.below(sizeof(Options) - 1);
        bytes[at] = static_cast<uint8_t>(random.oneOf(2) ? random.below(8) : random.word());
    }
    if (random.oneOf(3)) options = {};
}

void mutate(Module& module, Random& random) {
    const std::span<const Move> gentle = gentleMoves();
    const size_t mood = random.below(16);
    for (size_t count = 1 + random.below(4); count > 0; --count) {
        if (module.instructions.empty()) return;
        if (mood < 9) {
            random.from(gentle)(module, random);
        } else if (mood < 15) {
            random.from(kRoughMoves)(module, random);
        } else {
            random.from(kViolentMoves)(module, random);
        }
    }
}

void splice(Module& module, const Module& other, Random& random) {
    // Ids of the piece that it does not define itself are replaced by similar ids of this module.
    const size_t begin = random.below(other.instructions.size());
    const size_t length = std::min(1 + random.below(12), other.instructions.size() - begin);
    const Facts here(module), there(other);
    std::unordered_map<uint32_t, uint32_t> renamed;
    std::vector<Instruction> piece(
        other.instructions.begin() + static_cast<std::ptrdiff_t>(begin),
        other.instructions.begin() + static_cast<std::ptrdiff_t>(begin + length));
    for (const Instruction& i : piece) {
        if (i.result() != 0) renamed.emplace(i.result(), module.freshId());
    }
    for (Instruction& i : piece) {
        for (Word& word : i.words) {
            if (word.kind == Kind::kOpcode || word.kind == Kind::kLiteral) continue;
            auto found = renamed.find(word.value);
            if (found == renamed.end())
                found = renamed.emplace(word.value, here.alike(there, word.value, random)).first;
            word.value = found->second;
        }
    }
    // After an instruction of the same kind as the piece's first one, if there is any.
    size_t at = random.below(module.instructions.size());
    for (size_t tries = 0; tries < module.instructions.size(); ++tries) {
        const size_t candidate = (at + tries) % module.instructions.size();
        if (module.instructions[candidate].opcode() == piece[0].opcode()) {
            at = candidate;
            break;
        }
    }
    module.instructions.insert(module.instructions.begin() + static_cast<std::ptrdiff_t>(at),
                               piece.begin(), piece.end());
}

std::vector<uint8_t> mutateInput(std::span<const uint8_t> bytes, Random& random) {
    const RewriteInput input(bytes);
    Options options = input.options();
    if (random.oneOf(8)) mutateOptions(options, random);
    Module module = split(input.words());
    if (module.instructions.empty()) return {};
    mutate(module, random);
    return pack(options, join(module));
}

std::vector<uint8_t> spliceInputs(std::span<const uint8_t> bytes, std::span<const uint8_t> other,
                                  Random& random) {
    const RewriteInput a(bytes), b(other);
    Module module = split(a.words());
    const Module from = split(b.words());
    if (module.instructions.empty() || from.instructions.empty()) return {};
    splice(module, from, random);
    return pack(a.options(), join(module));
}

}  // namespace coopvk::fuzz
