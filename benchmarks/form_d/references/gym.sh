uv pip install -q . "numpy<1.20" "scipy<1.6" "setuptools<58"
cat > learn.py <<'PY'
import numpy as np
from gym.envs.toy_text.frozen_lake import FrozenLakeEnv

lake = FrozenLakeEnv(desc=open("inputs/lake.txt").read().split(), is_slippery=True)
lake.seed(1)
random = np.random.RandomState(1)
q = np.zeros((lake.nS, lake.nA))
visits = np.zeros_like(q)
for episode in range(30000):
    state = lake.reset()
    for _ in range(200):
        action = random.randint(lake.nA) if random.rand() < max(0.1, 1 - episode / 15000) else q[state].argmax()
        after, reward, done, _ = lake.step(action)
        visits[state, action] += 1
        rate = max(0.02, 1 / visits[state, action] ** 0.6)
        q[state, action] += rate * (reward + 0.99 * q[after].max() * (not done) - q[state, action])
        state = after
        if done:
            break
np.save("outputs/q.npy", q)
PY
cat > evaluate.py <<'PY'
import json

import numpy as np
from gym.envs.toy_text.frozen_lake import FrozenLakeEnv

lake = FrozenLakeEnv(desc=open("inputs/lake.txt").read().split(), is_slippery=True)
lake.seed(2)
q, successes = np.load("outputs/q.npy"), 0
for _ in range(2000):
    state = lake.reset()
    for _ in range(200):
        state, reward, done, _ = lake.step(q[state].argmax())
        successes += reward
        if done:
            break
with open("outputs/evaluation.json", "w") as file:
    json.dump({"success_rate": successes / 2000}, file)
PY
python learn.py
python evaluate.py
