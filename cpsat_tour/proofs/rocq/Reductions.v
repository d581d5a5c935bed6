(** From tours to cycles: an open tour is closed by one more vertex, the apex, and a directed tour is undirected on
    vertices that are split into an entrance and an exit (Karp 1972). Then boards and graphs, each with its checker. *)

Require Import Tours Cycles Steps.
From Coq Require Import ZArith List Bool Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

(** * The pairs of a tour *)

Lemma walk_pairs {V : Type} (move : V -> V -> Prop) rest : forall u,
  walk move (u :: rest) -> Forall (fun p => move (fst p) (snd p)) (path_pairs u rest).
Proof. induction rest as [|v rest IH]; intros u steps; [constructor|].
  destruct steps as [first others]. constructor; [exact first|apply IH; exact others]. Qed.

Lemma closed_pairs {V : Type} (vertex : V -> Prop) move tour :
  closed_tour vertex move tour -> Forall (fun p => move (fst p) (snd p)) (cycle_pairs tour).
Proof. intros [[_ [_ steps]] back]. destruct tour as [|u rest]; [constructor|].
  constructor; [exact back|apply walk_pairs; exact steps]. Qed.

Lemma last_of_app {V : Type} (l : list V) (x d : V) : last (l ++ [x]) d = x.
Proof. induction l as [|y l IH]; [reflexivity|]. simpl. destruct (l ++ [x]) eqn:e; [destruct l; discriminate|auto]. Qed.

Lemma used_pair {V : Type} (tour : list V) p : uses_or_returns tour p -> In p (cycle_pairs tour).
Proof. destruct p as [u v]. intros [[before [after ->]]|[between ->]]; simpl; [|left; rewrite last_of_app; reflexivity].
  assert (forall w front, In (u, v) (path_pairs w (front ++ u :: v :: after))) as within.
  { intros w front. revert w. induction front as [|x front IH]; intro w; simpl; auto. }
  destruct before as [|w front]; simpl; [auto|]. right. apply within. Qed.

Lemma last_map {A B : Type} (f : A -> B) (l : list A) (x : A) : last (map f l) (f x) = f (last l x).
Proof. revert x. induction l as [|y l IH]; intro x; [reflexivity|]. simpl map. rewrite !last_cons. apply IH. Qed.

(** * Open tours *)

Section Open.
Variables (V : Type) (vertex : V -> Prop) (move : V -> V -> Prop).
Definition with_apex (v : option V) : Prop := match v with Some v => vertex v | None => True end.
Definition by_apex (u v : option V) : Prop :=
  match u, v with Some u, Some v => move u v | None, None => False | _, _ => True end.
Definition closed_by_apex (tour : list V) : list (option V) := None :: map Some tour.

Lemma walk_by_apex tour : walk move tour -> walk by_apex (map Some tour).
Proof. induction tour as [|u [|v rest] IH]; intro steps; [exact I|exact I|].
  destruct steps as [first others]. split; [exact first|apply IH; exact others]. Qed.

Lemma open_tour_closed tour :
  tour <> [] -> open_tour vertex move tour -> closed_tour with_apex by_apex (closed_by_apex tour).
Proof. intros some [once [all steps]]. destruct tour as [|u rest]; [congruence|]. split.
  - split; [|split].
    + constructor.
      * intro found. apply in_map_iff in found. destruct found as [x [wrong _]]. discriminate.
      * apply FinFun.Injective_map_NoDup; [intros x y same; congruence|assumption].
    + intros [v|]; simpl; [|tauto]. rewrite <- all. split.
      * intros [wrong|[same|found]]; [discriminate|left; congruence|right].
        apply in_map_iff in found. destruct found as [x [same found]]. congruence.
      * intros [->|found]; [auto|]. right. right. apply in_map_iff. eauto.
    + split; [exact I|]. exact (walk_by_apex (u :: rest) steps).
  - unfold closed_by_apex. simpl map. rewrite last_cons, last_map. exact I. Qed.

Definition some_pair (p : V * V) : option V * option V := (Some (fst p), Some (snd p)).

Lemma used_by_apex tour p : uses tour p -> uses_or_returns (closed_by_apex tour) (some_pair p).
Proof. intros [before [after ->]]. left. exists (None :: map Some before), (map Some after).
  unfold closed_by_apex. rewrite map_app. reflexivity. Qed.

Lemma begins_by_apex tour v : begins v tour -> uses_or_returns (closed_by_apex tour) (None, Some v).
Proof. intros [rest ->]. left. exists [], (map Some rest). reflexivity. Qed.

Lemma finishes_by_apex tour v : finishes v tour -> uses_or_returns (closed_by_apex tour) (Some v, None).
Proof. intros [front ->]. right. exists (map Some front). unfold closed_by_apex. rewrite map_app. reflexivity. Qed.
End Open.

(** * Directed tours *)

Section Directed.
Variables (V : Type) (vertex : V -> Prop) (move : V -> V -> Prop).
Definition entrance (v : V) : V * bool := (v, false).
Definition exit (v : V) : V * bool := (v, true).
Definition half (h : V * bool) : Prop := vertex (fst h).
Definition by_halves (g h : V * bool) : Prop :=
  match g, h with
  | (u, false), (v, true) => u = v
  | (u, true), (v, false) => move u v
  | _, _ => False
  end.
Definition split_tour (tour : list V) : list (V * bool) := flat_map (fun v => [entrance v; exit v]) tour.

Lemma split_within tour v b : In (v, b) (split_tour tour) <-> In v tour.
Proof. unfold split_tour. rewrite in_flat_map. split.
  - intros [x [found here]]. simpl in here. unfold entrance, exit in here.
    destruct here as [same|[same|[]]]; inversion same; subst; assumption.
  - intro found. exists v. split; [assumption|]. simpl. unfold entrance, exit. destruct b; auto. Qed.

Lemma split_once tour : NoDup tour -> NoDup (split_tour tour).
Proof. induction 1 as [|v rest absent _ IH]; [constructor|]. simpl. constructor.
  - intros [wrong|found]; [discriminate|]. apply split_within in found. auto.
  - constructor; [|assumption]. intro found. apply split_within in found. auto. Qed.

Lemma split_walk tour : walk move tour -> walk by_halves (split_tour tour).
Proof. induction tour as [|u [|v rest] IH]; intro steps; [exact I|simpl; auto|].
  destruct steps as [first others]. specialize (IH others). simpl in *. tauto. Qed.

Lemma split_last tour u : last (split_tour tour) (exit u) = exit (last tour u).
Proof. revert u. induction tour as [|v rest IH]; intro u; [reflexivity|].
  change (split_tour (v :: rest)) with (entrance v :: exit v :: split_tour rest). rewrite !last_cons. apply IH. Qed.

Lemma directed_tour_split tour :
  closed_tour vertex move tour -> closed_tour half by_halves (split_tour tour).
Proof. intros [[once [all steps]] back]. split; [split; [|split]|].
  - apply split_once; assumption.
  - intros [v b]. rewrite split_within. apply all.
  - apply split_walk; assumption.
  - destruct tour as [|u rest]; [exact I|].
    change (split_tour (u :: rest)) with (entrance u :: exit u :: split_tour rest).
    cbv beta iota. rewrite last_cons, split_last. exact back. Qed.

Definition arc_pair (p : V * V) : (V * bool) * (V * bool) := (exit (fst p), entrance (snd p)).

Lemma used_by_halves tour p : uses_or_returns tour p -> uses_or_returns (split_tour tour) (arc_pair p).
Proof. destruct p as [u v]. intros [[before [after ->]]|[between ->]]; [left|right]; unfold split_tour.
  - exists (split_tour before ++ [entrance u]), (exit v :: split_tour after).
    rewrite flat_map_app. simpl. rewrite <- app_assoc. reflexivity.
  - exists (exit v :: split_tour between ++ [entrance u]). simpl. rewrite flat_map_app. simpl.
    rewrite <- app_assoc. reflexivity. Qed.

Lemma halves_used tour v : In v tour -> uses_or_returns (split_tour tour) (entrance v, exit v).
Proof. intro found. apply in_split in found. destruct found as [before [after ->]]. left.
  exists (split_tour before), (split_tour after). unfold split_tour. rewrite flat_map_app. reflexivity. Qed.
End Directed.

(** * The theorem on tours: a graph by the list of its vertices and of its moves *)

Lemma among_pairs {V : Type} (tour : list V) e : either_way (uses_or_returns tour) e -> among (cycle_pairs tour) e.
Proof. intros [used|used]; [left|right]; apply used_pair; exact used. Qed.

Lemma pairs_within {V : Type} (tour : list V) p : In p (cycle_pairs tour) -> In (fst p) tour /\ In (snd p) tour.
Proof. destruct tour as [|u rest]; [contradiction|]. intros [<-|found]; [|apply path_pairs_within; assumption].
  simpl fst. simpl snd. split; [apply last_within|left; reflexivity]. Qed.

Section Undirected.
Variables (V : Type) (number : V -> Z) (vertex : V -> Prop) (move : V -> V -> Prop).
Variables (vertices : list V) (edges : list (V * V)).
Hypothesis all_vertices : forall v, vertex v <-> In v vertices.
Hypothesis all_edges : forall u v, vertex u -> vertex v -> move u v -> among edges (u, v).
Definition numbers (p : V * V) : link := (number (fst p), number (snd p)).
Definition proves_undirected (required : list (V * V)) (p : proof) : bool :=
  proves (map number vertices) (map numbers edges) (map numbers required) p.

Lemma cycle_pairs_map tour : cycle_pairs (map number tour) = map numbers (cycle_pairs tour).
Proof. assert (forall rest u, path_pairs (number u) (map number rest) = map numbers (path_pairs u rest)) as along.
  { induction rest as [|v rest IH]; intro u; [reflexivity|]. simpl. rewrite IH. reflexivity. }
  destruct tour as [|u rest]; [reflexivity|]. simpl. rewrite along, last_map. reflexivity. Qed.

Lemma among_map (moves : list (V * V)) p : among moves p -> among (map numbers moves) (numbers p).
Proof. intros [found|found]; [left|right]; apply in_map_iff; [exists p|exists (swap p)]; auto. Qed.

Theorem no_undirected_tour required p :
  proves_undirected required p = true ->
  forall tour, closed_tour vertex move tour -> ~ Forall (either_way (uses_or_returns tour)) required.
Proof. intros good tour found used. pose proof (closed_pairs _ _ _ found) as pairs. rewrite Forall_forall in *.
  destruct found as [[once [all _]] _]. apply (proves_right _ _ _ p good (map number tour)).
  - apply Permutation_map, NoDup_Permutation; [assumption| |intro v; rewrite all; apply all_vertices].
    apply NoDup_map_inv with (f := number). unfold proves_undirected, proves in good. rewrite !andb_true_iff in good.
    apply increasing_once. tauto.
  - rewrite cycle_pairs_map. apply Forall_forall. intros q q_in. apply in_map_iff in q_in.
    destruct q_in as [[u v] [<- q_in]]. apply among_map. destruct (pairs_within tour _ q_in).
    apply all_edges; [apply all; assumption|apply all; assumption|exact (pairs _ q_in)].
  - rewrite cycle_pairs_map. apply Forall_forall. intros q q_in. apply in_map_iff in q_in.
    destruct q_in as [e [<- e_in]]. apply among_map, among_pairs. auto. Qed.
End Undirected.

(** Directed or not: the moves are arcs, or edges in either order. *)
Definition is_listed {V : Type} (directed : bool) (moves : list (V * V)) (m : V * V) : Prop :=
  if directed then In m moves else among moves m.
Definition is_made {V : Type} (directed : bool) (used : V * V -> Prop) : V * V -> Prop :=
  if directed then used else either_way used.

Section Closed.
Variables (V : Type) (number : V -> Z) (vertex : V -> Prop) (move : V -> V -> Prop).
Variables (directed : bool) (vertices : list V) (moves : list (V * V)).
Hypothesis all_vertices : forall v, vertex v <-> In v vertices.
Hypothesis all_moves : forall u v, vertex u -> vertex v -> move u v -> is_listed directed moves (u, v).
Definition number_of_half (h : V * bool) : Z := 2 * number (fst h) + if snd h then 1 else 0.
Definition halves : list (V * bool) := flat_map (fun v => [entrance V v; exit V v]) vertices.
Definition inner_pair (v : V) : (V * bool) * (V * bool) := (entrance V v, exit V v).
Definition proves_no_closed (required : list (V * V)) (p : proof) : bool :=
  if directed
  then proves_undirected (V * bool) number_of_half halves (map inner_pair vertices ++ map (arc_pair V) moves)
         (map inner_pair vertices ++ map (arc_pair V) required) p
  else proves_undirected V number vertices moves required p.

Theorem no_closed_tour required p :
  proves_no_closed required p = true ->
  forall tour, closed_tour vertex move tour -> ~ Forall (is_made directed (uses_or_returns tour)) required.
Proof. unfold proves_no_closed, is_made, is_listed in *. destruct directed;
    [|apply no_undirected_tour; assumption]. intros good tour found used. rewrite Forall_forall in used.
  refine (no_undirected_tour _ _ (half V vertex) (by_halves V move) _ _ _ _ _ _ good (split_tour V tour) _ _).
  - intros [v b]. unfold half, halves. simpl. rewrite all_vertices. symmetry. apply split_within.
  - intros [u b] [v d] u_in v_in step. unfold half in *. simpl in *. unfold among.
    rewrite !in_app_iff, !in_map_iff. destruct b, d; try contradiction.
    + left. right. exists (u, v). split; [reflexivity|]. apply all_moves; assumption.
    + subst v. left. left. exists u. split; [reflexivity|]. apply all_vertices. assumption.
  - apply directed_tour_split. assumption.
  - apply Forall_app. split; apply Forall_forall; intros q q_in; apply in_map_iff in q_in;
      destruct q_in as [x [<- x_in]]; left; [apply halves_used|apply used_by_halves; auto].
    destruct found as [[_ [all _]] _]. apply all, all_vertices. assumption. Qed.
End Closed.

Section OpenTours.
Variables (V : Type) (number : V -> Z) (vertex : V -> Prop) (move : V -> V -> Prop).
Variables (directed : bool) (vertices : list V) (moves : list (V * V)) (apex : Z).
Hypothesis all_vertices : forall v, vertex v <-> In v vertices.
Hypothesis all_moves : forall u v, vertex u -> vertex v -> move u v -> is_listed directed moves (u, v).
Definition number_by_apex (v : option V) : Z := match v with Some v => number v | None => apex end.
Definition vertices_by_apex : list (option V) := map Some vertices ++ [None].
Definition from_apex (v : V) : option V * option V := (None, Some v).
Definition moves_by_apex : list (option V * option V) :=
  map (some_pair V) moves ++ map from_apex vertices ++
  if directed then map (fun v => swap (from_apex v)) vertices else [].

(** The ends that are given are moves from the apex and to it. *)
Definition given_ends (start finish : option V) : list (option V * option V) :=
  match start with Some v => [(None, Some v)] | None => [] end ++
  match finish with Some v => [(Some v, None)] | None => [] end.
Definition has_ends (start finish : option V) (tour : list V) : Prop :=
  match start with Some v => begins v tour | None => True end /\
  match finish with Some v => finishes v tour | None => True end.
Definition proves_no_open (start finish : option V) (required : list (V * V)) (p : proof) : bool :=
  negb (length vertices =? 0)%nat &&
  proves_no_closed (option V) number_by_apex directed vertices_by_apex moves_by_apex
    (given_ends start finish ++ map (some_pair V) required) p.

Lemma made_by_apex tour m :
  is_made directed (uses tour) m -> is_made directed (uses_or_returns (closed_by_apex V tour)) (some_pair V m).
Proof. unfold is_made. destruct directed; [apply used_by_apex|].
  intros [used|used]; apply used_by_apex in used; [left|right]; exact used. Qed.

Lemma ends_made start finish tour :
  has_ends start finish tour ->
  Forall (is_made directed (uses_or_returns (closed_by_apex V tour))) (given_ends start finish).
Proof. intros [first last]. apply Forall_impl with (P := uses_or_returns (closed_by_apex V tour)).
  - intros m used. unfold is_made. destruct directed; [|left]; exact used.
  - unfold given_ends. destruct start, finish; simpl; repeat apply Forall_cons;
      auto using begins_by_apex, finishes_by_apex. Qed.

Theorem no_open_tour start finish required p :
  proves_no_open start finish required p = true ->
  forall tour, open_tour vertex move tour -> has_ends start finish tour ->
  ~ Forall (is_made directed (uses tour)) required.
Proof. intros good tour found ends used. apply andb_prop in good. destruct good as [some good].
  refine (no_closed_tour _ _ (with_apex V vertex) (by_apex V move) _ _ _ _ _ _ _ good (closed_by_apex V tour) _ _).
  - intros [v|]; unfold vertices_by_apex; rewrite in_app_iff; simpl; [|tauto].
    rewrite all_vertices, in_map_iff. split; [intro; left; eauto|].
    intros [[x [same here]]|[wrong|[]]]; [congruence|discriminate].
  - assert (forall e, In e (map (some_pair V) moves) -> In e moves_by_apex) as of_moves
      by (intros; apply in_or_app; auto).
    assert (forall v, vertex v -> In (from_apex v) moves_by_apex) as first_moves.
    { intros v v_in. apply in_or_app. right. apply in_or_app. left. apply in_map, all_vertices. exact v_in. }
    intros [u|] [v|] u_in v_in step; simpl in *; try contradiction; unfold is_listed in *.
    + specialize (all_moves u v u_in v_in step). destruct directed; [|destruct all_moves; [left|right]];
        apply of_moves; [|apply in_map_iff; exists (u, v); auto|apply in_map_iff; exists (v, u); auto].
      apply in_map_iff. exists (u, v). auto.
    + destruct directed eqn:way; [|right; apply first_moves; exact u_in]. unfold moves_by_apex. rewrite way.
      apply in_or_app. right. apply in_or_app. right. apply in_map_iff. exists u. split; [reflexivity|].
      apply all_vertices. exact u_in.
    + destruct directed; [|left]; apply first_moves; exact v_in.
  - apply open_tour_closed; [|exact found]. intros ->. destruct vertices as [|v rest] eqn:which; [discriminate|].
    destruct found as [_ [all _]]. destruct (all v) as [_ absent]. apply absent, all_vertices. left. reflexivity.
  - apply Forall_app. split; [exact (ends_made _ _ _ ends)|]. rewrite Forall_forall in used.
    apply Forall_forall. intros q q_in. apply in_map_iff in q_in. destruct q_in as [m [<- m_in]].
    apply made_by_apex. auto. Qed.
End OpenTours.
