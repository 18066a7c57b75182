"""Choose the number of groups."""

import sys
from pathlib import Path

import click
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kindred import GaussianMixture, KMeans, make_blobs, silhouette  # noqa: E402
from kindred.mixture import COVARIANCES  # noqa: E402
from kindred.report import write_json  # noqa: E402


@click.group()
@click.option("--sample-size", type=int, default=120, show_default=True, help="How many points to generate.")
@click.option("--centers", type=int, default=4, show_default=True, help="Number of clouds the points come from.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--report", type=click.Path(), default=str(ROOT / "results" / "choose_k.json"), help="Where to write.")
@click.pass_context
def main(context, sample_size, centers, seed, report):
    """Try several numbers of groups on generated clouds and keep the best."""
    points, _ = make_blobs(n_points=sample_size, centers=centers, seed=seed)
    context.obj = {"points": points, "centers": centers, "seed": seed, "report": report}


def finish(setting, criterion, values, best, **extra):
    click.echo(tabulate(sorted(values.items()), headers=["k", criterion], floatfmt=".4f"))
    click.echo(f"best: {best}")
    content = {
        "criterion": criterion,
        "tried": sorted(values),
        "values": {str(k): value for k, value in sorted(values.items())},
        "best": best,
        "n_points": len(setting["points"]),
        **extra,
    }
    write_json(setting["report"], content)


@main.command("silhouette")
@click.option("--k-range", type=int, nargs=2, default=(2, 6), show_default=True, help="Smallest and largest number.")
@click.pass_obj
def by_silhouette(setting, k_range):
    """The mean silhouette width of k-means."""
    values = {}
    for k in range(k_range[0], k_range[1] + 1):
        labels = KMeans(k, seed=setting["seed"]).fit(setting["points"])
        values[k] = silhouette(setting["points"], labels)
    finish(setting, "silhouette", values, max(values, key=values.get))


@main.command("bic")
@click.option("--k-range", type=int, nargs=2, default=(1, 6), show_default=True, help="Smallest and largest number.")
@click.option("--covariance", type=click.Choice(COVARIANCES), default="full", show_default=True)
@click.pass_obj
def by_bic(setting, k_range, covariance):
    """The Bayesian information criterion of a Gaussian mixture."""
    values = {}
    for k in range(k_range[0], k_range[1] + 1):
        mixture = GaussianMixture(k, covariance, seed=setting["seed"]).fit(setting["points"])
        values[k] = mixture.bic(setting["points"])
    finish(setting, "bic", values, min(values, key=values.get), covariance=mixture.covariance)


if __name__ == "__main__":
    main()
