(** A closed knight's tour of a board with sides of at least 18 has at least 4 (rows + columns) - 24 turns, and an open
    one 4 (rows + columns) - 29 between its ends: Theorem 3 of turns.md, for all boards at once. [Tours.v]
    says what a tour is, and the first lines here what a turn is.

    Each move brings a charge to one of its squares and takes it from the other, so that along a tour the charges
    cancel. A square keeps at least [kept]: the least, over pairs of its moves, of both charges and of the turn, if the
    two are not in line. So there are at least as many turns as all squares keep together. Charges are near the border
    alone; so a square in the middle of a long side keeps what a square in the middle of a side of 21 does, and 16
    boards, which the kernel adds up, tell the sum of all. *)

Require Import Tours Cycles Sides.
From Coq Require Import ZArith List Bool Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

(** * Turns *)

(** A walk turns on a square if its moves to and from it are not in line, and a closed tour also where it closes. *)
Definition in_line (s t u : square) : bool := (fst s + fst u =? 2 * fst t) && (snd s + snd u =? 2 * snd t).

Fixpoint turns_between_ends (walk : list square) : Z :=
  match walk with
  | s :: ((t :: u :: _) as rest) => (if in_line s t u then 0 else 1) + turns_between_ends rest
  | _ => 0
  end.

Definition turns (tour : list square) : Z :=
  match tour with
  | first :: second :: _ => turns_between_ends (tour ++ [first; second])
  | _ => 0
  end.

(** * Charges, in fifths: those of charges.csv, by the two rows, or by the two squares, of a move *)

Definition border_charges : list (Z * Z * Z) :=
  [(0, 1, 5); (0, 2, 5); (1, 3, -5); (2, 3, -5); (3, 4, 2); (3, 5, 2); (4, 5, 1); (4, 6, -1); (5, 6, -1)].

Definition corner_charges : list (Z * Z * Z * Z * Z) :=
  [(0, 0, 1, 2, 8); (0, 1, 1, 3, 3); (0, 1, 2, 2, 3); (0, 2, 1, 4, 3); (0, 2, 2, 1, 3); (0, 2, 2, 3, 3);
   (0, 3, 1, 5, 3); (0, 3, 2, 2, 3); (0, 3, 2, 4, 3); (0, 4, 1, 2, 5); (0, 4, 1, 6, 5); (0, 4, 2, 3, 5);
   (0, 4, 2, 5, 5); (0, 5, 1, 3, 5); (0, 5, 1, 7, 5); (0, 5, 2, 4, 5); (0, 5, 2, 6, 5); (0, 6, 1, 4, 5);
   (0, 6, 1, 8, 5); (0, 6, 2, 5, 5); (0, 6, 2, 7, 5); (0, 7, 1, 5, 5); (0, 7, 1, 9, 5); (0, 7, 2, 6, 5);
   (0, 7, 2, 8, 5); (0, 8, 1, 6, 5); (0, 8, 2, 7, 5); (0, 9, 1, 7, 5); (1, 2, 3, 1, -2); (1, 2, 3, 3, -5);
   (1, 3, 3, 4, -3); (1, 4, 2, 2, 2); (1, 4, 3, 3, -3); (1, 4, 3, 5, -3); (1, 5, 2, 3, 2); (1, 5, 3, 4, -3);
   (1, 5, 3, 6, -3); (1, 6, 3, 5, -5); (1, 6, 3, 7, -5); (1, 7, 3, 6, -5); (1, 7, 3, 8, -5); (1, 8, 3, 7, -5);
   (2, 2, 3, 4, -2); (2, 3, 3, 5, -3); (2, 3, 4, 2, 2); (2, 4, 3, 6, -3); (2, 4, 4, 3, 2); (2, 5, 3, 3, -5);
   (2, 5, 3, 7, -5); (2, 6, 3, 4, -5); (2, 6, 3, 8, -5); (2, 7, 3, 5, -5); (2, 7, 3, 9, -5); (2, 8, 3, 6, -5);
   (2, 9, 3, 7, -5); (3, 3, 4, 5, 3); (3, 4, 4, 6, 1); (3, 5, 4, 7, 2); (3, 5, 5, 6, 2); (3, 6, 4, 8, 2);
   (3, 6, 5, 7, 2); (3, 7, 4, 5, 2); (3, 7, 4, 9, 2); (3, 7, 5, 6, 2); (3, 7, 5, 8, 2); (3, 8, 4, 6, 2);
   (3, 8, 5, 7, 2); (3, 9, 4, 7, 2); (4, 5, 5, 7, 1); (4, 5, 6, 4, -2); (4, 5, 6, 6, -2); (4, 6, 5, 8, 1);
   (4, 7, 5, 5, 1); (4, 7, 5, 9, 1); (4, 7, 6, 6, -1); (4, 7, 6, 8, -1); (4, 8, 5, 6, 1); (4, 8, 6, 7, -1);
   (4, 9, 5, 7, 1); (5, 5, 6, 7, -1); (5, 6, 6, 8, -1); (5, 6, 7, 5, 1); (5, 6, 7, 7, 1); (5, 7, 6, 9, -1);
   (5, 8, 6, 6, -1); (5, 9, 6, 7, -1); (6, 7, 8, 8, 1)].

Definition by_rows (p : Z * Z) : Z :=
  sum (fun '(row, to_row, x) => if (row =? fst p) && (to_row =? snd p) then x else 0) border_charges.

Definition by_squares (p q : Z * Z) : Z :=
  sum (fun '(row, column, to_row, to_column, x) =>
         if row =? fst p then if (to_row =? snd p) && (column =? fst q) && (to_column =? snd q) then x else 0 else 0)
      corner_charges.

Definition near (p : Z * Z) : bool := Z.min (fst p) (snd p) <? 8.

(** The rows, or columns, of a move, counted from the nearer border; (8, 8) if it has no charge by them. *)
Definition seen (side x y : Z) : Z * Z :=
  let p := if x + y <? side then (x, y) else (side - 1 - x, side - 1 - y) in
  if near p then p else (8, 8).

(** What a move brings, of the rows p and columns q. If both are near a border they are near a corner, and its diagonal
    doubles the charges. *)
Definition brought (p q : Z * Z) : Z :=
  if near p && near q
  then by_squares p q + by_squares q p - by_squares (swap p) (swap q) - by_squares (swap q) (swap p)
  else by_rows p + by_rows q - by_rows (swap p) - by_rows (swap q).

Lemma brought_back p q : brought (swap p) (swap q) = - brought p q.
Proof. unfold brought, near, swap. cbn [fst snd]. rewrite !(Z.min_comm (snd _)). rewrite <- !surjective_pairing.
  destruct (_ && _); lia. Qed.

Lemma seen_back side x y : seen side y x = swap (seen side x y).
Proof. unfold seen, near, swap. rewrite (Z.add_comm y x). destruct (x + y <? side); cbn [fst snd];
    rewrite Z.min_comm; destruct (_ <? 8); reflexivity. Qed.

Definition steps : list square := [(1, 2); (2, 1); (2, -1); (1, -2); (-1, -2); (-2, -1); (-2, 1); (-1, 2)].

Definition other_way (step other : square) : bool := (fst step + fst other =? 0) && (snd step + snd other =? 0).
Definition same_way (step other : square) : bool := (fst step =? fst other) && (snd step =? snd other).

(** The least that a square keeps, of all pairs of its moves. *)
Definition least_kept (moves : list (square * Z)) : Z :=
  fold_right Z.min 100
    (map (fun '((step, x), (other, y)) => (if other_way step other then 0 else 5) + x + y)
         (filter (fun '((step, _), (other, _)) => negb (same_way step other)) (list_prod moves moves))).

Section Board.
Variables rows columns : Z.

Definition charge (s t : square) : Z := brought (seen rows (fst s) (fst t)) (seen columns (snd s) (snd t)).

Lemma charge_back s t : charge t s = - charge s t.
Proof. unfold charge. rewrite (seen_back rows (fst s)), (seen_back columns (snd s)). apply brought_back. Qed.

Definition on_board (s : square) : bool := (0 <=? fst s) && (fst s <? rows) && (0 <=? snd s) && (snd s <? columns).

Definition after (s step : square) : square := (fst s + fst step, snd s + snd step).

(** The steps of the moves at a square, each with what it brings. *)
Definition moves (s : square) : list (square * Z) :=
  map (fun step => (step, charge s (after s step))) (filter (fun step => on_board (after s step)) steps).

Definition kept (s : square) : Z := least_kept (moves s).

Local Notation knight := (leaper 1 2).

Definition step_to (s t : square) : square := (fst t - fst s, snd t - snd s).

Lemma step_listed s t : knight s t -> In (step_to s t) steps.
Proof. destruct s as [row column]. intro moved. remember (step_to (row, column) t) as step eqn:is_step.
  destruct t as [row' column'], step as [down across]. injection is_step as down_is across_is. cbn [fst snd] in *.
  assert (row' = row + down) as -> by lia. assert (column' = column + across) as -> by lia.
  unfold leaper in moved. cbn [fst snd] in moved. clear down_is across_is.
  assert (down = 1 \/ down = 2 \/ down = -1 \/ down = -2) as [-> | [-> | [-> | ->]]] by lia;
    assert (across = 1 \/ across = 2 \/ across = -1 \/ across = -2) as [-> | [-> | [-> | ->]]] by lia;
    simpl; tauto || (exfalso; lia). Qed.

Lemma move_listed s t : knight s t -> on_board t = true -> In (step_to s t, charge s t) (moves s).
Proof. intros moved inside. assert (after s (step_to s t) = t) as back.
  { destruct t. unfold after, step_to. cbn [fst snd]. f_equal; lia. }
  unfold moves. apply in_map_iff. exists (step_to s t). rewrite back. split; [reflexivity|].
  apply filter_In. rewrite back. split; [apply step_listed|]; assumption. Qed.

Lemma least_below {A : Type} (f : A -> Z) most l x : In x l -> fold_right Z.min most (map f l) <= f x.
Proof. induction l as [|y l IH]; [contradiction|]. intros [<-|found]; cbn [map fold_right]; [lia|].
  specialize (IH found). lia. Qed.

Lemma kept_below s a b : knight s a -> knight s b -> on_board a = true -> on_board b = true -> a <> b ->
  kept s <= 5 * (if in_line a s b then 0 else 1) + charge s a + charge s b.
Proof. intros to_a to_b a_inside b_inside differ. apply move_listed in to_a, to_b; try assumption.
  assert (same_way (step_to s a) (step_to s b) = false) as two.
  { apply not_true_is_false. unfold same_way, step_to. cbn [fst snd]. rewrite andb_true_iff, !Z.eqb_eq. intro same.
    apply differ. destruct a, b. cbn [fst snd] in same. f_equal; lia. }
  assert (other_way (step_to s a) (step_to s b) = in_line a s b) as straight.
  { apply eq_true_iff_eq. unfold other_way, in_line, step_to. cbn [fst snd]. rewrite !andb_true_iff, !Z.eqb_eq. lia. }
  unfold kept, least_kept. etransitivity.
  - apply least_below with (x := ((step_to s a, charge s a), (step_to s b, charge s b))). apply filter_In.
    split; [apply in_prod; assumption|]. rewrite two. reflexivity.
  - cbn beta iota. rewrite straight. destruct (in_line a s b); lia. Qed.

(** * Along a tour *)

Fixpoint no_return (walk : list square) : Prop :=
  match walk with
  | s :: ((_ :: u :: _) as rest) => s <> u /\ no_return rest
  | _ => True
  end.

Lemma charges_cancel l : forall s t,
  (forall w, In w (s :: t :: l) -> on_board w = true) -> walk knight (s :: t :: l) -> no_return (s :: t :: l) ->
  exists front u v, s :: t :: l = front ++ [u; v] /\ knight u v /\
    sum kept (t :: l) + charge s t <= 5 * turns_between_ends (s :: t :: l) + kept v + charge u v.
Proof. induction l as [|w l IH]; intros s t inside walks differ.
  - exists [], s, t. split; [reflexivity|]. split; [apply walks|]. cbn [sum turns_between_ends]. lia.
  - destruct walks as [to_t walks], differ as [s_w differ].
    destruct (IH t w) as [front [u [v [same [to_v less]]]]]; try assumption.
    { intros x found. apply inside. simpl in *. tauto. }
    exists (s :: front), u, v. split; [rewrite same; reflexivity|]. split; [assumption|].
    assert (knight t s) as back by (unfold leaper in *; lia).
    pose proof (kept_below t s w back (proj1 walks) (inside s ltac:(simpl; auto)) (inside w ltac:(simpl; auto)) s_w).
    pose proof (charge_back s t). cbn [sum turns_between_ends] in *. lia. Qed.

Lemma walk_longer {V : Type} (move : V -> V -> Prop) l x : forall s,
  walk move (s :: l) -> move (last l s) x -> walk move (s :: l ++ [x]).
Proof. induction l as [|t l IH]; intros s walks more; [simpl; auto|]. destruct walks as [step walks].
  rewrite last_cons in more. split; [assumption|]. apply (IH t); assumption. Qed.

Lemma once_no_return l : NoDup l -> no_return l.
Proof. induction 1 as [|s l absent once IH]; [exact I|]. destruct l as [|t [|u l]]; try exact I.
  split; [|assumption]. intros ->. apply absent. simpl. auto. Qed.

Lemma closed_no_return l s t : forall a b,
  NoDup (a :: b :: l) -> ~ In s (a :: b :: l) -> ~ In t (b :: l) -> no_return (a :: b :: l ++ [s; t]).
Proof. induction l as [|c l IH]; intros a b once no_s no_t.
  - cbn in *. intuition congruence.
  - inversion once as [|? ? absent rest]. subst. split; [intros ->; apply absent; simpl; auto|].
    apply (IH b c); simpl in *; tauto. Qed.

Definition kept_together : Z := sum kept (list_prod (numbers rows) (numbers columns)).

Lemma board_inside s : board rows columns [] s <-> on_board s = true.
Proof. unfold board, on_board. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt. simpl. tauto. Qed.

Lemma kept_on_tour tour :
  NoDup tour -> (forall s, In s tour <-> board rows columns [] s) -> sum kept tour = kept_together.
Proof. intros once visits. apply sum_permuted, NoDup_Permutation; [assumption|apply product_once; apply numbers_once|].
  intros [row column]. rewrite visits. etransitivity; [|symmetry; apply in_prod_iff]. rewrite !in_numbers. unfold board.
  simpl. tauto. Qed.

Lemma three_squares tour : 3 <= columns -> 0 < rows -> (forall s, In s tour <-> board rows columns [] s) ->
  exists s t w l, tour = s :: t :: w :: l.
Proof. intros wide high visits. assert (forall column, 0 <= column < 3 -> In (0, column) tour) as first_row.
  { intros column range. apply visits. unfold board. simpl. lia. }
  pose proof (first_row 0 ltac:(lia)). pose proof (first_row 1 ltac:(lia)). pose proof (first_row 2 ltac:(lia)).
  destruct tour as [|s [|t [|w l]]]; try (simpl in *; intuition congruence). eauto. Qed.

(** Lemma 1: there are at least as many turns as all squares keep together. *)
Theorem closed_tours_turn tour :
  3 <= columns -> 0 < rows -> closed_tour (board rows columns []) knight tour -> kept_together <= 5 * turns tour.
Proof. intros wide high [[once [visits walks]] closes]. rewrite <- (kept_on_tour tour once visits).
  destruct (three_squares tour wide high visits) as [s [t [w [l ->]]]].
  assert (walk knight (s :: (t :: w :: l) ++ [s; t])) as round.
  { replace (s :: (t :: w :: l) ++ [s; t]) with (s :: ((t :: w :: l) ++ [s]) ++ [t])
      by (rewrite <- app_assoc; reflexivity).
    apply walk_longer; [apply walk_longer; assumption|]. rewrite last_last. apply walks. }
  inversion once as [|? ? no_s rest]. inversion rest as [|? ? no_t _]. subst.
  destruct (charges_cancel (w :: l ++ [s; t]) s t) as [front [u [v [same [_ less]]]]]; [|assumption| |].
  - intros x found. apply board_inside, visits. apply (in_app_or (s :: t :: w :: l) [s; t]) in found. simpl in *. tauto.
  - split; [intros <-; simpl in no_s; tauto|]. apply closed_no_return; assumption.
  - change (s :: t :: w :: l ++ [s; t]) with ((s :: t :: w :: l) ++ [s; t]) in same.
    apply (f_equal (@rev square)) in same.
    rewrite (rev_app_distr _ [s; t]), (rev_app_distr front) in same. injection same as <- <- _.
    unfold turns. cbn [app] in *. cbn [sum] in *. rewrite sum_app in less. cbn [sum] in less. lia. Qed.

(** An end has only one move, and no turn is counted there: it may keep less, by up to [lost]. *)
Theorem open_tours_turn lost tour :
  (forall s t, on_board s = true -> on_board t = true -> knight s t -> kept s <= lost + charge s t) ->
  3 <= columns -> 0 < rows -> open_tour (board rows columns []) knight tour ->
  kept_together <= 5 * turns_between_ends tour + 2 * lost.
Proof. intros at_end wide high [once [visits walks]]. rewrite <- (kept_on_tour tour once visits).
  destruct (three_squares tour wide high visits) as [s [t [w [l ->]]]].
  assert (forall x, In x (s :: t :: w :: l) -> on_board x = true) as inside.
  { intros x found. apply board_inside, visits. assumption. }
  destruct (charges_cancel (w :: l) s t) as [front [u [v [same [to_v less]]]]]; try assumption.
  { apply once_no_return. assumption. }
  assert (knight v u) as back by (unfold leaper in *; lia).
  assert (In u (front ++ [u; v]) /\ In v (front ++ [u; v])) as [u_in v_in] by (rewrite !in_app_iff; simpl; tauto).
  rewrite <- same in u_in, v_in. pose proof (at_end v u (inside v v_in) (inside u u_in) back).
  pose proof (at_end s t (inside s ltac:(simpl; auto)) (inside t ltac:(simpl; auto)) (proj1 walks)).
  rewrite (charge_back u v) in *. cbn [sum] in *. lia. Qed.
End Board.

(** * Long sides *)

(** A row, or column, of a side of at most 21 that is as far from both borders, or 10 if x is 10 or more from both. *)
Definition place (side x : Z) : Z := if x <? 11 then x else Z.max 10 (x - (side - Z.min side 21)).

Lemma seen_at_place side x d : 18 <= side -> 0 <= x < side -> -2 <= d <= 2 ->
  seen side x (x + d) = seen (Z.min side 21) (place side x) (place side x + d).
Proof. intros long range short. unfold place. set (y := if x <? 11 then x else _).
  assert (x < 11 /\ y = x \/ 11 <= x /\ y = Z.max 10 (x - (side - Z.min side 21))) as is_y.
  { unfold y. destruct (Z.ltb_spec x 11); tauto. }
  clearbody y. unfold seen, near.
  destruct (Z.ltb_spec (x + (x + d)) side), (Z.ltb_spec (y + (y + d)) (Z.min side 21)); cbn [fst snd];
    repeat match goal with |- context [Z.min ?a ?b <? 8] => destruct (Z.ltb_spec (Z.min a b) 8) end; f_equal; lia. Qed.

Lemma inside_at_place side x d : 18 <= side -> 0 <= x < side -> -2 <= d <= 2 ->
  (0 <=? x + d) = (0 <=? place side x + d) /\ (x + d <? side) = (place side x + d <? Z.min side 21).
Proof. intros long range short. unfold place. split; apply eq_true_iff_eq; rewrite ?Z.leb_le, ?Z.ltb_lt;
    destruct (Z.ltb_spec x 11); lia. Qed.

Lemma sum_over_places side f : 18 <= side ->
  sum (fun x => f (place side x)) (numbers side) = sum f (numbers (Z.min side 21)) + (side - Z.min side 21) * f 10.
Proof. intro long. destruct (Z_le_gt_dec side 21) as [small|large].
  - rewrite Z.min_l, Z.sub_diag by lia. rewrite (sum_same _ f); [lia|]. intros x found. apply in_numbers in found.
    f_equal. unfold place. destruct (Z.ltb_spec x 11); lia.
  - rewrite Z.min_r by lia. unfold numbers. rewrite !sum_map.
    assert (exists more, Z.to_nat side = 11 + more + 10)%nat as [more is_side] by (exists (Z.to_nat (side - 21)); lia).
    rewrite is_side. change (Z.to_nat 21) with (11 + 10)%nat. rewrite !seq_app, !sum_app.
    rewrite (sum_same (fun k => f (place side (Z.of_nat k))) (fun k => f (Z.of_nat k)) (seq 0 11)).
    2: { intros k found. apply in_seq in found. f_equal. unfold place. destruct (Z.ltb_spec (Z.of_nat k) 11); lia. }
    rewrite (sum_same (fun k => f (place side (Z.of_nat k))) (fun _ => f 10) (seq (0 + 11) more)).
    2: { intros k found. apply in_seq in found. f_equal. unfold place. destruct (Z.ltb_spec (Z.of_nat k) 11); lia. }
    rewrite sum_constant, seq_length.
    assert (sum (fun k => f (place side (Z.of_nat k))) (seq (0 + (11 + more)) 10) =
            sum (fun k => f (Z.of_nat k)) (seq (0 + 11) 10)) as at_end.
    { replace (seq (0 + (11 + more)) 10) with (map (fun k => (k + more)%nat) (seq (0 + 11) 10)).
      - rewrite sum_map. apply sum_same. intros k found. apply in_seq in found. f_equal. unfold place.
        destruct (Z.ltb_spec (Z.of_nat (k + more)) 11); lia.
      - cbn [seq map]. repeat f_equal; lia. }
    rewrite at_end. replace (side - 21) with (Z.of_nat more) by lia. lia. Qed.

Lemma sum_of_product {A B : Type} (f : A * B -> Z) l m :
  sum f (list_prod l m) = sum (fun x => sum (fun y => f (x, y)) m) l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [list_prod sum]. rewrite sum_app, sum_map, IH. reflexivity. Qed.

Lemma sum_times {A : Type} (f : A -> Z) c l : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l; cbn [sum]; lia. Qed.

Section Long.
Variables rows columns : Z.
Hypothesis high : 18 <= rows.
Hypothesis wide : 18 <= columns.
Local Notation few_rows := (Z.min rows 21).
Local Notation few_columns := (Z.min columns 21).

Definition placed (s : square) : square := (place rows (fst s), place columns (snd s)).

Lemma moves_at_place s : on_board rows columns s = true ->
  moves rows columns s = moves few_rows few_columns (placed s).
Proof. intro inside. unfold on_board in inside. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt in inside.
  assert (forall step, In step steps -> -2 <= fst step <= 2 /\ -2 <= snd step <= 2) as short.
  { intros step found. simpl in found. intuition (subst; simpl; lia). }
  unfold moves. rewrite (filter_ext_in _ (fun step => on_board few_rows few_columns (after (placed s) step))).
  - apply map_ext_in. intros step found. apply filter_In in found. destruct found as [listed _].
    destruct (short step listed). unfold charge, after, placed. cbn [fst snd].
    rewrite (seen_at_place rows), (seen_at_place columns) by lia. reflexivity.
  - intros step listed. destruct (short step listed). unfold on_board, after, placed. cbn [fst snd].
    destruct (inside_at_place rows (fst s) (fst step) high ltac:(lia) ltac:(lia)) as [-> ->].
    destruct (inside_at_place columns (snd s) (snd step) wide ltac:(lia) ltac:(lia)) as [-> ->]. reflexivity. Qed.

Lemma kept_at_place s : on_board rows columns s = true -> kept rows columns s = kept few_rows few_columns (placed s).
Proof. intro inside. unfold kept. rewrite moves_at_place by assumption. reflexivity. Qed.

Definition kept_here (row column : Z) : Z := kept few_rows few_columns (row, column).

Lemma kept_by_places : kept_together rows columns =
  sum (fun row => sum (kept_here row) (numbers few_columns)) (numbers few_rows)
  + (rows - few_rows) * sum (kept_here 10) (numbers few_columns)
  + (columns - few_columns) * (sum (fun row => kept_here row 10) (numbers few_rows)
                               + (rows - few_rows) * kept_here 10 10).
Proof.
  set (in_row := fun row => sum (kept_here row) (numbers few_columns) + (columns - few_columns) * kept_here row 10).
  unfold kept_together, square. rewrite sum_of_product.
  rewrite (sum_same _ (fun row => in_row (place rows row))).
  - rewrite sum_over_places by assumption. unfold in_row at 1. rewrite sum_plus, sum_times. unfold in_row. lia.
  - intros row row_in. unfold in_row. rewrite <- sum_over_places by assumption. apply sum_same. intros column column_in.
    apply in_numbers in row_in, column_in. apply kept_at_place, board_inside. unfold board. simpl. tauto. Qed.

(** Theorem 3: the 16 boards of short sides, and what each row and column between adds to longer ones. *)
Definition few : list Z := [18; 19; 20; 21].

Lemma among_few side : 18 <= side -> In (Z.min side 21) few.
Proof. intro long. assert (Z.min side 21 = 18 \/ Z.min side 21 = 19 \/ Z.min side 21 = 20 \/ Z.min side 21 = 21) by lia.
  simpl. intuition. Qed.

Definition adds_up (r c : Z) : bool :=
  (sum (fun row => sum (fun column => kept r c (row, column)) (numbers c)) (numbers r) =? 5 * (4 * (r + c) - 24))
  && ((r <? 21) || (sum (fun column => kept r c (10, column)) (numbers c) =? 5 * 4))
  && ((c <? 21) || (sum (fun row => kept r c (row, 10)) (numbers r) =? 5 * 4))
  && ((r <? 21) || (c <? 21) || (kept r c (10, 10) =? 0)).

Lemma all_add_up : forallb (fun r => forallb (adds_up r) few) few = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem kept_is : kept_together rows columns = 5 * (4 * (rows + columns) - 24).
Proof. pose proof all_add_up as all. rewrite forallb_forall in all. specialize (all _ (among_few rows high)).
  rewrite forallb_forall in all. specialize (all _ (among_few columns wide)).
  unfold adds_up in all. rewrite !andb_true_iff, !orb_true_iff, !Z.eqb_eq, !Z.ltb_lt in all.
  rewrite kept_by_places. unfold kept_here. nia. Qed.

Definition loses_little (r c : Z) : bool :=
  forallb (fun s => let here := moves r c s in let least := least_kept here in
                    forallb (fun '(_, x) => least <=? 13 + x) here) (list_prod (numbers r) (numbers c)).

Lemma all_lose_little : forallb (fun r => forallb (loses_little r) few) few = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma at_end s t : on_board rows columns s = true -> on_board rows columns t = true -> leaper 1 2 s t ->
  kept rows columns s <= 13 + charge rows columns s t.
Proof. intros inside t_inside moved. pose proof all_lose_little as all.
  rewrite forallb_forall in all. specialize (all _ (among_few rows high)).
  rewrite forallb_forall in all. specialize (all _ (among_few columns wide)). unfold loses_little in all.
  rewrite forallb_forall in all.
  assert (In (placed s) (list_prod (numbers few_rows) (numbers few_columns))) as there.
  { unfold on_board in inside. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt in inside.
    apply in_prod; apply in_numbers; unfold place;
      [destruct (Z.ltb_spec (fst s) 11)|destruct (Z.ltb_spec (snd s) 11)]; lia. }
  specialize (all _ there). cbn zeta in all. rewrite <- moves_at_place, forallb_forall in all by assumption.
  specialize (all _ (move_listed _ _ _ _ moved t_inside)). apply Z.leb_le. exact all. Qed.
End Long.

(** * The theorems *)

Theorem turns_of_closed_tours rows columns : 18 <= rows -> 18 <= columns ->
  forall tour, closed_tour (board rows columns []) (leaper 1 2) tour -> 4 * (rows + columns) - 24 <= turns tour.
Proof. intros high wide tour found. apply closed_tours_turn in found; [|lia|lia].
  rewrite kept_is in found by assumption. lia. Qed.

Theorem turns_of_open_tours rows columns : 18 <= rows -> 18 <= columns ->
  forall tour, open_tour (board rows columns []) (leaper 1 2) tour ->
  4 * (rows + columns) - 29 <= turns_between_ends tour.
Proof. intros high wide tour found. apply (open_tours_turn _ _ 13) in found; [|apply at_end; assumption|lia|lia].
  rewrite kept_is in found by assumption. lia. Qed.

Check turns_of_closed_tours.
Check turns_of_open_tours.
Print Assumptions turns_of_closed_tours.
Print Assumptions turns_of_open_tours.
