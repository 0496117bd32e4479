"""Java, Kotlin, Scala, Clojure, and .NET."""

from hostgate.core.tools.tool import Tool, table

_GRADLE = Tool(
    "build",
    goals=True,
    bare="read",  # the help task
    server="""bootRun bootTestRun quarkusDev runServer runDev appRun jettyRun asciidoctorServe
        *rowserDevelopmentRun""",
    read="""tasks projects dependencies properties help dependencyInsight buildEnvironment
        components model javaToolchains outgoingVariants signingReport resolvableConfigurations
        sourceSets dependentComponents kotlinDslAccessorsReport androidDependencies
        dependencyUpdates""",
    other="wrapper init spotless* ktlint* ktfmt* detekt*",
    values="""-p --project-dir -b --build-file -I --init-script -c --settings-file -x
        --exclude-task --tests -g --gradle-user-home --console --max-workers --configuration
        --dependency --task --group --args --warning-mode --include-build --gradle-version
        --distribution-type --type --dsl""",
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
        jetty:run-forked mn:run cargo:run site:run""",
    read="""dependency:tree dependency:list dependency:build-classpath help:* versions:display-*
        dependency:analyze-only dependency:display-ancestors enforcer:display-info buildplan:list
        *maven-dependency-plugin:*tree *versions-maven-plugin:*display-*""",
    other="""archetype:generate wrapper:wrapper versions:set versions:use-* versions:commit
        versions:revert versions:update-* spotless:* com.diffplug.spotless:* fmt:format fmt:check
        formatter:* checkstyle:* pmd:* spotbugs:* license:* enforcer:enforce release:*
        sonar:sonar flyway:* liquibase:* dependency:purge-local-repository""",
    values="""-f --file -pl --projects -P --activate-profiles -s --settings -T --threads -l -rf -gs
        --resume-from -t --toolchains -D --define""",
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
        "java kotlin groovy jshell": Tool(
            harmless="-version -showversion --list-modules", values="-cp -classpath --class-path"
        ),
        "jar": Tool(
            build="cf cvf cfe cvfe cfm cvfm",
            building="-cf -cvf -c --create",
            harmless="tf -tf tvf -tvf --list",
        ),
        "keytool jarsigner": Tool(harmless="-list -printcert -verify"),
        "sbt sbtn": Tool(
            "build",
            goals=True,
            bare="server",
            read="""projects project tasks settings about dependencyTree plugins show help
                dependencyBrowseTree inspect set ++*""",
            other="scalafmt* scalafix* shutdown new reload console",
            server="~* reStart shell",
            harmless="-version --script-version",
            values="-mem -java-home -sbt-version -sbt-dir",
        ),
        "mill": Tool(
            "build",
            read="resolve inspect plan path visualize version",
            other="init shutdown mill.scalalib.* *.reformat *.checkFormat",
            running="-w",
        ),
        "scala-cli scala": Tool(
            build="compile run test package doc clean export *.scala *.sc",
            other="fmt repl setup-ide publish",
            running="-w",
            read="version about",
            harmless="-version",
            values="-cp -classpath --class-path -S --scala --jvm",
        ),
        "bloop": Tool(
            build="compile test run clean link", read="projects about", running="-w", other="exit"
        ),
        "ant": Tool("build", goals=True, harmless="-p -projecthelp -version -diagnostics"),
        "lein": Tool(
            build="compile jar uberjar test install deps run javac check clean midje do cljsbuild",
            server="repl ring/server ring/server-headless figwheel auto cljsbuild/auto",
            nested="with-profile:2 with-profiles:2 trampoline:1",
            read="help version classpath deps/:tree show-profiles",
            other="new deploy upgrade eastwood kibit cljfmt ancient search",
        ),
        "clj clojure": Tool(
            building="-T:build -X:build -T:uberjar",
            testing="-M:test -X:test -T:test",
            running="-M:repl -M:nrepl",
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
                remove/package add/*/package package/add package/remove cake nuke fable stryker
                paket/install paket/restore paket/update""",
            test="vstest",
            server="watch fable/watch",
            read="""list list/package sln/list sln/*/list nuget/list package/list package/search
                tool/list tool/search workload/list sdk/check help ef/migrations/list
                reference/list user-secrets/list new/list new/search""",
            other="""new format sln tool workload nuget dev-certs store fsi script
                build-server user-secrets add remove ef""",
            values="""-c --configuration --project -f --framework -o --output -r --runtime -v
                --verbosity --filter -l --logger --settings""",
            harmless="--info --list-sdks --list-runtimes --list-tests",
            asking="test:-t",
        ),
        "msbuild xbuild": Tool("build", harmless="-version /version"),
        "devenv": Tool(  # of Visual Studio, and that of Nix
            "build", server="up", other="shell init update gc", read="info search"
        ),
        "nuget": Tool(build="restore install update pack", read="list search sources locals"),
        "csc mcs fsc vbc al": Tool("build"),
        "paket": Tool(build="install restore update add remove", read="why show-groups"),
        "nuke": Tool("build", harmless="--plan"),
        "cake dotnet-cake fake": Tool("build"),
        "vstest.console nunit3-console xunit.console mspec": Tool("test"),
    }
)
