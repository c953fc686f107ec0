// SPDX-License-Identifier: Apache-2.0
#include "system/hash.hpp"

#include <gtest/gtest.h>

#include <string>

#include "system/sha256.hpp"

namespace coopvk::layer::hash_test {
namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hex(const Digest& digest) {
    std::string text;
    for (uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string sha256(std::string_view text) { return hex(Sha256().add(bytesOf(text)).finish()); }

// The test vectors that Fowler, Noll and Vo publish.
TEST(Hash, Fnv1a) {
    EXPECT_EQ(fnv1a(bytesOf("")), 0xcbf29ce484222325u);
    EXPECT_EQ(fnv1a(bytesOf("a")), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(fnv1a(bytesOf("foobar")), 0x85944171f73967e8u);
    // In two steps.
    EXPECT_EQ(fnv1a(bytesOf("bar"), fnv1a(bytesOf("foo"))), 0x85944171f73967e8u);
}

TEST(Hash, HexName) {
    EXPECT_EQ(hexName(0), "0000000000000000");
    EXPECT_EQ(hexName(0x0123456789abcdef), "0123456789abcdef");
    EXPECT_EQ(hexName(~uint64_t{0}), "ffffffffffffffff");
}

// The examples of FIPS 180, and lengths around a block's end.
TEST(Hash, Sha256) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(sha256(std::string(55, 'a')),
              "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(sha256(std::string(64, 'a')),
              "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Hash, Sha256InPieces) {
    const std::string text(200, 'x');
    for (size_t cut : {1u, 63u, 64u, 65u, 128u}) {
        Sha256 hash;
        hash.add(bytesOf(text).first(cut)).add(bytesOf(text).subspan(cut));
        EXPECT_EQ(hex(hash.finish()), sha256(text)) << cut;
    }
}

TEST(Hash, TextsDoNotRunIntoEachOther) {
    EXPECT_NE(Sha256().addText("ab").addText("c").finish(),
              Sha256().addText("a").addText("bc").finish());
}

}  // namespace
}  // namespace coopvk::layer::hash_test
