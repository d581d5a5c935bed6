(** Tours of boards and of graphs: what the theorems say.

    This file has definitions and no proofs. Whoever believes a theorem that was checked by the kernel of Rocq has to
    read these lines, the statement of the theorem, and nothing else. *)

From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

(** A walk moves from each of its vertices to the next. *)

Fixpoint walk {V : Type} (move : V -> V -> Prop) (vertices : list V) : Prop :=
  match vertices with
  | u :: (v :: _) as rest => move u v /\ walk move rest
  | _ => True
  end.

(** An open tour is a walk that visits every vertex exactly once (a Hamiltonian path). *)

Definition open_tour {V : Type} (vertex : V -> Prop) (move : V -> V -> Prop) (tour : list V) : Prop :=
  NoDup tour /\ (forall v, In v tour <-> vertex v) /\ walk move tour.

(** A closed tour is an open one with a move from its last vertex to its first (a Hamiltonian cycle). *)

Definition closed_tour {V : Type} (vertex : V -> Prop) (move : V -> V -> Prop) (tour : list V) : Prop :=
  open_tour vertex move tour /\
  match tour with
  | first :: rest => move (last rest first) first
  | [] => True
  end.

(** A board: the squares of its rows and columns, numbered from 0, that are not holes. *)

Definition square : Type := Z * Z.

Definition board (rows columns : Z) (holes : list square) (s : square) : Prop :=
  0 <= fst s < rows /\ 0 <= snd s < columns /\ ~ In s holes.

(** The move of an (a, b) leaper: a squares along one side of the board and b along the other; a knight is (1, 2). *)

Definition leaper (a b : Z) (s t : square) : Prop :=
  let down := Z.abs (fst s - fst t) in
  let across := Z.abs (snd s - snd t) in
  (down = a /\ across = b) \/ (down = b /\ across = a).

(** A graph by the list of its edges, or arcs, on the vertices 0 to n - 1. *)
Definition below (n v : Z) : Prop := 0 <= v < n.
Definition edge (edges : list (Z * Z)) (u v : Z) : Prop := In (u, v) edges \/ In (v, u) edges.
Definition arc (arcs : list (Z * Z)) (u v : Z) : Prop := In (u, v) arcs.

(** A tour uses a move (u, v) if v comes after u in it, and a closed one also if it goes back by it. *)
Definition uses {V : Type} (tour : list V) (m : V * V) : Prop :=
  exists before after, tour = before ++ fst m :: snd m :: after.
Definition uses_or_returns {V : Type} (tour : list V) (m : V * V) : Prop :=
  uses tour m \/ exists between, tour = snd m :: between ++ [fst m].
Definition either_way {V : Type} (used : V * V -> Prop) (e : V * V) : Prop := used e \/ used (snd e, fst e).

Definition begins {V : Type} (v : V) (tour : list V) : Prop := exists rest, tour = v :: rest.
Definition finishes {V : Type} (v : V) (tour : list V) : Prop := exists front, tour = front ++ [v].
