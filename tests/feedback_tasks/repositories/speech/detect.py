"""Find keywords in the resampled tones."""

import argparse
import json


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threshold", type=float, default=0.5, help="loudness from which a keyword counts")
    args = parser.parse_args()
    with open("cache/tones.json") as file:
        content = json.load(file)
    found = [tone for tone in content["tones"] if tone >= args.threshold]
    print(found)
    with open("detected.json", "w") as file:
        json.dump({"threshold": args.threshold, "found": len(found), "rate": content["rate"]}, file)


if __name__ == "__main__":
    main()
