/* The search over numbers: `numbers.py` has its rules. The number of a cell is position * order + vertex. */
#include "kernels.h"

enum { REMOVED, COUNTED, DEPTH, BRANCHINGS, FINISHED }; /* counters */

/* The invariant: (1) trail[0] to trail[REMOVED - 1] are the cells that are not possible; (2) after[cell] is how many
   neighbours of its vertex are left for the next position, before[cell] for the one before, and vertices_left and
   positions_left how many cells each position and each vertex has, as if only the first COUNTED cells were removed. */
typedef struct {
    i64 order, rows; const i32 *first, *heads, *in_first, *in_heads, *must_first, *must_heads; /* arcs */
    u8 *possible; int16_t *after, *before;
    i32 *vertices_left, *positions_left, *trail, *decided, *marks; /* marks: those removed before a decision */
    i64 *failures, *counters; /* how often nothing was left for each position, then each vertex, and one more */
} Search;

/* Note that the vertex can't have the position. */
static void remove_cell(Search *s, i64 position, i64 vertex) {
    i64 cell = position * s->order + vertex;
    if (!s->possible[cell]) return;
    s->possible[cell] = 0, s->trail[s->counters[REMOVED]++] = (i32)cell;
}

/* Give the vertex the position: remove all cells that this rules out, also those that part it from a required
   neighbour. */
static void assign(Search *s, i64 position, i64 vertex) {
    i64 n = s->order;
    for (i64 other = 0; other < n; other++) {
        if (other != vertex) remove_cell(s, position, other);
        if (other != position) remove_cell(s, other, vertex);
    }
    for_each_in_row(u, s->must_first, s->must_heads, vertex)
        for (i64 other = 0; other < n; other++)
            if (other != (position + 1) % n && other != (position + n - 1) % n) remove_cell(s, other, u);
}

/* Add `change`, 1 or -1, to all counts in which a cell takes part. */
static void change_supports(Search *s, i64 cell, int change) {
    i64 n = s->order, position = cell / n, v = cell % n;
    int16_t *after = s->after + (position + n - 1) % n * n, *before = s->before + (position + 1) % n * n;
    for_each_in_row(u, s->in_first, s->in_heads, v) after[u] += (int16_t)change;
    for_each_in_row(u, s->first, s->heads, v) before[u] += (int16_t)change;
    s->vertices_left[position] += change, s->positions_left[v] += change;
}

/* Undo the last decision and decide the opposite. */
static void backtrack(Search *s) {
    i64 *c = s->counters, depth = --c[DEPTH];
    while (c[REMOVED] > s->marks[depth]) {
        i32 cell = s->trail[--c[REMOVED]];
        s->possible[cell] = 1;
        if (c[REMOVED] < c[COUNTED]) change_supports(s, cell, 1);
    }
    c[COUNTED] = least_of(c[COUNTED], c[REMOVED]);
    remove_cell(s, s->decided[depth] / s->order, s->decided[depth] % s->order);
}
/* Return the only vertex still possible at a position (the last vertex if the only one was removed since). */
static i64 only_vertex(const Search *s, i64 position) {
    i64 v = 0;
    while (v < s->order - 1 && !s->possible[position * s->order + v]) v++;
    return v;
}

/* Apply the rules until nothing follows; return false if a position or a vertex has no cell left. */
static bool propagate(Search *s) {
    i64 *c = s->counters, n = s->order;
    while (c[COUNTED] < c[REMOVED]) {
        i64 cell = s->trail[c[COUNTED]++], position = cell / n, v = cell % n;
        i64 earlier = (position + n - 1) % n, later = (position + 1) % n;
        change_supports(s, cell, -1);
        i64 emptied = s->vertices_left[position] == 0 ? position : s->positions_left[v] == 0 ? n + v : -1;
        if (emptied >= 0) s->failures[emptied]++;
        if (emptied >= 0) return false;
        for_each_in_row(u, s->in_first, s->in_heads, v) if (!s->after[earlier * n + u]) remove_cell(s, earlier, u);
        for_each_in_row(u, s->first, s->heads, v) if (!s->before[later * n + u]) remove_cell(s, later, u);
        if (s->vertices_left[position] == 1) assign(s, position, only_vertex(s, position));
        for (i64 only = 0; s->positions_left[v] == 1 && only < n; only++)
            if (s->possible[only * n + v]) assign(s, only, v);
    }
    return true;
}

/* Return the cell to branch on, of the position or vertex with the fewest cells left divided by its failures; -1 if all
   have a single cell. */
static i64 branching_cell(const Search *s) {
    i64 n = s->order, fewest = n + 1, failures = 1, narrow = -1, least = n + 1, best = -1;
    for (i64 k = 0; k < 2 * n; k++) {
        i64 left = k < n ? s->vertices_left[k] : s->positions_left[k - n];
        if (left > 1 && left * failures < fewest * s->failures[k]) fewest = left, failures = s->failures[k], narrow = k;
    }
    for (i64 other = 0; narrow >= 0 && other < n; other++) {
        i64 position = narrow < n ? narrow : other, v = narrow < n ? other : narrow - n;
        i64 left = narrow < n ? s->positions_left[v] : s->vertices_left[position];
        if (s->possible[position * n + v] && left < least) least = left, best = position * n + v;
    }
    return best;
}

i64 numbers_search(Search *s, i32 *rows, i64 budget) {
    i64 *c = s->counters, n = s->order, found = 0, end = c[BRANCHINGS] + budget;
    while (!c[FINISHED] && found < s->rows) {
        bool fine = propagate(s);
        i64 cell = fine ? branching_cell(s) : -1;
        if (fine && cell < 0)
            for (i64 position = 0, row = n * found++; position < n; position++)
                rows[row + position] = (i32)only_vertex(s, position);
        if (cell < 0 && c[DEPTH] == 0) c[FINISHED] = 1;
        else if (cell < 0) backtrack(s);
        else if (c[BRANCHINGS] >= end) break;
        else {
            s->decided[c[DEPTH]] = (i32)cell, s->marks[c[DEPTH]++] = (i32)c[REMOVED], c[BRANCHINGS]++;
            assign(s, cell / n, cell % n);
        }
    }
    return found;
}

i64 numbers_fault(const Search *s) {
    i64 n = s->order, impossible = 0;
    for (i64 cell = 0; cell < n * n; cell++) impossible += !s->possible[cell];
    if (impossible != s->counters[REMOVED]) return 1;
    for (i64 i = 0; i < impossible; i++) if (s->possible[s->trail[i]]) return 1;
    if (s->counters[COUNTED] < s->counters[REMOVED]) return 0; /* the rest of the rules is still to come */
    for (i64 position = 0; position < n; position++)
        for (i64 v = 0; v < n; v++) {
            i64 left = 0, after = 0;
            for (i64 other = 0; other < n; other++) left += s->possible[position * n + other];
            if (left != s->vertices_left[position]) return 2;
            for_each_in_row(u, s->first, s->heads, v) after += s->possible[(position + 1) % n * n + u];
            if (after != s->after[position * n + v]) return 2;
        }
    return 0;
}
