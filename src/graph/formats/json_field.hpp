// Fields of JSON documents: reading them with error texts that name the path and the value,
// and writing seconds.
//
// A path is written like "execution.R_lite[3].rank". Readers of R, jobspecs and
// constraints share these, so that the same mistake has the same words everywhere.
//
// Every text is bounded, whatever size the value has. All O(1) but for the shown part.
#pragma once

#include <boost/json.hpp>

#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace tenure::graph {

/// Most bytes of a string value that an error text shows.
inline constexpr std::size_t kMaxShownBytes = kMaxQuoted;

/// The value as it is shown in an error: numbers and short strings as they are, long ones
/// cut, "an object", "an array of 3".
std::string show(const boost::json::value& value);

/// Text from outside as it may stand in an error: in_quotes(), as everywhere.
std::string show_text(std::string_view text);

/// "PATH: VALUE is not EXPECTED", code `invalid`.
Error wrong_value(std::string_view path, const boost::json::value& value,
                  std::string_view expected);

/// The member of an object. Errors: `invalid`, "PATH.KEY: is missing".
Result<const boost::json::value*> required(const boost::json::object& object, std::string_view path,
                                           std::string_view key);

/// An RFC 22 idset in a string value.
Result<Idset> read_idset(const boost::json::value& value, std::string_view path);

/// Seconds since the epoch. Errors: `invalid` for anything but a finite number >= 0.
Result<Time> read_time(const boost::json::value& value, std::string_view path);

/// Seconds since the epoch as RFC 20 and RFC 27 have them: an integer when whole, and 0, which
/// means "unset", for never().
boost::json::value write_time(Time time);
/// Seconds likewise, 0 for an infinite duration (RFC 25: no limit).
boost::json::value write_duration(Duration duration);

/// RFC 20: a property name is not empty and has none of ! & ' " ^ ` | ( ).
bool is_property_name(std::string_view name);
inline constexpr std::string_view kPropertyNameRule =
    "a property name (not empty, none of ! & ' \" ^ ` | ( ))";

}  // namespace tenure::graph
