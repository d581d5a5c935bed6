/* The local search: a circular order of the vertices, whose gaps rotations close. `local_search.py` has the rules. */
#include "kernels.h"

#define NO_VERTEX 0xFFFFFFFFu
enum { MAX_LOOKED_AT = 24 }; /* neighbours of an end that are looked at for one rotation, from a random one on */
enum { GAPS, STEPS, GAP };   /* counters: the gaps, the rotations so far, the place of the gap at work */

/* The invariant: (1) place[tour[i]] = i for every place i; (2) counters[GAPS] is the number of gaps; (3) a required
   edge joins two neighbours on the circle. */
typedef struct {
    i64 order; const u32 *first, *heads; /* the neighbours of v are from heads[first[v]] on, increasing */
    const u32 *required;      /* the other ends of the required edges at each vertex, two, else NO_VERTEX */
    u32 *tour, *place; i64 *last, *counters; u64 *random; /* last: when each vertex was last the end of a gap */
} Circle;

/* True if the graph has an edge between the two vertices. */
static bool has_edge(const Circle *s, u32 v, u32 u) { return place_of_edge(s->first, s->heads, v, u) >= 0; }
static inline i64 next_place(const Circle *s, i64 place) { return place + 1 < s->order ? place + 1 : 0; }
static inline i64 place_before(const Circle *s, i64 place) { return place > 0 ? place - 1 : s->order - 1; }

/* Return the vertex after v on a growing path, NO_VERTEX if the path ends. It is at a required edge, else the unplaced
   neighbour that has the fewest of its own. */
static u32 next_vertex(Circle *s, u32 v) {
    for (int side = 0; side < 2; side++) {
        u32 u = s->required[2 * v + side];
        if (u != NO_VERTEX && s->place[u] == NO_VERTEX) return u;
    }
    u32 best = NO_VERTEX, row = s->first[v];
    i64 fewest = s->order, ties = 0, degree = s->first[v + 1] - row;
    i64 skip = degree > MAX_LOOKED_AT ? random_below(s->random, degree) : 0;
    for (i64 number = 0; number < least_of(degree, MAX_LOOKED_AT); number++) {
        u32 u = s->heads[row + (number + skip) % degree];
        if (s->place[u] != NO_VERTEX || s->required[2 * u + 1] != NO_VERTEX) continue;
        i64 onward = 0;
        for (u32 i = s->first[u]; i < s->first[u + 1] && i < s->first[u] + MAX_LOOKED_AT; i++)
            onward += s->place[s->heads[i]] == NO_VERTEX;
        if (onward < fewest) best = u, fewest = onward, ties = 1;
        else if (onward == fewest && random_below(s->random, ++ties) == 0) best = u;
    }
    return best;
}

/* Grow a path from v and place its vertices after the `placed` ones; return the number of placed vertices. */
static i64 place_path(Circle *s, u32 v, i64 placed) {
    for (; v != NO_VERTEX; v = next_vertex(s, v)) s->place[v] = (u32)placed, s->tour[placed++] = v;
    return placed;
}
/* Return the number of gaps: neighbours on the circle without an edge. */
static i64 gaps(const Circle *s) {
    i64 number = 0;
    for (i64 at = 0; at < s->order; at++) number += !has_edge(s, s->tour[at], s->tour[next_place(s, at)]);
    return number;
}
i64 rotations_count_gaps(Circle *s) { return s->counters[GAPS] = gaps(s); }

/* Paths grow one after the other, along required edges, else to the unvisited neighbour with the fewest of its own. */
i64 rotations_restart(Circle *s) {
    i64 placed = 0, offset = random_below(s->random, s->order);
    for (i64 v = 0; v < s->order; v++) s->place[v] = NO_VERTEX, s->last[v] = 0;
    for (i64 number = 0; number < s->order; number++) {
        u32 v = (u32)((number + offset) % s->order);
        if (s->place[v] == NO_VERTEX && s->required[2 * v + 1] == NO_VERTEX) placed = place_path(s, v, placed);
    }
    if (placed == 0) placed = place_path(s, (u32)offset, placed); /* two required edges everywhere */
    s->counters[GAP] = 0;
    if (placed == s->order) rotations_count_gaps(s);
    return placed == s->order;
}

/* Return the vertex c of the best rotation at the gap a | b, NO_VERTEX if there is none; `change` gets the change of
   the number of gaps. */
static u32 best_rotation(Circle *s, u32 a, u32 b, i64 *change) {
    u32 best = NO_VERTEX;
    i64 oldest = *change = 1;
    for (int side = 0; side < 2; side++) {
        u32 end = side ? b : a, row = s->first[end];
        i64 degree = s->first[end + 1] - row, skip = random_below(s->random, degree);
        for (i64 number = 0; number < degree && number < MAX_LOOKED_AT; number++) {
            u32 u = s->heads[row + (number + skip) % degree];
            u32 c = side ? s->tour[place_before(s, s->place[u])] : u;
            u32 d = side ? u : s->tour[next_place(s, s->place[u])];
            if ((side ? c == b : d == a) || s->required[2 * c] == d || s->required[2 * c + 1] == d) continue;
            i64 here = -1 - !has_edge(s, c, d) + !(side ? has_edge(s, a, c) : has_edge(s, b, d));
            i64 age = s->last[side ? c : d];
            if (here < *change || (here == *change && age < oldest)) best = c, *change = here, oldest = age;
        }
    }
    return best;
}

/* Reverse the part of the circle from one place forwards to another, or the rest of the circle if that is shorter. */
static void reverse(Circle *s, i64 begin, i64 end) {
    i64 length = end - begin + 1 + (end >= begin ? 0 : s->order);
    if (2 * length > s->order) {
        i64 after = next_place(s, end);
        end = place_before(s, begin), begin = after, length = s->order - length;
    }
    for (i64 swaps = length / 2; swaps > 0; swaps--, begin = next_place(s, begin), end = place_before(s, end)) {
        u32 v = s->tour[begin], u = s->tour[end];
        s->tour[begin] = u, s->place[u] = (u32)begin;
        s->tour[end] = v, s->place[v] = (u32)end;
    }
}

i64 rotations_rotate(Circle *s, i64 budget) {
    i64 steps = 0, stuck = 0, change = 0, *counters = s->counters;
    while (steps < budget && counters[GAPS] > 0) {
        i64 after = next_place(s, counters[GAP]);
        u32 a = s->tour[counters[GAP]], b = s->tour[after];
        bool gap = !has_edge(s, a, b);
        u32 c = gap ? best_rotation(s, a, b, &change) : NO_VERTEX;
        if (c == NO_VERTEX) { /* required edges hold this gap on either side, or it is none: go on to the next */
            if (gap && ++stuck > counters[GAPS]) break;
            counters[GAP] = after;
            continue;
        }
        i64 end = s->place[c], now = ++counters[STEPS];
        u32 d = s->tour[next_place(s, end)];
        s->last[a] = s->last[b] = s->last[c] = s->last[d] = now;
        reverse(s, after, end);
        counters[GAPS] += change, stuck = 0, steps++;
        bool closed = has_edge(s, a, c); /* then the gap, if it is still there, is between b and d */
        u32 v = closed ? b : a, u = closed ? d : c;
        counters[GAP] = next_place(s, s->place[v]) == s->place[u] ? s->place[v] : s->place[u];
    }
    return steps;
}

i64 rotations_fault(const Circle *s) {
    for (i64 at = 0; at < s->order; at++)
        if (s->tour[at] >= s->order || s->place[s->tour[at]] != at) return 1;
    if (s->counters[GAPS] != gaps(s)) return 2;
    for (i64 i = 0; i < 2 * s->order; i++) {
        i64 u = s->required[i], at = s->place[i / 2];
        if (u != NO_VERTEX && u != s->tour[next_place(s, at)] && u != s->tour[place_before(s, at)]) return 3;
    }
    return 0;
}
