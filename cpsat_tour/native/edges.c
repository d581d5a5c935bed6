/* The edge search: Hamiltonian cycles by choosing edges, iterative and resumable.

   A Hamiltonian cycle takes two edges at each vertex. Every edge is undecided, taken or dropped, and after each decision
   three rules run until nothing follows: where two edges are taken, the others are dropped; where two edges are left,
   both are taken; an edge that would close a cycle too early is dropped. Under a symmetry there is a fourth: the edges of
   an orbit are decided alike. The search then branches on an edge at the vertex of fewest edges left, an end of a path
   if there is one: it takes the edge first and drops it later. Selby (1970) and Martello (1983) chose edges like this;
   the mates of path ends are those of Knuth's SSHAM (The Art of Computer Programming, fascicle 8a, 2024), whose sparse
   sets are not needed where rows are short. */

#include "kernels.h"

enum { UNDECIDED, TAKEN, DROPPED };
enum { TRAIL, EDGES, DEPTH, FORCED, PHASE, FOLLOWED };
enum { BEGINNING, SEARCHING, RETREATING, FINISHED };

#define TOOK 0x80000000u /* marks an edge of the trail as taken */

/* The invariant, between two steps: (1) used[v] edges at v are taken, and left[v] are not dropped; (2) link[v] is the
   exclusive or of the vertices that taken edges join to v; (3) mate[v] is the other end of the path that v is an end of,
   v itself where no edge is taken, and stays as it was when v came inside a path, which is what undoing needs; (4) the
   trail has the decided edges in order, with TOOK on those taken, as many as counters[EDGES]; (5) decisions and marks
   have the edge of each branching and the length of the trail before it, which never falls. */
typedef struct {
    i64 order, size, given_edges, followed_edges;
    const u32 *first, *heads, *edges; /* the edges at v are edges[first[v]] to edges[first[v + 1] - 1], beside their heads */
    const u32 *ends;                  /* two for each edge */
    const u32 *given;                 /* edges decided before the search begins, with TOOK on those taken */
    const u32 *following;             /* the next edge of each edge's orbit; unused without a symmetry */
    u8 *state;
    u32 *used, *left, *mate, *link, *trail;
    u32 *forced; /* vertices where two edges are left, a stack of counters[FORCED] */
    u32 *decisions, *marks, *counters;
    i64 *branchings; /* one number: all so far */
} Search;

static bool note_dropped_edge(Search *s, u32 v) {
    s->left[v]--;
    if (s->left[v] == 2 && s->used[v] < 2) s->forced[s->counters[FORCED]++] = v;
    return s->left[v] >= 2;
}

/* Drop an edge; false if fewer than two are left at one of its ends. */
static bool drop(Search *s, u32 edge) {
    s->state[edge] = DROPPED;
    s->trail[s->counters[TRAIL]++] = edge;
    bool fine = note_dropped_edge(s, s->ends[2 * edge]);
    return note_dropped_edge(s, s->ends[2 * edge + 1]) && fine;
}

static bool drop_the_others(Search *s, u32 v) {
    bool fine = true;
    for (u32 i = s->first[v]; i < s->first[v + 1]; i++)
        if (s->state[s->edges[i]] == UNDECIDED && !drop(s, s->edges[i])) fine = false;
    return fine;
}

/* Drop the edge that would close a path to a cycle too early. */
static bool drop_between(Search *s, u32 v, u32 u) {
    bool shorter = s->first[v + 1] - s->first[v] <= s->first[u + 1] - s->first[u];
    u32 here = shorter ? v : u, there = shorter ? u : v;
    for (u32 i = s->first[here]; i < s->first[here + 1]; i++)
        if (s->heads[i] == there) return s->state[s->edges[i]] != UNDECIDED || drop(s, s->edges[i]);
    return true;
}

/* Take an edge, and drop those that can't be taken beside it; false at a contradiction. */
static bool take(Search *s, u32 edge) {
    u32 v = s->ends[2 * edge], u = s->ends[2 * edge + 1];
    if (s->mate[v] == u && s->counters[EDGES] + 1 != s->order) return false;
    s->state[edge] = TAKEN;
    s->trail[s->counters[TRAIL]++] = edge | TOOK;
    s->counters[EDGES]++;
    s->used[v]++, s->used[u]++;
    s->link[v] ^= u, s->link[u] ^= v;
    u32 v_end = s->mate[v], u_end = s->mate[u];
    s->mate[v_end] = u_end, s->mate[u_end] = v_end;
    if (s->used[v] == 2 && !drop_the_others(s, v)) return false;
    if (s->used[u] == 2 && !drop_the_others(s, u)) return false;
    return s->counters[EDGES] + 1 >= s->order || drop_between(s, v_end, u_end);
}

static void undo_to(Search *s, u32 mark) {
    while (s->counters[TRAIL] > mark) {
        u32 entry = s->trail[--s->counters[TRAIL]], edge = entry & ~TOOK, v = s->ends[2 * edge], u = s->ends[2 * edge + 1];
        s->state[edge] = UNDECIDED;
        if (entry & TOOK) {
            s->counters[EDGES]--;
            s->used[v]--, s->used[u]--;
            s->link[v] ^= u, s->link[u] ^= v;
            u32 v_end = s->used[v] ? s->mate[v] : v, u_end = s->used[u] ? s->mate[u] : u;
            s->mate[v_end] = v, s->mate[u_end] = u;
        } else s->left[v]++, s->left[u]++;
    }
}

/* Take or drop an edge as the flag of the entry says; false if it is decided otherwise already, or can't be. */
static bool decide(Search *s, u32 edge, u32 entry) {
    bool taken = entry & TOOK;
    if (s->state[edge] == UNDECIDED && !(taken ? take(s, edge) : drop(s, edge))) return false;
    return s->state[edge] == (taken ? TAKEN : DROPPED);
}

/* Decide the given edges, and note where two are left from the beginning; false at a contradiction. */
static bool decide_given_edges(Search *s) {
    bool fine = true;
    for (u32 v = 0; v < s->order; v++) {
        if (s->left[v] == 2) s->forced[s->counters[FORCED]++] = v;
        fine = fine && s->left[v] >= 2;
    }
    for (i64 i = 0; fine && i < s->given_edges; i++) fine = decide(s, s->given[i] & ~TOOK, s->given[i]);
    return fine;
}

static bool take_where_two_are_left(Search *s) {
    while (s->counters[FORCED] > 0) {
        u32 v = s->forced[--s->counters[FORCED]];
        for (u32 i = s->first[v]; s->used[v] < 2 && i < s->first[v + 1]; i++)
            if (s->state[s->edges[i]] == UNDECIDED && !take(s, s->edges[i])) return false;
    }
    return true;
}

/* Decide all that follows; false at a contradiction. What is decided of an edge is decided of the next of its orbit. */
static bool propagate(Search *s) {
    for (;;) {
        if (!take_where_two_are_left(s)) return false;
        if (s->followed_edges == 0 || s->counters[FOLLOWED] == s->counters[TRAIL]) return true;
        while (s->counters[FOLLOWED] < s->counters[TRAIL]) {
            u32 entry = s->trail[s->counters[FOLLOWED]++];
            if (!decide(s, s->following[entry & ~TOOK], entry)) return false;
        }
    }
}

/* An end of a path if there is one, else a vertex without taken edges, of fewest edges left. */
static u32 vertex_of_fewest_edges(const Search *s) {
    u32 order = (u32)s->order, path_end = order, bare = order, fewest = TOOK, fewest_bare = TOOK;
    for (u32 v = 0; v < order; v++) {
        if (s->used[v] == 1 && s->left[v] < fewest) {
            path_end = v, fewest = s->left[v];
            if (fewest == 3) break;
        } else if (s->used[v] == 0 && s->left[v] < fewest_bare) bare = v, fewest_bare = s->left[v];
    }
    return path_end < order ? path_end : bare;
}

static u32 first_undecided_edge(const Search *s, u32 v) {
    u32 i = s->first[v];
    while (i + 1 < s->first[v + 1] && s->state[s->edges[i]] != UNDECIDED) i++;
    return s->edges[i];
}

/* Write the vertices of the cycle of taken edges, from vertex 0 on. */
static void write_cycle(const Search *s, u32 *tour) {
    u32 previous = 0, v = 0, i = s->first[0];
    while (s->state[s->edges[i]] != TAKEN) i++;
    previous = s->heads[i];
    for (i64 step = 0; step < s->order; step++) {
        u32 next = s->link[v] ^ previous;
        tour[step] = v, previous = v, v = next;
    }
}

/* Search until `most` tours are found, a row of `tours` each, `budget` branchings are spent or nothing is left; the
   number of tours. */
i64 edges_search(Search *s, u32 *tours, i64 most, i64 budget) {
    u32 *c = s->counters;
    i64 found = 0, end = *s->branchings + budget;
    if (c[PHASE] == BEGINNING) c[PHASE] = decide_given_edges(s) ? SEARCHING : RETREATING;
    while (*s->branchings < end && found < most && c[PHASE] != FINISHED) {
        if (c[PHASE] == SEARCHING) {
            if (!propagate(s)) c[PHASE] = RETREATING;
            else if (c[EDGES] == s->order) {
                write_cycle(s, tours + s->order * found++);
                c[PHASE] = RETREATING;
            } else {
                ++*s->branchings;
                u32 chosen = first_undecided_edge(s, vertex_of_fewest_edges(s));
                s->decisions[c[DEPTH]] = chosen, s->marks[c[DEPTH]++] = c[TRAIL];
                if (!take(s, chosen)) c[PHASE] = RETREATING;
            }
        } else if (c[DEPTH] == 0) c[PHASE] = FINISHED;
        else {
            c[FORCED] = 0;
            undo_to(s, s->marks[--c[DEPTH]]);
            if (c[FOLLOWED] > c[TRAIL]) c[FOLLOWED] = c[TRAIL];
            if (drop(s, s->decisions[c[DEPTH]])) c[PHASE] = SEARCHING;
        }
    }
    return found;
}

i64 edges_fault(const Search *s) {
    u32 taken = 0;
    for (u32 v = 0; v < s->order; v++) {
        u32 used = 0, left = 0, link = 0;
        for (u32 i = s->first[v]; i < s->first[v + 1]; i++) {
            u8 state = s->state[s->edges[i]];
            used += state == TAKEN, left += state != DROPPED;
            if (state == TAKEN) link ^= s->heads[i];
        }
        if (used != s->used[v] || left != s->left[v]) return 1;
        if (link != s->link[v]) return 2;
        if (used < 2 && (s->mate[s->mate[v]] != v || (s->mate[v] == v) != (used == 0))) return 3;
        taken += used;
    }
    u32 decided = 0;
    for (i64 e = 0; e < s->size; e++) decided += s->state[e] != UNDECIDED;
    if (decided != s->counters[TRAIL] || taken != 2 * s->counters[EDGES]) return 4;
    for (u32 i = 0; i < decided; i++)
        if (s->state[s->trail[i] & ~TOOK] != (s->trail[i] & TOOK ? TAKEN : DROPPED)) return 4;
    for (u32 i = 1; i < s->counters[DEPTH]; i++)
        if (s->marks[i - 1] > s->marks[i]) return 5;
    return 0;
}
