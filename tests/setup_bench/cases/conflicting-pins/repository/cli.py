import json

import typer

app = typer.Typer()


@app.command()
def fit(epochs: int = 5, rate: float = 0.5):
    weight, done = 0.0, 0
    for _ in range(epochs):
        weight += rate * (1.0 - weight)
        done += 1
        typer.echo(f"epoch {done} weight {weight:.3f}")
    with open("result.json", "w") as file:
        json.dump({"epochs": done, "weight": weight}, file)


@app.command()
def show():
    with open("result.json") as file:
        typer.echo(file.read())


if __name__ == "__main__":
    app()
