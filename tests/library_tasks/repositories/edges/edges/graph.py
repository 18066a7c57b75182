"""An undirected graph with weights."""

import heapq


class Graph:
    """Nodes by name."""

    def __init__(self):
        self.near = {}

    @classmethod
    def read(cls, path, default=1.0):
        """A graph from a file of edges; an edge without a weight has the default."""
        graph = cls()
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    a, b, *weight = line.split()
                    graph.add(a, b, float(weight[0]) if weight else default)
        return graph

    def add(self, a, b, weight=1.0):
        """One more edge."""
        self.near.setdefault(a, {})[b] = weight
        self.near.setdefault(b, {})[a] = weight

    def components(self):
        """The sorted names of each connected part, the largest first."""
        left, parts = set(self.near), []
        while left:
            todo, part = [min(left)], set()
            while todo:
                node = todo.pop()
                if node not in part:
                    part.add(node)
                    todo += self.near[node]
            left -= part
            parts.append(sorted(part))
        return sorted(parts, key=lambda part: (-len(part), part))

    def shortest(self, start, end):
        """The length of the shortest way and its nodes; None where there is none."""
        heap, done = [(0.0, [start])], set()
        while heap:
            length, way = heapq.heappop(heap)
            if way[-1] == end:
                return length, way
            if way[-1] not in done:
                done.add(way[-1])
                for node, weight in self.near[way[-1]].items():
                    heapq.heappush(heap, (length + weight, [*way, node]))
        return None

    def prune(self, degree):
        """The graph of the nodes that have at least so many neighbours, looked at once."""
        kept = {node for node, near in self.near.items() if len(near) >= degree}
        made = Graph()
        for a in kept:
            for b, weight in self.near[a].items():
                if b in kept:
                    made.add(a, b, weight)
        return made

    def to_dot(self):
        """In the language of Graphviz, edges in order."""
        lines = sorted(f'  "{a}" -- "{b}" [weight={w:g}];' for a, near in self.near.items() for b, w in near.items() if a < b)
        return "graph {\n" + "\n".join(lines) + "\n}\n"
