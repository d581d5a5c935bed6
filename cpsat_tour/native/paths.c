/* The path search: depth-first for Hamiltonian paths from a root to a permitted end, iterative and resumable; and random
   probes of its tree, which estimate how many there are.

   A closed tour is a path whose permitted ends are the vertices with an arc to the root. Candidates follow Warnsdorff's
   rule (von Warnsdorff 1823): fewest exits first. Ties go by the order of the arcs, by the exits of the exits (Pohl
   1967), at random, or by direction orders that switch at given vertices (Squirrel & Cull 1996). Positions are refuted
   from degrees (Rubin 1974) and connection; `plain_search.py` has the same search on one page. */

#include <math.h>

#include "kernels.h"

enum { AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM, BY_PHASE }; /* how candidates are compared */
enum { ENDS = 1, EXITS = 2, DEGREE = 4, CONNECTED = 8, REVERSAL = 16 }; /* prunings, each the code of its event */
enum { ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING, PLAIN };         /* settings, then counters */
enum { DEPTH = 7, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP };
enum { ENDS_LEFT = 14, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY, COUNTERS };
enum { STEP = 1, CANDIDATE, REFUSED, BACK, TOUR, RECORD = 3 }; /* events of the ring, three numbers each */
enum { PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL };        /* why the search came back */

/* The invariant, between two positions: (1) path[0] to path[depth - 1] is the path, and visited flags its vertices;
   (2) exits[v] is the number of unvisited vertices that an arc from v enters; (3) entries[v] of those that an arc to v
   leaves, one array with exits if the graph is undirected; (4) the candidates of v on the path are those from indptr[v]
   to stop[v] - 1, in the order in which they are tried, those before cursor[v] tried already; (5) where there are
   prunings, the counters say how many unvisited vertices are permitted ends, have no exit or entry, or one exit. */
typedef struct {
    i64 order, longest_row, tour_rows, ring_size, times, waypoints;
    const u32 *indptr, *indices, *in_indptr, *in_indices; /* the arcs out of each vertex, in the order of ties, and in */
    u8 *may_end;
    const u8 *possible; /* for each depth the vertices that may come next, if times is not 0 */
    const u32 *before;  /* the waypoint before each waypoint, or the order, if waypoints is not 0 */
    const u32 *must;    /* the vertex that has to follow, if it is unvisited, or the order */
    const u8 *octants;  /* the direction of each arc, for orders with phases */
    const u8 *phase_ranks; /* for each phase the rank of each of nine directions */
    const u32 *switches;   /* for each phase the vertex on whose visit the next one begins, or the order */
    u32 *path;
    u8 *visited;
    u32 *exits, *entries, *candidates, *cursor, *stop;
    u8 *phase;          /* in which the candidates of a vertex were put in order */
    i64 *keys;          /* scratch space of a sort */
    u32 *marks, *queue; /* scratch space of a breadth-first search */
    u64 *random;
    i64 *counters;
    u32 *tours;    /* found since the last emptying, a row each */
    i64 *found_at; /* the number of positions then */
    i32 *ring;
} Search;

static void count_scarce(Search *s, u32 v, i64 sign) {
    i64 *c = s->counters;
    if (s->exits[v] == 0) c[s->may_end[v] ? NO_EXIT_END : NO_EXIT] += sign;
    else if (s->exits[v] == 1) c[s->may_end[v] ? ONE_EXIT_END : ONE_EXIT] += sign;
    if (s->entries[v] == 0) c[NO_ENTRY] += sign;
}

static inline void add_to_neighbours(const u32 *indptr, const u32 *indices, u32 *numbers, u32 v, u32 change) {
    for (u32 arc = indptr[v]; arc < indptr[v + 1]; arc++) numbers[indices[arc]] += change;
}

/* Visit a vertex (change -1) or undo that (1), and update the counters of the prunings. */
static void visit_and_count(Search *s, u32 v, i64 change) {
    i64 *c = s->counters;
    if (change < 0) {
        count_scarce(s, v, -1);
        s->visited[v] = 1;
    }
    c[ENDS_LEFT] += change * s->may_end[v];
    for (u32 arc = s->in_indptr[v]; arc < s->in_indptr[v + 1]; arc++) {
        u32 u = s->in_indices[arc];
        bool scarce = !s->visited[u] && s->exits[u] <= 2;
        if (scarce) count_scarce(s, u, -1);
        s->exits[u] += (u32)change;
        if (scarce) count_scarce(s, u, 1);
    }
    if (c[DIRECTED])
        for (u32 arc = s->indptr[v]; arc < s->indptr[v + 1]; arc++) {
            u32 u = s->indices[arc];
            s->entries[u] += (u32)change;
            if (!s->visited[u] && s->entries[u] == (change < 0 ? 0 : 1)) c[NO_ENTRY] -= change;
        }
    if (change > 0) {
        s->visited[v] = 0;
        count_scarce(s, v, 1);
    }
}

static inline void visit_or_undo(Search *s, u32 v, i64 change, bool plain) {
    if (!plain && s->counters[PRUNE]) {
        visit_and_count(s, v, change);
        return;
    }
    s->visited[v] = change < 0;
    if (!plain || change > 0) add_to_neighbours(s->in_indptr, s->in_indices, s->exits, v, (u32)change);
    if (!plain && s->counters[DIRECTED]) add_to_neighbours(s->indptr, s->indices, s->entries, v, (u32)change);
}

/* Forbid closed tours to end at the candidate of the root that was tried last: all tours over that edge are found. */
static void forbid_tried_end(Search *s) {
    u32 v = s->candidates[s->cursor[s->path[0]] - 1];
    if (!s->may_end[v]) return;
    count_scarce(s, v, -1);
    s->may_end[v] = 0;
    count_scarce(s, v, 1);
    s->counters[ENDS_LEFT]--;
}

static i64 exits_of_exits(const Search *s, u32 v) {
    i64 total = 0;
    for (u32 arc = s->indptr[v]; arc < s->indptr[v + 1]; arc++)
        if (!s->visited[s->indices[arc]]) total += s->exits[s->indices[arc]];
    return total;
}

/* Write the unvisited neighbours of the head as its candidates, sorted by insertion: by exits and then, if `key` says
   so, by what breaks ties. `one_less` is 1 to take the head off the exits of its neighbours on the way. */
static inline void write_candidates(Search *s, u32 head, i64 key, u32 one_less) {
    u32 *candidates = s->candidates, first = s->indptr[head], end = first, phase = 0;
    if (key == BY_PHASE) {
        i64 depth = s->counters[DEPTH];
        phase = depth > 1 ? s->phase[s->path[depth - 2]] : 0;
        phase += s->switches[phase] == head;
        s->phase[head] = (u8)phase;
    }
    for (u32 arc = first; arc < s->indptr[head + 1]; arc++) {
        u32 v = s->indices[arc], fewest = s->exits[v] -= one_less, spot = end;
        if (s->visited[v]) continue;
        if (key == BY_EXITS) {
            for (; spot > first && s->exits[candidates[spot - 1]] > fewest; spot--) candidates[spot] = candidates[spot - 1];
        } else if (key != AS_THEY_COME) {
            i64 tie = key == BY_PHASE ? s->phase_ranks[9 * phase + s->octants[arc]]
                      : key == AT_RANDOM ? random_bits(s->random) : exits_of_exits(s, v);
            i64 rank = ((i64)fewest << 40) + tie;
            for (; spot > first && s->keys[spot - first - 1] > rank; spot--) {
                candidates[spot] = candidates[spot - 1];
                s->keys[spot - first] = s->keys[spot - first - 1];
            }
            s->keys[spot - first] = rank;
        }
        candidates[spot] = v, end++;
    }
    s->cursor[head] = first, s->stop[head] = end;
}

/* True if two or more vertices are left, and one has no exit, or too many have one: such a vertex has to follow the head
   or be the end. */
static bool degrees_refute_undirected(const Search *s, u32 head) {
    const i64 *c = s->counters;
    i64 beside = 0, beside_end = 0, one_exit = c[ONE_EXIT] + c[ONE_EXIT_END];
    if (c[NO_EXIT] + c[NO_EXIT_END] > 0 || c[ONE_EXIT] > 1 || one_exit > 2) return true;
    if (one_exit == 0) return false;
    for (u32 arc = s->indptr[head]; arc < s->indptr[head + 1]; arc++) {
        u32 v = s->indices[arc];
        if (!s->visited[v] && s->exits[v] == 1) beside += !s->may_end[v], beside_end += s->may_end[v];
    }
    return c[ONE_EXIT] > beside || c[ONE_EXIT_END] > beside_end + 1;
}

/* True if too many unvisited vertices have no way in, as only the one after the head may, or no way out, as only the end
   may. */
static bool degrees_refute_directed(const Search *s, u32 head) {
    const i64 *c = s->counters;
    i64 beside = 0;
    if (c[NO_EXIT] > 0 || c[NO_EXIT_END] > 1 || c[NO_ENTRY] > 1) return true;
    for (u32 arc = s->indptr[head]; arc < s->indptr[head + 1]; arc++)
        beside += !s->visited[s->indices[arc]] && s->entries[s->indices[arc]] == 0;
    return c[NO_ENTRY] > beside;
}

/* Queue and mark the unvisited neighbours of a vertex, over arcs either way, that lack the mark; the number of those
   that had the mark before this one. */
static i64 queue_unvisited(Search *s, u32 v, u32 mark, i64 *length) {
    i64 met = 0;
    for (int way = 0; way <= (s->counters[DIRECTED] != 0); way++) {
        const u32 *indptr = way ? s->in_indptr : s->indptr, *indices = way ? s->in_indices : s->indices;
        for (u32 arc = indptr[v]; arc < indptr[v + 1]; arc++) {
            u32 u = indices[arc];
            if (s->visited[u] || s->marks[u] == mark) continue;
            met += s->marks[u] == mark - 1;
            s->marks[u] = mark;
            s->queue[(*length)++] = u;
        }
    }
    return met;
}

/* True if the unvisited part is connected and in the head's reach. It was connected with the head in it, so it still is
   if the head's neighbours are connected with each other: a breadth-first search from one of them ends when it has met
   them all. At the root, where nothing is known before, it goes through everything. */
static bool hangs_together(Search *s, u32 head, i64 left, i64 *gone_through) {
    i64 goal = 0, length = 1, met = 1, at_root = s->counters[DEPTH] == 0;
    u32 reached = (u32)(s->counters[STAMP] += 2);
    queue_unvisited(s, head, reached - 1, &goal);
    *gone_through = 1;
    if (goal == 0 || (goal == 1 && !at_root)) return goal == 1;
    s->marks[s->queue[0]] = reached;
    for (i64 done = 0; done < length && (at_root || met < goal); done++)
        met += queue_unvisited(s, s->queue[done], reached, &length);
    *gone_through = length;
    return at_root ? length == left : met == goal;
}

/* The flag of the first pruning that refutes the position, or 0. */
static i64 find_refutation(Search *s, u32 head, i64 left, i64 *gone_through) {
    const i64 *c = s->counters, prune = c[PRUNE];
    if (left == 0) return 0;
    if (prune & ENDS && c[ENDS_LEFT] == 0) return ENDS;
    if (prune & EXITS && left > 1 && c[NO_EXIT] + c[NO_EXIT_END] > 0) return EXITS;
    if (prune & DEGREE && left > 1)
        if (c[DIRECTED] ? degrees_refute_directed(s, head) : degrees_refute_undirected(s, head)) return DEGREE;
    return prune & CONNECTED && !hangs_together(s, head, left, gone_through) ? CONNECTED : 0;
}

static inline void record(Search *s, i64 event, u32 v, u32 number) {
    if (!s->counters[TRACING]) return;
    i32 *at = s->ring + s->counters[RING];
    at[0] = (i32)event, at[1] = (i32)v, at[2] = (i32)number;
    s->counters[RING] += RECORD;
}

static void record_step(Search *s, u32 v) {
    record(s, STEP, v, 0);
    if (s->counters[TRACING])
        for (u32 i = s->indptr[v]; i < s->stop[v]; i++) record(s, CANDIDATE, s->candidates[i], s->exits[s->candidates[i]]);
}

/* Keep the full path as a tour if it may end at this vertex; true if the rows of tours are full. */
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
    if (prune & CONNECTED) { /* anew, before the stamps could run over */
        c[STAMP] = 0;
        for (i64 v = 0; v < s->order; v++) s->marks[v] = 0;
    }
    while (budget > 0) {
        i64 depth = c[DEPTH], gone_through = 0;
        u32 v, head = depth ? s->path[depth - 1] : 0;
        if (!plain && c[TRACING] && c[RING] + RECORD * (s->longest_row + 3) > s->ring_size) return RING_FULL;
        if (depth == 0) {
            if (c[BEGUN]) return EXHAUSTED;
            c[BEGUN] = 1, v = (u32)c[ROOT];
        } else {
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
        if (prune) {
            i64 pruning = find_refutation(s, v, left, &gone_through);
            budget -= gone_through >> 3;
            if (pruning) {
                visit_or_undo(s, v, 1, plain);
                record(s, REFUSED, v, (u32)pruning);
                continue;
            }
        }
        c[DEPTH]++, c[POSITIONS]++;
        if (plain) write_candidates(s, v, BY_EXITS, 1);
        else {
            u32 must = s->must[v];
            if (must < s->order && !s->visited[must]) {
                s->candidates[s->indptr[v]] = must;
                s->cursor[v] = s->indptr[v], s->stop[v] = s->indptr[v] + 1;
            } else write_candidates(s, v, c[KEY], 0);
            record_step(s, v);
            if (left == 0 && end_full_path(s, v)) return FOUND;
        }
    }
    return PAUSED;
}

/* Search until the rows of tours or the ring are full, a limit is met or nothing is left; which. `budget` bounds the
   moves tried (and the vertices gone through for connectivity) in this call, `most_positions` the positions of the whole
   search. PAUSED, FOUND and RING_FULL go on at the next call, after tours and ring are emptied. */
i64 paths_search(Search *s, i64 budget, i64 most_positions) {
    return s->counters[PLAIN] ? search(s, budget, most_positions, true) : search(s, budget, most_positions, false);
}

/* --- estimates: random probes of the search tree (Knuth 1975; Cancela & Mordecki 2006) --- */

/* The probability of a candidate, up to a common factor. It is 0 if the candidate was visited, if another vertex must
   follow the head, and if degrees show that no tour goes on: the candidate has no exit and is not the last, or others
   with one exit stay behind. `apart`: the graph is undirected and bipartite. */
static double relative_probability(const Search *s, u32 must, u32 candidate, i64 left, bool apart) {
    if (s->visited[candidate] || (must < s->order && candidate != must && !s->visited[must])) return 0;
    i64 ends = s->may_end[candidate], exits = s->exits[candidate];
    if (left == 1) return ends ? 1 : 0;
    if (exits == 0) return 0;
    if (apart) {
        i64 inner = s->counters[ONE_EXIT] - (exits == 1 && !ends);
        if (inner > 0 || inner + s->counters[ONE_EXIT_END] - (exits == 1 && ends) > 1) return 0;
    }
    return 1 / ((1.0 + (double)exits) * (1.0 + (double)exits));
}

/* The logarithm of the weight of one random path from a root, minus infinity if it ends before it is a tour. */
static double log_weight(Search *s, u32 head, bool apart) {
    double weight = 0;
    for (i64 left = s->order - 1; left > 0; left--) {
        visit_and_count(s, head, -1);
        if (left > 1 && !s->counters[DIRECTED] && s->counters[NO_EXIT] + s->counters[NO_EXIT_END]) return -INFINITY;
        double total = 0, share = 0;
        u32 must = s->must[head], first = s->indptr[head], end = s->indptr[head + 1], chosen = 0;
        for (u32 arc = first; arc < end; arc++) total += relative_probability(s, must, s->indices[arc], left, apart);
        if (total == 0) return -INFINITY;
        double drawn = random_fraction(s->random) * total;
        for (u32 arc = first; arc < end && drawn >= 0; arc++) {
            double chance = relative_probability(s, must, s->indices[arc], left, apart);
            if (chance > 0) chosen = s->indices[arc], share = chance, drawn -= chance;
        }
        weight += log(total / share);
        head = chosen;
    }
    return weight;
}

/* Run a probe for each of `probes`, their roots taking turns, and write the logarithm of its weight. `even` and `odd`
   are unstarted searches from a root of either colour, `s` is scratch space for one. */
i64 paths_probe(Search *s, const Search *even, const Search *odd, const u8 *colours, const u32 *roots, i64 turns,
                i64 apart, double *weights, i64 probes) {
    for (i64 number = 0; number < probes; number++) {
        i64 turn = number % turns;
        const Search *start = colours[turn] ? odd : even;
        for (i64 v = 0; v < s->order; v++)
            s->visited[v] = 0, s->exits[v] = start->exits[v], s->entries[v] = start->entries[v], s->may_end[v] = start->may_end[v];
        for (i64 counter = 0; counter < COUNTERS; counter++) s->counters[counter] = start->counters[counter];
        weights[number] = log_weight(s, roots[turn], apart);
    }
    return probes;
}

i64 paths_fault(const Search *s) {
    const i64 *c = s->counters;
    i64 ends = 0, scarce[4] = {0}, no_entry = 0, visited = 0;
    for (i64 place = 0; place < c[DEPTH]; place++)
        if (!s->visited[s->path[place]]) return 1;
    for (u32 v = 0; v < s->order; v++) {
        u32 exits = 0, entries = 0;
        for (u32 arc = s->indptr[v]; arc < s->indptr[v + 1]; arc++) exits += !s->visited[s->indices[arc]];
        for (u32 arc = s->in_indptr[v]; arc < s->in_indptr[v + 1]; arc++) entries += !s->visited[s->in_indices[arc]];
        visited += s->visited[v];
        if (exits != s->exits[v]) return 2;
        if (entries != s->entries[v]) return 3;
        if (!s->visited[v] && exits < 2) scarce[2 * exits + !!s->may_end[v]]++;
        if (!s->visited[v]) ends += s->may_end[v], no_entry += entries == 0;
    }
    if (visited != c[DEPTH]) return 1;
    for (i64 place = 0; place < c[DEPTH]; place++) {
        u32 v = s->path[place];
        if (s->cursor[v] < s->indptr[v] || s->cursor[v] > s->stop[v] || s->stop[v] > s->indptr[v + 1]) return 4;
    }
    if (!c[PRUNE]) return 0;
    return ends != c[ENDS_LEFT] || no_entry != c[NO_ENTRY] || scarce[0] != c[NO_EXIT] || scarce[1] != c[NO_EXIT_END] ||
           scarce[2] != c[ONE_EXIT] || scarce[3] != c[ONE_EXIT_END] ? 5 : 0;
}
