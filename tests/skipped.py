"""What pytest says at its end of tests that were skipped."""

from collections import Counter


def pytest_terminal_summary(terminalreporter) -> None:
    """Say in one line how many tests were skipped, and for want of what."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[-1].removeprefix("Skipped: ") for report in reports)
    if reasons:
        said = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"{len(reports)} tests were skipped: {said}")
