"""Java, Kotlin, Scala, Clojure, and .NET."""

from hostgate.core.tools.tool import Tool, table

_GRADLE = Tool(
    "build",
    goals=True,
    bare="read",  # the help task
    server="bootRun bootTestRun quarkusDev runServer runDev appRun jettyRun asciidoctorServe",
    read="""tasks projects dependencies properties help dependencyInsight buildEnvironment
        components model javaToolchains outgoingVariants signingReport resolvableConfigurations
        sourceSets dependentComponents kotlinDslAccessorsReport""",
    other="wrapper init",
    values="""-p --project-dir -b --build-file -I --init-script -c --settings-file -x
        --exclude-task --tests -g --gradle-user-home --console --max-workers --configuration""",
    harmless="-m --dry-run --status -v",
    elsewhere="--stop",
    running="-t --continuous",
)
_MVN = Tool(
    "build",
    goals=True,
    bare="other",
    server="""spring-boot:run spring-boot:start jetty:run jetty:run-war quarkus:dev tomcat7:run
        wildfly:run liberty:dev liberty:run hpi:run appengine:run payara-micro:start
        jetty:run-forked""",
    read="""dependency:tree dependency:list dependency:analyze help:* versions:display-*
        dependency:display-ancestors enforcer:display-info buildplan:list""",
    other="""archetype:generate wrapper:wrapper versions:set versions:use-* spotless:apply
        spotless:check fmt:format checkstyle:check com.diffplug.spotless:* versions:update-*
        release:* sonar:sonar dependency:purge-local-repository""",
    values="-f --file -pl --projects -P --activate-profiles -s --settings -T --threads -l -rf -gs",
    harmless="-v --version",
)

TOOLS = table(
    {
        "gradle gradlew": _GRADLE,
        "mvn mvnw mvnd": _MVN,
        "javac kotlinc kotlinc-jvm kotlinc-native scalac groovyc native-image javadoc jlink": Tool(
            "build", harmless="-version"
        ),
        "jpackage d8 r8 ecj scaladoc dokka": Tool("build"),
        "java kotlin scala groovy jshell": Tool(
            harmless="-version -showversion --list-modules", values="-cp -classpath --class-path"
        ),
        "jar": Tool(harmless="tf -tf tvf -tvf --list"),
        "sbt sbtn": Tool(
            "build",
            goals=True,
            bare="server",
            read="""projects tasks settings about dependencyTree plugins show help
                dependencyBrowseTree inspect""",
            other="scalafmt* scalafix* shutdown new reload console publish",
            server="~* reStart ~reStart shell",
            harmless="-version --script-version",
        ),
        "mill": Tool(
            "build",
            goals=True,
            read="resolve inspect plan path visualize version show",
            other="init shutdown mill.scalalib.*",
            running="-w",
        ),
        "scala-cli": Tool(
            build="compile run test package doc clean export",
            other="fmt repl setup-ide publish",
            running="-w",
            read="version about",
        ),
        "bloop": Tool(
            build="compile test run clean link", read="projects about", running="-w", other="exit"
        ),
        "ant": Tool("build", goals=True, harmless="-p -projecthelp -version -diagnostics"),
        "lein": Tool(
            build="compile jar uberjar test install deps run javac check clean midje do",
            server="repl ring/server ring/server-headless figwheel auto",
            read="help version classpath deps/:tree show-profiles",
            other="new deploy upgrade eastwood kibit cljfmt ancient search",
        ),
        "clj clojure": Tool(
            building="-T:build -X:build -T:uberjar",
            harmless="-Stree -Spath -Sdescribe -Sverbose",
        ),
        "boot": Tool("build"),
        "shadow-cljs": Tool(
            build="compile release check", server="watch server start", other="stop clj-repl"
        ),
        "quarkus": Tool(build="build test image", server="dev", read="info extension/list"),
        "grails mn": Tool(
            build="compile war assemble test-app package", server="run-app run", bare="other"
        ),
        "jbang": Tool(build="build export"),
        "jps jstack jmap jcmd jstat jinfo javap jdeps": Tool("read"),
        "kotest ktlint detekt": Tool(),
        "coursier cs": Tool(read="list search resolve"),
        "dotnet": Tool(
            build="""build test restore run publish clean pack msbuild add/package
                remove/package add/*/package package/add package/remove""",
            test="vstest",
            server="watch",
            read="""list list/package sln/list nuget/list package/list package/search
                tool/list tool/search workload/list sdk/check help ef/migrations/list
                reference/list user-secrets/list""",
            other="""new format sln tool workload nuget dev-certs store fsi script
                build-server user-secrets add remove ef""",
            values="""-c --configuration --project -f --framework -o --output -r --runtime -v
                --verbosity --filter -l --logger --settings""",
            harmless="--info --list-sdks --list-runtimes --list-tests",
        ),
        "msbuild xbuild": Tool("build", harmless="-version /version"),
        "devenv": Tool("build"),
        "nuget": Tool(build="restore install update pack", read="list search sources locals"),
        "csc mcs fsc vbc al": Tool("build"),
        "paket": Tool(build="install restore update add remove", read="why show-groups"),
        "nuke": Tool("build", harmless="--plan"),
        "cake dotnet-cake fake": Tool("build"),
        "vstest.console nunit3-console xunit.console mspec": Tool("test"),
    }
)
