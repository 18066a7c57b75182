"""Makes the input files of the delivery rows, always the same ones: `python inputs.py NAME FOLDER`.

Needs numpy and Pillow. What is not made by a function with the row's name lies in `given/NAME`.
"""

import csv
import shutil
import sys
import wave
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]
VOWEL = ((700, 1.0), (1200, 0.6), (2600, 0.3))
"""Formants of the synthetic voice: frequency in hertz and strength."""


def make_inputs(name: str, folder: Path) -> None:
    """Write the inputs of the row `name` into `folder`, which must not be there."""
    given = Path(__file__).parent / "given" / name
    if given.is_dir():
        shutil.copytree(given, folder)
    else:
        folder.mkdir(parents=True)
        globals()[name.replace("-", "_")](folder)


def write_csv(path: Path, header: str, rows: Iterable[Sequence[object]], delimiter: str = ",") -> None:
    """Write a table, in Latin-1 where it has semicolons; `header` holds the column names, separated by blanks."""
    with path.open("w", newline="", encoding="latin-1" if delimiter == ";" else "utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", delimiter=delimiter)
        writer.writerow(header.split())
        writer.writerows(rows)


def write_wav(path: Path, samples: Floats, rate: int) -> None:
    """Write samples between -1 and 1 as 16-bit mono sound."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32000).astype("<i2").tobytes())


def rounded(values: Floats, digits: int = 4) -> list[list[float]]:
    """Rows of a matrix as numbers that are short in a file."""
    found: list[list[float]] = np.round(values, digits).tolist()
    return found


def seam_carving(folder: Path) -> None:
    """A smooth sky with two textured buildings, one near each side."""
    random = np.random.default_rng(1)
    y, x = np.mgrid[0:80, 0:160]
    sky = np.stack([90 + x / 8, 130 + y / 2, 220 - y / 2 + x / 16], -1).astype(np.uint8)
    sky[25:80, 8:34] = random.integers(0, 255, (55, 26, 3))
    sky[15:80, 122:148] = random.integers(0, 255, (65, 26, 3))
    Image.fromarray(sky).save(folder / "harbour.png")


def imagehash(folder: Path) -> None:
    """Nineteen pictures: three alone, two with one altered copy, four with two."""
    random = np.random.default_rng(2)
    y, x = np.mgrid[0:96, 0:96] / 96
    names = iter(random.permutation(19))
    for copies in (0, 0, 0, 1, 1, 2, 2, 2, 2):
        waves = [random.normal() * np.cos(6 * (random.normal() * x + random.normal() * y) + k) for k in range(9)]
        field = np.sum(waves, axis=0)
        pixels = np.stack([field, np.roll(field, 9, 0), -field], -1)
        original = Image.fromarray((128 + 100 * np.tanh(pixels)).astype(np.uint8))
        smaller = original.resize((64, 60), Image.Resampling.BICUBIC)
        cropped = original.crop((0, 0, 96 - int(random.integers(2, 9)), 94))
        for picture, kind in ((original, "png"), (smaller, "png"), (cropped, "jpg"))[: copies + 1]:
            picture.save(folder / f"photo_{next(names):02}.{kind}")


def mahotas(folder: Path) -> None:
    """Eight grey tiles of different roughness and direction."""
    random = np.random.default_rng(3)
    for number in range(8):
        noise = random.normal(size=(64, 64))
        for _ in range(number):
            noise = (noise + np.roll(noise, 1, number % 2)) / 2
        tile = noise[8:56, 8:56]
        grey = 40 + 170 * (tile - tile.min()) / (tile.max() - tile.min())
        Image.fromarray(grey.astype(np.uint8)).save(folder / f"tile_{number}.png")


def stripes(random: np.random.Generator, count: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Noisy 8x8 pictures of stripes: 0 horizontal, 1 vertical, 2 and 3 along the diagonals."""
    y, x = np.mgrid[0:8, 0:8]
    labels = random.integers(0, 4, count).astype(np.int32)
    waves = np.stack([y, x, y - x, y + x])[labels]
    phase = random.integers(0, 4, count)[:, None, None]
    pictures = ((waves + phase) % 4 < 2) + random.normal(scale=0.25, size=waves.shape)
    return pictures.reshape(count, 64).astype(np.float32), labels


def chainer(folder: Path) -> None:
    """Training pictures with their classes, test pictures without."""
    random = np.random.default_rng(4)
    pictures, labels = stripes(random, 600)
    np.savez(folder / "train.npz", x=pictures, y=labels)
    np.savez(folder / "test.npz", x=stripes(random, 100)[0])


TOPICS = {
    "sport": "goal match team coach league score referee striker keeper season",
    "kitchen": "oven butter recipe flour sauce onion pepper bake simmer dough",
    "travel": "train hotel luggage border ticket harbour passport flight map hostel",
}
COMMON = "the a very quite we they was had before after again new old good little , with some"


def fasttext(folder: Path) -> None:
    """Short texts about three topics; some hold commas."""
    random = np.random.default_rng(5)

    def text(topic: str) -> str:
        words = [*random.choice(TOPICS[topic].split(), 4), *random.choice(COMMON.split(), 6)]
        return " ".join(random.permutation(words))

    labels = random.choice(list(TOPICS), 360)
    write_csv(folder / "reviews.csv", "label text", [(label, text(label)) for label in labels[:300]])
    write_csv(folder / "new.csv", "id text", [(f"r{k}", text(label)) for k, label in enumerate(labels[300:])])


def python_crfsuite(folder: Path) -> None:
    """Sentences in which the same names stand for people and for places."""
    random = np.random.default_rng(6)
    names = ["Jordan", "Paris", "Florence", "Lincoln", "Austin", "Georgia", "Sydney", "Chelsea"]
    patterns = ("{t} @P went from @L to @L .", "@P {s} that {t} @P lived near @L .", "In @L , {t} @P {s} nothing .")

    def sentence() -> list[tuple[str, str]]:
        title, verb = random.choice(["Mr", "Mrs", "Dr"]), random.choice(["said", "heard"])
        pattern = str(random.choice(patterns)).format(t=title, s=verb)
        tags = {"@P": "B-PER", "@L": "B-LOC"}
        return [(str(random.choice(names)), tags[word]) if word in tags else (word, "O") for word in pattern.split()]

    train, test = [sentence() for _ in range(150)], [sentence() for _ in range(30)]
    lines = ["\n".join(f"{token}\t{tag}" for token, tag in one) for one in train]
    (folder / "train.conll").write_text("\n\n".join(lines) + "\n")
    (folder / "test.txt").write_text("\n".join(" ".join(token for token, _ in one) for one in test) + "\n")


def markovify(folder: Path) -> None:
    """Two texts of one sentence a line that share words."""
    random = np.random.default_rng(7)

    def lines(*choices: str) -> str:
        parts = [[str(random.choice(words.split())) for words in choices] for _ in range(70)]
        times = random.choice(["in the morning", "at the end of the day", "before the rain"], 70)
        return "".join(f"the old {a} {b} {c} to the {d} {t}\n" for (a, b, c, d), t in zip(parts, times, strict=True))

    how = "slowly often never gladly"
    tales = lines("miller king goose fox baker", "walked ran sang", how, "river castle forest mill")
    (folder / "tales.txt").write_text(tales)
    logs = lines("server printer router clock", "wrote sang moved", how, "disk forest network mill")
    (folder / "logs.txt").write_text(logs)


FABLE = "north wind and the sun were arguing when a traveller came along wrapped in his warm cloak"


def sacrebleu(folder: Path) -> None:
    """A reference translation and two systems with different shares of wrong words and of capitals."""
    random = np.random.default_rng(8)
    words = FABLE.split()
    reference = [list(random.choice(words, random.integers(7, 15))) for _ in range(40)]

    def system(share: float) -> str:
        lines = []
        for one in reference:
            changed = [str(random.choice(words)) if random.random() < share else str(word) for word in one]
            lines.append(" ".join(word.capitalize() if random.random() < share else word for word in changed))
        return "\n".join(lines) + "\n"

    (folder / "reference.txt").write_text("\n".join(" ".join(one) for one in reference) + "\n")
    (folder / "system_a.txt").write_text(system(0.12))
    (folder / "system_b.txt").write_text(system(0.3))


def lmfit(folder: Path) -> None:
    """Two overlapping peaks on a sloping background."""
    x = np.arange(0, 12, 0.1)
    peaks = 9 * np.exp(-((x - 4) ** 2) / (2 * 0.5**2)) + 5 * np.exp(-((x - 6.2) ** 2) / 2)
    y = peaks + 0.3 * x + 1.5 + np.random.default_rng(9).normal(scale=0.15, size=x.size)
    write_csv(folder / "spectrum.csv", "x y", rounded(np.stack([x, y], 1)))


def pyworld(folder: Path) -> None:
    """A vowel whose pitch rises from 120 to 180 Hz, after a tenth of a second of near silence."""
    rate = 16000
    time = np.arange(int(0.8 * rate)) / rate
    phase = 2 * np.pi * np.cumsum(120 + 60 * time / 0.8) / rate
    voice = np.zeros_like(time)
    for harmonic in range(1, 30):
        frequency = harmonic * (120 + 60 * time / 0.8)
        strength = sum(gain / (1 + ((frequency - centre) / 120) ** 2) for centre, gain in VOWEL)
        voice += strength * np.cos(harmonic * phase)
    voice = voice * (time > 0.1) * 0.3 / np.abs(voice).max() + np.random.default_rng(10).normal(
        scale=0.0005, size=time.size
    )
    write_wav(folder / "voice.wav", voice, rate)


def auditok(folder: Path) -> None:
    """Calls in faint noise: a short gap inside the first, and a click that is no call."""
    rate = 8000
    time = np.arange(4 * rate) / rate
    loud = np.zeros_like(time)
    for start, end in ((0.3, 0.7), (0.85, 1.15), (1.7, 1.78), (2.2, 2.75), (3.2, 3.6)):
        loud[(time >= start) & (time < end)] = 0.5
    write_wav(
        folder / "calls.wav",
        loud * np.sin(2 * np.pi * 600 * time) + np.random.default_rng(11).normal(scale=0.0005, size=time.size),
        rate,
    )


def noisereduce(folder: Path) -> None:
    """Half a second of hiss, then an engine's hum, all multiples of 50 Hz up to 3 kHz, in the same hiss."""
    rate = 8000
    time = np.arange(int(1.5 * rate)) / rate
    hum = sum(0.04 * np.sin(2 * np.pi * 50 * k * time + k * k) for k in range(1, 61)) * (time >= 0.5)
    write_wav(folder / "noisy.wav", hum + np.random.default_rng(12).normal(scale=0.03, size=time.size), rate)


def pandasql(folder: Path) -> None:
    """Orders, some of them open or small, and the customers' countries."""
    random = np.random.default_rng(13)
    amounts = np.round(random.gamma(2, 30, 240), 2)
    states = random.choice(["paid", "open", "returned"], 240, p=[0.7, 0.2, 0.1])
    orders = [(k, f"c{random.integers(35)}", amounts[k], states[k]) for k in range(240)]
    write_csv(folder / "orders.csv", "order customer amount state", orders)
    countries = random.choice(["Chile", "Kenya", "Japan", "Norway", "Peru"], 30)
    write_csv(folder / "customers.csv", "customer country", [(f"c{k}", countries[k]) for k in range(30)])


def csvkit(folder: Path) -> None:
    """Two years of readings in different layouts, and a table of stations whose codes begin with zeros."""
    random = np.random.default_rng(14)
    codes = [f"{code:05}" for code in random.choice(90000, 8, replace=False) // 7]
    places = ["Zürich", "Genève", "Basel", "Chur", "Sankt Gallen", "Luzern", "Bern", "Thun"]
    stations = [
        (c, places[k], random.choice(["North", "South"]), random.integers(250, 900)) for k, c in enumerate(codes)
    ]
    write_csv(folder / "stations.csv", "station place region altitude", stations)
    header = ["station", "date", "temperature", "place"]
    for year, order, delimiter in (("2023", 1, ";"), ("2024", -1, ",")):
        rows: list[list[object]] = []
        for month in range(1, 13):
            for k in random.choice(8, 3, replace=False):
                rows.append([codes[k], f"{year}-{month:02}-15", round(random.normal(12, 8), 1), places[k]][::order])
        write_csv(folder / f"{year}.csv", " ".join(header[::order]), rows, delimiter)


def lifelines(folder: Path) -> None:
    """A trial of two arms with censored months."""
    random = np.random.default_rng(15)
    arm = np.repeat([0, 1], 60)
    death, leaving = np.ceil(random.exponential(np.where(arm, 22, 11))), np.ceil(random.uniform(4, 40, 120))
    rows = zip(
        np.array(["usual", "new"])[arm],
        np.minimum(death, leaving).astype(int),
        (death <= leaving).astype(int),
        strict=True,
    )
    write_csv(folder / "trial.csv", "arm months event", rows)


def lightfm(folder: Path) -> None:
    """Likes of forty readers with four tastes; two likes of each reader are held out."""
    random = np.random.default_rng(16)
    likes, held = [], []
    for user in range(40):
        own, other = np.arange(user % 4, 48, 4), np.delete(np.arange(48), np.arange(user % 4, 48, 4))
        chosen = random.permutation(own)[:8]
        held += [(f"u{user}", f"b{item}") for item in chosen[:3]]
        likes += [(f"u{user}", f"b{item}") for item in (*chosen[3:], random.choice(other))]
    write_csv(folder / "likes.csv", "reader book", [likes[k] for k in random.permutation(len(likes))])
    write_csv(folder / "held_out.csv", "reader book", held)


def gspan(folder: Path) -> None:
    """Fifteen small labelled graphs in gSpan's own format."""
    random = np.random.default_rng(17)
    lines = []
    for number in range(15):
        labels = [1, 2, 3, *random.integers(1, 5, 4)]
        edges = {(0, 1): 7, (1, 2): 8, (0, 2): 7} if number % 3 else {(0, 1): 7, (1, 2): 8}
        for node in range(3, 7):
            edges[(int(random.integers(node)), node)] = int(random.integers(7, 9))
        lines += [f"t # {number}", *(f"v {k} {label}" for k, label in enumerate(labels))]
        lines += [f"e {a} {b} {label}" for (a, b), label in edges.items()]
    (folder / "graphs.txt").write_text("\n".join([*lines, "t # -1"]) + "\n")


def python_louvain(folder: Path) -> None:
    """A friendship network whose groups show in the weights only."""
    random = np.random.default_rng(18)
    group = random.permutation(np.arange(40) % 4)
    rows = []
    for a in range(40):
        for b in range(a + 1, 40):
            if random.random() < 0.35:
                weight = random.uniform(3, 6) if group[a] == group[b] else random.uniform(0.1, 0.8)
                rows.append((f"n{a}", f"n{b}", round(weight, 2)))
    write_csv(folder / "friends.csv", "a b weight", rows)


def ruptures(folder: Path) -> None:
    """Two measured loads with jumps, one of them in the second column only."""
    means = np.repeat([[0.0, 0.0], [2.5, 1.0], [2.5, -2.0], [0.5, 0.5]], [70, 60, 85, 65], axis=0)
    write_csv(folder / "load.csv", "pump fan", rounded(means + np.random.default_rng(19).normal(size=means.shape), 3))


HIDDEN_MEANS = np.array([[-2.0, 0.5], [0.0, 0.0], [0.4, 0.2]])
HIDDEN_SCALES = np.array([1.0, 0.35, 2.2])
"""The second and third hidden states differ in spread rather than in place."""


def hidden_walk(random: np.random.Generator, length: int) -> Floats:
    """Observations of a chain that keeps its state with probability 0.94."""
    state, found = int(random.integers(3)), []
    for _ in range(length):
        if random.random() > 0.94:
            state = (state + int(random.integers(1, 3))) % 3
        found.append(HIDDEN_MEANS[state] + HIDDEN_SCALES[state] * random.normal(size=2))
    return np.array(found)


def hmmlearn(folder: Path) -> None:
    """Several recordings to learn from, one to decode."""
    random = np.random.default_rng(20)
    rows = [(k, *row) for k, length in enumerate((300, 220, 260, 180)) for row in rounded(hidden_walk(random, length))]
    write_csv(folder / "train.csv", "recording a b", rows)
    write_csv(folder / "new.csv", "a b", rounded(hidden_walk(random, 240)))


def pyedflib(folder: Path) -> None:
    """Six seconds of three channels at 128 Hz, and two events."""
    time = np.arange(768) / 128
    waves = [
        60 * np.sin(2 * np.pi * f * time) + np.random.default_rng(21).normal(scale=8, size=768) for f in (3, 10, 21)
    ]
    write_csv(folder / "eeg.csv", "time Fp1 Fp2 O1", rounded(np.stack([time, *waves], 1), 5))
    write_csv(folder / "events.csv", "onset duration text", [(1.5, 0.25, "eyes closed"), (4.0, 1.0, "lights off")])


def mappy(folder: Path) -> None:
    """Two contigs and reads from both strands with wrong bases; five reads come from elsewhere."""
    random = np.random.default_rng(24)
    contigs = {name: "".join(random.choice(list("ACGT"), 5000)) for name in ("north", "south")}
    (folder / "reference.fa").write_text("".join(f">{name}\n{text}\n" for name, text in contigs.items()))
    lines = []
    for number in range(40):
        text = contigs[str(random.choice(list(contigs)))] if number % 8 else "".join(random.choice(list("ACGT"), 900))
        start = int(random.integers(0, len(text) - 400))
        read = [
            str(random.choice(list("ACGT"))) if random.random() < 0.02 else base for base in text[start : start + 400]
        ]
        if random.random() < 0.5:
            read = [base.translate(str.maketrans("ACGT", "TGCA")) for base in read[::-1]]
        lines += [f"@read{number}", "".join(read), "+", "I" * 400]
    (folder / "reads.fq").write_text("\n".join(lines) + "\n")


def dubins(folder: Path) -> None:
    """Pairs of poses, near and far."""
    random = np.random.default_rng(28)
    poses = np.stack([random.uniform(-6, 6, 8), random.uniform(-6, 6, 8), random.uniform(0, 6.28, 8)], 1)
    goals = np.stack([random.uniform(-6, 6, 8), random.uniform(-6, 6, 8), random.uniform(0, 6.28, 8)], 1)
    rows = [(f"d{k}", *row) for k, row in enumerate(rounded(np.concatenate([poses, goals], 1)))]
    write_csv(folder / "poses.csv", "path x0 y0 t0 x1 y1 t1", rows)


def numpy_stl(folder: Path) -> None:
    """A prism over an L, as binary STL, away from the origin."""
    corners = np.add([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], [2.0, -5.0])
    lower = [(*corner, 7.0) for corner in corners]
    upper = [(*corner, 9.5) for corner in corners]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    triangles = [[upper[k] for k in face] for face in faces] + [[lower[k] for k in face[::-1]] for face in faces]
    for k in range(6):
        after = (k + 1) % 6
        triangles += [[lower[k], lower[after], upper[after]], [lower[k], upper[after], upper[k]]]
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    mesh = np.zeros(len(triangles), layout)
    mesh["corners"] = triangles
    (folder / "part.stl").write_bytes(b"part".ljust(80) + np.uint32(len(mesh)).tobytes() + mesh.tobytes())


def salib(folder: Path) -> None:
    """The user's own model of three uncertain values."""
    (folder / "model.py").write_text(
        '"""Water level in metres."""\n\nimport math\n\n\ndef level(flow, slope, width):\n'
        "    return math.sin(flow) + 5 * math.sin(slope) ** 2 + 0.2 * width**4 * math.sin(flow)\n"
    )


if __name__ == "__main__":
    make_inputs(sys.argv[1], Path(sys.argv[2]))
