import argparse, json
import networkx as nx
import numpy as np
p = argparse.ArgumentParser()
p.add_argument("--nodes", type=int, default=1)
a = p.parse_args()
graph = nx.from_numpy_matrix(np.ones((a.nodes, a.nodes)))
json.dump({"nodes": graph.number_of_nodes()}, open("result.json", "w"))
