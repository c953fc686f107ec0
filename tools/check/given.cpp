// SPDX-License-Identifier: Apache-2.0
//
// Memory that a dispatch on a device had. Descriptors say what is in their ranges; what is where an
// address points, the type of the address says.
#include <deque>
#include <format>
#include <set>

#include "memory.hpp"

namespace coopvk::check {
namespace {

constexpr size_t kMostBuffers = 4096;
// Where no device has memory.
constexpr uint64_t kMadeUp = uint64_t{1} << 60;

class GivenFinder {
 public:
    GivenFinder(const Module& module, const Interface& interface, const Given& given)
        : module_(module), given_(given), interface_(interface) {}

    std::vector<Buffer> find(std::span<const std::byte> pushConstants) {
        for (const BufferUse& use : interface_.buffers) {
            if (use.place == Place::kDescriptor) addDescriptors(use);
        }
        if (module_.usesAddresses()) followAll(pushConstants);
        return {buffers_.begin(), buffers_.end()};
    }

 private:
    void followAll(std::span<const std::byte> pushConstants) {
        module_.visit(
            interface_.pushConstants, 0, pushConstants.size(), [&](const Module::Run& run) {
                for (uint64_t i = 0; i < run.count; ++i)
                    follow(pushConstants.data() + run.offset + i * run.stride, run.format);
            });
        // Buffers are added while this goes on.
        for (size_t i = 0; i < buffers_.size() && buffers_.size() < kMostBuffers; ++i) {
            const std::vector<std::byte>& bytes = buffers_[i].bytes;
            visitNumbers(module_, buffers_[i], [&](uint64_t offset, const Format& format) {
                if (offset + format.bytes() <= bytes.size()) follow(bytes.data() + offset, format);
            });
        }
        addOthers();
    }

    void add(const BufferUse& use, uint32_t element, uint64_t address, std::string name,
             const GivenRange& range) {
        const auto& region = given_.regions[range.region];
        const auto begin = region.begin() + static_cast<ptrdiff_t>(range.offset);
        Buffer buffer{.name = std::move(name), .use = use, .element = element, .address = address};
        buffer.bytes.assign(begin, begin + static_cast<ptrdiff_t>(range.size));
        buffer.range = range;
        buffers_.push_back(std::move(buffer));
    }

    void addDescriptors(const BufferUse& use) {
        for (const auto& [place, range] : given_.descriptors) {
            const auto& [set, binding, element] = place;
            if (set != use.set || binding != use.binding) continue;
            std::string name = std::format("set {}, binding {}", set, binding);
            if (use.count > 1) name += std::format(", element {}", element);
            // Functions that decode blocks get addresses of a descriptor's, which the device has
            // not told.
            add(use, element, kMadeUp + (uint64_t{buffers_.size()} << 32), std::move(name), range);
        }
    }

    // The type to which addresses without one point: that of any address.
    uint32_t anyType() const {
        for (const BufferUse& use : interface_.buffers)
            if (use.place == Place::kAddress) return use.type;
        return 0;
    }

    void follow(const std::byte* at, const Format& format) {
        const bool isNumber = format.kind == Format::Kind::kInteger && format.bits == 64;
        if (format.kind != Format::Kind::kAddress && !isNumber) return;
        addAddress(readBits(at, format), format.pointee);
    }

    void addAddress(uint64_t address, uint32_t type) {
        auto found = given_.addresses.upper_bound(address);
        if (found == given_.addresses.begin()) return;
        const auto& [first, range] = *--found;
        if (address - first >= range.size) return;
        if (type == 0) type = anyType();
        if (type == 0 || !seen_.emplace(address, type).second) return;
        reached_.insert(first);
        const uint64_t skipped = address - first;
        add(useOf(type), 0, address, std::format("address {:#x}", address),
            {range.region, range.offset + skipped, range.size - skipped});
    }

    BufferUse useOf(uint32_t type) const {
        for (const BufferUse& use : interface_.buffers)
            if (use.place == Place::kAddress && use.type == type) return use;
        return {.type = type, .place = Place::kAddress};
    }

    // Addresses that the module computes.
    void addOthers() {
        for (const auto& [address, range] : given_.addresses)
            if (!reached_.contains(address)) addAddress(address, 0);
    }

    const Module& module_;
    const Given& given_;
    const Interface& interface_;
    std::deque<Buffer> buffers_;  // which stay where they are
    std::set<std::pair<uint64_t, uint32_t>> seen_;
    std::set<uint64_t> reached_;
};

}  // namespace

std::vector<Buffer> givenBuffers(const Module& module, const Interface& interface,
                                 const Given& given, std::span<const std::byte> pushConstants) {
    return GivenFinder(module, interface, given).find(pushConstants);
}

std::vector<std::vector<std::byte>> contentsOf(const Memory& memory,
                                               const std::vector<std::vector<std::byte>>& regions) {
    std::vector<std::vector<std::byte>> contents;
    for (const Buffer& buffer : memory.buffers) {
        const GivenRange range = buffer.range.value_or(GivenRange{});
        const auto begin = regions[range.region].begin() + static_cast<ptrdiff_t>(range.offset);
        contents.emplace_back(begin, begin + static_cast<ptrdiff_t>(range.size));
    }
    return contents;
}

}  // namespace coopvk::check
