"""Judges what came out for a delivery row: `python judges.py NAME INPUTS OUTPUTS`, beside rows.toml and expected/NAME.

Files that a row's `checks` name must hold what its reference delivered, each number within a tolerance. Where more than one output is
right, a function with the row's name looks at them. Needs numpy and Pillow.
"""

import configparser
import csv
import json
import math
import re
import struct
import sys
import tomllib
import wave
import zipfile
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]
Rows = list[dict[str, str]]
FOLDER = Path(__file__).parent
MOST_FILES, MOST_BYTES = 200, 20_000_000
"""What may lie in the outputs."""
PIECE = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([^\s\d.+-]+|\S)")
"""A number, or something else of a text."""
FAULTS = (
    *(ArithmeticError, EOFError, LookupError, OSError, TypeError, ValueError),
    *(wave.Error, struct.error, zipfile.BadZipFile, configparser.Error),
)
"""What is raised where outputs are not as they should be."""


class RefusedError(ValueError):
    """The outputs are not what the row asks for."""


def judge(name: str, inputs: Path, outputs: Path) -> str:
    """Why the outputs of the row `name` are refused; empty where they are right.

    Args:
        name: Of the row.
        inputs: The row's own inputs, not those that the run could have changed.
        outputs: The folder that the run has left.
    """
    row = tomllib.loads((FOLDER / "rows.toml").read_text(encoding="utf-8"))[name]
    try:
        _look_over(outputs)
        for check in row.get("checks", ()):
            _compare_files(outputs, FOLDER / "expected" / name, check)
        special = globals().get(name.replace("-", "_"))
        if special is not None:
            special(inputs, outputs)
    except FAULTS as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _look_over(outputs: Path) -> None:
    """Refuse links and more than any row needs."""
    size = 0
    for number, path in enumerate(outputs.rglob("*"), 1):
        size += path.lstat().st_size
        want(not path.is_symlink() and number <= MOST_FILES and size <= MOST_BYTES, f"{path.name}: a link or too much")


def want(condition: object, message: str) -> None:
    """Refuse the outputs where the condition does not hold."""
    if not condition:
        raise RefusedError(message)


def near(found: Any, wanted: Any, tolerance: float | str, what: str) -> None:
    """Numbers of the same shape, each within an absolute tolerance, or within a share of what is wanted ("5%")."""
    a, b = np.asarray(found, float), np.asarray(wanted, float)
    want(a.shape == b.shape, f"{what}: shape {a.shape}, not {b.shape}")
    allowed = float(tolerance[:-1]) / 100 * np.abs(b) if isinstance(tolerance, str) else tolerance
    want(np.all(np.abs(a - b) <= allowed), f"{what}: off by up to {np.abs(a - b).max(initial=0):.4g}")


def _compare_files(outputs: Path, expected: Path, check: dict[str, Any]) -> None:
    """One output and what the reference delivered; `near` has the tolerances by column, or by name in JSON."""
    path, wanted = outputs / check["file"], expected / check["file"]
    if "same" in check:
        compare_texts(path, wanted, check["same"])
        return
    tolerances = check["near"]
    if path.suffix == ".json":
        _compare_values(json.loads(path.read_text()), json.loads(wanted.read_text()), tolerances)
        return
    delimiter = "\t" if path.suffix == ".tsv" else ","
    found, given = table(path, delimiter), table(wanted, delimiter)
    keys = [[tuple(" ".join(row[name].split()) for name in check["key"]) for row in rows] for rows in (found, given)]
    want(sorted(keys[0]) == sorted(keys[1]), f"{path.name}: other rows")
    want(keys[0] == keys[1] or not check.get("ordered"), f"{path.name}: another order")
    by_key = dict(zip(keys[0], found, strict=True))
    for key, row in zip(keys[1], given, strict=True):
        for name, tolerance in tolerances.items():
            near(float(by_key[key][name]), float(row[name]), tolerance, f"{path.name}: {name} of {', '.join(key)}")
    if falling := check.get("falling"):
        want(np.all(np.diff(numbers(found, falling)[:, 0]) <= 0), f"{path.name} is not sorted by {falling}")


def _compare_values(found: Any, wanted: Any, tolerances: dict[str, float | str], name: str = "") -> None:
    """Tables by their names; numbers by the tolerance of the nearest name that has one."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            _compare_values(found[key], value, tolerances, key if key in tolerances else name)
    else:
        near(found, wanted, tolerances[name], name)


def compare_texts(found: Path, wanted: Path, tolerance: float | str) -> None:
    """The same words in the same order, and numbers within the tolerance; files that are no text must be the same byte for byte."""
    a, b = found.read_bytes(), wanted.read_bytes()
    if a == b:
        return
    (found_numbers, words), (wanted_numbers, wanted_words) = map(_pieces, (a, b))
    want(words == wanted_words, f"{found.name}: other words")
    near(found_numbers, wanted_numbers, tolerance, found.name)


def _pieces(text: bytes) -> tuple[list[float], list[str]]:
    """The numbers, and what else there is, with a gap where a number stands."""
    pieces = PIECE.findall(text.decode())
    return [float(number) for number, _ in pieces if number], [word for _, word in pieces]


def table(path: Path, delimiter: str = ",", encoding: str = "utf-8-sig") -> Rows:
    """The rows of a table with a header line."""
    with path.open(newline="", encoding=encoding) as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def numbers(rows: Rows, *names: str) -> Floats:
    """Columns as numbers, one row a row of the table."""
    found = np.array([[float(row[name]) for name in names] for row in rows])
    want(np.isfinite(found).all(), f"not a number in {', '.join(names)}")
    return found


def matrix(path: Path) -> Floats:
    """A table that holds nothing but numbers below its header line."""
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def sound(path: Path) -> tuple[int, Floats]:
    """Rate and samples, between -1 and 1, of 16-bit mono sound."""
    with wave.open(str(path), "rb") as file:
        want(file.getnchannels() == 1 and file.getsampwidth() == 2, f"{path.name} is not 16-bit mono")
        return file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


def pixels(path: Path, mode: str) -> Floats:
    """A picture as numbers."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert(mode), float)


def softmax(values: Floats) -> Floats:
    """Probabilities along the last axis."""
    powers = np.exp(values - values.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def seam_carving(_: Path, outputs: Path) -> None:
    """Nearly all pixels are those of forward energy."""
    found, wanted = (pixels(place / "narrow.png", "RGB") for place in (outputs, FOLDER / "expected/seam-carving"))
    want(found.shape == wanted.shape, f"the picture has the shape {found.shape}")
    same = np.mean(np.all(found == wanted, axis=-1))
    want(same > 0.9, f"{same:.0%} of the pixels are those of forward energy")


def imagehash(_: Path, outputs: Path) -> None:
    """The same pairs, in any order, nearly as far apart; one that is just as far as allowed may be missing."""
    found, wanted = (_distances(place / "duplicates.csv") for place in (outputs, FOLDER / "expected/imagehash"))
    want(found.keys() <= wanted.keys(), f"{len(found.keys() - wanted.keys())} pairs are too much")
    for pair, distance in wanted.items():
        want(pair in found or distance > 7, f"{sorted(pair)} is missing")
        near(found.get(pair, distance), distance, 1, f"{sorted(pair)}")


def _distances(path: Path) -> dict[frozenset[str], float]:
    rows = table(path)
    found = {frozenset((row["file_a"], row["file_b"])): float(row["distance"]) for row in rows}
    want(len(found) == len(rows), "a pair is there twice")
    return found


def chainer(inputs: Path, outputs: Path) -> None:
    """Run the saved weights again; they must know the training pictures."""
    with np.load(outputs / "model.npz") as model:
        arrays = {model[name].shape: model[name] for name in model.files}

    def classify(pictures: Floats) -> Floats:
        hidden = np.maximum(pictures @ arrays[32, 64].T + arrays[32,], 0)
        return softmax(hidden @ arrays[4, 32].T + arrays[4,])

    with np.load(inputs / "train.npz") as train:
        known = np.mean(classify(train["x"]).argmax(1) == train["y"])
    want(known > 0.97, f"{known:.0%} of the training pictures are told")
    with np.load(inputs / "test.npz") as test:
        chances = classify(test["x"])
    found = numbers(table(outputs / "predictions.csv"), "index", "label", "probability")
    wanted = np.stack([np.arange(len(chances)), chances.argmax(1), chances.max(1)], 1)
    near(found, wanted, 2e-3, "predictions")


def fasttext(inputs: Path, outputs: Path) -> None:
    """Read the saved model and label the texts with it again; its words must be those of the topics."""
    data = (outputs / "topics.bin").read_bytes()
    magic, _, size, _, epochs, *_, kind, _, _, _, _, _ = struct.unpack_from("<14id", data)
    want((magic, size, epochs, kind) == (793712314, 10, 25, 3), "topics.bin is not what was to be trained")
    entries, words, labels, _, pruned = struct.unpack_from("<3i2q", data, 64)
    at, names = 92, []
    for _ in range(entries):
        end = data.index(b"\0", at)
        names.append(data[at:end].decode())
        at = end + 10
    want(pruned < 1, "topics.bin is quantised")
    count = struct.unpack_from("<q", data, at + 1)[0]
    vectors = np.frombuffer(data, "<f4", count * size, at + 17).reshape(count, size)
    weights = np.frombuffer(data, "<f4", labels * size, at + 17 + vectors.nbytes + 17).reshape(labels, size)
    found = {row["id"]: (row["label"], float(row["probability"])) for row in table(outputs / "predictions.csv")}
    texts = table(inputs / "new.csv")
    want(len(found) == len(texts), f"{len(found)} texts are labelled")
    for row in texts:
        known = [names.index(word) for word in [*row["text"].split(), "</s>"] if word in names[:words]]
        chances = softmax(vectors[known].mean(0) @ weights.T)
        label = names[words + int(chances.argmax())].removeprefix("__label__")
        want(found[row["id"]][0] == label, f"{row['id']} is not {found[row['id']][0]}")
        near(found[row["id"]][1], chances.max(), 0.01, row["id"])


def python_crfsuite(inputs: Path, outputs: Path) -> None:
    """After a title or at the beginning of a sentence a name is a person's, elsewhere a place's."""
    model = (outputs / "names.crfsuite").read_bytes()
    want(model.startswith(b"lCRF") and b"B-PER" in model, "names.crfsuite is not a model")
    names = {token for token, tag in _tagged(inputs / "train.conll") if tag != "O"}
    wanted = []
    for line in (inputs / "test.txt").read_text().splitlines():
        for before, token in zip(["", *line.split()], line.split(), strict=False):
            person = before in ("", "Mr", "Mrs", "Dr")
            wanted.append((token, ("B-PER" if person else "B-LOC") if token in names else "O"))
    found = _tagged(outputs / "test.conll")
    want([token for token, _ in found] == [token for token, _ in wanted], "the tokens are not those of test.txt")
    right = np.mean([a == b for a, b in zip(found, wanted, strict=True)])
    want(right > 0.98, f"{right:.0%} of the tags are right")
    sentences = (outputs / "test.conll").read_text().strip().split("\n\n")
    want(len(sentences) == 30, f"{len(sentences)} sentences")


def _tagged(path: Path) -> list[tuple[str, str]]:
    lines = filter(str.strip, path.read_text().splitlines())
    return [(token, tag) for token, tag in (line.split("\t") for line in lines)]


def markovify(inputs: Path, outputs: Path) -> None:
    """Count what follows each pair of words again; the sentences must be ways through the model."""
    model = json.loads((outputs / "model.json").read_text())
    chain = model["chain"] if isinstance(model["chain"], list) else json.loads(model["chain"])
    wanted: dict[tuple[str, ...], Counter[str]] = {}
    known = []
    for name, weight in (("tales", 1.0), ("logs", 1.5)):
        for line in (inputs / f"{name}.txt").read_text().splitlines():
            known.append(line)
            words = ["___BEGIN__", "___BEGIN__", *line.split(), "___END__"]
            for *state, after in zip(words, words[1:], words[2:], strict=False):
                wanted.setdefault(tuple(state), Counter())[after] += weight  # type: ignore[assignment]
    want({tuple(state): Counter(after) for state, after in chain} == wanted, "the model counts something else")
    lines = (outputs / "sentences.txt").read_text().splitlines()
    want(len(set(lines) - set(known)) == len(lines) == 20, "not twenty different new sentences")
    for line in lines:
        words = ["___BEGIN__", "___BEGIN__", *line.split(), "___END__"]
        steps = zip(words, words[1:], words[2:], strict=False)
        possible = all(after in wanted.get((a, b), ()) for a, b, after in steps)
        want(possible and len(line) <= 75, f"not a sentence of the model: {line[:90]}")


def pyworld(inputs: Path, outputs: Path) -> None:
    """Find the pitch again by autocorrelation; loudness in bands of the spectrum must stay where it was."""
    (rate, voice), (other, higher) = sound(inputs / "voice.wav"), sound(outputs / "higher.wav")
    want(rate == other and abs(len(higher) - len(voice)) < 0.02 * rate, "another rate or length")
    time, f0 = numbers(table(outputs / "f0.csv"), "time", "f0").T
    near(np.diff(time), np.full(time.size - 1, 0.005), 1e-4, "steps of time")
    spans = np.arange(0.2, 0.7, 0.05)
    pitch, raised = ([_pitch(one[int(t * rate) - 400 :][:800], rate) for t in spans] for one in (voice, higher))
    near(np.interp(spans, time, f0) / pitch, np.ones(10), 0.03, "pitch, as a share")
    near(np.divide(raised, pitch), np.full(10, 1.5), 0.06, "how far the pitch is raised")
    before, after = (_bands(one[int(0.2 * rate) : int(0.7 * rate)], rate) for one in (voice, higher))
    near(after - before, np.zeros(6), 6, "loudness of bands in decibels")


def _pitch(samples: Floats, rate: int) -> float:
    """The frequency between 60 and 400 Hz at which the sound is most like itself."""
    alike = [np.dot(samples[:-lag], samples[lag:]) / (len(samples) - lag) for lag in range(rate // 400, rate // 60)]
    return float(rate / (rate // 400 + int(np.argmax(alike))))


def _bands(samples: Floats, rate: int) -> Floats:
    """Decibels in six bands up to 3 kHz."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    frequency = np.fft.rfftfreq(len(samples), 1 / rate)
    return np.array([10 * np.log10(power[(frequency // 500) == k].sum() + 1e-12) for k in range(6)])


def auditok(inputs: Path, outputs: Path) -> None:
    """Each file must hold the sound between its times."""
    rate, calls = sound(inputs / "calls.wav")
    times = numbers(table(outputs / "calls.csv"), "start", "end")
    want(len(list(outputs.glob("call_*.wav"))) == len(times), "another number of files")
    for number, (start, end) in enumerate(times, 1):
        found_rate, found = sound(outputs / f"call_{number}.wav")
        part = calls[round(start * rate) : round(end * rate)]
        want(found_rate == rate and abs(len(found) - len(part)) <= 80, f"call_{number}.wav has another length")
        length = min(len(found), len(part))
        near(found[:length], part[:length], 1e-3, f"call_{number}.wav")


def noisereduce(inputs: Path, outputs: Path) -> None:
    """The hiss before the hum must be at a twentieth, and the hum's tones as loud as before."""
    (rate, noisy), (other, clean) = sound(inputs / "noisy.wav"), sound(outputs / "clean.wav")
    want(rate == other and len(noisy) == len(clean), "another rate or length")
    share = clean[400:3200].std() / noisy[400:3200].std()
    want(0.04 < share < 0.09, f"{share:.3f} of the hiss is left")
    before, after = (np.abs(np.fft.rfft(one[4400:10800])) for one in (noisy, clean))
    tones = 40 * np.arange(3, 58)
    near(after[tones] / before[tones], np.ones(55), 0.3, "loudness of the hum")
    above = slice(2800, 3150)
    want(after[above].std() < 0.3 * before[above].std(), "hiss is left above the hum")


def lifelines(inputs: Path, outputs: Path) -> None:
    """The curves at the months that are told, which must be all of the trial's."""
    trial, told, curves = (
        table(path)
        for path in (inputs / "trial.csv", outputs / "survival.csv", FOLDER / "expected/lifelines/survival.csv")
    )
    for arm in ("usual", "new"):
        month, found = numbers([row for row in told if row["arm"] == arm], "month", "survival").T
        known, curve = numbers([row for row in curves if row["arm"] == arm], "month", "survival").T
        want({float(row["months"]) for row in trial if row["arm"] == arm} <= set(month), f"{arm}: months are missing")
        near(found, curve[np.searchsorted(known, month, side="right") - 1], 1e-4, f"{arm}: survival")


def lightfm(inputs: Path, outputs: Path) -> None:
    """Five new books a reader; their precision must be what is told, and far from chance."""
    pairs = [[(row["reader"], row["book"]) for row in table(inputs / name)] for name in ("likes.csv", "held_out.csv")]
    books = {book for _, book in pairs[0] + pairs[1]}
    found = [(row["reader"], int(row["rank"]), row["book"]) for row in table(outputs / "recommended.csv")]
    readers = sorted({reader for reader, _ in pairs[0]})
    want(sorted(row[:2] for row in found) == list(product(readers, range(1, 6))), "not ranks 1 to 5 of each reader")
    chosen = {(reader, book) for reader, _, book in found}
    want(len(chosen) == len(found) and {book for _, book in chosen} <= books, "a book is there twice or unknown")
    want(not chosen & set(pairs[0]), "a book is already liked")
    precision = len(chosen & set(pairs[1])) / len(found)
    near(json.loads((outputs / "precision.json").read_text())["precision_at_5"], precision, 0.011, "precision")
    want(precision > 0.2, f"precision {precision:.3f} is hardly above chance")


def python_louvain(inputs: Path, outputs: Path) -> None:
    """Compute the modularity of the groups again; no node may be much better off elsewhere."""
    edges = {(row["a"], row["b"]): float(row["weight"]) for row in table(inputs / "friends.csv")}
    group = {row["node"]: row["group"] for row in table(outputs / "groups.csv")}
    want(set(group) == {node for edge in edges for node in edge}, "other nodes")
    total, within, degree = sum(edges.values()), 0.0, Counter[str]()
    for (a, b), weight in edges.items():
        within += weight * (group[a] == group[b])
        degree[group[a]] += weight  # type: ignore[assignment]
        degree[group[b]] += weight  # type: ignore[assignment]
    modularity = within / total - sum((one / total / 2) ** 2 for one in degree.values())
    told = json.loads((outputs / "modularity.json").read_text())
    near([told["modularity"], told["groups"]], [modularity, len(degree)], 1e-3, "modularity and number of groups")
    want(modularity > 0.5, f"modularity {modularity:.3f}: there are better groups")


def hmmlearn(_: Path, outputs: Path) -> None:
    """Nearly all states are those of the reference's model."""
    found, wanted = (
        numbers(table(place / "decoded.csv"), "row", "state") for place in (outputs, FOLDER / "expected/hmmlearn")
    )
    near(found[:, 0], wanted[:, 0], 0, "row")
    same = np.mean(found[:, 1] == wanted[:, 1])
    want(same > 0.95, f"{same:.0%} of the states are those of Viterbi")


def pyedflib(inputs: Path, outputs: Path) -> None:
    """Read the EDF+ file, header and samples, without a library."""
    data = (outputs / "night.edf").read_bytes()
    head = data[:256].decode("ascii")
    want((head[8:11], head[168:184], head[192:195]) == ("X17", "04.03.2105.06.07", "EDF"), f"header {head[:200]}")
    records, count = int(head[236:244]), int(head[252:256])
    fields, at = {}, 256
    widths = {"label": 16, "transducer": 80, "unit": 8, "0": 8, "1": 8, "2": 8, "3": 8, "filter": 80, "size": 8}
    for name, width in widths.items():
        fields[name] = [data[at + k * width :][:width].decode("ascii").strip() for k in range(count)]
        at += width * count
    labels = fields["label"]
    signals = [k for k, label in enumerate(labels) if label != "EDF Annotations"]
    told = [(labels[k], fields["unit"][k], *(float(fields[limit][k]) for limit in "0123")) for k in signals]
    want(told == [(name, "uV", -250, 250, -32768, 32767) for name in ("Fp1", "Fp2", "O1")], f"signals {told}")
    sizes = [int(size) for size in fields["size"]]
    body = np.frombuffer(data, "<i2", records * sum(sizes), at + 32 * count).reshape(records, -1)
    parts = np.split(body, np.cumsum(sizes)[:-1], axis=1)
    found = np.stack([parts[k].ravel() for k in signals], 1)[:768].astype(float)
    near((found + 32768) / 65535 * 500 - 250, matrix(inputs / "eeg.csv")[:, 1:], 0.01, "samples")
    notes = b"".join(parts[k].tobytes() for k in range(count) if k not in signals).decode()
    events = [(float(a), float(b), c) for a, b, c in re.findall(r"\+([\d.]+)\x15([\d.]+)\x14([^\x14]+)\x14", notes)]
    wanted = [(float(row["onset"]), float(row["duration"]), row["text"]) for row in table(inputs / "events.csv")]
    want(events == wanted, f"events {events}")


def brainpy(_: Path, outputs: Path) -> None:
    """Intensities compare with the highest of a molecule's peaks."""
    found, wanted = (_shares(place / "isotopes.csv") for place in (outputs, FOLDER / "expected/brainpy"))
    for name, shares in wanted.items():
        near(found[name], shares, 0.01, f"{name}: intensity")


def _shares(path: Path) -> dict[str, Floats]:
    rows = sorted(table(path), key=lambda row: int(row["peak"]))
    by_name = {row["name"]: [float(one["intensity"]) for one in rows if one["name"] == row["name"]] for row in rows}
    return {name: np.array(values) / max(values) for name, values in by_name.items()}


def chempy(_: Path, outputs: Path) -> None:
    """The same coefficients on each side, whatever the order; a one need not be written."""
    found, wanted = (table(place / "balanced.csv") for place in (outputs, FOLDER / "expected/chempy"))
    told = {row["reaction"].strip(): _sides(row["balanced"]) for row in found}
    want(told.keys() == {row["reaction"] for row in wanted}, "other reactions")
    for row in wanted:
        want(told[row["reaction"]] == _sides(row["balanced"]), f"other coefficients: {row['reaction']}")


def _sides(text: str) -> list[list[tuple[str, int]]]:
    """The molecules of each side with their counts."""
    return [
        sorted((name, int(count or 1)) for count, name in re.findall(r"(?:(\d+) )?([A-Z(]\S*)", side))
        for side in text.split("->")
    ]


def gym(inputs: Path, outputs: Path) -> None:
    """Compute exactly how often the table's policy reaches the goal, and what the best one is worth."""
    lake = "".join((inputs / "lake.txt").read_text().split())
    after = np.empty((25, 4), int)
    for (row, column), (action, move) in product(np.ndindex(5, 5), enumerate(((0, -1), (1, 0), (0, 1), (-1, 0)))):
        there = min(max(row + move[0], 0), 4) * 5 + min(max(column + move[1], 0), 4)
        after[row * 5 + column, action] = there if lake[row * 5 + column] in "SF" else row * 5 + column
    slips = np.stack([after[:, [(action - 1) % 4, action, (action + 1) % 4]] for action in range(4)], 1)
    goal = np.array([place == "G" for place in lake], float)
    q = np.load(outputs / "q.npy")
    want(q.shape == (25, 4), f"the table has the shape {q.shape}")
    reached, worth = goal, goal
    for step in range(2000):
        if step < 200:
            reached = reached[slips[np.arange(25), q.argmax(1)]].mean(1)
        worth = np.maximum(goal, 0.99 * worth[slips].mean(2).max(1))
    told = float(json.loads((outputs / "evaluation.json").read_text())["success_rate"])
    want(reached[0] > 0.6, f"the policy reaches the goal with chance {reached[0]:.2f}")
    near(told, reached[0], 0.05, "success rate")
    near(q[0].max(), worth[0] / 0.99, 0.15, "worth of the start")


def easyai(inputs: Path, outputs: Path) -> None:
    """Play every position to its end again."""

    @cache
    def wins(piles: tuple[int, ...]) -> bool:
        return not any(piles) or any(not wins(after) for after in _moves(piles).values())

    found = {row["name"]: row for row in table(outputs / "verdicts.csv")}
    positions = table(inputs / "positions.csv")
    want(len(found) == len(positions), f"{len(found)} positions")
    for row in positions:
        piles = tuple(map(int, row["piles"].split("-")))
        told = found[row["name"]]
        want(told["result"] == ("win" if wins(piles) else "loss"), f"{row['name']} is no {told['result']}")
        if wins(piles):
            want(not wins(_moves(piles)[told["move"]]), f"{row['name']}: {told['move']} does not win")
        else:
            want(not told["move"], f"{row['name']}: a move is told")


def _moves(piles: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """What each move of Nim leaves."""
    pairs = [(k, taken) for k, pile in enumerate(piles) for taken in range(1, pile + 1)]
    return {f"{k + 1}-{taken}": (*piles[:k], piles[k] - taken, *piles[k + 1 :]) for k, taken in pairs}


def neat(inputs: Path, outputs: Path) -> None:
    """Run the saved network again; the configuration must say what was asked."""
    settings = configparser.ConfigParser()
    settings.read(outputs / "neat.cfg")
    genome = settings["DefaultGenome"]
    sizes = [int(genome[f"num_{name}"]) for name in ("inputs", "outputs", "hidden")]
    want([*sizes, int(settings["NEAT"]["pop_size"])] == [2, 1, 0, 120], "neat.cfg: other sizes")
    want(genome.getboolean("feed_forward") and genome["activation_options"] == "sigmoid", "neat.cfg: another network")
    winner = json.loads((outputs / "winner.json").read_text())
    nodes, links = {node["id"]: node for node in winner["nodes"]}, winner["connections"]
    reached = {-1, -2}  # what no input leads to has no say
    while more := {link["to"] for link in links if link["from"] in reached} - reached:
        reached |= more

    def value(node: int, given: dict[int, float], depth: int = 0) -> float:
        want(depth < 100, "the network is not feed-forward")
        if node in given:
            return given[node]
        into = [link for link in links if link["to"] == node and link["from"] in reached]
        total = sum(link["weight"] * value(link["from"], given, depth + 1) for link in into)
        total = 5 * (nodes[node]["bias"] + nodes[node]["response"] * total)
        return 1 / (1 + math.exp(-min(max(total, -60.0), 60.0)))

    errors = [(value(0, {-1: a, -2: b}) - out) ** 2 for a, b, out in matrix(inputs / "table.csv")]
    near(winner["fitness"], 4 - sum(errors), 1e-3, "fitness")
    want(winner["fitness"] >= 3.9, f"fitness {winner['fitness']}")


def dubins(_: Path, outputs: Path) -> None:
    """The same poses; one more or less at the end is as good."""
    found, wanted = (_poses(place / "paths.csv") for place in (outputs, FOLDER / "expected/dubins"))
    want(found.keys() == wanted.keys(), "other paths")
    for name, poses in wanted.items():
        told = found[name]
        want(abs(len(told) - len(poses)) <= 1, f"{name}: {len(told)} poses")
        length = min(len(told), len(poses))
        near(told[:length, :2], poses[:length, :2], 1e-3, f"{name}: places")
        turns = (told[:length, 2] - poses[:length, 2] + math.pi) % (2 * math.pi) - math.pi
        near(turns, np.zeros(length), 1e-3, f"{name}: directions")


def _poses(path: Path) -> dict[str, Floats]:
    rows = table(path)
    names = dict.fromkeys(row["path"] for row in rows)
    return {name: numbers([row for row in rows if row["path"] == name], "x", "y", "theta") for name in names}


def numpy_stl(_: Path, outputs: Path) -> None:
    """The same triangles, in any order."""
    found, wanted = (_triangles(place / "upright.stl") for place in (outputs, FOLDER / "expected/numpy-stl"))
    middles = [sorted(map(tuple, one.mean(1).round(3).tolist())) for one in (found, wanted)]
    near(middles[0], middles[1], 0.002, "middles of the triangles")
    near(np.linalg.det(found).sum(), np.linalg.det(wanted).sum(), 0.06, "six times the volume of upright.stl")


def _triangles(path: Path) -> Floats:
    """Corners in a binary STL file."""
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 80)[0]
    want(len(data) == 84 + 50 * count, f"{path.name} is not a binary STL")
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    return np.asarray(np.frombuffer(data, layout, count, 84)["corners"], float)


def salib(_: Path, outputs: Path) -> None:
    """The three names, each from -pi to pi."""
    lines = [line.split() for line in (outputs / "params.txt").read_text().replace(",", " ").splitlines()]
    found = {line[0]: [float(value) for value in line[1:3]] for line in lines if line and not line[0].startswith("#")}
    want(list(found) == ["flow", "slope", "width"], f"params.txt: {list(found)}")
    near(list(found.values()), [[-math.pi, math.pi]] * 3, 1e-4, "params.txt: bounds")


if __name__ == "__main__":
    sys.exit(judge(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])) or 0)
