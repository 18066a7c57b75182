"""The check of commands of click and typer."""

from collections.abc import Callable, Mapping

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]


def test_a_subcommand_that_is_misspelled_where_there_may_be_more(checked: Make) -> None:
    says = checked({
        "main.py": """
        import click

        class Plugins(click.Group):
            def get_command(self, ctx, name):
                return super().get_command(ctx, name) or found_elsewhere(name)

        @click.group(cls=Plugins)
        def cli(): ...

        @cli.command()
        @click.argument("config")
        def train(config): ...

        cli()
        """
    })  # fmt: skip
    assert says("python main.py train small") == []
    assert says("python main.py train small --lr 3")[0] == "error unknown-option"
    assert says("python main.py tran small") == ["warning bad-choice"]
    assert says("python main.py plugin small") == ["unsure cannot-tell"]
