"""Group points with k-means, k-medoids or agglomerative clustering."""

import sys
from collections import Counter
from pathlib import Path

import click
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import kindred  # noqa: E402
from kindred.agglomerative import LINKAGES  # noqa: E402
from kindred.distances import METRICS  # noqa: E402

SOURCES = {"blobs": kindred.make_blobs, "moons": kindred.make_moons, "stripes": kindred.make_stripes}


def load(source, sample_size, file, seed):
    if file:
        return kindred.read_points(file), None
    return SOURCES[source](n_points=sample_size, seed=seed)


@click.command()
@click.option(
    "--source", type=click.Choice(list(SOURCES)), default="blobs", show_default=True, help="Generated points."
)
@click.option("--sample-size", type=int, default=120, show_default=True, help="How many points to generate.")
@click.option("--input", "file", type=click.Path(exists=True), help="CSV file with points, instead of a source.")
@click.option(
    "--algorithm",
    type=click.Choice(["kmeans", "kmedoids", "agglomerative"]),
    default="kmeans",
    show_default=True,
    help="Clustering method.",
)
@click.option("-k", "--n-clusters", type=int, default=3, show_default=True, help="Number of groups.")
@click.option("--metric", type=click.Choice(list(METRICS)), default="euclidean", show_default=True, help="Distance.")
@click.option(
    "--linkage",
    type=click.Choice(LINKAGES),
    default="average",
    show_default=True,
    help="Distance between groups (agglomerative only).",
)
@click.option("--n-init", type=int, default=3, show_default=True, help="Random restarts, of which the best is kept.")
@click.option("--standardize/--no-standardize", default=False, help="Rescale each coordinate to unit variance first.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--report", type=click.Path(), default=str(ROOT / "results" / "partition.json"), help="Where to write.")
def main(source, sample_size, file, algorithm, n_clusters, metric, linkage, n_init, standardize, seed, report):
    """Group points and report how well it went."""
    points, truth = load(source, sample_size, file, seed)
    if standardize:
        points = kindred.standardize(points)
    if algorithm == "agglomerative":
        model = kindred.Agglomerative(n_clusters, linkage, metric)
    else:
        kind = {"kmeans": kindred.KMeans, "kmedoids": kindred.KMedoids}[algorithm]
        model = kind(n_clusters, metric, n_init, seed=seed)
    labels = model.fit(points)
    sizes = Counter(labels)
    click.echo(tabulate(sorted(sizes.items()), headers=["group", "points"]))
    scores = {"silhouette": kindred.silhouette(points, labels, metric)}
    if truth is not None:
        scores["adjusted_rand"] = kindred.adjusted_rand(truth, labels)
    variance = sum(p[0] ** 2 for p in points) / len(points) - (sum(p[0] for p in points) / len(points)) ** 2
    model.write_report(
        report,
        source=file or source,
        standardized=abs(variance - 1) < 1e-9,
        sizes=sorted(sizes.values(), reverse=True),
        scores=scores,
        seed=seed,
    )
    click.echo(f"report: {report}")


if __name__ == "__main__":
    main()
