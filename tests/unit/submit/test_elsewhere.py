"""Virtual machines and clouds: their ads are those of HTCondor."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.errors import SubmitError

VM = "universe = vm\nexecutable = name\nvm_type = KVM\nvm_memory = 512M\nvm_disk = a.img:sda1:w:qcow2\n"
EC2 = "universe = grid\ngrid_resource = ec2 https://ec2.example.net/\nexecutable = label\n"


def test_a_virtual_machine(alice) -> None:  # type: ignore[no-untyped-def]
    ad = alice.job(VM + "vm_networking = true\nvm_networking_type = nat\n")
    assert ad["JobUniverse"] == "13"
    assert ad["JobVMType"] == '"kvm"'
    assert ad["JobVMMemory"] == "512"
    assert ad["ExecutableSize"] == str(512 * 1024)
    assert ad["RequestMemory"] == "MY.JobVMMemory"
    assert ad["ShouldTransferFiles"] == '"YES"'
    assert ad["TransferExecutable"] == "false"
    assert "(TARGET.VM_Type == MY.JobVMType) && (TARGET.VM_AvailNum > 0)" in ad["Requirements"]
    assert "TARGET.VM_Networking && stringListIMember(JobVMNetworkingType," in ad["Requirements"]


@pytest.mark.parametrize(
    ("lines", "attributes"),
    [
        ("vm_vcpus = 4", {"JobVM_VCPUS": "4", "RequestCpus": "1"}), ("vm_vcpus = x", {"JobVM_VCPUS": "1"}),
        ("vm_vcpus = 2\nrequest_cpus = 4", {"JobVM_VCPUS": "2", "RequestCpus": "4"}),
        ("vm_disk = a b.img : vda : w ", {"VMPARAM_vm_Disk": '"a b.img : vda : w"'}),
        ("vm_disk = a:b:w,,", {"VMPARAM_vm_Disk": '"a:b:w,,"'}), ("vm_vnc = true", {"JobVMVNCConsole": "true"}),
        ("vm_networking = true\nvm_macaddr = 52:54", {"JobVM_MACADDR": '"52:54"', "JobVMNetworking": "true"}),
        ("vm_type = xen\nxen_kernel = /k\nxen_root = r\nxen_initrd = i", {"VMPARAM_Xen_Initrd": '"i"'}),
    ],
)  # fmt: skip
def test_what_htcondor_makes_of_it(alice, lines: str, attributes: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    """Recorded from condor_submit -dump of HTCondor 25.14."""
    ad = alice.job(VM + lines + "\n")
    assert {name: ad[name] for name in attributes} == attributes


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("vm_memory = none", "vm_memory is incorrectly specified"),
        ("vm_memory = 99999999999999999999", "vm_memory is incorrectly specified"),
        ("vm_disk = a.img", "'vm_disk' has incorrect format"),
        ("vm_disk = ,", "'vm_disk' has incorrect format"),
        ("vm_type = vmware", "no longer supported"),
        ("vm_type = xen", "'xen_kernel' cannot be found"),
        ("vm_type = xen\nxen_kernel = vmx\nxen_initrd = x", "xen_kernel should be a real kernel file"),
        ("input = in.txt", "You cannot use input"),
        ("vm_checkpoint = true\nvm_networking = true", "both VM checkpoint and VM networking"),
    ],
)
def test_mistakes_with_virtual_machines(alice, lines: str, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SubmitError) as error:
        alice.job(VM + lines + "\n")
    assert message in " ".join(error.value.report.split())


def test_the_words_for_a_xen_kernel(alice) -> None:  # type: ignore[no-untyped-def]
    """Quotes of either kind are not the kernel's."""
    ad = alice.job(VM + "vm_type = xen\nxen_kernel = k\nxen_root = sda1\nxen_kernel_params = 'a b'\n")
    assert ad["VMPARAM_Xen_Kernel_Params"] == '"a b"'
    assert ad["VMPARAM_Xen_Root"] == '"sda1"'


def test_a_cloud_job(alice) -> None:  # type: ignore[no-untyped-def]
    ad = alice.job(
        EC2 + "ec2_access_key_id = key\nec2_secret_access_key = secret\nec2_ami_id = ami-6\nec2_tag_owner = me\n"
        "ec2_tag_names = Owner\nec2_parameter_Launch = x\n"
    )
    assert ad["EC2AmiID"] == '"ami-6"'
    assert ad["EC2AccessKeyId"].endswith('/key"')
    assert (ad["EC2TagOwner"], ad["EC2TagName"], ad["EC2TagNames"]) == ('"me"', '"label"', '"Owner"')
    assert (ad["EC2Param_Launch"], ad["EC2ParamNames"]) == ('"x"', '"Launch"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EC2 + "ec2_ami_id = a\n", "EC2 jobs require a 'ec2_access_key_id'"),
        (EC2 + "ec2_access_key_id = k\nec2_secret_access_key = s\n", 'EC2 jobs require a "ec2_ami_id" parameter'),
        (EC2.replace("ec2 https", "gce https"), 'GCE jobs require a "gce_image" parameter'),
        (EC2.replace("ec2 https", "azure https"), 'Azure jobs require an "azure_image" parameter'),
        (EC2 + "ec2_access_key_id = k\nec2_secret_access_key = s\nec2_ami_id = a\nec2_ebs_volumes = v\n", "incorrect"),
    ],
)
def test_mistakes_with_cloud_jobs(alice, text: str, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SubmitError, match=message):
        alice.job(text)


def test_requirements_added_to_those_of_virtual_machines(alice) -> None:  # type: ignore[no-untyped-def]
    alice.set(append_requirements="Any", append_req_vm="HasDisks")
    assert alice.job(VM)["Requirements"].startswith("(HasDisks) && ")
    assert alice.job("")["Requirements"].startswith("(Any) && ")
