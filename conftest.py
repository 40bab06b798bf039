"""What every test shares: one thread, shapes checked at run time, the course, a browser."""

import os

# Before torch is loaded here or in any kernel a test starts: the same numbers every time.
os.environ.update(
    OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", PYTHONHASHSEED="0", TQDM_DISABLE="1", MPLBACKEND="agg"
)
# Where something asks for two threads all the same, the one that waits gives up its core, which
# other tests need: turning in circles took four times the work's own time.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import gc  # noqa: E402
import importlib.util  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Generator  # noqa: E402
from pathlib import Path  # noqa: E402
from types import ModuleType  # noqa: E402

import jaxtyping  # noqa: E402
import pytest  # noqa: E402
from jaxtyping import install_import_hook  # noqa: E402
from steady import steady  # noqa: E402

# Every annotated shape in the package is checked whenever a test calls it.
CHECKED = ["attention", "by_loop", "generation", "kernels", "layers", "models",
           "positions", "properties", "recurrent", "training.losses"]  # fmt: skip
install_import_hook([f"tfcourse.{name}" for name in CHECKED], "beartype.beartype")

import torch  # noqa: E402

from coursebook import browser  # noqa: E402
from coursebook import course as course_tree  # noqa: E402

torch.set_num_threads(1)
if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # before anything imports Triton

# What of the tests is run, what has passed unchanged, and in which process and order.
pytest_plugins = ("levels", "passed", "spread")

#: Chromium's part that draws pages is the first: pages take a quarter less processor time in it.
BROWSERS = ("chromium-headless-shell", *browser.BROWSERS)
#: Milliseconds that a page may take to answer on a busy machine.
PATIENCE = 120_000
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page's window would load two pages of the browser's own, for what is typed as an address.
    # Of two such flags the last one counts, so that Playwright's features are named again.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,"
    "MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,"
    "PreconnectToSearch",
    # No name is found but this machine's own address: a page that asks elsewhere fails.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected out of garbage collection: it is kept to the end.

    To go through it again and again took a quarter of the processor's time, in each process.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long each chapter took of what it may take."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "chapter":
                terminalreporter.write_line(f"chapter {value}")


@pytest.fixture(scope="session")
def course() -> Path:
    """The root of the course."""
    return course_tree.root(Path(__file__).parent)


@pytest.fixture(scope="session")
def shared(course: Path) -> Path:
    """What lies beside the project and is never part of it; tests of it skip where it is absent."""
    folder = course.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder `shared` beside the project, which is not here")
    return folder


@pytest.fixture(scope="session")
def unchecked() -> Callable[[str], ModuleType]:
    """A module as a user has it: loaded anew, without the shape checks that the tests add."""

    def load(name: str) -> ModuleType:
        source = importlib.import_module(name).__file__
        spec = importlib.util.spec_from_file_location(f"plain_{name.rpartition('.')[2]}", source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def plainly():
    """As outside the tests, where no annotation is checked."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def generator() -> torch.Generator:
    """Random numbers of this test's own, the same at every run."""
    return torch.Generator().manual_seed(0)


@pytest.fixture(scope="session")
def chromium():
    """Headless Chromium without a network, driven by Playwright; skips where either is missing."""
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip("needs Chromium: apt-get install chromium (or your system's way)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=executable, args=list(FLAGS))
        new_context = opened.new_context

        def patient_context(**settings):
            context = new_context(**settings)
            context.set_default_timeout(PATIENCE)
            new_page = context.new_page
            context.new_page = lambda: steady(new_page())
            return context

        opened.new_context = patient_context
        yield opened
        opened.close()
