/* Hamiltonian cycles of graphs of up to 64 vertices on bit sets, and lines of graph6: by rotations, then by choosing
   edges; `engines/graph_stream.py` has the rules. The state is three words a vertex, copied at each branching. */
#include "kernels.h"

enum { LEFT, TOUR, NONE }; /* the verdicts: left to others, there is a cycle, there is none */
enum { CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE }; /* what is asked */
enum { MAX_ORDER = 64, STEPS = 3 };

/* The state at a branching. The invariant: (1) left[v] are the neighbours of v along edges that are not dropped,
   taken[v] those along edges that are taken, a subset; both are symmetric; (2) mate[v] is the other end of the path
   that v is an end of, v itself where no edge is taken; (3) ends are the ends of paths, edges counts those taken. */
typedef struct {
    u64 left[MAX_ORDER], taken[MAX_ORDER], mate[MAX_ORDER], waiting, ends, edges; /* waiting: vertices to look at */
} Level;

static inline u64 bit(u64 v) { return ONE << v; }
static inline u64 first_vertices(u64 number) { return ~(u64)0 >> (MAX_ORDER - number); } /* 1 to MAX_ORDER */

/* Drop the edge between two vertices. */
static void drop(Level *s, u64 v, u64 u) {
    s->left[v] &= ~bit(u), s->left[u] &= ~bit(v);
    s->waiting |= bit(v) | bit(u);
}
/* If two edges at v are taken, drop all others there. */
static inline void drop_beside_two(Level *s, u64 v) {
    if (!(s->taken[v] & (s->taken[v] - 1))) return;
    u64 dropped = s->left[v] & ~s->taken[v];
    s->left[v] = s->taken[v], s->waiting |= dropped;
    for (; dropped; dropped &= dropped - 1) s->left[lowest_bit(dropped)] &= ~bit(v);
}

/* Take the edge between two vertices, and drop those that can't be taken beside it. */
static inline void take(Level *s, u64 v, u64 u, u64 order) {
    s->taken[v] |= bit(u), s->taken[u] |= bit(v);
    s->ends ^= bit(u) | bit(v), s->edges++;
    u64 v_end = s->mate[v], u_end = s->mate[u];
    s->mate[v_end] = u_end, s->mate[u_end] = v_end;
    drop_beside_two(s, v), drop_beside_two(s, u);
    if (s->edges + 1 < order && (s->left[v_end] & ~s->taken[v_end]) >> u_end & 1) drop(s, v_end, u_end);
}

/* Take both edges at each vertex that has two left, until nothing follows; return false if a vertex has fewer. */
static bool propagate(Level *s, u64 order) {
    while (s->waiting) {
        u64 v = lowest_bit(s->waiting), edges = popcount(s->left[v]);
        s->waiting &= s->waiting - 1;
        if (edges < 2) return false;
        while (edges == 2 && s->left[v] != s->taken[v]) take(s, v, lowest_bit(s->left[v] & ~s->taken[v]), order);
    }
    return true;
}

/* Grow a path by rotations; return true if it becomes a Hamiltonian cycle. It goes on to an unvisited neighbour of its
   last vertex; if there is none, the part behind a visited one, the pivot, is reversed, but not so as to undo the
   rotation before. */
static bool find_by_rotations(const u64 *left, u64 vertices, u64 order, u8 *path) {
    u64 first = lowest_bit(vertices), v = first, unvisited = vertices ^ bit(v), undone = 0, size = 1;
    path[0] = (u8)v;
    for (u64 step = 0; step < STEPS * order; step++) {
        if (left[v] & unvisited) {
            v = lowest_bit(left[v] & unvisited);
            path[size++] = (u8)v, unvisited ^= bit(v), undone = 0;
        } else if (!unvisited && left[v] >> first & 1) return true;
        else {
            u64 pivots = size < 2 ? 0 : left[v] & ~(bit(path[size - 2]) | undone);
            if (!pivots) return false;
            u64 low = size - 2;
            while (!(pivots >> path[low - 1] & 1)) low--;
            undone = bit(path[low - 1]), v = path[low];
            for (u64 high = size - 1; low < high; low++, high--) {
                u8 other = path[low];
                path[low] = path[high], path[high] = other;
            }
        }
    }
    return false;
}

/* Return the vertex of the set with the fewest edges left, among those with an undecided edge. */
static u64 vertex_of_fewest_edges(const Level *s, u64 vertices) {
    u64 chosen = 0;
    for (u64 fewest = MAX_ORDER; vertices && fewest > 3; vertices &= vertices - 1) {
        u64 v = lowest_bit(vertices), edges = popcount(s->left[v]);
        if (edges < fewest && s->left[v] != s->taken[v]) chosen = v, fewest = edges;
    }
    return chosen;
}

/* Choose an edge; take it in a copy of the state, which becomes the next level, and drop it in this one. */
static void branch(Level *s, u64 vertices, u64 order) {
    u64 v = vertex_of_fewest_edges(s, s->ends ? s->ends : vertices), u = lowest_bit(s->left[v] & ~s->taken[v]);
    for_each_bit(w, vertices) s[1].left[w] = s->left[w], s[1].taken[w] = s->taken[w], s[1].mate[w] = s->mate[w];
    s[1].waiting = s->waiting, s[1].ends = s->ends, s[1].edges = s->edges;
    drop(s, v, u), take(s + 1, v, u, order);
}

/* Write the vertices of the Hamiltonian cycle of taken edges; return the verdict TOUR. */
static u8 write_cycle(const Level *s, u64 vertices, u8 *cycle) {
    u64 v = lowest_bit(vertices), previous = 0;
    for (u64 place = 0; place < s->edges; place++) {
        u64 after = lowest_bit(s->taken[v] & ~previous);
        cycle[place] = (u8)v, previous = bit(v), v = after;
    }
    return TOUR;
}

/* Search the subgraph on a set of vertices for a Hamiltonian cycle, write it, and return the verdict. */
static inline u8 find_cycle(const u64 *neighbours, u64 vertices, Level *levels, u8 *cycle, i64 budget, i64 *spent) {
    u64 order = popcount(vertices);
    i64 begun = *spent;
    Level *s = levels;
    s->waiting = vertices, s->ends = s->edges = 0;
    for_each_bit(v, vertices) s->left[v] = neighbours[v] & vertices, s->taken[v] = 0, s->mate[v] = v;
    while (order > 2) {
        if (!propagate(s, order)) {
            if (s-- == levels) return NONE;
        } else if (s->edges == order) return write_cycle(s, vertices, cycle);
        else if (*spent == begun && find_by_rotations(levels->left, vertices, order, cycle)) return TOUR;
        else if (*spent - begun == budget) return LEFT;
        else branch(s++, vertices, order), ++*spent;
    }
    return NONE;
}

/* Read a line of graph6 into the neighbours of each vertex and return the number of vertices; 0 if the line is not
   graph6, or has fewer than 3 vertices or too many. If `apex` is 1, vertex 0 is a universal one before those of the
   line. Graph6 (McKay 1998) has the order, then the upper triangle of the adjacency matrix by columns, six bits a
   character. */
static u64 read_neighbours(const u8 *text, const u8 *end, u64 apex, u64 *neighbours) {
    i64 order = end > text ? *text++ - 63 : 0;
    if (order > 63) return 0;
    if (order == 63 && end - text > 3) {
        for (int i = 0; i < 3; i++) if (text[i] < 63 || text[i] > 126) return 0;
        order = 4096 * (text[0] - 63) + 64 * (text[1] - 63) + text[2] - 63, text += 3;
    }
    if (order < 3 || order > MAX_ORDER - (i64)apex || end - text != (order * (order - 1) / 2 + 5) / 6) return 0;
    u64 size = (u64)order + apex, v = 1 + apex, u = apex;
    for (u64 w = 0; w < size; w++) neighbours[w] = apex;
    neighbours[0] = apex ? first_vertices(size) ^ 1 : 0;
    for (; text < end; text++, u += 6) {
        if (*text < 63 || *text > 126) return 0;
        for (; u >= v; v++) u -= v - apex; /* on to the next column */
        for (u32 six = *text - 63u; six; six &= six - 1) {
            u64 head = v, tail = u + 5 - lowest_bit(six);
            for (; tail >= head; head++) tail -= head - apex;
            if (head < size) neighbours[head] |= bit(tail), neighbours[tail] |= bit(head);
        }
    }
    return size;
}

i64 bits_is_cycle(const u64 *neighbours, const u8 *cycle, i64 order) {
    u64 seen = 0, v = cycle[order - 1];
    for (i64 place = 0; place < order; place++) {
        u64 u = cycle[place];
        if (seen >> u & 1 || !(neighbours[v] >> u & 1)) return 0;
        seen |= bit(u), v = u;
    }
    return 1;
}

/* Delete each set of `number` vertices and search the rest for a Hamiltonian cycle; return TOUR if every set leaves one
   (with `every`; of pairs only adjacent ones count), or if some set does (without), else NONE, or LEFT at the limit. A
   search counts as one more branching. */
static u8 verdict_without(i64 number, bool every, const u64 *rows, i64 n, Level *s, u8 *tour, i64 most, i64 *spent) {
    u64 whole = first_vertices((u64)n), deleted = places_below((u64)number);
    i64 sets = 1;
    u8 verdict = every ? TOUR : NONE;
    for (i64 k = 0; k < number && k < n - number; k++) sets = least_of(sets * (n - k) / (k + 1), most);
    for (i64 set = 0; set < sets; set++) {
        if (!every || number != 2 || rows[lowest_bit(deleted)] & deleted) {
            u8 found = find_cycle(rows, whole & ~deleted, s, tour, most - *spent, spent);
            if (++*spent >= most) return LEFT;
            if (found != verdict) return found;
        }
        if (!deleted) break;
        u64 step = deleted & (~deleted + 1), above = deleted + step; /* the next set as large (Gosper, HAKMEM 175) */
        deleted = above | (above ^ deleted) >> lowest_bit(step) >> 2;
    }
    return verdict;
}

/* Return TOUR if the graph has the property `asked` (CIRCUMFERENCE: of `length`), else NONE; LEFT at a limit. */
static u8 property_verdict(i64 asked, i64 length, const u64 *rows, i64 n, Level *s, u8 *tour, i64 most, i64 *spent) {
    for (i64 number = 0; asked == CIRCUMFERENCE && number <= n - length; number++) {
        u8 verdict = verdict_without(number, false, rows, n, s, tour, most, spent);
        if (verdict != NONE) return verdict == TOUR && n - number > length ? NONE : verdict;
    }
    if (asked == CIRCUMFERENCE) return NONE;
    u8 verdict = asked == HYPOHAMILTONIAN ? verdict_without(0, true, rows, n, s, tour, most, spent) : NONE;
    if (verdict != NONE) return verdict == TOUR ? NONE : LEFT;
    return verdict_without(asked == K2 ? 2 : 1, true, rows, n, s, tour, most, spent);
}

i64 bits_answer_lines(const u8 *text, const i64 *starts, i64 lines, i64 asked, i64 length, i64 budget, Level *levels,
                      u64 *neighbours, u8 *verdicts, i64 *branchings, u8 *tours, i64 row) {
    u64 apex = asked == OPEN;
    for (i64 line = 0; line < lines; line++, tours += row) {
        u64 order = read_neighbours(text + starts[line], text + starts[line + 1] - 1, apex, neighbours);
        if (!order) continue;
        u8 *verdict = verdicts + line;
        i64 *spent = branchings + line;
        *spent = 0;
        if (asked > OPEN) *verdict = property_verdict(asked, length, neighbours, order, levels, tours, budget, spent);
        else *verdict = find_cycle(neighbours, first_vertices(order), levels, tours, budget, spent);
        if (asked > OPEN || *verdict != TOUR) continue;
        if (!bits_is_cycle(neighbours, tours, (i64)order)) *verdict = LEFT;
        else for (u64 place = 0; place < order - apex; place++) tours[place] = (u8)(tours[place + apex] - apex);
    }
    return lines;
}

i64 bits_fault(const Level *s, u64 vertices) {
    u64 ends = 0, edges = 0;
    for_each_bit(v, vertices) {
        if (s->left[v] & ~vertices || s->taken[v] & ~s->left[v]) return 1;
        for_each_bit(u, s->left[v])
            if (!(s->left[u] >> v & 1) || (s->taken[v] >> u & 1) != (s->taken[u] >> v & 1)) return 1;
        u64 taken = popcount(s->taken[v]);
        if (taken < 2 && (s->mate[s->mate[v]] != v || (s->mate[v] == v) != (taken == 0))) return 2;
        ends |= (u64)(taken == 1) << v, edges += taken;
    }
    return ends != s->ends || edges != 2 * s->edges ? 3 : 0;
}
