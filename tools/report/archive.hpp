// SPDX-License-Identifier: Apache-2.0
//
// An archive of files (POSIX tar, ustar), and what is personal in them.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tool {

struct ArchivedFile {
    std::string name;  // in the archive: at most 100 characters
    std::string bytes;
};

// False if a name is too long, or the stream fails.
bool writeArchive(std::ostream& out, const std::string& folder,
                  const std::vector<ArchivedFile>& files);

// The files of an archive, without the name of the folder in which they are; null if it is none, or
// cut off.
std::optional<std::vector<ArchivedFile>> readArchive(std::string_view bytes);

// A text in place of a path that says who and where somebody is.
struct Personal {
    std::string path, text;
};
// The user's folder and the working folder, the longest path first.
std::vector<Personal> personalPaths(const std::string& home, const std::string& folder);

// In texts, each path becomes its text. In SPIR-V, whose strings keep their lengths, underscores
// take the place of the path's characters.
std::string withoutPersonal(std::string bytes, const std::vector<Personal>& paths, bool isText);

}  // namespace coopvk::tool
