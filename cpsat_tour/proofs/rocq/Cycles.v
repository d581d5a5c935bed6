(** Sums over the pairs of neighbours on a cycle: what is true of every Hamiltonian cycle.

    Of the pairs every vertex is in two; at least two cross from a set of some vertices and not all to the others (a cut
    set; Dantzig, Fulkerson & Johnson 1954); and none comes twice, so that a sum over the pairs is at most the sum over
    all edges of what is positive. *)

From Coq Require Import ZArith List Bool Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

Section Cycle.
Variable V : Type.
Implicit Types (u v : V) (l : list V) (p q : V * V).

Fixpoint path_pairs u l : list (V * V) :=
  match l with
  | [] => []
  | v :: rest => (u, v) :: path_pairs v rest
  end.
Definition cycle_pairs l : list (V * V) :=
  match l with
  | [] => []
  | u :: rest => (last rest u, u) :: path_pairs u rest
  end.

Fixpoint sum {A : Type} (f : A -> Z) (l : list A) : Z :=
  match l with
  | [] => 0
  | x :: rest => f x + sum f rest
  end.

Lemma sum_app {A : Type} (f : A -> Z) (l m : list A) : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l; simpl; lia. Qed.

Lemma sum_plus {A : Type} (f g : A -> Z) (l : list A) : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l; simpl; lia. Qed.

Lemma sum_permuted {A : Type} (f : A -> Z) (l m : list A) : Permutation l m -> sum f l = sum f m.
Proof. induction 1; simpl; lia. Qed.

Lemma last_cons {A : Type} (x y : A) (l : list A) : last (x :: l) y = last l x.
Proof. revert x; induction l as [|z l IH]; intro x; [reflexivity|]. simpl in *. destruct l; auto. Qed.

(** Every vertex has two of the pairs. *)
Lemma weights_on_path (y : V -> Z) l : forall u,
  sum (fun p => y (fst p) + y (snd p)) (path_pairs u l) = 2 * (y u + sum y l) - y u - y (last l u).
Proof. induction l as [|v l IH]; intro u; [cbn [path_pairs sum last]; lia|].
  rewrite last_cons. cbn [path_pairs sum fst snd]. rewrite IH. lia. Qed.

Lemma weights_on_cycle (y : V -> Z) l : sum (fun p => y (fst p) + y (snd p)) (cycle_pairs l) = 2 * sum y l.
Proof. destruct l as [|u l]; [reflexivity|]. cbn [cycle_pairs sum fst snd]. rewrite weights_on_path. lia. Qed.

(** At least two of the pairs have one end in a set and one outside. *)
Definition crosses (inside : V -> bool) p : Z := if xorb (inside (fst p)) (inside (snd p)) then 1 else 0.

Lemma crosses_nonnegative inside (ps : list (V * V)) : 0 <= sum (crosses inside) ps.
Proof. induction ps; simpl; [lia|]. unfold crosses at 1. destruct xorb; lia. Qed.

Lemma path_crosses_once inside l : forall u,
  inside (last l u) <> inside u -> 1 <= sum (crosses inside) (path_pairs u l).
Proof. induction l as [|v l IH]; intros u different; [simpl in different; congruence|].
  rewrite last_cons in different. cbn [path_pairs sum]. unfold crosses at 1. cbn [fst snd].
  pose proof (crosses_nonnegative inside (path_pairs v l)). destruct (xorb (inside u) (inside v)) eqn:at_head; [lia|].
  apply xorb_eq in at_head. specialize (IH v). rewrite at_head in different. specialize (IH different). lia. Qed.

Lemma path_crosses inside l : forall u w,
  In w l -> inside w <> inside u -> inside (last l u) = inside u -> 2 <= sum (crosses inside) (path_pairs u l).
Proof. induction l as [|v l IH]; intros u w among different back; [contradiction|].
  rewrite last_cons in back. cbn [path_pairs sum]. unfold crosses at 1. cbn [fst snd].
  destruct (xorb (inside u) (inside v)) eqn:at_head.
  - assert (inside (last l v) <> inside v) as away.
    { intro same. rewrite back in same. rewrite same, xorb_nilpotent in at_head. discriminate. }
    apply path_crosses_once in away. lia.
  - apply xorb_eq in at_head. rewrite at_head in different, back.
    destruct among as [<-|among]; [congruence|]. specialize (IH v w among different back). lia. Qed.

Lemma cycle_crosses inside l v w :
  In v l -> In w l -> inside v <> inside w -> 2 <= sum (crosses inside) (cycle_pairs l).
Proof. intros at_v at_w different. destruct l as [|u l]; [contradiction|].
  assert (exists x, In x (u :: l) /\ inside x <> inside u) as [x [among away]].
  { destruct (bool_dec (inside v) (inside u)) as [same|]; [|eauto]. exists w. split; [assumption|congruence]. }
  destruct among as [->|among]; [congruence|]. cbn [cycle_pairs sum]. unfold crosses at 1. cbn [fst snd].
  destruct (xorb (inside (last l u)) (inside u)) eqn:at_end.
  - assert (inside (last l u) <> inside u) as other.
    { intro same. rewrite same, xorb_nilpotent in at_end. discriminate. }
    apply path_crosses_once in other. lia.
  - apply xorb_eq in at_end. pose proof (path_crosses inside l u x among away at_end). lia. Qed.

(** No pair comes twice, in either order. So the sum of a symmetric function over the pairs is at most the sum of its
    positive values over the edges. *)
Definition swap p : V * V := (snd p, fst p).
Definition among (edges : list (V * V)) p : Prop := In p edges \/ In (swap p) edges.

Lemma path_pairs_within l : forall u p, In p (path_pairs u l) -> In (fst p) (u :: l) /\ In (snd p) (u :: l).
Proof. induction l as [|v l IH]; intros u p found; [contradiction|]. destruct found as [<-|found]; [simpl; auto|].
  apply IH in found. simpl in *. tauto. Qed.

Definition apart p q : Prop := p <> q /\ p <> swap q.

Lemma path_pairs_apart l : forall u, NoDup (u :: l) -> ForallOrdPairs apart (path_pairs u l).
Proof. induction l as [|v l IH]; intros u once; [constructor|].
  inversion once as [|? ? absent rest]; subst. simpl. constructor; [|apply IH; assumption].
  apply Forall_forall. intros q found. apply path_pairs_within in found.
  split; intro same; apply absent; destruct q as [a b]; unfold swap in same; simpl in *; inversion same; subst; tauto.
Qed.

Lemma last_within {A : Type} (x : A) (l : list A) : In (last l x) (x :: l).
Proof. revert x; induction l as [|y l IH]; intro x; [simpl; auto|]. rewrite last_cons. right. apply IH. Qed.

Lemma cycle_pairs_apart l : (3 <= length l)%nat -> NoDup l -> ForallOrdPairs apart (cycle_pairs l).
Proof. intros enough once. destruct l as [|u [|v [|w l]]]; simpl in enough; try lia.
  inversion once as [|? ? u_absent once']; subst. inversion once' as [|? ? v_absent _]; subst.
  change (ForallOrdPairs apart ((last (v :: w :: l) u, u) :: path_pairs u (v :: w :: l))).
  constructor; [|apply path_pairs_apart; assumption].
  rewrite last_cons, last_cons. pose proof (last_within w l) as at_end. set (z := last l w) in *.
  apply Forall_forall. intros q [<-|found].
  - unfold apart, swap; simpl. split; intro same; inversion same; subst; simpl in *; tauto.
  - apply path_pairs_within in found. destruct q as [a b]. unfold apart, swap; simpl in *.
    split; intro same; inversion same; subst; simpl in *; tauto. Qed.

Lemma sum_bounded (f : V * V -> Z) (edges : list (V * V)) (ps : list (V * V)) :
  (forall p, f (swap p) = f p) -> ForallOrdPairs apart ps -> Forall (among edges) ps ->
  sum f ps <= sum (fun p => Z.max 0 (f p)) edges.
Proof. intros symmetric. revert edges. induction ps as [|p ps IH]; intros edges distinct allowed.
  - simpl. clear. induction edges; simpl; lia.
  - inversion distinct as [|? ? p_apart rest]; inversion allowed as [|? ? p_allowed others]; subst.
    assert (exists e, In e edges /\ (e = p \/ e = swap p)) as [e [e_in which]].
    { destruct p_allowed; eauto. }
    destruct (in_split _ _ e_in) as [before [after ->]]. assert (Forall (among (before ++ after)) ps) as remaining.
    { rewrite Forall_forall in *. intros q q_in. specialize (others q q_in). specialize (p_apart q q_in).
      destruct p_apart as [differs reversed]. assert (e <> q /\ e <> swap q) as [e_differs e_reversed].
      { destruct which as [-> | ->]; [auto|]. split; intro same.
        - apply reversed. rewrite <- same. destruct p; reflexivity.
        - apply differs. destruct p, q; unfold swap in same; simpl in same; congruence. }
      destruct others as [here|here]; apply in_app_or in here; [left|right]; apply in_or_app;
        (destruct here as [here|[here|here]]; [auto|congruence|auto]). }
    specialize (IH _ rest remaining). rewrite sum_app in *. simpl.
    assert (f e = f p) by (destruct which as [-> | ->]; [reflexivity|apply symmetric]). lia. Qed.
End Cycle.

Arguments path_pairs {V}. Arguments cycle_pairs {V}. Arguments among {V}. Arguments swap {V}. Arguments crosses {V}.
