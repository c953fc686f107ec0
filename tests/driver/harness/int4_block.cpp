// SPDX-License-Identifier: Apache-2.0
#include "int4_block.hpp"

namespace coopvk::test::int4 {
namespace {

// The value of a constant that is put into blocks, by its number.
uint32_t constantAt(uint32_t n) { return (n * 5 + 3) % 16; }

// The types and the invocation's choices; the two tests add the operations on them.
class Shader {
 public:
    explicit Shader(const BlockCase& c) : c_(c), v_((c.isSigned() ? "s4x" : "u4x") + number()) {
        a_.capabilities = {"Int4TypeINTEL", "Vector16"};
        a_.extensions = {"SPV_INTEL_int4"};
        const char* scalar = c.isSigned() ? "%s4" : "%u4";
        a_.types = std::string(scalar) + " = OpTypeInt 4 " + (c.isSigned() ? "1" : "0") + "\n%" +
                   v_ + " = OpTypeVector " + scalar + " " + number() + "\n";
        if (c.components != 2) a_.types += "%pair = OpTypeVector " + std::string(scalar) + " 2\n";
        a_.types += "%item = OpTypeStruct " + pair() + " %" + v_ +
                    "\n%items = OpTypeArray %item %c_3\n" + "%block = OpTypeStruct %" + v_ +
                    " %items\n";
        const Layouted at = c.layout();
        const auto text = [](uint32_t value) { return std::to_string(value); };
        a_.decorations = "OpMemberDecorate %item 0 Offset 0\nOpMemberDecorate %item 1 Offset " +
                         text(at.vector) + "\nOpDecorate %items ArrayStride " + text(at.stride) +
                         "\nOpMemberDecorate %block 0 Offset " + text(at.first) +
                         "\nOpMemberDecorate %block 1 Offset " + text(at.items) + "\n";
        line("%l = OpLoad %u32 %lane\n%gp = OpAccessChain %in_u32 %group %c_0");
        line("%g = OpLoad %u32 %gp\n%gw = OpIMul %u32 %g %workgroup_width");
        line("%i = OpIAdd %u32 %gw %l\n%i1 = OpIAdd %u32 %i %c_1\n%i3 = OpIAdd %u32 %i %c_3");
        line("%j = OpUMod %u32 %i %c_3\n%j2 = OpUMod %u32 %i1 %c_3");
        line("%k = OpUMod %u32 %i " + constant(c.components));
        line("%k2 = OpUMod %u32 %i3 " + constant(c.components));
    }

    // Invocations load from one block, and store the values as words.
    Assembly loads() {
        a_.buffers = {{"in", "u32", 4}, {"out", "u32x2", 8}};
        makeSource();
        pointers(rowOf(c_.storage).spirv);
        line("%p0 = OpAccessChain %to_v %source %c_0");
        line("%v0 = OpLoad %" + v_ + " %p0" + aligned());
        line("%pj = OpAccessChain %to_v %source %c_1 %j %c_1");
        line("%vj = OpLoad %" + v_ + " %pj" + aligned());
        line("%pk = OpAccessChain %to_one %source %c_1 %j %c_1 %k");
        line("%ek = OpLoad " + scalar() + " %pk" + aligned());
        line("%pi = OpAccessChain %to_item %source %c_1 %j2");
        line("%vi = OpLoad %item %pi" + aligned());
        line("%v2 = OpCompositeExtract %" + v_ + " %vi 1");
        line("%el = OpCompositeExtract " + scalar() + " %vi 1 " +
             std::to_string(c_.components - 1));
        line("%all = OpLoad %block %source" + aligned());
        line("%va = OpCompositeExtract %" + v_ + " %all 1 2 1");
        line("%eb = OpVectorExtractDynamic " + scalar() + " %va %k2");
        line("%first = OpIMul %u32 %i " + constant(kLoadResults));
        for (const char* vector : {"%v0", "%vj", "%v2", "%va"}) storeVector(vector);
        for (const char* one : {"%ek", "%el", "%eb"}) storeScalar(one);
        return a_;
    }
    // Each invocation copies the block to its own block, through the storage class, and changes
    // parts of it there.
    Assembly stores() {
        a_.buffers = {{"in", "block", c_.layout().size}, {"out", "block", c_.layout().size}};
        makeTarget();
        pointers(rowOf(c_.storage).spirv);
        if (c_.storage != Storage::kBuffer)
            a_.declarations += "%from_v = OpTypePointer StorageBuffer %" + v_ +
                               "\n%from_one = OpTypePointer StorageBuffer " + scalar() + "\n";
        const std::string from = c_.storage == Storage::kBuffer ? "%to_" : "%from_";
        line("%ps = OpAccessChain %sb_block %in %c_0 %c_0\n%all = OpLoad %block %ps");
        editValue();
        if (isPlain()) line("%plain = OpCopyLogical %plain_block %edited");
        line(std::string("OpStore %target ") + (isPlain() ? "%plain" : "%edited") + aligned());
        line("%s0 = OpAccessChain " + from + "v %in %c_0 %c_0 %c_0");
        line("%tj = OpAccessChain %to_v %target %c_1 %j %c_1");
        line(c_.storage == Storage::kPhysical ? "OpCopyMemory %tj %s0 Aligned 1"
                                              : "OpCopyMemory %tj %s0");
        line("%s1 = OpAccessChain " + from + "one %in %c_0 %c_0 %c_1 %j %c_1 %k2");
        line("%e1 = OpLoad " + scalar() + " %s1");
        line("%t1 = OpAccessChain %to_one %target %c_1 %j2 %c_1 %k");
        line("OpStore %t1 %e1" + aligned());
        line("%s2 = OpAccessChain " + from + "v %in %c_0 %c_0 %c_1 %c_2 %c_1");
        line("%v2 = OpLoad %" + v_ + " %s2");
        line("%new = OpVectorInsertDynamic %" + v_ + " %v2 %e1 %k2");
        line("%t0 = OpAccessChain %to_v %target %c_0\nOpStore %t0 %new" + aligned());
        if (c_.storage == Storage::kBuffer || c_.storage == Storage::kPhysical) return a_;
        // And from there to the buffer.
        line("%after = OpLoad " + std::string(isPlain() ? "%plain_block" : "%block") + " %target");
        line("%last = OpAccessChain %sb_block %out %c_0 %i");
        if (isPlain()) line("%laid = OpCopyLogical %block %after");
        line(std::string("OpStore %last ") + (isPlain() ? "%laid" : "%after"));
        return a_;
    }

 private:
    // %edited: the block %all as a value, with a vector, a component, an item made of other values
    // and a constant item put into it.
    void editValue() {
        std::string vector, one;
        for (uint32_t n = 0; n <= c_.components; ++n) {
            const std::string id = "%n" + std::to_string(n);
            const auto value = static_cast<int32_t>(constantAt(n));
            a_.declarations += id + " = OpConstant " + scalar() + " " +
                               std::to_string(c_.isSigned() && value >= 8 ? value - 16 : value) +
                               "\n";
            if (n > 0) vector += " " + id;
        }
        a_.declarations += "%k_pair = OpConstantComposite " + pair() +
                           " %n0 %n1\n%k_vector = " + "OpConstantComposite %" + v_ + vector +
                           "\n%k_item = OpConstantComposite %item %k_pair %k_vector\n";
        const std::string last = std::to_string(c_.components - 1);
        line("%x1 = OpCompositeExtract %" + v_ + " %all 1 1 1");
        line("%b1 = OpCompositeInsert %block %x1 %all 0");
        line("%x2 = OpCompositeExtract " + scalar() + " %all 1 0 1 0");
        line("%b2 = OpCompositeInsert %block %x2 %b1 1 2 1 " + last);
        line("%x3 = OpCompositeExtract " + pair() + " %all 1 2 0");
        line("%x4 = OpCompositeExtract %" + v_ + " %all 1 2 1");
        line("%x5 = OpCompositeConstruct %item %x3 %x4");
        line("%b3 = OpCompositeInsert %block %x5 %b2 1 0");
        line("%edited = OpCompositeInsert %block %k_item %b3 1 1");
    }

    void line(const std::string& text) { a_.body += text + "\n"; }
    std::string pair() const { return c_.components == 2 ? "%" + v_ : "%pair"; }
    std::string number() const { return std::to_string(c_.components); }
    std::string scalar() const { return c_.isSigned() ? "%s4" : "%u4"; }
    std::string aligned() const { return c_.storage == Storage::kPhysical ? " Aligned 1" : ""; }
    // Without a layout.
    bool isPlain() const {
        return c_.storage == Storage::kWorkgroup || c_.storage == Storage::kPrivate ||
               c_.storage == Storage::kFunction;
    }
    bool isWorkgroup() const {
        return c_.storage == Storage::kWorkgroup || c_.storage == Storage::kWorkgroupBlock;
    }

    void pointers(const std::string& storage) {
        const std::string item = isPlain() ? "%plain_item" : "%item";
        a_.declarations += "%to_v = OpTypePointer " + storage + " %" + v_ +
                           "\n%to_one = OpTypePointer " + storage + " " + scalar() +
                           "\n%to_item = OpTypePointer " + storage + " " + item + "\n";
    }

    // Of a block in push constants: with the address of buffer 0 or 1, or all of the block.
    void addresses() {
        a_.capabilities.push_back("PhysicalStorageBufferAddresses");
        a_.declarations +=
            "%pc_address = OpTypePointer PushConstant %to_block\n"
            "%pushed = OpTypeStruct %to_block\n"
            "%pc_pushed = OpTypePointer PushConstant %pushed\n"
            "%push = OpVariable %pc_pushed PushConstant\n";
        a_.decorations += "OpDecorate %pushed Block\nOpMemberDecorate %pushed 0 Offset 0\n";
        a_.interfaces.push_back("%push");
        line("%pp = OpAccessChain %pc_address %push %c_0\n%base = OpLoad %to_block %pp");
    }

    // %source points to a block.
    void makeSource() {
        const std::string storage = rowOf(c_.storage).spirv;
        a_.declarations += "%to_block = OpTypePointer " + storage + " %block\n";
        if (c_.storage == Storage::kPhysical) {
            addresses();
            line("%source = OpCopyObject %to_block %base");
            return;
        }
        a_.declarations += "%source = OpVariable %to_block " + storage + "\n";
        a_.decorations += "OpDecorate %block Block\n";
        a_.interfaces.push_back("%source");
        if (c_.storage == Storage::kPush) return;
        a_.decorations += "OpDecorate %source DescriptorSet 0\nOpDecorate %source Binding " +
                          std::to_string(c_.storage == Storage::kUniform ? kUniformBinding : 0) +
                          "\n";
    }

    // %target points to a block of the invocation's own.
    void makeTarget() {
        const std::string storage = rowOf(c_.storage).spirv;
        if (c_.storage == Storage::kBuffer) {
            line("%target = OpAccessChain %sb_block %out %c_0 %i");
            return;
        }
        if (isPlain()) {
            a_.declarations += "%plain_item = OpTypeStruct " + pair() + " %" + v_ +
                               "\n%plain_items = OpTypeArray %plain_item %c_3\n%plain_block = "
                               "OpTypeStruct %" +
                               v_ + " %plain_items\n";
        }
        const std::string block = isPlain() ? "%plain_block" : "%block";
        a_.declarations += "%to_block = OpTypePointer " + storage + " " + block + "\n";
        if (c_.storage == Storage::kPhysical) {
            a_.decorations +=
                "OpDecorate %to_block ArrayStride " + std::to_string(c_.layout().size) + "\n";
            addresses();
            line("%target = OpPtrAccessChain %to_block %base %i");
            return;
        }
        if (!isWorkgroup()) {
            const std::string variable = "%target = OpVariable %to_block " + storage + "\n";
            if (c_.storage == Storage::kFunction) {
                a_.body = variable + a_.body;
                return;
            }
            a_.declarations += variable;
            a_.interfaces.push_back("%target");
            return;
        }
        workgroupBlocks(block);
    }

    void workgroupBlocks(const std::string& block) {
        const std::string count = constant(Context::get().subgroupSize);  // one an invocation
        a_.declarations += "%blocks = OpTypeArray " + block + " " + count + "\n";
        std::string all = "%blocks";
        std::string index = "%l";
        if (c_.storage == Storage::kWorkgroupBlock) {
            a_.capabilities.push_back("WorkgroupMemoryExplicitLayoutKHR");
            a_.extensions.push_back("SPV_KHR_workgroup_memory_explicit_layout");
            a_.declarations += "%shared = OpTypeStruct %blocks\n";
            a_.decorations += "OpDecorate %blocks ArrayStride " + std::to_string(c_.layout().size) +
                              "\nOpDecorate %shared Block\nOpMemberDecorate %shared 0 Offset 0\n";
            all = "%shared";
            index = "%c_0 %l";
        }
        a_.declarations +=
            "%to_all = OpTypePointer Workgroup " + all + "\n%wg = OpVariable %to_all Workgroup\n";
        a_.interfaces.push_back("%wg");
        line("%target = OpAccessChain %to_block %wg " + index);
    }

    void storePair(const std::string& pair) {
        const std::string n = std::to_string(results_);
        line("%at" + n + " = OpIAdd %u32 %first " + constant(results_++));
        line("%po" + n + " = OpAccessChain %sb_u32x2 %out %c_0 %at" + n + "\nOpStore %po" + n +
             " " + pair);
    }

    // The bits of a vector as two words.
    void storeVector(const std::string& vector) {
        const std::string n = std::to_string(results_);
        if (c_.components == 16) {
            line("%pair" + n + " = OpBitcast %u32x2 " + vector);
            return storePair("%pair" + n);
        }
        line("%bits" + n + " = OpBitcast %u" + std::to_string(c_.components * 4) + " " + vector);
        std::string word = "%bits" + n;
        if (c_.components != 8) {
            line("%word" + n + " = OpUConvert %u32 " + word);
            word = "%word" + n;
        }
        line("%pair" + n + " = OpCompositeConstruct %u32x2 " + word + " %c_0");
        storePair("%pair" + n);
    }

    void storeScalar(const std::string& one) {
        const std::string n = std::to_string(results_);
        line("%word" + n + (c_.isSigned() ? " = OpSConvert" : " = OpUConvert") + " %u32 " + one);
        line("%pair" + n + " = OpCompositeConstruct %u32x2 %word" + n + " %c_0");
        storePair("%pair" + n);
    }

    const BlockCase c_;
    const std::string v_;  // the vector's type
    Assembly a_;
    uint32_t results_ = 0;
};

}  // namespace

Assembly loadingModule(const BlockCase& c) { return Shader(c).loads(); }
Assembly storingModule(const BlockCase& c) { return Shader(c).stores(); }

}  // namespace coopvk::test::int4
