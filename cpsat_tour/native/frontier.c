/* The frontier method, whose story `sweep.py` has. A step chooses edges between one vertex of the frontier and later
   ones, and takes states to states; two generations meet where each state is joined to those that its degrees allow. */
#include "kernels.h"

enum { MOST_PLACES = 21, MOST_PATHS = 8, AHEAD = 8 /* rows whose places in a table are fetched beforehand */ };

/* A vertex of the frontier has a place, a bit of the sets of a state: `done` has two edges chosen, `opens` and `closes`
   are the lesser and the greater ends of paths, the others have none; the other end of a path is its mate. Packed, a
   state over `width` places is the planes `done | closes` and `opens | closes`, and above them, in mixed radix, which
   of the paths then open each closing end closes: 64 bits suffice for 21 places, and for 24 with at most 8 paths. The
   invariant: (1) at each closing end a path is open, and at the last place none; (2) what was unpacked is packed so. */
typedef struct { u64 done, opens, closes; u8 mate[32]; } State;

/* In place of a state, greater than any: an unused row; a cycle that closed, less the number of places that it leaves
   out; a state that doesn't fit into a number; no state. */
#define EMPTY (~(u64)0)
#define CLOSED EMPTY
#define LOST (EMPTY - 63)
#define NOTHING (EMPTY - 64)

typedef struct { /* `SweepStep` in states.py says what these are */
    i64 before, width, vertex, leaves, last, odd, number, tights;
    u64 roomy, narrow, free; const u64 *choices, *tight; const i64 *offsets;
} Step;

/* Rows (state, words of its count from the least on). The invariant: (1) and (2) for each state; (3) the search for a
   state from the row of its hash on finds its own row; (4) `used` rows are not EMPTY, and that is at most `most`. */
typedef struct { i64 capacity, columns, most; u64 *rows; i64 *used; } Table;

/* Rows on the way to their tables, in shards by the low bits of the hash: `Buffers` in states.py. */
typedef struct { i64 rows, columns, search; u64 *buffers, *total; i64 *fill, *ways; } Buffers;

/* The set of places that are ends of paths. */
static inline u64 ends_of(const State *s) { return s->opens | s->closes; }
/* Read a packed state over `width` places into its sets and mates. */
static inline void unpack(u64 state, i64 width, State *s) {
    u64 low = state & places_below((u64)width), high = state >> width & places_below((u64)width);
    u32 rank = (u32)(state >> 2 * width);
    s->closes = low & high, s->opens = high ^ s->closes, s->done = low ^ s->closes;
    u64 unclosed = s->opens;
    for_each_bit(place, s->closes) {
        u64 still = unclosed & places_below(place);
        u32 choices = popcount(still);
        for (u32 which = rank % choices; which; which--) still &= still - 1;
        u32 other = lowest_bit(still);
        rank /= choices, unclosed ^= ONE << other;
        s->mate[place] = (u8)other, s->mate[other] = (u8)place;
    }
}

/* Return the state packed into a word, LOST if it does not fit. The place `gone`, unless that is -1, is removed, and
   those above move down. */
static inline u64 pack(const State *s, i64 width, i64 gone) {
    if (width > MOST_PLACES && popcount(s->opens) > MOST_PATHS) return LOST;
    u64 low = s->done | s->closes, high = s->opens | s->closes, rank = 0, radix = 1, unclosed = s->opens;
    for_each_bit(place, s->closes) {
        u64 other = s->mate[place], still = unclosed & places_below(place);
        rank += radix * popcount(still & places_below(other));
        radix *= popcount(still), unclosed ^= ONE << other;
    }
    if (gone >= 0) {
        u64 below = places_below((u64)gone);
        low = (low & below) | (low >> 1 & ~below), high = (high & below) | (high >> 1 & ~below), width--;
    }
    return low | high << width | rank << 2 * width;
}

/* Choose the edge between two places, which have room for it; return true if it closes a cycle. */
static inline bool join_ends(State *s, u32 tail, u32 head) {
    u64 ends = ends_of(s);
    u32 tail_end = tail, head_end = head;
    if (ends >> tail & 1) tail_end = s->mate[tail], s->done |= ONE << tail;
    if (ends >> head & 1) head_end = s->mate[head], s->done |= ONE << head;
    u64 others = ~(ONE << tail | ONE << head | ONE << tail_end | ONE << head_end);
    s->opens &= others, s->closes &= others;
    if (tail_end == head) return true;
    u64 lesser = tail_end < head_end ? tail_end : head_end;
    s->opens |= ONE << lesser, s->closes |= ONE << (tail_end ^ head_end ^ lesser);
    s->mate[tail_end] = (u8)head_end, s->mate[head_end] = (u8)tail_end;
    return false;
}

/* True if each tight vertex has as many neighbours with room for an edge as it lacks edges. */
static inline bool can_be_completed(u64 done, u64 ends, const u64 *tight, i64 tights) {
    for (const u64 *row = tight; row < tight + 3 * tights; row += 3)
        if (!(done >> row[0] & 1) && popcount(row[1] & ~done) + row[2] + (ends >> row[0] & 1) < 2) return false;
    return true;
}

/* Return the packed state that a choice of edges makes of a state; CLOSED, less the places left out, if it closes a
   cycle, LOST if it does not fit, NOTHING if it leads to no cycle. */
static inline u64 successor(const Step *s, i64 choice, State now) {
    bool cycle = false;
    for (i64 edge = 1; edge < 3 && choice >= s->offsets[edge]; edge++)
        cycle = join_ends(&now, (u32)s->vertex, (u32)s->choices[4 * choice + edge]);
    u64 missed = places_below((u64)s->width) & ~((u64)s->leaves << s->vertex) & ~now.done;
    if (cycle) return s->last && !(missed & ~(s->free & ~ends_of(&now))) ? CLOSED - popcount(missed) : NOTHING;
    if (!can_be_completed(now.done, ends_of(&now), s->tight, s->tights)) return NOTHING;
    return pack(&now, s->width, s->leaves ? s->vertex : -1);
}

/* The row of a table where the search for a state begins, by its hash. */
static inline u64 *first_row(const Table *t, u64 state) {
    return t->rows + ((hash(state) >> 32) * (u64)t->capacity >> 32) * (u64)t->columns;
}
/* Find the row of a state by linear probing, or the empty row where it belongs. */
static inline u64 *row_of(const Table *t, u64 state) {
    u64 *row = first_row(t, state), *end = t->rows + t->capacity * t->columns;
    while (*row != state && *row != EMPTY)
        if ((row += t->columns) == end) row = t->rows;
    return row;
}

/* Choices are those for which the vertex has room, with all edges that it lacks if it leaves, and others have room. */
i64 frontier_expand(const Step *s, const u64 *rows, i64 begin, i64 end, i64 shards, Buffers *b) {
    i64 row = begin, fullest = 0;
    u64 odd = (u64)s->odd << 63, most = s->roomy >> s->vertex & 1 ? 2 : s->narrow >> s->vertex & 1;
    State state = {0};
    for (i64 shard = 0; shard < shards; shard++) fullest = greatest_of(fullest, b->fill[shard]);
    for (; row < end && fullest <= b->rows - s->number; row++) {
        const u64 *entry = rows + row * b->columns;
        unpack(entry[0] & ~odd, s->before, &state);
        u64 ends = ends_of(&state), room = ~state.done & (s->roomy | (s->narrow & ~ends));
        i64 edges = state.done >> s->vertex & 1 ? 0 : (i64)most - (i64)(ends >> s->vertex & 1);
        i64 first = s->leaves && edges > 0 ? s->offsets[edges] : 0;
        bool left_out = (s->free & ~(state.done | ends)) >> s->vertex & 1;
        for (i64 choice = left_out ? 0 : first; choice < s->offsets[edges + 1]; choice++) {
            const u64 *chosen = s->choices + 4 * choice;
            if (chosen[0] & ~room || (choice < first && choice >= s->offsets[1])) continue;
            u64 next = successor(s, choice, state), parity = (entry[0] ^ chosen[3]) & odd;
            if (next == CLOSED && !b->search && parity == odd) add_multiple(b->total, 1, entry + 1, b->columns - 1);
            if (next == NOTHING || (next > NOTHING && !b->search)) continue;
            i64 shard = (i64)(hash(next ^ parity) & (u64)(shards - 1)), target = shard * b->rows + b->fill[shard]++;
            b->buffers[target * b->columns] = next ^ parity;
            for (i64 i = 1; i < b->columns; i++) b->buffers[target * b->columns + i] = entry[i];
            if (b->search) b->ways[target] = row * s->number + choice;
            fullest = greatest_of(fullest, b->fill[shard]);
        }
    }
    return row;
}

i64 frontier_merge(Table *t, const u64 *rows, i64 begin, i64 end) {
    for (i64 row = begin; row < end; row++) {
        const u64 *entry = rows + row * t->columns;
        if (row + AHEAD < end) __builtin_prefetch(first_row(t, entry[AHEAD * t->columns]), 1);
        if (entry[0] == EMPTY) continue;
        u64 *place = row_of(t, entry[0]);
        if (*place == EMPTY && *t->used >= t->most) return row;
        *t->used += *place == EMPTY;
        if (*place == EMPTY) for (i64 i = t->columns; i--;) place[i] = entry[i];
        else if (t->columns == 2) place[1] += entry[1];
        else add_multiple(place + 1, 1, entry + 1, t->columns - 1);
    }
    return end;
}

/* Write the state of each row over the joint places: its done places and its ends as sets, and the mates of the ends,
   `joint` to a row. `number` has the joint place of each place. */
i64 frontier_renumber(const u64 *rows, i64 end, i64 columns, i64 width, const u64 *number, i64 joint, u64 *done,
                      u64 *ends, u8 *mates) {
    State state = {0};
    for (i64 row = 0; row < end; row++) {
        unpack(rows[row * columns], width, &state);
        for (i64 place = 0; place < width; place++) {
            u64 end = ends_of(&state) >> place & 1;
            done[row] |= (state.done >> place & 1) << number[place], ends[row] |= end << number[place];
            if (end) mates[row * joint + (i64)number[place]] = (u8)number[state.mate[place]];
        }
    }
    return end;
}

/* The states of the back: `Back` in sweep.py. A sum of counts of the back has so many words. */
typedef struct { i64 width, front_columns, words; const Table *groups; const u8 *mates; const u64 *counts; } Back;

/* Return 1 if the paths of the front and of the back together form one cycle, else 0. There is no branch to guess. */
static inline u64 is_one_cycle(const State *front, const u8 *back, u32 first, u32 paths) {
    u32 place = first, early = 0;
    for (u32 seen = 1; seen < paths; seen++) place = back[front->mate[place]], early |= place == first;
    return !early;
}

/* Add up the cycles that rows of the front make with those of the back; `sum` is scratch space. */
i64 frontier_meet(const Back *b, const u64 *rows, i64 end, u64 *total, u64 *sum) {
    State state = {0};
    i64 words = b->words - 1; /* of a count */
    for (i64 row = 0; row < end; row++) {
        const u64 *entry = rows + row * b->front_columns;
        unpack(entry[0], b->width, &state);
        const u64 *group = row_of(b->groups, state.done | ends_of(&state) << b->width);
        if (!state.opens || *group == EMPTY) continue;
        for (i64 i = 0; i < b->words; i++) sum[i] = 0;
        u32 from = lowest_bit(state.opens), paths = popcount(state.opens);
        for (i64 k = (i64)group[1]; k < (i64)group[2]; k++)
            add_multiple(sum, is_one_cycle(&state, b->mates + k * b->width, from, paths), b->counts + k * words, words);
        for (i64 i = 1; i < b->front_columns; i++) add_multiple(total + i - 1, entry[i], sum, b->words);
    }
    return end;
}

typedef struct { /* two parts of a graph: `Parts` in search.py */
    i64 width, joint, others, last, tights; u64 free;
    const u64 *tight, *needy, *left, *done, *ends; const u8 *mates; const i64 *turns; i64 *fitting, *turn;
} Parts;

/* Return the packed state that a state of the left part and one of the right make together, or what `successor` returns
   in place of one. The paths of the right are joined like edges. */
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
    u64 missed = places_below((u64)p->joint) & ~now.done, unwanted = missed & ~(p->free & ~ends_of(&now));
    if (cycle) return p->last && !rest && !unwanted ? CLOSED - popcount(missed) : NOTHING;
    return pack(&now, p->joint, -1);
}

/* List the states of the right part whose degrees fit those of a left one; return their number. */
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

/* There is `room` for at least one left row with all right ones. */
i64 frontier_join(const Parts *p, i64 end, u64 *fresh, i64 *ways, i64 room) {
    i64 written = 0, partners = 0;
    State left = {0}, listed = {.done = EMPTY}; /* that for which the fitting ones were listed */
    for (; *p->turn < end; ++*p->turn) {
        i64 row = p->turns[*p->turn];
        unpack(p->left[row], p->width, &left);
        if (left.done != listed.done || ends_of(&left) != ends_of(&listed))
            listed = left, partners = list_fitting(p, left.done, ends_of(&left));
        if (written + partners > room) break;
        for (i64 i = 0; i < partners; i++) {
            u64 next = joined(p, left, p->fitting[i]);
            if (next != NOTHING) fresh[written] = next, ways[written++] = row * p->others + p->fitting[i];
        }
    }
    return written;
}

/* A greedy order of the vertices. The invariant: (1) fresh[v] neighbours of v are not reached, neither taken nor in the
   frontier; (2) `sorted` has each vertex at its `position`, those reached first, the others by `fresh`; (3) where that
   is k they begin at bins[k + 1], and all that are not reached at bins[1]. */
typedef struct {
    i64 order, most, many; const i32 *first, *heads; const double *states; double *least;
    i32 *vertices, *fresh, *frontier, *sorted, *position, *bins;
} Order;

/* True if a vertex is taken or in the frontier. */
static bool is_reached(const Order *o, i64 v) { return o->position[v] < o->bins[1]; }
/* Move a vertex from this bin of `sorted` to the one before. */
static void move_down(Order *o, i32 v, i32 bin) {
    i32 front = o->bins[bin]++, other = o->sorted[front], place = o->position[v];
    o->sorted[place] = other, o->position[other] = place, o->sorted[front] = v, o->position[v] = front;
}

/* Mark a vertex as reached, and count it no more among the fresh neighbours of others. */
static void reach(Order *o, i32 v) {
    for (i32 bin = o->fresh[v] + 1; bin > 0; bin--) move_down(o, v, bin);
    for_each_in_row(u, o->first, o->heads, v) {
        if (!is_reached(o, u)) move_down(o, (i32)u, o->fresh[u] + 1);
        o->fresh[u]--;
    }
}

/* Next comes the vertex of the frontier that brings the fewest new ones in, by chance among equals (Knuth's MMIX), or
   if they are `many` one from elsewhere with fewer. */
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
        for_each_in_row(u, o->first, o->heads, vertex)
            if (!is_reached(o, u)) reach(o, (i32)u), o->frontier[size++] = (i32)u;
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
        for_each_in_row(u, o->first, o->heads, v) fresh += !is_reached(o, u);
        if (fresh != o->fresh[v]) return 1;
        if (o->sorted[place] != v) return 2;
        if (!is_reached(o, v) && (place < o->bins[fresh + 1] || place >= o->bins[fresh + 2])) return 3;
    }
    return 0;
}
