// Fields of jobspecs that RFC 14 and RFC 25 have in common: one rule and one text for each.
// Internal to the jobspec layer.
//
// Every function names the path of the field, the value and what would be valid; all are
// linear in the size of the value.
#pragma once

#include <boost/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "jobspec/jobspec.hpp"

namespace tenure::jobspec {

using Keys = std::initializer_list<std::string_view>;

/// "PATH.KEY"; a key that is no plain short word is quoted and cut.
std::string member(std::string_view path, std::string_view key);
/// "PATH[INDEX]".
std::string element(std::string_view path, std::size_t index);

/// An object without any other keys. Errors: `invalid`.
Result<const boost::json::object*> object_with_keys(const boost::json::value& value,
                                                    std::string_view path, Keys keys);
/// A list of `least` to `most` elements. Errors: `invalid`.
Result<const boost::json::array*> array_of(const boost::json::value& value, std::string_view path,
                                           std::size_t least, std::size_t most);
Result<std::string> read_string(const boost::json::value& value, std::string_view path);
/// An integer from 1 to kMaxCount.
Result<std::uint64_t> read_count(const boost::json::value& value, std::string_view path);
/// An array of one or more strings; RFC 25's schema has a single string as well.
Result<void> check_command(const boost::json::value& value, std::string_view path);
/// The top-level key `attributes`: fills what the scheduler uses of it.
Result<void> read_attributes(const boost::json::value& value, Jobspec& jobspec);

}  // namespace tenure::jobspec
