"""Flutter, Android and firmware."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "flutter": Tool(
            build="""build run test pub pub/get pub/upgrade clean drive assemble precache
                gen-l10n install packages""",
            read="doctor devices emulators logs pub/outdated pub/deps version help config",
            other="analyze create upgrade downgrade channel format pub/global pub/publish",
            server="attach widget-preview",
            values="-d --device-id --flavor --target -t --dart-define",
            harmless="--list",
        ),
        "dart": Tool(
            build="""compile pub run/build_runner build doc pub/get pub/upgrade pub/add
                pub/remove""",
            test="test run/test",
            read="info pub/outdated pub/deps pub/global/list",
            tuning="-r --reporter -j",
            server="run/build_runner/watch run/build_runner/serve run/webdev",
            other="run analyze format fix create pub/global pub/publish pub/cache",
        ),
        "build_runner": Tool(build="build", server="watch serve"),
        "webdev": Tool(build="build", server="serve daemon"),
        "melos": Tool(build="bootstrap bs clean", read="list", tasks="run"),
        "adb": Tool(
            read="""logcat devices get-state get-serialno shell/getprop shell/dumpsys shell/pm/list
                bugreport version shell/ps shell/ls""",
            values="-s -t -H -P",
            same="-r=--reinstall",
        ),
        "emulator": Tool("server", harmless="-list-avds -version"),
        "avdmanager sdkmanager": Tool(read="list", harmless="--list --list_installed"),
        "aapt aapt2 apksigner zipalign bundletool": Tool(read="dump verify version"),
        "scrcpy": Tool("server"),
        "pio platformio": Tool(
            build="run test ci lib/install pkg/install pkg/update pkg/uninstall lib/update check",
            server="device/monitor home remote/device/monitor",
            read="""device/list boards settings/get system/info lib/list lib/search pkg/list
                pkg/search pkg/outdated pkg/show account/show lib/show""",
            other="init project/init upgrade device account org access",
            values="-e --environment -d --project-dir -t --target --upload-port -c",
            harmless="--list-targets --list-tests",
        ),
        "arduino-cli": Tool(
            build="compile",
            server="monitor daemon",
            read="""board/list board/listall board/details board/search core/list core/search
                lib/list lib/search lib/examples config/dump config/get version outdated""",
            values="-b --fqbn -p --port --config-file --build-path",
        ),
        "idf.py": Tool(
            "build",
            goals=True,
            server="monitor gdb openocd",
            read="docs size size-components size-files help",
            harmless="--list-targets",
            other="create-project gdbgui add-dependency",
            values="-p --port -b --baud -B --build-dir -C --project-dir -D",
            bare="build",
        ),
        "west": Tool(
            build="build flash debug spdx",
            test="twister",
            read="list topdir boards status diff manifest help config",
            server="espressif/monitor attach debugserver",
            values="-z --zephyr-base -v",
        ),
        "twister": Tool("test"),
        "esptool esptool.py": Tool(
            read="chip_id flash_id read_mac version image_info chip-id flash-id read-mac",
            same="-p=--port -b=--baud",
            values="-p --port -b --baud -c --chip",
            tuning="-b --baud",
        ),
        "espflash": Tool(read="board-info list-ports", server="monitor"),
        "probe-rs": Tool(build="run", read="list info"),
        "openocd st-util JLinkGDBServer pyocd": Tool("server", other="flash erase", read="list"),
        "st-flash dfu-util JLinkExe avrdude bossac picotool teensy_loader_cli": Tool(
            read="info", harmless="-l"
        ),
        "esphome": Tool(build="compile run clean", server="logs dashboard", read="config version"),
        "minicom picocom miniterm cu": Tool("server"),
        "mbed mbed-tools": Tool(build="compile build", read="detect ls"),
        "particle": Tool(build="compile", read="list whoami", server="serial/monitor"),
    }
)
