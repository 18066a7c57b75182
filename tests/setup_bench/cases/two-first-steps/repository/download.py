with open("raw.csv", "w") as file:
    file.write("1,2\n3,4\n")
