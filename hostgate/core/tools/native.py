"""Make and its kin, compilers and linkers, monorepo build systems, hardware description."""

from hostgate.core.tools.tool import Tool, table

# From their own documentation: a target may stand anywhere, so whatever is no dry run builds.
_MAKE = Tool(
    "build",
    values="-C --directory -f --file --makefile -I --include-dir -o --old-file -W --what-if -O",
    harmless="-n -q --just-print --question --recon /n /N",
)
_COMPILER = Tool(
    "build",
    harmless="""-dumpversion -dumpmachine -dumpspecs -print-search-dirs --print-targets
        -print-targets -print-file-name --print-file-name -print-libgcc-file-name
        -print-prog-name -print-multi-lib -print-sysroot -print-resource-dir
        --print-supported-cpus -print-target-info -dM -###""",
)
_BAZEL = Tool(
    "build",
    build="mod/tidy",
    read="""query cquery aquery info dump mod analyze-profile print_action
        canonicalize-flags license config version help""",
    other="shutdown",
    values="--output_base --output_user_root --bazelrc",
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
        "make gmake mingw32-make nmake jom bmake remake": _MAKE,
        """gcc g++ cc c++ clang clang++ clang-cl cl icc icx icpx nvcc hipcc emcc em++ gfortran ifort
        ifx flang tcc dmd ldc2 gdc gnatmake gprbuild fpc lazbuild cobc nasm yasm as ld ld.lld lld
        gold mold ranlib swiftc valac protoc flatc capnp thrift windres metal metallib
        musl-gcc cython cythonize bison flex yacc swig dtc glslc glslangValidator""": _COMPILER,
        "ar": Tool("build", other="x xv", read="t tv p", harmless="-t -tv -p"),
        "ccache sccache": Tool(harmless="-s --show-stats -p --show-config --print-stats"),
        "llvm-cov": Tool(read="report show export"),
        "ninja samu autoninja": Tool(
            "build",
            values="-C -f -j -k -l -d -w",
            harmless="-n -t --version",
            building="-tclean",
        ),
        "cmake": Tool(
            "build",
            values="-S -B -G -C -P -T -A --build --install --preset --target -t -j --config -U",
            harmless="""-N -L -LA -LAH --system-information --list-presets --help-command
                --help-module --help-variable --help-property --help-command-list
                --print-config-dir""",
            elsewhere="-E -P --open",
        ),
        "ctest": Tool(
            "test",
            values="-R -E -L -LE -C -j -I --test-dir --timeout --repeat --preset -D -M -T -S -O",
            harmless="-N --show-only --print-labels --list-presets",
            building="-S --build-and-test",
            same="""-V=--verbose -VV=--extra-verbose -R=--tests-regex -E=--exclude-regex
                -L=--label-regex -j=--parallel -Q=--quiet -C=--build-config""",
            tuning="-j --parallel --timeout --repeat --schedule-random",
        ),
        "cpack": Tool("build"),
        "meson": Tool(
            "build",
            read="introspect wrap/list wrap/search wrap/info wrap/status",
            other="format fmt init rewrite wrap",
            values="-C",
        ),
        "scons": Tool("build", harmless="-n --just-print"),
        "waf premake5 premake4 b2 bjam redo": Tool("build", read="list"),
        "xmake": Tool("build", read="show", other="create format lua update repo"),
        "qmake qmake6": Tool("build", harmless="-query"),
        "gn": Tool("build", read="ls desc path refs help", other="format"),
        "tup": Tool("build", server="monitor"),
        "please plz": Tool("build", read="query help", other="fmt format init update"),
        """configure autogen.sh autoreconf autoconf automake aclocal autoheader libtoolize
        bootstrap.sh buildconf config.status ndk-build""": Tool("build"),
        # of the Rust compiler
        "x.py": Tool(build="build b check c test t clippy dist doc install run r"),
        "bazel bazelisk blaze": _BAZEL,
        "ibazel": Tool("server"),
        "buck buck2": _BUCK,
        "pants": Tool(
            "build",
            read="""list dependencies dependents peek roots paths filedeps help count-loc
                help-all help-advanced version""",
            other="fmt lint fix tailor update-build-files publish generate-lockfiles export",
            build="lint/check lint/test fmt/check fmt/test fmt/lint/check fmt/lint/test",
            values="--changed-since --tag",
        ),
        """verilator iverilog ghdl nvc yosys vivado quartus_sh vlog vcom nextpnr-ice40
        nextpnr-ecp5""": Tool("build"),
        "conan": Tool(
            "build",
            read="""list search info inspect graph/info config/list config/home version
                profile/list profile/show profile/path remote/list cache/path""",
            other="profile remote config cache new upload download remove export editable lock",
        ),
        "vcpkg": Tool(
            "build",
            read="list search version help env owns depend-info",
            other="new integrate update add format-manifest x-*",
        ),
        "makepkg dpkg-buildpackage debuild rpmbuild abuild ebuild flatpak-builder": Tool(
            "build", harmless="--printsrcinfo"
        ),
        "snapcraft": Tool(
            "build",
            read="list status whoami names revisions list-plugins list-extensions",
            other="login logout register upload release promote init",
        ),
        "mock pbuilder sbuild": Tool("build"),
        "bitbake": Tool("build", harmless="-e -s -g -n --show-versions --environment"),
        "bitbake-layers": Tool(read="show-*"),
        "kas kas-container": Tool("build", read="dump", other="checkout"),
        "catkin_make catkin_make_isolated": Tool("build"),
        "catkin": Tool("build", read="list locate", other="init create config profile"),
        "colcon": Tool("build", test="test", read="list info graph test-result version-check"),
        "gotestsum richgo": Tool("build"),
        "valgrind": Tool("other"),
        "gdb lldb": Tool("other"),
    }
)
