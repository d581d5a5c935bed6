/* What all kernels share: types, bits of words, and how a kernel is written.

   A kernel searches or counts on arrays that Python has made and checked (core/kernels.py). It allocates nothing, prints
   nothing and never exits: an entry takes a budget, does that much work and comes back. Entries are named ENGINE_STEP;
   everything else is static. A structure has a word of 64 bits for each number and the address of each array, in the
   order of the record in Python. ENGINE_fault returns 0 while the invariant of the structure holds, else the number of
   its first sentence that is broken. */

#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define ONE ((u64)1)

/* The place of the lowest bit of a word that is not 0, and the number of bits set (Warren 2012). */
static inline u32 lowest_bit(u64 word) { return (u32)__builtin_ctzll(word); }
static inline u32 popcount(u64 word) { return (u32)__builtin_popcountll(word); }

/* The next word of a xorshift generator (Marsaglia 2003), its upper half, and a fraction below 1; the state is not 0. */
static inline u64 random_word(u64 *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    return *random ^= *random << 17;
}
static inline i64 random_bits(u64 *random) { return (i64)(random_word(random) >> 32); }
static inline double random_fraction(u64 *random) { return (double)(random_word(random) >> 11) * 0x1p-53; }

/* The place of an arc in a row of heads in increasing order, by bisection; -1 if it is not there. */
static inline i64 place_of(const i32 *heads, i64 low, i64 high, i32 head) {
    i64 end = high;
    while (low < high) {
        i64 middle = (low + high) / 2;
        if (heads[middle] < head) low = middle + 1;
        else high = middle;
    }
    return low < end && heads[low] == head ? low : -1;
}

#endif
