// SPDX-License-Identifier: Apache-2.0
#include "check/command/check_given.hpp"

#include <algorithm>
#include <filesystem>

#include "input_file.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

// A part of the file. False if the file has not so much.
bool take(const std::string& file, uint64_t offset, uint64_t size,
          std::vector<std::vector<std::byte>>& regions) {
    if (offset > file.size() || size > file.size() - offset) return false;
    const auto* bytes = reinterpret_cast<const std::byte*>(file.data()) + offset;
    regions.emplace_back(bytes, bytes + size);
    return true;
}

check::GivenRange rangeOf(const layer::KeptRange& kept) {
    return {kept.region, kept.offset, kept.size};
}

bool takeRegions(const layer::RecordedDispatch& dispatch, const std::string& file,
                 check::Given& given) {
    const bool hasAfter = std::ranges::all_of(
        dispatch.regions, [](const layer::KeptRegion& region) { return region.after.has_value(); });
    for (const layer::KeptRegion& region : dispatch.regions) {
        if (!take(file, region.before, region.size, given.regions)) return false;
        if (hasAfter && !take(file, *region.after, region.size, given.after)) return false;
    }
    return true;
}

}  // namespace

Result<std::shared_ptr<const check::Given>> givenMemory(const layer::RecordedDispatch& dispatch,
                                                        const std::string& folder) {
    const std::string path = (std::filesystem::path(folder) / dispatch.file).string();
    const auto file = readFile(path);
    if (!file) return file.error();
    auto given = std::make_shared<check::Given>();
    if (!takeRegions(dispatch, *file, *given))
        return Error{ErrorCode::kInvalidArgument, path + " is too short"};
    for (const layer::KeptDescriptor& kept : dispatch.descriptors)
        given->descriptors[{kept.set, kept.binding, kept.element}] = rangeOf(kept.range);
    for (const layer::KeptAddress& kept : dispatch.addresses)
        given->addresses[kept.address] = rangeOf(kept.range);
    for (const layer::KeptBlock& block : dispatch.blocks) {
        given->descriptors[{block.set, block.binding, 0}] = {
            static_cast<uint32_t>(given->regions.size()), 0, block.bytes.size()};
        given->regions.push_back(block.bytes);
        if (!given->after.empty()) given->after.push_back(block.bytes);
    }
    given->base = dispatch.base;
    return std::shared_ptr<const check::Given>(std::move(given));
}

}  // namespace coopvk::tool
