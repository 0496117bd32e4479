"""Node and its kin: package managers, compilers and bundlers, test runners."""

from hostgate.core.tools.tool import Tool, table

_INSTALLS = """install i in add ci install-test it uninstall un unlink remove rm r update up upgrade
    dedupe ddp rebuild rb prune link ln"""


TOOLS = table(
    {
        "npm": Tool(
            build=f"""{_INSTALLS} clean-install ic isntall install-clean install-ci-test cit test
                t tst audit/fix udpate""",
            server="start restart",
            read="""list ls la ll view info show v outdated why explain audit config/get
                config/list config/ls root bin prefix search docs home bugs repo ping whoami fund
                doctor query diff sbom pkg/get help help-search token/list access/list
                dist-tag/ls owner/ls team/ls cache/ls cache/verify get""",
            values="--prefix -C --workspace -w --loglevel --registry --cache --userconfig",
            elsewhere="-g --global --location=global",
            tasks="run run-script rum urn",
            same="i=install t=test tst=test run-script=run",
            tuning="--access --tag --otp",
        ),
        "yarn": Tool(
            build=f"""{_INSTALLS} upgrade-interactive unplug import test autoclean
                workspaces/focus""",
            server="start",
            read="""list info why outdated licenses audit config/get config/list npm/audit
                npm/info workspaces/list workspaces/info versions global/list
                constraints/query explain bin""",
            other="""publish pack version init create set plugin cache npm global config login
                logout node policies constraints""",
            bare="build",
            values="--cwd --modules-folder --cache-folder --mutex",
            tasks="- run",
            hosts=True,
            nested="workspace:2 workspaces/foreach:2 workspaces:1",
        ),
        "pnpm": Tool(
            build=f"{_INSTALLS} test t tst import fetch patch-commit approve-builds",
            server="start",
            read="""list ls la ll why outdated audit licenses root bin store/status store/path
                config/get config/list cat-file cat-index find-hash doctor""",
            other="""publish pack init create env setup store config deploy self-update patch
                server login""",
            values="""--filter -F -C --dir --filter-prod --workspace-concurrency --reporter
                --loglevel --test-pattern --changed-files-ignore-pattern""",
            elsewhere="-g --global",
            asking="dedupe:--check",
            tasks="- run run-script",
            hosts=True,
            nested="recursive:1 multi:1 m:1",
        ),
        "bun": Tool(
            build="install i add a remove rm update link unlink test build ci patch",
            read="pm/ls pm/bin pm/cache pm/hash pm/whoami outdated why info audit",
            other="create init c upgrade publish repl pm completions",
            values="--cwd --filter -c --config --env-file -r --preload -F",
            running="--hot",
            elsewhere="-g --global",
            tasks="- run",
            hosts=True,
        ),
        "deno": Tool(
            build="compile bundle check install i add remove uninstall",
            test="test bench",
            server="serve",
            read="info doc types outdated",
            other="lint fmt cache upgrade eval repl init publish coverage jupyter vendor",
            values="-c --config --import-map --env-file",
            building="outdated:--update outdated:-u",
            elsewhere="-g --global",
            tasks="task run",
        ),
        "node nodejs": Tool(
            values="-r --require --import --loader -e --eval -p --env-file -C --conditions",
            testing="--test",
            running="--watch-path",
            harmless="-c --check",
            tuning="--test-reporter --test-timeout --test-concurrency",
            hosts=True,
        ),
        "corepack": Tool(hosts=True),
        "tsx ts-node babel-node esno jiti vite-node": Tool(
            server="watch",
            testing="--test",
            values="-r --require --import -e --eval -P --project --tsconfig --env-file",
        ),
        "ts-node-dev tsnd nodemon node-dev supervisor pm2-dev pm2-runtime": Tool("server"),
        "turbo": Tool(
            harmless="--dry --graph",
            server="watch",
            read="ls query info telemetry",
            other="prune login link unlink gen generate",
            tasks="- run",
            goals=True,
            values="--filter -F --concurrency --cache-dir --cwd --output-logs --log-order",
        ),
        "nx": Tool(
            read="show list report graph dep-graph affected:graph print-affected format:check",
            other="""lint format:write format migrate reset generate g add init release
                connect workspace-lint sync import""",
            server="watch",
            tasks="- run run-many affected exec",
            values="--base --head --parallel -c --configuration --projects -p --exclude --skip",
        ),
        "lerna": Tool(
            build="bootstrap link clean",
            read="ls list ll la changed diff info",
            other="version publish init create add import repair",
            tasks="run",
        ),
        "rush rushx": Tool(
            build="build rebuild install update test add remove purge unlink link",
            read="list check",
            other="change version publish deploy scan update-autoinstaller",
            tasks="-",
        ),
        "moon": Tool(tasks="run ci check", read="query project task dep-graph"),
        "wireit": Tool(),
        "npm-run-all npm-run-all2 run-s run-p": Tool(tasks="-", goals=True),
        """tsc vue-tsc tsgo tspc ngc svelte-check esbuild swc tsup tsdown unbuild rolldown ncc
        microbundle bili browserify ng-packagr pkgroll tshy babel lessc sass
        node-sass stylus postcss tailwindcss @tailwindcss/cli uglifyjs terser csso cleancss
        svgr typedoc jsdoc compodoc api-extractor dts-bundle-generator bunchee nexe tsc-alias
        electron-builder electron-packager electron-rebuild node-gyp prebuildify node-pre-gyp
        cmake-js coffee build-storybook zshy preconstruct father rslib""": Tool(
            "build",
            harmless="--showConfig --listFilesOnly --dry",
            elsewhere="--init",
            running="-w --serve --servedir",
            read="list",
            other="init",
            server="watch",
        ),
        "pkg": Tool("build", other="install add upgrade update delete remove", read="search info"),
        "rollup": Tool("build", running="-w", same="-c=--config -o=--file"),
        "webpack webpack-cli rspack": Tool(
            "build",
            server="serve server s dev watch w",
            other="init plugin loader",
            read="info version configtest",
            running="-w",
            port="8080",
        ),
        "webpack-dev-server": Tool("server", port="8080"),
        "parcel": Tool("server", build="build", other="help", port="1234"),
        "gulp grunt jake": Tool(
            tasks="-", harmless="--tasks -T --tasks-simple", bare="build", goals=True
        ),
        "brunch": Tool(build="build b", server="watch w"),
        "jest": Tool(
            "test",
            harmless="--listTests --showConfig",
            elsewhere="--clearCache --init",
            running="--watchAll",
            same="-t=--testNamePattern -i=--runInBand -w=--maxWorkers -u=--updateSnapshot",
            tuning="-w --maxWorkers --testTimeout --reporters",
            values="-t --testNamePattern -c --config --testPathPattern",
        ),
        "vitest": Tool(
            "test",
            server="watch dev",
            read="list",
            other="init",
            running="-w --ui",
            same="-t=--testNamePattern -u=--update --run= run=",
            tuning="--testTimeout --pool --maxWorkers --minWorkers",
            values="-t --testNamePattern -c --config --project --reporter --dir --root -r",
        ),
        "mocha": Tool(
            "test",
            running="-w",
            same="-g=--grep -t=--timeout -R=--reporter -b=--bail",
            tuning="-t --timeout -R --reporter",
        ),
        "ava tap tape uvu jasmine qunit zora japa lab": Tool("test", running="-w", read="list"),
        "karma": Tool("test", other="init", server="run"),
        "cypress cy": Tool(
            "test", server="open open-ct", other="install cache", read="info version verify"
        ),
        "playwright": Tool(
            "test",
            other="""install install-deps uninstall codegen open cr ff wk screenshot pdf
                merge-reports clear-cache""",
            server="show-report show-trace run-server",
            harmless="--list",
            running="--ui",
            same="-g=--grep -j=--workers -c=--config",
            tuning="-j --workers --max-failures",
        ),
        """testcafe nightwatch wdio protractor web-test-runner wtr newman bru dredd backstop
        test-storybook cucumber-js codeceptjs detox stryker""": Tool(
            "test", build="build", other="init", read="list"
        ),
        "eslint": Tool(
            same="-f=--format -c=--config -o=--output-file",
            harmless="--print-config --env-info",
            tuning="--max-warnings -f --format --concurrency",
        ),
        "prettier": Tool(
            harmless="--find-config-path --support-info --file-info",
            same="-w=--write -c=--check -l=--list-different",
            tuning="--log-level",
        ),
        "ncu npm-check-updates": Tool("read", elsewhere="-u --upgrade"),
        "npm-check depcheck madge license-checker envinfo": Tool("read", elsewhere="-u --update"),
        "changeset": Tool(read="status", other="version publish"),
        "tsc-watch": Tool("server"),
        "hardhat truffle": Tool(
            build="compile clean", test="test coverage", server="node develop", read="help accounts"
        ),
        "forge scarb anchor sui aptos brownie": Tool(
            build="""build b test t compile coverage snapshot clean install update remove
                move/build move/test""",
            read="tree inspect config",
        ),
        "solc vyper": Tool("build"),
        "anvil ganache ganache-cli solana-test-validator": Tool("server"),
    }
)
