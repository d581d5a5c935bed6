/* The frontier method: cycles through all vertices of a graph that a moving frontier sweeps, counted or sought. A step
   chooses edges between one vertex of the frontier and later ones, and takes states to states (Sekine, Imai & Tani
   1995; Knuth 2011, The Art of Computer Programming 4A, exercise 7.1.4-225, for mates). Counts have as many words as
   they need, and states lie with their counts in hash tables. Two generations of states meet where each state of one is
   joined to those of the other that its degrees allow. */

#include "kernels.h"

__extension__ typedef unsigned __int128 u128;

enum { MOST_PLACES = 21, MOST_PATHS = 8, AHEAD = 8 /* rows whose places in a table are fetched beforehand */ };

/* A vertex of the frontier has a place, a bit of the sets of a state: `done` has two edges chosen, `opens` and `closes`
   are the lesser and the greater ends of paths, the others have none; the other end of a path is its mate. Packed, a
   state over `width` places is the planes `done | closes` and `opens | closes`, and above them, in mixed radix, which
   of the paths then open each closing end closes: 64 bits suffice for 21 places, and for 24 with at most 8 paths. The
   invariant: (1) at each closing end a path is open, and at the last place none; (2) what was unpacked is packed so. */
typedef struct { u64 done, opens, closes; u8 mate[32]; } State;

/* In place of a state, greater than any: an unused row; a cycle through all vertices that closed, less the number of
   places that it leaves out; a state that doesn't fit into a number; no state. */
#define EMPTY (~(u64)0)
#define CLOSED EMPTY
#define LOST (EMPTY - 63)
#define NOTHING (EMPTY - 64)

/* The places before the step, and with those that enter; that of the vertex whose edges are chosen; whether it leaves
   then, its two edges chosen; whether a cycle may close; whether the top bit of a state is the parity of its edges, and
   only odd cycles count; where two edges may be chosen by the end, where one, and what may leave untouched. Choices are
   rows (places of the other ends, first of them, last of them, parity in the top bit), those of 0, 1 and 2 edges from
   `offsets` on; `tight` has rows (place, neighbours to come in the frontier, number of those outside: 0 or 1). */
typedef struct {
    i64 before, width, vertex, leaves, last, odd, number, tights;
    u64 roomy, narrow, free;
    const u64 *choices, *tight;
    const i64 *offsets;
} Step;

/* Rows (state, words of its count from the least on). The invariant: (1) and (2) for each state; (3) the search for a
   state from the row of its hash on finds its own row; (4) `used` rows are not EMPTY, and that is at most `most`. */
typedef struct { i64 capacity, columns, most; u64 *rows; i64 *used; } Table;

/* Rows on the way to their tables: `rows` for each shard, of which `fill` are in use, by the low bits of the hash. A
   count adds up the cycles that close in `total`, as many words as columns. A search keeps them like states, and in
   `ways` for each state the row that it comes from, times the number of choices, plus the choice. */
typedef struct { i64 rows, columns, search; u64 *buffers, *total; i64 *fill, *ways; } Buffers;

static inline u64 places_below(u64 place) { return (ONE << place) - 1; }

static inline void unpack(u64 state, i64 width, State *s) {
    u64 low = state & places_below((u64)width), high = state >> width & places_below((u64)width);
    u32 rank = (u32)(state >> 2 * width);
    s->closes = low & high, s->opens = high ^ s->closes, s->done = low ^ s->closes;
    u64 unclosed = s->opens;
    for (u64 rest = s->closes; rest; rest &= rest - 1) {
        u32 place = lowest_bit(rest);
        u64 still = unclosed & places_below(place);
        u32 choices = popcount(still);
        for (u32 which = rank % choices; which; which--) still &= still - 1;
        u32 other = lowest_bit(still);
        rank /= choices, unclosed ^= ONE << other;
        s->mate[place] = (u8)other, s->mate[other] = (u8)place;
    }
}

/* The packed state, after the place of a vertex whose edges are chosen is removed, or -1, and those above move down. */
static inline u64 pack(const State *s, i64 width, i64 gone) {
    u64 low = s->done | s->closes, high = s->opens | s->closes, rank = 0, radix = 1, unclosed = s->opens;
    for (u64 rest = s->closes; rest; rest &= rest - 1) {
        u32 place = lowest_bit(rest), other = s->mate[place];
        u64 still = unclosed & places_below(place);
        rank += radix * popcount(still & places_below(other));
        radix *= popcount(still), unclosed ^= ONE << other;
    }
    if (gone >= 0) {
        u64 below = places_below((u64)gone);
        low = (low & below) | (low >> 1 & ~below), high = (high & below) | (high >> 1 & ~below), width--;
    }
    return low | high << width | rank << 2 * width;
}

/* Choose the edge between two places with room for it; true if it closes a cycle. */
static inline bool join_ends(State *s, u32 tail, u32 head) {
    u64 ends = s->opens | s->closes;
    u32 tail_end = tail, head_end = head;
    if (ends >> tail & 1) tail_end = s->mate[tail], s->done |= ONE << tail;
    if (ends >> head & 1) head_end = s->mate[head], s->done |= ONE << head;
    u64 others = ~(ONE << tail | ONE << head | ONE << tail_end | ONE << head_end);
    s->opens &= others, s->closes &= others;
    if (tail_end == head) return true;
    s->opens |= ONE << (tail_end < head_end ? tail_end : head_end);
    s->closes |= ONE << (tail_end < head_end ? head_end : tail_end);
    s->mate[tail_end] = (u8)head_end, s->mate[head_end] = (u8)tail_end;
    return false;
}

/* False if a tight vertex has fewer neighbours with room for an edge than it lacks edges. */
static inline bool can_be_completed(u64 done, u64 ends, const u64 *tight, i64 tights) {
    for (const u64 *row = tight; row < tight + 3 * tights; row += 3)
        if (!(done >> row[0] & 1) && popcount(row[1] & ~done) + row[2] + (ends >> row[0] & 1) < 2) return false;
    return true;
}

/* What follows from a state by a choice: a packed state, or a number in place of one. The state is left as it was. */
static inline u64 successor(const Step *s, i64 choice, State *now) {
    u64 next = NOTHING, done = now->done, opens = now->opens, closes = now->closes;
    const u64 *places = s->choices + 4 * choice;
    bool cycle = false;
    if (choice >= s->offsets[1]) cycle = join_ends(now, (u32)s->vertex, (u32)places[1]);
    if (choice >= s->offsets[2]) cycle = join_ends(now, (u32)s->vertex, (u32)places[2]);
    u64 ends = now->opens | now->closes, kept = places_below((u64)s->width) & ~((u64)s->leaves << s->vertex);
    if (cycle) {
        if (s->last && !(kept & ~now->done & ~(s->free & ~ends))) next = CLOSED - popcount(kept & ~now->done);
    } else if (can_be_completed(now->done, ends, s->tight, s->tights)) {
        bool fits = s->width <= MOST_PLACES || popcount(now->opens) <= MOST_PATHS;
        next = fits ? pack(now, s->width, s->leaves ? s->vertex : -1) : LOST;
    }
    now->done = done, now->opens = opens, now->closes = closes;
    u64 joined[] = {(u64)s->vertex, places[1], places[2]};
    for (u32 i = 0; i < 3; i++)
        if ((opens | closes) >> joined[i] & 1) now->mate[now->mate[joined[i]]] = (u8)joined[i];
    return next;
}

/* The bits of a state well mixed, by the finaliser of MurmurHash3 (Appleby 2011). */
static inline u64 hash(u64 state) {
    state = (state ^ state >> 33) * 0xFF51AFD7ED558CCDu;
    state = (state ^ state >> 33) * 0xC4CEB9FE1A85EC53u;
    return state ^ state >> 33;
}

static inline u64 *first_row(const Table *t, u64 state) {
    return t->rows + ((hash(state) >> 32) * (u64)t->capacity >> 32) * (u64)t->columns;
}

/* The row of a state, or the empty one where it belongs, by linear probing. */
static inline u64 *row_of(const Table *t, u64 state) {
    u64 *row = first_row(t, state), *end = t->rows + t->capacity * t->columns;
    while (*row != state && *row != EMPTY)
        if ((row += t->columns) == end) row = t->rows;
    return row;
}

/* Add a multiple of a number to `total`, which has room for it (Knuth 1969, algorithm 4.3.1M). */
static inline void add_multiple(u64 *total, u64 factor, const u64 *number, i64 words) {
    u64 carry = 0;
    for (i64 i = 0; i < words; i++) {
        u128 sum = (u128)factor * number[i] + total[i] + carry;
        total[i] = (u64)sum, carry = (u64)(sum >> 64);
    }
    for (total += words; carry; total++) *total += carry, carry = *total < carry;
}

/* Write the successors of the rows from `begin` on into the buffers of their shards, whose number is a power of two;
   the row to go on from once a buffer is nearly full, or `end`. The choices are those for whose number of edges the
   vertex has room, with all that it lacks if it leaves, and where others have room beside required edges to come. */
i64 frontier_expand(const Step *s, const u64 *rows, i64 begin, i64 end, i64 shards, Buffers *b) {
    i64 row = begin, brim = b->rows - s->number, fullest = 0;
    u64 odd = (u64)s->odd << 63, most = s->roomy >> s->vertex & 1 ? 2 : s->narrow >> s->vertex & 1;
    State state = {0};
    for (i64 shard = 0; shard < shards; shard++) fullest = fullest < b->fill[shard] ? b->fill[shard] : fullest;
    for (; row < end && fullest <= brim; row++) {
        const u64 *entry = rows + row * b->columns;
        unpack(entry[0] & ~odd, s->before, &state);
        u64 ends = state.opens | state.closes, room = ~state.done & (s->roomy | (s->narrow & ~ends));
        i64 edges = state.done >> s->vertex & 1 ? 0 : (i64)most - (i64)(ends >> s->vertex & 1);
        i64 first = s->leaves && edges > 0 ? s->offsets[edges] : 0;
        bool left_out = (s->free & ~(state.done | ends)) >> s->vertex & 1;
        for (i64 choice = left_out ? 0 : first; choice < s->offsets[edges + 1]; choice++) {
            const u64 *chosen = s->choices + 4 * choice;
            if (chosen[0] & ~room || (choice < first && choice >= s->offsets[1])) continue;
            u64 next = successor(s, choice, &state), parity = (entry[0] ^ chosen[3]) & odd;
            if (next == CLOSED && !b->search && parity == odd) add_multiple(b->total, 1, entry + 1, b->columns - 1);
            if (next == NOTHING || (next > NOTHING && !b->search)) continue;
            i64 shard = (i64)(hash(next ^ parity) & (u64)(shards - 1)), target = shard * b->rows + b->fill[shard]++;
            b->buffers[target * b->columns] = next ^ parity;
            for (i64 i = 1; i < b->columns; i++) b->buffers[target * b->columns + i] = entry[i];
            if (b->search) b->ways[target] = row * s->number + choice;
            if (fullest < b->fill[shard]) fullest = b->fill[shard];
        }
    }
    return row;
}

/* Take the rows from `begin` on into a table until it has as many as it may; the row to go on from, or `end`. */
i64 frontier_merge(Table *t, const u64 *rows, i64 begin, i64 end) {
    for (i64 row = begin; row < end; row++) {
        const u64 *entry = rows + row * t->columns;
        if (row + AHEAD < end) __builtin_prefetch(first_row(t, entry[AHEAD * t->columns]), 1);
        if (entry[0] == EMPTY) continue;
        u64 *place = row_of(t, entry[0]);
        if (*place == EMPTY) {
            if (*t->used >= t->most) return row;
            ++*t->used;
            for (i64 i = 0; i < t->columns; i++) place[i] = entry[i];
        } else if (t->columns == 2) place[1] += entry[1];
        else add_multiple(place + 1, 1, entry + 1, t->columns - 1);
    }
    return end;
}

/* Add to the sets what is done in the state of each row and its ends, and write the mates of these, `joint` to a row:
   all in the places that `number` has for those of the state. */
i64 frontier_renumber(const u64 *rows, i64 end, i64 columns, i64 width, const u64 *number, i64 joint, u64 *done,
                      u64 *ends, u8 *mates) {
    State state = {0};
    for (i64 row = 0; row < end; row++) {
        unpack(rows[row * columns], width, &state);
        for (i64 place = 0; place < width; place++) {
            u64 end = (state.opens | state.closes) >> place & 1;
            done[row] |= (state.done >> place & 1) << number[place], ends[row] |= end << number[place];
            if (end) mates[row * joint + (i64)number[place]] = (u8)number[state.mate[place]];
        }
    }
    return end;
}

/* The states of the back, sorted by the degrees that they need from the front: `groups` has for degrees where their
   states begin and end. Mates are places of the front; a sum of counts of the back has so many words. */
typedef struct { i64 width, front_columns, words; const Table *groups; const u8 *mates; const u64 *counts; } Back;

/* 1 if going along paths of the front and the back in turn leads through all `paths`, else 0. There is no branch to
   guess, so that the processor goes through many states at a time. */
static inline u64 is_one_cycle(const State *front, const u8 *back, u32 first, u32 paths) {
    u32 place = first, early = 0;
    for (u32 seen = 1; seen < paths; seen++) place = back[front->mate[place]], early |= place == first;
    return !early;
}

/* Add to `total` the number of cycles that rows of the front make with those of the back; `sum` is scratch space. */
i64 frontier_meet(const Back *b, const u64 *rows, i64 end, u64 *total, u64 *sum) {
    State state = {0};
    for (i64 row = 0; row < end; row++) {
        const u64 *entry = rows + row * b->front_columns;
        unpack(entry[0], b->width, &state);
        const u64 *group = row_of(b->groups, state.done | (state.opens | state.closes) << b->width);
        if (!state.opens || *group == EMPTY) continue;
        for (i64 i = 0; i < b->words; i++) sum[i] = 0;
        u32 first = lowest_bit(state.opens), paths = popcount(state.opens);
        for (i64 other = (i64)group[1]; other < (i64)group[2]; other++) {
            u64 one = is_one_cycle(&state, b->mates + other * b->width, first, paths);
            add_multiple(sum, one, b->counts + other * (b->words - 1), b->words - 1);
        }
        for (i64 i = 1; i < b->front_columns; i++) add_multiple(total + i - 1, entry[i], sum, b->words);
    }
    return end;
}

/* Two parts of a graph, whose joint places are those of the left part, then those that only the right one has. This has
   `others` states, whose `done`, `ends` and `mates` are in joint places. `last`, `free` and `tight` are as in a step;
   `needy` are the places that lack a required edge or two, and those that lack two; states of the left part are taken
   in the order of `turns`, from `turn` on; `fitting` is scratch space. */
typedef struct {
    i64 width, joint, others, last, tights;
    u64 free;
    const u64 *tight, *needy, *left, *done, *ends;
    const u8 *mates;
    const i64 *turns; i64 *fitting, *turn;
} Parts;

/* What a state of the left part makes with one of the right, whose paths are like edges. */
static inline u64 joined(const Parts *p, State now, i64 other) {
    const u8 *mate = p->mates + other * p->joint;
    u64 rest = p->ends[other];
    bool cycle = false;
    now.done |= p->done[other];
    while (rest && !cycle) {
        u32 place = lowest_bit(rest);
        rest &= ~(ONE << place | ONE << mate[place]);
        cycle = join_ends(&now, place, mate[place]);
    }
    u64 missed = places_below((u64)p->joint) & ~now.done, unwanted = missed & ~(p->free & ~(now.opens | now.closes));
    if (cycle) return p->last && !rest && !unwanted ? CLOSED - popcount(missed) : NOTHING;
    return p->joint > MOST_PLACES && popcount(now.opens) > MOST_PATHS ? LOST : pack(&now, p->joint, -1);
}

/* List the states of the right part that a left one can be completed with, by their degrees; how many. */
static i64 list_fitting(const Parts *p, u64 done, u64 ends) {
    i64 found = 0;
    for (i64 other = 0; other < p->others; other++) {
        u64 both = done | p->done[other] | (ends & p->ends[other]), left = ends ^ p->ends[other];
        u64 over = (done & (p->done[other] | p->ends[other])) | (ends & p->done[other]);
        if (!(over | (both & p->needy[0]) | (left & p->needy[1])) && can_be_completed(both, left, p->tight, p->tights))
            p->fitting[found++] = other;
    }
    return found;
}

/* Write what the left states make with all right ones, from `turn` to `end`, and for each the left row times the number
   of right ones, plus the right row; how many. There is `room` for at least one left row with all right ones. */
i64 frontier_join(const Parts *p, i64 end, u64 *fresh, i64 *ways, i64 room) {
    i64 written = 0, partners = 0;
    u64 done = EMPTY, ends = EMPTY; /* of the left state for which the fitting ones were listed */
    State left = {0};
    for (; *p->turn < end; ++*p->turn) {
        i64 row = p->turns[*p->turn];
        unpack(p->left[row], p->width, &left);
        if (left.done != done || (left.opens | left.closes) != ends) {
            done = left.done, ends = left.opens | left.closes;
            partners = list_fitting(p, done, ends);
        }
        if (written + partners > room) break;
        for (i64 i = 0; i < partners; i++) {
            u64 next = joined(p, left, p->fitting[i]);
            if (next != NOTHING) fresh[written] = next, ways[written++] = row * p->others + p->fitting[i];
        }
    }
    return written;
}

/* A greedy order of the vertices. The invariant: (1) `fresh[v]` is the number of neighbours of v that are not reached,
   neither taken nor in the frontier; (2) `sorted` has each vertex at its `position`, those reached first, the others by
   `fresh`; (3) where `fresh` is k they begin at `bins[k + 1]`, and all that are not reached at `bins[1]`. A frontier of
   `size` places costs `states[size]`, and has `most` at most; `least` is the cost of the best order so far. */
typedef struct {
    i64 order, most, many;
    const i32 *first, *heads;
    const double *states; double *least;
    i32 *vertices, *fresh, *frontier, *sorted, *position, *bins;
} Order;

static void move_down(Order *o, i32 v, i32 bin) {
    i32 front = o->bins[bin]++, other = o->sorted[front], place = o->position[v];
    o->sorted[place] = other, o->position[other] = place, o->sorted[front] = v, o->position[v] = front;
}

static inline bool is_reached(const Order *o, i32 v) { return o->position[v] < o->bins[1]; }

static void reach(Order *o, i32 v) {
    for (i32 bin = o->fresh[v] + 1; bin > 0; bin--) move_down(o, v, bin);
    for (i32 i = o->first[v]; i < o->first[v + 1]; i++) {
        i32 u = o->heads[i];
        if (!is_reached(o, u)) move_down(o, u, o->fresh[u] + 1);
        o->fresh[u]--;
    }
}

/* Write an order from a root on: next the vertex of the frontier that brings the fewest new ones in, by chance among
   equals (Knuth's MMIX), or if they are `many` one from elsewhere with fewer. 1 if it is the best so far, else 0. */
i64 frontier_order(Order *o, i64 root, i64 seed) {
    u64 chance = (u64)seed;
    i64 size = 0, chosen = 0;
    double cost = 0;
    for (i64 place = 0; place < o->order; place++) {
        u64 fewest = (u64)o->order << 32;
        for (i64 i = 0; i < size; i++) {
            chance = chance * 6364136223846793005u + 1442695040888963407u;
            u64 new = (u64)o->fresh[o->frontier[i]] << 32 | chance >> 32;
            if (new < fewest) fewest = new, chosen = i;
        }
        i64 new = (i64)(fewest >> 32);
        i32 vertex = place == 0 ? (i32)root : o->bins[1] < o->order && new >= o->many ? o->sorted[o->bins[1]] : -1;
        if (vertex >= 0 && (place == 0 || o->fresh[vertex] < new)) reach(o, vertex);
        else vertex = o->frontier[chosen], o->frontier[chosen] = o->frontier[--size];
        o->vertices[place] = vertex;
        for (i32 i = o->first[vertex]; i < o->first[vertex + 1]; i++)
            if (!is_reached(o, o->heads[i])) reach(o, o->heads[i]), o->frontier[size++] = o->heads[i];
        if (size > o->most || (cost += o->states[size]) >= *o->least) return 0;
    }
    *o->least = cost;
    return 1;
}

i64 frontier_fault(const Table *t, i64 width, i64 odd) {
    State state = {0};
    i64 used = 0;
    for (const u64 *row = t->rows; row < t->rows + t->capacity * t->columns; row += t->columns) {
        if (*row == EMPTY) continue;
        u64 packed = *row & ~((u64)odd << 63);
        i64 open = 0;
        for (i64 place = 0; place < width && open >= 0; place++)
            if (packed >> (width + place) & 1) open += packed >> place & 1 ? -1 : 1;
        if (open) return 1;
        unpack(packed, width, &state);
        if (pack(&state, width, -1) != packed) return 2;
        if (used++, row_of(t, *row) != row) return 3;
    }
    return used == *t->used && used <= t->most ? 0 : 4;
}

i64 frontier_order_fault(const Order *o) {
    for (i32 v = 0; v < o->order; v++) {
        i32 fresh = 0, place = o->position[v];
        for (i32 i = o->first[v]; i < o->first[v + 1]; i++) fresh += !is_reached(o, o->heads[i]);
        if (fresh != o->fresh[v]) return 1;
        if (o->sorted[place] != v) return 2;
        if (!is_reached(o, v) && (place < o->bins[fresh + 1] || place >= o->bins[fresh + 2])) return 3;
    }
    return 0;
}
