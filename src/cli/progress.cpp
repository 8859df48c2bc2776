#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

namespace tenure::cli {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::string_view kWipe = "\r\033[K";

std::string short_time(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

std::string progress_line(const std::string& label, std::size_t done, std::size_t all,
                          std::chrono::duration<double> elapsed) {
  const double part = all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all);
  const auto filled =
      std::min(kBarWidth, static_cast<std::size_t>(part * static_cast<double>(kBarWidth)));
  const double rate = elapsed.count() > 0 ? static_cast<double>(done) / elapsed.count() : 0;
  const std::string eta =
      rate > 0 ? short_time(static_cast<double>(all - std::min(done, all)) / rate) : "?";
  return fmt::format("{:<9}[{}{}] {:3.0f} %  {}/{} jobs  {:.0f}/s  ETA {}", label,
                     std::string(filled, '#'), std::string(kBarWidth - filled, '-'), part * 100,
                     done, all, rate, eta);
}

}  // namespace

ProgressBar::ProgressBar(std::string label, Drawing drawing)
    : label_(std::move(label)), drawing_(drawing), began_(Clock::now()), drawn_(began_) {}

ProgressBar::~ProgressBar() {
  if (is_visible_) std::fwrite(kWipe.data(), 1, kWipe.size(), stderr);
}

void ProgressBar::show(std::size_t done, std::size_t all) {
  if (drawing_ == Drawing::off) return;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  is_visible_ = true;
  const std::string line =
      fmt::format("{}{}", kWipe, progress_line(label_, done, all, now - began_));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace tenure::cli
