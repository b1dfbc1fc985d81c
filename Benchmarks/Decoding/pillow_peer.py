"""Pillow as a peer of `make bench-decode`: draft and thumbnail, on the lines that peers.c describes.

    pillow_peer.py WIDTH FILE
"""

import io
import sys
import time

from PIL import Image

Image.MAX_IMAGE_PIXELS = None


def status_bytes(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def main():
    width = int(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        data = file.read()

    def decode():
        with Image.open(io.BytesIO(data)) as image:
            height = max(1, round(image.height * width / image.width))
            image.draft("RGB", (width, height))
            image.thumbnail((width, height), Image.Resampling.LANCZOS)
            return image.copy()

    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "memory":
            status_bytes("VmRSS:")  # so that the code that reads the number is in memory
            before = status_bytes("VmRSS:")
            decode()
            answer = status_bytes("VmHWM:") - before
        elif command == "time":
            start = time.process_time()
            for _ in range(int(argument)):
                decode()
            answer = (time.process_time() - start) * 1e3 / int(argument)
        else:
            sys.exit(f"pillow_peer: {command} asks for nothing known")
        print(answer, flush=True)


main()
