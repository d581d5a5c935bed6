/* The edge search: Hamiltonian cycles by choosing edges, iterative and resumable. `edges.py` has its rules. */
#include "kernels.h"

enum { UNDECIDED, TAKEN, DROPPED };
enum { TRAIL, EDGES, DEPTH, FORCED, PHASE, FOLLOWED };
enum { BEGINNING, SEARCHING, RETREATING, FINISHED };
#define TOOK 0x80000000u /* marks an edge of the trail as taken */

/* The invariant, between two steps: (1) used[v] edges at v are taken, and left[v] are not dropped; (2) link[v] is the
   exclusive or of the vertices that taken edges join to v; (3) mate[v] is the other end of the path that v is an end
   of, v itself where no edge is taken, and stays as it was when v came inside a path, which is what undoing needs; (4)
   the trail has the decided edges in order, with TOOK on those taken, as many as counters[EDGES]; (5) decisions and
   marks have the edge of each branching and the length of the trail before it, which never falls. */
typedef struct {
    i64 order, size, given_edges, followed_edges;
    const u32 *first, *heads, *edges; /* the edges at v are from edges[first[v]] on, beside their heads */
    const u32 *ends, *given;  /* two for each edge; edges decided before the search begins, with TOOK on those taken */
    const u32 *following;     /* the next edge of each edge's orbit; unused without a symmetry */
    u8 *state; u32 *used, *left, *mate, *link, *trail, *forced; /* where two are left, a stack of counters[FORCED] */
    u32 *decisions, *marks, *counters; i64 *branchings; /* one number: all so far */
} Search;

/* Drop an edge; return false if an end of it has fewer than two edges left. */
static bool drop(Search *s, u32 edge) {
    bool fine = true;
    s->state[edge] = DROPPED, s->trail[s->counters[TRAIL]++] = edge;
    for (u32 i = 2 * edge; i <= 2 * edge + 1; i++) {
        u32 v = s->ends[i];
        if (--s->left[v] == 2 && s->used[v] < 2) s->forced[s->counters[FORCED]++] = v;
        fine &= s->left[v] >= 2;
    }
    return fine;
}

/* If two edges at v are taken, drop all others there; return false if a vertex has fewer than two left. */
static bool drop_beside_two(Search *s, u32 v) {
    bool fine = true;
    if (s->used[v] < 2) return true;
    for_each_in_row(e, s->first, s->edges, v) if (s->state[e] == UNDECIDED && !drop(s, (u32)e)) fine = false;
    return fine;
}
/* Drop the edge between the ends of a path, if there is one: it would close a cycle too early. Return false if an end
   has fewer than two edges left. */
static bool drop_between(Search *s, u32 v, u32 u) {
    i64 i = place_of_edge(s->first, s->heads, v, u);
    return i < 0 || s->state[s->edges[i]] != UNDECIDED || drop(s, s->edges[i]);
}

/* Take an edge, and drop those that can't be taken beside it; return false at a contradiction. */
static bool take(Search *s, u32 edge) {
    u32 v = s->ends[2 * edge], u = s->ends[2 * edge + 1];
    if (s->mate[v] == u && s->counters[EDGES] + 1 != s->order) return false;
    s->state[edge] = TAKEN, s->trail[s->counters[TRAIL]++] = edge | TOOK, s->counters[EDGES]++;
    s->used[v]++, s->used[u]++, s->link[v] ^= u, s->link[u] ^= v;
    u32 v_end = s->mate[v], u_end = s->mate[u];
    s->mate[v_end] = u_end, s->mate[u_end] = v_end;
    if (!drop_beside_two(s, v) || !drop_beside_two(s, u)) return false;
    return s->counters[EDGES] + 1 >= s->order || drop_between(s, v_end, u_end);
}

/* Undo the decisions on edges until the trail has `mark` entries. */
static void undo_to(Search *s, u32 mark) {
    while (s->counters[TRAIL] > mark) {
        u32 entry = s->trail[--s->counters[TRAIL]], edge = entry & ~TOOK;
        u32 v = s->ends[2 * edge], u = s->ends[2 * edge + 1];
        s->state[edge] = UNDECIDED;
        if (entry & TOOK) {
            s->counters[EDGES]--, s->used[v]--, s->used[u]--, s->link[v] ^= u, s->link[u] ^= v;
            u32 v_end = s->used[v] ? s->mate[v] : v, u_end = s->used[u] ? s->mate[u] : u;
            s->mate[v_end] = v, s->mate[u_end] = u;
        } else s->left[v]++, s->left[u]++;
    }
}

/* Take or drop an edge, by the flag of the entry; return false if it is already decided otherwise, or can't be. */
static bool decide(Search *s, u32 edge, u32 entry) {
    bool taken = entry & TOOK;
    if (s->state[edge] == UNDECIDED && !(taken ? take(s, edge) : drop(s, edge))) return false;
    return s->state[edge] == (taken ? TAKEN : DROPPED);
}

/* Decide the given edges, and note the vertices that have two edges left; return false at a contradiction. */
static bool decide_given_edges(Search *s) {
    bool fine = true;
    for (u32 v = 0; v < s->order; v++) {
        if (s->left[v] == 2) s->forced[s->counters[FORCED]++] = v;
        fine = fine && s->left[v] >= 2;
    }
    for (i64 i = 0; fine && i < s->given_edges; i++) fine = decide(s, s->given[i] & ~TOOK, s->given[i]);
    return fine;
}
/* Take both edges at each noted vertex, which has two left; return false at a contradiction. */
static bool take_where_two_are_left(Search *s) {
    while (s->counters[FORCED] > 0) {
        u32 v = s->forced[--s->counters[FORCED]];
        for (u32 i = s->first[v]; s->used[v] < 2 && i < s->first[v + 1]; i++)
            if (s->state[s->edges[i]] == UNDECIDED && !take(s, s->edges[i])) return false;
    }
    return true;
}

/* Decide all edges that follow; return false at a contradiction. An edge is decided as the one before in its orbit. */
static bool propagate(Search *s) {
    u32 *c = s->counters;
    while (take_where_two_are_left(s)) {
        if (s->followed_edges == 0 || c[FOLLOWED] == c[TRAIL]) return true;
        for (; c[FOLLOWED] < c[TRAIL]; c[FOLLOWED]++)
            if (!decide(s, s->following[s->trail[c[FOLLOWED]] & ~TOOK], s->trail[c[FOLLOWED]])) return false;
    }
    return false;
}

/* Return the end of a path with the fewest edges left; if there is no path, the vertex with the fewest. */
static u32 vertex_of_fewest_edges(const Search *s) {
    u32 order = (u32)s->order, path_end = order, bare = order, fewest = TOOK, fewest_bare = TOOK;
    for (u32 v = 0; v < order && fewest != 3; v++)
        if (s->used[v] == 1 && s->left[v] < fewest) path_end = v, fewest = s->left[v];
        else if (s->used[v] == 0 && s->left[v] < fewest_bare) bare = v, fewest_bare = s->left[v];
    return path_end < order ? path_end : bare;
}

/* Write the vertices of the Hamiltonian cycle of taken edges, from vertex 0 on. */
static void write_cycle(const Search *s, u32 *tour) {
    u32 v = 0, i = s->first[0];
    while (s->state[s->edges[i]] != TAKEN) i++;
    for (u32 step = 0, previous = s->heads[i]; step < s->order; step++) {
        u32 next = s->link[v] ^ previous;
        tour[step] = previous = v, v = next;
    }
}

i64 edges_search(Search *s, u32 *tours, i64 most, i64 budget) {
    u32 *c = s->counters;
    i64 found = 0, end = *s->branchings + budget;
    if (c[PHASE] == BEGINNING) c[PHASE] = decide_given_edges(s) ? SEARCHING : RETREATING;
    while (*s->branchings < end && found < most && c[PHASE] != FINISHED) {
        if (c[PHASE] == SEARCHING) {
            if (!propagate(s)) c[PHASE] = RETREATING;
            else if (c[EDGES] == s->order) write_cycle(s, tours + s->order * found++), c[PHASE] = RETREATING;
            else {
                ++*s->branchings;
                u32 i = s->first[vertex_of_fewest_edges(s)];
                while (s->state[s->edges[i]] != UNDECIDED) i++;
                s->decisions[c[DEPTH]] = s->edges[i], s->marks[c[DEPTH]++] = c[TRAIL];
                if (!take(s, s->edges[i])) c[PHASE] = RETREATING;
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
    u32 taken = 0, decided = 0;
    for (u32 v = 0; v < s->order; v++) {
        u32 used = 0, left = 0, link = 0;
        for_each_place(i, s->first, v) {
            u8 state = s->state[s->edges[i]];
            used += state == TAKEN, left += state != DROPPED, link ^= state == TAKEN ? s->heads[i] : 0;
        }
        if (used != s->used[v] || left != s->left[v]) return 1;
        if (link != s->link[v]) return 2;
        if (used < 2 && (s->mate[s->mate[v]] != v || (s->mate[v] == v) != (used == 0))) return 3;
        taken += used;
    }
    for (i64 e = 0; e < s->size; e++) decided += s->state[e] != UNDECIDED;
    if (decided != s->counters[TRAIL] || taken != 2 * s->counters[EDGES]) return 4;
    for (u32 i = 0; i < decided; i++)
        if (s->state[s->trail[i] & ~TOOK] != (s->trail[i] & TOOK ? TAKEN : DROPPED)) return 4;
    for (u32 i = 1; i < s->counters[DEPTH]; i++) if (s->marks[i - 1] > s->marks[i]) return 5;
    return 0;
}
