import pickle

with open("./pretrained_pth/maxvit_small.pth", "rb") as file:
    weights = pickle.load(file)
print(len(weights))
