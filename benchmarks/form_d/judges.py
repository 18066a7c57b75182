"""Judges what came out for a delivery row, from its inputs and outputs alone: `python judges.py NAME INPUTS OUTPUTS`.

Needs numpy and Pillow. Each judge has the row's name; it computes again what must have come out and compares with tolerance.
"""

import configparser
import csv
import json
import math
import re
import struct
import sys
import wave
import zipfile
from collections import Counter
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]
Rows = list[dict[str, str]]
MOST_FILES, MOST_BYTES = 200, 20_000_000
"""What may lie in the outputs."""
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
    try:
        _look_over(outputs)
        globals()[name.replace("-", "_")](inputs, outputs)
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


def near(found: Any, wanted: Any, tolerance: float, what: str) -> None:
    """Numbers of the same shape, each within an absolute tolerance."""
    a, b = np.asarray(found, float), np.asarray(wanted, float)
    want(a.shape == b.shape, f"{what}: shape {a.shape}, not {b.shape}")
    want(np.all(np.abs(a - b) <= tolerance), f"{what}: off by up to {np.abs(a - b).max(initial=0):.4g}")


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


def seam_carving(inputs: Path, outputs: Path) -> None:
    """Remove the sixty cheapest seams by forward energy again."""
    picture, found = pixels(inputs / "harbour.png", "RGB"), pixels(outputs / "narrow.png", "RGB")
    for _ in range(60):
        grey = np.floor(picture @ [0.2125, 0.7154, 0.0721])
        rows, width = grey.shape
        left, right = np.c_[grey[:, :1], grey[:, :-1]], np.c_[grey[:, 1:], grey[:, -1:]]
        cost, steps = np.abs(right - left)[0], np.zeros((rows, width), int)
        for row in range(1, rows):
            around = np.r_[np.inf, cost, np.inf]
            up = grey[row - 1]
            ways = np.stack([around[:-2] + abs(up - left[row]), around[1:-1], around[2:] + abs(up - right[row])])
            steps[row] = ways.argmin(0) - 1 + np.arange(width)
            cost = ways.min(0) + np.abs(right - left)[row]
        seam = [int(cost.argmin())]
        for row in range(rows - 1, 0, -1):
            seam.append(int(steps[row, seam[-1]]))
        picture = np.stack([np.delete(line, k, 0) for line, k in zip(picture, seam[::-1], strict=True)])
    want(found.shape == picture.shape, f"the picture has the shape {found.shape}")
    same = np.mean(np.all(found == picture, axis=-1))
    want(same > 0.9, f"{same:.0%} of the pixels are those of forward energy")


def imagehash(inputs: Path, outputs: Path) -> None:
    """Hash the pictures again: the signs of the low frequencies of 32 x 32 grey pixels."""
    waves = np.cos(np.pi * np.outer(np.arange(8), np.arange(32) + 0.5) / 32)
    bits = {}
    for path in sorted(inputs.iterdir()):
        with Image.open(path) as picture:
            small = np.asarray(picture.convert("L").resize((32, 32), Image.Resampling.LANCZOS), float)
        low = waves @ small @ waves.T
        bits[path.name] = low > np.median(low)
    wanted = {frozenset(pair): int((bits[pair[0]] != bits[pair[1]]).sum()) for pair in combinations(bits, 2)}
    rows = table(outputs / "duplicates.csv")
    found = {frozenset((row["file_a"], row["file_b"])): float(row["distance"]) for row in rows}
    want(len(found) == len(rows), "a pair is there twice")
    for pair, distance in wanted.items():
        want(pair in found or distance > 7, f"{sorted(pair)} is missing")
        want(pair not in found or (distance < 10 and abs(found[pair] - distance) <= 1), f"{sorted(pair)} is wrong")


def mahotas(inputs: Path, outputs: Path) -> None:
    """Seven of Haralick's features again, from the pairs of neighbours in four directions."""
    rows = {row["tile"]: numbers([row], *(f"h{k}" for k in range(1, 14)))[0] for row in table(outputs / "haralick.csv")}
    want(set(rows) == {path.name for path in inputs.iterdir()}, f"the tiles are {sorted(rows)}")
    for name, found in rows.items():
        grey, features = pixels(inputs / name, "L"), []
        for down, right in ((0, 1), (1, 1), (1, 0), (1, -1)):
            first = grey[: 48 - down, max(0, -right) : 48 - max(0, right)].ravel()
            second = grey[down:, max(0, right) : 48 + min(0, right)].ravel()
            a, b = np.r_[first, second], np.r_[second, first]
            share = np.unique(256 * a + b, return_counts=True)[1] / a.size
            away, entropy = (a - b) ** 2, -(share * np.log2(share)).sum()
            moments = [(share**2).sum(), away.mean(), np.corrcoef(a, b)[0, 1], a.var()]
            features.append([*moments, (1 / (1 + away)).mean(), (a + b).mean(), entropy])
        near(found[[0, 1, 2, 3, 4, 5, 8]] / np.mean(features, axis=0), np.ones(7), 0.01, name)


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
    want(model.startswith(b"lCRF") and b"B-PER" in model, "names.crfsuite is no model")
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


def sacrebleu(inputs: Path, outputs: Path) -> None:
    """Count n-grams of words and of characters again; edits of words bound TER."""
    scores = json.loads((outputs / "scores.json").read_text())
    reference = (inputs / "reference.txt").read_text().splitlines()
    for system in ("system_a", "system_b"):
        lines = (inputs / f"{system}.txt").read_text().splitlines()
        pairs = list(zip(lines, reference, strict=True))
        words = [(a.lower().split(), b.split()) for a, b in pairs]
        precisions = [_overlap(words, order) for order in range(1, 5)]
        lengths = [sum(len(pair[side]) for pair in words) for side in (0, 1)]
        brevity = math.exp(min(0.0, 1 - lengths[1] / lengths[0]))
        bleu = 100 * brevity * math.prod(same / a for same, a, _ in precisions) ** 0.25
        parts = [_overlap([(a.replace(" ", ""), b.replace(" ", "")) for a, b in pairs], order) for order in range(1, 7)]
        precision, recall = (np.mean([same / total[side] for same, *total in parts]) for side in (0, 1))
        chrf = 100 * 5 * precision * recall / (4 * precision + recall)
        errors = 100 * sum(x != y for a, b in words for x, y in zip(a, b, strict=True)) / lengths[1]
        near([scores[system]["bleu"], scores[system]["chrf"]], [bleu, chrf], 0.02, f"{system}: BLEU and chrF2")
        near(scores[system]["ter"], errors, 0.4, f"{system}: TER")


def _overlap(pairs: list[tuple[Any, Any]], order: int) -> tuple[int, int, int]:
    """N-grams that both sequences of a pair have, and those that each has, over all pairs."""
    same, first, second = 0, 0, 0
    for a, b in pairs:
        x, y = (Counter(tuple(one[k : k + order]) for k in range(len(one) - order + 1)) for one in (a, b))
        same, first, second = same + (x & y).total(), first + x.total(), second + y.total()
    return same, first, second


def lmfit(inputs: Path, outputs: Path) -> None:
    """Take a Gauss-Newton step from the fit: it must lead nowhere, and its matrix gives the errors."""
    names = ["a_amplitude", "a_center", "a_sigma", "b_amplitude", "b_center", "slope", "intercept"]
    fit = json.loads((outputs / "fit.json").read_text())
    found, errors = np.array([[float(fit[name][kind]) for name in names] for kind in ("value", "stderr")])
    x, y = matrix(inputs / "spectrum.csv").T

    def peak(area: float, centre: float, width: float) -> Floats:
        return np.asarray(area * np.exp(-(((x - centre) / width) ** 2) / 2) / width / math.sqrt(2 * math.pi))

    def model(p: Floats) -> Floats:
        return np.asarray(peak(p[0], p[1], p[2]) + peak(p[3], p[4], 2 * p[2]) + p[5] * x + p[6])

    want(3 <= found[1] <= 5 < found[4], "the peaks are elsewhere")
    slopes = np.stack([(model(found + step) - model(found - step)) / 2e-5 for step in 1e-5 * np.eye(7)], 1)
    left = y - model(found)
    scatter = np.linalg.inv(slopes.T @ slopes)
    wanted = np.sqrt(np.diag(scatter) * (left @ left) / (x.size - 7))
    near((scatter @ slopes.T @ left) / wanted, np.zeros(7), 0.02, "the fit, in standard errors")
    near(errors / wanted, np.ones(7), 0.05, "standard errors")
    width = [fit["b_sigma"][kind] / fit["a_sigma"][kind] for kind in ("value", "stderr")]
    near(width, [2, 2], 0.01, "b's width")


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
    """Join the loud windows of 10 ms again; each file must hold the sound between its times."""
    rate, calls = sound(inputs / "calls.wav")
    loud = np.flatnonzero(np.abs(calls).reshape(-1, 80).max(1) > 0.1)
    parts = np.split(loud, np.flatnonzero(np.diff(loud) > 26) + 1)
    wanted = np.array([(part[0], part[-1] + 1) for part in parts if len(part) >= 20]) / 100
    rows = table(outputs / "calls.csv")
    near(numbers(rows, "start", "end"), wanted, 0.011, "start and end")
    near(numbers(rows, "id")[:, 0], np.arange(1, len(wanted) + 1), 0, "id")
    want(len(list(outputs.glob("call_*.wav"))) == len(rows), "another number of files")
    for number, (start, end) in enumerate(numbers(rows, "start", "end"), 1):
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


def pandasql(inputs: Path, outputs: Path) -> None:
    """Add up the orders again."""
    country = {row["customer"]: row["country"] for row in table(inputs / "customers.csv")}
    amounts: dict[str, list[float]] = {}
    for row in table(inputs / "orders.csv"):
        if row["state"] == "paid" and float(row["amount"]) >= 25 and row["customer"] in country:
            amounts.setdefault(country[row["customer"]], []).append(float(row["amount"]))
    wanted = [(name, len(amounts[name]), sum(amounts[name]), np.mean(amounts[name])) for name in amounts]
    wanted.sort(key=lambda row: -row[2])
    rows = table(outputs / "by_country.csv")
    want([row["country"] for row in rows] == [name for name, *_ in wanted], "other countries or another order")
    near(numbers(rows, "orders", "total", "mean"), [row[1:] for row in wanted], 0.006, "orders, total and mean")


def csvkit(inputs: Path, outputs: Path) -> None:
    """Stack and join the tables again."""
    names = ("year", "station", "date", "temperature", "place")
    wanted = [{"year": "2023", **row} for row in table(inputs / "2023.csv", ";", "latin-1")]
    wanted += [{"year": "2024", **row} for row in table(inputs / "2024.csv")]
    wanted.sort(key=lambda row: (row["date"], row["station"]))
    _same_rows(table(outputs / "all.csv"), wanted, names)
    stations = {row["station"]: row for row in table(inputs / "stations.csv")}
    north = [{**row, **stations[row["station"]]} for row in wanted if stations[row["station"]]["region"] == "North"]
    found = table(outputs / "north.csv")
    warmth = numbers(found, "temperature")[:, 0]
    want(np.all(np.diff(warmth) <= 0), "north.csv is not sorted by temperature")
    by_place = [sorted(rows, key=lambda row: (row["date"], row["station"])) for rows in (found, north)]
    _same_rows(by_place[0], by_place[1], (*names, "altitude"))


def _same_rows(found: Rows, wanted: Rows, names: tuple[str, ...]) -> None:
    """The same values in these columns, numbers as numbers; codes of stations as they are written."""
    want(found and list(found[0]) == list(names), f"the columns are {list(found[0]) if found else 'missing'}")
    want(len(found) == len(wanted), f"{len(found)} rows, not {len(wanted)}")
    for a, b in zip(found, wanted, strict=True):
        want(all(a[name] == b[name] for name in ("station", "date", "place")), f"{a} is not in its place")
        for name in set(names) - {"station", "date", "place"}:
            near(float(a[name]), float(b[name]), 1e-6, name)


def lifelines(inputs: Path, outputs: Path) -> None:
    """Compute both curves and the log-rank test again."""
    trial, arms = table(inputs / "trial.csv"), ("usual", "new")
    groups = [numbers([row for row in trial if row["arm"] == arm], "months", "event") for arm in arms]
    months = np.unique(np.concatenate(groups)[:, 0])
    risk = np.array([[(group[:, 0] >= month).sum() for group in groups] for month in months])
    deaths = np.array([[group[group[:, 0] == month, 1].sum() for group in groups] for month in months])
    curves = np.cumprod(1 - deaths / np.maximum(risk, 1), axis=0)
    medians = [months[(curve <= 0.5).argmax()] for curve in curves.T]
    n, d = risk.sum(1), deaths.sum(1)
    variance = (d * risk.prod(1) * (n - d) / n**2 / np.maximum(n - 1, 1)).sum()
    p = math.erfc(abs((deaths[:, 0] - d * risk[:, 0] / n).sum()) / math.sqrt(2 * variance))
    summary = json.loads((outputs / "summary.json").read_text())
    near([summary["median_usual"], summary["median_new"]], medians, 1e-6, "medians")
    near(math.log(summary["p"]), math.log(p), 0.05, "the logarithm of p")
    rows = table(outputs / "survival.csv")
    for arm, group, curve in zip(arms, groups, curves.T, strict=True):
        month, found = numbers([row for row in rows if row["arm"] == arm], "month", "survival").T
        want(set(group[:, 0]) <= set(month), f"{arm}: months are missing")
        near(found, np.r_[1, curve][np.searchsorted(months, month, side="right")], 1e-4, f"{arm}: survival")


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


def gspan(inputs: Path, outputs: Path) -> None:
    """Count the connected subgraphs of two and three vertices again."""
    supports: Counter[object] = Counter()
    for text in (inputs / "graphs.txt").read_text().split("t #")[1:-1]:
        labels, edges = _graph(text)
        kinds = set()
        for nodes in (*combinations(labels, 2), *combinations(labels, 3)):
            inner = [edge for edge in edges if set(edge) <= set(nodes)]
            parts = [*combinations(inner, len(nodes) - 1), *combinations(inner, len(nodes))]
            kinds |= {_kind({k: labels[k] for k in nodes}, {edge: edges[edge] for edge in part}) for part in parts}
        supports.update(kinds)
    wanted = {kind: support for kind, support in supports.items() if support >= 9}
    rows = table(outputs / "frequent.csv")
    found = {}
    for row in rows:
        labels, edges = _graph(row["description"])
        want(float(row["vertices"]) == len(labels), f"{row['description']} has {len(labels)} vertices")
        found[_kind(labels, edges)] = float(row["support"])
    want(len(found) == len(rows) and found == wanted, f"{len(rows)} subgraphs, not the {len(wanted)} that are frequent")


def _graph(text: str) -> tuple[dict[int, int], dict[tuple[int, int], int]]:
    """Labels of vertices and of edges in gSpan's text."""
    labels = {int(a): int(b) for a, b in re.findall(r"v (\d+) (\d+)", text)}
    return labels, {(int(a), int(b)): int(c) for a, b, c in re.findall(r"e (\d+) (\d+) (\d+)", text)}


def _kind(labels: dict[int, int], edges: dict[tuple[int, int], int]) -> object:
    """The same for all numberings of a graph."""

    def numbered(order: tuple[int, ...]) -> tuple[object, ...]:
        rank = {node: k for k, node in enumerate(order)}
        lines = sorted((*sorted((rank[a], rank[b])), label) for (a, b), label in edges.items())
        return tuple(labels[node] for node in order), tuple(lines)

    return min(map(numbered, permutations(labels)))


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


def ruptures(inputs: Path, outputs: Path) -> None:
    """Find the cheapest segments again, by going through all of them."""
    load = matrix(inputs / "load.csv")
    sums, squares = (np.r_[np.zeros((1, 2)), np.cumsum(one, 0)] for one in (load, load**2))
    best, last = [0.0], [0]
    for end in range(1, len(load) + 1):
        starts = np.array([k for k in range(end - 9) if k == 0 or k >= 10] or [0])
        lengths = (end - starts)[:, None]
        costs = (squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / lengths).sum(1)
        totals = costs + 20 + np.array(best)[starts] if end >= 10 else np.array([np.inf])
        best.append(float(totals.min()))
        last.append(int(starts[totals.argmin()]))
    wanted, end = [], last[-1]
    while end:
        wanted.append(end)
        end = last[end]
    found = json.loads((outputs / "changes.json").read_text())["changes"]
    near(sorted(found), wanted[::-1], 0, "changes")


def hmmlearn(inputs: Path, outputs: Path) -> None:
    """The states must be those that the recordings were made of; Viterbi is done again with them."""
    rows = sorted(table(outputs / "states.csv"), key=lambda row: float(row["state"]))
    states = numbers(rows, "state", "mean_a", "mean_b", "variance_a", "variance_b")
    near(states[:, :3], [[0, 0, 0], [1, -2, 0.5], [2, 0.4, 0.2]], 0.25, "states and means")
    near(np.log(states[:, 3:]), np.log([[0.1225] * 2, [1.0] * 2, [4.84] * 2]), 0.25, "logarithms of variances")
    new = matrix(inputs / "new.csv")
    away = (new[:, None] - states[:, 1:3]) ** 2 / states[:, 3:] + np.log(states[:, 3:])
    chance = -away.sum(2) / 2
    moves = np.log(np.full((3, 3), 0.03) + 0.91 * np.eye(3))
    score, before = chance[0], []
    for here in chance[1:]:
        before.append((score[:, None] + moves).argmax(0))
        score = (score[:, None] + moves).max(0) + here
    wanted = [int(score.argmax())]
    for step in before[::-1]:
        wanted.append(int(step[wanted[-1]]))
    found = numbers(table(outputs / "decoded.csv"), "row", "state")
    near(found[:, 0], np.arange(len(new)), 0, "row")
    same = np.mean(found[:, 1] == wanted[::-1])
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


ISOTOPES = {
    "C": ((12.0, 0.9893), (13.0033548378, 0.0107)),
    "H": ((1.00782503207, 0.999885), (2.0141017778, 0.000115)),
    "N": ((14.0030740048, 0.99632), (15.0001088982, 0.00368)),
    "O": ((15.99491461956, 0.99757), (16.9991317, 0.00038), (17.999161, 0.00205)),
    "S": ((31.972071, 0.9493), (32.97145876, 0.0076), (33.96786690, 0.0429)),
}
"""Mass and share of each isotope."""


def brainpy(inputs: Path, outputs: Path) -> None:
    """Multiply the isotopes' distributions again, atom by atom; heights compare with the highest of the five peaks."""
    rows = table(outputs / "isotopes.csv")
    molecules = table(inputs / "molecules.csv")
    want(len(rows) == 5 * len(molecules), f"{len(rows)} peaks")
    for molecule in molecules:
        shares, masses = np.array([1.0, 0, 0, 0, 0]), np.zeros(5)
        for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", molecule["formula"]):
            mass, share = np.transpose(ISOTOPES[element])
            for _ in range(int(number or 1)):
                masses = (np.convolve(masses, share) + np.convolve(shares, share * mass))[:5]
                shares = np.convolve(shares, share)[:5]
        own = sorted((row for row in rows if row["name"] == molecule["name"]), key=lambda row: int(row["peak"]))
        peaks = numbers(own, "peak", "mz", "intensity")
        near(peaks[:, 0], np.arange(5), 0, "peak")
        near(peaks[:, 1], masses / shares / 2 + 1.00727646688, 0.002, f"{molecule['name']}: mz")
        near(peaks[:, 2] / peaks[:, 2].max(), shares / shares.max(), 0.01, f"{molecule['name']}: intensity")


def chempy(inputs: Path, outputs: Path) -> None:
    """Each side must hold the same atoms, in the smallest whole numbers of the molecules that the line names."""
    lines = (inputs / "reactions.txt").read_text().splitlines()
    found = {row["reaction"].strip(): row["balanced"] for row in table(outputs / "balanced.csv")}
    want(set(found) == set(lines), "other reactions")
    for line in lines:
        told = [re.findall(r"(?:(\d+) )?([A-Z(]\S*)", side) for side in found[line].split("->")]
        plain = [re.findall(r"[A-Z(]\S*", side) for side in line.split("->")]
        want([sorted(name for _, name in side) for side in told] == [sorted(side) for side in plain], found[line])
        want(
            math.gcd(*(int(count or 1) for side in told for count, _ in side)) == 1, f"not the smallest: {found[line]}"
        )
        atoms = [Counter[str](), Counter[str]()]
        for k, side in enumerate(told):
            for count, name in side:
                inner = re.sub(r"\(([^()]*)\)(\d*)", lambda group: group[1] * int(group[2] or 1), name)
                for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", inner):
                    atoms[k][element] += int(count or 1) * int(number or 1)
        want(atoms[0] == atoms[1] and 0 not in atoms[0].values(), f"not balanced: {found[line]}")


def mappy(inputs: Path, outputs: Path) -> None:
    """Find each read's place again by the words of 14 bases that it shares with a contig."""
    contigs = dict(part.split("\n")[:2] for part in (inputs / "reference.fa").read_text().split(">")[1:])
    places = {text[k : k + 14]: (name, k) for name, text in contigs.items() for k in range(len(text) - 13)}
    lines = (inputs / "reads.fq").read_text().splitlines()
    rows = {row["read"]: row for row in table(outputs / "hits.tsv", "\t")}
    for name, read in zip(lines[::4], lines[1::4], strict=True):
        other = read[::-1].translate(str.maketrans("ACGT", "TGCA"))
        votes = Counter(
            (places[text[k : k + 14]][0], places[text[k : k + 14]][1] - k, strand)
            for strand, text in (("+", read), ("-", other))
            for k in range(387)
            if text[k : k + 14] in places
        )
        (contig, start, strand), count = votes.most_common(1)[0] if votes else (("", 0, ""), 0)
        row = rows.pop(name[1:], None)
        want((row is not None) == (count > 20), f"{name[1:]} is missing or too much")
        if row:
            want((row["contig"], row["strand"]) == (contig, strand), f"{row['read']}: contig or strand")
            near([float(row["start"]), float(row["end"])], [start, start + 400], 15, f"{row['read']}: start and end")
            want(20 <= float(row["mapq"]) <= 60, f"{row['read']}: mapq {row['mapq']}")
    want(not rows, f"no reads of this name: {sorted(rows)}")


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


def dubins(inputs: Path, outputs: Path) -> None:
    """Compute the lengths again; the poses must lead from start to goal with no sharper turn."""
    lengths = {row["path"]: float(row["length"]) for row in table(outputs / "lengths.csv")}
    points = table(outputs / "paths.csv")
    given = table(inputs / "poses.csv")
    want(set(lengths) == {row["path"] for row in given}, "other paths")
    for row in given:
        (start, goal), name = numbers([row], "x0", "y0", "t0", "x1", "y1", "t1").reshape(2, 3), row["path"]
        near(lengths[name], _shortest(start, goal, 1.5), 1e-3, f"{name}: length")
        poses = numbers([point for point in points if point["path"] == name], "x", "y", "theta")
        want(abs(len(poses) - lengths[name] / 0.25 - 1) <= 1, f"{name}: {len(poses)} poses")
        near(poses[0, :2], start[:2], 1e-3, f"{name}: start")
        want(math.dist(poses[-1, :2], goal[:2]) < 0.2501, f"{name} ends elsewhere")
        steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)[:-1]
        want(np.all((steps > 0.2485) & (steps < 0.2502)), f"{name}: steps are not 0.25")
        turns = (np.diff(poses[:, 2]) + math.pi) % (2 * math.pi) - math.pi
        want(np.all(np.abs(turns) < 0.25 / 1.5 + 1e-3), f"{name} turns too sharply")


def _shortest(start: Floats, goal: Floats, radius: float) -> float:
    """Length of the shortest path of Dubins: two turns with a line or a turn between them."""
    (dx, dy), full, found = (goal - start)[:2] / radius, 2 * math.pi, []
    for mirror in (1, -1):  # a path that begins with a right turn is a left one in the mirror
        a, b = mirror * start[2], mirror * goal[2]
        left = np.array([dx - math.sin(b) + math.sin(a), mirror * dy + math.cos(b) - math.cos(a)])
        away, heading = math.hypot(*left), math.atan2(left[1], left[0])
        found.append(away + (heading - a) % full + (b - heading) % full)
        if away <= 4:
            bend = math.acos(away / 4)
            found.append(
                (heading + math.pi / 2 + bend - a) % full
                + math.pi
                + 2 * bend
                + (b - heading + math.pi / 2 + bend) % full
            )
        right = np.array([dx + math.sin(b) + math.sin(a), mirror * dy - math.cos(b) - math.cos(a)])
        away, heading = math.hypot(*right), math.atan2(right[1], right[0])
        if away >= 2:
            line = math.sqrt(away**2 - 4)
            heading += math.atan2(2, line)
            found.append(line + (heading - a) % full + (heading - b) % full)
    return float(radius * min(found))


def numpy_stl(inputs: Path, outputs: Path) -> None:
    """Turn the corners again: y becomes z, z becomes -y, the lowest is at 0."""
    part, upright = _triangles(inputs / "part.stl"), _triangles(outputs / "upright.stl")
    turned = np.stack([part[..., 0], -part[..., 2], part[..., 1]], -1)
    turned[..., 2] -= turned[..., 2].min()
    flat = [sorted(map(tuple, one.mean(1).round(3).tolist())) for one in (upright, turned)]
    want(len(upright) == len(part), f"{len(upright)} triangles")
    near(flat[0], flat[1], 0.002, "middles of the triangles")
    pieces = np.linalg.det(turned) / 6
    centre = (pieces[:, None] * turned.sum(1) / 4).sum(0) / pieces.sum()
    near(np.linalg.det(upright).sum() / 6, pieces.sum(), 0.01, "volume of upright.stl")
    told = json.loads((outputs / "mass.json").read_text())
    near([told["volume"], *told["centre"]], [pieces.sum(), *centre], 0.01, "volume and centre")


def _triangles(path: Path) -> Floats:
    """Corners in a binary STL file."""
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 80)[0]
    want(len(data) == 84 + 50 * count, f"{path.name} is no binary STL")
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    return np.asarray(np.frombuffer(data, layout, count, 84)["corners"], float)


def salib(_: Path, outputs: Path) -> None:
    """The indices of this function are known: it is Ishigami's with 5 and 0.2."""
    lines = [line.split() for line in (outputs / "params.txt").read_text().replace(",", " ").splitlines()]
    found = {line[0]: [float(value) for value in line[1:3]] for line in lines if line and not line[0].startswith("#")}
    want(list(found) == ["flow", "slope", "width"], f"params.txt: {list(found)}")
    near(list(found.values()), [[-math.pi, math.pi]] * 3, 1e-4, "params.txt: bounds")
    flow, slope = (1 + 0.2 * math.pi**4 / 5) ** 2 / 2, 25 / 8
    both = 0.04 * math.pi**8 * (1 / 18 - 1 / 50)
    whole = flow + slope + both
    told = json.loads((outputs / "indices.json").read_text())
    for kind, wanted in (("S1", (flow, slope, 0)), ("ST", (flow + both, slope, both))):
        indices = [told[kind][name] for name in ("flow", "slope", "width")]
        near(indices, np.divide(wanted, whole), 0.06, kind)


if __name__ == "__main__":
    sys.exit(judge(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])) or 0)
