"""The pictures that `make bench-decode` decodes, made once of the photos that the tool carries.

A photograph of 12 or 48 megapixels has less in each pixel than a small picture on the web: the photos are enlarged
(to tiles of 1000 x 750, and of 2000 x 1500) and get the grain of a sensor. Twice four by four tiles, some mirrored.
"""

import subprocess

import numpy
from PIL import Image, ImageOps

PHOTOS = ["astronaut", "coffee", "chelsea", "hubble_deep_field", "rocket", "retina"]


def photograph(photos, width, height):
    """`width` x `height` pixels of four by four tiles."""
    size = (width // 4, height // 4)
    tiles = []
    for name in PHOTOS:
        photo = Image.open(photos / f"{name}.jpg").convert("RGB")
        tiles.append(ImageOps.fit(photo, size, Image.Resampling.LANCZOS))
    canvas = Image.new("RGB", (width, height))
    for row in range(4):
        for column in range(4):
            tile = tiles[(row * 4 + column) * 5 % len(tiles)]
            canvas.paste(ImageOps.mirror(tile) if (row + column) % 2 else tile, (column * size[0], row * size[1]))
    pixels = numpy.asarray(canvas, numpy.float32)
    grain = numpy.random.default_rng(12).normal(0, 1.5, (height, width, 1)).astype(numpy.float32)
    return Image.fromarray(numpy.clip(numpy.rint(pixels + grain), 0, 255).astype(numpy.uint8))


def small(photos, width, height):
    return ImageOps.fit(Image.open(photos / "coffee.jpg").convert("RGB"), (width, height), Image.Resampling.LANCZOS)


def make(folder, photos, peers):
    """Makes what is missing in `folder`. A file appears under its name once it is whole."""
    folder.mkdir(parents=True, exist_ok=True)

    def missing(name):
        return not (folder / name).exists()

    def save(name, image, **options):
        if missing(name):
            part = folder / f"part-{name}"
            image().save(part, **options)
            part.rename(folder / name)

    def encode(name, source):
        if missing(name):
            part = folder / f"part-{name}"
            subprocess.run([peers, "encode", folder / source, part], check=True)
            part.rename(folder / name)

    made = {}

    def once(width, height):
        if (width, height) not in made:
            made[width, height] = photograph(photos, width, height)
        return made[width, height]

    jpeg = {"quality": 88, "subsampling": "4:2:0"}
    save("48mp.jpg", lambda: once(8000, 6000), **jpeg)
    save("48mp-progressive.jpg", lambda: once(8000, 6000), progressive=True, **jpeg)
    save("48mp.png", lambda: once(8000, 6000), compress_level=1)
    save("48mp.webp", lambda: once(8000, 6000), quality=82, method=0)
    save("48mp.avif", lambda: once(8000, 6000), quality=70, speed=10)
    encode("48mp.heic", "48mp.png")
    encode("48mp.jxl", "48mp.png")
    made.clear()
    save("12mp.jpg", lambda: once(4000, 3000), **jpeg)
    save("12mp-progressive.jpg", lambda: once(4000, 3000), progressive=True, **jpeg)
    save("800x600.jpg", lambda: small(photos, 800, 600), **jpeg)
    save("100x100.jpg", lambda: small(photos, 100, 100), **jpeg)
    save("12mp.png", lambda: once(4000, 3000), compress_level=6)
    save("12mp.webp", lambda: once(4000, 3000), quality=82, method=2)
    save("12mp.avif", lambda: once(4000, 3000), quality=70, speed=8)
    encode("12mp.heic", "12mp.png")
    encode("12mp.jxl", "12mp.png")
