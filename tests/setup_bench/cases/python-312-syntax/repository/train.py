import json

history = []
for epoch in range(4):
    history.append({"epoch": epoch, "loss": 1 / (epoch + 1)})
    print(f"epoch {history[-1]["epoch"]} loss {history[-1]["loss"]:.3f}")

with open("result.json", "w") as file:
    json.dump({"epochs": len(history)}, file)
