"""Proves that what configs/cluster offers fits KubeRay's fields, our own command line, and each other."""

import copy
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml
from jsonschema import Draft202012Validator

from razzsim.cli.app import app
from tests.runner.helpers import experiment, play, rows, sums

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "configs" / "cluster"
SCHEMA = Draft202012Validator(json.loads((ROOT / "tests/data/kuberay.schema.json").read_text()))
JOB, CLUSTER = (yaml.safe_load((FOLDER / f"{name}.yaml").read_text()) for name in ("rayjob", "raycluster"))
SCRIPTS = sorted(FOLDER.glob("*.sbatch"))


def problems(manifest: object) -> list[str]:
    return [error.message for error in SCHEMA.iter_errors(manifest)]


def pods(cluster: dict) -> list[dict]:
    return [group["template"]["spec"] for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])]


def options_of(command: str) -> set[str]:
    known = typer.main.get_command(app).commands[command].params
    return {option for parameter in known for option in parameter.opts}


def test_manifests_have_kuberays_fields_and_no_others():
    assert (problems(JOB), problems(CLUSTER)) == ([], [])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "submissionMode"), "k8sJobMode"),
        (("spec", "shutDownAfterJobFinishes"), True),
        (("spec", "rayClusterSpec", "headGroupSpec", "rayStartParams", "num-cpus"), 0),
        (("spec", "rayClusterSpec", "authOptions", "mode"), "Token"),
        (("spec", "rayClusterSpec", "workerGroupSpecs", 0, "maxReplicas"), "63"),
        (("spec", "rayClusterSpec", "workerGroupSpecs", 0, "template", "spec", "containers", 0, "resources"), None),
    ],
)
def test_the_schema_notices(path, value):
    """Slips that KubeRay's own definition refuses, or would pass over in silence."""
    wrong = copy.deepcopy(JOB)
    place = wrong
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert len(problems(wrong)) == 1


def test_both_manifests_are_the_same_cluster():
    assert JOB["spec"]["rayClusterSpec"] == CLUSTER["spec"]


def test_pods_mount_what_they_have_and_run_as_nobody_special():
    for pod in pods(CLUSTER["spec"]):
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes.keys()
            mounted = {mount["mountPath"]: volumes[mount["name"]] for mount in container["volumeMounts"]}
            environment = {variable["name"]: variable["value"] for variable in container["env"]}
            assert "emptyDir" in mounted[environment["RAZZSIM_CACHE"]]  # of the node: code is compiled for its CPU
            assert environment["RAY_USAGE_STATS_ENABLED"] == "0"
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["terminationGracePeriodSeconds"] >= 30
    claim = yaml.safe_load((FOLDER / "storage.yaml").read_text())
    assert volumes["results"]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]


def test_the_cluster_grows_with_what_is_wanted():
    assert CLUSTER["spec"]["enableInTreeAutoscaling"] is True
    assert all(0 <= group["minReplicas"] < group["maxReplicas"] for group in CLUSTER["spec"]["workerGroupSpecs"])


def test_the_head_asks_for_a_token_and_stays_inside():
    assert CLUSTER["spec"]["authOptions"]["mode"] == "token"
    assert CLUSTER["spec"]["headGroupSpec"]["serviceType"] == "ClusterIP"


def test_the_job_is_a_command_of_ours_and_can_be_tried_again():
    program, command, config, *rest = shlex.split(JOB["spec"]["entrypoint"])
    assert (program, command) == ("razzsim", "run")
    assert {word for word in rest if word.startswith("--")} <= options_of("run")
    assert "--resume" in rest or not JOB["spec"]["backoffLimit"]
    mounts = CLUSTER["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert {str(Path(config).parent), str(Path(rest[rest.index("--out") + 1]).parent)} <= {
        m["mountPath"] for m in mounts
    }
    assert int(yaml.safe_load(JOB["spec"]["runtimeEnvYAML"])["env_vars"]["RAY_JOB_STOP_WAIT_TIME_S"]) > 3


def test_the_image_is_not_roots_and_the_manifests_use_it():
    lines = (FOLDER / "Containerfile").read_text().splitlines()
    (tag,) = {line.split("--tag ")[1].split()[0] for line in lines if "--tag " in line}
    images = {container["image"] for pod in pods(CLUSTER["spec"]) for container in pod["containers"]}
    assert images == {tag}
    user = [line for line in lines if line.startswith("USER")][-1].split()[1]
    assert user.split(":")[0] == str(pods(CLUSTER["spec"])[0]["securityContext"]["runAsUser"]) != "0"
    assert "[cluster]" in "\n".join(lines)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_are_bash(script):
    subprocess.run(["bash", "-n", script], check=True)
    subprocess.run([Path(sys.executable).with_name("shellcheck"), script], check=True)
    directives = [line for line in script.read_text().splitlines() if line.startswith("#SBATCH")]
    assert all(line.startswith("#SBATCH --") for line in directives)


def test_a_task_of_the_array_plays_its_shard(tmp_path):
    """Executed as Slurm does, with a `srun` that says what it was given."""
    (tmp_path / "srun").write_text('#!/bin/bash\nprintf "%s\\n" "$@"\n')
    (tmp_path / "srun").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "16"}
    environment["RAZZSIM_CACHE"] = str(tmp_path / "cache")
    told = subprocess.run(
        ["bash", FOLDER / "shards.sbatch", "a b/question.yaml", "/shared/my results"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert told[:3] == ["razzsim", "run", "a b/question.yaml"]
    assert told[told.index("--shard") + 1] == "3/16"
    assert told[told.index("--out") + 1] == "/shared/my results/question.3-of-16.duckdb"
    assert {"--local", "--resume"} <= set(told)
    for missing in ([], ["question.yaml"]):
        words = ["bash", FOLDER / "shards.sbatch", *missing]
        assert subprocess.run(words, env=environment, check=False, capture_output=True).returncode != 0


@pytest.mark.slow
def test_the_parts_of_the_array_merge_to_the_undivided_run(tmp_path):
    """Both scripts as Slurm executes them, with a `srun` that does what it is told."""
    (tmp_path / "srun").write_text('#!/bin/bash\nexec "$@"\n')
    (tmp_path / "srun").chmod(0o755)
    config, results = experiment(tmp_path, "question", record="hands"), tmp_path / "my results"
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tmp_path}:{programs}:/usr/bin:/bin", "SLURM_ARRAY_TASK_COUNT": "2"}
    results.mkdir()
    tasks = [("shards.sbatch", {"SLURM_ARRAY_TASK_ID": task}) for task in ("1", "2")]
    for script, own in [*tasks, ("merge.sbatch", {})]:
        words = ["bash", FOLDER / script, config, results]
        done = subprocess.run(words, env={**environment, **own}, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    merged, whole = results / "question.duckdb", play(config, "whole.duckdb").path
    assert sums(merged) == sums(whole)
    assert rows(merged, "SELECT * FROM hands ORDER BY ALL") == rows(whole, "SELECT * FROM hands ORDER BY ALL")
