# SPDX-License-Identifier: Apache-2.0
# usage: test_workflows.py
# tests/rules/workflows.py finds faults that are planted in a workflow.
import copy
import unittest

import workflows

GOOD = {
    "on": {"schedule": [{"cron": "17 2 * * *"}]},
    "permissions": {"contents": "read"},
    "jobs": {"test": {
        "runs-on": "ubuntu-24.04", "timeout-minutes": 5,
        "strategy": {"matrix": {"preset": ["release", "asan"]}},
        "steps": [{"name": "checkout", "uses": "actions/checkout@v4"},
                  {"name": "test", "run": "./scripts/test --preset ${{ matrix.preset }} -- -R x"}],
    }},
}


def changed(change):
    workflow = copy.deepcopy(GOOD)
    change(workflow, workflow["jobs"]["test"])
    return list(workflows.workflow_problems(workflow))


class Workflows(unittest.TestCase):
    def test_good(self):
        self.assertEqual(changed(lambda workflow, job: None), [])

    def test_planted(self):
        def run(text):
            return lambda workflow, job: job["steps"][1].update(run=text)
        planted = {
            "61 is not in": lambda workflow, job: workflow["on"]["schedule"][0].update(cron="61 2 * * *"),
            "has 4 fields": lambda workflow, job: workflow["on"]["schedule"][0].update(cron="1 2 * *"),
            "more than read": lambda workflow, job: workflow.pop("permissions"),
            "no timeout-minutes": lambda workflow, job: job.pop("timeout-minutes"),
            "needs other": lambda workflow, job: job.update(needs="other"),
            "has no version": lambda workflow, job: job["steps"][0].update(uses="actions/checkout"),
            "not one of": lambda workflow, job: job["steps"][0].update(run="true"),
            "does not exist": run("./scripts/tset"),
            "does not know --quick": run("./scripts/test --quick"),
            "no shell": run("if true"),
            "matrix lacks": run("./scripts/test --preset ${{ matrix.other }}"),
            "expression": run("echo ${{ matrx.preset }}"),
        }
        for text, change in planted.items():
            with self.subTest(text):
                problems = changed(change)
                self.assertTrue(any(text in problem for problem in problems), problems)


if __name__ == "__main__":
    unittest.main()
