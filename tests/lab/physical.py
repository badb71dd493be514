#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What [host "*"] physical = yes changes on a machine of emulated adapters: physical.py RESULTS."""
import sys

import compare

FAULT = "hbactl: /etc/hbad/hbad.conf:2: physical: must be yes or no\n"


def check_link(comparison, link, driver):
    """A link that is judged as if it were real."""
    name, verdict, actual = link["kernel_name"], link["verdict"], link.get("actual") or {}
    if driver == "sym53c8xx":  # never leaves asynchronous transfers, whatever its disks claim
        comparison.equal(f"{name}: mode", actual.get("label"), "async")
        comparison.true(verdict == "below" and link.get("expected") or verdict == "unknown" and link.get("reason"),
                        f"{name}: {verdict}, which is neither below with an expectation nor unknown with a reason")
    elif driver == "scsi_debug":  # has nothing that could be a link
        comparison.equal(f"{name}: verdict", (verdict, link["state"]), ("unknown", "unknown"))
    elif link["state"] == "empty":
        comparison.equal(f"{name}: verdict", verdict, "none")
    else:
        comparison.true(verdict != "none", f"{name}: none, though it is said to be physical")
    comparison.true("emulated" not in (link.get("reason") or ""), f"{name}: {link.get('reason')}")


def check(results):
    comparison = compare.Comparison()
    plain, named, own = (results.json(f"hbactl-{name}.json") for name in ("report", "physical", "etc"))
    drivers = {host["id"]: host["driver"] for host in named["hosts"]}
    for link in plain["links"]:
        comparison.equal(f"{link['kernel_name']}: verdict without a configuration", link["verdict"], "none")
    comparison.equal("links", [link["id"] for link in named["links"]], [link["id"] for link in plain["links"]])
    for link in named["links"]:
        check_link(comparison, link, drivers.get(link["host"]))
    found = list(compare.differences(named, own))
    comparison.true(not found, "--config and /etc/hbad give different reports:\n    " + "\n    ".join(found))
    comparison.equal("said of /etc/hbad", results.text("hbactl-etc.json.err"), FAULT)
    return comparison


def main(folder):
    try:
        comparison = check(compare.Results(folder))
    except (compare.NoEvidence, KeyError) as error:
        print(f"physical: no evidence: {error!r}", file=sys.stderr)
        return 2
    for complaint in comparison.complaints:
        print(f"FAIL: {complaint}")
    print(f"physical: {comparison.compared} comparisons, {len(comparison.complaints)} disagreements")
    return 1 if comparison.complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
