"""One command that achieves each sample task; known to these tests only."""

COMMANDS = {
    "spirals-adam": (
        "python train/fit_mlp.py --dataset spirals --units 12 6 --optim adam --lr 0.05 --n_epochs 25 --no_early_stop"
    ),
    "rings-lasso": "python train/fit_linear.py --dataset rings --reg l1 --lam 0.02 --n_points 300 --val_frac 0.25",
    "moons-tanh": (
        "python train/fit_mlp.py --dataset moons --act tanh --bs 8 --wd 1e-3 --seed 7 --out reports/moons_tanh.json"
    ),
    "xor-repeated": "bash scripts/repeat.sh xor 5",
    "rings-regions": "python analysis/boundary.py checkpoints/rings_mlp.json --grid 40 20",
    "stripes-medoids": (
        "python experiments/partition.py --source stripes --sample-size 240 --algorithm kmedoids -k 6"
        " --metric manhattan --standardize --n-init 4"
    ),
    "moons-single-link": (
        "python experiments/partition.py --source moons --sample-size 150 --algorithm agglomerative"
        " --linkage single --n-clusters 2"
    ),
    "how-many-groups": "python experiments/choose_k.py --sample-size 90 silhouette --k-range 2 7",
    "diagonal-mixture": """
from kindred import GaussianMixture, make_blobs

points, truth = make_blobs(n_points=500, centers=3)
mixture = GaussianMixture(n_components=3, covariance="diagonal", max_iter=80)
mixture.fit(points)
mixture.write_report("results/mixture.json")
""",
    "diary-six-grams": (
        "python -m language_model.train corpus/diary.txt --order 6 --unit char --smoothing kneser-ney --heldout 0.1"
    ),
    "diary-continued": (
        'python -m language_model.write corpus/diary.txt --prefix "The harbour" --length 120 --temp 0.5 --n_texts 3'
    ),
    "reviews-perceptron": (
        "python -m classification.train --classifier perceptron --unit char --ngrams 2 4 --buckets 500000"
        " --no-lowercase --passes 15"
    ),
    "fables-search": 'python -m retrieval.nearest corpus/fables.txt "a tired donkey on the road" 4',
    "reviews-bayes": """
from quill import NaiveBayes, read_labelled, split

texts, labels = read_labelled("corpus/reviews.tsv")
train, test = split(texts, labels, test_share=0.3)
classifier = NaiveBayes(alpha=0.3, ngrams=(1, 2))
classifier.fit(*train)
print(classifier.accuracy(*test))
classifier.write_report("results/bayes.json")
""",
    "diary-word-bigrams": """
from quill import LanguageModel

model = LanguageModel(order=2, unit="word", smoothing="witten-bell")
model.train("corpus/diary.txt")
print(model.generate(prompt="We sailed", length=25, temperature=1.5))
model.write_report("results/bigram.json")
""",
}

DEFAULTS = {
    "spirals-adam": "python train/fit_mlp.py --n_epochs 2",
    "rings-lasso": "python train/fit_linear.py",
    "moons-tanh": "python train/fit_mlp.py --n_epochs 2 --out reports/moons_tanh.json",
    "xor-repeated": "bash scripts/repeat.sh xor",
    "rings-regions": "python analysis/boundary.py checkpoints/moons_mlp.json",
    "stripes-medoids": "python experiments/partition.py",
    "moons-single-link": "python experiments/partition.py",
    "how-many-groups": "python experiments/choose_k.py bic",
    "diagonal-mixture": "python experiments/mixture.py",
    "diary-six-grams": "python -m language_model.train corpus/fables.txt",
    "diary-continued": "python -m language_model.write corpus/fables.txt",
    "reviews-perceptron": "python -m classification.train",
    "fables-search": "python -m retrieval.nearest corpus/diary.txt friend",
    "reviews-bayes": "python -m classification.train --report results/bayes.json",
    "diary-word-bigrams": "python -m language_model.write corpus/fables.txt --out results/bigram.json",
}
"""Commands that end well and write the right file, without the user's values."""

SCRIPTS = {
    "spirals-adam": "train/fit_mlp.py",
    "rings-lasso": "train/fit_linear.py",
    "moons-tanh": "train/fit_mlp.py",
    "xor-repeated": "scripts/repeat.sh",
    "rings-regions": "analysis/boundary.py",
    "stripes-medoids": "experiments/partition.py",
    "moons-single-link": "experiments/partition.py",
    "how-many-groups": "experiments/choose_k.py",
    "diary-six-grams": "language_model/train.py",
    "diary-continued": "language_model/write.py",
    "reviews-perceptron": "classification/train.py",
    "fables-search": "retrieval/nearest.py",
}
"""The script behind each bash task, for counting shared words."""
