"""What remains of a class once its learners are forgotten: numbers about all of them together."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from nbjudge.files import write_whole

#: The file in a folder of graded work.
STATISTICS = "statistics.json"

#: Numbers about fewer learners would tell something about one of them.
FEWEST = 5


def keep_statistics(into: Path) -> list[str]:
    """Write the statistics of each problem set that was graded in a folder, without names.

    Those of a larger class that are there already stay. Returns the problem sets written.
    """
    path, reports = into / STATISTICS, into / "report.json"
    if not reports.is_file():
        return []
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    written = []
    for name, report in json.loads(reports.read_text("utf-8")).items():
        statistics = of_class(report["students"])
        if statistics["learners"] > kept.get(name, {}).get("learners", 0):
            kept[name] = statistics
            written.append(name)
    write_whole(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    return written


def of_class(students: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The number of learners and, if they are at least ``FEWEST``, their points as a class.

    These are mean and quartiles of the points, and for each test its points, their mean, and the
    share of learners with all of them.
    """
    statistics: dict[str, Any] = {"learners": len(students)}
    if len(students) < FEWEST:
        return statistics
    scores = [student["score"] for student in students.values()]
    statistics["points"] = max(student["max_score"] for student in students.values())
    statistics["mean"], statistics["quartiles"] = round(mean(scores), 3), quantiles(scores, n=4)
    tests: dict[str, list[dict[str, Any]]] = {}
    for student in students.values():
        for name, test in student["tests"].items():
            if test["score"] is not None:
                tests.setdefault(name, []).append(test)
    statistics["tests"] = {
        name: {
            "points": results[0]["max_score"],
            "mean": round(mean(test["score"] for test in results), 3),
            "passed": round(mean(test["score"] >= test["max_score"] for test in results), 3),
        }
        for name, results in tests.items()
        if len(results) >= FEWEST
    }
    return statistics
