import pickle

with open("checkpoints/backbone.pkl", "rb") as file:
    weights = pickle.load(file)
print(len(weights))
