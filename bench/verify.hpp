// Verification of benchmark results: a benchmark that gives a wrong answer fails.
//
// What a benchmark decides is put into a Digest (64-bit FNV-1a over the decisions, the same
// on every machine) and compared with the digest that is written beside its registration.
// A difference marks the benchmark as failed, and the whole program then exits with 1.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

#include "match/matcher.hpp"
#include "plan/engine.hpp"

namespace tenure::bench {

class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((value >> (8 * byte)) & 0xffU)) * 0x100000001b3ULL;
    }
  }
  void add(Time t) { add(static_cast<std::uint64_t>(t.count())); }
  void add(const graph::ResourceSet& set);
  void add(const match::Placement& placement);
  /// The starts, then the plan: ids, spans and resources.
  void add(std::span<const plan::Start> starts, const plan::Engine& engine);
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

/// Fails the benchmark when the digests differ; the message gives the digest that was found.
/// After false the benchmark must leave its loop.
bool verify(benchmark::State& state, const Digest& digest, std::uint64_t expected);
/// True when every verification so far agreed.
bool all_verified();

}  // namespace tenure::bench
