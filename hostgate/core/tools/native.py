"""Make and its kin, compilers and linkers, monorepo build systems, hardware description."""

from hostgate.core.tools.tool import Tool, table

# From their own documentation: a target may stand anywhere, so whatever is no dry run builds.
_MAKE = Tool(
    "build",
    values="-C --directory -f --file --makefile -I --include-dir -o --old-file -W --what-if",
    harmless="-n -q --just-print --question --recon",
)
_COMPILER = Tool("build", harmless="-dumpversion -dumpmachine -print-search-dirs --print-targets")
_BAZEL = Tool(
    "build",
    read="""query cquery aquery info dump mod/graph mod/deps mod/show_repo mod/path
        analyze-profile print_action canonicalize-flags license config version help""",
    other="shutdown",
    bare="read",
)
_BUCK = Tool(
    "build",
    read="""query uquery cquery aquery targets audit audit-* status log rage help root
        docs ctargets""",
    other="kill killall init server",
    bare="read",
)

TOOLS = table(
    {
        "make gmake mingw32-make nmake bmake": _MAKE,
        """gcc g++ cc c++ clang clang++ clang-cl cl icc icx icpx nvcc hipcc emcc em++ gfortran ifort
        ifx flang tcc dmd ldc2 gdc gnatmake gprbuild fpc lazbuild cobc nasm yasm as ld ld.lld lld
        gold mold ar ranlib swiftc valac protoc flatc capnp thrift windres metal metallib
        musl-gcc cython cythonize""": _COMPILER,
        "ninja samu": Tool(
            "build",
            values="-C -f -j -k -l -d -w",
            harmless="-n -t --version",
            building="-tclean",
        ),
        "cmake": Tool(
            "build",
            values="-S -B -G -C -P -T -A --build --install --preset --target -t -j --config -U",
            harmless="""-N -L -LA -LAH --system-information --list-presets --help-command
                --help-module --help-variable --help-command-list --print-config-dir""",
            elsewhere="-E -P",
        ),
        "ctest": Tool(
            "test",
            values="-R -E -L -LE -C -j -I --test-dir --timeout --repeat --preset -D -M -T -S -O",
            harmless="-N --show-only --print-labels --list-presets",
            same="""-V=--verbose -VV=--extra-verbose -R=--tests-regex -E=--exclude-regex
                -L=--label-regex -j=--parallel -Q=--quiet -C=--build-config""",
            tuning="-j --parallel --timeout --repeat --schedule-random",
        ),
        "cpack": Tool("build"),
        "meson": Tool("build", read="introspect", values="-C"),
        "scons": Tool("build", harmless="-n --just-print"),
        "waf xmake premake5 premake4 qmake qmake6 gn b2 bjam tup redo please plz": Tool(
            "build", read="query ls desc path refs help"
        ),
        """configure autogen.sh autoreconf autoconf automake aclocal autoheader libtoolize
        bootstrap.sh buildconf config.status ndk-build""": Tool("build"),
        "x.py": Tool(build="build b check c test t clippy dist doc install run r"),
        "bazel bazelisk blaze": _BAZEL,
        "ibazel": Tool("server"),
        "buck buck2": _BUCK,
        "pants": Tool(
            "build",
            read="""list dependencies dependents peek roots paths filedeps help count-loc
                help-all help-advanced version""",
            other="fmt lint fix tailor update-build-files publish generate-lockfiles",
            goals=True,
        ),
        "verilator iverilog yosys vivado quartus_sh vlog vcom nextpnr-ice40 nextpnr-ecp5": Tool(
            "build"
        ),
        "conan": Tool("build", read="list search info inspect graph/info config/list version"),
        "vcpkg": Tool("build", read="list search version help env", other="new integrate update"),
        "makepkg dpkg-buildpackage debuild rpmbuild abuild ebuild snapcraft flatpak-builder": Tool(
            "build", harmless="--printsrcinfo"
        ),
        "mock pbuilder sbuild": Tool("build"),
        "bitbake": Tool("build", harmless="-e -s -g --show-versions --environment"),
        "kas": Tool("build", read="dump", other="checkout"),
        "gotestsum richgo": Tool("build"),
        "valgrind": Tool("other"),
        "gdb lldb": Tool("other"),
    }
)
