import os


def connect(device):
    if device == "cpu":
        return device
    if not os.path.exists("/dev/nvidiactl"):
        raise RuntimeError(
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver"
        )
    return device
