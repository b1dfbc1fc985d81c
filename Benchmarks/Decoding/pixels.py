"""Compares Calotype's full-size decodes of lossless files with Pillow's, pixel by pixel.

    .build/bench-decode/venv/bin/python Benchmarks/Decoding/pixels.py CALO FOLDER

Takes the PNG, GIF and lossless WebP files of the folder that both can decode. Without a colour profile or gamma, every
pixel has to be the same; with one it may differ by 1, by Pillow's ImageCms. The exit status is 1 if one isn't.
"""

import io
import pathlib
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageCms, ImageOps


def reference(path):
    """The first frame as straight RGBA, upright, and how much a channel may differ."""
    image = Image.open(path)
    if image.info.get("default_image"):
        image.seek(1)
    profile = image.info.get("icc_profile")
    # Of 16 bits of colour Pillow cuts the lower eight off; here they are rounded.
    allowed = 1 if path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and path.read_bytes()[24] == 16 else 0
    if image.mode.startswith("I;16") or image.mode == "I":
        # 16 bits of gray, to 8 with rounding: Pillow itself would cut off what is above 255.
        gray = numpy.rint(numpy.asarray(image).astype(numpy.float64) / 257).astype(numpy.uint8)
        return numpy.dstack([gray, gray, gray, numpy.full_like(gray, 255)]), 0
    if profile and image.mode in ("RGB", "RGBA"):
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        image = ImageCms.profileToProfile(
            image, source, ImageCms.createProfile("sRGB"), renderingIntent=0, outputMode=image.mode)
        allowed = 1
    elif "gamma" in image.info and "srgb" not in image.info:
        if not 0.45 <= image.info["gamma"] <= 0.46:
            return None, 0
    # Pillow applies no orientation that stands in text or eXIf by itself.
    return numpy.asarray(ImageOps.exif_transpose(image.convert("RGBA"))), allowed


def is_lossless(path):
    head = path.read_bytes()[:4096]
    if head[:8] == b"\x89PNG\r\n\x1a\n" or head[:4] == b"GIF8":
        return True
    return head[:4] == b"RIFF" and b"VP8L" in head and b"ANIM" not in head


def main():
    calo, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failures = compared = 0
    for path in sorted(folder.iterdir()):
        if not path.is_file() or not is_lossless(path):
            continue
        if path.name.startswith("apng-sequence_repeat"):
            print(f"{path.name}: not compared, its frames are out of order, so that its still image is shown")
            continue
        try:
            expected, allowed = reference(path)
        except Exception as error:  # Pillow refuses it: there is nothing to compare with.
            print(f"{path.name}: not compared, {type(error).__name__}")
            continue
        if expected is None:
            print(f"{path.name}: not compared, a gamma of its own")
            continue
        with tempfile.TemporaryDirectory() as output:
            run = subprocess.run([calo, "load", "--output", output, str(path)], capture_output=True, text=True)
            files = list(pathlib.Path(output).iterdir())
            if run.returncode != 0 or len(files) != 1:
                print(f"{path.name}: not decoded, {run.stderr.strip().splitlines()[-1] if run.stderr else ''}")
                continue
            actual = numpy.asarray(Image.open(files[0]).convert("RGBA"))
        compared += 1
        if actual.shape != expected.shape:
            print(f"{path.name}: {actual.shape} instead of {expected.shape}")
            failures += 1
            continue
        # Premultiplied: what is transparent has no colour, and what is nearly so has only a few.
        def premultiplied(pixels):
            alpha = pixels[..., 3:].astype(numpy.float64) / 255
            return numpy.dstack([numpy.rint(pixels[..., :3] * alpha), pixels[..., 3]])

        difference = numpy.abs(premultiplied(actual) - premultiplied(expected)).max()
        if difference > allowed:
            print(f"{path.name}: differs by {difference:.0f}, allowed {allowed}")
            failures += 1
    print(f"{compared} files compared, {failures} of them differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
