/* The random walk over the modes of gadgets: `mode_walk.py` says what it is for. It is that of a physical system
   (Metropolis et al. 1953): a mode is drawn, and the change to it made if no more ports lack then, else with the
   probability of its temperature. */

#include "kernels.h"

/* The invariant: (1) mask[k] has the bits of the ports of block k that the chosen modes use; (2) more[p] is how many
   ports more lack once port p is chosen, or no longer. One change in a hundred is made, so what is kept makes the others
   cheap. */
typedef struct {
    i64 gadgets, mode_count, port_count, blocks, subsets;
    const i64 *modes; /* the ports that each mode enters and leaves */
    const i64 *home;  /* the gadget of each mode */
    const u8 *apart;  /* of each gadget: no two of its ports are in one block */
    const i64 *block, *bit;   /* of each port, and its bit there */
    const i64 *starts, *ports; /* the ports of block k are ports[starts[k]] to ports[starts[k + 1] - 1] */
    const i64 *kind;           /* of each block; those of one kind have the same edges between their bits */
    const i64 *lacking;        /* for each kind and set of ports, how many no matching covers */
    const double *probability; /* that a change is made after which so many ports more lack */
    i64 *chosen, *mask, *more;
    u64 *random;
} Walk;

static i64 lacking(const Walk *w, i64 block, i64 mask) { return w->lacking[w->kind[block] * w->subsets + mask]; }

/* Choose the two ports of a mode, or no longer; how many ports more lack. more[] stays. */
static i64 toggle(Walk *w, i64 mode) {
    i64 more = 0;
    for (int side = 0; side < 2; side++) {
        i64 port = w->modes[2 * mode + side], block = w->block[port];
        more -= lacking(w, block, w->mask[block]);
        more += lacking(w, block, w->mask[block] ^= w->bit[port]);
    }
    return more;
}

/* Weigh the ports of the two blocks of a mode anew. */
static void weigh_blocks(Walk *w, i64 mode) {
    for (int side = 0; side < 2; side++) {
        i64 block = w->block[w->modes[2 * mode + side]], mask = w->mask[block];
        for (i64 i = w->starts[block]; i < w->starts[block + 1]; i++)
            w->more[w->ports[i]] = lacking(w, block, mask ^ w->bit[w->ports[i]]) - lacking(w, block, mask);
    }
}

/* How many ports more lack if a gadget goes from one mode to another. */
static i64 change(Walk *w, i64 gadget, i64 old, i64 mode) {
    if (w->apart[gadget])
        return w->more[w->modes[2 * old]] + w->more[w->modes[2 * old + 1]] + w->more[w->modes[2 * mode]] +
               w->more[w->modes[2 * mode + 1]];
    i64 more = toggle(w, old) + toggle(w, mode);
    toggle(w, mode), toggle(w, old);
    return more;
}

/* Go on with the walk; how many modes it drew: `least`, then up to `most` until at most `few` ports lack. */
i64 modes_walk(Walk *w, i64 least, i64 most, i64 few) {
    i64 lack = 0;
    for (i64 block = 0; block < w->blocks; block++) lack += lacking(w, block, w->mask[block]);
    for (i64 drawn = 0; drawn < most; drawn++) {
        if (lack <= few && drawn >= least) return drawn;
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
    for (i64 port = 0; port < w->port_count; port++) {
        i64 block = w->block[port], mask = w->mask[block];
        if (w->more[port] != lacking(w, block, mask ^ w->bit[port]) - lacking(w, block, mask)) return 2;
    }
    return 0;
}
