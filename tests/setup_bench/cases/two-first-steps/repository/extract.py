with open("raw.csv") as file:
    numbers = file.read().replace("\n", ",").split(",")
with open("features.npy", "w") as file:
    file.write(" ".join(n for n in numbers if n))
