"""Measures Calotype's decoding beside libvips, Pillow and the libraries' own decode, which take turns in one run.

    bench.py CALO PEERS FOLDER [CASE ...]

FOLDER keeps the inputs and the references. The exit status is 1 if a bound doesn't hold, or a candidate fails.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

import inputs

Image.MAX_IMAGE_PIXELS = None
HERE = pathlib.Path(__file__).resolve().parent


class Case:
    """A decode, and what it may cost: as a part of libvips's CPU, and of the library's own decode."""

    def __init__(self, name, file, width, vips=None, floor=None):
        self.name, self.file, self.width, self.vips, self.floor = name, file, width, vips, floor


CASES = [
    Case("jpeg-12mp-264", "12mp.jpg", 264, vips=0.75),
    Case("jpeg-12mp-1179", "12mp.jpg", 1179, vips=0.7),
    Case("jpeg-48mp-264", "48mp.jpg", 264, vips=0.88),
    Case("jpeg-48mp-1179", "48mp.jpg", 1179, vips=0.7),
    Case("progressive-12mp-264", "12mp-progressive.jpg", 264, vips=1),
    Case("progressive-12mp-1179", "12mp-progressive.jpg", 1179, vips=1),
    Case("jpeg-800x600-264", "800x600.jpg", 264, vips=0.4),
    Case("jpeg-100x100-88", "100x100.jpg", 88, vips=0.15),
    Case("png-12mp-264", "12mp.png", 264, vips=0.9),
    Case("png-12mp-1179", "12mp.png", 1179, vips=1),
    Case("webp-12mp-264", "12mp.webp", 264, vips=1),
    Case("webp-12mp-1179", "12mp.webp", 1179, vips=1),
    Case("avif-12mp-264", "12mp.avif", 264, vips=0.5),
    Case("avif-12mp-1179", "12mp.avif", 1179, vips=0.95),
    Case("heic-12mp-264", "12mp.heic", 264, floor=1.15),
    Case("heic-12mp-1179", "12mp.heic", 1179, floor=1.15),
    Case("jxl-12mp-264", "12mp.jxl", 264, floor=1.15),
    Case("jxl-12mp-1179", "12mp.jxl", 1179, floor=1.15),
    Case("png-48mp-264", "48mp.png", 264),
]

# How far the peak of a process may grow by its first decode, in MiB.
MEMORY_BOUNDS = {"jpeg-12mp-264": 4, "jpeg-48mp-264": 4, "png-12mp-264": 2, "png-48mp-264": 2}


# What is cancelled while it decodes, and whether the decoder stops then: dav1d and libde265 can't be interrupted.
CANCELLATIONS = [
    ("cancel-jpeg", "48mp.jpg", True),
    ("cancel-progressive", "48mp-progressive.jpg", True),
    ("cancel-png", "48mp.png", True),
    ("cancel-webp", "48mp.webp", True),
    ("cancel-jxl", "48mp.jxl", True),
    ("cancel-avif", "48mp.avif", False),
    ("cancel-heic", "48mp.heic", False),
]

# In how many milliseconds a cancelled caller has returned, and a decoder that can be interrupted.
CANCEL_BOUND = 20


class Unsupported(Exception):
    pass


class Candidate:
    """A process that decodes one file when it is asked to."""

    def __init__(self, name, command):
        self.name, self.times = name, []
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer == "unsupported":
            raise Unsupported
        if not answer:
            sys.exit(f"bench: {self.name} ended: {' '.join(map(str, self.process.args))}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    @property
    def median(self):
        return statistics.median(self.times)


def read_raw(path):
    with open(path, "rb") as file:
        width, height, channels = map(int, file.readline().split())
        return numpy.frombuffer(file.read(), numpy.uint8).reshape(height, width, channels)[:, :, :3]


def lanczos(count, target):
    """The matrix of Lanczos with three lobes from `count` samples to `target`, in double precision."""
    ratio = count / target
    stretch = max(ratio, 1)
    matrix = numpy.zeros((target, count))
    for index in range(target):
        center = (index + 0.5) * ratio
        low, high = max(int(center - 3 * stretch), 0), min(int(center + 3 * stretch) + 1, count)
        x = (numpy.arange(low, high) + 0.5 - center) / stretch
        weights = numpy.where(abs(x) < 3, numpy.sinc(x) * numpy.sinc(x / 3), 0)
        matrix[index, low:high] = weights / weights.sum()
    return matrix


class References:
    """All pixels of a file, then Lanczos: what a good thumbnail would be. Kept beside the inputs."""

    def __init__(self, folder, peers):
        self.folder, self.peers = folder, peers
        self.file, self.pixels = None, None

    def reference(self, case, height):
        path = self.folder / f"{case.file}-{case.width}.npy"
        if not path.exists():
            if self.file != case.file:
                with tempfile.NamedTemporaryFile() as raw:
                    subprocess.run([self.peers, "full", self.folder / case.file, raw.name], check=True)
                    self.file, self.pixels = case.file, read_raw(raw.name)
            rows, columns = lanczos(self.pixels.shape[0], height), lanczos(self.pixels.shape[1], case.width)
            planes = []
            for channel in range(3):
                # Strips: 48 megapixels in double precision would be half a gigabyte.
                strips = [
                    self.pixels[top:top + 500, :, channel].astype(float) @ columns.T
                    for top in range(0, self.pixels.shape[0], 500)
                ]
                planes.append(rows @ numpy.concatenate(strips))
            part = path.with_suffix(".part.npy")
            numpy.save(part, numpy.clip(numpy.stack(planes, 2), 0, 255))
            part.rename(path)
        return numpy.load(path)

    def psnr(self, case, candidate):
        with tempfile.NamedTemporaryFile() as raw:
            candidate.ask(f"write {raw.name}")
            pixels = read_raw(raw.name).astype(float)
        error = numpy.mean((pixels - self.reference(case, pixels.shape[0])) ** 2)
        return 10 * numpy.log10(255 ** 2 / error) if error else float("inf")


def measure(case, arguments, references):
    """The figures of one case; `None` if Calotype doesn't support the format."""
    file = arguments.folder / case.file
    commands = {
        "calotype": [arguments.calo, "bench-decode", case.width, file, arguments.quality],
        "libvips": [arguments.peers, "vips", case.width, file],
        "Pillow": [sys.executable, HERE / "pillow_peer.py", case.width, file],
        "floor": [arguments.peers, "floor", case.width, file],
    }
    if file.suffix in (".heic", ".jxl"):
        del commands["Pillow"]  # It doesn't read them.
    candidates = []
    try:
        # Of fresh processes, the median of three: which pages of code the system brings along differs.
        peaks = {name: [] for name in commands}
        for _ in range(3):
            for candidate in candidates:
                candidate.close()
            candidates = [Candidate(*item) for item in commands.items()]
            for candidate in candidates:
                peaks[candidate.name].append(int(candidate.ask("memory")))
        memory = {name: statistics.median(values) for name, values in peaks.items()}
        # Turns of 20 ms at least, so that the clock's steps don't count; and about two seconds of each.
        first = {candidate.name: float(candidate.ask("time 1")) for candidate in candidates}
        repeats = {name: max(1, round(20 / max(time, 0.01))) for name, time in first.items()}
        rounds = arguments.rounds or max(7, min(25, round(1000 / max(first["libvips"], 20))))
        for _ in range(rounds):
            for candidate in candidates:
                candidate.times.append(float(candidate.ask(f"time {repeats[candidate.name]}")))
        psnr = {candidate.name: references.psnr(case, candidate) for candidate in candidates[:2]}
        return {candidate.name: candidate.median for candidate in candidates}, memory, psnr
    except Unsupported:
        return None
    finally:
        for candidate in candidates:
            candidate.close()


def cancel(case, arguments):
    """The longest times in ms until a caller has returned and a decoder has stopped, of those cancelled at even steps."""
    candidate = Candidate("calotype", [arguments.calo, "bench-decode", 264, arguments.folder / case[1]])
    try:
        # At most some half a minute.
        milliseconds = float(candidate.ask("time 1"))
        return [float(word) for word in candidate.ask(f"cancel {max(5, min(20, round(12000 / milliseconds)))}").split()]
    finally:
        candidate.close()


def report_decodes(cases, arguments, references, judged):
    """Prints the table of times and qualities; returns each case's memory."""
    print("Median CPU in ms; the ratio of Calotype's to libvips's and to the library's own decode, the bound, and whether it")
    print("holds; PSNR in dB against all pixels and Lanczos, whose bound is the smaller of libvips's and 48.\n")
    header = ("case", "calotype", "libvips", "Pillow", "floor", "/libvips", "/floor", "bound", "", "PSNR", "libvips", "")
    row = "{:<22}{:>9}{:>9}{:>9}{:>9}{:>10}{:>8}{:>7} {:<5}{:>7}{:>9} {}"
    print(row.format(*header))
    memories = {}
    for case in cases:
        figures = measure(case, arguments, references)
        if figures is None:
            print(f"{case.name:<22}skipped: Calotype doesn't support the format yet", flush=True)
            continue
        times, memory, psnr = figures
        memories[case.name] = memory
        to_vips, to_floor = times["calotype"] / times["libvips"], times["calotype"] / times["floor"]
        bound, state = "-", ""
        if case.vips:
            bound, state = f"{case.vips:g}", judged(to_vips <= case.vips, case.name)
        if case.floor:
            bound, state = f"{case.floor:g}f", judged(to_floor <= case.floor, case.name)
        least = min(psnr["libvips"], 48)
        # Fast is fast: its quality is reported.
        quality = judged(psnr["calotype"] >= least, f"{case.name}'s quality") if arguments.quality == "balanced" else ""
        time = {name: f"{times[name]:.4g}" if name in times else "-" for name in ("calotype", "libvips", "Pillow", "floor")}
        print(
            row.format(
                case.name, *time.values(), f"{to_vips:.3f}", f"{to_floor:.3f}", bound, state,
                f"{psnr['calotype']:.1f}", f"{psnr['libvips']:.1f}", quality),
            flush=True)
    return memories


def report_memory(memories, judged):
    print("\nThe growth of a fresh process's peak by its first decode, in MiB, the median of three.\n")
    row = "{:<22}{:>9}{:>9}{:>9}{:>9}{:>7} {}"
    print(row.format("case", "calotype", "libvips", "Pillow", "floor", "bound", ""))
    for name, memory in memories.items():
        bound = MEMORY_BOUNDS.get(name)
        size = {key: memory[key] / 2**20 if key in memory else None for key in ("calotype", "libvips", "Pillow", "floor")}
        state = judged(size["calotype"] <= bound, f"{name}'s memory") if bound else ""
        texts = ["-" if value is None else f"{value:.1f}" for value in size.values()]
        print(row.format(name, *texts, bound or "-", state))


def report_cancellations(cases, arguments, judged):
    print("\nThe longest time in ms from the cancellation until the caller has returned, and until the decoder has stopped.\n")
    row = "{:<22}{:>9}{:>7} {:<5}{:>9}{:>7} {}"
    print(row.format("case", "caller", "bound", "", "decoder", "bound", ""))
    for case in cases:
        caller, decoder = cancel(case, arguments)
        name, _, stops = case
        states = judged(caller <= CANCEL_BOUND, name), judged(decoder <= CANCEL_BOUND, f"{name}'s decoder") if stops else ""
        bounds = CANCEL_BOUND, CANCEL_BOUND if stops else "-"
        print(row.format(name, f"{caller:.1f}", bounds[0], states[0], f"{decoder:.1f}", bounds[1], states[1]), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calo", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", help="names of cases, or their beginnings")
    parser.add_argument("--quality", choices=["balanced", "fast"], default="balanced")
    parser.add_argument("--rounds", type=int, help="turns of each candidate; by default as many as 2 seconds take")
    arguments = parser.parse_args()
    wanted = tuple(arguments.cases) or ("",)
    cases = [case for case in CASES if case.name.startswith(wanted)]
    cancellations = [case for case in CANCELLATIONS if case[0].startswith(wanted)]
    if not cases and not cancellations:
        names = [case.name for case in CASES] + [case[0] for case in CANCELLATIONS]
        sys.exit("bench: no case begins like that. They are " + ", ".join(names) + ".")

    photos = HERE.parent.parent / "Sources" / "CalotypeTool" / "Photos"
    inputs.make(arguments.folder, photos, arguments.peers)
    references = References(arguments.folder, arguments.peers)

    over = []

    def judged(holds, what):
        if not holds:
            over.append(what)
        return "ok" if holds else "OVER"

    if cases:
        memories = report_decodes(cases, arguments, references, judged)
        report_memory(memories, judged)
    if cancellations:
        report_cancellations(cancellations, arguments, judged)
    print("\nAll bounds hold." if not over else f"\nOver their bounds: {', '.join(over)}.")
    sys.exit(1 if over else 0)


main()
