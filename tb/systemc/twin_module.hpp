// SPDX-License-Identifier: Apache-2.0
// The C twin of a block as an sc_module: the pins that `verilator --sc` gives the RTL, the same behaviour at every
// delta cycle.  Needs SystemC and the block's headers only; README.md shows how to take it into a bench of your own.
//
//   TWIN_MODULE(dl_mshr, DL_MSHR)                          // block, and the name of its lists in dl_mshr.h
// defines
//   constexpr dl_mshr_cfg dl_mshr_defaults                 // the parameters' defaults
//   template <const dl_mshr_cfg *p> class dl_mshr_twin     // *p: constexpr, at namespace scope
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include <systemc>

extern "C" {
#include "bits.h"
#include "ports.h"
}

namespace twin
{
// What Verilator makes of a port of so many bits (--pins-bv 65, its default).
template <uint32_t Width>
using Pin = std::conditional_t<
    Width == 1, bool,
    std::conditional_t<Width <= 32, uint32_t, std::conditional_t<Width <= 64, uint64_t, sc_dt::sc_bv<int(Width)>>>>;

using Words = uint32_t[32]; // a C value of kind W1024

// A pin's value in C.  Bits that the port does not have are dropped, as the Verilated block drops them.
template <uint32_t Width, class C> void from_pin(C &value, const Pin<Width> &pin)
{
    if constexpr (!std::is_same_v<C, Words>) {
        value = C(pin & bits_mask(Width));
    } else if constexpr (Width <= 64) {
        const uint64_t bits = uint64_t(pin) & bits_mask(Width);
        std::memset(value, 0, sizeof value);
        value[0] = uint32_t(bits);
        value[1] = uint32_t(bits >> 32);
    } else {
        for (uint32_t i = 0; i < 32; i++) value[i] = 32 * i < Width ? uint32_t(pin.get_word(int(i))) : 0;
    }
}

template <uint32_t Width, class C> Pin<Width> to_pin(const C &value)
{
    if constexpr (!std::is_same_v<C, Words>) {
        return Pin<Width>(value);
    } else if constexpr (Width <= 64) {
        return Pin<Width>(value[0] | uint64_t(value[1]) << 32);
    } else {
        Pin<Width> pin;
        for (uint32_t i = 0; 32 * i < Width; i++) pin.set_word(int(i), value[i]);
        return pin;
    }
}
} // namespace twin

// clang-format off
#define TWIN_DEFAULT(name, def, min, max, text) def,
#define TWIN_RANGE(name, def, min, max, text)                                                                          \
    static_assert(int64_t(p->name) >= (min) && p->name <= (max), "parameter " #name " is out of range");
#define TWIN_IN(kind, name, width, text) sc_core::sc_in<twin::Pin<(width)>> name{#name};
#define TWIN_OUT(kind, name, width, text) sc_core::sc_out<twin::Pin<(width)>> name{#name};
#define TWIN_SENSE(kind, name, width, text) sensitive << name;
#define TWIN_SIGNAL(kind, name, width, text) sc_core::sc_signal<twin::Pin<(width)>> name;
#define TWIN_BIND_IN(kind, name, width, text) name(in.name);
#define TWIN_BIND_OUT(kind, name, width, text) name(out.name);
#define TWIN_READ(kind, name, width, text) twin::from_pin<(width)>(in.name, name.read());
#define TWIN_WRITE(kind, name, width, text) name.write(twin::to_pin<(width)>(out.name));

// Outputs follow inputs and state within the cycle; a clock edge ticks the model, or resets it if rst_ni is low.  The
// calls of struct Model: Model(), settle(in, reset, out), edge(in, reset).
#define PIN_MODULE(name_, b, B)                                                                                        \
    template <const struct b##_cfg *p, class Model> class name_ : public sc_core::sc_module                            \
    {                                                                                                                  \
        B##_PARAM(TWIN_RANGE)                                                                                          \
      public:                                                                                                          \
        sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};                                                         \
        B##_IN(TWIN_IN) B##_OUT(TWIN_OUT)                                                                              \
                                                                                                                       \
        SC_HAS_PROCESS(name_);                                                                                         \
        template <class... Arguments>                                                                                  \
        explicit name_(const sc_core::sc_module_name &name, Arguments &&...arguments)                                  \
            : sc_core::sc_module(name), model_(std::forward<Arguments>(arguments)...)                                  \
        {                                                                                                              \
            SC_METHOD(evaluate);                                                                                       \
            sensitive << ticked_ << rst_ni;                                                                            \
            B##_IN(TWIN_SENSE)                                                                                         \
            SC_METHOD(clock);                                                                                          \
            sensitive << clk_i.pos();                                                                                  \
            dont_initialize();                                                                                         \
        }                                                                                                              \
        /* Signals for all ports but clk_i and rst_ni. */                                                              \
        struct Inputs {                                                                                                \
            B##_IN(TWIN_SIGNAL)                                                                                        \
        };                                                                                                             \
        struct Outputs {                                                                                               \
            B##_OUT(TWIN_SIGNAL)                                                                                       \
        };                                                                                                             \
        void bind(Inputs &in, Outputs &out)                                                                            \
        {                                                                                                              \
            B##_IN(TWIN_BIND_IN) B##_OUT(TWIN_BIND_OUT)                                                                \
        }                                                                                                              \
        Model &model()                                                                                                 \
        {                                                                                                              \
            return model_;                                                                                             \
        }                                                                                                              \
                                                                                                                       \
      private:                                                                                                         \
        Model model_;                                                                                                  \
        sc_core::sc_event ticked_;                                                                                     \
                                                                                                                       \
        struct b##_in inputs() const                                                                                   \
        {                                                                                                              \
            struct b##_in in;                                                                                          \
            B##_IN(TWIN_READ)                                                                                          \
            return in;                                                                                                 \
        }                                                                                                              \
        void evaluate()                                                                                                \
        {                                                                                                              \
            const struct b##_in in = inputs();                                                                         \
            struct b##_out out;                                                                                        \
            model_.settle(in, !rst_ni.read(), out);                                                                    \
            B##_OUT(TWIN_WRITE)                                                                                        \
        }                                                                                                              \
        void clock()                                                                                                   \
        {                                                                                                              \
            model_.edge(inputs(), !rst_ni.read());                                                                     \
            ticked_.notify(sc_core::SC_ZERO_TIME);                                                                     \
        }                                                                                                              \
    };

#define TWIN_MODULE(b, B)                                                                                              \
    inline constexpr struct b##_cfg b##_defaults = {B##_PARAM(TWIN_DEFAULT)};                                          \
    template <const struct b##_cfg *p> class b##_twin_model                                                            \
    {                                                                                                                  \
      public:                                                                                                          \
        b##_twin_model() : twin_(new struct b)                                                                         \
        {                                                                                                              \
            b##_init(twin_.get(), p);                                                                                  \
        }                                                                                                              \
        void settle(const struct b##_in &in, bool, struct b##_out &out)                                                \
        {                                                                                                              \
            b##_eval(twin_.get(), &in, &out);                                                                          \
        }                                                                                                              \
        void edge(const struct b##_in &in, bool reset)                                                                 \
        {                                                                                                              \
            if (reset)                                                                                                 \
                b##_reset(twin_.get());                                                                                \
            else                                                                                                       \
                b##_tick(twin_.get(), &in);                                                                            \
        }                                                                                                              \
        /* The registers, by the names that they have in the RTL. */                                                   \
        struct b &state()                                                                                              \
        {                                                                                                              \
            return *twin_;                                                                                             \
        }                                                                                                              \
                                                                                                                       \
      private:                                                                                                         \
        std::unique_ptr<struct b> twin_;                                                                               \
    };                                                                                                                 \
    PIN_MODULE(b##_pins, b, B)                                                                                         \
    template <const struct b##_cfg *p> using b##_twin = b##_pins<p, b##_twin_model<p>>;
// clang-format on
