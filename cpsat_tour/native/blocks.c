/* The walk along tours of blocks that are joined to one tour of a board: `construct.py` says how the board is cut.
   There is no state, and so no invariant to check: every tour is verified. */
#include "kernels.h"

enum { LEFT, RIGHT, TOP, BOTTOM }; /* borders of a block; that of the neighbour is border ^ 1 */

typedef struct {
    i64 first_rows, first_cols, rows, cols, down, across, transposed, most;
    const i32 *square_rows, *square_cols, *lengths;
    const int8_t *exits; /* for each square of each kind the borders after it and before it, -1 for none */
    const i32 *joints;   /* for each kind and border the places of the two ends of the move that is given up there */
} Blocks;

/* True if there is a block beyond this border of block (i, j). */
static bool has_neighbour(const Blocks *s, i64 i, i64 j, int border) {
    return border == LEFT ? j > 0 : border == RIGHT ? j + 1 < s->across : border == TOP ? i > 0 : i + 1 < s->down;
}

/* Write the row and the column of each of the squares, from the first of the first block on. */
i64 blocks_walk(const Blocks *s, i64 step, i32 *visits, i64 squares) {
    i64 i = 0, j = 0, place = 0, kind = 0, top = 0, left = 0;
    for (i64 visit = 0; visit < squares; visit++) {
        i64 square = kind * s->most + place;
        visits[2 * visit + s->transposed] = (i32)(top + s->square_rows[square]);
        visits[2 * visit + 1 - s->transposed] = (i32)(left + s->square_cols[square]);
        int border = s->exits[2 * square + (step < 0)];
        bool stays = border < 0 || !has_neighbour(s, i, j, border);
        if (stays) place = (place + step + s->lengths[kind]) % s->lengths[kind];
        if (stays) continue;
        int end = s->joints[2 * (4 * kind + border)] != place;
        if (border < TOP) j += 2 * border - 1;
        else i += 2 * border - 5;
        kind = 2 * (i > 0) + (j > 0);
        top = i ? s->first_rows + s->rows * (i - 1) : 0, left = j ? s->first_cols + s->cols * (j - 1) : 0;
        const i32 *joint = s->joints + 2 * (4 * kind + (border ^ 1));
        place = joint[end];
        step = joint[1 - end] == (place + 1) % s->lengths[kind] ? -1 : 1; /* away from the end of the move given up */
    }
    return squares;
}
