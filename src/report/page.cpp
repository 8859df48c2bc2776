#include "report/page.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/file.hpp"

namespace tenure::report {
namespace {

constexpr std::string_view kPlace = "<!--tenure-results-->";

/// Inside a script element no "<" may stand: in JSON it is only ever part of a text.
void write_escaped(FileReplacement& file, std::string_view json) {
  while (!json.empty()) {
    const std::size_t end = std::min(json.find('<'), json.size());
    file.write(json.substr(0, end));
    if (end < json.size()) file.write("\\u003c");
    json.remove_prefix(std::min(end + 1, json.size()));
  }
}

}  // namespace

Result<void> write_page(const std::filesystem::path& path, std::span<const std::string> results) {
  const std::string_view page = page_template();
  if (page.empty()) {
    return failure(ErrorCode::unsupported,
                   "this program was built without npm, so it has no report page; build it again "
                   "with nodejs and npm");
  }
  const std::size_t place = page.find(kPlace);
  CHECK(place != std::string_view::npos, "the page has no place for results");
  auto file = FileReplacement::open(path);
  if (!file) return file.error();
  file->write(page.substr(0, place));
  for (const std::string& result : results) {
    file->write("<script type=\"application/json\" class=\"tenure-result\">");
    write_escaped(*file, result);
    file->write("</script>\n");
  }
  file->write(page.substr(place + kPlace.size()));
  return file->commit();
}

}  // namespace tenure::report
