"""Swift, Xcode and what stands around them."""

from hostgate.core.tools.tool import Tool, table

TOOLS = table(
    {
        "swift": Tool(
            build="build test run package",
            read="""package/describe package/show-dependencies package/dump-package
                package/tools-version package/compute-checksum package/completion-tool
                package/show-executables package/show-traits sdk/list help test/list demangle""",
            server="package/preview-documentation",
            other="""format lint repl sdk package/init package/config package/add-*
                package/purge-cache package/archive-source""",
            values="""-c --configuration --package-path --product --target --scratch-path -j
                --jobs --triple --sdk --arch --filter --skip --build-path --cache-path --chdir
                --num-workers --toolchain -Xswiftc -Xcc -Xcxx -Xlinker --traits --swift-sdk
                --sanitize --allow-writing-to-directory""",
            harmless="--show-bin-path -version --list-tests",
            asking="test:-l",
        ),
        "swift-build swift-test swift-run swift-package": Tool(
            "build",
            read="describe show-dependencies dump-package",
            harmless="--show-bin-path --list-tests",
        ),
        "xcodebuild": Tool(
            "build",
            harmless="""-list -showBuildSettings -showBuildSettingsForIndex -showsdks
                -showdestinations -showTestPlans -version -usage -dry-run
                -checkFirstLaunchStatus -enumerate-tests -showComponent""",
            elsewhere="""-downloadPlatform -downloadAllPlatforms -runFirstLaunch -importPlatform
                -downloadComponent -license""",
        ),
        "xctest": Tool("test"),
        "xcrun": Tool(
            harmless="""-f --find --show-sdk-path --show-sdk-version --show-sdk-platform-path
                --show-sdk-build-version --show-toolchain-path --show-sdk-platform-version"""
        ),
        "xcode-select": Tool(harmless="-p --print-path -v"),
        "simctl": Tool(
            read="list listapps get_app_container appinfo getenv spawn/*/log",
            server="io/*/recordVideo",
            running="--console --console-pty",
        ),
        "devicectl": Tool(read="list device/info"),
        "xctrace xcresulttool xccov": Tool(read="list version get view"),
        "actool ibtool momc": Tool("build"),
        "pod": Tool(
            build="install update deintegrate lib/lint spec/lint",
            read="outdated list search env ipc spec/cat repo/list trunk/me trunk/info",
            other="init cache repo trunk setup",
        ),
        "carthage": Tool(
            build="bootstrap build checkout update copy-frameworks archive",
            read="outdated version validate",
        ),
        "mint": Tool(build="bootstrap", server="dev", read="list which", other="install"),
        "tuist": Tool(
            build="build test install clean run cache fetch",
            read="graph version dump inspect",
            other="generate edit init scaffold",
        ),
        "xcodegen swiftlint swiftformat periphery sourcery swiftgen xcbeautify xcpretty": Tool(
            read="dump rules version"
        ),
        "xcode-build-server": Tool(),
        "fastlane": Tool(
            build="""gym build_app build_ios_app scan run_tests snapshot gradle cocoapods beta
                ios/beta android/beta mac/beta""",
            other="install_plugins",
            tasks="- run ios android mac",
            read="lanes list env action actions",
        ),
        "codesign lipo install_name_tool": Tool(
            harmless="-d -dv -dvv -dvvv -dvvvv --display --verify -info -archs"
        ),
        "notarytool stapler altool": Tool(read="history log info validate"),
        "agvtool": Tool(read="what-version what-marketing-version vers mvers"),
        "plutil": Tool(harmless="-p -lint", read="*/raw"),
        "PlistBuddy": Tool(read="Print* print*"),
        "defaults": Tool(read="read read-type domains find"),
        "security": Tool(read="find-identity find-generic-password list-keychains dump-keychain"),
        "log": Tool(read="stream show stats"),
        "sw_vers system_profiler mdfind mdls pbpaste ioreg vmmap leaks": Tool("read"),
        "sysctl": Tool("read", elsewhere="-w -p"),
        "ios-deploy idb": Tool(read="list-targets describe", harmless="-c --detect"),
        "vapor": Tool(build="build run", read="version"),
    }
)
