"""Rust, Go, Zig, Haskell, OCaml, Nim and the other compiled languages with tools of their own."""

from hostgate.core.tools.tool import Tool, table

_CARGO = Tool(
    build="""build b check c clippy test t run r bench doc d clean rustc rustdoc fix package
        publish nextest miri llvm-cov tarpaulin hack careful udeps bloat asm expand
        semver-checks mutants fuzz ndk lambda dist xtask make zigbuild bootimage xbuild apk
        tauri/build tauri/android/build tauri/ios/build component leptos/build espflash
        flamegraph criterion insta/test rdme msrv llvm-lines show-asm public-api
        minimal-versions samply all-features xwin pgrx sqlx/prepare embed flash objdump objcopy
        size nm auditable contract build-sbf build-bpf kani""",
    read="""tree metadata search pkgid locate-project info version help outdated
        read-manifest verify-project nextest/list nextest/show-config config/get license
        about owner/list report llvm-cov/report""",
    server="""watch leptos/watch leptos/serve tauri/dev tauri/android/dev tauri/ios/dev
        shuttle/run lambda/watch espflash/monitor""",
    values="""--manifest-path --color --config -C --target -p --package --bin --example --test
        --bench --features -F -j --jobs --profile --target-dir --message-format -Z --exclude""",
    harmless="--list -vV",
    building="install:--path",
    elsewhere="--git",
)

TOOLS = table(
    {
        "cargo cross": _CARGO,
        "rustc": Tool("build", harmless="--print -vV --explain"),
        "rustdoc wasm-pack wasm-bindgen wasm-opt": Tool("build", other="login publish new"),
        "rustup": Tool(read="show toolchain/list target/list component/list which check doc"),
        "bacon": Tool("server", harmless="-l --list-jobs"),
        "trunk": Tool(build="build clean", server="serve watch"),
        "dx": Tool(build="build bundle", server="serve"),
        "diesel sqlx sea-orm-cli": Tool(
            read="migrate/info migrate/status migration/list migration/pending migration/status"
        ),
        "go": Tool(
            build="build test vet run install generate clean",
            read="""list env version doc help mod/graph mod/why mod/verify tool/ tool/nm
                tool/objdump tool/pprof tool/dist tool/cover""",
            values="""-C -o -run -count -tags -ldflags -gcflags -timeout -p -coverprofile -bench
                -mod -parallel -exec""",
            harmless="-n",
            elsewhere="-modcache",
            other="install/*@* run/*@* env/*=*",
        ),
        "gofmt gofumpt goimports golangci-lint staticcheck revive gci": Tool(
            read="linters version"
        ),
        "ginkgo": Tool("build", server="watch", other="bootstrap generate", read="version"),
        "mage": Tool("build", harmless="-l -h", tasks="-", bare="build"),
        "goreleaser": Tool(build="build release", read="check healthcheck"),
        "tinygo gomobile fyne wails": Tool(
            build="build test flash run bind package cross",
            server="dev monitor",
            read="version targets info env doctor",
        ),
        "air gow realize fresh CompileDaemon": Tool("server", other="init"),
        "templ": Tool(build="generate", running="--watch"),
        "buf": Tool(build="build generate", read="ls-files"),
        "zig": Tool(
            build="build build-exe build-lib build-obj test run cc c++ translate-c test-obj",
            read="version env targets zen help libc",
            server="std",
            other="fmt init init-exe init-lib fetch",
            harmless="-l --list-steps",
        ),
        "zls": Tool("server"),
        "cabal": Tool(
            build="""build v2-build new-build test v2-test run v2-run bench install/ install/.
                install/exe:* install/all:* configure haddock clean repl exec sdist copy register
                haddock-project""",
            read="list info outdated path get-config check list-bin help",
            other="""install update get unpack init user-config upload report freeze gen-bounds
                fetch format""",
            values="--project-file --builddir -w --with-compiler -j",
        ),
        "stack": Tool(
            build="""build test install run bench haddock clean purge setup ghci repl ide sdist
                hpc""",
            read="path ls list query dot templates config/env",
            other="upgrade update new init upload unpack script eval runghc hoogle",
            running="--file-watch --file-watch-poll",
            values="--resolver --stack-yaml --work-dir -j --snapshot",
        ),
        "ghc": Tool(
            "build",
            harmless="--info --numeric-version --print-libdir",
            elsewhere="-e --interactive",
        ),
        "ghcid": Tool("server"),
        "hpack fourmolu ormolu hlint ghcup runghc runhaskell": Tool(read="list"),
        "dune jbuilder": Tool(
            "build",
            other="fmt format format-dune-file build/@fmt init promote promotion cache",
            read="describe show help installed-libraries external-lib-deps ocaml-merlin",
            running="-w --watch",
            values="--root --profile -j -p --build-dir",
        ),
        "ocamlc ocamlopt ocamlbuild ocamlfind": Tool(
            "build", read="list query printconf", harmless="-where -config -vnum"
        ),
        "opam": Tool(
            build="install reinstall upgrade remove pin",
            read="""list show switch/ switch/list switch/show env info config/env var search
                config/list pin/list repository/list""",
            other="switch init update repo",
        ),
        "esy": Tool(
            "build", read="ls-builds ls-libs ls-modules status", other="publish", bare="build"
        ),
        "nim": Tool(
            build="c cc compile compileToC cpp compileToCpp objc js r doc check buildIndex",
            other="e secret",
            read="dump",
        ),
        "nimble": Tool(
            build="build test install/ run develop c uninstall setup",
            other="install refresh init publish",
            read="list search path dump tasks deps",
        ),
        "crystal": Tool(
            build="build run spec docs compile i clear_cache *.cr",
            read="env version tool/hierarchy tool/context tool/expand tool/unreachable",
        ),
        "shards": Tool(
            build="install update build prune run",
            read="list version check outdated",
            bare="build",
        ),
        "dub": Tool(
            "build",
            read="list search describe",
            other="init publish fetch add lint upgrade",
            bare="build",
        ),
        "v": Tool(
            build="run build test crun . *.v",
            server="watch",
            read="version doctor",
            other="fmt vet",
        ),
        "odin": Tool(build="build run test check doc", read="version report root"),
        "fpm": Tool(build="build test run install clean", read="list", other="new"),
        "alr": Tool(
            build="build run test with clean", read="show search index version", other="init get"
        ),
        "gleam": Tool(
            build="build test run check clean docs/build deps add remove export",
            read="deps/list deps/tree",
            other="format new publish hex",
        ),
        "elm": Tool(build="make install", server="reactor", other="init repl publish diff bump"),
        "elm-test": Tool("test"),
        "elm-live elm-watch": Tool("server"),
        "spago": Tool(
            build="build test run install bundle bundle-app bundle-module docs",
            read="ls list packages sources version",
            running="--watch -w",
        ),
        "purs": Tool(build="compile bundle", other="repl"),
        "rescript bsb": Tool(
            "build", other="format", server="dev watch", running="-w", read="dump"
        ),
        "haxe": Tool("build"),
        "raco": Tool(build="make exe", test="test", read="docs pkg/show"),
        "luarocks": Tool(build="make build", test="test", read="list show search path config"),
        "wat2wasm asc": Tool("build"),
        "R": Tool(build="CMD/build CMD/check CMD/INSTALL", harmless="-v"),
        "lake": Tool(
            "build", other="new init update upload cache", read="help version", bare="read"
        ),
        "mojo": Tool(build="build run package test", other="format repl", read="doc"),
        "fortran": Tool("build"),
    }
)
