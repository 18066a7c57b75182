uv pip install -q .
python - <<'PY'
import csv

from easyAI import solve_with_iterative_deepening
from easyAI.AI import TranspositionTable
from easyAI.games.Nim import Nim

with open("inputs/positions.csv") as source, open("outputs/verdicts.csv", "w", newline="") as target:
    rows = csv.writer(target)
    rows.writerow(["name", "result", "move"])
    for row in csv.DictReader(source):
        piles = [int(pile) for pile in row["piles"].split("-")]
        game = Nim(piles=piles)
        result, _, move = solve_with_iterative_deepening(
            game, range(1, sum(piles) + 1), win_score=80, tt=TranspositionTable(), verbose=False
        )[:3]
        rows.writerow([row["name"], "win" if result == 1 else "loss", move.replace(",", "-") if result == 1 else ""])
PY
