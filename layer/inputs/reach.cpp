// SPDX-License-Identifier: Apache-2.0
#include "inputs/reach.hpp"

#include <algorithm>
#include <cstring>

namespace coopvk::layer::inputs {
namespace {

std::string nameOf(const KeptDescriptor& place) {
    std::string name =
        "set " + std::to_string(place.set) + ", binding " + std::to_string(place.binding);
    if (place.element != 0) name += ", element " + std::to_string(place.element);
    return name;
}

// Dynamic offsets in the order in which a set's layout takes them.
std::map<DescriptorKey, uint64_t> offsetsOf(const BoundSet& bound) {
    std::map<DescriptorKey, uint64_t> offsets;
    if (bound.set->layout == nullptr) return offsets;
    size_t next = 0;
    for (const auto& [binding, of] : *bound.set->layout) {
        if (!isDynamic(of.type)) continue;
        for (uint32_t i = 0; i < of.count && next < bound.dynamicOffsets.size(); ++i)
            offsets[{binding, i}] = bound.dynamicOffsets[next++];
    }
    return offsets;
}

}  // namespace

bool Reach::addRange(const std::string& name, const TrackedBuffer* buffer, uint64_t offset,
                     uint64_t size) {
    const char* why = nullptr;
    if (buffer == nullptr)
        why = ", a buffer that does not exist,";
    else if (!buffer->canBeCopied)
        why = ", a buffer that cannot be copied,";
    else if (offset > buffer->size || size > buffer->size - offset)
        why = ", a range beyond its buffer,";
    else if (size == 0)
        return false;
    else if (!ranges_.add(*buffer, offset, size))
        why = ", which exceeds dump_inputs,";
    if (why == nullptr) return true;
    record_.missing.push_back(name + " (" + std::to_string(size) + " bytes)" + why);
    return false;
}

void Reach::addDescriptor(const KeptDescriptor& place, const Descriptor& descriptor,
                          uint64_t dynamicOffset) {
    if (descriptor.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        record_.blocks.push_back({place.set, place.binding, descriptor.bytes});
        return;
    }
    if (!isBuffer(descriptor.type)) {
        record_.missing.push_back(nameOf(place) + ", " + describe(descriptor.type) + ",");
        return;
    }
    if (descriptor.buffer.buffer == VK_NULL_HANDLE) return;  // a null descriptor
    const TrackedBuffer* buffer = objects_.buffer(descriptor.buffer.buffer);
    const uint64_t offset = descriptor.buffer.offset + dynamicOffset;
    uint64_t size = descriptor.buffer.range;
    if (size == VK_WHOLE_SIZE)
        size = buffer != nullptr && offset <= buffer->size ? buffer->size - offset : 0;
    if (!addRange(nameOf(place), buffer, offset, size)) return;
    record_.descriptors.push_back(place);
    record_.descriptors.back().range.size = size;
    descriptors_.push_back({buffer, offset});
}

void Reach::addSets(const Recording& commands) {
    if (!commands.opaque.empty()) {
        record_.missing.push_back("what is in " + commands.opaque);
        return;
    }
    for (const auto& [number, bound] : commands.sets) {
        const auto offsets = offsetsOf(bound);
        for (const auto& [key, descriptor] : bound.set->descriptors) {
            const auto offset = offsets.find(key);
            addDescriptor({number, key.first, key.second, {}}, descriptor,
                          offset == offsets.end() ? 0 : offset->second);
        }
    }
}

void Reach::addAddress(const TrackedBuffer& buffer) {
    if (!addressed_.insert(&buffer).second) return;
    const std::string name = "the buffer at address " + std::to_string(buffer.address);
    if (!addRange(name, &buffer, 0, buffer.size)) return;
    record_.addresses.push_back({buffer.address, {.size = buffer.size}});
    addresses_.push_back(&buffer);
}

void Reach::addAddressesIn(std::span<const std::byte> bytes) {
    for (size_t at = 0; at + sizeof(VkDeviceAddress) <= bytes.size(); at += sizeof(uint32_t)) {
        VkDeviceAddress address = 0;
        std::memcpy(&address, bytes.data() + at, sizeof(address));
        const TrackedBuffer* buffer = objects_.bufferAt(address);
        if (buffer != nullptr) addAddress(*buffer);
    }
}

void Reach::addAddresses(std::span<const std::byte> pushConstants) {
    addAddressesIn(pushConstants);
    for (const KeptBlock& block : record_.blocks) addAddressesIn(block.bytes);
    std::vector<const TrackedBuffer*> others;
    for (const auto& [handle, buffer] : objects_.buffers)
        if (buffer.address != 0) others.push_back(&buffer);
    std::ranges::sort(others, [](const TrackedBuffer* a, const TrackedBuffer* b) {
        return std::tie(a->size, a->address) < std::tie(b->size, b->address);
    });
    // They need not be in use: one line for all that do not fit.
    std::vector<std::string> missing = std::move(record_.missing);
    record_.missing.clear();
    for (const TrackedBuffer* buffer : others) addAddress(*buffer);
    const size_t left = record_.missing.size();
    record_.missing = std::move(missing);
    if (left != 0)
        record_.missing.push_back("what is in " + std::to_string(left) +
                                  " more buffers with addresses");
}

RecordedDispatch Reach::finish() {
    ranges_.place();
    for (size_t i = 0; i < descriptors_.size(); ++i) {
        KeptRange& range = record_.descriptors[i].range;
        range = ranges_.find(*descriptors_[i].buffer, descriptors_[i].offset, range.size);
    }
    for (size_t i = 0; i < addresses_.size(); ++i) {
        KeptRange& range = record_.addresses[i].range;
        range = ranges_.find(*addresses_[i], 0, range.size);
    }
    record_.regions = ranges_.regions();
    return std::move(record_);
}

}  // namespace coopvk::layer::inputs
