"""The hub's values for Kubernetes: they fit together, and the charts' own schemas accept them.

No cluster is needed, and Helm only for rendering. The charts are not in this repository: `CHARTS`
names a folder with clones of zero-to-jupyterhub-k8s and dask-gateway, of which each version is read
by its tag.
"""

import base64
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator
from small_hub import HUB

from nbjudge.desk.progress import START

HERE = HUB / "kubernetes"
CHARTS = {
    "hub.yaml": ("zero-to-jupyterhub-k8s", "jupyterhub"),
    "gateway.yaml": ("dask-gateway", "resources/helm/dask-gateway"),
}


def text(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def values(name: str) -> dict:
    return yaml.safe_load(text(name))


def version(name: str) -> str:
    """The chart's version for which the values are made: the first line says it."""
    return re.search(r"chart [a-z-]+ ([\d.]+)", text(name)).group(1)


@dataclass
class Chart:
    """The files of a chart in a clone, in the version that the values name."""

    folder: Path
    name: str

    def read(self, file: str) -> dict:
        """The content of a YAML file."""
        clone, place = CHARTS[self.name]
        tagged = f"{version(self.name)}:{place}/{file}"
        git = ["git", "-C", self.folder / clone, "show", tagged]
        return yaml.safe_load(subprocess.run(git, check=True, capture_output=True).stdout)


def with_values(default: dict, own: dict) -> dict:
    """One set of values over another, table by table."""
    merged = dict(default)
    for name, value in own.items():
        both = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = with_values(merged[name], value) if both else value
    return merged


@pytest.mark.parametrize("name", CHARTS)
def test_the_charts_schema_accepts_the_values(name):
    if not (folder := os.environ.get("CHARTS")):
        pytest.skip("needs clones of the charts, and CHARTS with the folder that holds them")
    chart = Chart(Path(folder), name)
    schema = Draft7Validator(chart.read("values.schema.yaml"))
    # Helm merges the values into the chart's own, and asks the schema about all of them.
    merged = with_values(chart.read("values.yaml"), values(name))
    if name == "hub.yaml":  # as --set-file does
        merged["hub"]["extraFiles"]["pods"]["stringData"] = text("pods.py")
    assert [error.message for error in schema.iter_errors(merged)] == []
    assert [*schema.iter_errors(merged | {"singleUser": {}})], "it refuses an unknown name"


#: What of each chart's templates runs, and what of the values must have reached the templates.
RENDERED = {
    "hub.yaml": ({"hub", "proxy", "user-scheduler"}, ("tfcourse-learner-pod", "postgresql")),
    "gateway.yaml": (
        {"api-course-dask-gateway", "controller-course-dask-gateway"},
        ("tfcourse-instructor",),
    ),
}


@pytest.mark.parametrize("name", CHARTS)
def test_helm_renders_the_templates(name, tmp_path):
    """With the chart's own schema, which Helm asks first."""
    if not (folder := os.environ.get("CHARTS")) or not (helm := shutil.which("helm")):
        pytest.skip("needs Helm, clones of the charts, and CHARTS with the folder that holds them")
    clone, place = CHARTS[name]
    git = ["git", "-C", Path(folder) / clone, "archive", version(name), place]
    packed = subprocess.run(git, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", tmp_path], input=packed, check=True)
    schema = Chart(Path(folder), name).read("values.schema.yaml")
    (tmp_path / place / "values.schema.json").write_text(json.dumps(schema), "utf-8")
    command = [helm, "template", "course", tmp_path / place, "--values", HERE / name]
    if name == "hub.yaml":
        command += ["--set-file", f"hub.extraFiles.pods.stringData={HERE / 'pods.py'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = [one for one in yaml.safe_load_all(done.stdout) if one]
    runs, reached = RENDERED[name]
    assert runs <= {one["metadata"]["name"] for one in made if one["kind"] == "Deployment"}
    secrets = [one for one in made if one["kind"] == "Secret"]
    hidden = [base64.b64decode(v).decode() for one in secrets for v in one["data"].values()]
    whole = "\n".join([done.stdout, *hidden])
    assert all(text in whole for text in reached)
    if name == "hub.yaml":
        assert any(text("pods.py") == v for one in secrets for v in one["stringData"].values())
    refused = subprocess.run([*command, "--set", "singleUser.x=1"], capture_output=True, text=True)
    assert refused.returncode and "singleUser" in refused.stderr


def test_what_one_file_names_another_has():
    hub, gateway = values("hub.yaml"), values("gateway.yaml")
    objects = {
        f"{one['kind']}/{one['metadata']['name']}": one
        for one in yaml.safe_load_all(text("cluster.yaml"))
    }
    volume = hub["singleuser"]["storage"]["extraVolumes"]["exchange"]
    assert f"PersistentVolumeClaim/{volume['persistentVolumeClaim']['claimName']}" in objects
    place = hub["singleuser"]["storage"]["extraVolumeMounts"]["exchange"]["mountPath"]
    assert hub["singleuser"]["extraEnv"]["COURSE_EXCHANGE"] == place
    host = re.search(r"@(\w+):5432", hub["hub"]["db"]["url"]).group(1)
    assert f"Service/{host}" in objects and f"StatefulSet/{host}" in objects
    database = objects[f"StatefulSet/{host}"]["spec"]["template"]["spec"]["containers"][0]
    secret = database["env"][2]["valueFrom"]["secretKeyRef"]
    assert secret == {"name": hub["hub"]["existingSecret"], "key": "hub.db.password"}
    service = gateway["gateway"]["auth"]["jupyterhub"]["jupyterhubServiceName"]
    (teaches,) = hub["hub"]["loadRoles"].values()
    assert f"access:services!service={service}" in teaches["scopes"]
    assert hub["hub"]["services"][service]["url"] in text("pods.py")
    image = gateway["gateway"]["backend"]["image"]
    env = hub["hub"]["extraEnv"]
    assert env["COURSE_INSTRUCTORS_IMAGE"] == f"{image['name']}:{image['tag']}"
    everybody = {*teaches["users"], *hub["hub"]["config"]["Authenticator"]["admin_users"]}
    assert everybody == set(env["COURSE_INSTRUCTORS"].split())


def test_the_images_have_the_charts_versions():
    installed = text("Containerfile").split()
    hub = re.search(r"\(JupyterHub ([\d.]+)\)", text("hub.yaml")).group(1)
    assert f"jupyterhub=={hub}" in installed
    assert f"dask-gateway=={version('gateway.yaml')}" in installed


def test_a_learners_pod_opens_on_the_page_to_start_with():
    assert f'"/lab/tree/{START}"' in text("pods.py")
