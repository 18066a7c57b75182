import os, pickle
os.makedirs("checkpoints", exist_ok=True)
with open(os.path.join("checkpoints", "model.pkl"), "wb") as file:
    pickle.dump({"weight": 2}, file)
