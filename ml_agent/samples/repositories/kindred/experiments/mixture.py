"""Fit a mixture of Gaussians to generated points."""

import sys
from pathlib import Path

import click
from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kindred import GaussianMixture, make_blobs  # noqa: E402
from kindred.mixture import COVARIANCES  # noqa: E402


@click.command()
@click.option("--sample-size", type=int, default=200, show_default=True, help="How many points to generate.")
@click.option("--centers", type=int, default=3, show_default=True, help="Number of clouds the points come from.")
@click.option("--components", type=int, default=3, show_default=True, help="Number of Gaussians.")
@click.option("--covariance", type=click.Choice(COVARIANCES), default="full", show_default=True)
@click.option("--max-iter", type=int, default=100, show_default=True, help="Upper bound on EM iterations.")
@click.option("--tol", type=float, default=1e-3, show_default=True, help="Smallest improvement that counts.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--report", type=click.Path(), default=str(ROOT / "results" / "mixture.json"), help="Where to write.")
def main(sample_size, centers, components, covariance, max_iter, tol, seed, report):
    """Fit a mixture of Gaussians by expectation-maximisation."""
    points, _ = make_blobs(n_points=sample_size, centers=centers, seed=seed)
    mixture = GaussianMixture(components, covariance, max_iter, tol, seed).fit(points)
    rows = [(w, *m) for w, m in zip(mixture.weights, mixture.means)]
    click.echo(tabulate(rows, headers=["weight", "x", "y"], floatfmt=".3f"))
    mixture.write_report(report, bic=mixture.bic(points), seed=seed)
    click.echo(f"report: {report}")


if __name__ == "__main__":
    main()
