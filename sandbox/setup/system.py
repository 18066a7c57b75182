"""Which Debian package has a shared library or a program."""

import re

_LIBRARIES = {
    r"libGL\.so": ("libgl1",),
    r"libgthread|libglib|libgobject|libgio": ("libglib2.0-0",),
    r"libSM\.so": ("libsm6",),
    r"libXext\.so": ("libxext6",),
    r"libXrender\.so": ("libxrender1",),
    r"libX11\.so": ("libx11-6",),
    r"libEGL\.so": ("libegl1",),
    r"libOSMesa": ("libosmesa6",),
    r"libGLU\.so": ("libglu1-mesa",),
    r"libGLEW": ("libglew2.2",),
    r"libglfw": ("libglfw3",),
    r"libgomp\.so": ("libgomp1",),
    r"sndfile": ("libsndfile1",),
    r"libsox": ("sox", "libsox-dev"),
    r"espeak": ("espeak-ng",),
    r"libmagic|^magic": ("libmagic1",),
    r"enchant": ("libenchant-2-2",),
    r"cairo": ("libcairo2",),
    r"portaudio": ("libportaudio2",),
    r"libopenslide": ("libopenslide0",),
    r"[Tt]esseract": ("tesseract-ocr",),
    r"libgeos|^geos": ("libgeos-c1v5",),
    r"libgdal|^GDAL": ("libgdal-dev", "gdal-bin"),
    r"libspatialindex": ("libspatialindex6",),
    r"libmpi\.so": ("libopenmpi3",),
    r"libopenblas": ("libopenblas0",),
    r"liblapack": ("liblapack3",),
    r"libgfortran": ("libgfortran5",),
    r"libtcl|libtk": ("python3-tk",),
    r"libavcodec|libavformat|libavutil": ("ffmpeg",),
    r"libfluidsynth": ("libfluidsynth3",),
    r"libhdf5": ("libhdf5-103-1",),
    r"libpython3\.\d+": ("libpython3.11",),
    r"libusb": ("libusb-1.0-0",),
    r"libxcb": ("libxcb1", "libxcb-xinerama0"),
    r"libnss3|libnspr4": ("libnss3",),
    r"libzbar": ("libzbar0",),
    r"graphviz": ("graphviz",),
    r"libjpeg": ("libjpeg62-turbo",),
    r"libaio": ("libaio1",),
}
_PROGRAMS = {
    "gcc": ("build-essential",),
    "cc": ("build-essential",),
    "g++": ("build-essential",),
    "x86_64-linux-gnu-gcc": ("build-essential", "python3-dev"),
    "make": ("make",),
    "cmake": ("cmake", "build-essential"),
    "ninja": ("ninja-build",),
    "dot": ("graphviz",),
    "neato": ("graphviz",),
    "java": ("default-jre-headless",),
    "ffprobe": ("ffmpeg",),
    "convert": ("imagemagick",),
    "cargo": ("cargo",),
    "Rust": ("cargo",),
    "Rscript": ("r-base-core",),
    "7z": ("p7zip-full",),
    "mpirun": ("openmpi-bin",),
    "mpiexec": ("openmpi-bin",),
    "xvfb-run": ("xvfb", "xauth"),
    "pdftotext": ("poppler-utils",),
    "pdftoppm": ("poppler-utils",),
    "tesseract": ("tesseract-ocr",),
}
_SAME_NAME = frozenset(
    [
        "ffmpeg",
        "git",
        "wget",
        "curl",
        "unzip",
        "zip",
        "tar",
        "sox",
        "perl",
        "bc",
        "jq",
        "rsync",
        "parallel",
        "swig",
        "graphviz",
        "tree",
        "file",
        "time",
        "less",
        "vim",
        "nano",
        "aria2",
        "lzma",
        "xz-utils",
        "bzip2",
        "gzip",
        "espeak",
        "gawk",
        "nodejs",
        "npm",
        "ruby",
        "php",
        "openmpi-bin",
        "hmmer",
        "ncbi-blast+",
        "samtools",
        "bedtools",
    ]
)


def library_packages(library: str) -> tuple[str, ...]:
    """Packages with a library, by its file name or common name; none where it is not known."""
    return next((packages for pattern, packages in _LIBRARIES.items() if re.search(pattern, library)), ())


def program_packages(program: str) -> tuple[str, ...]:
    """Packages with a program; none where it is not known or cannot be had from Debian."""
    return _PROGRAMS.get(program, (program,) if program in _SAME_NAME else ())


_HEADERS = {
    "Python.h": ("python3-dev",),
    "ffi.h": ("libffi-dev",),
    "zlib.h": ("zlib1g-dev",),
    "jpeglib.h": ("libjpeg62-turbo-dev",),
    "lzma.h": ("liblzma-dev",),
    "bzlib.h": ("libbz2-dev",),
    "curl/curl.h": ("libcurl4-openssl-dev",),
    "openssl/": ("libssl-dev",),
    "libxml/": ("libxml2-dev", "libxslt1-dev"),
    "fftw3.h": ("libfftw3-dev",),
    "sndfile.h": ("libsndfile1-dev",),
    "hdf5.h": ("libhdf5-dev",),
    "gsl/": ("libgsl-dev",),
    "portaudio.h": ("portaudio19-dev",),
    "cblas.h": ("libopenblas-dev",),
    "Eigen/": ("libeigen3-dev",),
    "boost/": ("libboost-dev",),
}
_LACKED = (
    re.compile(r"fatal error: (?P<header>[\w./+-]+): No such file"),
    re.compile(r"(?:unable to execute|command|No such file or directory:|Could not find|Could NOT find) '?(?P<program>[\w+-]*(?:gcc|g\+\+|cc|cmake|make|ninja|swig|cargo|rustc|gfortran|pkg-config|git))'?"),
    re.compile(r"(?P<other>[\w+-]*(?:gcc|g\+\+|cmake|make|ninja|swig|cargo|gfortran|git)): (?:command )?not found"),
)  # fmt: skip


def packages_for(said: str) -> tuple[str, ...]:
    """Debian packages with what a build says that it lacks."""
    for pattern in _LACKED:
        match = pattern.search(said)
        if match is None:
            continue
        groups = match.groupdict()
        if header := groups.get("header"):
            return next((found for start, found in _HEADERS.items() if header.startswith(start)), ())
        return program_packages(groups.get("program") or groups.get("other") or "")
    return ()
