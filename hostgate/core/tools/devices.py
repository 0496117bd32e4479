"""Flutter, Android and firmware."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "flutter": Tool(
            build="""build run test pub pub/get pub/upgrade clean drive assemble precache
                gen-l10n packages""",
            read="doctor devices emulators logs pub/outdated pub/deps version help channel/",
            other="""analyze create upgrade downgrade channel format config install pub/global
                pub/publish pub/cache""",
            server="attach widget-preview pub/run/*/watch pub/run/*/serve",
            elsewhere="--launch --android-licenses",
            values="-d --device-id --flavor --target -t --dart-define",
            harmless="--list",
        ),
        "dart": Tool(
            build="""compile pub run/build_runner build doc pub/get pub/upgrade pub/add
                pub/remove""",
            test="test run/test",
            read="info pub/outdated pub/deps pub/global/list",
            tuning="-r --reporter -j",
            server="""run/build_runner/watch run/build_runner/serve run/webdev pub/run/*/watch
                pub/run/*/serve""",
            other="run analyze format fix create pub/global pub/publish pub/cache",
        ),
        "build_runner": Tool(build="build", server="watch serve"),
        "webdev": Tool(build="build", server="serve daemon"),
        "fvm puro": Tool(hosts=True, read="list ls releases doctor"),
        "shorebird": Tool(build="release patch", read="doctor releases/list patches/list"),
        "melos": Tool(
            build="bootstrap bs clean", read="list", other="version publish", tasks="run"
        ),
        "adb": Tool(
            read="""logcat devices get-state get-serialno shell/getprop shell/dumpsys shell/pm/list
                bugreport version shell/ps shell/ls shell/cat shell/top shell/logcat
                shell/settings/get""",
            test="shell/am/instrument",
            values="-s -t -H -P",
            elsewhere="-c --clear",
            same="-r=--reinstall",
        ),
        "fastboot": Tool(read="devices getvar"),
        "apkanalyzer st-info": Tool("read"),
        "maestro": Tool(test="test", server="studio record", read="hierarchy"),
        "emulator": Tool("server", harmless="-list-avds -version"),
        "avdmanager sdkmanager": Tool(read="list", harmless="--list --list_installed"),
        "aapt aapt2 apksigner zipalign bundletool": Tool(read="dump verify version"),
        "scrcpy": Tool("server"),
        "pio platformio": Tool(
            build="run test ci lib/install pkg/install pkg/update pkg/uninstall lib/update",
            server="device/monitor home remote/device/monitor",
            read="""device/list boards settings/get system/info lib/list lib/search pkg/list
                pkg/search pkg/outdated pkg/show account/show lib/show project/config""",
            other="init project/init upgrade device account org access check",
            elsewhere="-g --global",
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
            other="create-project gdbgui add-dependency erase-flash erase_flash",
            values="-p --port -b --baud -B --build-dir -C --project-dir -D",
            bare="build",
        ),
        "west": Tool(
            build="build flash debug spdx",
            test="twister",
            read="list topdir boards status diff manifest help config blobs/list",
            other="config/*/* init update",
            server="espressif/monitor attach debugserver rtt",
            values="-z --zephyr-base",
        ),
        "twister": Tool("test"),
        "esptool esptool.py": Tool(
            read="chip_id flash_id read_mac version image_info chip-id flash-id read-mac",
            same="-p=--port -b=--baud",
            values="-p --port -b --baud -c --chip",
            tuning="-b --baud",
        ),
        "espflash": Tool(read="board-info list-ports", server="monitor", running="-M --monitor"),
        "probe-rs": Tool(server="run attach gdb dap-server", read="list info"),
        "openocd": Tool("server", other="*exit *shutdown", values="-f --file -s --search"),
        "st-util JLinkGDBServer": Tool("server"),
        "pyocd": Tool(server="gdbserver gdb rtt", read="list json"),
        "st-flash dfu-util JLinkExe nrfjprog avrdude bossac picotool teensy_loader_cli": Tool(
            read="info", harmless="-l --ids"
        ),
        "mpremote": Tool(server="repl", read="devs ls df connect/list"),
        "qmk": Tool(build="compile flash clean", read="list-keyboards list-keymaps env"),
        "esphome": Tool(build="compile run clean", server="logs dashboard", read="config version"),
        "minicom picocom miniterm tio cu": Tool("server"),
        "mbed mbed-tools": Tool(build="compile build", read="detect ls"),
        "particle": Tool(build="compile", read="list whoami", server="serial/monitor"),
        "roslaunch rosrun roscore": Tool("server"),
        "ros2": Tool(
            server="launch run bag/record",
            read="""topic/list topic/echo topic/info topic/hz node/list node/info param/list
                param/get service/list action/list interface/list interface/show pkg/list
                pkg/prefix bag/info doctor""",
        ),
    }
)
