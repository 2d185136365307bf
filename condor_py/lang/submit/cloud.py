"""Commands of grid jobs for clouds (ec2, gce, azure): they become attributes, though no such job is run here."""

from __future__ import annotations

import os

from condor_py.lang.submit.job import JobMaker, split_list

#: Command -> attribute, in HTCondor's order of work; the same name again is another spelling.
_EC2_STRINGS = (
    ("ec2_keypair", "EC2KeyPair"), ("ec2_keyp_air", "EC2KeyPair"), ("ec2_security_groups", "EC2SecurityGroups"),
    ("ec2_security_ids", "EC2SecurityIDs"), ("ec2_ami_id", "EC2AmiID"), ("ec2_instance_type", "EC2InstanceType"),
    ("ec2_vpc_subnet", "EC2VpcSubnet"), ("ec2_vpc_ip", "EC2VpcIp"), ("ec2_elastic_ip", "EC2ElasticIp"),
    ("ec2_availability_zone", "EC2AvailabilityZone"), ("ec2_spot_price", "EC2SpotPrice"),
    ("ec2_block_device_mapping", "EC2BlockDeviceMapping"), ("ec2_user_data", "EC2UserData"),
    ("ec2_iam_profile_arn", "EC2IamProfileArn"),
)  # fmt: skip
_GCE_STRINGS = (("gce_account", "GceAccount"), ("gce_image", "GceImage"), ("gce_machine_type", "GceMachineType"))
_AZURE_STRINGS = (
    ("azure_image", "AzureImage"), ("azure_location", "AzureLocation"), ("azure_size", "AzureSize"),
    ("azure_admin_username", "AzureAdminUsername"), ("azure_admin_key", "AzureAdminKey"),
)  # fmt: skip
#: Command, attribute, and what the file is called when it cannot be opened.
_FILES = (
    ("ec2_user_data_file", "EC2UserDataFile", "user data"), ("gce_auth_file", "GceAuthFile", "auth"),
    ("gce_metadata_file", "GceMetadataFile", "metadata"), ("gce_json_file", "GceJsonFile", "json"),
    ("azure_auth_file", "AzureAuthFile", "auth"),
)  # fmt: skip
_REQUIRED = {
    "gce": ("GCE jobs require a", _GCE_STRINGS[1:]),
    "azure": ("\nERROR: Azure jobs require an", _AZURE_STRINGS),
    "ec2": ("EC2 jobs require a", (("ec2_ami_id", "EC2AmiID"),)),
}
_KEYS = (
    ("EC2AccessKeyId", "ec2_access_key_id", "aws_access_key_id_file", "public"),
    ("EC2SecretAccessKey", "ec2_secret_access_key", "aws_secret_access_key_file", "private"),
)
_FROM_INSTANCE = "FROM INSTANCE"


def set_cloud(job: JobMaker, grid_type: str) -> None:
    """The attributes of cloud commands; ``grid_type`` is the first word of the grid resource, in lower case."""
    _set_keys(job, grid_type)
    for command, attribute in (*_EC2_STRINGS, *_GCE_STRINGS, *_AZURE_STRINGS):
        job.string_command(command, attribute)
    _set_key_file(job)
    _set_volumes(job)
    profile = job.param("ec2_iam_profile_name", "EC2IamProfileName")
    if profile is not None and not job.has("EC2IamProfileArn"):
        job.assign_string("EC2IamProfileName", profile)
    for command, attribute, what in _FILES:
        name = job.param(command, attribute)
        if name is not None:
            job.assign_string(attribute, _readable(job, name, what))
    metadata = job.param("gce_metadata", "GceMetadata")
    if metadata is not None:
        job.assign_string("GceMetadata", ",".join(part.strip() for part in metadata.split(",") if part.strip()))
    if job.param("gce_preemptible", "GcePreemptible") is not None:
        job.assign_bool("GcePreemptible", job.param_bool("gce_preemptible", "GcePreemptible"))
    _set_named(job, "ec2_parameter_", "EC2Param", grid_type)
    _set_named(job, "ec2_tag_", "EC2Tag", grid_type)
    _set_named(job, "cloud_label_", "CloudLabel", grid_type)
    _require(job, grid_type)


def _require(job: JobMaker, grid_type: str) -> None:
    words, commands = _REQUIRED.get(grid_type, ("", ()))
    for command, attribute in commands:
        if not job.has(attribute):
            raise job.fail(f'{words} "{command}" parameter\n')


def _set_keys(job: JobMaker, grid_type: str) -> None:
    for attribute, command, other, what in _KEYS:
        name = job.param(command, attribute) or job.param(other, attribute)
        if name is None:
            continue
        if name.upper() == _FROM_INSTANCE:
            for key, *_ in _KEYS:
                job.assign_string(key, _FROM_INSTANCE)
        else:
            job.assign_string(attribute, _readable(job, name, f"{what} key"))
    if grid_type != "ec2":
        return
    for attribute, command, other, _ in _KEYS:
        if not job.has(attribute):
            raise job.fail(f"EC2 jobs require a '{command}' or '{other}' parameter\n")


def _set_key_file(job: JobMaker) -> None:
    name = job.param("ec2_keypair_file", "EC2KeyPairFile") or job.param("ec2_key_pair_file", "EC2KeyPairFile")
    if name is None:
        return
    if job.has("EC2KeyPair"):
        job.warn("EC2 job(s) contain both ec2_keypair and ec2_keypair_file; ignoring ec2_keypair_file.\n")
    else:
        job.assign_string("EC2KeyPairFile", job.full_path(name))


def _set_volumes(job: JobMaker) -> None:
    volumes = job.param("ec2_ebs_volumes", "EC2ElasticBlockStorageVolumes")
    if volumes is None:
        return
    if not all(part.count(":") == 1 for part in split_list(volumes)):
        raise job.fail(
            "'ec2_ebs_volumes' has incorrect format.\nThe format shoud be like \"<instance_id>:<devicename>\"\n"
            "e.g.> For single volume: ec2_ebs_volumes = vol-35bcc15e:hda1\n"
            "      For multiple disks: ec2_ebs_volumes = vol-35bcc15e:hda1,vol-35bcc16f:hda2\n"
        )
    if not job.has("EC2AvailabilityZone"):
        raise job.fail("'ec2_ebs_volumes' requires 'ec2_availability_zone'\n")
    job.assign_string("EC2ElasticBlockStorageVolumes", volumes)


def _readable(job: JobMaker, name: str, what: str) -> str:
    """The whole path of a file that has to be there, unless files are not checked."""
    path = job.full_path(name)
    if job.settings.skip_filechecks or not job.looks_at_files:
        return path
    try:
        with open(path, "rb"):
            pass
    except IsADirectoryError:
        raise job.fail(f"{path} is a directory\n") from None
    except OSError as error:
        raise job.fail(f"Failed to open {what} file {path} ({os.strerror(error.errno or 0)})\n") from None
    return path


def _set_named(job: JobMaker, command_prefix: str, attribute_prefix: str, grid_type: str) -> None:
    """Tags, labels and parameters: one attribute a name, and the list of the names.

    Names whose case matters are listed by the user; ``Name`` of an ec2 job is its executable.
    """
    listing = f"{command_prefix}names"
    given = job.param(listing, f"{attribute_prefix}Names")
    names = split_list(given) if given is not None else []
    is_parameter = attribute_prefix == "EC2Param"
    for macro in sorted(job.macros.table, key=lambda macro: macro.name.lower()):
        key = macro.name.lower()
        name = macro.name[len(command_prefix) :] if key.startswith(command_prefix) else ""
        if name and not name.lower().startswith("names") and not _listed(name, names):
            names.append(name)
    for name in names:
        plain = name.replace(".", "_") if is_parameter else name
        attribute = f"{attribute_prefix}_{plain}" if is_parameter else f"{attribute_prefix}{plain}"
        value = job.param(f"{command_prefix}{plain}", attribute)
        if value is not None:
            job.assign_string(attribute, value)
    if (
        grid_type == "ec2"
        and not is_parameter
        and not _listed("Name", names)
        and job.param_bool("WantNameTag", default=True)
    ):
        command = job.string("Cmd")
        if command is not None:
            job.assign_string(f"{attribute_prefix}Name", command)
    if names:
        job.assign_string(f"{attribute_prefix}Names", (", " if is_parameter else ",").join(names))


def _listed(name: str, names: list[str]) -> bool:
    return name.lower() in {other.replace(".", "_").lower() for other in names}
