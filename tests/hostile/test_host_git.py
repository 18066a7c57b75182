"""A repository's git files run nothing on the host, whatever they say."""

import os
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.errors import RepositoryError
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import absent_submodules
from ml_agent.tools.repository import RepositoryCache
from ml_agent.tools.versions import commit_date, local_version
from ml_agent.tools.work_tree import WorkTree
from tests.servers.git_folders import commit_files, write_files

READS = "Reading a local repository runs nothing that its git files name."
BY = "tools.work_tree: object files are read without git and without configuration"
FILES = {
    "README.md": "# Fit\n\n```bash\npython fit.py --lr 0.5\n```\n",
    "fit.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n",
}
PROGRAMS = (
    "core.fsmonitor", "core.hooksPath", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
    "core.alternateRefsCommand", "credential.helper", "diff.external", "diff.x.command", "diff.x.textconv",
    "difftool.x.cmd", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.evil.required", "gpg.program",
    "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "gpg.x509.program", "gpg.openpgp.program", "interactive.diffFilter",
    "log.showSignature", "merge.x.driver", "mergetool.x.cmd", "pager.log", "pager.status", "sequence.editor",
    "sendemail.smtpserver", "sendemail.sendmailCmd", "trailer.x.command", "trailer.x.cmd", "uploadpack.packObjectsHook",
    "uploadarchive.x", "tar.x.command", "url.ext::sh.insteadOf", "remote.origin.uploadpack", "remote.origin.receivepack",
    "remote.origin.url", "remote.origin.promisor", "remote.origin.vcs", "submodule.x.update", "alias.status", "alias.log",
    "alias.rev-parse", "alias.config", "browser.x.cmd", "man.x.cmd", "guitool.x.cmd", "web.browser", "instaweb.httpd",
    "help.browser", "init.templateDir", "imap.tunnel", "blame.ignoreRevsFile", "commit.template", "include.path",
    "core.worktree", "core.attributesFile", "core.excludesFile", "extensions.worktreeConfig", "extensions.partialClone",
    "receive.procReceiveRefs", "transfer.credentialsInUrl", "hook.x.command", "fetch.bundleURI", "maintenance.repo",
)  # fmt: skip
"""Every key of git's that names a program, a file that can name one, or another place to read."""


def armed(root: Path, trap: Path, *places: str) -> Path:
    """A repository in which a setting of every kind names the trap; what git would compare is touched."""
    commit_files(root, FILES)
    write_files(
        root,
        {".gitattributes": "* filter=evil diff=x merge=x\n* filter=e\u00a0vil\n", "fit.py": FILES["fit.py"] + "\n"},
    )
    for own in (root / ".git" / place for place in places):
        for name in PROGRAMS:
            plain = name.endswith(("required", "showSignature", "worktreeConfig", "promisor"))
            _set(own, name, "true" if plain else str(trap))
        _set(own, "filter.e\u00a0vil.clean", str(trap))
    for name in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        write_files(root, {f".git/hooks/{name}": trap.read_text()})
        (root / ".git/hooks" / name).chmod(0o755)
    return root


def _set(file: Path, name: str, value: str) -> None:
    section, _, rest = name.partition(".")
    sub, _, key = rest.rpartition(".")
    head = f'[{section} "{sub}"]' if sub else f"[{section}]"
    with file.open("a", encoding="utf-8") as out:
        out.write(f"{head}\n\t{key} = {value}\n")


WAYS: Mapping[str, Callable[[Path, RepositoryCache], object]] = {
    "version": lambda root, cache: local_version(root),
    "date": lambda root, cache: commit_date(root),
    "head": lambda root, cache: cache.get(str(root)),
    "another commit": lambda root, cache: cache.get(str(root), WorkTree(root).head),
    "a branch": lambda root, cache: cache.get(str(root), "main"),
}


@pytest.mark.promise(READS, by=BY)
@pytest.mark.parametrize("place", ["config", "config.worktree"])
@pytest.mark.parametrize("way", WAYS)
def test_no_setting_of_a_local_repository_runs(way: str, place: str, trap: Path, tmp_path: Path) -> None:
    root = armed(tmp_path / "work", trap, place)
    if place != "config":
        _set(root / ".git/config", "extensions.worktreeConfig", "true")
    WAYS[way](root, RepositoryCache(tmp_path / "cache"))


@pytest.mark.promise(READS, by=BY)
@pytest.mark.parametrize("how", ["include", "includeIf", "linked work tree", "signed"])
def test_no_setting_that_is_included_runs(how: str, trap: Path, tmp_path: Path) -> None:
    root = armed(tmp_path / "work", trap, "more")
    config = root / ".git/config"
    if how == "include":
        _set(config, "include.path", "more")
    elif how == "includeIf":
        _set(config, f"includeIf.gitdir:{root}/.path", "more")
    elif how == "linked work tree":
        _set(config, "extensions.worktreeConfig", "true")
        (root / ".git/more").rename(root / ".git/config.worktree")
    else:
        _set(config, "log.showSignature", "true")
        _set(config, "gpg.program", str(trap))
        _sign(root)
    assert commit_date(root) and "-dirty-" in local_version(root)


def _sign(root: Path) -> None:
    """HEAD as a commit with a signature, which git would have checked by gpg.program."""
    git = ["git", "-c", "safe.directory=*", "--git-dir", str(root / ".git")]
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_COUNT": "0"}
    content = WorkTree(root)._object(WorkTree(root).head)[1]
    head, _, text = content.partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    config = (root / ".git/config").read_text()
    (root / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    made = subprocess.run(
        [*git, "hash-object", "-t", "commit", "-w", "--stdin"],
        input=head + signature + b"\n\n" + text, capture_output=True, check=True, env=environment,
    )  # fmt: skip
    (root / ".git/config").write_text(config)
    (root / ".git/refs/heads/main").write_text(made.stdout.decode())


@pytest.mark.promise("explain, check and solve without running start no program of the repository.", by=BY)
@pytest.mark.parametrize("command", ["explain", "check", "solve", "bench"])
def test_read_only_commands_run_nothing(command: str, trap: Path, tmp_path: Path, canaries: object) -> None:
    root = armed(tmp_path / "work", trap, "config", "config.worktree")
    words = {
        "explain": ["explain", str(root)],
        "check": ["check", "python fit.py --lr 1", "--repo", str(root)],
        "solve": ["solve", "fit with lr 0.25", "--repo", str(root), "--run", "none", "--out", str(tmp_path / "out")],
        "bench": ["solve", "fit with lr 0.25", "--repo", str(root), "--commit", "main", "--run", "none", "--quiet"],
    }[command]
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", *words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.promise(
    "Git gets none of our keys, and nobody's configuration.", by="tools.git: an environment of its own"
)
def test_git_has_no_key_and_no_configuration(tmp_path: Path, canaries: object, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    seen = tmp_path / "seen"
    (programs / "git").write_text(f"#!/bin/sh\n/usr/bin/env >> {seen}\nexit 1\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(RepositoryError):
        RepositoryCache(tmp_path / "clones", web="http://127.0.0.1:9").get("owner/name")
    said = seen.read_text()
    assert "canary" not in said and "OPENAI" not in said and "GITHUB" not in said
    assert "GIT_CONFIG_NOSYSTEM=1" in said and f"GIT_CONFIG_GLOBAL={os.devnull}" in said


@pytest.mark.promise(
    "A foreign commit is laid out without filters, submodules or large files, whatever it or the user's settings say.",
    by="ml_agent.tools.git",
)
def test_what_a_foreign_commit_names_is_neither_run_nor_asked_for(
    trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/x"
        urls = (
            f"ext::{trap}",
            f"file://{tmp_path}/other",
            address,
            f"--upload-pack={trap}",
            f"ssh://-oProxyCommand={trap}/x",
        )
        modules = "".join(
            f'[submodule "{n}"]\n\tpath = m{n}\n\turl = {url}\n\tupdate = !{trap}\n' for n, url in enumerate(urls)
        )
        names = {".gitattributes": "* filter=evil\n*.pt filter=lfs diff=lfs merge=lfs\n", ".gitmodules": modules}
        lfs = {".lfsconfig": f'[lfs]\n\turl = {address}\n[remote "origin"]\n\tlfsurl = {address}\n', "m.pt": pointer}
        server = tmp_path / "server/owner/book"
        commit_files(server, names | lfs | {"x.bin": "x", "README.md": "# B"})
        for n in range(len(urls)):
            link = ["git", "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},m{n}"]
            subprocess.run(link, cwd=server, check=True)
        commit = [
            "git",
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@localhost",
            "commit",
            "-q",
            "--no-gpg-sign",
            "-m",
            "links",
        ]
        subprocess.run(commit, cwd=server, check=True)
        listed = subprocess.run(["git", "ls-files", "-s"], cwd=server, check=True, capture_output=True, text=True)
        assert listed.stdout.count("160000") == len(urls)
        settings = tmp_path / "gitconfig"
        for key in ("filter.evil.smudge", "filter.lfs.smudge", "filter.lfs.process"):
            _set(settings, key, str(trap))
        _set(settings, "core.hooksPath", str(tmp_path))
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        cache = RepositoryCache(tmp_path / "cache", web=f"file://{tmp_path}/server")
        for got in (cache.get("owner/book"), cache.get(str(server))):
            assert (got.root / "x.bin").read_text() == "x" and (got.root / "m.pt").read_text() == pointer
            assert len(absent_submodules(RepoIndex.open(got.root, "0"))) == len(urls)
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


@pytest.mark.promise(
    "Damaged or hostile git files end in one line, never in a hang.", by="tools.work_tree: limits on each read"
)
@pytest.mark.parametrize("harm", ["fifo HEAD", "fifo object", "fifo pack", "bomb", "cut object", "deep tree"])
def test_hostile_git_files(harm: str, tmp_path: Path) -> None:
    root = tmp_path / "work"
    head = commit_files(root, FILES)
    loose = root / ".git/objects" / head[:2] / head[2:]
    if harm == "fifo HEAD":
        (root / ".git/HEAD").unlink()
        os.mkfifo(root / ".git/HEAD")
    elif harm == "fifo object":
        loose.unlink()
        os.mkfifo(loose)
    elif harm == "fifo pack":
        loose.unlink()
        for ending in ("pack", "idx"):
            os.mkfifo(root / f".git/objects/pack/pack-{head}.{ending}")
    elif harm == "deep tree":
        write_files(root, {"/".join("d" * 1 for _ in range(80)) + "/x": "x"})
        commit_files(root, {})
    else:
        bomb = zlib.compress(b"commit 400000000\0" + bytes(400_000_000), 9) if harm == "bomb" else b""
        loose.chmod(0o644)
        loose.write_bytes(bomb or loose.read_bytes()[:20])
    with pytest.raises(RepositoryError) as caught:
        local_version(root)
        commit_date(root)
    assert "\n" not in str(caught.value)


@pytest.mark.promise(
    "Damaged git files that leave the commit readable are worked around.", by="tools.work_tree: limits on each read"
)
@pytest.mark.parametrize("harm", ["alternates", "cut index"])
def test_git_files_that_are_not_needed(harm: str, tmp_path: Path) -> None:
    head = commit_files(tmp_path, FILES)
    git = tmp_path / ".git"
    if harm == "alternates":
        (git / "objects/info").mkdir(exist_ok=True)
        (git / "objects/info/alternates").write_text(f"{git}/objects\n/proc/self\n/dev/zero\n")
    else:  # without an index every file is read
        (git / "index").write_bytes((git / "index").read_bytes()[:40])
    assert local_version(tmp_path) == head


@pytest.mark.promise(
    "A HEAD that leads to itself is a folder without a commit.", by="tools.work_tree: limits on each read"
)
def test_a_head_that_leads_to_itself(tmp_path: Path) -> None:
    commit_files(tmp_path, FILES)
    for name in ("HEAD", "refs/heads/HEAD"):
        (tmp_path / ".git" / name).write_text("ref: refs/heads/HEAD\n")
    assert local_version(tmp_path).startswith("unborn-")


@pytest.mark.promise(
    "A git folder of another work tree is not this folder's.", by="tools.work_tree: the folder that it belongs to"
)
def test_a_foreign_git_folder(tmp_path: Path) -> None:
    root, other = tmp_path / "work", tmp_path / "private"
    commit_files(root, FILES)
    commit_files(other, {"secret.txt": "s"})
    (root / "README.md").write_text("x")
    (root / ".git").rename(tmp_path / "gone")
    (root / ".git").write_text(f"gitdir: {other}/.git\n")
    assert local_version(root).startswith("files-"), "a work tree that the folder does not belong to"


@pytest.mark.promise(
    "A folder's git files lead to no commit of another.", by="tools.work_tree: the folder it belongs to"
)
def test_a_foreign_common_folder(tmp_path: Path) -> None:
    root, other = tmp_path / "work", tmp_path / "private"
    commit_files(root, FILES)
    private = commit_files(other, {"secret.txt": "s"})
    (root / ".git/refs/heads/main").unlink()
    (root / ".git/commondir").write_text(f"{other}/.git\n")
    assert WorkTree(root).head == "" and WorkTree(other).head == private


@pytest.mark.promise("What another repository holds is not written out.", by="tools.work_tree: own objects alone")
def test_a_work_tree_that_borrows_objects(tmp_path: Path) -> None:
    lender, root = tmp_path / "lender", tmp_path / "work"
    head = commit_files(lender, FILES)
    subprocess.run(["git", "clone", "-q", "--shared", lender, root], check=True)
    assert local_version(root) == head and len(commit_date(root)) == 10
    with pytest.raises(RepositoryError, match="git repack -a -d"):
        WorkTree(root).write(head, tmp_path / "out", 10**6)


@pytest.mark.promise("Folders as deep as a path may be are read.", by="tools.ignored: no call for each folder above")
def test_a_file_that_lies_deep(tmp_path: Path) -> None:
    head = commit_files(tmp_path, {".gitignore": "*.log\n/d/*/e/\n"})
    write_files(tmp_path, {"/".join(["d"] * 510) + "/a.log": "x", "d/d/e/f/new.py": "x"})
    assert local_version(tmp_path) == head


@pytest.mark.promise("A linked work tree is read as git reads it.", by="ml_agent.tools.work_tree")
def test_a_linked_work_tree(tmp_path: Path) -> None:
    head = commit_files(tmp_path / "work", FILES)
    subprocess.run(["git", "worktree", "add", "-q", tmp_path / "linked"], cwd=tmp_path / "work", check=True)
    assert local_version(tmp_path / "linked") == head


@pytest.mark.promise(
    "A tree with a link and a folder of one name is not written.", by="tools.work_tree: no file through a link"
)
def test_a_link_and_a_folder_of_one_name(tmp_path: Path) -> None:
    root = tmp_path / "work"
    commit_files(root, FILES)
    _commit_a_link_and_a_file_of_one_name(root)
    with pytest.raises(RepositoryError):
        WorkTree(root).write(WorkTree(root).head, tmp_path / "out", 10**6)
    assert not (tmp_path / "target/x").exists()


def _commit_a_link_and_a_file_of_one_name(root: Path) -> None:
    """A tree that no git makes: a link `a` that leads out, and a folder `a` with a link in it."""

    def make(kind: str, content: bytes) -> bytes:
        said = subprocess.run(
            ["git", "--git-dir", str(root / ".git"), "hash-object", "-t", kind, "-w", "--stdin", "--literally"],
            input=content, capture_output=True, check=True,
        )  # fmt: skip
        return bytes.fromhex(said.stdout.decode().strip())

    (root.parent / "target").mkdir()
    (root.parent / "out").mkdir()
    out = make("blob", str(root.parent / "target").encode())
    inner = make("tree", b"120000 x\0" + out)
    tree = make("tree", b"120000 a\0" + out + b"40000 a\0" + inner)
    who = b"T <t@localhost> 1 +0000"
    commit = make("commit", b"tree " + tree.hex().encode() + b"\nauthor " + who + b"\ncommitter " + who + b"\n\nx\n")
    (root / ".git/refs/heads/main").write_text(commit.hex() + "\n")
