/* What all kernels share: types, words and rows, and how a kernel is written.

   A kernel searches or counts on arrays that Python has made and checked (core/kernels.py). It allocates and prints
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
__extension__ typedef unsigned __int128 u128;

#define ONE ((u64)1)

static inline i64 least_of(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 greatest_of(i64 a, i64 b) { return a < b ? b : a; }

/* Loops over the places of a row, from first[v] to first[v + 1]; over what is there; over the bits of a word. */
#define for_each_place(i, first, v) for (i64 i = (first)[v]; i < (first)[(v) + 1]; i++)
#define for_each_in_row(u, first, heads, v) \
    for (i64 place_ = (first)[v], u; place_ < (first)[(v) + 1] && (u = (heads)[place_], true); place_++)
#define for_each_bit(place, word) \
    for (u64 bits_left = (word), place; bits_left && (place = lowest_bit(bits_left), true); bits_left &= bits_left - 1)

/* The place of the lowest bit of a word that is not 0, the number of bits set (Warren 2012), and the set of all places
   below one. */
static inline u32 lowest_bit(u64 word) { return (u32)__builtin_ctzll(word); }
static inline u32 popcount(u64 word) { return (u32)__builtin_popcountll(word); }
static inline u64 places_below(u64 place) { return (ONE << place) - 1; }

/* Return a hash of a word: its bits mixed by the finaliser of MurmurHash3 (Appleby 2011). */
static inline u64 hash(u64 word) {
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCDu;
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53u;
    return word ^ word >> 33;
}

/* Add a multiple of a number of many words to `total`, which has room for it (Knuth 1969, algorithm 4.3.1M). */
static inline void add_multiple(u64 *total, u64 factor, const u64 *number, i64 words) {
    u64 carry = 0;
    for (i64 i = 0; i < words; i++) {
        u128 sum = (u128)factor * number[i] + total[i] + carry;
        total[i] = (u64)sum, carry = (u64)(sum >> 64);
    }
    for (total += words; carry; total++) *total += carry, carry = *total < carry;
}

/* Random numbers from the next word of a xorshift generator (Marsaglia 2003), whose state is not 0: the word, its upper
   half, a fraction below 1, and a number below a bound. */
static inline u64 random_word(u64 *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    return *random ^= *random << 17;
}
static inline i64 random_bits(u64 *random) { return (i64)(random_word(random) >> 32); }
static inline double random_fraction(u64 *random) { return (double)(random_word(random) >> 11) * 0x1p-53; }
static inline u32 random_below(u64 *random, i64 bound) { return (u32)((u64)random_bits(random) * (u64)bound >> 32); }

/* Return the place of a head between two places of an increasing array, by bisection; -1 if it is not there. */
static inline i64 place_of(const i32 *heads, i64 low, i64 high, i32 head) {
    while (high - low > 8) {
        i64 middle = (low + high) / 2;
        if (heads[middle] <= head) low = middle;
        else high = middle;
    }
    while (low < high && heads[low] != head) low++;
    return low < high ? low : -1;
}

/* Return the place of an edge in the row of one of its ends, the shorter row; -1 if there is no such edge. */
static inline i64 place_of_edge(const u32 *first, const u32 *heads, u32 v, u32 u) {
    bool shorter = first[v + 1] - first[v] <= first[u + 1] - first[u];
    u32 here = shorter ? v : u, there = shorter ? u : v;
    return place_of((const i32 *)heads, first[here], first[here + 1], (i32)there);
}

/* Insert an entry into a row of `size` entries that is sorted by the keys beside it, after those with the same key. */
static inline void insert(u32 *row, i64 *keys, i64 size, u32 entry, i64 key) {
    for (; size > 0 && keys[size - 1] > key; size--) row[size] = row[size - 1], keys[size] = keys[size - 1];
    row[size] = entry, keys[size] = key;
}

#endif
