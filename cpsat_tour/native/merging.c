/* Merging the cycles of a 2-factor by exchanges of two edges: `models/loop/merging.py` says why. beside[v] has the two
   neighbours of a vertex, over arcs the one after and the one before it; label[v] is the number of its cycle, and
   parent[] joins the labels of cycles that were joined since (disjoint sets, Galler & Fischer 1964). The invariant: (1)
   over edges beside is symmetric, over arcs its sides are inverse; (2) neighbours have labels of one set. */
#include "kernels.h"

typedef struct {
    i64 order, directed;
    const i32 *first, *heads; /* the free edges at each vertex, heads increasing */
    i32 (*beside)[2], *label, *parent;
} Factor;

/* Return the label that stands for all cycles joined with this one. */
static i32 find_label(const Factor *s, i32 cycle) {
    while (s->parent[cycle] != cycle) cycle = s->parent[cycle] = s->parent[s->parent[cycle]];
    return cycle;
}
/* True if there is a free edge between the two vertices. */
static bool is_free(const Factor *s, i32 tail, i32 head) {
    return place_of(s->heads, s->first[tail], s->first[tail + 1], head) >= 0;
}
/* Replace the neighbour `old` of v by `new`: over arcs the one on this side, over edges on whichever side it is. */
static void replace(Factor *s, i32 v, int side, i32 old, i32 new) {
    s->beside[v][s->directed ? side : s->beside[v][0] != old] = new;
}

/* Number the cycles in the order of their least vertices; return the number of a longest one. */
static i32 label_cycles(Factor *s) {
    i32 largest = 0, cycles = 0, most = 0;
    for (i64 v = 0; v < s->order; v++) s->label[v] = -1;
    for (i64 root = 0; root < s->order; root++) {
        i32 length = 0, before = -1, v = (i32)root;
        for (; s->label[v] < 0; length++) {
            i32 after = s->beside[v][!s->directed && s->beside[v][0] == before];
            s->label[v] = cycles, before = v, v = after;
        }
        if (length > most) largest = cycles, most = length;
        if (length) s->parent[cycles] = cycles, cycles++;
    }
    return largest;
}

/* Join the cycle of a to another one: exchange a-b, and c-d of the other, for a-d and c-b, all free edges, or arcs that
   lead this way. Return false if there are none such. */
static bool join_at(Factor *s, i32 a) {
    i32 mine = find_label(s, s->label[a]);
    for (i64 side = 0; side < 2 - s->directed; side++) {
        i32 b = s->beside[a][side];
        if (!is_free(s, a, b)) continue;
        for_each_in_row(d, s->first, s->heads, a) {
            i32 other = find_label(s, s->label[d]);
            for (i64 there = s->directed; other != mine && there < 2; there++) {
                i32 c = s->beside[d][there];
                if (!is_free(s, c, b) || !is_free(s, c, (i32)d)) continue;
                replace(s, a, 0, b, (i32)d), replace(s, b, 1, a, c);
                replace(s, c, 0, (i32)d, b), replace(s, (i32)d, 1, c, a);
                s->parent[other] = mine;
                return true;
            }
        }
    }
    return false;
}

i64 merging_join_cycles(Factor *s) {
    i32 largest = label_cycles(s);
    i64 exchanges = 0, before = -1;
    while (exchanges > before) {
        before = exchanges;
        for (i32 v = 0; v < s->order; v++)
            while (find_label(s, s->label[v]) != find_label(s, largest) && join_at(s, v)) exchanges++;
    }
    return exchanges;
}

i64 merging_fault(const Factor *s) {
    for (i64 i = 0; i < 2 * s->order; i++) {
        i64 v = i / 2, u = s->beside[v][i % 2];
        if (s->directed ? s->beside[u][1 - i % 2] != v : s->beside[u][0] != v && s->beside[u][1] != v) return 1;
        if (find_label(s, s->label[v]) != find_label(s, s->label[u])) return 2;
    }
    return 0;
}
