/* The path search: depth-first for Hamiltonian paths from a root to a permitted end, iterative and resumable; and
   random probes of its tree. `paths.py` has the rules, `trace.py` the same search in plain Python. */
#include "kernels.h"
#include <math.h>

enum { AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM }; /* how candidates are compared */
enum { ENDS = 1, EXITS = 2, DEGREE = 4, CONNECTED = 8, REVERSAL = 16 }; /* prunings, each the code of its event */
enum { ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING, PLAIN, DEPTH, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP,
       ENDS_LEFT, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY, COUNTERS }; /* settings, then counters */
enum { STEP = 1, CANDIDATE, REFUSED, BACK, TOUR, RECORD = 3 }; /* events of the ring, three numbers each */
enum { PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL };        /* why the search came back */

/* The invariant, between two positions: (1) path[0] to path[depth - 1] is the path, and visited flags its vertices;
   (2) exits[v] is the number of unvisited vertices that an arc from v enters; (3) entries[v] of those that an arc to v
   leaves, one array with exits if the graph is undirected; (4) the candidates of v on the path are those from indptr[v]
   to stop[v] - 1, in the order in which they are tried, those before cursor[v] tried already; (5) where there are
   prunings, the counters say how many unvisited vertices are permitted ends, have no exit or entry, or one exit. */
typedef struct {
    i64 order, longest_row, tour_rows, ring_size, times, waypoints;
    const u32 *indptr, *indices, *in_indptr, *in_indices; /* the arcs out, in the order of ties, and in */
    u8 *may_end; const u8 *possible; /* for each depth the vertices that may come next, if times is not 0 */
    const u32 *before, *must;   /* the waypoint before each, if any; the vertex that has to follow: else the order */
    u32 *path; u8 *visited; u32 *exits, *entries, *candidates, *cursor, *stop;
    i64 *keys; u32 *marks, *queue; /* of the candidates; scratch space of a sort, a search */
    u64 *random; i64 *counters;
    u32 *tours; i64 *found_at; i32 *ring; /* tours found since the last emptying, and the number of positions then */
} Search;

/* Add `sign`, 1 or -1, to the counters of vertices with few exits or no entry that count v. */
static void count_scarce(Search *s, u32 v, i64 sign) {
    if (s->exits[v] < 2) s->counters[NO_EXIT + 2 * s->exits[v] + s->may_end[v]] += sign;
    if (s->entries[v] == 0) s->counters[NO_ENTRY] += sign;
}

/* Visit a vertex (change -1) or undo that (1), and update the counters of the prunings. */
static void visit_and_count(Search *s, u32 v, i64 change) {
    i64 *c = s->counters;
    count_scarce(s, v, change);
    s->visited[v] = change < 0;
    c[ENDS_LEFT] += change * s->may_end[v];
    for_each_in_row(u, s->in_indptr, s->in_indices, v) {
        bool scarce = !s->visited[u] && s->exits[u] <= 2;
        if (scarce) count_scarce(s, (u32)u, -1);
        s->exits[u] += (u32)change;
        if (scarce) count_scarce(s, (u32)u, 1);
    }
    if (c[DIRECTED])
        for_each_in_row(u, s->indptr, s->indices, v) {
            s->entries[u] += (u32)change;
            if (!s->visited[u] && s->entries[u] == (change < 0 ? 0 : 1)) c[NO_ENTRY] -= change;
        }
}

/* Visit a vertex (change -1) or undo that (1), and update all that this search needs, little if it is `plain`. */
static inline void visit_or_undo(Search *s, u32 v, i64 change, bool plain) {
    if (!plain && s->counters[PRUNE]) visit_and_count(s, v, change);
    else {
        s->visited[v] = change < 0;
        if (!plain || change > 0) for_each_in_row(u, s->in_indptr, s->in_indices, v) s->exits[u] += (u32)change;
        if (!plain && s->counters[DIRECTED]) for_each_in_row(u, s->indptr, s->indices, v) s->entries[u] += (u32)change;
    }
}
/* Forbid closed tours to end at the root's last tried candidate, since all tours over that edge are found. */
static void forbid_tried_end(Search *s) {
    u32 v = s->candidates[s->cursor[s->path[0]] - 1];
    if (!s->may_end[v]) return;
    count_scarce(s, v, -1);
    s->may_end[v] = 0, s->counters[ENDS_LEFT]--;
    count_scarce(s, v, 1);
}

/* Write the unvisited neighbours of the head as its candidates, sorted by insertion: by exits and then, if `key` says
   so, by what breaks ties. `one_less` is 1 to take the head off the exits of its neighbours on the way. */
static inline void write_candidates(Search *s, u32 head, i64 key, u32 one_less) {
    u32 first = s->indptr[head], *candidates = s->candidates + first, size = 0;
    for_each_place(arc, s->indptr, head) {
        u32 v = s->indices[arc], fewest = s->exits[v] -= one_less, spot = size;
        if (s->visited[v]) continue;
        if (key > BY_EXITS) {
            i64 tie = 0;
            if (key == BY_SECOND_LEVEL)
                for_each_in_row(u, s->indptr, s->indices, v) tie += s->visited[u] ? 0 : s->exits[u];
            if (key == AT_RANDOM) tie = random_bits(s->random);
            insert(candidates, s->keys, size++, v, ((i64)fewest << 40) + tie);
            continue;
        }
        for (; key == BY_EXITS && spot > 0 && s->exits[candidates[spot - 1]] > fewest; spot--)
            candidates[spot] = candidates[spot - 1];
        candidates[spot] = v, size++;
    }
    s->cursor[head] = first, s->stop[head] = first + size;
}

/* True if the degrees of unvisited vertices show that no tour goes on. That is so if a vertex has no exit, or too many
   have one: such a vertex has to follow the head or be the end. Over arcs it is so if too many have no way in, as only
   the one after the head may, or no way out, as only the end may. */
static bool degrees_refute(const Search *s, u32 head) {
    const i64 *c = s->counters, directed = c[DIRECTED], no_exit = c[NO_EXIT] + c[NO_EXIT_END];
    i64 one_exit = c[ONE_EXIT] + c[ONE_EXIT_END], beside[2] = {0}, entered = 0;
    if (directed && (c[NO_EXIT] > 0 || no_exit > 1 || c[NO_ENTRY] > 1)) return true;
    if (!directed && (no_exit > 0 || c[ONE_EXIT] > 1 || one_exit > 2)) return true;
    if (!directed && one_exit == 0) return false;
    for_each_in_row(v, s->indptr, s->indices, head)
        if (!s->visited[v]) beside[s->may_end[v]] += s->exits[v] == 1, entered += s->entries[v] == 0;
    return directed ? c[NO_ENTRY] > entered : c[ONE_EXIT] > beside[0] || c[ONE_EXIT_END] > beside[1] + 1;
}

/* Queue and mark the unvisited neighbours of a vertex, over arcs either way; return how many of them had the last mark,
   `mark` - 1. */
static i64 queue_unvisited(Search *s, u32 v, u32 mark, i64 *length) {
    i64 met = 0;
    for (int way = 0; way <= (s->counters[DIRECTED] != 0); way++) {
        const u32 *indptr = way ? s->in_indptr : s->indptr, *indices = way ? s->in_indices : s->indices;
        for_each_in_row(u, indptr, indices, v) {
            if (s->visited[u] || s->marks[u] == mark) continue;
            met += s->marks[u] == mark - 1;
            s->marks[u] = mark, s->queue[(*length)++] = (u32)u;
        }
    }
    return met;
}

/* True if the unvisited vertices are connected, and one of them is next to the head. As they were connected before, a
   breadth-first search from one of the head's neighbours may end when it has met them all; at the root it goes through
   everything. */
static bool hangs_together(Search *s, u32 head, i64 left, i64 *gone_through) {
    i64 goal = 0, met = 1, at_root = s->counters[DEPTH] == 0;
    u32 reached = (u32)(s->counters[STAMP] += 2);
    queue_unvisited(s, head, reached - 1, &goal);
    *gone_through = 1;
    if (goal == 0 || (goal == 1 && !at_root)) return goal == 1;
    s->marks[s->queue[0]] = reached;
    for (i64 done = 0; done < *gone_through && (at_root || met < goal); done++)
        met += queue_unvisited(s, s->queue[done], reached, gone_through);
    return at_root ? *gone_through == left : met == goal;
}

/* Return the flag of the first pruning that refutes the position, or 0. */
static i64 find_refutation(Search *s, u32 head, i64 left, i64 *gone_through) {
    const i64 *c = s->counters, prune = c[PRUNE];
    if (prune & ENDS && c[ENDS_LEFT] == 0) return ENDS;
    if (prune & EXITS && left > 1 && c[NO_EXIT] + c[NO_EXIT_END] > 0) return EXITS;
    if (prune & DEGREE && left > 1 && degrees_refute(s, head)) return DEGREE;
    return prune & CONNECTED && !hangs_together(s, head, left, gone_through) ? CONNECTED : 0;
}

/* Append an event to the ring if the search is traced. */
static inline void record(Search *s, i64 event, u32 v, u32 number) {
    if (!s->counters[TRACING]) return;
    i32 *at = s->ring + s->counters[RING];
    at[0] = (i32)event, at[1] = (i32)v, at[2] = (i32)number;
    s->counters[RING] += RECORD;
}

/* Keep the full path as a tour if it may end at this vertex; return true if the rows of tours are full now. */
static bool end_full_path(Search *s, u32 v) {
    i64 *c = s->counters;
    if (!s->may_end[v]) return false;
    record(s, TOUR, v, 0);
    for (i64 place = 0; place < s->order; place++) s->tours[c[TOURS] * s->order + place] = s->path[place];
    s->found_at[c[TOURS]++] = c[POSITIONS];
    return c[TOURS] == s->tour_rows;
}

/* Search as paths_search does. Where `plain`, a constant, there is nothing but Warnsdorff's rule and backtracking: one
   pass over the neighbours both visits the head and sorts its candidates, a quarter faster. */
static inline i64 search(Search *s, i64 budget, i64 most_positions, bool plain) {
    i64 *c = s->counters, prune = plain ? 0 : c[PRUNE];
    c[STAMP] = 0; /* anew, before the stamps could run over */
    for (i64 v = 0; prune & CONNECTED && v < s->order; v++) s->marks[v] = 0;
    while (budget > 0) {
        i64 depth = c[DEPTH], gone_through = 0;
        u32 head = depth ? s->path[depth - 1] : 0, v = (u32)c[ROOT];
        if (!plain && c[TRACING] && c[RING] + RECORD * (s->longest_row + 3) > s->ring_size) return RING_FULL;
        if (depth == 0 && c[BEGUN]++) return EXHAUSTED;
        if (depth > 0) {
            if (depth == 1 && prune & REVERSAL && s->cursor[head] > s->indptr[head]) forbid_tried_end(s);
            if (s->cursor[head] == s->stop[head]) {
                if (!plain && !c[BACKTRACK]) return DEAD_END;
                visit_or_undo(s, head, 1, plain);
                c[DEPTH]--, c[BACKTRACKS]++;
                if (!plain) record(s, BACK, head, 0);
                continue;
            }
            if (c[POSITIONS] >= most_positions) return PAUSED;
            v = s->candidates[s->cursor[head]++];
        }
        budget--;
        if (!plain && s->times && !s->possible[depth * s->order + v]) continue;
        if (!plain && s->waypoints && s->before[v] < s->order && !s->visited[s->before[v]]) continue;
        s->path[depth] = v;
        i64 left = s->order - depth - 1;
        if (!prune && (plain || c[BACKTRACK]) && s->exits[v] == 0) { /* a leaf, which need not be visited */
            c[POSITIONS]++, c[BACKTRACKS]++;
            if (!plain) record(s, STEP, v, 0);
            bool full = left == 0 && end_full_path(s, v);
            if (!plain) record(s, BACK, v, 0);
            if (full) return FOUND;
            continue;
        }
        visit_or_undo(s, v, -1, plain);
        i64 pruning = prune && left > 0 ? find_refutation(s, v, left, &gone_through) : 0;
        budget -= gone_through >> 3;
        if (pruning) {
            visit_or_undo(s, v, 1, plain);
            record(s, REFUSED, v, (u32)pruning);
            continue;
        }
        c[DEPTH]++, c[POSITIONS]++;
        if (plain) write_candidates(s, v, BY_EXITS, 1);
        else {
            u32 must = s->must[v];
            if (must < s->order && !s->visited[must]) {
                s->candidates[s->indptr[v]] = must;
                s->cursor[v] = s->indptr[v], s->stop[v] = s->indptr[v] + 1;
            } else write_candidates(s, v, c[KEY], 0);
            record(s, STEP, v, 0);
            for (u32 i = s->indptr[v]; c[TRACING] && i < s->stop[v]; i++)
                record(s, CANDIDATE, s->candidates[i], s->exits[s->candidates[i]]);
            if (left == 0 && end_full_path(s, v)) return FOUND;
        }
    }
    return PAUSED;
}

i64 paths_search(Search *s, i64 budget, i64 most_positions) {
    return s->counters[PLAIN] ? search(s, budget, most_positions, true) : search(s, budget, most_positions, false);
}

/* Return the probability that a random path goes on to a candidate, up to a common factor. It is 0 if the candidate was
   visited, if another vertex must follow the head, and if degrees show that no tour goes on. `apart`: the graph is
   undirected and bipartite. */
static double relative_probability(const Search *s, u32 must, u32 candidate, i64 left, bool apart) {
    if (s->visited[candidate] || (must < s->order && candidate != must && !s->visited[must])) return 0;
    i64 ends = s->may_end[candidate], exits = s->exits[candidate];
    if (left == 1 || exits == 0) return left == 1 && ends;
    i64 inner = s->counters[ONE_EXIT] - (exits == 1 && !ends); /* with one exit, and they stay behind */
    if (apart && (inner > 0 || inner + s->counters[ONE_EXIT_END] - (exits == 1 && ends) > 1)) return 0;
    return 1 / ((1.0 + (double)exits) * (1.0 + (double)exits));
}

/* Walk a random path and return the logarithm of its weight, minus infinity if it is no tour (Knuth 1975; Cancela &
   Mordecki 2006). */
static double log_weight(Search *s, u32 head, bool apart) {
    double weight = 0;
    for (i64 left = s->order - 1; left > 0; left--) {
        visit_and_count(s, head, -1);
        if (left > 1 && !s->counters[DIRECTED] && s->counters[NO_EXIT] + s->counters[NO_EXIT_END]) return -INFINITY;
        double total = 0, share = 0;
        u32 must = s->must[head], chosen = 0;
        for_each_in_row(u, s->indptr, s->indices, head) total += relative_probability(s, must, (u32)u, left, apart);
        if (total == 0) return -INFINITY;
        double drawn = random_fraction(s->random) * total;
        for_each_in_row(u, s->indptr, s->indices, head) {
            double chance = drawn < 0 ? 0 : relative_probability(s, must, (u32)u, left, apart);
            if (chance > 0) chosen = (u32)u, share = chance, drawn -= chance;
        }
        weight += log(total / share), head = chosen;
    }
    return weight;
}

i64 paths_probe(Search *s, const Search *even, const Search *odd, const u8 *colours, const u32 *roots, i64 turns,
                i64 apart, double *weights, i64 probes) {
    for (i64 number = 0; number < probes; number++) {
        i64 turn = number % turns;
        const Search *start = colours[turn] ? odd : even;
        for (i64 v = 0; v < s->order; v++) {
            s->exits[v] = start->exits[v], s->entries[v] = start->entries[v];
            s->visited[v] = 0, s->may_end[v] = start->may_end[v];
        }
        for (i64 i = 0; i < COUNTERS; i++) s->counters[i] = start->counters[i];
        weights[number] = log_weight(s, roots[turn], apart);
    }
    return probes;
}

i64 paths_fault(const Search *s) {
    const i64 *c = s->counters;
    i64 counted[COUNTERS] = {0}, visited = 0;
    for (i64 place = 0; place < c[DEPTH]; place++) if (!s->visited[s->path[place]]) return 1;
    for (u32 v = 0; v < s->order; v++) {
        u32 exits = 0, entries = 0;
        for_each_in_row(u, s->indptr, s->indices, v) exits += !s->visited[u];
        for_each_in_row(u, s->in_indptr, s->in_indices, v) entries += !s->visited[u];
        visited += s->visited[v];
        if (exits != s->exits[v] || entries != s->entries[v]) return exits != s->exits[v] ? 2 : 3;
        if (s->visited[v]) continue;
        counted[ENDS_LEFT] += s->may_end[v], counted[NO_ENTRY] += entries == 0;
        if (exits < 2) counted[NO_EXIT + 2 * exits + s->may_end[v]]++;
    }
    if (visited != c[DEPTH]) return 1;
    for (i64 place = 0; place < c[DEPTH]; place++) {
        u32 v = s->path[place];
        if (s->cursor[v] < s->indptr[v] || s->cursor[v] > s->stop[v] || s->stop[v] > s->indptr[v + 1]) return 4;
    }
    for (i64 i = ENDS_LEFT; c[PRUNE] && i < COUNTERS; i++) if (counted[i] != c[i]) return 5;
    return 0;
}
