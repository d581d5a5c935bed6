/* Rows of arrays: sorted, and verified as tours. */

#include "kernels.h"

/* Sort the entries of each row, and the keys beside them, by keys; equal ones stay as they are. A handful a row, so by
   insertion. */
i64 sort_rows(const u32 *first, i32 *arranged, i64 *keys, i64 rows) {
    for (i64 row = 0; row < rows; row++)
        for (u32 place = first[row] + 1; place < first[row + 1]; place++) {
            i32 entry = arranged[place];
            i64 key = keys[place];
            u32 spot = place;
            for (; spot > first[row] && keys[spot - 1] > key; spot--)
                arranged[spot] = arranged[spot - 1], keys[spot] = keys[spot - 1];
            arranged[spot] = entry, keys[spot] = key;
        }
    return rows;
}

enum { NO_ARC, ARC, REQUIRED };

/* The first row that is not a tour, or the number of rows if all are. `marks` has a mark for each arc, beside `heads`;
   `matrix`, where `in_matrix`, the same by tail and head. `seen` is scratch, -1 for each vertex; `required` is the number
   of required edges (arcs, if directed). */
i64 first_fault(const i32 *tours, i64 rows, i64 order, const i32 *first, const i32 *heads, const u8 *marks,
                const u8 *matrix, i64 in_matrix, i32 *seen, i64 closed, i64 required) {
    for (i64 row = 0; row < rows; row++) {
        const i32 *tour = tours + row * order;
        i64 used = 0;
        i32 tail = tour[order - 1];
        if (tail < 0 || tail >= order) return row;
        for (i64 place = 0; place < order; place++) {
            i32 head = tour[place];
            if (head < 0 || head >= order || seen[head] == row) return row;
            seen[head] = (i32)row;
            if (place > 0 || closed) {
                i64 arc = in_matrix ? 0 : place_of(heads, first[tail], first[tail + 1], head);
                u8 mark = in_matrix ? matrix[tail * order + head] : arc < 0 ? NO_ARC : marks[arc];
                if (mark == NO_ARC) return row;
                used += mark == REQUIRED;
            }
            tail = head;
        }
        if (used != required) return row;
    }
    return rows;
}
