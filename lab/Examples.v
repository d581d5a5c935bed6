(** Tours, checked by computation: the words of the theorems are not empty, and their bounds can't be raised on sides
    and strips, and by no more than 3 turns on 18 rows and columns. *)

Require Import Tours Cycles Sides Turns.
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(** * How the kernel checks a tour *)

Section Board.
Variables rows columns p q : Z.

(** The eight moves, and the squares from one on by their numbers. *)
Definition ways : list square := [(p, q); (q, p); (q, - p); (p, - q); (- p, - q); (- q, - p); (- q, p); (- p, q)].

Fixpoint walked (s : square) (chosen : list nat) : list square :=
  match chosen with
  | [] => []
  | number :: rest => let way := nth number ways (0, 0) in s :: walked (fst s + fst way, snd s + snd way) rest
  end.

Definition same (s t : square) : bool := (fst s =? fst t) && (snd s =? snd t).
Definition inside (s : square) : bool := (0 <=? fst s) && (fst s <? rows) && (0 <=? snd s) && (snd s <? columns).
Definition moves_to (s t : square) : bool :=
  let down := Z.abs (fst s - fst t) in
  let across := Z.abs (snd s - snd t) in
  (down =? p) && (across =? q) || (down =? q) && (across =? p).

Definition is_closed_tour (tour : list square) : bool :=
  let squares := list_prod (numbers rows) (numbers columns) in
  forallb inside tour && forallb (fun s => existsb (same s) tour) squares &&
  (Z.of_nat (length tour) <=? Z.of_nat (length squares)) &&
  forallb (fun e => moves_to (fst e) (snd e)) (cycle_pairs tour).

Lemma walk_of_pairs {V : Type} (move : V -> V -> Prop) l : forall u,
  (forall e, In e (path_pairs u l) -> move (fst e) (snd e)) -> walk move (u :: l).
Proof. induction l as [|v l IH]; intros u moved; [exact I|]. split; [exact (moved (u, v) (or_introl eq_refl))|].
  apply IH. intros e found. apply moved. right. assumption. Qed.

Lemma closed_tour_checked tour : is_closed_tour tour = true -> closed_tour (board rows columns []) (leaper p q) tour.
Proof. unfold is_closed_tour. rewrite !andb_true_iff, !forallb_forall, Z.leb_le. intros [[[within all] few] moved].
  assert (incl (list_prod (numbers rows) (numbers columns)) tour) as visited.
  { intros s found. specialize (all s found). apply existsb_exists in all. destruct all as [t [t_in alike]].
    unfold same in alike. rewrite andb_true_iff, !Z.eqb_eq in alike. destruct s, t. cbn [fst snd] in alike.
    destruct alike as [-> ->]. assumption. }
  assert (forall e, In e (cycle_pairs tour) -> leaper p q (fst e) (snd e)) as steps.
  { intros e found. specialize (moved e found). unfold moves_to in moved.
    rewrite orb_true_iff, !andb_true_iff, !Z.eqb_eq in moved. exact moved. }
  split; [split; [|split]|].
  - apply NoDup_incl_NoDup with (l := list_prod (numbers rows) (numbers columns));
      [|apply Nat2Z.inj_le; exact few|assumption].
    apply product_once; apply numbers_once.
  - intro s. unfold board. split.
    + intro found. specialize (within s found). unfold inside in within.
      rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt in within. simpl. tauto.
    + intros [row_in [column_in _]]. apply visited. destruct s. apply in_prod; apply in_numbers; assumption.
  - destruct tour as [|s l]; [exact I|]. apply walk_of_pairs. intros e found. apply steps. right. assumption.
  - destruct tour as [|s l]; [exact I|]. exact (steps (last l s, s) (or_introl eq_refl)). Qed.
End Board.

(** * Tours *)

(** [Sides]: a (2, 3) leaper has a closed tour of the square of side 2 (p + q). *)
Definition zebra_tour : list square := walked 2 3 (0, 0)
  [0; 7; 0; 2; 1; 4; 1; 4; 7; 2; 7; 2; 4; 3; 6; 3; 6; 5; 7; 0; 7; 2; 4; 3; 0; 3; 6; 5; 0; 3; 1; 4; 1; 6; 3; 6; 1; 7; 2;
   7; 5; 6; 3; 6; 3; 4; 2; 7; 2; 1; 3; 6; 1; 7; 6; 5; 2; 7; 4; 3; 2; 1; 7; 0; 5; 7; 4; 1; 2; 0; 5; 3; 4; 1; 4; 6; 5; 0;
   5; 0; 7; 2; 7; 2; 1; 3; 4; 5; 6; 1; 4; 7; 0; 1; 2; 5; 7; 4; 3; 5]%nat.

Lemma zebra_tour_is_closed : closed_tour (board 10 10 []) (leaper 2 3) zebra_tour.
Proof. apply closed_tour_checked. vm_compute. reflexivity. Qed.

(** [Strips]: a (3, 4) leaper has one of 7 rows and n (2n + 1) + 1 = 22 columns. *)
Definition antelope_tour : list square := walked 3 4 (0, 0)
  [0; 3; 6; 0; 7; 2; 7; 4; 1; 6; 0; 3; 4; 4; 3; 0; 6; 0; 5; 0; 7; 1; 4; 1; 4; 7; 2; 7; 2; 4; 2; 5; 0; 6; 0; 5; 0; 3; 6;
   3; 5; 3; 6; 3; 4; 2; 7; 2; 7; 2; 7; 4; 1; 4; 1; 4; 1; 6; 3; 6; 3; 6; 3; 0; 5; 0; 5; 0; 6; 0; 3; 6; 3; 6; 1; 7; 1; 4;
   7; 2; 4; 3; 6; 3; 0; 5; 2; 4; 7; 0; 0; 7; 4; 2; 4; 1; 4; 3; 5; 0; 5; 0; 3; 6; 3; 6; 0; 6; 1; 4; 2; 4; 1; 4; 7; 2; 7;
   1; 7; 2; 7; 0; 6; 3; 6; 3; 6; 3; 0; 5; 0; 5; 0; 5; 2; 7; 2; 7; 2; 7; 4; 1; 4; 1; 4; 2; 4; 7; 2; 7; 2; 5; 3; 5]%nat.

Lemma antelope_tour_is_closed : closed_tour (board 7 22 []) (leaper 3 4) antelope_tour.
Proof. apply closed_tour_checked. vm_compute. reflexivity. Qed.

(** [Turns]: a knight has one of 18 rows and columns with 123 turns, where 120 is the bound. *)
Definition knight_tour : list square := walked 1 2 (0, 0)
  [0; 1; 1; 1; 1; 1; 1; 1; 1; 7; 5; 5; 5; 5; 5; 5; 5; 5; 0; 1; 1; 1; 1; 1; 1; 1; 1; 7; 6; 5; 5; 5; 5; 5; 5; 5; 0; 7; 0;
   1; 4; 4; 4; 3; 3; 3; 3; 3; 2; 1; 2; 1; 1; 1; 4; 5; 6; 5; 6; 5; 7; 1; 1; 1; 1; 1; 1; 4; 5; 5; 5; 5; 5; 5; 7; 1; 1; 1;
   1; 1; 1; 1; 4; 5; 5; 5; 5; 5; 5; 5; 6; 0; 1; 1; 1; 1; 1; 1; 1; 1; 7; 5; 5; 5; 5; 5; 5; 5; 5; 0; 1; 1; 1; 1; 1; 1; 1;
   1; 7; 5; 5; 5; 5; 5; 5; 5; 5; 0; 1; 1; 1; 1; 0; 5; 5; 5; 5; 5; 0; 7; 1; 3; 3; 3; 3; 3; 3; 3; 3; 5; 7; 7; 7; 7; 7; 7;
   0; 0; 1; 4; 6; 6; 4; 2; 5; 0; 7; 2; 1; 2; 1; 2; 3; 3; 3; 3; 3; 3; 3; 4; 6; 5; 7; 1; 1; 1; 4; 3; 5; 7; 4; 7; 7; 7; 7;
   7; 7; 7; 7; 1; 3; 3; 3; 3; 3; 3; 3; 3; 2; 7; 0; 5; 5; 5; 5; 0; 1; 1; 1; 0; 7; 7; 7; 7; 7; 4; 5; 5; 5; 5; 5; 4; 1; 1;
   1; 1; 1; 1; 1; 7; 5; 6; 5; 6; 4; 4; 1; 1; 1; 1; 2; 1; 2; 5; 5; 5; 5; 5; 5; 5; 5; 4; 3; 3; 3; 6; 7; 1; 1; 1; 1; 1; 1;
   1; 1; 0; 5; 5; 5; 5; 5; 5; 5; 5; 7; 1; 1; 1; 1; 1; 1; 1; 1; 0; 5; 3; 3; 4; 5; 5; 5; 5; 5; 5; 5; 5; 3; 1; 2; 1; 1; 1;
   1; 1; 1; 7; 5; 5; 5; 5; 5; 5; 5; 5]%nat.

Lemma knight_tour_is_closed : closed_tour (board 18 18 []) (leaper 1 2) knight_tour.
Proof. apply closed_tour_checked. vm_compute. reflexivity. Qed.

Lemma knight_tour_turns : turns knight_tour = 123.
Proof. vm_compute. reflexivity. Qed.

Print Assumptions zebra_tour_is_closed.
Print Assumptions antelope_tour_is_closed.
Print Assumptions knight_tour_is_closed.
