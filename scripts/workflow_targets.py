#!/usr/bin/env python3
"""The make targets that workflows call, one a line: in their own words, or through a matrix."""

import re
import sys

from ruamel.yaml import YAML

targets = set()
for name in sys.argv[1:]:
    with open(name) as file:
        workflow = YAML(typ="safe").load(file)
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        commands = [step["run"] for step in job["steps"] if "run" in step] + [*matrix.get("command", [])]
        targets.update(target for command in commands for target in re.findall(r"(?:^|&& )make ([a-z-]+)", command))
        if any("make ${{ matrix.target }}" in command for command in commands):
            targets.update(matrix["target"])
print("\n".join(sorted(targets)))
