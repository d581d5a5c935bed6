/* The random walk over the modes of gadgets: `models/drivers/gadgets.py` says what it is for, and how it goes. */
#include "kernels.h"

/* The invariant: (1) mask[k] has the bits of the ports of block k that the chosen modes use; (2) more[p] is how many
   ports more lack once port p is chosen, or no longer. One change in a hundred is made, so the others are cheap. */
typedef struct {
    i64 gadgets, mode_count, port_count, blocks, subsets;
    const i64 *modes, *home; /* the ports that each mode enters and leaves; the gadget of each mode */
    const u8 *apart; const i64 *block, *bit; /* no two ports are in one block; of each port, its bit there */
    const i64 *starts, *ports; /* the ports of block k are ports[starts[k]] to ports[starts[k + 1] - 1] */
    const i64 *kind;           /* of each block; those of one kind have the same edges between their bits */
    const i64 *lacking;        /* for each kind and set of ports, how many no matching covers */
    const double *probability; /* that a change is made after which so many ports more lack */
    i64 *chosen, *mask, *more; u64 *random;
} Walk;

/* The number of ports in a set, `mask`, of a block that no matching covers. */
static i64 lacking(const Walk *w, i64 block, i64 mask) { return w->lacking[w->kind[block] * w->subsets + mask]; }

/* Return how many more ports lack once a port is chosen or, if it is chosen, no longer is. */
static i64 weight(const Walk *w, i64 port) {
    i64 block = w->block[port], mask = w->mask[block];
    return lacking(w, block, mask ^ w->bit[port]) - lacking(w, block, mask);
}
/* Choose the two ports of a mode or, if they are chosen, give them up; return how many more ports lack. more[] is left
   as it is. */
static i64 toggle(Walk *w, i64 mode) {
    i64 more = 0;
    for (int side = 0; side < 2; side++) {
        i64 port = w->modes[2 * mode + side], block = w->block[port], before = lacking(w, block, w->mask[block]);
        more += lacking(w, block, w->mask[block] ^= w->bit[port]) - before;
    }
    return more;
}

/* Compute more[] anew for the ports of the two blocks of a mode. */
static void weigh_blocks(Walk *w, i64 mode) {
    for (int side = 0; side < 2; side++)
        for_each_in_row(port, w->starts, w->ports, w->block[w->modes[2 * mode + side]]) w->more[port] = weight(w, port);
}

/* Return how many more ports lack if a gadget changes from one mode to another. */
static i64 change(Walk *w, i64 gadget, i64 old, i64 mode) {
    const i64 *from = w->modes + 2 * old, *to = w->modes + 2 * mode;
    if (w->apart[gadget]) return w->more[from[0]] + w->more[from[1]] + w->more[to[0]] + w->more[to[1]];
    i64 more = toggle(w, old) + toggle(w, mode);
    toggle(w, mode), toggle(w, old);
    return more;
}

i64 modes_walk(Walk *w, i64 most) {
    i64 lack = 0;
    for (i64 block = 0; block < w->blocks; block++) lack += lacking(w, block, w->mask[block]);
    for (i64 drawn = 0; drawn < most; drawn++) {
        if (!lack) return drawn;
        double point = random_fraction(w->random) * (double)w->mode_count;
        i64 mode = (i64)point, gadget = w->home[mode], old = w->chosen[gadget];
        if (mode == old) continue;
        i64 more = change(w, gadget, old, mode);
        if (more > 0 && point - (double)mode >= w->probability[more]) continue;
        w->chosen[gadget] = mode;
        lack += toggle(w, old) + toggle(w, mode);
        weigh_blocks(w, old), weigh_blocks(w, mode);
    }
    return most;
}

i64 modes_fault(const Walk *w) {
    for (i64 block = 0; block < w->blocks; block++) {
        i64 mask = 0;
        for (i64 side = 0; side < 2 * w->gadgets; side++) {
            i64 port = w->modes[2 * w->chosen[side / 2] + side % 2];
            if (w->block[port] == block) mask |= w->bit[port];
        }
        if (mask != w->mask[block]) return 1;
    }
    for (i64 port = 0; port < w->port_count; port++) if (w->more[port] != weight(w, port)) return 2;
    return 0;
}
