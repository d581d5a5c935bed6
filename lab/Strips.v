(** The (n, n + 1) leaper has no tour of 2n + 1 rows and N columns, closed or open, if N <= n (2n + 1) or 2n (n + 1) + 1
    < N <= (n + 1)(2n + 1), and no closed one if N = 2n (n + 1) + 1: Theorem 2 of strips.md, for all n and N at once.
    [Tours.v] says what these words mean.

    Give the columns weights y of at most 1. Along a tour the weights of two squares in sequence add up to twice the sum
    of all squares, (2n + 1) times that of the columns. But of the moves between two columns n apart there are 2n, and
    of those n + 1 apart 2n + 2; each is used at most once. So a closed tour needs a [gain] of 0 at most. Weights with a
    gain above 0 begin with a few columns of weight 1; two further blocks of n or n + 1 columns, the first with weights
    z and the second with -z, cost 2n + 2 or 2n. *)

Require Import Tours Cycles Sides.
From Coq Require Import ZArith List Bool Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

(** * Sums over columns *)

Lemma sum_none (f : Z -> Z) k : k <= 0 -> sum f (numbers k) = 0.
Proof. intro. unfold numbers. replace (Z.to_nat k) with 0%nat by lia. reflexivity. Qed.

Lemma sum_next (f : Z -> Z) k : 0 <= k -> sum f (numbers (k + 1)) = sum f (numbers k) + f k.
Proof. intro. unfold numbers. rewrite Z.add_1_r, Z2Nat.inj_succ, seq_S, map_app, sum_app by lia. cbn [map sum Nat.add].
  rewrite Z2Nat.id; lia. Qed.

Lemma sum_at_most {A : Type} (f g : A -> Z) l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof. induction l as [|x l IH]; intro below; cbn [sum]; [lia|]. pose proof (below x (or_introl eq_refl)).
  assert (sum f l <= sum g l) by (apply IH; intros; apply below; simpl; auto). lia. Qed.

Lemma sum_nonnegative {A : Type} (f : A -> Z) l : (forall x, 0 <= f x) -> 0 <= sum f l.
Proof. intro positive. induction l as [|x l IH]; cbn [sum]; [lia|]. specialize (positive x). lia. Qed.

Lemma sum_nonpositive {A : Type} (f : A -> Z) l : (forall x, In x l -> f x <= 0) -> sum f l <= 0.
Proof. intro below. apply sum_at_most in below. rewrite sum_constant in below. lia. Qed.

Lemma sum_split (f : Z -> Z) j k : 0 <= j -> 0 <= k ->
  sum f (numbers (j + k)) = sum f (numbers j) + sum (fun c => f (j + c)) (numbers k).
Proof. intros j_range range. pattern k. apply natlike_ind; [|intros i ? IH|assumption].
  - rewrite Z.add_0_r, (sum_none _ 0); lia.
  - rewrite <- Z.add_1_r, Z.add_assoc, !sum_next, IH by lia. lia. Qed.

(** Of what is nowhere negative, a part of a sum is at most the whole. *)
Lemma sum_of_part (f : Z -> Z) j k : (forall c, 0 <= f c) -> j <= k -> sum f (numbers j) <= sum f (numbers k).
Proof. intros positive less. destruct (Z_lt_ge_dec j 0).
  - rewrite (sum_none f j) by lia. apply sum_nonnegative. assumption.
  - replace k with (j + (k - j)) by lia. rewrite sum_split by lia.
    pose proof (sum_nonnegative (fun c => f (j + c)) (numbers (k - j)) (fun c => positive (j + c))). lia. Qed.

Definition at_column (a c : Z) : Z := if c =? a then 1 else 0.

Lemma sum_at_column a k : sum (at_column a) (numbers k) <= 1.
Proof. destruct (Z_lt_ge_dec k 0); [rewrite sum_none; lia|].
  enough (sum (at_column a) (numbers k) <= if a <? k then 1 else 0) as least by (destruct (a <? k); lia).
  pattern k. apply natlike_ind; [|intros j ? IH|lia].
  - rewrite sum_none by lia. destruct (a <? 0); lia.
  - rewrite <- Z.add_1_r, sum_next by lia. unfold at_column at 2.
    destruct (Z.eqb_spec j a), (Z.ltb_spec a j), (Z.ltb_spec a (j + 1)); lia. Qed.

Lemma sum_of_two (f : Z -> Z) a b k : (forall c, 0 <= c < k -> f c <= at_column a c + at_column b c) ->
  sum f (numbers k) <= 2.
Proof. intro below. pose proof (sum_at_column a k). pose proof (sum_at_column b k).
  assert (sum f (numbers k) <= sum (fun c => at_column a c + at_column b c) (numbers k)).
  { apply sum_at_most. intros c found. apply below, in_numbers, found. }
  rewrite sum_plus in *. lia. Qed.

(** * What weights of columns prove, for all leapers *)

Section Columns.
Variables p q rows : Z.
Hypothesis p_range : 0 < p <= rows.
Hypothesis q_range : 0 < q <= rows.
Hypothesis three_rows : 3 <= rows.

(** The sum, over the pairs of columns so far [apart], of what their weights add up to, where that is positive. *)
Definition overlap (y : Z -> Z) (apart columns : Z) : Z :=
  sum (fun c => Z.max 0 (y c + y (c + apart))) (numbers (columns - apart)).

Definition gain (y : Z -> Z) (columns : Z) : Z :=
  rows * sum y (numbers columns) - (rows - q) * overlap y p columns - (rows - p) * overlap y q columns.

(** All moves [down] so many rows and [across] so many columns: they start or end in the first rows. *)
Definition moves (down across columns : Z) : list (square * square) :=
  let places := list_prod (numbers (rows - down)) (numbers (columns - across)) in
  map (fun s => ((fst s, snd s), (fst s + down, snd s + across))) places ++
  map (fun s => ((fst s + down, snd s), (fst s, snd s + across))) places.

Lemma sum_over_columns (f : Z -> Z) (l m : list Z) :
  sum (fun s => f (snd s)) (list_prod l m) = Z.of_nat (length l) * sum f m.
Proof. induction l as [|x l IH]; cbn [list_prod sum length]; [lia|]. rewrite sum_app, IH, sum_map. cbn [snd].
  change (fun c => f c) with f. lia. Qed.

Definition both (y : Z -> Z) (e : square * square) : Z := y (snd (fst e)) + y (snd (snd e)).

Lemma sum_over_moves (y : Z -> Z) down across columns : down <= rows ->
  sum (fun e => Z.max 0 (both y e)) (moves down across columns) = 2 * (rows - down) * overlap y across columns.
Proof. intro range. unfold moves, overlap. rewrite sum_app, !sum_map. unfold both. cbn [fst snd].
  rewrite (sum_over_columns (fun c => Z.max 0 (y c + y (c + across)))), numbers_length by lia. ring. Qed.

Definition move_of columns (e : square * square) : Prop :=
  board rows columns [] (fst e) /\ board rows columns [] (snd e) /\ leaper p q (fst e) (snd e).

Lemma move_among columns e : move_of columns e -> among (moves q p columns ++ moves p q columns) e.
Proof. destruct e as [[r c] [r' c']]. unfold move_of, board, leaper, among, swap, moves. cbn [fst snd].
  intros [[r_in [c_in _]] [[r'_in [c'_in _]] move]]. rewrite !in_app_iff, !in_map_iff.
  assert (forall down across i j, 0 <= i < rows - down -> 0 <= j < columns - across ->
    In (i, j) (list_prod (numbers (rows - down)) (numbers (columns - across)))) as within.
  { intros. apply in_prod; apply in_numbers; assumption. }
  assert (forall i j k l i' j' k' l' : Z, i = i' -> j = j' -> k = k' -> l = l' ->
    ((i, j), (k, l)) = ((i', j'), (k', l'))) as same by (intros; subst; reflexivity).
  destruct (Z_le_gt_dec c c'); [left|right]; (destruct move as [[down across]|[down across]]; [right|left]);
    destruct (Z_le_gt_dec r r');
    first [left; exists (Z.min r r', Z.min c c'); cbn [fst snd]; split; [apply same; lia|apply within; lia]
          |right; exists (Z.min r r', Z.min c c'); cbn [fst snd]; split; [apply same; lia|apply within; lia]]. Qed.

(** Pairs of squares of a tour, each used once, have no more weight than all moves together. *)
Lemma weight_of_moves (y : Z -> Z) columns pairs : ForallOrdPairs (apart square) pairs ->
  (forall e, In e pairs -> move_of columns e) ->
  sum (both y) pairs <= 2 * (rows - q) * overlap y p columns + 2 * (rows - p) * overlap y q columns.
Proof. intros once allowed. rewrite <- !sum_over_moves, <- sum_app by lia. apply sum_bounded; [|assumption|].
  - intros [s t]. unfold both, swap. cbn [fst snd]. lia.
  - apply Forall_forall. intros e found. apply move_among, allowed, found. Qed.

Lemma weight_on_cycle (y : Z -> Z) tour : sum (both y) (cycle_pairs tour) = 2 * sum (fun s => y (snd s)) tour.
Proof. exact (weights_on_cycle _ (fun s => y (snd s)) tour). Qed.

Lemma weight_on_path (y : Z -> Z) s l :
  sum (both y) (path_pairs s l) = 2 * (y (snd s) + sum (fun s => y (snd s)) l) - y (snd s) - y (snd (last l s)).
Proof. exact (weights_on_path _ (fun s => y (snd s)) l s). Qed.

Lemma weight_of_squares (y : Z -> Z) columns tour : 0 <= columns -> NoDup tour ->
  (forall s, In s tour <-> board rows columns [] s) -> sum (fun s => y (snd s)) tour = rows * sum y (numbers columns).
Proof. intros range once visits. rewrite (sum_permuted _ tour _ (squares_of_tour _ _ _ once visits)).
  rewrite sum_over_columns, numbers_length by lia. reflexivity. Qed.

Lemma ends_of_pairs {V : Type} (tour : list V) e : In e (cycle_pairs tour) -> In (fst e) tour /\ In (snd e) tour.
Proof. destruct tour as [|s l]; [contradiction|]. intros [<-|found]; [|apply path_pairs_within; assumption].
  split; [apply last_within|left; reflexivity]. Qed.

Lemma no_closed_tour_by_gain (y : Z -> Z) columns : 0 < columns -> 0 < gain y columns ->
  forall tour, ~ closed_tour (board rows columns []) (leaper p q) tour.
Proof. intros range above tour found. pose proof (pairs_of_tour _ _ _ found) as steps.
  destruct found as [[once [visits _]] _].
  assert (3 <= length tour)%nat as enough.
  { change (length [(0, 0); (1, 0); (2, 0)]%Z <= length tour)%nat. apply NoDup_incl_length.
    - repeat constructor; simpl; intuition congruence.
    - intros s among. apply visits. unfold board. destruct among as [<-|[<-|[<-|[]]]]; cbn [fst snd In]; lia. }
  assert (forall e, In e (cycle_pairs tour) -> move_of columns e) as allowed.
  { intros e among. pose proof (ends_of_pairs _ _ among). unfold move_of. rewrite <- !visits. intuition. }
  pose proof (weight_of_moves y columns _ (cycle_pairs_apart _ _ enough once) allowed) as most.
  rewrite weight_on_cycle, (weight_of_squares y columns) in most by (assumption || lia). unfold gain in above. lia. Qed.

(** An open tour lacks one move, whose squares have a weight of 2 at most. *)
Lemma no_open_tour_by_gain (y : Z -> Z) columns : 0 < columns -> (forall c, y c <= 1) -> 1 < gain y columns ->
  forall tour, ~ open_tour (board rows columns []) (leaper p q) tour.
Proof. intros range small above tour [once [visits walks]]. destruct tour as [|s l].
  - assert (In (0, 0) []) as none by (apply visits; unfold board; cbn [fst snd In]; lia). contradiction.
  - assert (forall e, In e (path_pairs s l) -> move_of columns e) as allowed.
    { intros e among. pose proof (path_pairs_within _ _ _ _ among). unfold move_of. rewrite <- !visits.
      pose proof (pairs_of_walk _ _ _ walks e among). intuition. }
    pose proof (weight_of_moves y columns _ (path_pairs_apart _ _ _ once) allowed) as most.
    rewrite weight_on_path in most.
    pose proof (weight_of_squares y columns _ ltac:(lia) once visits) as total. cbn [sum] in total.
    pose proof (small (snd s)). pose proof (small (snd (last l s))). unfold gain, square in *. lia. Qed.

End Columns.

(** * Weights with a gain for 2n + 1 rows *)

(** Columns before those of y: the weights z on so many columns, then -z on as many. *)
Definition pair_before (z : Z -> Z) (width : Z) (y : Z -> Z) (c : Z) : Z :=
  if c <? width then z c else if c <? 2 * width then - z (c - width) else y (c - 2 * width).

Lemma sum_with_pair z width y columns : 0 <= width -> 0 <= columns ->
  sum (pair_before z width y) (numbers (2 * width + columns)) = sum y (numbers columns).
Proof. intros width_range range. rewrite sum_split by lia. replace (2 * width) with (width + width) at 1 by lia.
  rewrite sum_split by lia.
  rewrite (sum_same (pair_before z width y) z (numbers width)).
  rewrite (sum_same (fun c => pair_before z width y (width + c)) (fun c => -1 * z c)).
  rewrite (sum_same (fun c => pair_before z width y (2 * width + c)) y).
  all: try (intros c found; apply in_numbers in found; unfold pair_before;
    destruct (Z.ltb_spec c width), (Z.ltb_spec (width + c) width), (Z.ltb_spec (width + c) (2 * width)),
      (Z.ltb_spec (2 * width + c) width), (Z.ltb_spec (2 * width + c) (2 * width)); try lia; 
      rewrite ?Z.add_simpl_l; replace (width + c - width) with c by lia;
      replace (2 * width + c - 2 * width) with c by lia; lia).
  induction (numbers width); cbn [sum]; lia. Qed.

Lemma overlap_with_pair z width y apart columns : 0 <= width -> 0 <= columns -> 0 <= apart ->
  overlap (pair_before z width y) apart (2 * width + columns) <=
  sum (fun c => Z.max 0 (pair_before z width y c + pair_before z width y (c + apart))) (numbers (2 * width)) +
  overlap y apart columns.
Proof. intros width_range range apart_range. unfold overlap. destruct (Z_le_gt_dec apart columns).
  - replace (2 * width + columns - apart) with (2 * width + (columns - apart)) by lia. rewrite sum_split by lia.
    apply Z.add_le_mono_l. apply sum_at_most. intros c found. apply in_numbers in found. unfold pair_before.
    destruct (Z.ltb_spec (2 * width + c) width), (Z.ltb_spec (2 * width + c) (2 * width)); try lia.
    destruct (Z.ltb_spec (2 * width + c + apart) width), (Z.ltb_spec (2 * width + c + apart) (2 * width)); try lia.
    replace (2 * width + c - 2 * width) with c by lia.
    replace (2 * width + c + apart - 2 * width) with (c + apart) by lia. lia.
  - rewrite (sum_none _ (columns - apart)) by lia. rewrite Z.add_0_r. apply sum_of_part; lia. Qed.

Section Leaper.
Variable n : Z.
Hypothesis n_positive : 1 <= n.
Notation rows := (2 * n + 1).
Notation gain := (gain n (n + 1) rows).

(** Of blocks of n columns, the first w have the weight 1; of blocks of n + 1, all but the first x. *)
Definition short w c : Z := if c <? w then 1 else 0.
Definition long x c : Z := if (x <=? c) && (c <=? n) then 1 else 0.

Definition starts_short w (y : Z -> Z) : Prop := (forall c, 0 <= c < n -> y c = short w c) /\ y n <= short w (n - 1).
Definition starts_long x (y : Z -> Z) : Prop := (forall c, 0 <= c < n -> y c = long x c) /\ y n <= long x n.

Ltac columns_by_cases := unfold pair_before, short, long, at_column;
  repeat match goal with
  | |- context [?a <? ?b] => destruct (Z.ltb_spec a b); try (exfalso; lia)
  | |- context [?a <=? ?b] => destruct (Z.leb_spec a b); try (exfalso; lia)
  | |- context [?a =? ?b] => destruct (Z.eqb_spec a b); try (exfalso; lia)
  end; cbn [andb]; try lia.

Lemma short_pair w y columns : 1 <= w <= n -> starts_short w y -> 0 <= columns ->
  gain y columns - 2 * (n + 1) <= gain (pair_before (short w) n y) (2 * n + columns).
Proof. intros w_range [start edge] range. unfold gain. rewrite sum_with_pair by lia.
  pose proof (overlap_with_pair (short w) n y n columns ltac:(lia) range ltac:(lia)) as by_n.
  pose proof (overlap_with_pair (short w) n y (n + 1) columns ltac:(lia) range ltac:(lia)) as by_more.
  set (z := pair_before (short w) n y) in *.
  assert (sum (fun c => Z.max 0 (z c + z (c + n))) (numbers (2 * n)) <= 0) as none.
  { apply sum_nonpositive. intros c found. apply in_numbers in found. unfold z.
    generalize (start (c + n - 2 * n)). columns_by_cases. }
  assert (sum (fun c => Z.max 0 (z c + z (c + (n + 1)))) (numbers (2 * n)) <= 2) as two.
  { apply (sum_of_two _ (w - 1) (n - 1)). intros c found. unfold z.
    assert (c = 2 * n - 1 \/ c < 2 * n - 1) as [-> | ] by lia. 
    - replace (2 * n - 1 + (n + 1)) with (n + 2 * n) by lia. generalize edge. unfold pair_before at 2.
      replace (n + 2 * n - 2 * n) with n by lia. columns_by_cases.
    - generalize (start (c + (n + 1) - 2 * n)). columns_by_cases. }
  nia. Qed.

Lemma long_pair x y columns : 0 <= x <= n -> starts_long x y -> 0 <= columns ->
  gain y columns - 2 * n <= gain (pair_before (long x) (n + 1) y) (2 * (n + 1) + columns).
Proof. intros x_range [start edge] range. unfold gain. rewrite sum_with_pair by lia.
  pose proof (overlap_with_pair (long x) (n + 1) y n columns ltac:(lia) range ltac:(lia)) as by_n.
  pose proof (overlap_with_pair (long x) (n + 1) y (n + 1) columns ltac:(lia) range ltac:(lia)) as by_more.
  set (z := pair_before (long x) (n + 1) y) in *.
  assert (sum (fun c => Z.max 0 (z c + z (c + (n + 1)))) (numbers (2 * (n + 1))) <= 0) as none.
  { apply sum_nonpositive. intros c found. apply in_numbers in found. unfold z.
    assert (c = 2 * n + 1 \/ c < 2 * n + 1) as [-> | ] by lia.
    - replace (2 * n + 1 + (n + 1)) with (n + 2 * (n + 1)) by lia. generalize edge. unfold pair_before at 2.
      replace (n + 2 * (n + 1) - 2 * (n + 1)) with n by lia. columns_by_cases.
    - generalize (start (c + (n + 1) - 2 * (n + 1))). columns_by_cases. }
  assert (sum (fun c => Z.max 0 (z c + z (c + n))) (numbers (2 * (n + 1))) <= 2) as two.
  { apply (sum_of_two _ 0 x). intros c found. unfold z. generalize (start (c + n - 2 * (n + 1))). columns_by_cases. }
  nia. Qed.

(** So the gain of some weights of so many columns is so much, at least, and they start in a certain way. *)
Definition gained (starts : (Z -> Z) -> Prop) columns least : Prop :=
  exists y, starts y /\ (forall c, y c <= 1) /\ least <= gain y columns.

Lemma short_pairs w k columns least : 1 <= w <= n -> 0 <= k -> 0 <= columns -> gained (starts_short w) columns least ->
  gained (starts_short w) (2 * n * k + columns) (least - 2 * (n + 1) * k).
Proof. intros w_range k_range range first. pattern k. apply natlike_ind; [|clear k k_range|assumption].
  - rewrite !Z.mul_0_r, Z.add_0_l, Z.sub_0_r. assumption.
  - intros k k_range [y [start [small more]]]. exists (pair_before (short w) n y). split; [split|split].
    + intros c inside. columns_by_cases.
    + columns_by_cases.
    + intro c. pose proof (small (c - 2 * n)). revert H. columns_by_cases.
    + replace (2 * n * Z.succ k + columns) with (2 * n + (2 * n * k + columns)) by lia.
      pose proof (short_pair w y (2 * n * k + columns) w_range start ltac:(nia)). lia. Qed.

Lemma long_pairs x k columns least : 0 <= x <= n -> 0 <= k -> 0 <= columns -> gained (starts_long x) columns least ->
  gained (starts_long x) (2 * (n + 1) * k + columns) (least - 2 * n * k).
Proof. intros x_range k_range range first. pattern k. apply natlike_ind; [|clear k k_range|assumption].
  - rewrite !Z.mul_0_r, Z.add_0_l, Z.sub_0_r. assumption.
  - intros k k_range [y [start [small more]]]. exists (pair_before (long x) (n + 1) y). split; [split|split].
    + intros c inside. columns_by_cases.
    + columns_by_cases.
    + intro c. generalize (small (c - 2 * (n + 1))). columns_by_cases.
    + replace (2 * (n + 1) * Z.succ k + columns) with (2 * (n + 1) + (2 * (n + 1) * k + columns)) by lia.
      pose proof (long_pair x y (2 * (n + 1) * k + columns) x_range start ltac:(nia)). lia. Qed.

Lemma short_first w : 1 <= w <= n -> gained (starts_short w) w (rows * w).
Proof. intro range. exists (short w). split; [split; intros; columns_by_cases|split; [intro; columns_by_cases|]].
  unfold gain, overlap. rewrite !(sum_none _ (w - _)) by lia.
  rewrite (sum_same (short w) (fun _ => 1)), sum_constant, numbers_length by
      (try lia; intros c found; apply in_numbers in found; columns_by_cases). lia. Qed.

Lemma long_first x : 0 <= x <= n -> gained (starts_long x) (n + 1 + x) (rows * (n + 1 - x) - 2 * n).
Proof. intro range. exists (long x). split; [split; intros; columns_by_cases|split; [intro; columns_by_cases|]].
  assert (overlap (long x) n (n + 1 + x) <= 2).
  { apply (sum_of_two _ 0 x). intros c found. columns_by_cases. }
  assert (overlap (long x) (n + 1) (n + 1 + x) <= 0).
  { apply sum_nonpositive. intros c found. apply in_numbers in found. columns_by_cases. }
  assert (sum (long x) (numbers (n + 1 + x)) = n + 1 - x).
  { replace (n + 1 + x) with (x + (n + 1 - x) + x) by lia. rewrite !sum_split by lia.
    rewrite (sum_same (long x) (fun _ => 0)), (sum_same (fun c => long x (x + c)) (fun _ => 1)),
      (sum_same (fun c => long x (x + (n + 1 - x) + c)) (fun _ => 0))
      by (intros c found; apply in_numbers in found; columns_by_cases).
    rewrite !sum_constant, !numbers_length by lia. lia. }
  unfold gain. nia. Qed.

(** * Which boards have no tour *)

Definition excluded columns : Prop := exists y, (forall c, y c <= 1) /\ 0 < gain y columns /\
  (columns <> rows -> columns <> 2 * n * (n + 1) + 1 -> 1 < gain y columns).

Lemma gain_of_columns columns : 0 < columns <= n * rows \/ 2 * n * (n + 1) < columns <= (n + 1) * rows ->
  excluded columns.
Proof. intro range.
  assert (exists m, 0 <= m <= n /\ (columns <= n * rows -> m < n /\ m * rows < columns <= (m + 1) * rows) /\
    (n * rows < columns -> m = n /\ 2 * n * (n + 1) < columns <= (n + 1) * rows)) as [m [m_range [below above]]].
  { destruct (Z_le_gt_dec columns (n * rows)) as [less|more].
    - exists ((columns - 1) / rows). pose proof (Z.div_mod (columns - 1) rows ltac:(lia)).
      pose proof (Z.mod_pos_bound (columns - 1) rows ltac:(lia)). set (k := (columns - 1) / rows) in *.
      assert (-1 < k) by nia. assert (k < n) by nia. split; [lia|]. split; [intros; split; [lia|]|lia]. nia.
    - exists n. split; [lia|]. split; [lia|]. intros. lia. }
  assert (forall starts least, gained starts columns least -> 0 < least -> 
    (columns <> rows -> columns <> 2 * n * (n + 1) + 1 -> 1 < least) -> excluded columns) as enough.
  { intros starts least [y [_ [small more]]] positive two. exists y. split; [assumption|]. split; [lia|].
    intros. specialize (two ltac:(assumption) ltac:(assumption)). lia. }
  assert (forall starts columns l columns' l', gained starts columns' l' -> columns' = columns -> l' = l ->
    gained starts columns l) as equal by (intros; subst; assumption).
  assert (forall m, 0 <= m -> n * (2 * m + 1) < columns < (n + 1) * (2 * m + 1) ->
    0 < columns + 2 * n * n - 2 * m * rows -> (columns <> 2 * n * (n + 1) + 1 -> 1 < columns + 2 * n * n - 2 * m * rows) ->
    excluded columns) as mixed.
  { clear m m_range below above. intros m m_range between positive two.
    assert (exists h e, columns = n * (2 * m + 1) + 2 * h + e /\ 0 <= h <= m /\ (e = 0 \/ e = 1))
      as [h [e [total [h_range e_is]]]].
    { set (more := columns - n * (2 * m + 1)). exists (more / 2), (more mod 2).
      pose proof (Z.div_mod more 2). pose proof (Z.mod_pos_bound more 2). unfold more in *. lia. }
    assert (gained (starts_short n) (n + e) (rows * n + e)) as first.
    { destruct e_is as [-> | ->].
      - apply (equal _ _ _ _ _ (short_first n ltac:(lia))); lia.
      - destruct (long_first 0 ltac:(lia)) as [y [[start edge] most]]. rewrite !Z.add_0_r in most.
        exists y. split; [split|].
        + intros c inside. rewrite start by assumption. unfold long, short.
          destruct (Z.leb_spec 0 c), (Z.leb_spec c n), (Z.ltb_spec c n); cbn; lia.
        + pose proof (proj1 most n). unfold short. destruct (Z.ltb_spec (n - 1) n); lia.
        + split; [apply most|]. destruct most. lia. }
    destruct (short_pairs n (m - h) (n + e) _ ltac:(lia) ltac:(lia) ltac:(lia) first)
      as [y [[start _] [small most]]].
    assert (gained (starts_long 0) (2 * n * (m - h) + (n + e)) (rows * n + e - 2 * (n + 1) * (m - h))) as second.
    { exists y. split; [split|auto].
      - intros c inside. rewrite start by assumption. unfold long, short.
        destruct (Z.leb_spec 0 c), (Z.leb_spec c n), (Z.ltb_spec c n); cbn; lia.
      - pose proof (small n). unfold long. destruct (Z.leb_spec 0 n), (Z.leb_spec n n); cbn; lia. }
    apply (enough (starts_long 0) (columns + 2 * n * n - 2 * m * rows)); [|assumption|auto].
    apply (equal _ _ _ _ _ (long_pairs 0 h (2 * n * (m - h) + (n + e)) _ ltac:(lia) ltac:(lia) ltac:(nia) second)).
    all: nia. }
  assert (columns <= n * rows \/ n * rows < columns) as [less|more] by lia;
    [destruct (below less) as [m_less within]|destruct (above more) as [-> within]]; clear below above.
  - destruct (Z_le_gt_dec columns (n * (2 * m + 1))) as [few|many];
      [|destruct (Z_le_gt_dec ((n + 1) * (2 * m + 1)) columns)].
    + set (w := columns - 2 * n * m).
      apply (enough (starts_short w) (rows * w - 2 * (n + 1) * m)); [|unfold w; nia..].
      apply (equal _ _ _ _ _ (short_pairs w m w (rows * w) ltac:(unfold w; nia) ltac:(lia) ltac:(unfold w; nia)
        (short_first w ltac:(unfold w; nia)))); unfold w; lia.
    + set (x := columns - (n + 1) * (2 * m + 1)).
      apply (enough (starts_long x) (rows * (n + 1 - x) - 2 * n - 2 * n * m)); [|unfold x; nia..].
      apply (equal _ _ _ _ _ (long_pairs x m (n + 1 + x) _ ltac:(unfold x; nia) ltac:(lia) ltac:(unfold x; nia)
        (long_first x ltac:(unfold x; nia)))); unfold x; lia.
    + apply (mixed m); lia || nia.
  - destruct (Z_le_gt_dec ((n + 1) * (2 * n + 1)) columns); [|apply (mixed n); nia].
    apply (enough (starts_long 0) (n + 1)); [|nia..].
    apply (equal _ _ _ _ _ (long_pairs 0 n (n + 1 + 0) _ ltac:(lia) ltac:(lia) ltac:(lia)
      (long_first 0 ltac:(lia)))); lia. Qed.

Theorem no_closed_tour_of_strip columns : 0 < columns <= n * rows \/ 2 * n * (n + 1) < columns <= (n + 1) * rows ->
  forall tour, ~ closed_tour (board rows columns []) (leaper n (n + 1)) tour.
Proof. intro range. destruct (gain_of_columns columns range) as [y [_ [above _]]].
  apply (no_closed_tour_by_gain n (n + 1) rows) with y; (assumption || nia). Qed.

Lemma pair_that_ends {V : Type} l : forall (u v : V), In v l -> exists e, In e (path_pairs u l) /\ snd e = v.
Proof. induction l as [|w l IH]; intros u v found; [contradiction|]. destruct found as [<-|found].
  - exists (u, w). simpl. auto.
  - destruct (IH w v found) as [e [among ends]]. exists e. simpl. auto. Qed.

Theorem no_open_tour_of_strip columns :
  0 < columns <= n * rows \/ 2 * n * (n + 1) + 1 < columns <= (n + 1) * rows ->
  forall tour, ~ open_tour (board rows columns []) (leaper n (n + 1)) tour.
Proof. intros range tour found. destruct (gain_of_columns columns ltac:(lia)) as [y [small [_ more]]].
  destruct (Z.eq_dec columns rows) as [->|differ].
  - destruct found as [_ [visits walks]]. destruct tour as [|s l].
    { assert (In (0, 0) []) as none by (apply visits; unfold board; cbn [fst snd In]; lia). contradiction. }
    pose proof (pairs_of_walk _ _ _ walks) as steps.
    assert (forall e, In e (path_pairs s l) -> fst e <> (n, n) /\ snd e <> (n, n)) as passed_over.
    { intros [[r c] [r' c']] among. pose proof (path_pairs_within _ _ _ _ among) as ends. specialize (steps _ among).
      rewrite !visits in ends. unfold board, leaper in *. cbn [fst snd] in *.
      split; intro middle; inversion middle; subst; lia. }
    assert (forall v, In v l -> v <> (n, n)) as others.
    { intros v found. destruct (pair_that_ends l s v found) as [e [among <-]]. apply passed_over, among. }
    destruct (proj2 (visits (n, n)) ltac:(unfold board; cbn [fst snd In]; lia)) as [->|middle].
    + destruct (proj2 (visits (0, 0)) ltac:(unfold board; cbn [fst snd In]; lia)) as [same|found].
      { inversion same. lia. }
      destruct l as [|t l]; [contradiction|]. exact (proj1 (passed_over ((n, n), t) (or_introl eq_refl)) eq_refl).
    + exact (others _ middle eq_refl).
  - apply (no_open_tour_by_gain n (n + 1) rows) with y columns tour; auto; lia. Qed.
End Leaper.

Check no_closed_tour_of_strip.
Check no_open_tour_of_strip.
Print Assumptions no_closed_tour_of_strip.
Print Assumptions no_open_tour_of_strip.
