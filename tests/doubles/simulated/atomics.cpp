// SPDX-License-Identifier: Apache-2.0
#include "atomics.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace pianola::test {
namespace {

template <class To, class From>
To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <class Unsigned>
Unsigned float_result(std::uint32_t operation, Unsigned before, Unsigned operand) {
  if constexpr (sizeof(Unsigned) < 4) {
    throw std::runtime_error("an atomic operation on floating-point numbers of " +
                             std::to_string(sizeof(Unsigned)) + " bytes");
  } else {
    using number = std::conditional_t<sizeof(Unsigned) == 4, float, double>;
    const auto a = bits<number>(before);
    const auto b = bits<number>(operand);
    switch (operation) {
      case PIANOLA_SIM_FADD:
        return bits<Unsigned>(a + b);
      case PIANOLA_SIM_FSUB:
        return bits<Unsigned>(a - b);
      case PIANOLA_SIM_FMAX:
        return bits<Unsigned>(std::fmax(a, b));
      case PIANOLA_SIM_FMIN:
        return bits<Unsigned>(std::fmin(a, b));
      default:
        throw std::runtime_error("unknown atomic operation " + std::to_string(operation));
    }
  }
}

template <class Unsigned>
Unsigned result_of(std::uint32_t operation, Unsigned before, Unsigned operand) {
  using integer = std::make_signed_t<Unsigned>;
  const auto a = static_cast<integer>(before);
  const auto b = static_cast<integer>(operand);
  switch (operation) {
    case PIANOLA_SIM_STORE:
    case PIANOLA_SIM_EXCHANGE:
      return operand;
    case PIANOLA_SIM_ADD:
      return static_cast<Unsigned>(before + operand);
    case PIANOLA_SIM_SUB:
      return static_cast<Unsigned>(before - operand);
    case PIANOLA_SIM_AND:
      return before & operand;
    case PIANOLA_SIM_NAND:
      return static_cast<Unsigned>(~(before & operand));
    case PIANOLA_SIM_OR:
      return before | operand;
    case PIANOLA_SIM_XOR:
      return before ^ operand;
    case PIANOLA_SIM_MAX:
      return static_cast<Unsigned>(std::max(a, b));
    case PIANOLA_SIM_MIN:
      return static_cast<Unsigned>(std::min(a, b));
    case PIANOLA_SIM_UMAX:
      return std::max(before, operand);
    case PIANOLA_SIM_UMIN:
      return std::min(before, operand);
    default:
      return float_result(operation, before, operand);
  }
}

template <class Unsigned>
std::uint64_t do_sized(const pianola_sim_atomic& access) {
  auto* address = static_cast<Unsigned*>(access.address);
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(Unsigned) != 0)
    throw std::runtime_error("an atomic access to an address that is not aligned");
  Unsigned before = __atomic_load_n(address, __ATOMIC_SEQ_CST);
  if (access.operation == PIANOLA_SIM_LOAD) return before;
  const auto operand = static_cast<Unsigned>(access.operand);
  for (;;) {
    if (access.operation == PIANOLA_SIM_COMPARE_EXCHANGE &&
        before != static_cast<Unsigned>(access.expected))
      return before;
    const Unsigned after = access.operation == PIANOLA_SIM_COMPARE_EXCHANGE
                               ? operand
                               : result_of(access.operation, before, operand);
    if (__atomic_compare_exchange_n(address, &before, after, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return before;
  }
}

}  // namespace

std::uint64_t do_atomic(const pianola_sim_atomic& access) {
  switch (access.bytes) {
    case 1:
      return do_sized<std::uint8_t>(access);
    case 2:
      return do_sized<std::uint16_t>(access);
    case 4:
      return do_sized<std::uint32_t>(access);
    case 8:
      return do_sized<std::uint64_t>(access);
    default:
      throw std::runtime_error("an atomic access to " + std::to_string(access.bytes) + " bytes");
  }
}

}  // namespace pianola::test
