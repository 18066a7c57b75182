"""What a sentence says should come out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.delivery.request_words import MOST, expectations_of

SAID = {
    "Convert speech.wav to text.srt": ["text.srt (srt)"],
    "Train on data/train.csv with learning rate 0.1 and save the metrics to results/m.json.": ["results/m.json (json)"],
    "The metrics should end up in reports/moons.json, please": ["reports/moons.json (json)"],
    "Its report belongs in results/bigram.json.": ["results/bigram.json (json)"],
    "Save both tables as all.csv with the columns year and place, sorted by year": ["all.csv (csv)"],
    "Find the changes of the two columns of in/load.csv and save them as {'changes': []} in out/changes.json": ["out/changes.json (json)"],
    "Count the words in book.txt and write them to counts.tsv (columns 'word', 'count')": ["counts.tsv (tsv), with word, count"],
    "Write a CSV called out.csv with two columns named 'x' and 'y' and 10 rows": ["out.csv (csv), with x, y, 10 rows"],
    "Extract the faces of photo.jpg into the folder faces": ["faces"],
    "use the checkpoint model.pt to predict test.csv, output predictions.csv": ["predictions.csv (csv)"],
    "python train.py --output-dir runs/a --data train.csv --out results/x.json": ["runs/a", "results/x.json (json)"],
    "Fine-tune on train.json, evaluate on dev.json, and put everything in outputs/bert/": ["outputs/bert"],
    "plot the loss curve from log.csv as loss.png": ["loss.png (png)"],
    "Print the perplexity of the text": ["something is printed"],
    "Write the words that occur at least three times in the folder letters, with their counts, to words.tsv": ["words.tsv (tsv)"],
    "Write the report in the folder reports": ["reports"],
    "Train the filter on mails and write whether message.txt is spam or ham to verdict.txt.": ["verdict.txt (text)"],
    "Write how often the words of a.txt occur, and which letters b.txt has, to counts.tsv": ["counts.tsv (tsv)"],
    "Save the predictions in the folder ./, please": ["."],
    "Write the results to the directory ..": [".."],
    "Store the model under the folder runs/a.": ["runs/a"],
    "Export the model to torch.float16 and store weights in model.encoder": [],
    # inputs only
    "I need a description of my picture that's saved under the filename 'image.jpg'": [],
    "Find the waste in the image stored at './data/image.jpg'": [],
    "Start from the network which I keep at nets/a.pkl": [],
    "One hundred output classes whose weights rest in checkpoints/r.pt": [],
    "I have the drawing inputs/child.png": [],
    "I want numbers, no pictures on the screen": [],
    "Evaluate the similarity between an image named 'example.jpg' and the text 'an apple'": [],
    "It can be found in the directory labeled './model/'": [],
    "Read config.yaml and run training for 3 epochs with the data in data/cora/": [],
    "Evaluate models/a.pt on data/test.jsonl": [],
    "train with print_freq 10 and the config configs/a.yaml": [],
    "Download the weights from https://example.org/w.pt and run demo.py": [],
    "Separate the track song.mp3 into stems": [],
    "Use the file vocab.txt with 5 rows": [],
    "Train a GCN on Cora with learning rate 0.01 and 200 epochs": [],
}  # fmt: skip


@pytest.mark.parametrize("sentence", SAID)
def test_outputs_are_told_from_inputs(sentence: str) -> None:
    found = [one.describe() for one in expectations_of(sentence)]
    assert found == SAID[sentence]


WORDS = (
    "save",
    "print",
    "the",
    "to",
    "in",
    "folder",
    "as",
    "from",
    "out/",
    "./",
    "a.json",
    "'b.csv'",
    ".",
    "..",
    "\n",
    "`",
    "-",
    "--o",
)


@given(st.lists(st.sampled_from(WORDS), max_size=24))
def test_no_text_is_too_much(words: list[str]) -> None:
    found = expectations_of(" ".join(["Save it to a.csv and", *words]))
    assert found
    assert len(found) <= MOST + 1
    assert all(one.path or one.kind == "printed" for one in found)
