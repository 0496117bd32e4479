"""Swift, Xcode and what stands around them."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "swift": Tool(
            build="build test run package",
            read="""package/describe package/show-dependencies package/dump-package
                package/tools-version package/compute-checksum package/completion-tool
                package/show-executables package/show-traits sdk/list help test/list""",
            other="format lint package/init repl sdk",
            values="""-c --configuration --package-path --product --target --scratch-path -j
                --jobs --triple --sdk --arch --filter --skip --build-path --cache-path --chdir
                --num-workers --toolchain -Xswiftc -Xcc -Xlinker --traits""",
            harmless="--show-bin-path -version --list-tests",
        ),
        "swift-build swift-test swift-run swift-package": Tool(
            "build",
            read="describe show-dependencies dump-package",
            harmless="--show-bin-path --list-tests",
        ),
        "xcodebuild": Tool(
            "build",
            harmless="""-list -showBuildSettings -showBuildSettingsForIndex -showsdks
                -showdestinations -showTestPlans -version -usage -license
                -checkFirstLaunchStatus -enumerate-tests -showComponent""",
            elsewhere="-downloadPlatform -downloadAllPlatforms -runFirstLaunch -importPlatform",
        ),
        "xctest": Tool("test"),
        "xcrun": Tool(
            harmless="""-f --find --show-sdk-path --show-sdk-version --show-sdk-platform-path
                --show-sdk-build-version --show-toolchain-path --show-sdk-platform-version"""
        ),
        "xcode-select": Tool(harmless="-p --print-path -v"),
        "simctl": Tool(read="list listapps get_app_container appinfo getenv", server="io"),
        "devicectl": Tool(read="list"),
        "actool ibtool momc": Tool("build"),
        "pod": Tool(
            build="install update deintegrate lib/lint spec/lint",
            read="outdated list search env ipc spec/cat repo/list",
            other="init cache repo trunk setup",
        ),
        "carthage": Tool(
            build="bootstrap build checkout update copy-frameworks archive",
            read="outdated version validate",
        ),
        "mint": Tool(build="bootstrap", read="list which", other="install"),
        "tuist": Tool(
            build="build test install clean run cache fetch",
            read="graph version dump inspect",
            other="generate edit init scaffold",
        ),
        "xcodegen swiftlint swiftformat periphery sourcery swiftgen xcbeautify xcpretty": Tool(
            read="dump"
        ),
        "fastlane": Tool(
            build="gym build_app build_ios_app scan run_tests snapshot gradle cocoapods",
            tasks="- run ios android mac",
            read="lanes list env action actions",
        ),
        "codesign notarytool stapler altool lipo install_name_tool agvtool": Tool(
            harmless="-d -dv -dvv --display -info -archs"
        ),
        "plutil": Tool(harmless="-p"),
        "PlistBuddy": Tool(),
        "defaults": Tool(read="read read-type domains find"),
        "security": Tool(read="find-identity find-generic-password list-keychains dump-keychain"),
        "log": Tool(read="stream show stats"),
        "sw_vers system_profiler mdfind mdls sysctl": Tool("read"),
        "ios-deploy idb": Tool(read="list-targets describe", harmless="-c --detect"),
        "vapor": Tool(build="build run", read="version"),
    }
)
