"""The settings of containers: docker (or podman), singularity (or apptainer), and the jobs that run in one."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.settings.knob import Settings, boolean, expression, integer, string, words
from condor_py.model.settings.shared import NO_JOB_NETWORKING


class Volume(NamedTuple):
    """A directory of the machine for containers (DOCKER_VOLUME_DIR_<name>): ``path`` is SOURCE[:PLACE[:OPTIONS]], ""
    where the configuration does not say it. ``mount_if`` is an expression about slot (MY) and job (TARGET), "" for all
    of them."""

    name: str
    path: str = ""
    mount_if: str = ""


class DockerSettings(Settings, group="Starter"):
    """``command`` is DOCKER: the program of docker, or one that understands the same (podman).

    ``extra_arguments`` are more words for ``create`` (DOCKER_EXTRA_ARGUMENTS), ``networks`` those that jobs may ask for
    besides none, nat and host. ``drop_capabilities``, ``shm_size`` (bytes of /dev/shm) and ``mount_under_scratch``
    (directories in the container that are in the job's scratch directory) are expressions about slot and job.
    ``volumes`` are those that jobs get (DOCKER_MOUNT_VOLUMES), ``image_cache_size`` is how many images are kept.
    """

    command: str = ""
    extra_arguments: str = string("DOCKER_EXTRA_ARGUMENTS", "", "Further arguments of docker create.")
    drop_capabilities: str = expression(
        "DOCKER_DROP_ALL_CAPABILITIES", "true", "Expression for taking all capabilities from containers."
    )
    under_init: bool = boolean("DOCKER_RUN_UNDER_INIT", True, "Run a small init in the container.")
    keeps_no_log: bool = boolean("DOCKER_LOG_DRIVER_NONE", True, "Keep no log of containers in docker.")
    networks: tuple[str, ...] = words("DOCKER_NETWORKS", "", "Networks that jobs may ask for.")
    shm_size: str = expression(
        "DOCKER_SHM_SIZE",
        "",
        "Bytes of /dev/shm in containers, an expression about slot and job; empty for what docker gives.",
    )
    mount_under_scratch: str = ""
    volumes: tuple[Volume, ...] = ()
    image_cache_size: int = integer(
        "DOCKER_IMAGE_CACHE_SIZE", 8, "How many images that were brought for jobs are kept.", least=0
    )
    #: Images that are on the machine are taken for what they are called, whichever user has brought them.
    trusts_local_images: bool = boolean(
        "DOCKER_TRUST_LOCAL_IMAGES",
        False,
        "Use images that are on the machine, without asking whether the user may have them.",
    )
    checks_architecture: bool = True
    maps_all_gpus: bool = boolean(
        "DOCKER_MAP_ALL_GPUS", False, "Show all GPUs of the machine to a container that has one."
    )
    #: NO_JOB_NETWORKING: no container has a network.
    networkless: bool = NO_JOB_NETWORKING
    #: The program that tells what a user may pull images with (DOCKER_PAT_PRODUCER); "" for the user's own file.
    credentials_program: str = ""
    #: The driver that keeps the logs of containers; "" for the engine's own.
    log_driver: str = ""
    network_name: str = string(
        "DOCKER_NETWORK_NAME", "docker0", "Interface or address of this machine where containers reach Chirp."
    )


class DockerTest(Settings, group="Starter"):
    """The test of the engine by the startd: whether, with which image (a file; "" for a small one that is made), under
    which name; and seconds between two checks of the images that the engine keeps (0: none)."""

    wanted: bool = boolean("DOCKER_PERFORM_TEST", True, "Run a small container before jobs are offered any.")
    image: str = ""
    name: str = string("DOCKER_TEST_IMAGE_NAME", "htcondor_docker_test", "What that image is called.")
    look_interval: int = integer(
        "DOCKER_CACHE_ADVERTISE_INTERVAL",
        1200,
        "Seconds between two measurements of the space that these take; 0 for never.",
        least=0,
    )


class ContainerAbilities(NamedTuple):
    """The results of the startd's tests of containers.

    ``docker`` is what the engine says of itself, "" where there is none that works; ``docker_broken`` why it does not.
    ``volumes`` are the names of DOCKER_VOLUMES, ``cached_mb`` the MB that the images of jobs take (-1: not measured).
    ``singularity`` is the version of that program; it works when it can run a ``sandbox`` (a directory) or a ``sif``
    file, else ``singularity_broken`` says why not. None: that could not be found out.
    """

    docker: str = ""
    docker_broken: str = ""
    networks: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    cached_mb: int = -1
    singularity: str = ""
    singularity_broken: str = ""
    sandbox: bool = False
    sif: bool = False
    pid_namespaces: bool | None = None
    user_namespaces: bool | None = None


class SingularitySettings(Settings, group="Starter"):
    """``command`` is SINGULARITY: the program of singularity or apptainer.

    ``job`` tells which jobs run in it that do not ask for it themselves; it, ``image``, ``bind``, ``extra_arguments``
    and ``mount_under_scratch`` are expressions about slot (MY) and job (TARGET), the last two may also be plain text.
    ``pid_namespaces`` None: where they work. ``test_timeout`` is in seconds.
    """

    command: str = ""
    job: str = expression(
        "SINGULARITY_JOB", "false", "Which jobs run in it that do not ask for it, about slot and job."
    )
    image: str = expression("SINGULARITY_IMAGE_EXPR", "SingularityImage", "Expression for the image.")
    target_dir: str = string(
        "SINGULARITY_TARGET_DIR", "", "Where the job's directory is inside; empty for where it is outside."
    )
    bind: str = expression(
        "SINGULARITY_BIND_EXPR", "SingularityBind", "Further directories to show inside, an expression for a list."
    )
    extra_arguments: str = string(
        "SINGULARITY_EXTRA_ARGUMENTS", "", "Further arguments of the command, an expression or as they are."
    )
    verbosity: str = string("SINGULARITY_VERBOSITY", "-s", "How much the command tells.")
    tests_image: bool = boolean("SINGULARITY_RUN_TEST_BEFORE_JOB", True, "Try the image before the job is started.")
    test_timeout: int = integer("SINGULARITY_TEST_TIMEOUT", 30, "Seconds that this may take.", least=1)
    pid_namespaces: bool | None = None
    ignores_missing_targets: bool = boolean(
        "SINGULARITY_IGNORE_MISSING_BIND_TARGET", False, "Leave out directories that the image has no place for."
    )
    adds_rocm: bool = boolean("SINGULARITY_ADD_ROCM_FLAG", False, "Pass --rocm to jobs with GPUs.")
    #: Variables of the program's own that jobs may set.
    allowed_variables: tuple[str, ...] = words(
        "SINGULARITY_ALLOWED_JOB_ENV_VARS", "", "Variables of the command's own that jobs may set."
    )
    mount_under_scratch: str = ""
    #: What the startd tries it with: a directory and a file, "" for those that are made.
    test_sandbox: str = ""
    test_sif: str = ""
    test_patience: int = integer("SINGULARITY_TEST_SANDBOX_TIMEOUT", 120, "Seconds that this may take.", least=1)
    #: NO_JOB_NETWORKING: no container has a network.
    networkless: bool = NO_JOB_NETWORKING
    mounts_home: bool = boolean(
        "SINGULARITY_MOUNT_HOME", False, "Show the home directory of the account that the job runs as inside."
    )
    #: A shell in the image starts the program and notes that: what ends without it has not run.
    uses_launcher: bool = boolean(
        "SINGULARITY_USE_LAUNCHER",
        False,
        "Start programs through a shell in the image, so that a container that does not start is no end of its job.",
    )


class DefaultContainer(NamedTuple):
    """USE_DEFAULT_CONTAINER and DEFAULT_CONTAINER_IMAGE, expressions about slot (MY) and job (TARGET): which jobs run
    in a container that do not ask for one, and in which."""

    wanted: str = ""
    image: str = ""
