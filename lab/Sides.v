(** A free leaper has no closed tour of a board with an even side below 2 (p + q), nor a (p, p + 1) leaper of one with a
    side from 2 m (p + 1) to 2 p (m + 1), and no open tour strictly between: what Lemma 1 with Theorem 2,
    Corollary 8 and, if 2 p divides p + q - 1, Theorem 7 of sides.md excludes, for all leapers and boards at once.
    [Tours.v] says what these words mean.

    Number the residue classes mod n = p + q so that a step of p leads from each class to the next; a step of -q does
    so, too. Count these numbers from any t, and give a row with an even number the weight -1 and one with an odd number
    the weight 1. The weights of neighbouring rows have a sum of at most 0. Over all t, each row has the sum -1; so all
    weights together are -rows, which is more than -2 n, and for some t the rows have a sum above -2. It is even, so it
    is at least 0. Along a tour the weights of two squares in sequence have a sum of at most 0, and all these sums
    together are twice that of all squares, at least 0; so each of them is 0. Hence the tour does not leave the squares
    that have the weight 1 and one colour or the weight -1 and the other colour. But in each row there are others. *)

Require Import Tours Cycles.
From Coq Require Import ZArith List Bool Lia Permutation Znumtheory FinFun.
Import ListNotations.
Open Scope Z_scope.

(** * Sums *)

Definition numbers (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma in_numbers n v : In v (numbers n) <-> 0 <= v < n.
Proof. unfold numbers. rewrite in_map_iff. split.
  - intros [k [<- found]]. apply in_seq in found. lia.
  - intro range. exists (Z.to_nat v). split; [lia|]. apply in_seq. lia. Qed.

Lemma numbers_once n : NoDup (numbers n).
Proof. apply Injective_map_NoDup; [intros i j; lia|apply seq_NoDup]. Qed.

Lemma numbers_length n : 0 <= n -> Z.of_nat (length (numbers n)) = n.
Proof. intro. unfold numbers. rewrite map_length, seq_length. lia. Qed.

Lemma sum_map {A B : Type} (f : B -> Z) (g : A -> B) l : sum f (map g l) = sum (fun x => f (g x)) l.
Proof. induction l; simpl; lia. Qed.

Lemma sum_same {A : Type} (f g : A -> Z) l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof. induction l as [|x l IH]; intro same; [reflexivity|]. simpl. rewrite IH, (same x); simpl in *; auto. Qed.

Lemma sum_constant {A : Type} (c : Z) (l : list A) : sum (fun _ => c) l = c * Z.of_nat (length l).
Proof. induction l; cbn [sum length]; lia. Qed.

Lemma sum_exchanged {A B : Type} (f : A -> B -> Z) l m :
  sum (fun x => sum (f x) m) l = sum (fun y => sum (fun x => f x y) l) m.
Proof. induction l as [|x l IH]; simpl; [symmetry; exact (sum_constant 0 m)|].
  rewrite IH. symmetry. apply sum_plus. Qed.

Lemma some_above {A : Type} (f : A -> Z) c l : c * Z.of_nat (length l) < sum f l -> exists x, In x l /\ c < f x.
Proof. induction l as [|x l IH]; cbn [sum length]; intro above; [lia|].
  destruct (Z_lt_ge_dec c (f x)) as [here|]; [exists x; simpl; auto|].
  destruct IH as [y [found more]]; [lia|]. exists y. simpl. auto. Qed.

Lemma sum_of_odds {A : Type} (f : A -> Z) l :
  (forall x, Z.odd (f x) = true) -> Z.even (sum f l) = Z.even (Z.of_nat (length l)).
Proof. intro odd. induction l as [|x l IH]; [reflexivity|]. cbn [sum length].
  rewrite Nat2Z.inj_succ, Z.even_succ, Z.even_add, IH, <- Z.negb_odd, odd, <- Z.negb_even. simpl.
  destruct Z.even; reflexivity. Qed.

Lemma all_zero {A : Type} (f : A -> Z) l :
  (forall x, In x l -> f x <= 0) -> 0 <= sum f l -> forall x, In x l -> f x = 0.
Proof. intros below. enough (forall m, incl m l -> sum f m <= 0) as least.
  - intros total x found. destruct (in_split _ _ found) as [before [after ->]].
    rewrite sum_app in total. simpl in total.
    pose proof (below x found). pose proof (least before). pose proof (least after).
    assert (incl before (before ++ x :: after)) by (intros y ?; apply in_or_app; auto).
    assert (incl after (before ++ x :: after)) by (intros y ?; apply in_or_app; simpl; auto). intuition lia.
  - induction m as [|x m IH]; intro within; simpl; [lia|]. pose proof (below x (within x (or_introl eq_refl))).
    assert (incl m l) by (intros y ?; apply within; simpl; auto). intuition lia. Qed.

Lemma map_once {A B : Type} (f : A -> B) l :
  NoDup l -> (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof. induction 1 as [|x l absent once IH]; intro injective; [constructor|]. cbn [map]. constructor.
  - intro found. apply in_map_iff in found. destruct found as [y [same y_in]].
    rewrite (injective y x) in y_in by (simpl; auto). contradiction.
  - apply IH. intros y z ? ?. apply injective; simpl; auto. Qed.

Lemma appended_once {A : Type} (l m : list A) :
  NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof. induction 1 as [|x l absent once IH]; intros m_once apart; [assumption|]. cbn [app]. constructor.
  - intro found. apply in_app_or in found. destruct found; [contradiction|]. apply (apart x); simpl; auto.
  - apply IH; [assumption|]. intros y y_in. apply apart. simpl. auto. Qed.

(** * Rows: their weights, by places on the circle of the residues mod n *)

Section Leaper.
Variables p q : Z.
Hypothesis p_positive : 0 < p.
Hypothesis q_positive : 0 < q.
Hypothesis prime_to_each_other : Z.gcd p q = 1.
Hypothesis odd_sum : Z.odd (p + q) = true.
Local Notation n := (p + q).

Definition weight (place : Z) : Z := if Z.even place then -1 else 1.

Lemma weight_odd place : Z.odd (weight place) = true.
Proof. unfold weight. destruct (Z.even place); reflexivity. Qed.

Lemma weights_of_places m :
  sum weight (map Z.of_nat (seq 0 m)) = if Z.even (Z.of_nat m) then 0 else -1.
Proof. induction m as [|m IH]; [reflexivity|]. rewrite seq_S, map_app, sum_app, IH. cbn [map sum Nat.add].
  unfold weight. rewrite Nat2Z.inj_succ, Z.even_succ, <- Z.negb_even. destruct Z.even; reflexivity. Qed.

(** Counted from all t, a class has each place once. *)
Lemma all_places c : sum (fun t => weight ((c - t) mod n)) (numbers n) = -1.
Proof. rewrite <- (sum_map weight (fun t => (c - t) mod n)).
  rewrite (sum_permuted weight _ (numbers n)).
  - unfold numbers. rewrite weights_of_places, Z2Nat.id, <- Z.negb_odd, odd_sum by lia. reflexivity.
  - apply NoDup_Permutation_bis.
    + apply map_once; [apply numbers_once|]. intros s t s_in t_in same. apply in_numbers in s_in, t_in.
      assert ((t - s) mod n = 0) as period.
      { replace (t - s) with ((c - s) - (c - t)) by lia. rewrite Zminus_mod, same, Z.sub_diag. apply Zmod_0_l. }
      apply Z.mod_divide in period; [|lia].
      destruct (Z.eq_dec s t) as [|differ]; [assumption|]. apply Zdivide_bounds in period; lia.
    + rewrite map_length. lia.
    + intros v found. apply in_map_iff in found. destruct found as [t [<- _]]. apply in_numbers.
      apply Z.mod_pos_bound. lia. Qed.

(** The number of the class of p is 1: an inverse of p mod n. *)
Lemma inverse : exists u v, p * u = 1 + v * n.
Proof. assert (Z.gcd p n = 1) as coprime.
  { rewrite Z.add_comm, Z.gcd_add_diag_r. assumption. }
  destruct (Z.gcd_bezout p n 1 coprime) as [a [b sum_is]]. exists a, (- b). lia. Qed.

Section Counted.
Variables u v : Z.
Hypothesis u_inverse : p * u = 1 + v * n.
Definition row_weight (t row : Z) : Z := weight ((row * u - t) mod n).

(** The place after the last is the first, and both are even. *)
Lemma next_place k : weight (k mod n) + weight ((k + 1) mod n) <= 0.
Proof. rewrite <- (Zplus_mod_idemp_l k 1 n). pose proof (Z.mod_pos_bound k n ltac:(lia)) as range.
  set (place := k mod n) in *. unfold weight at 1. destruct (Z.even place) eqn:parity.
  - unfold weight. destruct (Z.even ((place + 1) mod n)); lia.
  - assert (place <> n - 1).
    { intro end_. rewrite end_, Z.even_sub, <- !Z.negb_odd, odd_sum in parity. discriminate. }
    rewrite Z.mod_small by lia. unfold weight. rewrite Z.even_add, parity. simpl. lia. Qed.

Lemma step_up t row : row_weight t row + row_weight t (row + p) <= 0.
Proof. unfold row_weight. replace ((row + p) * u - t) with (row * u - t + 1 + v * n) by nia.
  rewrite Z_mod_plus_full. apply next_place. Qed.

Lemma step_down t row : row_weight t row + row_weight t (row - q) <= 0.
Proof. unfold row_weight. replace ((row - q) * u - t) with (row * u - t + 1 + (v - u) * n) by (nia).
  rewrite Z_mod_plus_full. apply next_place. Qed.

Lemma neighbours t row other :
  Z.abs (row - other) = p \/ Z.abs (row - other) = q -> row_weight t row + row_weight t other <= 0.
Proof. intro apart. pose proof (step_up t row). pose proof (step_up t other).
  pose proof (step_down t row). pose proof (step_down t other).
  assert (other = row + p \/ row = other + p \/ other = row - q \/ row = other - q) as [ | [ | [ | ]]] by lia;
    subst; lia. Qed.

(** For some t the weights of the rows have a sum of 0 at least. *)
Lemma balanced rows : 0 <= rows < 2 * n -> Z.even rows = true ->
  exists t, 0 <= sum (row_weight t) (numbers rows).
Proof. intros range even.
  destruct (some_above (fun t => sum (row_weight t) (numbers rows)) (-2) (numbers n)) as [t [_ above]].
  - rewrite numbers_length by lia. rewrite sum_exchanged.
    rewrite (sum_same _ (fun _ => -1)) by (intros row _; apply all_places).
    rewrite sum_constant, numbers_length by lia. lia.
  - exists t. assert (Z.even (sum (row_weight t) (numbers rows)) = true) as parity.
    { rewrite sum_of_odds, numbers_length by (try lia; intro; apply weight_odd). assumption. }
    apply Z.even_spec in parity. destruct parity as [half is_half]. cbn beta in above. lia. Qed.
End Counted.

(** * Boards *)

Lemma product_once {A B : Type} (l : list A) (m : list B) : NoDup l -> NoDup m -> NoDup (list_prod l m).
Proof. intros once m_once. induction once as [|x l absent once IH]; [constructor|]. cbn [list_prod].
  apply appended_once; [apply map_once; [assumption|congruence]|assumption|].
  intros [y z] here there. apply in_map_iff in here. destruct here as [w [same _]]. apply in_prod_iff in there.
  inversion same. subst. tauto. Qed.

Lemma sum_over_product (f : Z -> Z) (l m : list Z) :
  sum (fun s => f (fst s)) (list_prod l m) = Z.of_nat (length m) * sum f l.
Proof. induction l as [|x l IH]; cbn [list_prod sum]; [lia|]. rewrite sum_app, IH, sum_map. cbn [fst].
  rewrite sum_constant. lia. Qed.

Lemma squares_of_tour rows columns tour : NoDup tour -> (forall s, In s tour <-> board rows columns [] s) ->
  Permutation tour (list_prod (numbers rows) (numbers columns)).
Proof. intros once visits. apply NoDup_Permutation; [assumption|apply product_once; apply numbers_once|].
  intros [row column]. rewrite visits. unfold board. cbn [fst snd]. split.
  - intros [row_in [column_in _]]. apply in_prod; apply in_numbers; assumption.
  - intro there. apply in_prod_iff in there. rewrite !in_numbers in there. simpl. tauto. Qed.

(** In a closed tour all pairs of neighbours are moves. *)
Lemma pairs_of_walk {V : Type} (move : V -> V -> Prop) l : forall u,
  walk move (u :: l) -> forall e, In e (path_pairs u l) -> move (fst e) (snd e).
Proof. induction l as [|w l IH]; intros u walks e found; [contradiction|]. destruct walks as [step walks].
  destruct found as [<-|found]; [assumption|eauto]. Qed.

Lemma pairs_of_tour {V : Type} (vertex : V -> Prop) (move : V -> V -> Prop) tour :
  closed_tour vertex move tour -> forall e, In e (cycle_pairs tour) -> move (fst e) (snd e).
Proof. intros [[_ [_ walks]] closes] e found. destruct tour as [|u l]; [contradiction|].
  destruct found as [<-|found]; [assumption|]. eapply pairs_of_walk; eassumption. Qed.

Definition white (s : square) : bool := Z.even (fst s + snd s).

(** Weights of 1 and -1 for the rows: of two neighbours at most one has 1. *)
Section Weighted.
Variable value : Z -> Z.
Hypothesis signs : forall row, value row = 1 \/ value row = -1.
Hypothesis light : forall row other, Z.abs (row - other) = p \/ Z.abs (row - other) = q -> value row + value other <= 0.
Variables rows columns : Z.
Local Definition y (s : square) : Z := value (fst s).

Lemma weight_of_board tour : 0 <= columns ->
  NoDup tour -> (forall s, In s tour <-> board rows columns [] s) -> sum y tour = columns * sum value (numbers rows).
Proof. intros columns_range once visits. rewrite (sum_permuted y tour _ (squares_of_tour _ _ _ once visits)).
  unfold y. rewrite sum_over_product, numbers_length by lia. reflexivity. Qed.

Lemma no_open_tour_of_heavy_rows tour : 0 < sum value (numbers rows) -> 1 < columns ->
  ~ open_tour (board rows columns []) (leaper p q) tour.
Proof. intros heavy two_columns [once [visits walks]].
  pose proof (weight_of_board tour ltac:(lia) once visits) as total.
  destruct tour as [|u l]; [cbn [sum] in total; nia|]. pose proof (weights_on_path _ y l u) as along.
  assert (sum (fun e => y (fst e) + y (snd e)) (path_pairs u l) <= 0) as at_most.
  { pose proof (pairs_of_walk _ _ _ walks) as moves. revert moves. generalize (path_pairs u l).
    induction l0 as [|e pairs IH]; intro moves; cbn [sum]; [lia|].
    pose proof (IH (fun f found => moves f (or_intror found))). specialize (moves e (or_introl eq_refl)).
    enough (y (fst e) + y (snd e) <= 0) by lia. apply light. unfold leaper in moves. tauto. }
  cbn [sum] in total. destruct (signs (fst u)), (signs (fst (last l u))); unfold y in *; nia. Qed.

Lemma no_closed_tour_of_heavy_rows tour : 0 <= sum value (numbers rows) -> 0 < rows -> 0 < columns ->
  ~ closed_tour (board rows columns []) (leaper p q) tour.
Proof. intros heavy rows_positive columns_positive found.
  pose proof (pairs_of_tour _ _ _ found) as moves. destruct found as [[once [visits _]] _].
  pose proof (weight_of_board tour ltac:(lia) once visits) as total.
  assert (forall e, In e (cycle_pairs tour) -> y (fst e) + y (snd e) = 0) as balance.
  { apply (all_zero (fun e => y (fst e) + y (snd e))).
    - intros e among_pairs. apply light. specialize (moves e among_pairs). unfold leaper in moves. tauto.
    - rewrite weights_on_cycle, total. nia. }
  assert (forall column, 0 <= column < columns -> In (0, column) tour) as first_row.
  { intros column range. apply visits. unfold board. simpl. lia. }
  assert (1 < columns) as two_columns.
  { specialize (first_row 0 ltac:(lia)). destruct tour as [|s l]; [contradiction|].
    pose proof (last_within s l) as at_end. apply visits in at_end. pose proof (visits s) as at_start.
    specialize (moves (last l s, s) (or_introl eq_refl)). unfold leaper, board in *. simpl in *. intuition lia. }
  set (kind := fun s => xorb (white s) (0 <? y s)).
  assert (sum (crosses kind) (cycle_pairs tour) = 0) as within.
  { rewrite (sum_same _ (fun _ => 0)); [apply sum_constant|]. intros [s w] paired.
    specialize (balance _ paired). specialize (moves _ paired). unfold crosses, kind. cbn [fst snd] in *.
    assert (white s = negb (white w)) as other_colour.
    { unfold white, leaper in *. apply Z.odd_spec in odd_sum. destruct odd_sum as [half is_odd].
      destruct (Z.Even_or_Odd (fst s + snd s)) as [[k is_k]|[k is_k]],
        (Z.Even_or_Odd (fst w + snd w)) as [[l is_l]|[l is_l]]; rewrite is_k, is_l, ?Z.even_add, ?Z.even_mul;
        try reflexivity; exfalso; clear - moves is_odd is_k is_l; lia. }
    rewrite other_colour. assert (y s <> 0) as weighty.
    { unfold y. destruct (signs (fst s)); lia. }
    destruct (Z.ltb_spec 0 (y s)), (Z.ltb_spec 0 (y w)); try lia; destruct (white w); reflexivity. }
  pose proof (cycle_crosses _ kind tour (0, 0) (0, 1) (first_row 0 ltac:(lia)) (first_row 1 ltac:(lia))) as crossed.
  rewrite within in crossed. enough (kind (0, 0) <> kind (0, 1)) as differ by (specialize (crossed differ); lia).
  unfold kind, y, white. cbn [fst snd]. destruct (0 <? _); discriminate. Qed.
End Weighted.

Theorem no_closed_tour_of_even_side rows columns :
  0 < rows < 2 * n -> Z.even rows = true -> 0 < columns ->
  forall tour, ~ closed_tour (board rows columns []) (leaper p q) tour.
Proof. intros rows_range rows_even columns_positive tour.
  destruct inverse as [u [v is_inverse]].
  destruct (balanced u rows ltac:(lia) rows_even) as [t heavy].
  apply (no_closed_tour_of_heavy_rows (row_weight u t)); try lia; [|apply (neighbours u v is_inverse)].
  intro row. unfold row_weight, weight. destruct (Z.even (_ mod _)); auto. Qed.
End Leaper.

(** * Longer sides: Theorem 7 and Corollary 8 of sides.md

    Let p + q = n = 2 k p + 1, and let row 0 to row n - 2 be in k blocks of 2 p. The weight is 1 in the lower half of a
    block, and -1 in the upper half and for row n - 1; after that it repeats. So of rows p apart at most one has the
    weight 1, and of rows q apart too, since a step of q is one of n and one of -p. [heights] sums the weights up. *)

Section Blocks.
Variables p k : Z.
Hypothesis p_positive : 0 < p.
Hypothesis k_positive : 0 < k.
Local Notation n := (2 * k * p + 1).
Definition block_weight (row : Z) : Z :=
  if row mod n =? n - 1 then -1 else if (row mod n) mod (2 * p) <? p then 1 else -1.
Definition wave (a : Z) : Z := Z.min (a mod (2 * p)) (2 * p - a mod (2 * p)).

Lemma block_signs row : block_weight row = 1 \/ block_weight row = -1.
Proof. unfold block_weight. destruct (row mod n =? _); [|destruct (_ <? p)]; auto. Qed.

(** A remainder that is not the last is 2 p e + c, with e below k. *)
Lemma places b : 0 <= b < n - 1 -> exists e c, b = 2 * p * e + c /\ 0 <= e < k /\ 0 <= c < 2 * p /\ b mod (2 * p) = c.
Proof. intro range. pose proof (Z.div_mod b (2 * p) ltac:(lia)). pose proof (Z.mod_pos_bound b (2 * p) ltac:(lia)).
  exists (b / (2 * p)), (b mod (2 * p)). repeat split; try lia; nia. Qed.

Lemma remainder b e c m : 0 < m -> b = m * e + c -> 0 <= c < m -> b mod m = c.
Proof. intros. symmetry. apply (Z.mod_unique b m e c); lia. Qed.

Lemma step_of_p row : block_weight row + block_weight (row + p) <= 0.
Proof. destruct (block_signs row) as [heavy|]; [|destruct (block_signs (row + p)); lia].
  enough (block_weight (row + p) = -1) by lia. unfold block_weight in *.
  pose proof (Z.mod_pos_bound row n ltac:(nia)) as range. pose proof (Z.div_mod row n ltac:(nia)) as split.
  destruct (Z.eqb_spec (row mod n) (n - 1)) as [|inside]; [lia|].
  destruct (places (row mod n) ltac:(lia)) as [e [c [is_b [e_range [c_range is_c]]]]]. rewrite is_c in heavy.
  destruct (Z.ltb_spec c p); [|lia].
  rewrite (remainder (row + p) (row / n) (row mod n + p) n) by nia.
  rewrite (remainder (row mod n + p) e (c + p) (2 * p)) by lia.
  destruct (_ =? n - 1); [reflexivity|]. destruct (Z.ltb_spec (c + p) p); lia. Qed.

Lemma block_light row other :
  Z.abs (row - other) = p \/ Z.abs (row - other) = n - p -> block_weight row + block_weight other <= 0.
Proof. assert (forall x, block_weight (x + n) = block_weight x) as period.
  { intro x. unfold block_weight. replace (x + n) with (x + 1 * n) by lia. rewrite Z_mod_plus_full. reflexivity. }
  intro apart. pose proof (step_of_p row). pose proof (step_of_p other).
  pose proof (step_of_p (row - n)). pose proof (step_of_p (other - n)).
  pose proof (period (row - n)) as back. pose proof (period (other - n)) as other_back.
  rewrite Z.sub_add in back, other_back.
  assert (other = row + p \/ row = other + p \/ other = row - n + p \/ row = other - n + p) as [ | [ | [ | ]]] by lia;
    subst; lia. Qed.

Lemma heights r : 0 <= r -> sum block_weight (numbers r) = wave (r mod n) - r / n.
Proof. revert r. apply natlike_ind.
  - unfold wave. rewrite !Zmod_0_l, Zdiv_0_l. cbn [numbers Z.to_nat seq map sum]. lia.
  - intros r positive IH. unfold numbers in *. rewrite Z2Nat.inj_succ, seq_S, map_app, sum_app, IH by lia.
    cbn [map sum]. rewrite Nat.add_0_l, Z2Nat.id by lia. pose proof (Z.mod_pos_bound r n ltac:(nia)) as range.
    pose proof (Z.div_mod r n ltac:(nia)) as split. unfold block_weight, wave.
    destruct (Z.eqb_spec (r mod n) (n - 1)) as [last|inside].
    + rewrite (remainder (Z.succ r) (r / n + 1) 0 n) by nia.
      rewrite <- (Z.div_unique (Z.succ r) n (r / n + 1) 0) by nia.
      rewrite last, (remainder (n - 1) k 0 (2 * p)), Zmod_0_l by lia. lia.
    + destruct (places (r mod n) ltac:(lia)) as [e [c [is_b [e_range [c_range is_c]]]]].
      rewrite (remainder (Z.succ r) (r / n) (r mod n + 1) n) by nia.
      rewrite <- (Z.div_unique (Z.succ r) n (r / n) (r mod n + 1)) by nia. rewrite is_c.
      destruct (Z.eq_dec c (2 * p - 1)) as [at_end|below_end].
      * rewrite (remainder (r mod n + 1) (e + 1) 0 (2 * p)) by lia. destruct (Z.ltb_spec c p); lia.
      * rewrite (remainder (r mod n + 1) e (c + 1) (2 * p)) by lia. destruct (Z.ltb_spec c p); lia. Qed.

Theorem no_closed_tour_of_blocked_side rows columns : 0 < rows -> rows / n <= wave (rows mod n) -> 0 < columns ->
  forall tour, ~ closed_tour (board rows columns []) (leaper p (n - p)) tour.
Proof. intros rows_positive blocked columns_positive tour.
  apply (no_closed_tour_of_heavy_rows p (n - p)) with block_weight; try nia;
    [|apply block_signs|apply block_light|rewrite heights; lia].
  replace (p + (n - p)) with (1 + 2 * (k * p)) by lia. rewrite Z.odd_add_mul_2. reflexivity. Qed.

Theorem no_open_tour_of_blocked_side rows columns : 0 < rows -> rows / n < wave (rows mod n) -> 1 < columns ->
  forall tour, ~ open_tour (board rows columns []) (leaper p (n - p)) tour.
Proof. intros rows_positive blocked two_columns tour.
  apply (no_open_tour_of_heavy_rows p (n - p)) with block_weight;
    [apply block_signs|apply block_light|rewrite heights; lia|assumption]. Qed.
End Blocks.

(** For q = p + 1 these are the sides from 2 m (p + 1) to 2 p (m + 1). *)
Lemma height_of_stretch p m rows : 0 < p -> 0 < m -> 2 * m * (p + 1) <= rows <= 2 * p * (m + 1) ->
  rows / (2 * 1 * p + 1) = m /\
  wave p (rows mod (2 * 1 * p + 1)) = Z.min (rows - m * (2 * p + 1)) (2 * p - (rows - m * (2 * p + 1))).
Proof. intros. set (a := rows - m * (2 * p + 1)).
  assert (m <= a <= 2 * p - m) by nia. unfold wave.
  rewrite (remainder rows m a) by lia. rewrite (remainder a 0 a) by lia. split; [|reflexivity].
  symmetry. apply (Z.div_unique rows (2 * 1 * p + 1) m a); lia. Qed.

Theorem no_closed_tour_of_p_and_p_plus_1 p m rows columns :
  0 < p -> 0 < m -> 2 * m * (p + 1) <= rows <= 2 * p * (m + 1) -> 0 < columns ->
  forall tour, ~ closed_tour (board rows columns []) (leaper p (p + 1)) tour.
Proof. intros. destruct (height_of_stretch p m rows) as [is_m is_height]; try assumption.
  replace (p + 1) with (2 * 1 * p + 1 - p) by lia.
  apply no_closed_tour_of_blocked_side; try lia; nia. Qed.

Theorem no_open_tour_of_p_and_p_plus_1 p m rows columns :
  0 < p -> 0 < m -> 2 * m * (p + 1) < rows < 2 * p * (m + 1) -> 1 < columns ->
  forall tour, ~ open_tour (board rows columns []) (leaper p (p + 1)) tour.
Proof. intros. destruct (height_of_stretch p m rows) as [is_m is_height]; try lia.
  replace (p + 1) with (2 * 1 * p + 1 - p) by lia.
  apply no_open_tour_of_blocked_side; try lia; nia. Qed.

Check no_closed_tour_of_even_side.
Print Assumptions no_closed_tour_of_even_side.
Check no_closed_tour_of_p_and_p_plus_1.
Check no_open_tour_of_p_and_p_plus_1.
Print Assumptions no_closed_tour_of_p_and_p_plus_1.
Print Assumptions no_open_tour_of_p_and_p_plus_1.
Check no_closed_tour_of_blocked_side.
Check no_open_tour_of_blocked_side.
Print Assumptions no_closed_tour_of_blocked_side.
Print Assumptions no_open_tour_of_blocked_side.
