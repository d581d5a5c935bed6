"""Texts of graphs as courses, judges, collections and programs write them, each with the graph that its author meant.

A row is the name of the file, the text, and the graph: `a-b` is an edge, `a>b` an arc, a lone name a vertex without
edges; `|` between them, so that names keep their spaces. None is a text that has several readings: it is to be refused.
"""

C4 = "1-2|2-3|3-4|4-1"
C3 = "1-2|2-3|3-1"

CORPUS: list[tuple[str, str, str | None]] = [
    # Judges and courses
    ("kattis.in", "4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n", C4 + "|1-3"),
    ("kattis0.in", "4 4\n0 1\n1 2\n2 3\n3 0\n", "0-1|1-2|2-3|3-0"),
    ("isolated.in", "6 3\n1 2\n2 3\n3 1\n", C3 + "|4|5|6"),
    ("spoj.txt", "2\n3 3\n1 2\n2 3\n3 1\n2 1\n1 2\n", None),
    ("onlyn.txt", "4\n1 2\n2 3\n3 4\n4 1\n", C4),
    ("twolines.txt", "4\n4\n0 1\n1 2\n2 3\n3 0\n", "0-1|1-2|2-3|3-0"),
    ("weighted.in", "4 4\n1 2 7\n2 3 1\n3 4 12\n4 1 3\n", C4),
    ("names.txt", "3 3\nAnna Bert\nBert Carl\nCarl Anna\n", "Anna-Bert|Bert-Carl|Carl-Anna"),
    ("leetcode.json", "[[0,1],[1,2],[2,3],[3,0]]", "0-1|1-2|2-3|3-0"),
    ("graph.json", "[[1,2,3],[0,2],[0,1,3],[0,2]]", "0-1|0-2|0-3|1-2|2-3"),
    ("lists.py.txt", "{'A': ['B', 'C'], 'B': ['A', 'C'], 'C': ['A', 'B']}", "A-B|B-C|C-A"),
    ("adj.txt", "0: 1 3\n1: 0 2\n2: 1 3\n3: 2 0\n", "0-1|1-2|2-3|3-0"),
    ("adj2.txt", "A: B, C\nB: A, C\nC: A, B\n", "A-B|B-C|C-A"),
    ("rows.txt", "1 3\n0 2\n1 3\n2 0\n", None),
    ("kargerMinCut.txt", "1\t2\t3\t4\n2\t1\t3\n3\t1\t2\t4\n4\t1\t3\n", C4 + "|1-3"),
    ("matrix.txt", "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", "0-1|1-2|2-3|3-0"),
    ("matrixn.txt", "4\n0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", "0-1|1-2|2-3|3-0"),
    ("matrixtight.txt", "0101\n1010\n0101\n1010\n", "0-1|1-2|2-3|3-0"),
    ("geeks.txt", "{{0, 1, 0, 1},\n{1, 0, 1, 0},\n{0, 1, 0, 1},\n{1, 0, 1, 0}}\n", "0-1|1-2|2-3|3-0"),
    ("digraph.txt", "1 -> 2\n2 -> 3\n3 -> 1\n", "1>2|2>3|3>1"),
    ("hasse.txt", "a -> b, c\nb -> c\nc -> a\n", "a>b|a>c|b>c|c>a"),
    ("dashes.txt", "A-B\nB-C\nC-A\n", "A-B|B-C|C-A"),
    ("undirected.txt", "A -- B\nB -- C\nC -- A\n", "A-B|B-C|C-A"),
    # Points of a grid: networkx, Python
    ("grid.edgelist", "(0, 0) (0, 1) {}\n(0, 1) (1, 1) {}\n(1, 1) (0, 0) {'weight': 2}\n", "0,0-0,1|0,1-1,1|1,1-0,0"),
    ("weights.edgelist", "(0, 2) (0, 0) 2.5\n(0, 0) (1, 0) 1\n(1, 0) (0, 2) 3\n", "0,2-0,0|0,0-1,0|1,0-0,2"),
    ("pairs.txt", "((0, 0), (0, 1))\n((0, 1), (1, 1))\n((1, 1), (0, 0))\n", "0,0-0,1|0,1-1,1|1,1-0,0"),
    ("moves.txt", "(0,0)->(0,1)\n(0,1) -> (1,1)\n(1,1)->(0,0)\n", "0,0>0,1|0,1>1,1|1,1>0,0"),
    ("near.txt", "(0,0): (0,1), (1,1)\n(0,1): (0,0), (1,1)\n(1,1): (0,0), (0,1)\n", "0,0-0,1|0,1-1,1|1,1-0,0"),
    ("box.txt", "(0,0,0) (0,0,1)\n(0,0,1) (0,1,1)\n(0,1,1) (0,0,0)\n", "0,0,0-0,0,1|0,0,1-0,1,1|0,1,1-0,0,0"),
    (
        "grid.adjlist",
        "#G\n(0, 0) (1, 0) (0, 1)\n(1, 0) (0, 0) (1, 1)\n(0, 1) (0, 0) (1, 1)\n(1, 1) (1, 0) (0, 1)\n(2, 2)\n",
        "0,0-1,0|0,0-0,1|1,0-1,1|0,1-1,1|2,2",
    ),
    ("bare.txt", "0,0 0,1\n0,1 1,1\n1,1 0,0\n", None),
    ("broken.py.txt", "(0, 1), (1, 2),\n(2, 3), (3, 0)\n", None),
    # Rosetta Code, answer-set programs
    ("rosetta.txt", "(1, 2)\n(2, 3)\n(3, 1)\n", C3),
    ("course.lp", "node(1..4).\nedge(1,(2;3;4)). edge(2,4).\n", None),
    (
        "facts.lp",
        "% a square\nvertex(a). vertex(b). vertex(c). vertex(d).\nedge(a,b). edge(b,c).\nedge(c,a).\n",
        "a>b|b>c|c>a|d",
    ),
    ("arcs.pl", "arc(a,b).\narc(b,c).\narc(c,a).\n", "a>b|b>c|c>a"),
    # House of Graphs
    ("hog.g6", "C]\n", "0-2|0-3|1-2|1-3"),
    ("sparse.txt", ">>sparse6<<:Bc\n", "0-1|0-2"),
    ("cycle.d6", "&BP_\n", "0>1|1>2|2>0"),
    ("header.d6", ">>digraph6<<&BP_\n", "0>1|1>2|2>0"),
    ("graph_100.lst", "1: 2 3\n2: 1 4\n3: 1 4\n4: 2 3\n", "1-2|1-3|2-4|3-4"),
    ("graph_100.mat", "0111\n1011\n1101\n1110\n", "0-1|0-2|0-3|1-2|1-3|2-3"),
    # SNAP, KONECT, Network Repository, SuiteSparse
    (
        "facebook.txt",
        "# Undirected graph: fb.txt\n# Nodes: 3 Edges: 3\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n0\t2\n",
        "0-1|1-2|0-2",
    ),
    (
        "wiki.txt",
        "# Directed graph (each unordered pair of nodes is saved once): wiki.txt\n# Nodes: 3 Edges: 3\n"
        "# FromNodeId\tToNodeId\n30\t1412\n1412\t3352\n3352\t30\n",
        "30>1412|1412>3352|3352>30",
    ),
    ("out.moreno", "% sym unweighted\n% 3 3 3\n1 2\n2 3\n3 1\n", C3),
    ("soc-karate.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n%------\n4 4 4\n2 1\n3 2\n4 3\n4 1\n", C4),
    ("rt.edges", "1,2,1337\n2,3,1338\n3,1,1339\n", C3),
    ("web.edges", "% comment\n1 2\n2 3\n3 1\n", C3),
    ("fb.gr", "c 9th DIMACS\np sp 3 4\na 1 2 7\na 2 3 8\na 3 1 5\na 1 3 5\n", "1>2|2>3|3>1|1>3"),
    ("pace.gr", "c PACE\np tw 4 4\n1 2\n2 3\n3 4\n4 1\n", C4),
    ("square.graph", "4 4\n2 4\n1 3\n2 4\n3 1\n", None),
    (
        "prism.graph",
        "% METIS, weights of edges\n"
        "6 9 1\n2 7 3 7 4 7\n1 7 3 7 5 7\n1 7 2 7 6 7\n1 7 5 7 6 7\n2 7 4 7 6 7\n3 7 4 7 5 7\n",
        "1-2|1-3|2-3|1-4|2-5|3-6|4-5|4-6|5-6",
    ),
    ("myciel.col", "c FILE: x\np edge 3 3\ne 1 2\ne 2 3\ne 1 3\n", C3),
    # Gephi, Excel, R, pandas, igraph, NetworkX
    (
        "gephi-edges.csv",
        "Source;Target;Type;Id;Weight\na b;c d;Undirected;0;1.0\nc d;e;Undirected;1;1.0\ne;a b;Undirected;2;1.0\n",
        "a b-c d|c d-e|e-a b",
    ),
    (
        "gephi-arcs.csv",
        "Source,Target,Type,Id,Weight\n1,2,Directed,0,1.0\n2,3,Directed,1,1.0\n3,1,Directed,2,1.0\n",
        "1>2|2>3|3>1",
    ),
    (
        "excel.csv",
        "\ufeffFrom;To;km\r\nLondon;Paris;344\r\nParis;Bern;435\r\nBern;London;747\r\n",
        "London-Paris|Paris-Bern|Bern-London",
    ),
    (
        "excel.txt",
        "From\tTo\nNew York\tBoston\nBoston\tSt. John\nSt. John\tNew York\n",
        "New York-Boston|Boston-St. John|St. John-New York",
    ),
    ("r.csv", '"from","to","weight"\n"a","b",1\n"b","c",2\n"c","a",0.5\n', "a-b|b-c|c-a"),
    ("r-adj.csv", '"","a","b","c"\n"a",0,1,1\n"b",1,0,1\n"c",1,1,0\n', "a-b|b-c|c-a"),
    ("nx.edgelist", "0 1 {}\n1 2 {'weight': 3}\n2 0 {}\n", "0-1|1-2|2-0"),
    ("nx.adjlist", "#nx.py\n# GMT Mon\n# Complete\n0 1 2 3\n1 2 3\n2 3\n3\n", "0-1|0-2|0-3|1-2|1-3|2-3"),
    ("tree.csv", "Person,Friend,Since\nAnn,Bob,1999\nBob,Cy,2001\nCy,Ann,2003\n", None),
    ("flow.csv", "u,v\n1,2\n2,3\n3,1\n", C3),
    ("net.net", '*Vertices 3\n1 "one"\n2 "two"\n3 "three"\n*Edges\n1 2\n2 3\n3 1\n', "one-two|two-three|three-one"),
    ("dot.dot", "graph G {\n  a -- b;\n  b -- c;\n  c -- a;\n}\n", "a-b|b-c|c-a"),
    (
        "g.gml",
        'graph [\n  node [ id 0 label "a" ]\n  node [ id 1 label "b" ]\n  edge [ source 0 target 1 ]\n]\n',
        "a-b",
    ),
    (
        "d3.json",
        '{"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}],"links":[{"source":"a","target":"b"},{"source":"b","target":"c"}]}',
        "a-b|b-c",
    ),
]

PUBLIC: list[tuple[str, str, str | None]] = [
    ("adjacency-colon.txt", "1:2,5,6\n2:1,3\n3:2,4\n4:3,5\n5:1,4\n6:1\n", "1-2|1-5|1-6|2-3|3-4|4-5"),
    ("arrow-adjacency.txt", "1 -> 2 3\n2 -> 4 1\n3 -> 1 4\n4 -> 3 2\n", None),
    ("counts-edges-twice.txt", "4 5\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n4 1\n1 4\n1 3\n3 1\n", C4 + "|1-3"),
    ("counts-isolated.txt", "5 3\n1 2\n2 3\n3 1\n", C3 + "|4|5"),
    ("counts-then-letters.txt", "4 5\nA B\nB C\nC D\nD A\nA C\n", "A-B|B-C|C-D|D-A|A-C"),
    ("dimacs-no-header.txt", "e 1 2\ne 2 3\ne 3 1\n", C3),
    (
        "doctype.graphml",
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE graphml SYSTEM "http://graphml.org/dtds/graphml.dtd">\n'
        '<graphml>\n<graph edgedefault="undirected" id="G">\n<node id="n0"/><node id="n1"/><node id="n2"/>\n'
        '<edge source="n0" target="n1"/><edge source="n1" target="n2"/></graph></graphml>\n',
        "n0-n1|n1-n2",
    ),
    (
        "prefixed.graphml",
        '<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns"><g:graph edgedefault="directed">'
        '<g:node id="n0"/><g:node id="n1"/><g:edge source="n0" target="n1"/></g:graph></g:graphml>',
        "n0>n1",
    ),
    ("edge-from-to.csv", "edge,from,to\n1,10,20\n2,20,30\n3,30,10\n", "10-20|20-30|30-10"),
    ("edge-ids-first.txt", "e1 1 2\ne2 2 3\ne3 3 1\n", None),
    (
        "gephi.csv",
        "Source,Target,Type,Id,Label,timeset,Weight\n1,2,Undirected,0,,,1\n2,3,Undirected,1,,,1\n",
        "1-2|2-3",
    ),
    ("id-first.csv", "id,source,target\n1,a,b\n2,b,c\n3,c,a\n", "a-b|b-c|c-a"),
    ("metis-prism.graph", "6 9\n2 3 4\n1 3 5\n1 2 6\n1 5 6\n2 4 6\n3 4 5\n", "1-2|1-3|2-3|1-4|2-5|3-6|4-5|4-6|5-6"),
    ("pandas-index.csv", ",source,target\n0,10,20\n1,20,30\n2,30,10\n", "10-20|20-30|30-10"),
    ("r-rownames.csv", '"","from","to"\n"1",10,20\n"2",20,30\n"3",30,10\n', "10-20|20-30|30-10"),
    ("self-loop.edges", "a b\nb c\nc a\na a\n", "a-b|b-c|c-a"),
    ("semi.csv", "1;2\n2;3\n3;1\n", C3),
    ("fixed.hcp", "TYPE : HCP\nDIMENSION : 3\nEDGE_DATA_SECTION\n1 2\n2 3\n3 1\n-1\nFIXED_EDGES :\n1 2\n-1\nEOF\n", C3),
    ("trivial.txt", "1 January\n2 March\n#\n1 2\n", None),
    ("weighted-lists.txt", "1: (2,7) (3,5)\n2: (1,7)\n3: (1,5)\n", None),
    ("weights-in-brackets.txt", "A: B(3), C(5)\nB: A(3)\nC: A(5)\n", None),
    ("pairs-in-lists.txt", "1: 2,7 3,5\n2: 1,7\n3: 1,5\n", None),
    ("equal-distances.txt", "0 5 5\n5 0 5\n5 5 0\n", None),
    ("gephi-nodes.csv", "Id,Label\n1,Ann\n2,Bob\n", None),
    ("matrix-below-sizes.txt", "3 3\n0 1 1\n1 0 1\n1 1 0\n", None),
    ("settings.yaml", "board: 8x8\nclosed: true\n", None),
    ("sets.txt", "{1,2},{2,3},{3,1}\n", C3),
    ("yaml-lists.txt", "a: [b, c]\nb: [a]\nc: [a]\n", "a-b|a-c"),
    ("rows-by-comma.txt", "A,B,C\nB,A\nC,A\n", "A-B|A-C"),
    ("end.txt", "5 7\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n2 4\n0 0\n", None),
    ("end-alone.txt", "1 2\n2 3\n3 1\n0 0\n", None),
    ("edges-first.txt", "7 5\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n2 4\n", None),
    ("edges-alone.txt", "7\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n2 4\n", None),
    ("cut-short.txt", "5 8\n1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n2 4\n", None),
    ("sizes-and-source.txt", "5 7 1\n1 2 9\n2 3 9\n3 4 9\n4 5 9\n5 1 9\n1 3 9\n2 4 9\n", None),
    ("two-cases.txt", "3 3\n1 2\n2 3\n3 1\n4 4\n1 2\n2 3\n3 4\n4 1\n", None),
    ("lost-vertex.txt", "# Nodes: 4 Edges: 3\n1 2\n2 3\n3 1\n", None),
    ("matlab.txt", "0.00e+00 1.00e+00 1.00e+00\n1.00e+00 0.00e+00 1.00e+00\n1.00e+00 1.00e+00 0.00e+00\n", None),
    ("rows-from-1.json", "[[6,2],[1,3],[2,4],[3,5],[4,6],[5,1]]", None),
    ("negative.json", "[[0,3,-1],[3,0,4],[-1,4,0]]", None),
    ("n.json", '{"n":4,"edges":[[0,1],[1,2],[2,0]]}', "0-1|1-2|2-0|3"),
    ("edges-and-links.json", '{"edges":[[0,1],[1,2]],"links":[[2,0]]}', None),
    ("type.json", '{"type":"directed","edges":[[0,1],[1,2],[2,0]]}', "0>1|1>2|2>0"),
    ("directed.csv", "source,target,directed\na,b,true\nb,c,true\nc,a,true\n", "a>b|b>c|c>a"),
    ("bipartite.txt", "% bip unweighted\n1 1\n1 2\n2 2\n", None),
]
"""Small files in forms of public ones that were once misread, or refused without need."""

REPORTED: list[tuple[str, str, str | None]] = [
    ("arcs-both-ways-unmarked.txt", "4\nA B\nB A\nB C\nC D\nA D\nC A\n", None),
    ("counts-weighted-arcs.txt", "3 4\n0 1 2\n1 0 3\n1 2 1\n2 0 1\n", None),
    ("weights-9999.txt", "0 5 9999 5\n5 0 3 9999\n9999 3 0 4\n5 9999 4 0\n", None),
    (
        "fewer-vertices-than-said.net",
        "*vertices 5\n1 ann\n2 bob\n3 cy\n4 di\n*edges\n1 2 1.5\n2 3 1.5\n3 4 1\n4 1 1\n",
        None,
    ),
    ("dash-edges.txt", "north-south 4\nsouth-east 2\neast-north 9\n", "north-south|south-east|east-north"),
    (
        "decimal-ids.gexf",
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version='
        '"1.2"><graph defaultedgetype="undirected"><nodes><node id="0.0" label="Ann"/><node id="1.0'
        '" label="Bob"/><node id="2.0" label="Cy"/></nodes><edges><edge id="0" source="0.0" target='
        '"1.0"/><edge id="1" source="1.0" target="2.0"/><edge id="2" source="2.0" target="0.0"/></e'
        "dges></graph></gexf>\n",
        "0.0-1.0|1.0-2.0|2.0-0.0",
    ),
    ("degrees.lad", "5\n3 1 2 3\n3 0 2 4\n3 0 1 3\n3 0 2 4\n2 1 3\n", "0-1|0-2|0-3|1-2|1-4|2-3|3-4"),
    ("dimacs-no-e.txt", "p edge 4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n", C4 + "|1-3"),
    (
        "labels-then-edges.txt",
        "3\n0 mill\n1 church\n2 old-bridge\n0 1\n1 2\n2 0\n-1 -1\n",
        "mill-church|church-old-bridge|mill-old-bridge",
    ),
    (
        "n-edges.json",
        '{"n": 4, "directed": false, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "type": "ring"}\n',
        "0-1|1-2|2-3|3-0",
    ),
    ("n-line-several-graphs.txt", "7\n0 2\n0 3\n1 2\n1 4\n2 5\n3 6\n4 6\n5 6\n", "0-2|0-3|1-2|1-4|2-5|3-6|4-6|5-6"),
    ("pipes.csv", "ann|bob|2.5\nbob|cy|2.5\ncy|ann|1.0\n", "ann-bob|bob-cy|cy-ann"),
    (
        "planarity-adjacency.txt",
        "N=5\n0: 1 2 3 -1\n1: 0 2 4 -1\n2: 0 1 3 -1\n3: 0 2 4 -1\n4: 1 3 -1\n",
        "0-1|0-2|0-3|1-2|1-4|2-3|3-4",
    ),
    (
        "quoted-labels.dot",
        'graph {\n "North, Old Road" -- "Who Goes There?";\n "Who Goes There?" -- "Salt & Stone";\n "S'
        'alt & Stone" -- "North, Old Road";\n}\n',
        "North, Old Road-Who Goes There?|Who Goes There?-Salt & Stone|North, Old Road-Salt & Stone",
    ),
    (
        "quoted-labels.gml",
        'graph [\n node [ id 0 label "North, Old Road" ]\n node [ id 1 label "Who Goes There?" ]\n nod'
        'e [ id 2 label "Salt & Stone" ]\n edge [ source 0 target 1 ]\n edge [ source 1 target 2 ]\n e'
        "dge [ source 2 target 0 ]\n]\n",
        "North, Old Road-Who Goes There?|Who Goes There?-Salt & Stone|North, Old Road-Salt & Stone",
    ),
    (
        "section-misspelt.hcp",
        "NAME : t\nTYPE : HCP\nDIMENSION : 4\nEDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SELECTION\n1 2\n2 3"
        "\n3 4\n4 1\n-1\nEOF\n",
        C4,
    ),
    (
        "showg.txt",
        "\nGraph 1, order 5.\n  0 : 1 2 3;\n  1 : 0 2 4;\n  2 : 0 1 3;\n  3 : 0 2 4;\n  4 : 1 3;\n",
        "0-1|0-2|0-3|1-2|1-4|2-3|3-4",
    ),
    ("ucinet.dl", "dl\nformat=edgelist1\nn=3\ndata:\nann bob 1.0\nbob cy 1.0\ncy ann 1.0\n", "ann-bob|bob-cy|cy-ann"),
    ("degrees.txt", "5\n3 1 2 3\n3 0 2 4\n3 0 1 3\n3 0 2 4\n2 1 3\n", "0-1|0-2|0-3|1-2|1-4|2-3|3-4"),
    ("cycle.lad", "3\n1 1\n1 2\n1 0\n", "0>1|1>2|2>0"),
    ("cycle.txt", "3\n1 1\n1 2\n1 0\n", None),
    (
        "fixed-first.hcp",
        "TYPE : HCP\nDIMENSION : 4\nFIXED_EDGES_SECTION\n1 3\n-1\nEDGE_DATA_SECTION\n1 2\n2 3\n3 4\n4 1\n1 3\n"
        "-1\nEOF\n",
        C4 + "|1-3",
    ),
    ("both-ways-unmarked.txt", "a b\nb a\nb c\nc a\n", None),
    ("all-both-ways.txt", "a b\nb a\nb c\nc b\nc a\na c\n", "a-b|b-c|c-a"),
    ("both-ways-unmarked.csv", "source,target\na,b\nb,a\nb,c\nc,a\n", None),
    ("both-ways-unmarked.json", "[[0,1],[1,0],[1,2],[2,0]]", None),
    (
        "both-ways-links.json",
        '{"links":[{"source":0,"target":1},{"source":1,"target":0},{"source":1,"target":2}]}',
        None,
    ),
    ("weights.json", "[[0,5,9,5],[5,0,3,9],[9,3,0,4],[5,9,4,0]]", None),
    ("dashes-and-names.txt", "t-1 4\nt-2 4\nt-3 5\n", None),
    (
        "petgraph.json",
        '{"nodes":["a","b","c"],"node_holes":[1],"edge_property":"undirected","edges":[[0,2,1.5],nu'
        "ll,[2,3,2],[3,0,null]]}",
        "a-b|b-c|c-a",
    ),
    (
        "petgraph-arcs.json",
        '{"nodes":[7,7,7],"node_holes":[],"edge_property":"directed","edges":[[0,1,1],[1,2,1],[2,0,1]]}',
        "0>1|1>2|2>0",
    ),
    (
        "sigma.json",
        '{"attributes":{},"nodes":[{"key":"a","attributes":{}},{"key":"b"},{"key":"c"}],"edges":[{"'
        'key":"0","source":"a","target":"b","undirected":true},{"key":"1","source":"b","target":"c"'
        ',"undirected":true}],"options":{"type":"undirected","multi":false,"allowSelfLoops":true}}',
        "a-b|b-c",
    ),
    (
        "sigma-arcs.json",
        '{"nodes":[{"key":"a"},{"key":"b"}],"edges":[{"key":"0","source":"a","target":"b"}],"option'
        's":{"type":"mixed"}}',
        "a>b",
    ),
    (
        "sigma-both.json",
        '{"nodes":[{"key":"a"},{"key":"b"}],"edges":[{"source":"a","target":"b"},{"source":"a","tar'
        'get":"b","undirected":true}],"options":{"type":"mixed"}}',
        None,
    ),
    ("digraph.json", '{"type":"digraph","edges":[[0,1],[1,2],[2,0]]}', None),
    ("n-too-few.json", '{"n":5,"edges":[["a","b"],["b","c"],["c","a"]]}', None),
    ("n-from-1.json", '{"n":4,"edges":[[1,2],[2,3],[3,1]]}', C3 + "|0"),
    ("dimacs-mixed.txt", "p edge 3 3\ne 1 2\n2 3\n3 1\n", None),
    ("misspelt.hcp", "TYPE : HCP\nDIMENSION : 3\nEDGE_DAT_SECTION\n1 2\n2 3\n3 1\n-1\n", C3),
    ("quoted-and-not.dot", 'graph { a -- "b, c"; "b, c" -- "d?"; "a" -- "d?" }', "a-b, c|b, c-d?|a-d?"),
    ("three-cases.txt", "3\n2 1\n1 2\n3 2\n1 2\n2 3\n2 1\n2 1\n", None),
    ("fewer-than-n.txt", "N=4\n0: 1 2 -1\n1: 0 2 -1\n2: 0 1 -1\n", None),
    ("lone.showg.txt", "\nGraph 1, order 3.\n  0 : 1;\n  1 : 0;\n  2 : ;\n", "0-1|2"),
]
"""Forms of public files, whose authors meant the graph; None where the text has to be asked about."""
