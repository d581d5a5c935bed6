(** The checkers of boards and of graphs: each says of a certificate whether it refutes all tours, and is right. *)

Require Import Tours Cycles Steps Reductions.
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(** * Graphs on the vertices 0 to n - 1 *)

Definition upto (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma in_upto n v : In v (upto n) <-> 0 <= v < n.
Proof. unfold upto. rewrite in_map_iff. split.
  - intros [k [<- found]]. apply in_seq in found. lia.
  - intro range. exists (Z.to_nat v). split; [lia|]. apply in_seq. lia. Qed.

Lemma below_upto n v : below n v <-> In v (upto n).
Proof. rewrite in_upto. reflexivity. Qed.

Definition of_itself (v : Z) : Z := v.

Section Graphs.
Variables (directed : bool) (n : Z) (moves : list (Z * Z)).
Definition moves_of_graph : Z -> Z -> Prop := if directed then arc moves else edge moves.

Lemma moves_are_listed u v : below n u -> below n v -> moves_of_graph u v -> is_listed directed moves (u, v).
Proof. intros _ _. unfold moves_of_graph, is_listed. destruct directed; intro step; exact step. Qed.

Definition no_closed_tour_of_graph required p :=
  no_closed_tour Z of_itself (below n) moves_of_graph directed (upto n) moves (below_upto n) moves_are_listed
    required p.
Definition no_open_tour_of_graph start finish required p :=
  no_open_tour Z of_itself (below n) moves_of_graph directed (upto n) moves n (below_upto n) moves_are_listed
    start finish required p.
End Graphs.

(** * Boards *)

Section Board.
Variables (rows columns : Z) (holes : list square) (a b : Z).
Definition same_square (s t : square) : bool := (fst s =? fst t) && (snd s =? snd t).
Definition is_square (s : square) : bool :=
  (0 <=? fst s) && (fst s <? rows) && (0 <=? snd s) && (snd s <? columns) && negb (existsb (same_square s) holes).

Lemma same_square_right s t : same_square s t = true <-> s = t.
Proof. unfold same_square. rewrite andb_true_iff, !Z.eqb_eq. destruct s, t; simpl. split; [intros []; congruence|].
  intro same. inversion same. auto. Qed.

Lemma is_square_right s : is_square s = true <-> board rows columns holes s.
Proof. unfold is_square, board. rewrite !andb_true_iff, negb_true_iff, !Z.leb_le, !Z.ltb_lt.
  enough (existsb (same_square s) holes = false <-> ~ In s holes) as absent by (rewrite absent; tauto).
  rewrite <- not_true_iff_false, existsb_exists. apply not_iff_compat. split.
  - intros [t [found same]]. apply same_square_right in same. subst. assumption.
  - intro found. exists s. rewrite same_square_right. auto. Qed.

Definition squares : list square := filter is_square (list_prod (upto rows) (upto columns)).

Lemma board_squares s : board rows columns holes s <-> In s squares.
Proof. unfold squares. rewrite filter_In, is_square_right. split; [|tauto]. intro here. split; [|assumption].
  destruct s as [row column]. unfold board in here. simpl in here. apply in_prod; apply in_upto; tauto. Qed.

(** Every move once: those down the board, and to the right in a row. *)
Definition forward (d : square) : bool := (0 <? fst d) || ((fst d =? 0) && (0 <? snd d)).
Definition square_dec (s t : square) : {s = t} + {s <> t}.
Proof. decide equality; apply Z.eq_dec. Defined.

Definition directions : list square :=
  nodup square_dec (filter forward (list_prod [a; -a] [b; -b] ++ list_prod [b; -b] [a; -a])).
Definition shifted (s d : square) : square := (fst s + fst d, snd s + snd d).
Definition board_moves : list (square * square) :=
  flat_map (fun s => map (fun d => (s, shifted s d)) (filter (fun d => is_square (shifted s d)) directions)) squares.

Lemma directions_right r c : (Z.abs r = a /\ Z.abs c = b) \/ (Z.abs r = b /\ Z.abs c = a) ->
  forward (r, c) = true -> In (r, c) directions.
Proof. intros leap ahead. unfold directions. apply nodup_In, filter_In. split; [|assumption].
  apply in_or_app. destruct leap as [[down across]|[down across]]; [left|right]; apply in_prod; simpl; lia. Qed.

Lemma moves_listed u v :
  board rows columns holes u -> board rows columns holes v -> u <> v -> leaper a b u v -> among board_moves (u, v).
Proof. enough (forall s t, board rows columns holes s -> board rows columns holes t -> leaper a b s t ->
            forward (fst t - fst s, snd t - snd s) = true -> In (s, t) board_moves) as ahead.
  { intros u_in v_in differ leap. unfold leaper in leap.
    destruct (forward (fst v - fst u, snd v - snd u)) eqn:way; [left; apply ahead; assumption|right].
    apply ahead; try assumption; unfold leaper, swap; simpl; [lia|].
    unfold forward in *. simpl in *. apply not_true_iff_false in way. apply not_false_iff_true. intro back. apply way.
    clear way. rewrite orb_true_iff, andb_true_iff in *. rewrite orb_false_iff, andb_false_iff in back.
    rewrite !Z.ltb_lt, !Z.eqb_eq in *. rewrite !Z.ltb_ge, Z.eqb_neq in back.
    destruct u as [ur uc], v as [vr vc]. simpl in *.
    assert (ur <> vr \/ uc <> vc) by (destruct (Z.eq_dec ur vr), (Z.eq_dec uc vc); [subst; congruence|auto..]). lia. }
  intros s t s_in t_in leap way. unfold board_moves. apply in_flat_map. exists s.
  split; [apply board_squares; assumption|]. apply in_map_iff. exists (fst t - fst s, snd t - snd s).
  assert (shifted s (fst t - fst s, snd t - snd s) = t) as there.
  { unfold shifted. destruct s, t. simpl. f_equal; lia. }
  split; [rewrite there; reflexivity|]. apply filter_In. rewrite there, is_square_right. split; [|assumption].
  apply directions_right; [|assumption]. unfold leaper in leap. lia. Qed.
End Board.
Definition number_on_board (columns : Z) (s : square) : Z := columns * fst s + snd s.

Section Leaper.
Variables (rows columns : Z) (holes : list square) (a b : Z).

Lemma leaps_listed : 0 < a + b -> forall u v,
  board rows columns holes u -> board rows columns holes v -> leaper a b u v ->
  is_listed false (board_moves rows columns holes a b) (u, v).
Proof.
  intros moving u v u_in v_in leap. apply moves_listed; try assumption. intro same. subst. unfold leaper in leap. lia.
Qed.

Theorem no_closed_tour_of_board p :
  0 < a + b ->
  proves_no_closed square (number_on_board columns) false (squares rows columns holes)
    (board_moves rows columns holes a b) [] p = true ->
  forall tour, ~ closed_tour (board rows columns holes) (leaper a b) tour.
Proof. intros moving good tour found.
  exact (no_closed_tour _ _ _ _ _ _ _ (board_squares _ _ _) (leaps_listed moving) [] p good tour found (Forall_nil _)).
Qed.

Theorem no_open_tour_of_board p :
  0 < a + b ->
  proves_no_open square (number_on_board columns) false (squares rows columns holes)
    (board_moves rows columns holes a b) (rows * columns) None None [] p = true ->
  forall tour, ~ open_tour (board rows columns holes) (leaper a b) tour.
Proof. intros moving good tour found.
  exact (no_open_tour _ _ _ _ _ _ _ _ (board_squares _ _ _) (leaps_listed moving) None None [] p good tour found
    (conj I I) (Forall_nil _)). Qed.
End Leaper.
