/* Merging the cycles of a 2-factor by exchanges of two edges (Croes 1958, Karp 1979): `models/loop/merging.py` says why.

   A 2-factor over edges is the two neighbours of each vertex, beside[v][0] and [1]; over arcs the vertex after and the
   one before it. label[v] is the number of its cycle, and parent[] joins the labels of cycles that were joined since
   (disjoint sets, Galler & Fischer 1964). first and heads are the free edges at each vertex, heads increasing.

   The invariant: (1) over edges beside is symmetric, over arcs the two sides are inverse; (2) neighbours have labels of
   one set. */

#include "kernels.h"

typedef struct {
    i64 order, directed;
    const i32 *first, *heads;
    i32 (*beside)[2];
    i32 *label, *parent;
} Factor;

static i32 find_label(const Factor *s, i32 cycle) {
    while (s->parent[cycle] != cycle) cycle = s->parent[cycle] = s->parent[s->parent[cycle]];
    return cycle;
}

static bool is_free(const Factor *s, i32 tail, i32 head) {
    return place_of(s->heads, s->first[tail], s->first[tail + 1], head) >= 0;
}

static void replace_neighbour(Factor *s, i32 v, i32 old, i32 new) { s->beside[v][s->beside[v][0] != old] = new; }

/* Number the cycles in the order of their least vertices; one of the most vertices. */
static i32 label_cycles(Factor *s) {
    i32 largest = 0, cycles = 0;
    i64 most = 0;
    for (i64 v = 0; v < s->order; v++) s->label[v] = -1;
    for (i64 root = 0; root < s->order; root++) {
        if (s->label[root] >= 0) continue;
        i64 length = 0;
        i32 before = -1, v = (i32)root;
        for (; s->label[v] < 0; length++) {
            i32 after = s->beside[v][!s->directed && s->beside[v][0] == before];
            s->label[v] = cycles, before = v, v = after;
        }
        if (length > most) largest = cycles, most = length;
        s->parent[cycles] = cycles, cycles++;
    }
    return largest;
}

/* Exchange an edge a-b, and c-d of another cycle, for a-c and b-d, if there are such free edges; true if so. */
static bool join_by_two_edges(Factor *s, i32 a) {
    i32 mine = find_label(s, s->label[a]);
    for (int side = 0; side < 2; side++) {
        i32 b = s->beside[a][side];
        if (!is_free(s, a, b)) continue;
        for (i32 i = s->first[a]; i < s->first[a + 1]; i++) {
            i32 c = s->heads[i], other = find_label(s, s->label[c]);
            for (int there = 0; other != mine && there < 2; there++) {
                i32 d = s->beside[c][there];
                if (!is_free(s, b, d) || !is_free(s, c, d)) continue;
                replace_neighbour(s, a, b, c), replace_neighbour(s, b, a, d);
                replace_neighbour(s, c, d, a), replace_neighbour(s, d, c, b);
                s->parent[other] = mine;
                return true;
            }
        }
    }
    return false;
}

/* Exchange an arc a->b, and c->d of another cycle, for a->d and c->b, if there are such free arcs; true if so. */
static bool join_by_two_arcs(Factor *s, i32 a) {
    i32 mine = find_label(s, s->label[a]), b = s->beside[a][0];
    if (!is_free(s, a, b)) return false;
    for (i32 i = s->first[a]; i < s->first[a + 1]; i++) {
        i32 d = s->heads[i], other = find_label(s, s->label[d]), c = s->beside[d][1];
        if (other == mine || !is_free(s, c, b) || !is_free(s, c, d)) continue;
        s->beside[a][0] = d, s->beside[d][1] = a;
        s->beside[c][0] = b, s->beside[b][1] = c;
        s->parent[other] = mine;
        return true;
    }
    return false;
}

/* Join cycles in place, from each vertex outside the largest cycle and those joined to it, until no exchange joins two;
   the number of exchanges. */
i64 merging_join_cycles(Factor *s) {
    i32 largest = label_cycles(s);
    i64 exchanges = 0, before = -1;
    while (exchanges > before) {
        before = exchanges;
        for (i32 v = 0; v < s->order; v++)
            while (find_label(s, s->label[v]) != find_label(s, largest) &&
                   (s->directed ? join_by_two_arcs(s, v) : join_by_two_edges(s, v)))
                exchanges++;
    }
    return exchanges;
}

i64 merging_fault(const Factor *s) {
    for (i32 v = 0; v < s->order; v++)
        for (int side = 0; side < 2; side++) {
            i32 u = s->beside[v][side];
            if (s->directed ? s->beside[u][!side] != v : s->beside[u][0] != v && s->beside[u][1] != v) return 1;
            if (find_label(s, s->label[v]) != find_label(s, s->label[u])) return 2;
        }
    return 0;
}
