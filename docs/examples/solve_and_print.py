"""A closed tour of the chessboard as text, as a picture, and by the names of its squares."""

from cpsat_tour import Board, solve

answer = solve(Board(8, 8), closed=True, backend="sat")
if answer.tour:
    print(answer.tour.text())
    answer.tour.save("tour.svg")
    print("from", answer.tour.names[0], "with", len(answer.tour.moves), "moves")
# from a8 with 64 moves
