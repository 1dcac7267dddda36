"""What ReFrame is told for the bench `fleet`: this cluster, and the same scripted program as one test on every node."""

import os

import reframe as rfm
import reframe.utility.sanity as sn

site_configuration = {
    "systems": [
        {
            "name": "hosts",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "all",
                    # Without accounting its own `slurm` scheduler has nothing to ask.
                    "scheduler": "squeue",
                    "launcher": "local",
                    "access": ["-p", "all"],
                    "environs": ["builtin"],
                    "max_jobs": 1000,
                }
            ],
        }
    ],
    "environments": [{"name": "builtin"}],
    "general": [{"remote_detect": False}],
}


@rfm.simple_test
class Measured(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "for run in 1 2 3 4 5; do {}; done".format(os.environ.get("MEASURED", "measured"))

    @sanity_function
    def is_answered(self):
        return sn.assert_eq(sn.count(sn.extractall(r"^[0-9.]+$", self.stdout)), 5)

    @performance_function("")
    def time(self):
        return sn.avg(sn.extractall(r"^([0-9.]+)$", self.stdout, 1, float))
