// Output: the events of a run, for programs (JSON lines) and for people (text).
//
// Both come from one JSON object an event (scenario_report.hpp builds it), so that the two
// formats cannot tell different stories.
//
// Invariants
//  1. JSON lines: one object a line, keys in a fixed order, numbers without an exponent
//     where that is exact, no insignificant blanks.
//  2. Text is a readable line an event; a plan is a chart of jobs over time as wide as
//     asked for. Colour only when asked for.
#pragma once

#include <boost/json.hpp>

#include <memory>
#include <ostream>
#include <string>

namespace tenure::emul {

class Output {
 public:
  virtual ~Output() = default;
  virtual void write(const boost::json::object& event) = 0;
};

/// How text is laid out.
struct TextStyle {
  enum class Colour { no, yes } colour = Colour::no;
  int width = 80;  ///< columns; at least 40 are used
};

/// `stream` must outlive the output.
std::unique_ptr<Output> jsonl_output(std::ostream& stream);
std::unique_ptr<Output> text_output(std::ostream& stream, TextStyle style);

/// JSON text with plain numbers: 99.25 and not 9.925E1.
std::string json_text(const boost::json::value& value);

/// A number of an event as people read it: "660", "99.25"; "none" for null.
std::string number_text(const boost::json::value& value);

/// What the axis of a chart shows: seconds as they are in the plan, or the dates that these
/// are when counted from the epoch.
enum class Axis { seconds, dates };

/// The answer of sched::write_impact() as lines for people; with "frontier" the cost of each
/// step as well.
std::string impact_text(const boost::json::object& impact);

/// A plan as a mermaid gantt chart.
std::string mermaid(const boost::json::object& plan, Axis axis);

/// The chart of a `plan` event, with a line feed behind each line.
std::string gantt(const boost::json::object& plan, TextStyle style);

}  // namespace tenure::emul
