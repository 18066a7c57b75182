"""click commands and groups."""

from collections.abc import Callable
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]


def test_click_command(script: Script, option: Find) -> None:
    signature = script("""
        import click
        def common(function):
            return click.option("--seed", type=int, default=1)(function)
        @click.command()
        @click.option("-b", "--batch-size", default=8, help="Size.")
        @click.option("--shout/--no-shout", default=False)
        @click.option("--mode", type=click.Choice(["a", "B"], case_sensitive=False), required=True)
        @click.option("--pos", nargs=2, type=float)
        @click.option("-m", "--message", multiple=True)
        @click.option("-v", "--verbose", count=True)
        @click.option("--upper", "transformation", flag_value="upper")
        @common
        @click.argument("src", type=click.Path())
        @click.argument("names", nargs=-1)
        def main(**kwargs):
            '''Do it.'''
        if __name__ == "__main__":
            main()
    """)
    assert signature.framework == "click" and signature.doc == "Do it."
    assert [o.dest for o in signature.options][:2] == ["batch_size", "shout"]
    assert option(signature, "batch_size").type == "int" and option(signature, "batch_size").default == "8"
    assert option(signature, "shout").negative_flags == ("--no-shout",) and option(signature, "shout").switch
    assert option(signature, "mode").choices == ("a", "B") and option(signature, "mode").required
    assert option(signature, "pos").nargs == "2" and option(signature, "message").repeatable
    assert option(signature, "verbose").type == "int" and option(signature, "transformation").switch_value == "upper"
    assert option(signature, "seed").default == "1"
    assert option(signature, "src").required and option(signature, "src").type == "path"
    assert option(signature, "names").nargs == "*"


def test_click_groups(repository: Make) -> None:
    found = repository({
        "main.py": """
        import click
        @click.group()
        @click.option("--debug", is_flag=True)
        def cli(debug): pass
        @cli.command("train-it")
        @click.option("--lr", type=float)
        def train(lr): pass
        @cli.group()
        def data(): pass
        @data.command()
        def fetch_all(): pass
        if __name__ == "__main__":
            cli()
        """
    }).read("main.py")  # fmt: skip
    assert [s.subcommand for s in found] == [("train-it",), ("data", "fetch-all")]
    assert [(o.dest, o.level) for o in found[0].options] == [("debug", 0), ("lr", 1)]
