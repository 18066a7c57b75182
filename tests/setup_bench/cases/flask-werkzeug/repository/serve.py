import argparse
import json

from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/predict")
def predict():
    good = sum(word in {"good", "great", "fine"} for word in request.args["text"].split())
    return jsonify(label="positive" if good else "negative")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--self-test", action="store_true", help="answer one request and stop")
    if parser.parse_args().self_test:
        answer = app.test_client().get("/predict?text=a great film")
        with open("result.json", "w") as file:
            json.dump({"status": answer.status_code, "label": answer.json["label"]}, file)
    else:
        app.run()
