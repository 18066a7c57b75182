import json

from event_pb2 import Event

stored = [Event(step=i).SerializeToString() for i in range(1, 6)]
steps = [Event.FromString(data).step for data in stored]
print("steps", steps)
with open("result.json", "w") as file:
    json.dump({"steps": max(steps)}, file)
