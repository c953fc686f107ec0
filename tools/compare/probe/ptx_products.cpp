// SPDX-License-Identifier: Apache-2.0
//
// Facts of the PTX ISA 8.7 ("Matrix Fragments for mma.m16n8k16 with floating point type", "... for
// mma.m16n8k32") and of the CUDA driver API. NVIDIA's driver brings the library.
#include <array>
#include <format>
#include <span>
#include <stdexcept>

#include "compare/probe/product_device.hpp"
#include "system/tool_system.hpp"

namespace coopvk::compare {
namespace {

constexpr uint32_t kRows = 16, kColumns = 8, kLanes = 32;
constexpr uint32_t kRowBytes = 32;  // of A, and of a column of B

struct PtxType {
    Component component;
    std::string_view name;
};
constexpr PtxType kFactors[] = {{VK_COMPONENT_TYPE_FLOAT16_KHR, "f16"},
                                {VK_COMPONENT_TYPE_BFLOAT16_KHR, "bf16"},
                                {VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT, "e4m3"},
                                {VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT, "e5m2"}};
constexpr Component kSums[] = {VK_COMPONENT_TYPE_FLOAT32_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR};

std::string_view ptxName(Component factor) {
    for (const PtxType& type : kFactors)
        if (type.component == factor) return type.name;
    return {};
}

// Lane 4g + t holds of A the words t and t + 4 of the rows g and g + 8, of B those of column g, and
// of C the columns 2t and 2t + 1 of these rows. Block i computes product i.
std::string ptxOf(const MatrixRow& row) {
    const bool isWide = row.result == VK_COMPONENT_TYPE_FLOAT32_KHR;
    const std::string_view sum = isWide ? "f32" : "f16", factor = ptxName(row.a);
    // Two sums of a row are neighbours: two words of f32, or one of f16.
    const std::string_view word = isWide ? "v2.b32" : "b32";
    const auto pair = [&](std::string_view name, uint32_t i) {
        return isWide ? std::format("{{%{0}{1}, %{0}{2}}}", name, 2 * i, 2 * i + 1)
                      : std::format("%{}{}", name, i);
    };
    const auto list = [&](std::string_view name) {
        return isWide ? std::format("{{%{0}0, %{0}1, %{0}2, %{0}3}}", name)
                      : std::format("{{%{0}0, %{0}1}}", name);
    };
    const uint32_t sumRow = kColumns * info(row.result).bytes();
    std::string text = std::format(
        ".version 8.7\n.target sm_89\n.address_size 64\n"
        ".visible .entry products(.param .u64 A, .param .u64 B, .param .u64 C, .param .u64 D) {{\n"
        ".reg .b32 %a<4>, %b<2>, %c<4>, %d<4>, %lane, %group, %inGroup, %product, %offset;\n"
        ".reg .b64 %A, %B, %C, %D, %wide;\n"
        "mov.u32 %lane, %tid.x;\nmov.u32 %product, %ctaid.x;\n"
        "shr.u32 %group, %lane, 2;\nand.b32 %inGroup, %lane, 3;\n");
    const auto place = [&](char matrix, uint32_t size, uint32_t rowSize, uint32_t unit) {
        text += std::format(
            "ld.param.u64 %{0}, [{0}];\ncvta.to.global.u64 %{0}, %{0};\n"
            "mul.wide.u32 %wide, %product, {1};\nadd.s64 %{0}, %{0}, %wide;\n"
            "mul.lo.u32 %offset, %group, {2};\nmad.lo.u32 %offset, %inGroup, {3}, %offset;\n"
            "cvt.u64.u32 %wide, %offset;\nadd.s64 %{0}, %{0}, %wide;\n",
            matrix, size, rowSize, unit);
    };
    place('A', kRows * kRowBytes, kRowBytes, 4);
    place('B', kColumns * kRowBytes, kRowBytes, 4);
    place('C', kRows * sumRow, sumRow, sumRow / 4);
    place('D', kRows * sumRow, sumRow, sumRow / 4);
    for (uint32_t i = 0; i < 4; ++i)
        text += std::format("ld.global.b32 %a{}, [%A+{}];\n", i,
                            8 * kRowBytes * (i % 2) + kRowBytes / 2 * (i / 2));
    for (uint32_t i = 0; i < 2; ++i)
        text += std::format("ld.global.b32 %b{}, [%B+{}];\n", i, kRowBytes / 2 * i);
    for (uint32_t i = 0; i < 2; ++i)
        text += std::format("ld.global.{} {}, [%C+{}];\n", word, pair("c", i), 8 * sumRow * i);
    text += std::format(
        "mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{2}.{1} {3}, {{%a0, %a1, %a2, %a3}}, "
        "{{%b0, %b1}}, {4};\n",
        row.k, sum, factor, list("d"), list("c"));
    for (uint32_t i = 0; i < 2; ++i)
        text += std::format("st.global.{} [%D+{}], {};\n", word, 8 * sumRow * i, pair("d", i));
    return text + "ret;\n}\n";
}

// The functions of the driver API that this needs.
class Cuda {
 public:
    using Status = int;
    using Address = unsigned long long;

    explicit Cuda(uint32_t device) {
        void* const library = tool::system::loadLibrary(tool::system::kCudaLibrary);
        if (library == nullptr)
            throw std::runtime_error(
                std::format("no NVIDIA driver: {} is not there", tool::system::kCudaLibrary));
        load(library, "cuGetErrorName", errorName_);
        load(library, "cuInit", init_);
        load(library, "cuDeviceGet", deviceGet_);
        load(library, "cuDeviceGetName", deviceGetName_);
        load(library, "cuDevicePrimaryCtxRetain", retain_);
        load(library, "cuCtxSetCurrent", setCurrent_);
        load(library, "cuModuleLoadData", moduleLoad_);
        load(library, "cuModuleUnload", moduleUnload_);
        load(library, "cuModuleGetFunction", moduleFunction_);
        load(library, "cuMemAlloc_v2", allocate_);
        load(library, "cuMemFree_v2", free_);
        load(library, "cuMemcpyHtoD_v2", toDevice_);
        load(library, "cuMemcpyDtoH_v2", toHost_);
        load(library, "cuLaunchKernel", launch_);
        check(init_(0), "cuInit");
        int handle = 0;
        check(deviceGet_(&handle, int(device)), "cuDeviceGet");
        std::array<char, 256> name{};
        check(deviceGetName_(name.data(), int(name.size()), handle), "cuDeviceGetName");
        name_ = name.data();
        void* context = nullptr;
        check(retain_(&context, handle), "cuDevicePrimaryCtxRetain");
        check(setCurrent_(context), "cuCtxSetCurrent");
    }

    const std::string& name() const { return name_; }

    // Runs `products` of the text with addresses of the buffers; afterwards the last one has what
    // the device's copy of it has.
    void run(const std::string& ptx, uint32_t blocks, std::span<Bytes> buffers) {
        Memory memory(*this, buffers.size());
        void *module = nullptr, *function = nullptr;
        check(moduleLoad_(&module, ptx.c_str()), "cuModuleLoadData");
        memory.module = module;
        check(moduleFunction_(&function, module, "products"), "cuModuleGetFunction");
        std::vector<void*> arguments;
        for (size_t i = 0; i < buffers.size(); ++i) {
            check(allocate_(&memory.addresses[i], buffers[i].size()), "cuMemAlloc");
            check(toDevice_(memory.addresses[i], buffers[i].data(), buffers[i].size()), "copy");
            arguments.push_back(&memory.addresses[i]);
        }
        check(launch_(function, blocks, 1, 1, kLanes, 1, 1, 0, nullptr, arguments.data(), nullptr),
              "cuLaunchKernel");
        Bytes& result = buffers.back();
        check(toHost_(result.data(), memory.addresses.back(), result.size()), "copy");
    }

 private:
    struct Memory {
        Memory(Cuda& owner, size_t buffers) : cuda(owner), addresses(buffers) {}
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        ~Memory() {
            for (const Address address : addresses)
                if (address != 0) cuda.free_(address);
            if (module != nullptr) cuda.moduleUnload_(module);
        }
        Cuda& cuda;
        std::vector<Address> addresses;
        void* module = nullptr;
    };

    template <typename Function>
    static void load(void* library, const char* name, Function*& function) {
        function = reinterpret_cast<Function*>(tool::system::functionOf(library, name));
        if (function == nullptr)
            throw std::runtime_error(std::format("{} has no {}", tool::system::kCudaLibrary, name));
    }

    void check(Status status, std::string_view call) const {
        if (status == 0) return;
        const char* name = nullptr;
        errorName_(status, &name);
        throw std::runtime_error(
            std::format("{}: {}", call, name != nullptr ? name : std::to_string(status)));
    }

    std::string name_;
    Status (*errorName_)(Status, const char**) = nullptr;
    Status (*init_)(unsigned) = nullptr;
    Status (*deviceGet_)(int*, int) = nullptr;
    Status (*deviceGetName_)(char*, int, int) = nullptr;
    Status (*retain_)(void**, int) = nullptr;
    Status (*setCurrent_)(void*) = nullptr;
    Status (*moduleLoad_)(void**, const void*) = nullptr;
    Status (*moduleUnload_)(void*) = nullptr;
    Status (*moduleFunction_)(void**, void*, const char*) = nullptr;
    Status (*allocate_)(Address*, size_t) = nullptr;
    Status (*free_)(Address) = nullptr;
    Status (*toDevice_)(Address, const void*, size_t) = nullptr;
    Status (*toHost_)(void*, Address, size_t) = nullptr;
    Status (*launch_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      void*, void**, void**) = nullptr;
};

class PtxProducts : public ProductDevice {
 public:
    explicit PtxProducts(uint32_t device) : cuda_(device) {}

    std::string name() const override { return cuda_.name() + ", mma.sync"; }

    std::vector<MatrixRow> rows() override {
        std::vector<MatrixRow> rows;
        for (const PtxType& factor : kFactors)
            for (const Component sum : kSums)
                if (factor.component != VK_COMPONENT_TYPE_BFLOAT16_KHR || sum == kSums[0])
                    rows.push_back({kRows, kColumns, kRowBytes / info(factor.component).bytes(),
                                    factor.component, factor.component, sum, sum});
        return rows;
    }

    std::vector<uint64_t> compute(const Products& p) override {
        const MatrixRow& row = p.row;
        std::vector<uint64_t> columns(p.b.size());  // of B, each along K
        const size_t size = size_t{row.k} * row.n;
        for (size_t e = 0; e < p.b.size(); ++e) {
            const size_t within = e % size, k = within / row.n, column = within % row.n;
            columns[e - within + column * row.k + k] = p.b[e];
        }
        std::array<Bytes, 4> buffers = {memoryOf(row.a, p.a), memoryOf(row.b, columns),
                                        memoryOf(row.c, p.c), memoryOf(row.c, p.c)};
        std::ranges::fill(buffers[3], std::byte(0xA5));
        cuda_.run(ptxOf(row), p.count, buffers);
        std::vector<uint64_t> results(p.sums());
        for (size_t e = 0; e < results.size(); ++e)
            results[e] = readBits(buffers[3], e * info(row.result).bytes(), row.result);
        return results;
    }

 private:
    Cuda cuda_;
};

}  // namespace

std::unique_ptr<ProductDevice> ptxProducts(uint32_t device) {
    return std::make_unique<PtxProducts>(device);
}

}  // namespace coopvk::compare
