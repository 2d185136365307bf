"""What the configuration says about containers: docker (or podman), singularity (or apptainer), and who runs in one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Volume:
    """A directory of the machine for containers (DOCKER_VOLUME_DIR_<name>): ``path`` is SOURCE[:PLACE[:OPTIONS]], ""
    where the configuration does not say it. ``mount_if`` is an expression about slot (MY) and job (TARGET), "" for all
    of them."""

    name: str
    path: str = ""
    mount_if: str = ""


@dataclass(frozen=True, slots=True)
class DockerSettings:
    """``command`` is DOCKER: the program of docker, or one that understands the same (podman).

    ``extra_arguments`` are more words for ``create`` (DOCKER_EXTRA_ARGUMENTS), ``networks`` those that jobs may ask for
    besides none, nat and host. ``drop_capabilities``, ``shm_size`` (bytes of /dev/shm) and ``mount_under_scratch``
    (directories in the container that are in the job's scratch directory) are expressions about slot and job.
    ``volumes`` are those that jobs get (DOCKER_MOUNT_VOLUMES), ``image_cache_size`` is how many images are kept.
    """

    command: str = ""
    extra_arguments: str = ""
    drop_capabilities: str = "true"
    under_init: bool = True
    keeps_no_log: bool = True
    networks: tuple[str, ...] = ()
    shm_size: str = ""
    mount_under_scratch: str = ""
    volumes: tuple[Volume, ...] = ()
    image_cache_size: int = 8
    #: Images that are on the machine are taken for what they are called, whoever has brought them.
    trusts_local_images: bool = False
    checks_architecture: bool = True
    maps_all_gpus: bool = False
    #: NO_JOB_NETWORKING: no container has a network.
    networkless: bool = False
    #: The program that tells what a user may pull images with (DOCKER_PAT_PRODUCER); "" for his own file.
    credentials_program: str = ""


@dataclass(frozen=True, slots=True)
class DockerTest:
    """How the startd tries the engine: whether, with which image (a file; "" for a small one that is made), under which
    name; and seconds between two looks at the images it keeps (0: none)."""

    wanted: bool = True
    image: str = ""
    name: str = "htcondor_docker_test"
    look_interval: int = 1200


@dataclass(frozen=True, slots=True)
class ContainerAbilities:
    """What the startd has found out about containers here.

    ``docker`` is what the engine says of itself, "" where there is none that works; ``docker_broken`` why it does not.
    ``volumes`` are the names of DOCKER_VOLUMES, ``cached_mb`` what the images of jobs take (-1: nobody has looked).
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


@dataclass(frozen=True, slots=True)
class SingularitySettings:
    """``command`` is SINGULARITY: the program of singularity or apptainer.

    ``job`` tells which jobs run in it that do not ask for it themselves; it, ``image``, ``bind``, ``extra_arguments``
    and ``mount_under_scratch`` are expressions about slot (MY) and job (TARGET), the last two may also be plain text.
    ``pid_namespaces`` None: where they work. ``test_timeout`` is in seconds.
    """

    command: str = ""
    job: str = "false"
    image: str = "SingularityImage"
    target_dir: str = ""
    bind: str = "SingularityBind"
    extra_arguments: str = ""
    verbosity: str = "-s"
    tests_image: bool = True
    test_timeout: int = 30
    pid_namespaces: bool | None = None
    ignores_missing_targets: bool = False
    adds_rocm: bool = False
    #: Variables of the program's own that jobs may set.
    allowed_variables: tuple[str, ...] = ()
    mount_under_scratch: str = ""
    #: What the startd tries it with: a directory and a file, "" for those that are made.
    test_sandbox: str = ""
    test_sif: str = ""
    test_patience: int = 120
    #: NO_JOB_NETWORKING: no container has a network.
    networkless: bool = False
    #: A shell in the image starts the program and notes that: what ends without it has not run.
    uses_launcher: bool = False


@dataclass(frozen=True, slots=True)
class DefaultContainer:
    """USE_DEFAULT_CONTAINER and DEFAULT_CONTAINER_IMAGE, expressions about slot (MY) and job (TARGET): which jobs run
    in a container that do not ask for one, and in which."""

    wanted: str = ""
    image: str = ""
