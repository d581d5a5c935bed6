(** The checker: sums of rows, and clauses that follow from them.

    A literal says of a set of edges, mostly of one, that some of them are used, or none. A step derives a clause.
    Either the rows of a cycle and the negated clause add up to a contradiction (Farkas's lemma 1902): multiply the rows
    of vertices (two edges), of cut sets (at least two) and of required sets (at least one), add them up, and bound the
    sum: an edge that may be used adds at most its coefficient, or 0. Or unit propagation along a list of earlier
    clauses, from the negated clause, ends in a conflict (as in LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann &
    Schneider-Kamp 2017). The empty clause says that there is no cycle. *)

Require Import Cycles.
From Coq Require Import ZArith List Bool Lia Permutation FMapPositive.
Import ListNotations.
Open Scope Z_scope.

(** Vertices are numbers from 0, a link is an edge: two of them in either order. *)
Definition link : Type := Z * Z.
Definition same_edge (p q : link) : bool :=
  ((fst p =? fst q) && (snd p =? snd q)) || ((fst p =? snd q) && (snd p =? fst q)).
Definition listed (edges : list link) (p : link) : bool := existsb (same_edge p) edges.

(** A sum: the multipliers of some vertices, for each cut set its multiplier and the vertices inside, and the
    multipliers of the first required sets. *)
Record combination := { of_vertices : list (Z * Z); of_cut_sets : list (Z * list Z); of_required : list Z }.

(** A literal has the place of a set of edges in a list, from 1, and whether one of them is used. *)
Definition clause : Type := list (bool * positive).
Inductive step :=
  | Sum (derived : clause) (sum : combination)
  | Follows (derived : clause) (hints : list positive).
Record proof := { named : list (list link); steps : list step }.

(** * Sums *)

Definition table (entries : list (Z * Z)) : PositiveMap.t Z :=
  fold_left (fun found e => PositiveMap.add (Z.to_pos (fst e + 1)) (snd e) found) entries (PositiveMap.empty Z).
Definition entry (found : PositiveMap.t Z) (v : Z) : Z :=
  match PositiveMap.find (Z.to_pos (v + 1)) found with Some number => number | None => 0 end.
Definition inside (shore : PositiveMap.t Z) (v : Z) : bool := PositiveMap.mem (Z.to_pos (v + 1)) shore.

(** The coefficient of an edge in the sum of the rows of vertices and of cut sets. *)
Definition at_ends (multipliers : PositiveMap.t Z) (p : link) : Z :=
  entry multipliers (fst p) + entry multipliers (snd p).
Definition across (cuts : list (Z * PositiveMap.t Z)) (p : link) : Z :=
  sum (fun cut => fst cut * crosses (inside (snd cut)) p) cuts.
Definition in_required (required : list (list link * Z)) (p : link) : Z :=
  sum (fun r => if listed (fst r) p then snd r else 0) required.
Definition is_cut_set (vertices : list Z) (cut : Z * PositiveMap.t Z) : bool :=
  (0 <=? fst cut) && existsb (inside (snd cut)) vertices && existsb (fun v => negb (inside (snd cut) v)) vertices.
Definition refutes (vertices : list Z) (edges : list link) (required : list (list link)) (c : combination) : bool :=
  let multipliers := table (of_vertices c) in
  let cuts := map (fun cut => (fst cut, table (map (fun v => (v, 1)) (snd cut)))) (of_cut_sets c) in
  let needed := filter (fun r => 0 <? snd r) (combine required (of_required c)) in
  let bound := sum (fun p => Z.max 0 (at_ends multipliers p + across cuts p + in_required needed p)) edges in
  let total := 2 * sum (entry multipliers) vertices + 2 * sum fst cuts + sum snd needed in
  forallb (is_cut_set vertices) cuts && (bound <? total).

(** A cycle through all vertices by these edges that uses one of each required set. *)
Definition is_used (tour : list Z) (some : list link) : bool := existsb (listed some) (cycle_pairs tour).
Definition cycle (vertices : list Z) (edges : list link) (required : list (list link)) (tour : list Z) : Prop :=
  NoDup tour /\ Permutation tour vertices /\ (3 <= length vertices)%nat /\
  Forall (fun p => listed edges p = true) (cycle_pairs tour) /\ Forall (fun some => is_used tour some = true) required.

Lemma same_edge_right p q : same_edge p q = true <-> p = q \/ p = swap q.
Proof. destruct p as [a b], q as [c d]. unfold same_edge, swap. simpl. rewrite orb_true_iff, !andb_true_iff, !Z.eqb_eq.
  split; [intros [[]|[]]; subst; auto|intros [same|same]; inversion same; auto]. Qed.

Lemma listed_among edges p : listed edges p = true <-> among edges p.
Proof. unfold listed. rewrite existsb_exists. unfold among. split.
  - intros [e [found same]]. apply same_edge_right in same. destruct same as [->|same]; [auto|right].
    rewrite same. destruct e. exact found.
  - intros [found|found]; [exists p|exists (swap p)]; split; try assumption; apply same_edge_right; [auto|right].
    destruct p. reflexivity. Qed.

Lemma across_at_least vertices tour cuts :
  Permutation tour vertices -> forallb (is_cut_set vertices) cuts = true ->
  2 * sum fst cuts <= sum (across cuts) (cycle_pairs tour).
Proof. intro all. induction cuts as [|[z shore] cuts IH]; intro good.
  - unfold across; simpl. clear. induction (cycle_pairs tour); simpl; lia.
  - simpl in good. apply andb_prop in good. destruct good as [here others]. specialize (IH others).
    apply andb_prop in here. destruct here as [here out]. apply andb_prop in here. destruct here as [positive into].
    apply Z.leb_le in positive. apply existsb_exists in into, out.
    destruct into as [v [v_in v_inside]]. destruct out as [w [w_in w_outside]]. apply negb_true_iff in w_outside.
    assert (2 <= sum (crosses (inside shore)) (cycle_pairs tour)) as twice.
    { apply Permutation_sym in all. apply cycle_crosses with v w;
        [exact (Permutation_in _ all v_in)|exact (Permutation_in _ all w_in)|]. simpl in *. congruence. }
    assert (sum (across ((z, shore) :: cuts)) (cycle_pairs tour) =
            z * sum (crosses (inside shore)) (cycle_pairs tour) + sum (across cuts) (cycle_pairs tour)) as ->.
    { unfold across. simpl. clear. induction (cycle_pairs tour); simpl; lia. }
    cbn [sum fst]. simpl in positive. nia. Qed.

Lemma required_at_least tour needed :
  Forall (fun r => 0 <= snd r /\ is_used tour (fst r) = true) needed ->
  sum snd needed <= sum (in_required needed) (cycle_pairs tour).
Proof. induction needed as [|[r z] needed IH]; intro used.
  - unfold in_required; simpl. clear. induction (cycle_pairs tour); simpl; lia.
  - inversion used as [|? ? [positive here] others]; subst. specialize (IH others). cbn [sum fst snd] in *.
    assert (sum (in_required ((r, z) :: needed)) (cycle_pairs tour) =
            sum (fun p => if listed r p then z else 0) (cycle_pairs tour) +
            sum (in_required needed) (cycle_pairs tour)) as ->.
    { unfold in_required. cbn [sum fst snd]. clear. induction (cycle_pairs tour); cbn [sum]; lia. }
    enough (z <= sum (fun p => if listed r p then z else 0) (cycle_pairs tour)) by lia.
    unfold is_used in here. clear IH used others. induction (cycle_pairs tour) as [|q ps IH]; [discriminate|].
    assert (0 <= sum (fun p => if listed r p then z else 0) ps) as rest.
    { clear - positive. induction ps as [|q ps IH]; cbn [sum]; [lia|]. destruct listed; lia. }
    simpl in here. cbn [sum]. destruct (listed r q); [lia|]. specialize (IH here). lia. Qed.

Theorem refutes_right vertices edges required c tour :
  refutes vertices edges required c = true -> cycle vertices edges required tour -> False.
Proof. unfold refutes. set (multipliers := table (of_vertices c)).
  set (cuts := map (fun cut => (fst cut, table (map (fun v => (v, 1)) (snd cut)))) (of_cut_sets c)).
  set (needed := filter _ _). intros good [once [permuted [enough [allowed used]]]].
  apply andb_prop in good. destruct good as [cuts_good less]. apply Z.ltb_lt in less.
  pose proof (weights_on_cycle Z (entry multipliers) tour) as at_tour. rewrite (sum_permuted _ _ _ permuted) in at_tour.
  pose proof (across_at_least vertices tour cuts permuted cuts_good) as across_tour.
  assert (sum snd needed <= sum (in_required needed) (cycle_pairs tour)) as required_tour.
  { apply required_at_least. apply Forall_forall. intros [r z] found. apply filter_In in found. simpl in *.
    destruct found as [found positive]. apply Z.ltb_lt in positive. split; [lia|].
    apply in_combine_l in found. rewrite Forall_forall in used. auto. }
  pose proof (sum_bounded Z (fun p => at_ends multipliers p + across cuts p + in_required needed p) edges
                (cycle_pairs tour)) as bounded.
  rewrite sum_plus, sum_plus in bounded.
  enough (sum (at_ends multipliers) (cycle_pairs tour) + sum (across cuts) (cycle_pairs tour) +
          sum (in_required needed) (cycle_pairs tour) <=
          sum (fun p => Z.max 0 (at_ends multipliers p + across cuts p + in_required needed p)) edges).
  { assert (sum (at_ends multipliers) (cycle_pairs tour) = 2 * sum (entry multipliers) vertices) by exact at_tour.
    lia. }
  apply bounded.
  - intros [u v]. unfold at_ends, across, in_required. generalize needed. generalize cuts. clear. intros cuts needed.
    replace (sum (fun cut => fst cut * crosses (inside (snd cut)) (swap (u, v))) cuts)
      with (sum (fun cut => fst cut * crosses (inside (snd cut)) (u, v)) cuts).
    + replace (sum (fun r => if listed (fst r) (swap (u, v)) then snd r else 0) needed)
        with (sum (fun r => if listed (fst r) (u, v) then snd r else 0) needed); [simpl; lia|].
      induction needed as [|r rest IH]; cbn [sum]; [reflexivity|]. rewrite IH.
      replace (listed (fst r) (swap (u, v))) with (listed (fst r) (u, v)); [reflexivity|].
      unfold listed. induction (fst r) as [|e more IHe]; simpl; [reflexivity|]. rewrite IHe. f_equal.
      unfold same_edge. simpl. rewrite orb_comm. f_equal; apply andb_comm.
    + induction cuts as [|cut rest IH]; cbn [sum]; [reflexivity|]. rewrite IH. unfold crosses. simpl.
      rewrite xorb_comm. reflexivity.
  - apply cycle_pairs_apart; [rewrite (Permutation_length permuted)|]; assumption.
  - eapply Forall_impl; [|exact allowed]. intros p here. apply listed_among. exact here. Qed.

(** * Clauses *)

Section Clauses.
Variables (vertices : list Z) (edges : list link) (required sets : list (list link)).
Definition set_of (k : positive) : list link := nth (Pos.to_nat k - 1) sets [].
Definition sets_of (used : bool) (c : clause) : list (list link) :=
  map (fun l => set_of (snd l)) (filter (fun l => Bool.eqb (fst l) used) c).

(** The clause is false: the edges of which it would have used some are left out, the other sets are required. *)
Definition sum_derives (c : clause) (s : combination) : bool :=
  let unused := concat (sets_of true c) in
  refutes vertices (filter (fun e => negb (listed unused e)) edges) (sets_of false c ++ required) s.

(** Unit propagation: an assignment that is found to follow, and clauses of which at most one literal is left. *)
Definition is_false (assigned : PositiveMap.t bool) (l : bool * positive) : bool :=
  match PositiveMap.find (snd l) assigned with Some used => negb (Bool.eqb used (fst l)) | None => false end.
Definition assign (l : bool * positive) (assigned : PositiveMap.t bool) : PositiveMap.t bool :=
  PositiveMap.add (snd l) (fst l) assigned.

Fixpoint conflicts (known : PositiveMap.t clause) (hints : list positive) (assigned : PositiveMap.t bool) : bool :=
  match hints with
  | [] => false
  | hint :: rest =>
    match PositiveMap.find hint known with | None => false | Some c =>
      match filter (fun l => negb (is_false assigned l)) c with
      | [] => true
      | [l] => conflicts known rest (assign l assigned)
      | _ => conflicts known rest assigned
      end
    end
  end.
Definition negated (c : clause) : PositiveMap.t bool :=
  fold_left (fun assigned l => assign (negb (fst l), snd l) assigned) c (PositiveMap.empty bool).

Fixpoint derives_empty (known : PositiveMap.t clause) (next : positive) (todo : list step) : bool :=
  match todo with
  | [] => false
  | one :: rest =>
    let '(c, good) := match one with
      | Sum c s => (c, sum_derives c s)
      | Follows c hints => (c, conflicts known hints (negated c)) end in
    good && match c with [] => true | _ => derives_empty (PositiveMap.add next c known) (Pos.succ next) rest end
  end.

(** Every clause is true of the cycle. *)
Variable tour : list Z.
Hypothesis is_cycle : cycle vertices edges required tour.
Definition literal_holds (l : bool * positive) : bool := Bool.eqb (is_used tour (set_of (snd l))) (fst l).
Definition holds (c : clause) : bool := existsb literal_holds c.

Lemma false_literals c : holds c = false -> forall l, In l c -> literal_holds l = false.
Proof. intros wrong l found. apply not_true_iff_false. intro right. apply not_true_iff_false in wrong. apply wrong.
  apply existsb_exists. eauto. Qed.

Lemma sum_derives_right c s : sum_derives c s = true -> holds c = true.
Proof. intro good. destruct (holds c) eqn:wrong; [reflexivity|exfalso].
  apply (refutes_right _ _ _ _ tour good). destruct is_cycle as [once [permuted [enough [allowed used]]]].
  pose proof (false_literals c wrong) as false. split; [assumption|split; [assumption|split; [assumption|split]]].
  - apply Forall_forall. intros p p_in. rewrite Forall_forall in allowed. specialize (allowed p p_in).
    apply existsb_exists in allowed. destruct allowed as [e [e_in same]]. apply existsb_exists. exists e.
    split; [|assumption]. apply filter_In. split; [assumption|]. apply negb_true_iff. apply not_true_iff_false.
    intro left_out. apply existsb_exists in left_out. destruct left_out as [f [f_in e_is_f]].
    apply in_concat in f_in. destruct f_in as [some [some_in f_in]].
    unfold sets_of in some_in. apply in_map_iff in some_in. destruct some_in as [l [which l_in]].
    apply filter_In in l_in. destruct l_in as [l_in positive]. specialize (false l l_in). unfold literal_holds in false.
    apply eqb_prop in positive. rewrite positive, which in false.
    assert (is_used tour some = true) as some_used; [|rewrite some_used in false; discriminate].
    unfold is_used. apply existsb_exists. exists p. split; [assumption|].
    apply existsb_exists. exists f. split; [assumption|].
    apply same_edge_right in same, e_is_f. apply same_edge_right. destruct p, e, f. unfold swap in *. simpl in *.
    destruct same as [same|same], e_is_f as [other|other]; inversion same; inversion other; subst; auto.
  - apply Forall_app. split; [|assumption]. apply Forall_forall. intros e e_in. unfold sets_of in e_in.
    apply in_map_iff in e_in. destruct e_in as [l [<- l_in]]. apply filter_In in l_in. destruct l_in as [l_in negative].
    specialize (false l l_in). unfold literal_holds in false. apply eqb_prop in negative. rewrite negative in false.
    destruct (is_used tour (set_of (snd l))); [reflexivity|discriminate]. Qed.

Definition agrees (assigned : PositiveMap.t bool) : Prop :=
  forall k used, PositiveMap.find k assigned = Some used -> is_used tour (set_of k) = used.

Lemma assign_agrees l assigned : agrees assigned -> literal_holds l = true -> agrees (assign l assigned).
Proof. intros so_far right k used found. unfold assign in found. destruct (Pos.eq_dec k (snd l)) as [->|differ].
  - rewrite PositiveMap.gss in found. inversion found; subst. apply eqb_prop. exact right.
  - rewrite PositiveMap.gso in found by assumption. auto. Qed.

Lemma conflicts_right known hints : (forall k c, PositiveMap.find k known = Some c -> holds c = true) ->
  forall assigned, agrees assigned -> conflicts known hints assigned = true -> False.
Proof. intro all. induction hints as [|hint rest IH]; intros assigned so_far found; [discriminate|]. simpl in found.
  destruct (PositiveMap.find hint known) as [c|] eqn:stated; [|discriminate].
  pose proof (all _ _ stated) as right. apply existsb_exists in right. destruct right as [l [l_in l_right]].
  assert (In l (filter (fun l => negb (is_false assigned l)) c)) as is_left.
  { apply filter_In. split; [assumption|]. apply negb_true_iff. unfold is_false.
    destruct (PositiveMap.find (snd l) assigned) as [used|] eqn:value; [|reflexivity].
    apply so_far in value. unfold literal_holds in l_right. rewrite value in l_right. rewrite l_right. reflexivity. }
  destruct (filter _ c) as [|m [|other more]]; [contradiction| |exact (IH _ so_far found)].
  destruct is_left as [->|[]]. exact (IH _ (assign_agrees l assigned so_far l_right) found). Qed.

Lemma negated_agrees c : holds c = false -> agrees (negated c).
Proof. intro wrong. pose proof (false_literals c wrong) as false. unfold negated.
  assert (agrees (PositiveMap.empty bool)) as nothing.
  { intros k used found. rewrite PositiveMap.gempty in found. discriminate. }
  revert nothing. generalize (PositiveMap.empty bool). clear wrong.
  induction c as [|l c IH]; intros assigned so_far; [assumption|].
  simpl. apply IH; [intros m m_in; apply false; right; assumption|]. apply assign_agrees; [assumption|].
  specialize (false l (or_introl eq_refl)). unfold literal_holds in *. simpl.
  destruct (is_used tour (set_of (snd l))), (fst l); simpl in *; congruence. Qed.

Lemma derives_empty_right todo : forall known next,
  (forall k c, PositiveMap.find k known = Some c -> holds c = true) -> derives_empty known next todo = true -> False.
Proof. induction todo as [|one rest IH]; intros known next all found; [discriminate|]. simpl in found.
  assert (forall c good, good && match c with [] => true
            | _ => derives_empty (PositiveMap.add next c known) (Pos.succ next) rest end = true ->
            (good = true -> holds c = true) -> False) as both.
  { intros c good outcome right. apply andb_prop in outcome. destruct outcome as [fine outcome].
    specialize (right fine). destruct c as [|l c]; [discriminate|].
    apply (IH (PositiveMap.add next (l :: c) known) (Pos.succ next)); [|exact outcome].
    intros k d stated. destruct (Pos.eq_dec k next) as [->|differ].
    - rewrite PositiveMap.gss in stated. inversion stated; subst. exact right.
    - rewrite PositiveMap.gso in stated by assumption. exact (all k d stated). }
  destruct one as [c s|c hints]; apply (both _ _ found); clear both; [apply sum_derives_right|].
  intro conflict. destruct (holds c) eqn:wrong; [reflexivity|exfalso].
  exact (conflicts_right known hints all (negated c) (negated_agrees c wrong) conflict). Qed.
End Clauses.

(** * Proofs *)

Fixpoint increasing (numbers : list Z) : bool :=
  match numbers with
  | a :: (b :: _) as rest => (a <? b) && increasing rest
  | _ => true
  end.

Lemma increasing_once numbers : increasing numbers = true -> NoDup numbers.
Proof. enough (forall a rest, increasing (a :: rest) = true -> Forall (Z.lt a) rest /\ NoDup rest) as smaller.
  { destruct numbers as [|a rest]; [constructor|]. intro ordered. destruct (smaller a rest ordered) as [above once].
    constructor; [|assumption]. intro again. rewrite Forall_forall in above. specialize (above a again). lia. }
  intros a rest; revert a. induction rest as [|b rest IH]; intros a ordered; [split; constructor|].
  simpl in ordered. apply andb_prop in ordered. destruct ordered as [first others]. apply Z.ltb_lt in first.
  destruct (IH b others) as [above once]. split.
  - constructor; [assumption|]. eapply Forall_impl; [|exact above]. simpl. lia.
  - constructor; [|assumption]. intro again. rewrite Forall_forall in above. specialize (above b again). lia. Qed.

Definition proves (vertices : list Z) (edges required : list link) (p : proof) : bool :=
  increasing vertices && (3 <=? length vertices)%nat &&
  derives_empty vertices edges (map (fun e => [e]) required) (named p) (PositiveMap.empty clause) 1 (steps p).

Theorem proves_right vertices edges required p :
  proves vertices edges required p = true ->
  forall tour, Permutation tour vertices ->
  Forall (among edges) (cycle_pairs tour) -> Forall (among (cycle_pairs tour)) required -> False.
Proof. intros good tour permuted allowed used. apply andb_prop in good. destruct good as [good derived].
  apply andb_prop in good. destruct good as [ordered enough]. apply Nat.leb_le in enough.
  apply increasing_once in ordered.
  refine (derives_empty_right vertices edges (map (fun e => [e]) required) (named p) tour _ (steps p) _ 1 _ derived).
  - split; [|split; [|split; [|split]]]; try assumption.
    + exact (Permutation_NoDup (Permutation_sym permuted) ordered).
    + eapply Forall_impl; [|exact allowed]. intros q here. apply listed_among. exact here.
    + apply Forall_forall. intros some some_in. apply in_map_iff in some_in. destruct some_in as [e [<- e_in]].
      rewrite Forall_forall in used. destruct (used e e_in) as [found|found]; apply existsb_exists;
        [exists e|exists (swap e)]; split; try assumption; apply listed_among; [left|right]; simpl; [auto|].
      destruct e. left. reflexivity.
  - intros k c stated. rewrite PositiveMap.gempty in stated. discriminate. Qed.
