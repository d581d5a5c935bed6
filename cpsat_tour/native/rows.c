/* Rows of arrays: sorted, and verified as tours. */
#include "kernels.h"

/* Sort the entries of each row, and the keys beside them, by keys; equal ones stay in order. Rows are short. */
i64 sort_rows(const u32 *first, u32 *arranged, i64 *keys, i64 rows) {
    for (i64 row = 0; row < rows; row++)
        for_each_place(i, first, row)
            insert(arranged + first[row], keys + first[row], i - first[row], arranged[i], keys[i]);
    return rows;
}

enum { NO_ARC, ARC, REQUIRED };

/* Return the number of the first row that is not a tour, or the number of rows. `marks` has a mark for each arc, beside
   `heads`; `matrix`, if `in_matrix`, the same by tail and head. `seen` is scratch, -1 for each vertex; `required` edges
   must be used. */
i64 first_fault(const i32 *tours, i64 rows, i64 order, const i32 *first, const i32 *heads, const u8 *marks,
                const u8 *matrix, i64 in_matrix, i32 *seen, i64 closed, i64 required) {
    for (i64 row = 0; row < rows; row++) {
        const i32 *tour = tours + row * order;
        i32 used = 0, tail = tour[order - 1];
        if (tail < 0 || tail >= order) return row;
        for (i64 place = 0; place < order; place++) {
            i32 head = tour[place];
            if (head < 0 || head >= order || seen[head] == row) return row;
            seen[head] = (i32)row;
            bool begins = place == 0 && !closed;
            i64 arc = begins || in_matrix ? 0 : place_of(heads, first[tail], first[tail + 1], head);
            u8 mark = begins ? ARC : in_matrix ? matrix[tail * order + head] : arc < 0 ? NO_ARC : marks[arc];
            if (mark == NO_ARC) return row;
            used += mark == REQUIRED, tail = head;
        }
        if (used != required) return row;
    }
    return rows;
}
