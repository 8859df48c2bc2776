// embed.mjs PAGE OUT.cpp: the built page as a C++ function (src/report/page_template.hpp).
import { readFileSync, writeFileSync } from 'node:fs';

const [, , page, out] = process.argv;
const bytes = page ? readFileSync(page) : Buffer.alloc(0);
const lines = [];
for (let i = 0; i < bytes.length; i += 24) lines.push([...bytes.subarray(i, i + 24)].join(','));
writeFileSync(
  out,
  `#include <string_view>
namespace tenure::report {
std::string_view page_template();
namespace {
constexpr unsigned char kPage[] = {${lines.join(',\n')}};
}
std::string_view page_template() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage};
}
}  // namespace tenure::report
`,
);
