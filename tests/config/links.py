#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the configuration says of links: links.py HBACTL GOLDEN

Wanted modes override, every label that a golden case shows can be wanted, what is ignored is no alarm, and
only until its day.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HBACTL, GOLDEN = sys.argv[1:3]
BELOW, NAME = "spi-fusion-one-at-half-rate", "target0:0:2"


def captures(case):
    names = sorted((n for n in os.listdir(os.path.join(GOLDEN, case)) if n[:-5].isdigit()), key=lambda n: int(n[:-5]))
    return [os.path.join(GOLDEN, case, n) for n in names]


def report(case, config, paths=None):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(config)
        file.flush()
        words = [HBACTL, "--config", file.name]
        for path in paths or captures(case):
            words += ["--capture", path]
        p = subprocess.run(words + ["--json=short"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if p.stderr:
        raise AssertionError(p.stderr)
    r = json.loads(p.stdout)
    r["status"], r["by_name"] = p.returncode, {link["kernel_name"]: link for link in r["links"]}
    return r


class Wanted(unittest.TestCase):
    def test_less_is_ok(self):
        r = report(BELOW, '[link "%s"]\nexpect = Ultra160\nreason = an old disk\n' % NAME)
        link = r["by_name"][NAME]
        self.assertEqual((link["verdict"], link["expected"]["label"], link["reason"]), ("ok", "Ultra160", "an old disk"))
        self.assertRegex(link["expected_from"][0]["via"], r"\.conf:2$")
        self.assertEqual(link["expected_from"][0]["who"], "administrator")
        self.assertEqual(r["status"], 0)

    def test_more_is_below(self):
        r = report("spi-fusion-u320-fine", '[link "target0:0:1"]\nexpect = 640\n')
        link = r["by_name"]["target0:0:1"]
        self.assertEqual((link["verdict"], link["expected"]["mb_per_s"]), ("below", 640))
        self.assertIn("configuration wants", r["findings"][0]["summary"])
        self.assertEqual(r["status"], 1)

    def test_what_an_end_can_do(self):
        """What is not known of a device or adapter, or wrongly, can be said."""
        for said, verdict, expected in (("", "below", "Ultra320"), ("far_best = Ultra160", "ok", "Ultra160"),
                                        ("near_best = 160", "ok", "Ultra160")):
            with self.subTest(said=said):
                link = report(BELOW, '[link "%s"]\n%s\n' % (NAME, said))["by_name"][NAME]
                self.assertEqual((link["verdict"], link["expected"]["label"]), (verdict, expected))
                if said:
                    who = "target" if said.startswith("far") else "initiator"
                    self.assertEqual([c["via"][-2:] for c in link["able"] if c["who"] == who], [":2"])

    def test_what_runs_faster_refutes_it(self):
        r = report(BELOW, '[link "%s"]\nfar_best = Ultra2\n[link "1000:0030"]\nnear_best = Ultra160\n' % NAME)
        link = r["by_name"][NAME]
        self.assertEqual([c["label"] for c in link["able"] if c["who"] == "target"], ["Ultra320"])
        self.assertEqual([c["label"] for c in link["able"] if c["who"] == "initiator"], ["Ultra160"])
        notes = [n[n.rindex(".conf:") + 6:] for n in r["notes"]]
        self.assertEqual(notes, ["4: not used for 7 links: target0:0:0 runs at Ultra320, which is more",
                                 "2: not used: %s runs at Ultra160, which is more" % NAME])
        self.assertEqual(report(BELOW, '[link "target0:0:1"]\nnear_best = 319\n')["notes"], [], "rounded")

    def test_one_bad_label_is_one_note(self):
        r = report(BELOW, '[link "*"]\nexpect = Ultra999\n')
        self.assertEqual([n[n.rindex(".conf:") + 6:] for n in r["notes"]],
                         ["2: no mode of a link like target0:0:0 is called Ultra999"])

    def test_a_label_of_some_of_the_links_is_fine(self):
        r = report("mixed-large-two-faults", '[link "*"]\nfar_best = 16GFC\n')
        self.assertLess({"fc", "pcie"}, {link["transport"] for link in r["links"]})
        self.assertEqual([n for n in r["notes"] if ".conf:" in n], [])

    def test_a_faster_generation_is_no_width(self):
        for case, said in (("fc-one-port-8g-sibling-16g", "expect = 16GFC"), ("iscsi-session-over-1g-nic", "far_best = 10 Gb/s Ethernet\nnear_best = 10 Gb/s Ethernet"),
                           ("fcoe-and-10gfc", "expect = 40 Gb/s Ethernet"), ("fc-one-port-8g-sibling-16g", "expect = 32GFC")):
            with self.subTest(case=case, said=said):
                r = report(case, '[link "*"]\n%s\n' % said)
                below = {f["code"] for f in r["findings"] if f["severity"] == "warning" and f["code"] != "link-lost"}
                self.assertEqual(below, {"rate-below-expected"})

    def test_by_each_device_on_it(self):
        case = "mixed-large-two-faults"
        seen = {}
        for d in report(case, "")["devices"]:
            seen.setdefault(d["link"], []).append(d)
        link, last = next((k, v[-1]) for k, v in seen.items() if k and len(v) > 1)
        for glob in [last["hctl"]] + last["nodes"]:
            with self.subTest(glob=glob):
                r = report(case, '[link "%s"]\nexpect = 8GFC\nreason = said\n' % glob)
                self.assertEqual([x["id"] for x in r["links"] if x.get("reason") == "said"], [link])

    def test_what_is_about_nothing_is_said(self):
        r = report(BELOW, '[link "sdq"]\nignore = yes\n\n[host "host9"]\nphysical = yes\n[link "target*"]\nignore = no\n'
                   '[link "gone"]\nignore = yes\nuntil = 2001-01-01\n[link "empty"]\n[host "host1"]\nphysical = yes\n')
        self.assertEqual([n[n.rindex(".conf:") + 6:] for n in r["notes"]],
                         ['4: [host "host9"] is about nothing here', '1: [link "sdq"] is about nothing here'])

    def test_a_device_that_is_none_is_said(self):
        r = report(BELOW, '[device "sdq"]\ntier = sysfs\n[device "0:0:0:0"]\ntier = sysfs\n[device "/dev/sd?"]\ntier = read\n'
                   '[device "empty"]\n')
        self.assertEqual([n[n.rindex(".conf:") + 6:] for n in r["notes"]], ['1: [device "sdq"] is about nothing here'])

    def test_who_is_asked_nothing_by_somebody_s_word(self):
        case, name = "spi-fusion-built-in-all-narrow", "target0:0:1"
        bound = "it is slower than the upper bound known for its ends; what they really can do is not known"
        sysfs = bound + "; 0:0:1:0 is asked nothing: so says "
        with tempfile.TemporaryDirectory() as folder:
            with open(captures(case)[0], encoding="utf-8") as file:
                capture = json.load(file)
            path = os.path.join(folder, "1.json")

            def reason(config, captured=path):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(capture, file)
                link = report(case, config, [captured])["by_name"][name]
                return link["verdict"], re.sub(r"\S+\.conf", "conf", link.get("reason", ""))

            line = '[device "0:0:1:0"]\ntier = sysfs\n'
            self.assertNotIn("asked nothing", reason(line, captures(case)[0])[1])   # it was asked
            capture["commands"] = [c for c in capture["commands"] if c["device"] != "0:0:1:0"]
            self.assertEqual(reason(""), ("unknown", bound))
            self.assertEqual(reason(line), ("unknown", sysfs + "conf:2 (tier = sysfs)"))
            self.assertEqual(reason("[probe]\n\ntier = sysfs\n"), ("unknown", sysfs + "conf:3 (tier = sysfs)"))
            (device,) = [d for d in capture["dirs"] if d.endswith("/target0:0:1/0:0:1:0")]
            capture.setdefault("props", {}).setdefault(device, {})["HBAD_TIER"] = "sysfs"
            self.assertEqual(reason(""), ("unknown", sysfs + "udev (HBAD_TIER=sysfs)"))

    def test_each_key_has_its_line(self):
        lines = ('[link "*"]', "near_best = Ultra320", "ignore = yes", '[link "%s"]' % NAME, "far_best = Ultra320",
                 "expect = Ultra320", "reason = none")
        r = report(BELOW, "\n".join(lines) + "\n")
        link = r["by_name"][NAME]
        said = [c["via"] for c in link["expected_from"]] + [c["via"] for c in link["able"] if ".conf" in c["via"]]
        acknowledged = [e["from"] for f in r["findings"] for e in f["evidence"] if e["what"] == "acknowledged"]
        self.assertEqual([v[v.rindex(":"):] for v in said + acknowledged], [":6", ":2", ":5", ":3"])

    def test_a_controller_by_its_ids(self):
        r = report(BELOW, '[link "1000:0030"]\nnear_best = Ultra160\n')
        link = r["by_name"][NAME]
        self.assertEqual(["Ultra160"], [c["label"] for c in link["able"] if c["who"] == "initiator"])
        self.assertEqual([n for n in r.get("notes", []) if "no mode" in n], [], "the slot is none of these links")

    def test_by_any_name(self):
        for glob in ("pci-0000:02:04.0-spi-0:2", "SEAGATE*", "host0", "0000:02:04.0", "LSI53C1030*", "sdc", "sg2", "/dev/sdc",
                     "/dev/sg2", "0:0:2:0", "pci-0000:02:04.0-spi-0:2-lun-0"):
            with self.subTest(glob=glob):
                self.assertEqual(report(BELOW, '[link "%s"]\nexpect = Ultra160\n' % glob)["by_name"][NAME]["verdict"], "ok")
        self.assertEqual(report(BELOW, '[link "host1"]\nexpect = Ultra160\n')["by_name"][NAME]["verdict"], "below")

    def test_every_label_can_be_wanted(self):
        labels = set()
        for case in sorted(os.listdir(GOLDEN)):
            if not os.path.isdir(os.path.join(GOLDEN, case)):
                continue
            up = {link["id"]: link["actual"]["label"] for link in report(case, "")["links"]
                  if link["state"] == "up" and link["actual"] and link["actual"]["label"] and link["verdict"] != "none"}
            r = report(case, "".join('[link "%s"]\nexpect = %s\n' % i for i in up.items()))
            self.assertEqual([n for n in r["notes"] if "is called" in n], [], case)
            for link in r["links"]:
                if link["id"] in up and link["verdict"] != "unknown":
                    self.assertEqual((link["verdict"], link["expected"]["label"]), ("ok", up[link["id"]]), link["id"])
            labels |= set(up.values())
        self.assertGreater(len(labels), 25, labels)

    def test_what_is_no_mode_is_said(self):
        r = report(BELOW, '[link "%s"]\nexpect = Ultra161\n' % NAME)
        self.assertEqual(r["by_name"][NAME]["verdict"], "below")
        self.assertTrue(any("Ultra161" in n and ".conf:2" in n for n in r["notes"]), r["notes"])


class Ignored(unittest.TestCase):
    def severities(self, config):
        r = report(BELOW, config)
        return r["by_name"][NAME]["verdict"], [f["severity"] for f in r["findings"] if f["code"] == "rate-below-expected"], r

    def test_is_info_with_its_reason(self):
        verdict, severities, r = self.severities('[link "%s"]\nignore = yes\nreason = cable is ordered\n' % NAME)
        self.assertEqual((verdict, severities, r["status"]), ("below", ["info"], 0))
        self.assertIn({"what": "acknowledged", "value": "cable is ordered"},
                      [{k: e[k] for k in ("what", "value")} for f in r["findings"] for e in f["evidence"]])

    def test_what_is_lost_or_stuck_is_as_loud(self):
        for case, code in (("device-times-out", "device-stuck"), ("sas-shelf-unplugged-one-finding", "link-lost"),
                           ("fc-port-of-target-gone", "path-lost"), ("sas-adapter-resets", "host-resetting")):
            with self.subTest(code=code):
                loud, ignored = ([f["severity"] for f in report(case, c)["findings"] if f["code"] == code]
                                 for c in ("", '[link "*"]\nignore = yes\n'))
                self.assertNotIn(loud, ([], ["info"]))
                self.assertEqual(loud, ignored)

    def test_errors_are_acknowledged(self):
        for case, code in (("sas-phy-errors-growing", "errors-growing"), ("sata-link-flapping", "link-flapping")):
            with self.subTest(code=code):
                self.assertEqual({f["severity"] for f in report(case, '[link "*"]\nignore = yes\n')["findings"]
                                  if f["code"] == code}, {"info"})

    def test_until_its_day(self):
        taken = report(BELOW, "")["taken"][:10]
        self.assertEqual(self.severities('[link "%s"]\nignore = yes\nuntil = %s\n' % (NAME, taken))[1], ["info"])
        self.assertEqual(self.severities('[link "%s"]\nignore = yes\nuntil = 2001-01-01\n' % NAME)[1], ["warning"])

    def test_only_where_all_links_are(self):
        case = "spi-fusion-built-in-all-narrow"
        whole = report(case, "")["findings"]
        one = report(case, '[link "target0:0:0"]\nignore = yes\n')["findings"]
        bus = report(case, '[link "host0"]\nignore = yes\n')["findings"]
        self.assertEqual([f["severity"] for f in whole], [f["severity"] for f in one])
        self.assertEqual(sum(f["severity"] == "warning" for f in bus), sum(f["severity"] == "warning" for f in whole) - 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
